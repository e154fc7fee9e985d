"""A trained agent for the match-3 of the assignment's kit, the kit's game, and Gymnasium environments.

    import graphical  # the kit's own module, in its folder
    import matchq

    agent = matchq.Agent.load()
    graphical.Game(agent.ai_callback, agent.transition_callback, agent.end_of_game_callback).run()

Boards are texts of ten rows of eight of ``a b c d #``, joined by newlines; a move is (x, y, vertical). Where Gymnasium is
installed, importing this package registers ``matchq/Match3-v0``.
"""

from matchq._game import Game
from matchq._matchq import Agent, GameLogic, __version__, action_mask, action_of_move, move_of_action

__all__ = ["Agent", "Game", "GameLogic", "__version__", "action_mask", "action_of_move", "move_of_action"]


def _register() -> None:
    try:
        import gymnasium
    except ModuleNotFoundError as error:
        if error.name != "gymnasium":
            raise
        return
    gymnasium.register(
        id="matchq/Match3-v0",
        entry_point="matchq.envs:Match3Env",
        vector_entry_point="matchq.envs:Match3VectorEnv",
    )


_register()
