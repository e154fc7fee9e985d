"""``python -m matchq play``: an agent plays in the window of the assignment's kit."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import math
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from matchq._matchq import Agent, __version__


class _Failure(Exception):
    """A sentence for the user, and the exit code: 2 for what the user gave, 1 for what failed while running."""

    def __init__(self, sentence: str, code: int = 2) -> None:
        super().__init__(sentence)
        self.code = code


class _Output:
    """Standard output, whose failures are told from any other error of the kit's window."""

    class Failure(Exception):
        """It cannot be written; the cause is the system's error."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return self._try(self._stream.write, text)

    def flush(self) -> None:
        self._try(self._stream.flush)

    def _try(self, work: Any, *arguments: Any) -> Any:
        try:
            return work(*arguments)
        except OSError as error:
            # What is left in the buffer must not fail again when Python ends.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
            raise _Output.Failure from error


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m matchq", description="Trained agents for tile puzzles.")
    parser.add_argument("--version", action="version", version=f"matchq {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    play = commands.add_parser("play", help="let the agent play in the window of the assignment's kit")
    play.add_argument("--kit", metavar="FOLDER", required=True, help="the kit's folder, with game.py and graphical.py")
    play.add_argument(
        "--checkpoint", metavar="C", help="checkpoint file or folder [default: the agent inside the package]"
    )
    play.add_argument("--seed", metavar="N", type=_seed, help="seed of the session [default: random]")
    play.add_argument("--games", metavar="N", type=_count, default=1, help="games to play [default: 1]")
    play.add_argument("--speed", metavar="X", type=_speed, default=1.0, help="of the animation [default: 1]")
    play.add_argument(
        "--search",
        metavar="BUDGET",
        nargs="?",
        const=True,
        help="search before each move, ms=N or sims=N [default: as recommended]",
    )
    parsed = parser.parse_args(arguments)
    try:
        # Without standard output there is nothing to write to.
        with contextlib.redirect_stdout(_Output(sys.stdout)) if sys.stdout else contextlib.nullcontext():
            code = _play(parsed)
            print(end="", flush=True)
        return code
    except _Output.Failure as failure:
        # A reader that has gone away is no failure.
        if isinstance(failure.__cause__, BrokenPipeError):
            return 0
        print(f"error: standard output cannot be written: {failure.__cause__}", file=sys.stderr)
        return 1
    except _Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130


def _number(text: str, kind: Any, fits: Any, must_be: str) -> Any:
    try:
        number = kind(text)
    except ValueError:
        number = None
    if number is None or not fits(number):
        raise argparse.ArgumentTypeError(f"'{text}' must be {must_be}")
    return number


def _seed(text: str) -> Any:
    return _number(text, int, lambda seed: 0 <= seed < 2**128, "a whole number from 0 to 2^128 - 1")


def _count(text: str) -> Any:
    return _number(text, int, lambda count: count >= 1, "a whole number, at least 1")


def _speed(text: str) -> Any:
    return _number(text, float, lambda speed: math.isfinite(speed) and speed > 0, "a number above 0")


def _play(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.kit)
    _check(folder)
    try:
        agent = Agent.load(arguments.checkpoint, search=arguments.search, game="match3")
    except (OSError, ValueError) as error:
        raise _Failure(str(error)) from error
    graphical = _import(folder.resolve())
    scores: list[int] = []
    games: int = arguments.games

    def end_of_game(boards: Any, all_scores: Any, moves: Any, final_score: int) -> bool:
        scores.append(final_score)
        print(f"game {len(scores)}: {final_score} points", flush=True)
        return len(scores) < games

    try:
        graphical.Game(
            agent.ai_callback, agent.transition_callback, end_of_game, speed=arguments.speed, seed=arguments.seed
        ).run()
    except Exception as error:
        # The kit's window, of which this knows nothing; anything else is a mistake that its trace shows best.
        if type(error).__module__.split(".")[0] != "pygame":
            raise
        raise _Failure(f"the kit's window failed: {error}", 1) from error
    if len(scores) < games:
        print(f"the window was closed after {len(scores)} of {games} games")
    elif len(scores) > 1:
        print(f"mean of {len(scores)} games: {sum(scores) / len(scores):.1f} points")
    return 0


def _check(folder: Path) -> None:
    if folder.is_file():
        raise _Failure(f"--kit {folder}: this is a file; name the folder that holds the kit's graphical.py")
    if not folder.is_dir():
        raise _Failure(f"--kit {folder}: there is no such folder; name the one that holds the kit's graphical.py")
    if not (folder / "graphical.py").is_file():
        raise _Failure(f"--kit {folder}: graphical.py is missing there; name the folder that holds the kit's graphical.py")


def _import(folder: Path) -> ModuleType:
    """The kit's module; it finds its font and its other modules only from its own folder."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        graphical = importlib.import_module("graphical")
    except ModuleNotFoundError as error:
        if error.name == "pygame":
            raise _Failure("pygame is missing, with which the kit draws: install it with `pip install pygame`") from error
        raise _Failure(f"--kit {folder}: the kit needs the module {error.name}, which is missing") from error
    if not callable(getattr(graphical, "Game", None)):
        raise _Failure(f"--kit {folder}: its graphical.py has no Game; name the folder of the assignment's kit")
    return graphical
