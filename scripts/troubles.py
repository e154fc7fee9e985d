#!/usr/bin/env python3
"""Trainings that share a folder, lose it, may not write to it, and whose clock jumps.

    python3 scripts/troubles.py [--program FILE]

A second training in a folder is refused. A training whose folder vanishes, or is read-only, ends with exit code 1 and a sentence, and goes
on once the folder is there again. Jumps of the clock change nothing that a training makes.
A folder that is read-only needs the right to mount, jumps need libfaketime; what is missing is said.
"""

import argparse
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import kill_trainings

LEARNERS = ("dqn", "genetic", "lspi")


def ends_well(training, what, code, *words):
    said, _ = training.communicate(timeout=60)
    if training.returncode != code or not all(word in said for word in ("error: ", *words)):
        sys.exit(f"failed: {what} ended with {training.returncode}: {said}")


def saved(training):
    """A training that has saved for the first time, and waits."""
    begun = training.start()
    begin = time.monotonic()
    while not (training.run / "last.ckpt").exists():
        if time.monotonic() > begin + 60:
            sys.exit(f"failed: {training.run} saved nothing in a minute")
        time.sleep(0.001)
    begun.send_signal(signal.SIGSTOP)
    return begun


def shares(training):
    first = saved(training)
    ends_well(training.start(), "a second training in a folder", 2, "another process trains in this folder")
    first.kill()
    first.communicate()


def vanishes(training, expected):
    first = saved(training)
    aside = training.runs / "aside"
    training.run.rename(aside)
    first.send_signal(signal.SIGCONT)
    ends_well(first, "a training without its folder", 1, str(training.run))
    shutil.rmtree(training.run, ignore_errors=True)
    aside.rename(training.run)
    goes_on(training, expected)


def is_read_only(training, expected):
    first = saved(training)
    first.kill()
    first.communicate()
    if subprocess.run(["mount", "--bind", training.runs, training.runs], capture_output=True).returncode:
        print("no folder can be mounted: run this as root")
        return
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", training.runs], check=True)
        ends_well(training.start(), "a training in a folder that is read-only", 1, "cannot be made", "Read-only")
    finally:
        subprocess.run(["umount", training.runs], check=True)
    goes_on(training, expected)


def goes_on(training, expected):
    training.to_the_end()
    if wrong := kill_trainings.different(expected, training.end()):
        sys.exit(f"failed: {training.run} differs in {', '.join(wrong)}")


def jumps(training, expected, library):
    file = training.runs / "clock"
    over = threading.Event()

    def jump():
        while not over.is_set():
            for days in ("-400d", "+900d"):
                aside = file.with_suffix(".new")
                aside.write_text(days)
                aside.rename(file)
                time.sleep(0.1)

    file.write_text("+0")
    jumper = threading.Thread(target=jump, daemon=True)
    jumper.start()
    fake = {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    command = [str(part) for part in training.command()]
    done = subprocess.run(command, env={**os.environ, **fake}, capture_output=True, text=True)
    over.set()
    jumper.join()
    today = subprocess.run(["date", "+%s"], env={**os.environ, **fake}, capture_output=True, text=True).stdout
    if abs(int(today) - time.time()) < 86_400:
        sys.exit("failed: libfaketime changes no clock here")
    if done.returncode:
        sys.exit(f"failed: a training whose clock jumps ended with {done.returncode}: {done.stderr}")
    goes_on(training, expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=kill_trainings.ROOT / "target" / "release" / "matchq")
    given = parser.parse_args()
    library = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
    if library is None:
        print("no clock can jump: libfaketime is missing")
    for learner in LEARNERS:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            configuration = folder / f"{learner}.toml"
            configuration.write_text(kill_trainings.CONFIGURATIONS[learner], encoding="utf-8")

            def training(name):
                (folder / name).mkdir()
                return kill_trainings.Training(given.program, folder / name, "run", configuration)

            straight = training("straight")
            straight.to_the_end()
            expected = straight.end()
            shares(training("shared"))
            vanishes(training("vanished"), expected)
            is_read_only(training("read-only"), expected)
            if library:
                jumps(training("jumping"), expected, library)
        print(f"{learner}: all troubles ended well", flush=True)


if __name__ == "__main__":
    main()
