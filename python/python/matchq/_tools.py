"""What the commands of ``python -m matchq`` share: failures, standard output, exit codes, numbers."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import sys
from collections.abc import Callable
from typing import Any


class Failure(Exception):
    """A sentence for the user, and the exit code: 2 for what the user gave, 1 for what failed."""

    def __init__(self, sentence: str, code: int = 2) -> None:
        super().__init__(sentence)
        self.code = code


class Output:
    """Standard output, whose failures differ from other errors of the kit's window."""

    class Failure(Exception):
        """Standard output cannot be written; the cause is the system's error."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        written: int = self._try(self._stream.write, text)
        return written

    def flush(self) -> None:
        self._try(self._stream.flush)

    def _try(self, work: Any, *arguments: Any) -> Any:
        try:
            return work(*arguments)
        except OSError as error:
            # The rest of the buffer must not fail again when Python ends.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
            raise Output.Failure from error


def run(command: Callable[..., int], *arguments: Any) -> int:
    """Runs a command line and returns its exit code; a failure is a sentence on standard error."""
    try:
        # Standard output may be missing.
        with contextlib.redirect_stdout(Output(sys.stdout)) if sys.stdout else contextlib.nullcontext():
            code = command(*arguments)
            print(end="", flush=True)
        return code
    except Output.Failure as failure:
        # A reader that has gone away is no failure.
        if isinstance(failure.__cause__, BrokenPipeError):
            return 0
        print(f"error: standard output cannot be written: {failure.__cause__}", file=sys.stderr)
        return 1
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130


def number(text: str, kind: Any, fits: Any, must_be: str) -> Any:
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not fits(value):
        raise argparse.ArgumentTypeError(f"'{text}' must be {must_be}")
    return value


def seed(text: str) -> Any:
    return number(text, int, lambda seed: 0 <= seed < 2**128, "a whole number from 0 to 2^128 - 1")


def count(text: str) -> Any:
    return number(text, int, lambda count: count >= 1, "a whole number, at least 1")


def positive(text: str) -> Any:
    return number(text, float, lambda speed: math.isfinite(speed) and speed > 0, "a number above 0")
