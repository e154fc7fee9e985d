"""A training by evolution on a Ray cluster: the workers evaluate each generation's candidates."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matchq._tools import Failure
from matchq.cluster import _files
from matchq.cluster._pool import Failed, Pool, say
from matchq.cluster._series import Folder, gather

# What the program says when a generation has fewer candidates than parts.
FEWER = re.compile(r"there are only (\d+) parts of this work")

# Folder of a generation's parts in that of the run.
PARTS = "parts"

# The run's folder on a worker.
RUN = "run"

CHECKPOINT = "last.ckpt"


def run(arguments: argparse.Namespace) -> int:
    """Trains to the end."""
    if (arguments.config is None) == (arguments.resume is None):
        raise Failure("evolve: give either a configuration or --resume RUN")
    if arguments.resume is None:
        if arguments.out is None:
            raise Failure("--out: a new run needs a folder, such as runs/mine")
        folder = Path(arguments.out)
        begin(folder, arguments)
    else:
        if arguments.out is not None or arguments.set:
            raise Failure(f"{'--out' if arguments.out else '--set'}: a run that is resumed keeps folder and settings")
        given = Path(arguments.resume)
        folder = given if (given / CHECKPOINT).is_file() else Path("runs", given)
        if not (folder / CHECKPOINT).is_file():
            raise Failure(f"--resume {given}: neither this folder nor {folder} holds a {CHECKPOINT}")
        _files.program()
    parts = folder / PARTS
    with Pool(arguments.address, arguments.threads_per_task, arguments.tries) as pool:
        of = arguments.shards or pool.slots()
        while True:
            # Parts of a generation that was stopped may be of an earlier one.
            shutil.rmtree(parts, ignore_errors=True)
            _files.make_folder("--out", parts)
            of = generation(pool, folder, of)
            merged = subprocess.run(
                [_files.program(), "merge", str(parts), "--into", str(folder)],
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
            )
            if merged.returncode != 0:
                raise Failure(merged.stderr.strip().removeprefix("error: "), merged.returncode)
            if merged.stdout.strip().endswith("the run is finished"):
                break
            if sys.stderr and sys.stderr.isatty():
                print(f"\r\033[K{merged.stdout.strip()}", end="", file=sys.stderr, flush=True)
    if sys.stderr and sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    shutil.rmtree(parts, ignore_errors=True)
    # A finished run is drawn, and its end printed.
    return _files.call("train", "--resume", str(folder), "--quiet")


def generation(pool: Pool, folder: Path, of: int) -> int:
    """Lets the workers evaluate a generation, in so many parts at the most, and returns their number."""
    shared = pool.share({f"{RUN}/{CHECKPOINT}": (folder / CHECKPOINT).read_bytes()})
    while True:
        here = Folder(folder / PARTS, "generation")
        failures = gather(pool, here, of, ["generation", "--run", RUN], shared, quiet=True)
        fewer = [FEWER.search(str(failure)) for failure in failures]
        known = [int(found[1]) for found in fewer if found]
        if not known:
            for failure in failures:
                say(f"error: {failure}")
            Failed.check(failures, f"of {of} parts from part 0 on; go on by --resume {folder}")
            return of
        of = min(known)


def begin(folder: Path, arguments: argparse.Namespace) -> None:
    """Makes a new run, whose first generation is the workers'."""
    sets: Sequence[str] = [f"--set={text}" for text in arguments.set]
    where = ["--name", folder.name, "--runs", str(folder.parent), "--quiet"]
    command = [_files.program(), "train", "--config", arguments.config, *sets, *where]
    if folder.exists():
        raise Failure(f"--out {folder}: it exists already: go on with that run by --resume {folder}, or name another")
    process: subprocess.Popen[Any] = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        # The program saves a new run before it trains, and is ended there.
        while process.poll() is None and not (folder / CHECKPOINT).is_file():
            time.sleep(0.01)
    finally:
        process.kill()
        text = process.communicate()[1].decode(errors="replace").strip()
    if not (folder / CHECKPOINT).is_file():
        code = 2 if process.returncode == 2 else 1
        raise Failure(text.removeprefix("error: ") or "the program could not begin the run", code)
