"""Optuna looks for quick's best learning rate and number of channels; it stops trainings that fall behind.

    pip install optuna ./python
    python python/examples/optuna_tune.py --trials 20

A training writes the scores of its evaluations into evaluations.csv; one whose scores stay below the median of the
earlier trainings at that step is stopped. The trials lie in runs/optuna: the same command adds further ones.
"""

import argparse
import csv
import pathlib
import subprocess
import sys
import time

import optuna

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--trials", type=int, default=20, help="trainings [default: 20]")
parser.add_argument("--steps", type=int, default=64_000, help="moves of each training [default: 64000]")
arguments = parser.parse_args()
folder = pathlib.Path("runs", "optuna")


def train(trial):
    """The best score of a training, unless it is stopped early."""
    name, seen, running = f"trial-{trial.number}", 0, True
    settings = {
        "learning.learning_rate": trial.suggest_float("learning_rate", 1e-3, 5e-2, log=True),
        "network.channels": trial.suggest_int("channels", 8, 40, step=8),
        "training.steps": arguments.steps,
        "evaluation.every": arguments.steps // 10,
    }
    command = [sys.executable, "-m", "matchq", "train", "--config", "quick", "--quiet"]
    command += ["--runs", folder, "--name", name, *(f"--set={key}={value}" for key, value in settings.items())]
    with subprocess.Popen(command) as training:
        while running:
            time.sleep(0.5)
            running = training.poll() is None
            log = folder / name / "evaluations.csv"
            text = log.read_text() if log.is_file() else ""
            # A row that is being written lacks its last column.
            rows = [row for row in csv.DictReader(text.splitlines()) if row["cut"]]
            for row in rows[seen:]:
                trial.report(float(row["luck_adjusted"]), int(row["step"]))
                if trial.should_prune():
                    training.terminate()
                    raise optuna.TrialPruned
            seen = len(rows)
    if training.returncode != 0:
        raise subprocess.CalledProcessError(training.returncode, command)
    return float(rows[-1]["best"])


folder.mkdir(parents=True, exist_ok=True)
pruner = optuna.pruners.MedianPruner(n_warmup_steps=arguments.steps // 4)
study = optuna.create_study(
    study_name="quick",
    storage=f"sqlite:///{folder / 'optuna.db'}",
    direction="maximize",
    pruner=pruner,
    load_if_exists=True,
)
study.optimize(train, n_trials=arguments.trials)
print(f"trial-{study.best_trial.number} of {len(study.trials)} with {study.best_params}: {study.best_value:.1f} points")
