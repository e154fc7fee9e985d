"""Players judged by seeded games, with the program's statistics."""

from __future__ import annotations

import json
import operator
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from matchq._arrays import SCALARS, Arrays, Observation
from matchq._matchq import Games, Player, _compared, move_of_action

# What chooses moves: a player's text, a player or agent, or a function of observations and masks.
Policy = Union[str, Player, Callable[[Observation, npt.NDArray[np.bool_]], Any]]

# Games of a function side by side.
TOGETHER = 256

# Most simulations of a move for its luck.
MOST_LUCK = 100_000


class _Progress:
    """A line on standard error, for people at a terminal."""

    def __init__(self, shown: bool | None) -> None:
        self.shown = sys.stderr.isatty() if shown is None else shown
        self.last = 0.0

    def tell(self, what: str) -> None:
        """Shows what is done, at most ten times a second."""
        if self.shown and time.monotonic() - self.last >= 0.1:
            self.last = time.monotonic()
            print(f"\r{what}\x1b[K", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Clears the line."""
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def compare(
    players: Mapping[str, Policy],
    *,
    game: str | None = None,
    games: int = 1000,
    seed: int = 0,
    luck: int | None = None,
    rules: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Lets players play the same seeded games, as ``matchq compare --json`` does.

    Args:
        players: each player's name in the result, and the player: a text such as "best:ms=10", a
            ``Player`` or ``Agent``, or a function of (observation, masks) to actions. The
            observation is a dictionary of arrays of n games, as a vector environment shows it; the
            masks are bool of shape (n, actions); the actions are n whole numbers.
        game: the game's name; None is that of the first text, player or agent, else match-3.
        games: number of games.
        seed: seed of the first game; game i has seed + i.
        luck: simulations of each move for luck-adjusted scores; None is none.
        rules: parameters of the rules, by name; None is those of the first ``Player`` or ``Agent``
            among the players, else the game's default. Others of them must have the same.
        progress: whether a line on standard error tells what is done; None is at a terminal.

    Returns:
        {"players": [...], "pairs": [...]}: each player's figures, scores and moves, and the
        differences of each two, as the program writes them. The time of a function is unknown: 0.

    Raises:
        ValueError: unknown players, games, rules; players by other rules; wrong actions.
        TypeError: a player of another type, actions that are no whole numbers.
    """
    if not players:
        raise ValueError("players: at least one is needed")
    games, seed = operator.index(games), operator.index(seed)
    if games < 1:
        raise ValueError(f"games is {games}, but must be at least 1")
    if luck is not None and not 1 <= operator.index(luck) <= MOST_LUCK:
        raise ValueError(f"luck is {luck}, but must be from 1 to {MOST_LUCK:,}, or None")
    if not 0 <= seed <= 2**128 - games:
        raise ValueError(f"seed is {seed}, but the seeds of all games must lie from 0 to 2^128 - 1")
    own = {name: player for name, player in players.items() if isinstance(player, Player)}
    # A text without an agent suits every game, and says match-3 by itself.
    texts = [Player(player) for player in players.values() if game is None and isinstance(player, str)]
    known = game or next((player.game for player in [*own.values(), *texts] if player.game != "match3"), "match3")
    for name, own_player in own.items():
        if own_player.game != known:
            raise ValueError(f"{name} plays {own_player.game}, not {known}")
    # Without rules all go by those of the first player that has its own.
    given = dict(rules) if rules is not None else next((player.rules for player in own.values()), None)
    expected = Player("random", game=known, rules=given).rules
    for name, own_player in own.items():
        if own_player.rules != expected:
            raise ValueError(f"{name} plays by the rules {own_player.rules}, not by {expected}")
    made = {name: _made(name, player, known, given) for name, player in players.items()}
    line = _Progress(progress)
    try:
        reports = []
        for name, player in made.items():
            if isinstance(player, Player):
                report = player._series(seed, games, partial(_tell_moves, line, name))
            elif callable(player):
                report = _play(name, player, known, given, seed, games, line)
            reports.append((name, report))
        every = games * len(reports)
        compared: dict[str, Any] = json.loads(
            _compared(known, reports, luck, lambda done: line.tell(f"luck: {done:,} of {every:,} games"))
        )
    finally:
        line.end()
    return compared


def _tell_moves(line: _Progress, name: str, moves: int) -> None:
    line.tell(f"{name}: {moves:,} moves")


def evaluate(
    policy: Policy,
    *,
    game: str | None = None,
    seeds: range | int = range(1000),
    luck: int | None = None,
    rules: Mapping[str, Any] | None = None,
    name: str | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Lets a player play seeded games, as ``matchq eval --json`` does.

    Args:
        policy: as a player of ``compare``.
        seeds: the games' seeds, one after the other, such as ``range(1000)``; a number N is
            ``range(N)``.
        name: the player's name in the result; None is the text, or the function's name.
        game, luck, rules, progress: as of ``compare``.

    Returns:
        Figures, scores and moves, as the program writes them: ``mean``, ``half_width`` (of the 95 %
        interval), ``scores`` and more.

    Raises:
        ValueError, TypeError: as of ``compare``; seeds that do not follow each other.
    """
    if isinstance(seeds, int):
        seeds = range(seeds)
    if not isinstance(seeds, range) or seeds.step != 1:
        raise ValueError(f"seeds is {seeds!r}, but must be a range of step 1, such as range(1000)")
    if name is None:
        name = policy if isinstance(policy, str) else getattr(policy, "__name__", type(policy).__name__)
    compared = compare(
        {name: policy}, game=game, games=len(seeds), seed=seeds.start, luck=luck, rules=rules, progress=progress
    )
    player: dict[str, Any] = compared["players"][0]
    return player


def _made(name: str, player: Policy, game: str | None, rules: dict[str, Any] | None) -> Policy:
    """The player of a text; others as they are."""
    if isinstance(player, str):
        return Player(player, game=game, rules=rules)
    if isinstance(player, Player) or callable(player):
        return player
    raise TypeError(f"{name} is {player!r}, but must be a player's text, a Player, an Agent or a function")


def _play(
    name: str,
    policy: Callable[[Observation, npt.NDArray[np.bool_]], Any],
    game: str,
    rules: dict[str, Any] | None,
    first: int,
    count: int,
    line: _Progress,
) -> str:
    """A function's games by their moves, as the program takes those of other programs."""
    slots = min(count, TOGETHER)
    table = Games(game, slots, rules, "", None, None)
    arrays, scalars = Arrays(slots, table), SCALARS.get(game, "scalars")
    written = [move_of_action(action, game=game) for action in range(table.actions)]
    moves: list[list[Any]] = [[] for _ in range(count)]
    # The game that each slot plays; after the last one a slot plays on for nothing.
    playing: list[int | None] = list(range(slots))
    coming, played = slots, 0
    table.reset([first + place for place in range(slots)], None, arrays.views)
    while any(place is not None for place in playing):
        shown: Observation = {"board": arrays.board.copy(), scalars: arrays.scalars.copy()}
        actions = np.asarray(policy(shown, arrays.masks.copy()))
        if actions.shape != (slots,) or actions.dtype.kind not in "iu":
            raise TypeError(f"{name} gave {actions.dtype} of shape {actions.shape}, but {slots} whole numbers are needed")
        actions = np.ascontiguousarray(actions, np.int64)
        try:
            table.step(actions, False, arrays.rewards, arrays.views)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        for slot, place in enumerate(playing):
            if place is not None:
                moves[place].append(written[actions[slot]])
        played += slots
        line.tell(f"{name}: {played:,} moves")
        if arrays.over.any():
            seeds: list[int | None] = [None] * slots
            for slot in map(int, np.flatnonzero(arrays.over)):
                playing[slot] = coming if coming < count else None
                seeds[slot] = first + min(coming, count - 1)
                coming += 1
            table.reset(seeds, arrays.over.copy(), arrays.views)
    return json.dumps({"player": name, "game": game, "rules": rules or {}, "seed": first, "moves": moves})
