"""The compiled half of matchq."""

import os
from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

__version__: str

_Mask = Literal["legal", "effective", "matching", "setups"]

class Agent:
    """A trained agent; ``Agent.load`` makes one."""

    @staticmethod
    def load(
        path: str | os.PathLike[str] | None = None,
        *,
        search: SupportsIndex | str | None = None,
        obstacle_kinds: SupportsIndex = 2,
    ) -> Agent:
        """Loads an agent.

        Args:
            path: an agent's file, or a folder that holds a best.safetensors; None is the agent that ships inside the package.
            search: None plays the network's best move at once. A whole number searches by simulation for that many
                milliseconds a move; "ms=N" says the same, "sims=N" gives a number of simulations a move, which plays
                alike on any machine.
            obstacle_kinds: the kinds in the games that the search simulates.

        Raises:
            FileNotFoundError, PermissionError: a file that cannot be read.
            ValueError: a file that is no checkpoint of match-3; a budget out of range.
            TypeError: a budget that is neither a whole number nor text.
        """

    def ai_callback(self, board: str, score: int, moves_left: SupportsIndex) -> tuple[int, int, bool]:
        """Chooses a move, as the kit asks for it: (x, y, vertical). The score does not matter to the agent.

        Raises as ``act`` does.
        """

    def transition_callback(
        self, board: str, move: Any, score_delta: int, next_board: str, moves_left: int
    ) -> None:
        """Does nothing: the agent needs to be told nothing of what a move brought."""

    def end_of_game_callback(
        self, boards: Sequence[str], scores: Sequence[int], moves: Sequence[Any], final_score: int
    ) -> bool:
        """Returns False: no other game is played after one."""

    def act(self, board: str, moves_left: SupportsIndex) -> tuple[int, int, bool]:
        """Chooses a move (x, y, vertical) on a board with moves left, from 0 to 25.

        It is that of the highest of the ``q_values`` among the moves of its mask (those that match, and set-ups if it was trained
        with them), with a search the one that simulations rank first. Where there is none, which is rare, it is any that
        changes what is seen. What is left to chance is drawn by
        the position: the same position always gets the same move, unless the search has milliseconds. ``matchq eval`` and
        ``compare`` draw it by the game's seed, so that such moves of theirs may be others.

        Raises:
            ValueError: a text that is no board, or a board with a run of three or more, which no game shows between two
                moves, with row and column; moves left that no game has.
            TypeError: a board that is no text, moves left that are no whole number.
        """

    def q_values(
        self, board: str | Sequence[str], moves_left: SupportsIndex | Sequence[SupportsIndex] | npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[np.float32]:
        """The network's values of all moves: what a move is thought to bring with what comes after it.

        They are in the unit of the network's training. Of the shipped agent 0.1 is a point, and each move later counts four
        fifths as much.

        Args:
            board: one text, for values of shape (142,), or n texts, for shape (n, 142).
            moves_left: a whole number from 0 to 25, or a sequence of n of them.

        A move's index is that of ``action_of_move``. The network has learned from the moves of its mask, with most agents those
        that match (``action_mask``): its values of others mean little. If it values next moves too, those of the mask's moves
        are of plans. A search does not change them.

        Raises:
            ValueError: a text that is no board, or a board with a run of three or more, with row and column; moves left that
                no game has; not as many moves left as boards.
            TypeError: moves left that are neither a whole number nor a sequence of them.
        """

class GameLogic:
    """The game of a seed: the class of that name in the assignment's kit, method for method and token for token.

    Args:
        seed: from 0 to 2**128 - 1; None draws one at random.
        obstacle_kinds: from 0 to 252, 2 in the original, each as frequent as one kind of gem.

    Raises:
        ValueError: a seed or a number of kinds out of range (the kit takes a negative seed's absolute value).
        TypeError: one that is no whole number.
    """

    def __new__(cls, seed: SupportsIndex | None = None, obstacle_kinds: SupportsIndex = 2) -> Self: ...
    def score(self) -> int:
        """The points so far."""

    def is_gameover(self) -> bool:
        """Whether 25 moves have been played."""

    def matching_moves(self) -> list[tuple[int, int, bool]]:
        """The moves that match at once, ordered by x, then y, then horizontal before vertical."""

    def board(self) -> str:
        """The board: ten rows of eight of ``a b c d #``, joined by newlines."""

    def moves_left(self) -> int:
        """The moves left, 25 at the start; below zero where moves were played after the end."""

    def play(self, move: Any, /) -> tuple[str, int, bool, list[str]]:
        """Plays a move and returns (board, score delta, game over, intermediate boards).

        The move, a list, tuple, array or other sequence (x, y, vertical), swaps the token in column x and row y, from the top left, with the one
        below it if vertical is true, else with the one to its right. A move off the board changes nothing, but is used
        up. The intermediate boards are the texts after the swap, every pass of falling (an empty cell is a space) and
        every clearing, without the last.

        Raises:
            ValueError: the move has not three parts.
            TypeError: it is no sequence, or x and y are no whole numbers. No move is used up then.
        """

    def __copy__(self) -> GameLogic: ...
    def __deepcopy__(self, memo: Any, /) -> GameLogic: ...

@final
class Games:
    """Games that step together; private to the environments of ``matchq.envs``."""

    def __new__(cls, count: int, obstacle_kinds: SupportsIndex, mask: str) -> Self: ...
    def reset(
        self,
        seeds: Sequence[SupportsIndex | None],
        which: npt.NDArray[np.bool_] | None,
        views: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]],
    ) -> None: ...
    def step(
        self,
        actions: npt.NDArray[np.int64],
        renew: bool,
        views: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]],
        rewards: npt.NDArray[np.float64],
        over: npt.NDArray[np.bool_],
    ) -> None: ...
    def seeds(self) -> list[int]: ...
    def boards(self) -> list[str]: ...
    def __copy__(self) -> Games: ...
    def __deepcopy__(self, memo: Any, /) -> Games: ...

def action_of_move(move: Any, /) -> int:
    """The number, from 0 to 141, of a move (x, y, vertical).

    Vertical moves are 8 * y + x (0 to 71), horizontal ones 72 + 7 * y + x (72 to 141).

    Raises:
        ValueError: a cell of the move is off the board, or the move has not three parts.
        TypeError: it is no sequence, or x and y are no whole numbers.
    """

def move_of_action(action: SupportsIndex, /) -> tuple[int, int, bool]:
    """The move of a number from 0 to 141; the inverse of ``action_of_move``.

    Raises:
        ValueError: any other number.
        TypeError: no whole number.
    """

def action_mask(board: str, kind: _Mask = "matching") -> npt.NDArray[np.bool_]:
    """The moves that are offered on a board: truth values of shape (142,), at least one of them true.

    Args:
        board: the text of a board.
        kind: "legal" (all), "effective" (moves that change what is seen), "matching" (moves that match at once) or "setups"
            (these and moves that match nothing and prepare the most, as with more than one move left). Where a board has
            none of a kind, those that change what is seen are offered, and where it has none of these, all.

    Raises:
        ValueError: a text that is no board, or a board with a run of three or more, which no game shows between two moves,
            with row and column; another kind.
    """
