"""The examples for other libraries and the bench beside PyTorch, where these are installed: scripts/check_slow libraries does it."""

import csv
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

# Library, example, arguments for a short run, and the least number of points of its last line.
EXAMPLES = [
    ("torchrl", "torchrl_rollout.py", [], 100),
    ("tianshou", "tianshou_dqn.py", ["1"], 350),
    ("ray.rllib", "rllib_ppo.py", ["1"], -200),
    ("sb3_contrib", "maskable_ppo.py", ["--steps", "6400", "--games", "50"], 400),
    ("torch", "dqn.py", ["--steps", "6464", "--games", "10"], 400),
]


def test_pytorch_computes_the_update_that_the_benches_time():
    pytest.importorskip("torch", reason="torch is not installed")
    # The script compares values, losses and gradients before it times anything.
    short = ["--python", sys.executable, "--shapes", "8x2", "--rounds", "1", "--seconds", "0"]
    ran = subprocess.run([sys.executable, ROOT / "benches" / "pytorch.py", *short], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "| update of 256 boards |" in ran.stdout


@pytest.mark.parametrize("library, example, arguments, least", EXAMPLES)
def test_an_example_runs_with_its_library(library, example, arguments, least, tmp_path):
    pytest.importorskip(library, reason=f"{library} is not installed")
    command = [sys.executable, ROOT / "python" / "examples" / example, *arguments]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    points = re.findall(r"(-?\d+(?:\.\d+)?)(?: ± [\d.]+)?(?: points|$)", ran.stdout.strip().splitlines()[-1])
    assert float(points[0]) >= least, ran.stdout


SHORT = ["training.steps=3200", "evaluation.every=1600", "evaluation.games=10", "logging.every=800"]
# The libraries tell nobody that they run.
QUIET = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "DO_NOT_TRACK": "true", "MLFLOW_DISABLE_TELEMETRY": "true"}


def example(name, folder, *arguments, **variables):
    """What an example prints that runs in a folder."""
    command = [sys.executable, ROOT / "python" / "examples" / name, *map(str, arguments)]
    ran = subprocess.run(command, cwd=folder, env=os.environ | QUIET | variables, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def rows(log):
    with open(log, newline="") as file:
        return list(csv.DictReader(file))


def short_run(program, runs):
    """The folder of a short training, and the rows of its logs."""
    command = [program, "train", "--config", "quick", "--quiet", "--runs", runs, "--name", "short"]
    subprocess.run([*command, *(f"--set={one}" for one in SHORT)], check=True, capture_output=True)
    return runs / "short", {"train": rows(runs / "short/train.csv"), "evaluation": rows(runs / "short/evaluations.csv")}


def test_a_run_is_logged_to_weights_and_biases(program, tmp_path):
    pytest.importorskip("wandb", reason="wandb is not installed")
    folder, logs = short_run(program, tmp_path)
    example("wandb_run.py", tmp_path, folder, WANDB_DATA_DIR=str(tmp_path))
    (written,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    said = written.read_bytes()
    assert b"short" in said and b'"batch":64' in said and b"best.safetensors" in said
    # A metric's value follows its name.
    for group, name in [("train", "score"), ("evaluation", "mean"), ("evaluation", "luck_adjusted")]:
        for row in logs[group]:
            value = repr(float(row[name])).removesuffix(".0")
            assert re.search(rf"{group}/{name}\W{{1,4}}{re.escape(value)}".encode(), said), (name, row)


def test_a_run_is_logged_to_mlflow(program, tmp_path):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    folder, logs = short_run(program, tmp_path)
    example("mlflow_run.py", tmp_path, folder)
    client = mlflow.MlflowClient(f"sqlite:///{tmp_path / 'mlflow.db'}")
    (logged,) = client.search_runs([client.get_experiment_by_name("matchq").experiment_id])
    assert (logged.info.run_name, logged.info.status) == ("short", "FINISHED")
    parameters = {"seed": "1", "game.rules.obstacle_kinds": "2", "learning.expected.future": "played"}
    assert parameters.items() <= logged.data.params.items()
    for group, log in logs.items():
        for name in log[0].keys() - {"step"}:
            history = client.get_metric_history(logged.info.run_id, f"{group}/{name}")
            wanted = [(int(row["step"]), float(row[name])) for row in log if row[name]]
            assert [(one.step, one.value) for one in history] == wanted
    (agent,) = tmp_path.glob("mlruns/**/best.safetensors")
    assert agent.read_bytes() == (folder / "best.safetensors").read_bytes()


def test_optuna_tunes_a_training_and_stops_one_that_falls_behind(program, tmp_path):
    optuna = pytest.importorskip("optuna", reason="optuna is not installed")

    def tune(*arguments):
        return example("optuna_tune.py", tmp_path, *arguments, MATCHQ=str(program)).splitlines()[-1]

    said = tune("--trials", 2, "--steps", 3200)
    runs = tmp_path / "runs" / "optuna"
    study = optuna.load_study(study_name="quick", storage=f"sqlite:///{runs / 'optuna.db'}")
    assert len(study.trials) == 2
    for trial in study.trials:
        evaluations = rows(runs / f"trial-{trial.number}" / "evaluations.csv")
        assert trial.intermediate_values == {int(row["step"]): float(row["luck_adjusted"]) for row in evaluations}
        assert len(evaluations) == 10 and trial.value == float(evaluations[-1]["best"])
        config = (runs / f"trial-{trial.number}" / "config.toml").read_text()
        for name, value in trial.params.items():
            assert f"\n{name} = {value}\n" in config
    best = study.best_trial
    assert said.startswith(f"trial-{best.number} of 2 with ") and said.endswith(f": {best.value:.1f} points")

    # Beside trainings that none reaches the next one is stopped at the first evaluation after a quarter of its steps.
    high = dict.fromkeys(range(0, 16_001, 1_600), 1e6)
    for _ in range(5):
        given = {"params": best.params, "distributions": best.distributions, "intermediate_values": high}
        study.add_trial(optuna.create_trial(value=1e6, **given))
    assert tune("--trials", 1, "--steps", 16_000).endswith(": 1000000.0 points")
    stopped = study.trials[-1]
    assert stopped.state == optuna.trial.TrialState.PRUNED
    assert list(stopped.intermediate_values) == [1_600, 3_200, 4_800]
    # The program saved what it had.
    folder = runs / f"trial-{stopped.number}"
    assert 3 <= len(rows(folder / "evaluations.csv")) < 10 and (folder / "last.ckpt").is_file()
