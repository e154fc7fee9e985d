"""Players judged by seeded games, with the program's statistics."""

from __future__ import annotations

import html
import importlib
import json
import operator
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from matchq._arrays import SCALARS, Arrays, Observation
from matchq._matchq import Games, Player, _compared, move_of_action, moves_of_a_game

# What chooses moves: a player's text, a player or agent, or a function of observations and masks.
Policy = Union[str, Player, Callable[[Observation, npt.NDArray[np.bool_]], Any]]

# Games of a function side by side.
TOGETHER = 256

# Most simulations of a move for its luck.
MOST_LUCK = 100_000


class _Progress:
    """What is done of the work: a line on standard error at a terminal; in a notebook a text, or a bar by tqdm's widgets."""

    def __init__(self, shown: bool | None) -> None:
        self.in_notebook = _is_in_notebook()
        self.shown = (sys.stderr.isatty() or self.in_notebook) if shown is None else shown
        self.last, self.length = 0.0, 0
        self.make_bar = _tqdm() if self.in_notebook and self.shown else None
        self.bar: Any = None
        self.of = ""
        self.text: Any = None

    def tell(self, what: str, done: int, unit: str, total: int) -> None:
        """Shows how much of a total is done, 0 if it is unknown, at most ten times a second."""
        if not self.shown or time.monotonic() - self.last < 0.1:
            return
        self.last = time.monotonic()
        if self.make_bar is not None:
            if self.bar is None or self.of != what:
                self.end()
                self.of = what
                self.bar = self.make_bar(total=total or None, desc=what, unit=f" {unit}", leave=False)
            self.bar.update(done - self.bar.n)
            return
        of_total = f" of {total:,}" if total else ""
        self._show(f"{what}: {done:,}{of_total} {unit}")

    def end(self) -> None:
        """Takes away what is shown."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
        if self.length:
            self._show("")

    def _show(self, line: str) -> None:
        if not self.in_notebook:
            print(f"\r{line.ljust(self.length)}\r{line}", end="", file=sys.stderr, flush=True)
        elif self.text is None:
            # A notebook keeps what is printed: this text changes in its place.
            display = importlib.import_module("IPython.display").display
            self.text = display({"text/plain": line}, raw=True, display_id=True)
        else:
            self.text.update({"text/plain": line}, raw=True)
        self.length = len(line)


def _is_in_notebook() -> bool:
    """Whether a cell of a notebook runs; a process may know Jupyter's kernel without being one."""
    if "ipykernel" not in sys.modules:
        return False
    shell = importlib.import_module("IPython").get_ipython()
    return getattr(shell, "kernel", None) is not None


def _tqdm() -> Any:
    """What makes a bar of tqdm's as a widget; None without tqdm or widgets."""
    try:
        importlib.import_module("ipywidgets")
        return importlib.import_module("tqdm.notebook").tqdm
    except ImportError:
        return None


