#!/usr/bin/env python3
"""Kills trainings of every learner at random moments, and compares what they end with.

    python3 scripts/kill_trainings.py [KILLS] [--learners NAME,NAME] [--folder FOLDER] [--seed N] [--program FILE]

A training that is killed KILLS times (20 by default) and resumed each time must end with the checkpoint, the agents and the logs, without
times by the clock, of one that nobody stopped. Trainings are small and save in each step, so that many kills meet a save.
After a third of the kills `matchq eval` plays the agents that lie in the folder.

With `--full MOUNT` instead: the disk at MOUNT, a small file system with nothing else on it, is filled while trainings run.
They must end with exit code 1 and a sentence, and go on where they were once there is room.
"""

import argparse
import csv
import hashlib
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EACH = "evaluation = { every = 2, games = 2, moves = 20, luck = 0 }\ncheckpoint = { every = 1 }\nlogging = { every = 1 }\n"
CONFIGURATIONS = {
    "dqn": """
        learner = "dqn"
        network = { channels = 4, layers = 2, dynamics_waves = 2, dynamics_layers = 2 }
        training = { steps = 800, games = 8, warmup = 32 }
        exploration = { steps = 100 }
        replay = { capacity = 200, prioritised = true }
        learning = { batch = 8, n_step = 2 }
        target = { every = 5 }
        evaluation = { every = 160, games = 2, moves = 20, luck = 2 }
        checkpoint = { every = 8 }
        logging = { every = 40 }
    """,
    "fitted": """
        learner = "fitted"
        training = { sweeps = 60 }
        sampling = { positions = 300, outcomes = 2 }
        learning = { tolerance = 0.0 }
        playing = { outcomes = 2 }
    """
    + EACH,
    "genetic": """
        learner = "evolution"
        game = { name = "tetris" }
        training = { generations = 60 }
        learning = { method = "genetic", features = ["report"] }
        fitness = { games = 4, moves = 200 }
        genetic = { population = 40 }
    """
    + EACH,
    "cma": """
        learner = "evolution"
        game = { name = "tetris" }
        training = { generations = 60 }
        learning = { method = "cma", features = ["report"] }
        fitness = { games = 8, moves = 400 }
    """
    + EACH,
    "imitation": """
        learner = "imitation"
        game = { name = "tetris", rules = { rows = 10 } }
        training = { sweeps = 6 }
        sampling = { positions = 300, games = 20 }
        learning = { expert = "dt-10", features = ["report"] }
    """
    + EACH,
    "lspi": """
        learner = "lspi"
        game = { name = "tetris", rules = { rows = 10 } }
        training = { policies = 12 }
        sampling = { moves = 3000, games = 8 }
        learning = { features = ["report"] }
    """
    + EACH,
}
FILES = ("last.ckpt", "last.safetensors", "best.safetensors")
BY_THE_CLOCK = ("seconds", "steps_per_second", "generations_per_second")


