"""The command line of ``python -m matchq``."""

from __future__ import annotations

import argparse

from matchq import _play, _watch
from matchq._matchq import __version__
from matchq._tools import run


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m matchq", description="Trained agents for tile puzzles.")
    parser.add_argument("--version", action="version", version=f"matchq {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, command, about in [
        ("play", _play, "let the agent play in the kit's window"),
        ("watch", _watch, "read a game off the screen, show its best moves, and play them if asked to"),
    ]:
        subparser = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    parsed = parser.parse_args(arguments)
    return run(parsed.run, parsed)
