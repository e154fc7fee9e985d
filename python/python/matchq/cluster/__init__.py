"""Work of the program matchq on many machines, by Ray, Slurm or Kubernetes: ``python -m matchq.cluster``."""
