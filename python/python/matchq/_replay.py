"""Games and boards that are looked at: texts, pictures, in notebooks at once."""

from __future__ import annotations

import contextlib
import itertools
import operator
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matchq._judge import Policy, moves_of
from matchq._matchq import Player, _board_svg, _replayed


class Board(str):
    """A board's text that a notebook shows as a picture.

    It is a ``str``, for whatever takes a board. The text may be of any board, also one that no game
    shows; what is no token is an empty cell.

    Args:
        text: the board's rows.
        game: the game's name, whose tokens are drawn.

    Raises:
        ValueError: an unknown game.
        TypeError: what is no text.
    """

    game: str

    def __new__(cls, text: str, game: str = "match3") -> Board:
        if not isinstance(text, str):
            raise TypeError(f"a board is a text, not {text!r}")
        board = super().__new__(cls, text)
        board.game = game
        _board_svg(game, "")
        return board

    def _repr_svg_(self) -> str:
        return _board_svg(self.game, self)


@dataclass(frozen=True, eq=False)
class Replay:
    """A game that was played; ``replay`` makes one. A notebook shows it as a moving picture."""

    game: str
    """The game's name."""
    seed: int
    """The seed that deals the game."""
    rules: dict[str, Any] = field(repr=False)
    """Parameters of the rules, all of them."""
    moves: tuple[Any, ...] = field(repr=False)
    """The moves, as the player chose them or as they were given."""
    boards: tuple[Board, ...] = field(repr=False)
    """The boards before the first move and after each."""
    scores: tuple[int, ...] = field(repr=False)
    """The score at each board."""
    is_over: bool
    """Whether the game is over."""

    @property
    def score(self) -> int:
        """The score after the last move."""
        return self.scores[-1]

    def svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """The game as a moving picture, as ``matchq replay --svg`` draws it; written to ``path`` if given.

        Raises:
            OSError: a file that cannot be written.
        """
        return self._drawn("svg", path).decode()

    def gif(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """The game as a GIF, as ``matchq replay --gif`` draws it; written to ``path`` if given.

        Raises:
            OSError: a file that cannot be written.
        """
        return self._drawn("gif", path)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _drawn(self, kind: str, path: str | os.PathLike[str] | None) -> bytes:
        picture = bytes(_replayed(self.game, self.rules, self.seed, self.moves, kind)[4])
        if path is not None:
            # What was there stays until the picture is whole.
            aside = Path(f"{os.fspath(path)}.partial")
            try:
                aside.write_bytes(picture)
                aside.replace(path)
            except OSError:
                with contextlib.suppress(OSError):
                    aside.unlink()
                raise
        return picture


# More moves than any game has.
_MOST = sys.maxsize


def _whole(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, but must be a whole number") from None


def replay(
    player: Policy | Iterable[Any],
    *,
    game: str | None = None,
    seed: int = 0,
    moves: int | None = 200,
    rules: Mapping[str, Any] | None = None,
) -> Replay:
    """Plays the game of a seed, or takes the moves of one that was played.

    Args:
        player: a player as ``compare`` takes it, or moves, as ``Player.act`` gives them.
        game: the game's name; None is the player's, else match-3.
        seed: the seed that deals the game.
        moves: most moves; None plays to the end, which some games hardly have.
        rules: parameters of the rules, by name; None is the player's, else the game's default.

    Returns:
        The game, with boards, moves, scores; ``gif`` and ``svg`` draw it.

    Raises:
        ValueError: unknown players, games, rules; what is no move, or comes after the end.
        TypeError: what is no player and no moves.
    """
    seed = _whole("seed", seed)
    if not 0 <= seed < 2**128:
        raise ValueError(f"seed is {seed}, but must be from 0 to 2^128 - 1")
    most = _MOST if moves is None else min(_whole("moves", moves), _MOST)
    if most < 0:
        raise ValueError(f"moves is {moves}, but must be at least 0, or None")
    rules = None if rules is None else dict(rules)
    if isinstance(player, str):
        player = Player(player, game=game, rules=rules)
    if isinstance(player, Player):
        if game not in (None, player.game):
            raise ValueError(f"the player plays {player.game}, not {game}")
        if rules is not None and Player("random", game=player.game, rules=rules).rules != player.rules:
            raise ValueError(f"the player plays by the rules {player.rules}, not by {rules}")
        game, rules = player.game, player.rules
    known = game or "match3"
    chosen: tuple[Any, ...]
    if isinstance(player, Player):
        chosen = tuple(player._moves(seed, most))
    elif callable(player):
        chosen = tuple(moves_of(player, known, rules, seed, most))
    elif isinstance(player, Iterable):
        chosen = tuple(itertools.islice(player, most))
    else:
        raise TypeError(f"{player!r} is no player and no moves")
    boards, scores, every, is_over, _ = _replayed(known, rules, seed, chosen, "")
    return Replay(known, seed, every, chosen, tuple(Board(board, known) for board in boards), tuple(scores), is_over)
