"""The command line of ``python -m matchq``: two commands of its own, and all of the program's."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from matchq import _play, _watch
from matchq._matchq import __version__
from matchq._tools import Failure, run
from matchq.cluster import _worker


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="python -m matchq",
        description="Trained agents for tile puzzles.",
        epilog="Other commands, such as train, eval or serve, are the program's: python -m matchq train --help.",
    )
    parser.add_argument("--version", action="version", version=f"matchq {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, command, about in [
        ("play", _play, "let the agent play in the kit's window, with --kit; without it the program's play"),
        ("watch", _watch, "read a game off the screen, show its best moves, and play them if asked to"),
    ]:
        subparser = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    if _is_of_program(given):
        return run(_run_program, given)
    parsed = parser.parse_args(given)
    return run(parsed.run, parsed)


def _is_of_program(given: list[str]) -> bool:
    """Whether the program has the command: any word but the own commands, and play without the kit."""
    if not given or given[0].startswith("-") or given[0] == "watch":
        return False
    return given[0] != "play" or not any(word in ("-h", "--help") or word.startswith("--kit") for word in given)


def _run_program(given: list[str]) -> int:
    path = _worker.program()
    if path is None:
        sentence = f"{given[0]} is a command of the program: {_worker.missing()}"
        raise Failure(f"{sentence}; a wheel by scripts/build_wheel and `cargo install --locked --path .` bring it")
    if os.name == "posix":
        # The program takes the place of this process, so that signals reach it alone.
        os.execv(path, [path, *given])
    return subprocess.call([path, *given])
