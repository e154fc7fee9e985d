"""``python -m matchq play``: an agent plays in the window of the kit (docs/match3.md)."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from matchq._matchq import Agent
from matchq._tools import Failure, count, positive, seed


def add_arguments(play: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    play.add_argument("--kit", metavar="FOLDER", required=True, help="the kit's folder, with game.py and graphical.py")
    play.add_argument(
        "--checkpoint", metavar="C", help="an agent's file, folder or name [default: dqn, with --search dqn-setups]"
    )
    play.add_argument("--seed", metavar="N", type=seed, help="seed of the session [default: random]")
    play.add_argument("--games", metavar="N", type=count, default=1, help="games to play [default: 1]")
    play.add_argument("--speed", metavar="X", type=positive, default=1.0, help="of the animation [default: 1]")
    play.add_argument(
        "--search",
        metavar="BUDGET",
        nargs="?",
        const=True,
        help="search before each move, N or ms=N milliseconds or sims=N simulations [default: as recommended]",
    )


def run(arguments: argparse.Namespace) -> int:
    """Plays; returns the exit code."""
    folder = Path(arguments.kit)
    _check(folder)
    search = arguments.search
    if isinstance(search, str) and search.isdecimal():
        search = int(search)
    try:
        agent = Agent.load(arguments.checkpoint, search=search, game="match3")
    except (OSError, ValueError) as error:
        raise Failure(str(error)) from error
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
        # Errors of the kit's window are pygame's; the trace shows any other mistake best.
        if type(error).__module__.split(".")[0] != "pygame":
            raise
        raise Failure(f"the kit's window failed: {error}", 1) from error
    if len(scores) < games:
        print(f"the window was closed after {len(scores)} of {games} games")
    elif len(scores) > 1:
        print(f"mean of {len(scores)} games: {sum(scores) / len(scores):.1f} points")
    return 0


def _check(folder: Path) -> None:
    if folder.is_file():
        raise Failure(f"--kit {folder}: this is a file; name the folder that holds the kit's graphical.py")
    if not folder.is_dir():
        raise Failure(f"--kit {folder}: there is no such folder; name the one that holds the kit's graphical.py")
    if not (folder / "graphical.py").is_file():
        raise Failure(f"--kit {folder}: graphical.py is missing there; name the folder that holds the kit's graphical.py")


def _import(folder: Path) -> ModuleType:
    """The kit's module, which finds its font and its other modules only from its own folder."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        graphical = importlib.import_module("graphical")
    except ModuleNotFoundError as error:
        if error.name == "pygame":
            raise Failure("pygame is missing, with which the kit draws: install it with `pip install pygame`") from error
        raise Failure(f"--kit {folder}: the kit needs the module {error.name}, which is missing") from error
    if not callable(getattr(graphical, "Game", None)):
        raise Failure(f"--kit {folder}: its graphical.py has no Game; name the kit's folder")
    return graphical
