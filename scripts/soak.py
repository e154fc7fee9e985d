#!/usr/bin/env python3
"""Lets every learner train, and environments step, for a long time, and watches memory, open files and speed.

    python3 scripts/soak.py MINUTES [--only NAME,NAME] [--program FILE]

Each learner of scripts/kill_trainings.py but `fitted`, which comes to rest, trains for so many minutes, in a run without an end that
saves, logs and evaluates often. With `environments` the vector environment of the Python package, which must be installed, makes random steps for so long.
A line for each says its memory after a quarter of the time and at the end, its open files, and its steps in the second and in
the last quarter. Memory that grew by more than 8 MiB, or files that stayed open, end the script with exit code 1.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import kill_trainings

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROWTH = 8 << 20
# Files that a save has open for a moment, which a look may meet or miss.
AT_ONCE = 4
# Games of a generation of CMA-ES where it is killed.
FITNESS = "games = 8, moves = 400"
ENVIRONMENTS = "environments"
STEP = """
import numpy as np, matchq.envs
envs = matchq.envs.Match3VectorEnv(4096, copy=False)
observation, info = envs.reset(seed=1)
rng, steps = np.random.default_rng(0), 0
while True:
    for _ in range(20):
        envs.step(rng.integers(0, 142, 4096))
        steps += 4096
    print(steps, flush=True)
"""


def learners():
    """Configurations by name, from the script that kills them."""
    # Fitted value iteration comes to rest within seconds.
    return {name: text for name, text in kill_trainings.CONFIGURATIONS.items() if name != "fitted"}


def without_an_end(configuration):
    """A configuration whose training does not end by itself."""
    endless = re.sub(r"(steps|sweeps|generations|policies) = \d+", r"\1 = 1000000000", configuration, count=1)
    # What would come to rest goes on. CMA-ES gets dearer generations: after thousands its axes differ so much in length that it ends.
    if 'method = "cma"' in endless:
        assert FITNESS in endless
        return endless.replace(FITNESS, "games = 8000, moves = 400") + "cma = { tolerance = 1e-300, divergence = 1e300 }\n"
    return endless.replace("genetic = { ", "genetic = { patience = 1000000000, ")


def look(process):
    """Bytes in memory, and open files."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    memory = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) << 10
    return memory, len(list(pathlib.Path(f"/proc/{process.pid}/fd").iterdir()))


def watch(name, process, steps, minutes):
    """Looks at a process four times a second; whether all is well."""
    seen, begin = [], time.monotonic()
    while (now := time.monotonic() - begin) < 60 * minutes:
        if process.poll() is not None:
            print(f"{name}: ended by itself with {process.returncode}", flush=True)
            return False
        seen.append((now, *look(process), steps()))
        time.sleep(0.25)
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        # What began in the background may ignore the signal.
        process.kill()
    quarters = [seen[len(seen) * part // 4 : len(seen) * (part + 1) // 4] for part in range(4)]
    # The most of a quarter: what is read for a moment is no leak.
    memory = [max(memory for _, memory, _, _ in quarter) for quarter in quarters]
    files = [max(files for _, _, files, _ in quarter) for quarter in quarters]
    speed = [(quarter[-1][3] - quarter[0][3]) / (quarter[-1][0] - quarter[0][0]) for quarter in quarters]
    print(
        f"{name}: {memory[0] / 2**20:.1f} MiB in the first quarter, {memory[3] / 2**20:.1f} in the last; {files[0]} and {files[3]} open files; "
        f"{speed[1]:,.4g} and {speed[3]:,.4g} steps a second; {seen[-1][3]:,} steps",
        flush=True,
    )
    return memory[3] <= memory[0] + GROWTH and files[3] <= files[0] + AT_ONCE


def trains(name, configuration, program, minutes):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "soak.toml").write_text(without_an_end(configuration), encoding="utf-8")
        command = [program, "train", "--quiet", "--config", folder / "soak.toml", "--runs", folder, "--name", "soak"]
        with subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL) as process:

            def steps():
                try:
                    with open(folder / "soak" / "train.csv", "rb") as log:
                        log.seek(max(0, log.seek(0, 2) - 500))
                        return int(log.read().decode().rsplit("\n", 2)[-2].split(",")[0])
                except (OSError, ValueError, IndexError):
                    return 0

            return watch(name, process, steps, minutes)


def environments(minutes):
    with subprocess.Popen([sys.executable, "-c", STEP], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        os.set_blocking(process.stdout.fileno(), False)
        last = [0]

        def steps():
            try:
                lines = os.read(process.stdout.fileno(), 1 << 20).split()
            except BlockingIOError:
                lines = []
            last[:] = [int(lines[-1])] if lines else last
            return last[0]

        return watch(ENVIRONMENTS, process, steps, minutes)


def main():
    known = learners()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--only", default=",".join([*known, ENVIRONMENTS]))
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "target" / "release" / "matchq")
    given = parser.parse_args()
    well = [
        environments(given.minutes) if name == ENVIRONMENTS else trains(name, known[name], given.program, given.minutes)
        for name in given.only.split(",")
    ]
    sys.exit(0 if all(well) else 1)


main()
