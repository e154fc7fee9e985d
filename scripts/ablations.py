#!/usr/bin/env python3
"""Trains the agent of configs/dqn.toml for ten minutes with each of its switches turned, and writes the table in docs/dqn.md.

Usage: python3 scripts/ablations.py [--minutes M] [--games N]

Two trainings run side by side, each on one thread, all from the same seed and at a constant learning rate, since how far
they come is not known beforehand. When its time is over a training stops, and what it has learned plays games whose seeds
follow those of its own evaluations. Needs cargo and Python 3, and two cores with nothing else to do.
"""

import argparse
import concurrent.futures
import csv
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess

from results import commit, machine, write

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = ROOT / "target" / "ablations"
CONFIG = "configs/dqn.toml"

# What all trainings have in common: only the time ends them, and they do nothing but learn.
COMMON = {
    "learning.schedule": "constant",
    "learning.learning_rate": "5e-3",
    "learning.bootstrap_from": "1",
    "training.steps": "1_000_000_000",
    "evaluation.every": "1_000_000_000",
    "checkpoint.every": "1_000_000_000",
}
# What each of them has of its own.
SWITCHES = [
    ("nothing changed", {}),
    (
        "`network.dynamics_waves = 0` (no dynamics model)",
        {"network.dynamics_waves": "0", "learning.candidates": "0"},
    ),
    ('`learning.optimizer = "adam"`, rate 1e-3', {"learning.optimizer": "adam", "learning.learning_rate": "1e-3"}),
    (
        "`network.share_colours = false`, 32 channels (as many operations)",
        {"network.share_colours": "false", "network.channels": "32"},
    ),
    ("`learning.lookahead = 0` (rewards alone)", {"learning.lookahead": "0"}),
    (
        "`learning.simulations = 0`: sampled transitions, with next states' values, no lookahead, 256 in a batch",
        {
            "learning.simulations": "0",
            "learning.actions": "0",
            "learning.lookahead": "0",
            "learning.bootstrap_from": "0",
            "learning.batch": "256",
        },
    ),
    ("`learning.bootstrap_from = 0` (next states' values from the start)", {"learning.bootstrap_from": "0"}),
    ('`game.mask = "effective"`', {"game.mask": "effective"}),
]
FIRST_SEED = 2_000_000
# The section of docs/dqn.md that is written.
HEADING = "## What the switches are worth\n"


def main():
    parser = argparse.ArgumentParser(description="Trains with each switch turned and writes the table in docs/dqn.md.")
    parser.add_argument("--minutes", type=float, default=10, help="of each training (10)")
    parser.add_argument("--games", type=int, default=1_000, help="that each trained agent plays (1,000)")
    arguments = parser.parse_args()

    subprocess.run(["cargo", "build", "--release", "--locked", "--bin", "matchq"], cwd=ROOT, check=True)
    shutil.rmtree(RUNS, ignore_errors=True)
    RUNS.mkdir(parents=True)
    # The program of one moment, whatever is built meanwhile.
    program = shutil.copy(ROOT / "target" / "release" / "matchq", RUNS)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda number: row(program, number, arguments), range(len(SWITCHES))))

    text = section(rows, arguments)
    print(text)
    if arguments.minutes == 10 and arguments.games == 1_000:
        path = ROOT / "docs" / "dqn.md"
        before, _, rest = path.read_text(encoding="utf-8").partition(HEADING)
        _, next_heading, after = rest.partition("\n## ")
        write(path, before + text + next_heading + after)


def row(program, number, arguments):
    """Trains with a switch turned; gives what becomes a row of the table."""
    name, settings = SWITCHES[number]
    settings = {**COMMON, **settings}
    command = [program, "train", "--quiet", f"--config={CONFIG}", f"--runs={RUNS}", f"--name={number}"]
    command += [f"--set={key}={value}" for key, value in settings.items()]
    one_thread = {**os.environ, "RAYON_NUM_THREADS": "1"}
    training = subprocess.Popen(command, cwd=ROOT, env=one_thread)
    try:
        training.wait(60 * arguments.minutes)
    except subprocess.TimeoutExpired:
        training.send_signal(signal.SIGINT)
    if training.wait() != 0:
        raise SystemExit(f"the training with {name} failed")
    print(f"{name}: trained", flush=True)

    report = RUNS / f"{number}.json"
    compare = [program, "compare", f"--players=network:checkpoint={RUNS / str(number) / 'last.safetensors'}"]
    compare += [f"--games={arguments.games}", f"--seed={FIRST_SEED}", f"--json={report}"]
    subprocess.run(compare, cwd=ROOT, env=one_thread, check=True, stdout=subprocess.DEVNULL)
    (player,) = json.loads(report.read_text())["players"]
    with open(RUNS / str(number) / "train.csv", newline="") as log:
        last = list(csv.DictReader(log))[-1]
    return name, int(last["updates"]), player["mean"], player["half_width"]


def section(rows, arguments):
    """The section of docs/dqn.md."""
    first = rows[0][2]
    lines = [
        HEADING,
        f"[configs/dqn.toml](../{CONFIG}) with one thing changed at a time: one training each of {arguments.minutes:g} minutes on "
        "one core, two side by side, from the same seed, at a constant learning rate of 5e-3 and, unless a row says otherwise, "
        f"without next states' values. Then {arguments.games:,} games from seed {FIRST_SEED:,} on. The 95 % intervals are of "
        "the games, not of the luck of a training.",
        "",
        f"Trained on {machine()}, {datetime.date.today()}, with {commit()}, by",
        "",
        "    python3 scripts/ablations.py",
        "",
        "| | updates | score | difference |",
        "|---|---:|---:|---:|",
    ]
    for name, updates, mean, half_width in rows:
        difference = f"{mean - first:+.0f}" if name != rows[0][0] else ""
        lines.append(f"| {name} | {updates:,} | {mean:.1f} ± {half_width:.1f} | {difference} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
