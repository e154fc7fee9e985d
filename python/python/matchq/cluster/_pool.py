"""Tasks on a Ray cluster, tried again where that may help."""

from __future__ import annotations

import collections
import contextlib
import logging
import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from matchq._tools import Failure
from matchq.cluster import _worker

# Exit code of the program for a wrong command, which stays wrong.
WRONG = 2

# Seconds before a task is tried again.
PAUSE = 1.0

# Seconds that the tasks of a stopped call have to end their programs.
CLOSING = 5.0

# So many tasks are wrong before all others are given up, if none has ended well.
HOPELESS = 3


class Task(NamedTuple):
    """A call of the program on a worker."""

    name: str
    arguments: list[str]
    # Folder whose files come back.
    back: str
    own: Mapping[str, bytes] = {}
    # Seconds until the program is asked to stop.
    stop_after: float | None = None


class Outcome(NamedTuple):
    """What a call of the program gave."""

    code: int
    text: str
    files: dict[str, bytes]
    seconds: float


class Failed(Failure):
    """The sentence about a task that failed for good."""

    def __init__(self, task: Task, outcome: Outcome, tries: int) -> None:
        how = f"killed by signal {-outcome.code}" if outcome.code < 0 else f"exit code {outcome.code}"
        often = f" in the last of {tries} tries" if tries > 1 else ""
        text = outcome.text.removeprefix("error: ") or "the program printed nothing"
        super().__init__(f"{task.name}: {how}{often}: {text}", WRONG if outcome.code == WRONG else 1)
        self.name = task.name

    @staticmethod
    def check(failures: Sequence[Failed], rest: str) -> None:
        """Raises a sentence that names all failed tasks, if there are any."""
        if failures:
            names = ", ".join(failure.name for failure in failures[:20])
            more = f" and {len(failures) - 20} more" if len(failures) > 20 else ""
            code = WRONG if any(failure.code == WRONG for failure in failures) else 1
            raise Failure(f"failed: {names}{more}; {rest}", code)


