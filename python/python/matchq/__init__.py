"""Trained agents for tile puzzles, match-3 as in the kit (the Python program of docs/match3.md), and
Gymnasium environments.

    import graphical  # the kit's own module, in its folder
    import matchq

    agent = matchq.Agent.load()
    graphical.Game(agent.ai_callback, agent.transition_callback, agent.end_of_game_callback).run()

``GAMES`` has the games' names, ``agents()`` those of the agents inside the package. Match-3's
boards are texts of ten rows of eight of ``a b c d #``, joined by newlines; a move is (x, y,
vertical). Importing this package registers an environment for each game, such as
``matchq/Match3-v0``, if Gymnasium is installed.
"""

import os

from matchq._game import Game
from matchq._judge import Comparison, Evaluation, compare, evaluate
from matchq._matchq import (
    GAMES,
    Agent,
    GameLogic,
    Player,
    Reading,
    __version__,
    action_mask,
    action_of_move,
    after_fork,
    agents,
    cells_of_move,
    encode,
    move_of_action,
    moves_of_a_game,
    read_board,
)
from matchq._replay import Board, Replay, replay

__all__ = [
    "GAMES",
    "Agent",
    "Board",
    "Comparison",
    "Evaluation",
    "Game",
    "GameLogic",
    "Player",
    "Reading",
    "Replay",
    "__version__",
    "action_mask",
    "action_of_move",
    "agents",
    "cells_of_move",
    "compare",
    "encode",
    "evaluate",
    "move_of_action",
    "moves_of_a_game",
    "read_board",
    "replay",
]


def _register() -> None:
    try:
        import gymnasium
    except ModuleNotFoundError as error:
        if error.name != "gymnasium":
            raise
        return
    for game in GAMES:
        gymnasium.register(
            id=f"matchq/{game.title().replace('-', '')}-v0",
            entry_point="matchq.envs:GameEnv",
            vector_entry_point="matchq.envs:GameVectorEnv",
            kwargs={"game": game},
        )


_register()
# A forked process lacks its parent's threads and makes its own.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)
