"""A run of matchq in MLflow: its configuration, its logs by step, and its agent.

    pip install mlflow  # and tomli with Python 3.10
    python python/examples/mlflow_run.py runs/quick
    mlflow ui

All goes into the file mlflow.db and the folder mlruns, without a server; MLFLOW_TRACKING_URI names another place.
"""

import csv
import pathlib
import sys

import mlflow

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib


def keys(section, before=""):
    """The configuration's keys as --set names them, with their values."""
    for name, value in section.items():
        if isinstance(value, dict):
            yield from keys(value, f"{before}{name}.")
        else:
            yield before + name, value


folder = pathlib.Path(sys.argv[1]).resolve()
config = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8"))

mlflow.set_experiment("matchq")
with mlflow.start_run(run_name=folder.name):
    mlflow.log_params(dict(keys(config)))
    for group, file in [("train", "train.csv"), ("evaluation", "evaluations.csv")]:
        with open(folder / file, newline="") as log:
            for row in csv.DictReader(log):
                step = int(row.pop("step"))
                mlflow.log_metrics({f"{group}/{name}": float(value) for name, value in row.items() if value}, step=step)
    mlflow.log_artifact(folder / "best.safetensors")