class Pool:
    """A Ray cluster, with which this process is connected inside of ``with``."""

    def __init__(self, address: str | None, threads: int, tries: int) -> None:
        self.threads = threads
        # A cluster of this machine alone is begun for this call.
        self._address = address or os.environ.get("RAY_ADDRESS") or "local"
        self._tries = tries
        self._running: dict[Any, tuple[Task, int]] = {}
        self._left = contextlib.ExitStack()

    def __enter__(self) -> Pool:
        # Nothing about this work is to be sent anywhere.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            import ray
        except ModuleNotFoundError as error:
            if error.name != "ray":
                raise
            raise Failure("Ray is missing, which gives the work to the machines: pip install ray") from error
        self._ray: Any = ray
        # Ray tells of lost workers there, which the report must not follow.
        self._left.enter_context(contextlib.redirect_stdout(self._left.enter_context(open(os.devnull, "w"))))
        try:
            self._reach()
            self._ray.init(address=self._address, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError, RuntimeError) as error:
            self._left.close()
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise Failure(f"--address {self._address}: there is no cluster to work on: {first}", 1) from error
        self._ray.cloudpickle.register_pickle_by_value(_worker)
        self._function = self._ray.remote(_worker.work).options(num_cpus=self.threads, max_retries=0)
        most = max((node["Resources"].get("CPU", 0) for node in self._ray.nodes() if node["Alive"]), default=0)
        if most < self.threads:
            self.__exit__(None, None, None)
            raise Failure(
                f"--threads-per-task {self.threads}: no machine of the cluster has more cores than {most:.0f}"
            )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._cancel()
        self._ray.shutdown()
        self._left.close()

    def _reach(self) -> None:
        """Fails if nothing listens at the address, for which Ray itself would wait for minutes."""
        address = self._address
        if address == "auto":
            # Ray notes there which cluster it began last.
            with contextlib.suppress(FileNotFoundError):
                address = Path(os.environ.get("RAY_TMPDIR", "/tmp"), "ray", "ray_current_cluster").read_text().strip()
        host, colon, port = address.rpartition(":")
        if colon and port.isdecimal() and "/" not in host:
            socket.create_connection((host, int(port)), timeout=10).close()

    def _cancel(self) -> None:
        """Ends all tasks, each of which ends its program."""
        for reference in self._running:
            self._ray.cancel(reference)
        if self._running:
            self._ray.wait(list(self._running), num_returns=len(self._running), timeout=CLOSING)
        self._running.clear()

    def slots(self) -> int:
        """The number of tasks that the cluster runs at once."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 0)) // self.threads)

    def one(self, task: Task, shared: Any) -> Outcome:
        """The outcome of one task; a failure is raised."""
        outcomes: list[Outcome] = []

        def keep(_: Task, outcome: Outcome) -> None:
            outcomes.append(outcome)

        for failure in self.run([task], keep, shared, quiet=True):
            raise failure
        return outcomes[0]

    def share(self, files: Mapping[str, bytes]) -> Any:
        """A reference to files, of which each machine gets one copy."""
        return self._ray.put(dict(files))

    def run(
        self,
        tasks: Iterable[Task],
        done: Callable[[Task, Outcome], Task | None],
        shared: Any,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> list[Failed]:
        """Runs all tasks and returns the failures of those that failed for good.

        ``done`` is called here, with each task that ended well, and may give a task that follows it. A failure is
        printed at once unless ``quiet``.
        """
        # Time from which a task may start, the task, and how often it has been tried.
        waiting = collections.deque((0.0, task, 0) for task in tasks)
        failures: list[Failed] = []
        succeeded = 0
        room, looked = 0, float("-inf")
        while waiting or self._running:
            now = time.monotonic()
            if now - looked > 5:
                # More than the cluster can run, so that none waits for this process.
                room, looked = max(64, 4 * self.slots()), now
            for _ in range(len(waiting)):
                if len(self._running) >= room:
                    break
                at, task, tries = waiting.popleft()
                if at > now:
                    waiting.append((at, task, tries))
                    continue
                self._running[self._start(task, shared)] = (task, tries + 1)
            if progress:
                progress.show()
            if not self._running:
                time.sleep(0.1)
                continue
            references = list(self._running)
            if not self._ray.wait(references, timeout=0.5)[0]:
                continue
            for reference in self._ray.wait(references, num_returns=len(references), timeout=0)[0]:
                task, tries = self._running.pop(reference)
                outcome = self._outcome(reference)
                if outcome.code == 0:
                    succeeded += 1
                    following = done(task, outcome)
                    if following:
                        waiting.append((0.0, following, 0))
                    continue
                if outcome.code != WRONG and tries < self._tries:
                    waiting.append((time.monotonic() + PAUSE, task, tries))
                    continue
                failures.append(Failed(task, outcome, tries))
                if not quiet:
                    say(f"error: {failures[-1]}", progress)
                if succeeded == 0 and len(failures) >= HOPELESS and all(each.code == WRONG for each in failures):
                    self._cancel()
                    return failures
        return failures

    def _start(self, task: Task, shared: Any) -> Any:
        variables = {name: os.environ[name] for name in ["MATCHQ_INSTRUCTIONS"] if name in os.environ}
        return self._function.remote(task.arguments, shared, task.own, task.back, task.stop_after, variables)

    def _outcome(self, reference: Any) -> Outcome:
        """A task's outcome; a lost worker or machine is one, too."""
        try:
            return Outcome(*self._ray.get(reference))
        except self._ray.exceptions.RayTaskError as error:
            return Outcome(1, f"the worker failed: {error.cause}", {}, 0.0)
        except self._ray.exceptions.RayError as error:
            return Outcome(1, f"the worker or its machine was lost ({type(error).__name__})", {}, 0.0)


class Progress:
    """A line on the terminal: how many are done, and about how long the others will take."""

    def __init__(self, what: str, done: int, total: int) -> None:
        self.done = done
        self._what, self._total = what, total
        self._first, self._begin = done, time.monotonic()
        self._shown = ""

    def show(self) -> None:
        """Shows the line if standard error is a terminal."""
        if not (sys.stderr and sys.stderr.isatty()):
            return
        line = f"{self.done} of {self._total} {self._what}"
        new = self.done - self._first
        if 0 < new and self.done < self._total:
            left = (time.monotonic() - self._begin) / new * (self._total - self.done)
            line += f", about {duration(left)} left"
        if line != self._shown:
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
            self._shown = line

    def clear(self) -> None:
        """Takes the line away."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._shown = ""


def duration(seconds: float) -> str:
    """Seconds, minutes or hours in words."""
    for unit, size in [("h", 3600), ("min", 60)]:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def say(line: str, progress: Progress | None = None) -> None:
    """Prints a line to standard error."""
    if progress:
        progress.clear()
    print(line, file=sys.stderr, flush=True)