class Evaluation(dict[str, Any]):
    """What ``evaluate`` returns: a dictionary that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return _table(FIGURES, [_row(self)])


class Comparison(dict[str, Any]):
    """What ``compare`` returns: a dictionary that a notebook shows as two tables."""

    def _repr_html_(self) -> str:
        players = _table(FIGURES, [_row(player) for player in self["players"]])
        if not self["pairs"]:
            return players
        pairs = [
            [pair["player"], pair["than"], _interval(pair), _interval(pair.get("luck_adjusted"))]
            for pair in self["pairs"]
        ]
        return players + _table(["player", "than", "difference in the same games", "luck-adjusted"], pairs)


FIGURES = ["player", "games", "score", "luck-adjusted", "ms a move"]


def _row(player: Mapping[str, Any]) -> list[str]:
    adjusted = _interval(player.get("luck_adjusted"))
    # The time of a function is unknown.
    time = f"{player['milliseconds_per_move']:.3g}" if player["milliseconds_per_move"] else ""
    return [player["player"], f"{player['n']:,}", _interval(player), adjusted, time]


def _interval(figure: Mapping[str, Any] | None) -> str:
    """A mean with its 95 % interval; empty if there is none."""
    if not figure:
        return ""
    # One game has no interval.
    width = "" if figure["half_width"] is None else f" ± {figure['half_width']:,.1f}"
    return f"{figure['mean']:,.1f}{width}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    """A table in HTML, without the columns that no row fills; numbers stand at the right."""
    filled = [column for column in range(len(head)) if any(row[column] for row in rows)]

    def line(cells: list[str], tag: str) -> str:
        def cell(column: int) -> str:
            side = "left" if head[column] in ("player", "than") else "right"
            return f'<{tag} style="text-align: {side}">{html.escape(cells[column])}</{tag}>'

        return f"<tr>{''.join(map(cell, filled))}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>"


def compare(
    players: Mapping[str, Policy],
    *,
    game: str | None = None,
    games: int = 1000,
    seed: int = 0,
    luck: int | None = None,
    rules: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> Comparison:
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
        progress: whether it is shown what is done; None is at a terminal and in a notebook.

    Returns:
        {"players": [...], "pairs": [...]}: each player's figures, scores and moves, and the
        differences of each two, as the program writes them; a table in a notebook. The time of a
        function is unknown: 0.

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
    # Moves are told without a total where the rules change their number, or nothing counts them.
    whole = games * (moves_of_a_game(known) if expected == Player("random", game=known).rules else 0)
    try:
        reports = []
        for name, player in made.items():
            if isinstance(player, Player):
                report = player._series(seed, games, lambda done: line.tell(name, done, "moves", whole))
            elif callable(player):
                moves = _play(name, player, known, given, seed, games, line, whole)
                # As the program takes games of other programs.
                played = {"player": name, "game": known, "rules": given or {}, "seed": seed, "moves": moves}
                report = json.dumps(played)
            reports.append((name, report))
        every = games * len(reports)
        text = _compared(known, reports, luck, lambda done: line.tell("luck", done, "games", every))
    finally:
        line.end()
    return Comparison(json.loads(text))


def evaluate(
    policy: Policy,
    *,
    game: str | None = None,
    seeds: range | int = range(1000),
    luck: int | None = None,
    rules: Mapping[str, Any] | None = None,
    name: str | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Lets a player play seeded games, as ``matchq eval --json`` does.

    Args:
        policy: as a player of ``compare``.
        seeds: the games' seeds, one after the other, such as ``range(1000)``; a number N is
            ``range(N)``.
        name: the player's name in the result; None is the text, or the function's name.
        game, luck, rules, progress: as of ``compare``.

    Returns:
        Figures, scores and moves, as the program writes them: ``mean``, ``half_width`` (of the 95 %
        interval), ``scores`` and more; a table in a notebook.

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
    return Evaluation(compared["players"][0])


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
    whole: int,
    most: int | None = None,
) -> list[list[Any]]:
    """Moves of a function's games, at most so many a game."""
    slots = min(count, TOGETHER)
    table = Games(game, slots, rules, "", None, None)
    arrays, scalars = Arrays(slots, table), SCALARS.get(game, "scalars")
    written = [move_of_action(action, game=game) for action in range(table.actions)]
    moves: list[list[Any]] = [[] for _ in range(count)]
    # The game that each slot plays; after the last one a slot plays on for nothing.
    playing: list[int | None] = list(range(slots))
    coming, played, steps = slots, 0, 0
    table.reset([first + place for place in range(slots)], None, arrays.views)
    while any(place is not None for place in playing) and (most is None or steps < most):
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
                played += 1
        steps += 1
        line.tell(name, played, "moves", whole)
        if arrays.over.any():
            seeds: list[int | None] = [None] * slots
            for slot in map(int, np.flatnonzero(arrays.over)):
                playing[slot] = coming if coming < count else None
                seeds[slot] = first + min(coming, count - 1)
                coming += 1
            table.reset(seeds, arrays.over.copy(), arrays.views)
    return moves


def moves_of(
    policy: Callable[[Observation, npt.NDArray[np.bool_]], Any],
    game: str,
    rules: dict[str, Any] | None,
    seed: int,
    most: int | None,
) -> list[Any]:
    """The moves of a function in the game of a seed, at most so many."""
    line = _Progress(False)
    return _play("the player", policy, game, rules, seed, 1, line, 0, most)[0]
