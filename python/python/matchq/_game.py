"""The kit's runner, without its window."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from typing import Any

from matchq._matchq import GameLogic


class Game:
    """Plays games as the kit's ``graphical.Game`` does, but shows only the seed.

    Each turn calls ``ai_callback(board, score, moves_left)`` for a move (x, y, vertical),
    ``moves_left`` counting from 25 down to 1, plays the move, and calls
    ``transition_callback(board, move, score_delta, next_board, moves_left)`` with the very move
    that was returned and ``moves_left`` from 24 down to 0. The 25th move is followed by
    ``end_of_game_callback(boards, scores, moves, final_score)`` with 26 boards, 26 scores and 25
    moves; another game follows a true result. No exception of a callback is caught.

    Args:
        ai_callback: chooses the moves.
        transition_callback: receives the result of each move; None does nothing.
        end_of_game_callback: receives each game; None returns False.
        speed: has no effect without a window.
        seed: of the session, from which all its games follow; None draws 128 random bits.
        obstacle_kinds: 2 in the original.

    Raises:
        ValueError: a seed or number of obstacle kinds out of range.
        TypeError: a seed or number of obstacle kinds that is no whole number.
    """

    def __init__(
        self,
        ai_callback: Callable[[str, int, int], Any],
        transition_callback: Callable[[str, Any, int, str, int], object] | None = None,
        end_of_game_callback: Callable[[list[str], list[int], list[Any], int], object] | None = None,
        speed: float = 1.0,
        seed: int | None = None,
        *,
        obstacle_kinds: int = 2,
    ) -> None:
        self.seed = secrets.randbits(128) if seed is None else seed
        # Refuses a seed and a number of kinds that are out of range.
        GameLogic(self.seed, obstacle_kinds)
        self.speed = speed
        self.obstacle_kinds = obstacle_kinds
        self._ai_callback = ai_callback
        self._transition_callback = transition_callback
        self._end_of_game_callback = end_of_game_callback
        self._session = random.Random(int(self.seed))
        print(f"Seed: {self.seed}")

    def run(self) -> None:
        """Plays games until ``end_of_game_callback`` wants no other."""
        while self._play():
            pass

    def _play(self) -> bool:
        game = GameLogic(self._session.getrandbits(128), self.obstacle_kinds)
        board = game.board()
        boards, scores, moves = [board], [0], []
        while not game.is_gameover():
            move = self._ai_callback(board, game.score(), game.moves_left())
            next_board, score_delta, _, _ = game.play(move)
            if self._transition_callback is not None:
                self._transition_callback(board, move, score_delta, next_board, game.moves_left())
            board = next_board
            boards.append(board)
            scores.append(game.score())
            moves.append(move)
        if self._end_of_game_callback is None:
            return False
        return bool(self._end_of_game_callback(boards, scores, moves, game.score()))