class Training:
    """A training in a folder of its own."""

    def __init__(self, program, folder, name, configuration):
        self.program, self.runs, self.run, self.name = program, folder, folder / name, name
        self.configuration = configuration

    def command(self):
        if (self.run / "last.ckpt").exists():
            return [self.program, "train", "--quiet", "--resume", self.run]
        # Killed before it saved for the first time: there is nothing to resume.
        shutil.rmtree(self.run, ignore_errors=True)
        return [self.program, "train", "--quiet", "--config", self.configuration, "--runs", self.runs, "--name", self.name]

    def start(self):
        return subprocess.Popen([str(part) for part in self.command()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def to_the_end(self):
        training = self.start()
        said, _ = training.communicate()
        if training.returncode:
            sys.exit(f"failed: {self.run} ended with {training.returncode}: {said}")

    def end(self):
        """What the training has made, without what depends on the clock."""
        made = {name: hashlib.sha256((self.run / name).read_bytes()).hexdigest() for name in FILES}
        for log in ("train", "evaluations"):
            with open(self.run / f"{log}.csv", newline="") as file:
                rows = [{key: cell for key, cell in row.items() if key not in BY_THE_CLOCK} for row in csv.DictReader(file)]
            made[log] = rows
        return made

    def plays(self):
        for agent in FILES[1:]:
            if (self.run / agent).exists():
                played = [self.program, "eval", "--checkpoint", self.run / agent, "--games", "1"]
                done = subprocess.run([str(part) for part in played], capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"failed: {self.run / agent} does not play after a kill: {done.stderr}")


def different(one, other):
    return [key for key in one if one[key] != other[key]]


def kills(program, folder, learner, configuration, count, dice):
    straight = Training(program, folder, f"{learner}-straight", configuration)
    begin = time.monotonic()
    straight.to_the_end()
    whole = time.monotonic() - begin
    expected, killed, ended = straight.end(), 0, 0
    while killed < count:
        broken = Training(program, folder, f"{learner}-broken", configuration)
        shutil.rmtree(broken.run, ignore_errors=True)
        here = 0
        while True:
            training = broken.start()
            # A training ends after about four kills.
            try:
                said, _ = training.communicate(timeout=dice.uniform(0, whole / 2))
            except subprocess.TimeoutExpired:
                training.kill()
                training.communicate()
                killed, here = killed + 1, here + 1
                if dice.random() < 0.3:
                    broken.plays()
                continue
            if training.returncode:
                sys.exit(f"failed: {broken.run} cannot be resumed after {here} kills: {said}")
            break
        ended += 1
        if wrong := different(expected, broken.end()):
            sys.exit(f"failed: {broken.run} was killed {here} times and differs from {straight.run} in {', '.join(wrong)}")
    print(f"{learner}: {killed} kills of {ended} trainings of {whole:.2f} s; all ended alike", flush=True)
    shutil.rmtree(straight.run)
    shutil.rmtree(broken.run)


def full(program, mount, learner, configuration, count, dice):
    """Fills the disk at random moments."""
    with tempfile.TemporaryDirectory() as elsewhere:
        straight = Training(program, pathlib.Path(elsewhere), f"{learner}-straight", configuration)
        straight.to_the_end()
        expected = straight.end()
    broken = Training(program, mount, f"{learner}-full", configuration)
    ballast, filled = mount / "ballast", 0
    for _ in range(10 * count):
        if filled >= count:
            break
        shutil.rmtree(broken.run, ignore_errors=True)
        while True:
            training = broken.start()
            time.sleep(dice.uniform(0, 0.4))
            with open(ballast, "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(4096))
                except OSError:
                    pass
            said, _ = training.communicate()
            ballast.unlink()
            if training.returncode == 0:
                break
            filled += 1
            if training.returncode != 1 or "cannot be written" not in said and "No space left" not in said:
                sys.exit(f"failed: {broken.run} on a full disk ended with {training.returncode}: {said}")
            broken.plays()
        if wrong := different(expected, broken.end()):
            sys.exit(f"failed: {broken.run} met a full disk and differs from one that did not in {', '.join(wrong)}")
    if filled < count:
        sys.exit(f"failed: the disk was full {filled} times only")
    print(f"{learner}: {filled} times a full disk; all ended alike", flush=True)
    shutil.rmtree(broken.run, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", nargs="?", type=int, default=20)
    parser.add_argument("--learners", default=",".join(CONFIGURATIONS))
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--full", type=pathlib.Path, metavar="MOUNT")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "target" / "release" / "matchq")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    dice = random.Random(given.seed)
    # What a failure leaves stays, to be looked at.
    folder = pathlib.Path(tempfile.mkdtemp(dir=given.folder))
    for learner in given.learners.split(","):
        configuration = folder / f"{learner}.toml"
        configuration.write_text(CONFIGURATIONS[learner], encoding="utf-8")
        if given.full:
            full(given.program, given.full, learner, configuration, given.kills, dice)
        else:
            kills(given.program, folder, learner, configuration, given.kills, dice)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
