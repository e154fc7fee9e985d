"""Seeds and settings of a training on a Ray cluster: each is a whole training, in slices."""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matchq._tools import Failure
from matchq.cluster import _files, _worker
from matchq.cluster._pool import Failed, Outcome, Pool, Progress, Task

# What the program prints at the end of a slice.
ENDING = re.compile("^(finished|stopped) after ", re.MULTILINE)

# The file that tells what a sweep's folder is for.
PLAN = "plan.json"

# Quantile 0.975 of Student's t with 1, 2, ... degrees of freedom.
STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]
STUDENT += [2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


class Training(NamedTuple):
    """A training of a sweep: its place in the grid and its seed."""

    point: tuple[str, ...]
    seed: int

    @property
    def name(self) -> str:
        """The name of the training's run."""
        parts = [re.sub(r"[^A-Za-z0-9._=-]+", "_", text) for text in self.point]
        return "-".join([*parts, f"seed-{self.seed}"])


def run(arguments: argparse.Namespace) -> int:
    """Trains all seeds at all places of the grid, draws them and prints their last evaluations."""
    out = Path(arguments.out)
    trainings = [Training(point, seed) for point in points(arguments.grid) for seed in range(1, arguments.seeds + 1)]
    if len({training.name for training in trainings}) < len(trainings):
        raise Failure("--grid: two places of it would have the same folder: give each value once")
    _files.program()
    config, files = config_of(arguments.config, [*arguments.set, *arguments.grid])
    _files.make_folder("--out", out)
    plan = Plan(out, config, files, arguments)
    for training in trainings:
        _files.recover(out / training.name)
    left = [training for training in trainings if training.name not in plan.finished]
    progress = Progress("trainings", len(trainings) - len(left), len(trainings))
    failures: list[Failed] = []
    if left:
        with Pool(arguments.address, arguments.threads_per_task, arguments.tries) as pool:
            by_name = {training.name: training for training in left}

            lengths = {training.name: arguments.slice for training in left}

            def slice_of(training: Training) -> Task:
                return slice_task(out, training, config, arguments, lengths[training.name])

            def keep(task: Task, outcome: Outcome) -> Task | None:
                training = by_name[task.name]
                ending = ENDING.search(outcome.text)
                if not ending:
                    raise Failure(f"{task.name}: the program says neither stopped nor finished: {outcome.text}", 1)
                before = out / task.name / "last.ckpt"
                if before.is_file() and before.read_bytes() == outcome.files.get("last.ckpt"):
                    # An evaluation that takes longer than a slice begins again in the next.
                    lengths[task.name] *= 2
                _files.replace_folder(out / task.name, outcome.files)
                if ending[1] == "stopped":
                    return slice_of(training)
                plan.finish(task.name)
                progress.done += 1
                return None

            try:
                failures = pool.run([slice_of(each) for each in left], keep, pool.share(files), progress)
            finally:
                progress.clear()
    Failed.check(failures, f"the same command goes on with what is in {out}")
    return report(out, trainings)


def points(grid: Sequence[str]) -> list[tuple[str, ...]]:
    """The places of a grid, each as texts KEY=VALUE."""
    axes = []
    for text in grid:
        key, _, listed = text.partition("=")
        # A list such as ['dt', 'shapes'] is one value.
        values = re.split(r",(?![^\[]*\])", listed)
        if not (key and all(values)):
            raise Failure(f"--grid {text}: it must be KEY=VALUE,VALUE,..., such as learning.discount=0.8,0.9")
        axes.append([f"{key}={value}" for value in values])
    return list(itertools.product(*axes))


def config_of(given: str, settings: Sequence[str]) -> tuple[str, dict[str, bytes]]:
    """What ``--config`` is on a worker, and the files that it needs there."""
    texts = [text.partition("=")[2] for text in settings]
    try:
        content = Path(given).read_bytes() if Path(given).is_file() else None
    except OSError as error:
        raise Failure(f"{given} cannot be read: {error.strerror}") from error
    if content is None:
        return given, _files.needed(texts)
    # Agents that a configuration begins with.
    texts += re.findall(r"[\"']([^\"'\n]+)[\"']", re.sub(r"(?m)#.*$", "", content.decode(errors="replace")))
    # An absolute path is good here: the file travels under its name alone.
    name = Path(given).name
    return name, {**_files.needed(texts), name: content}


class Plan:
    """What a sweep's folder is for, and which trainings are finished."""

    def __init__(self, out: Path, config: str, files: Mapping[str, bytes], arguments: argparse.Namespace) -> None:
        self._path = out / PLAN
        text = files[config].decode(errors="replace") if config in files else config
        self._plan = {"config": text, "set": list(arguments.set), "threads": arguments.threads_per_task}
        self.finished: list[str] = []
        if not self._path.exists():
            self._write()
            return
        try:
            there = json.loads(self._path.read_text(encoding="utf-8"))
            self.finished = [str(name) for name in there.pop("finished")]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Failure(f"{self._path} is not what a sweep writes: name another folder by --out") from error
        different = [key for key, value in self._plan.items() if there.get(key) != value]
        if different:
            what = {"config": "CONFIG", "set": "--set", "threads": "--threads-per-task"}[different[0]]
            raise Failure(
                f"--out {out}: its trainings began with another {what}, and would not be the same by this one: give "
                "what they began with, or name another folder"
            )

    def finish(self, name: str) -> None:
        """Notes that a training is finished."""
        self.finished.append(name)
        self._write()

    def _write(self) -> None:
        _files.write_aside(self._path, json.dumps({**self._plan, "finished": self.finished}, indent=1).encode())


def slice_task(out: Path, training: Training, config: str, arguments: argparse.Namespace, seconds: float) -> Task:
    """The task of a training's next slice, of so many seconds."""
    name, run = training.name, f"runs/{training.name}"
    how = ["--quiet", "--threads", str(arguments.threads_per_task)]
    there = _worker.read(out / name) if (out / name / "last.ckpt").is_file() else {}
    if there:
        command = ["train", "--resume", run, *how]
    else:
        sets = [*arguments.set, *training.point, f"seed={training.seed}"]
        begin = ["--config", config, *(f"--set={text}" for text in sets), "--name", name, "--runs", "runs"]
        command = ["train", *begin, *how]
    return Task(name, command, run, {f"{run}/{path}": content for path, content in there.items()}, seconds)


def report(out: Path, trainings: Sequence[Training]) -> int:
    """Draws all trainings, writes ``sweep.json`` and prints a table."""
    rows: list[dict[str, Any]] = []
    for point in dict.fromkeys(training.point for training in trainings):
        runs = [training.name for training in trainings if training.point == point]
        finals = [last_mean(out / name / "evaluations.csv") for name in runs]
        known = [final for final in finals if final is not None]
        mean = statistics.fmean(known) if known else None
        rows.append({"set": list(point), "runs": runs, "finals": finals, "mean": mean, "half_width": half_width(known)})
    _files.write_aside(out / "sweep.json", json.dumps({"points": rows}, indent=1).encode())
    table = [["settings", "seeds", "last evaluation", "±"]]
    for row in rows:
        numbers = ["" if number is None else f"{number:.1f}" for number in (row["mean"], row["half_width"])]
        table.append([" ".join(row["set"]) or "-", str(len(row["runs"])), *numbers])
    widths = [max(map(len, column)) for column in zip(*table)]
    for first, *others in table:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:]))]
        print("  ".join(cells).rstrip())
    runs = [str(out / training.name) for training in trainings]
    return _files.call("plot", *runs, "--output", str(out / "sweep.svg"))


def last_mean(path: Path) -> float | None:
    """The mean of a run's last evaluation."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return float(rows[-1]["mean"])
    except (OSError, ValueError, KeyError, IndexError):
        return None


def half_width(values: Sequence[float]) -> float | None:
    """Half of the mean's 95 % confidence interval, by Student's t; none of a single value."""
    if len(values) < 2:
        return None
    freedom = len(values) - 1
    quantile = STUDENT[freedom - 1] if freedom <= len(STUDENT) else 1.96 + 2.4 / freedom
    return quantile * statistics.stdev(values) / math.sqrt(len(values))
