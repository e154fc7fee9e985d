"""Parts of eval, compare and endure on a Ray cluster: ``matchq shard`` on the workers, then ``matchq merge`` here."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matchq._tools import Failure
from matchq.cluster import _files
from matchq.cluster._pool import Failed, Outcome, Pool, Progress, Task

# A part's file: command, key of the whole job, index, number of parts.
NAME = re.compile(r"(eval|compare|endure|generation)-([0-9a-f]+)-(\d+)-of-(\d+)\.shard")

# Folder of the parts' files on a worker.
BACK = "parts"

# Seconds that a part should take: a part costs a start and a transfer, and a lost one is done again.
AIM = 20.0

# Seconds of a part below which more parts than cores are no gain.
LEAST = 2.0

# Seconds of a measurement that is long enough.
MEASURED = 1.0


def run(arguments: argparse.Namespace) -> int:
    """Runs a command in parts and prints its report."""
    out, command, flags = Path(arguments.out), arguments.command, arguments.flags
    check_flags(flags)
    check_outputs(arguments)
    _files.program()
    files = _files.needed(flags)
    _files.make_folder("--out", out)
    folder = Folder(out, command)
    of = folder.of(arguments.shards)
    with Pool(arguments.address, arguments.threads_per_task, arguments.tries) as pool:
        shared = pool.share(files)
        if of is None:
            of = measured(pool, command, flags, shared)
        failures = gather(pool, folder, of, [command, *flags], shared)
    Failed.check(failures, f"of {of} parts from part 0 on; the others' files are in {out}: the same command goes on")
    return _files.call("merge", str(out), *outputs(arguments))


def outputs(arguments: argparse.Namespace) -> list[str]:
    """The flags that say what the merge writes, with their files."""
    given = {f"--{name}": getattr(arguments, name) for name in ("json", "moves", "plot")}
    return [text for flag, file in given.items() if file for text in (flag, file)]


def check_flags(flags: Sequence[str]) -> None:
    """Refuses what another flag is for."""
    for flag, right in [("--threads", "--threads-per-task"), ("--index", "no index"), ("--of", "--shards")]:
        if any(text == flag or text.startswith(f"{flag}=") for text in flags):
            raise Failure(f"{flag}: each part gets it from this program: give {right}")


def check_outputs(arguments: argparse.Namespace) -> None:
    """Refuses before the work what the merge would refuse after it."""
    given = outputs(arguments)
    for flag, path in zip(given[::2], given[1::2]):
        if path != "-" and not Path(path).absolute().parent.is_dir():
            raise Failure(f"{flag} {path}: there is no folder {Path(path).parent}")
    if arguments.plot and not arguments.plot.endswith(".svg"):
        raise Failure(f"--plot {arguments.plot}: it must end in .svg")


class Folder:
    """The folder of the parts' files, which are of one command."""

    def __init__(self, path: Path, command: str) -> None:
        self.path, self.command = path, command
        self.files: dict[int, Path] = {}
        # Of the name what all parts share: command, key, number of parts.
        self.job: tuple[str, str, str] | None = None
        for file in sorted(path.glob("*.shard")):
            self._take(file)

    def _take(self, file: Path) -> None:
        parts = NAME.fullmatch(file.name)
        if parts is None:
            raise Failure(f"{file}: this is no name of a part: remove the file, or name another folder by --out")
        name, key, index, of = parts.groups()
        known = self.job or (self.command, key, of)
        if (name, key, of) != known:
            there = next(iter(self.files.values()), file)
            raise Failure(
                f"--out {self.path}: {there.name} is no part of this command, but of one with another name, other "
                "players, rules or seeds, another version of the program or, of a network, another processor's "
                "instructions: name another folder"
            )
        self.job = known
        self.files[int(index)] = file

    def of(self, given: int | None) -> int | None:
        """The number of parts: that of the files that are there, else the given one."""
        if self.job is None:
            return given
        there = int(self.job[2])
        if given not in (None, there):
            raise Failure(f"--shards {given}: {self.path} holds files of {there} parts: give that number, or none")
        return there

    def write(self, outcome: Outcome) -> None:
        """Writes a task's file, unless it is of another command than those that are there."""
        for name, content in sorted(outcome.files.items()):
            file = self.path / name
            self._take(file)
            _files.write_aside(file, content)

    def own(self, index: int) -> Mapping[str, bytes]:
        """The file of a part that is there, for a worker."""
        file = self.files[index]
        return {f"{BACK}/{file.name}": file.read_bytes()}


def part(pool: Pool, index: int, of: int, command: Sequence[str], own: Mapping[str, bytes]) -> Task:
    """The task of a part."""
    where = ["--index", str(index), "--of", str(of), "--out", BACK, "--threads", str(pool.threads)]
    name, *flags = command
    return Task(f"part {index}", ["shard", name, *flags, *where], BACK, own)


def gather(
    pool: Pool, folder: Folder, of: int, command: Sequence[str], shared: Any, quiet: bool = False
) -> list[Failed]:
    """Lets the workers make the parts whose files are missing, and returns the failures."""

    def keep(task: Task, outcome: Outcome) -> None:
        folder.write(outcome)
        progress.done += 1

    # The program itself tells whether files that are there are of this command: it leaves its own as it is.
    asked = min(folder.files, key=lambda index: folder.files[index].stat().st_size) if folder.files else None
    progress = Progress("parts", len(folder.files), of)
    if asked is not None:
        progress.done -= 1
        first = part(pool, asked, of, command, folder.own(asked))
        failures = pool.run([first], keep, shared, progress, quiet)
        if failures:
            return failures
    missing = [index for index in range(of) if index not in folder.files]
    try:
        tasks = (part(pool, index, of, command, {}) for index in missing)
        return pool.run(tasks, keep, shared, progress, quiet)
    finally:
        progress.clear()


def measured(pool: Pool, command: str, flags: Sequence[str], shared: Any) -> int:
    """A number of parts that take about ``AIM`` seconds each, by the time of a small one."""
    count = (
        _files.value_of(flags, "--sequences", 64) if command == "endure" else _files.value_of(flags, "--games", 1000)
    )
    count = max(1, count)
    games = 1
    while True:
        of = count // games
        where = ["--index", "0", "--of", str(of), "--out", BACK, "--threads", str(pool.threads)]
        seconds = pool.one(Task("a first small part", ["shard", command, *flags, *where], BACK), shared).seconds
        if seconds >= MEASURED or games * 8 > count:
            return parts_for(seconds * of, count, pool.slots())
        games *= 8


def parts_for(seconds: float, count: int, slots: int) -> int:
    """A number of parts for work that takes so long in one: as many as the games or sequences at the most."""
    by_time, by_cores = seconds / AIM, min(slots, seconds / LEAST)
    return max(1, min(count, round(max(by_time, by_cores))))
