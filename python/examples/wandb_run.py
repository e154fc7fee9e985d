"""A run of matchq in Weights & Biases: its configuration, its logs by step, and its agent as an artifact.

    pip install wandb  # and tomli with Python 3.10
    WANDB_MODE=offline python python/examples/wandb_run.py runs/quick

Offline all goes into the folder wandb, without an account; `wandb sync` uploads it.
"""

import csv
import pathlib
import sys
from collections import defaultdict

import wandb

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

folder = pathlib.Path(sys.argv[1]).resolve()
config = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8"))

# W&B takes the steps of both logs in one order.
steps = defaultdict(dict)
for group, file in [("train", "train.csv"), ("evaluation", "evaluations.csv")]:
    with open(folder / file, newline="") as log:
        for row in csv.DictReader(log):
            figures = steps[int(row.pop("step"))]
            figures.update({f"{group}/{name}": float(value) for name, value in row.items() if value})

with wandb.init(project="matchq", name=folder.name, config=config) as run:
    for step in sorted(steps):
        run.log(steps[step], step=step)
    run.log_artifact(folder / "best.safetensors", name=folder.name, type="model")
