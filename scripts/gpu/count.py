#!/usr/bin/env python3
"""What a training asks of a GPU, and how fast it goes.

    python3 scripts/gpu/count.py count CONFIG... [--program FILE]
    python3 scripts/gpu/count.py time CONFIG... [--program FILE] [--seconds N]

`count` needs no GPU: Mesa's software driver (mesa-vulkan-drivers) will do, beside a C compiler and Vulkan's headers (libvulkan-dev).
It trains for a few rounds and for a few more, under a Vulkan layer that counts kernel launches, submissions, bytes, and reads,
for each of which the program waits; the difference is that of a round. The numbers are those of a training's first
rounds, before the target network is copied; they do not depend on the machine.

`time` trains for N seconds on the GPU and on the processor beside it, prints the steps a second of the second half, and lets both play
the same 64 games. The program is to be built with both:

    cargo build --release --no-default-features --features flex,wgpu
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LAYER = {
    "file_format_version": "1.2.0",
    "layer": {
        "name": "VK_LAYER_MATCHQ_count",
        "type": "GLOBAL",
        "library_path": "./libcount.so",
        "api_version": "1.3.0",
        "implementation_version": "1",
        "description": "Counts kernel launches, bytes and reads",
    },
}
# No evaluations in between: their games are not the training's.
QUIET = ["evaluation.games=1", "evaluation.luck=0", "evaluation.every=1000000000", "checkpoint.every=1000000000"]


def train(program, device, config, runs, settings, environment=None, seconds=None):
    """Trains in a new folder, whose path it gives."""
    folder = tempfile.mkdtemp(dir=runs)
    command = [program, "train", "--quiet", f"--config={config}", f"--device={device}", f"--runs={folder}", "--name=run"]
    command += [f"--set={setting}" for setting in QUIET + settings]
    try:
        done = subprocess.run(command, env=os.environ | (environment or {}), capture_output=True, text=True, timeout=seconds)
        if done.returncode:
            sys.exit(f"count.py: {' '.join(command)}: {done.stderr.strip()}")
    except subprocess.TimeoutExpired:
        pass
    return pathlib.Path(folder) / "run"


def games_of(program, config, runs, settings):
    """Games of a round: the configuration with its defaults stands in the run's folder."""
    run = train(program, "flex", config, runs, settings + ["training.steps=100000", "training.updates=0", "training.warmup=100000"])
    text = (run / "config.toml").read_text()
    training = text[text.index("[training]") :]
    return int(next(line for line in training.splitlines() if line.startswith("games")).split("=")[1].replace("_", ""))


def count(program, device, config, runs, settings, few, more):
    """Prints the numbers of one round after the warm-up."""
    subprocess.run(["cc", "-O2", "-fno-strict-aliasing", "-shared", "-fPIC", "-o", f"{runs}/libcount.so", HERE / "count.c"], check=True)
    pathlib.Path(runs, "count.json").write_text(json.dumps(LAYER))
    games = games_of(program, config, runs, settings)
    found = []
    for rounds in (few, more):
        counts = pathlib.Path(runs, "counts.txt")
        layer = {"VK_LAYER_PATH": runs, "VK_INSTANCE_LAYERS": LAYER["layer"]["name"], "MATCHQ_GPU_COUNTS": str(counts)}
        # The program learns in each round; a row of the log stands at the end.
        steps = [f"training.warmup={games}", "exploration.steps=1", f"training.steps={rounds * games}", "logging.every=1000000000"]
        train(program, device, config, runs, settings + steps, layer)
        if not counts.exists():
            sys.exit("count.py: nothing was counted: the Vulkan loader did not load the layer")
        found.append(json.loads(counts.read_text()))
    per_round = {key: (found[1][key] - found[0][key]) / (more - few) for key in found[0]}
    print(f"{config} {' '.join(settings)}: a round of {games} games")
    for key, number in per_round.items():
        print(f"  {key.replace('_', ' '):12} {number:12,.1f}")


def rate(run):
    """Steps a second in the second half of a run's log."""
    rows = list(csv.DictReader(open(run / "train.csv")))
    rows = [row for row in rows if row["updates"] and float(row["updates"]) > 0]
    if len(rows) < 3:
        return None
    first, last = rows[len(rows) // 2], rows[-1]
    return (float(last["step"]) - float(first["step"])) / (float(last["seconds"]) - float(first["seconds"]))


def time_both(program, device, config, runs, settings, seconds):
    """Prints the steps a second on the GPU and on the processor, and whether both play alike."""
    for where in (device, "flex"):
        run = train(program, where, config, runs, settings + ["checkpoint.every=20000"], seconds=seconds)
        found = rate(run)
        print(f"{config} on {where}: {found:,.0f} steps/s" if found else f"{config} on {where}: too slow for {seconds} s", flush=True)
    moves = []
    for where in (device, "flex"):
        games = pathlib.Path(runs, f"{where}.jsonl")
        command = [program, "eval", f"--device={where}", f"--checkpoint={run / 'last.safetensors'}", "--games=64", f"--moves={games}"]
        subprocess.run(command, check=True, capture_output=True)
        moves.append([json.loads(line)["moves"] for line in games.read_text().splitlines()])
    print(f"  the same moves in {sum(one == other for one, other in zip(*moves))} of 64 games", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["count", "time"])
    parser.add_argument("configs", nargs="+", metavar="CONFIG")
    parser.add_argument("--program", default="target/release/matchq")
    parser.add_argument("--device", default="wgpu")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, nargs=2, default=[4, 12], metavar="N", help="of the two trainings that are counted")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="KEY=VALUE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as runs:
        for config in given.configs:
            if given.what == "count":
                count(given.program, given.device, config, runs, given.settings, *given.rounds)
            else:
                time_both(given.program, given.device, config, runs, given.settings, given.seconds)


if __name__ == "__main__":
    main()
