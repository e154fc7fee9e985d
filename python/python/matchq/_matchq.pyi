"""The compiled half of matchq."""

import os
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

_Left = SupportsIndex | Sequence[SupportsIndex] | npt.NDArray[np.integer[Any]] | None

__all__ = [
    "__version__",
    "GAMES",
    "after_fork",
    "Player",
    "Agent",
    "agents",
    "_compared",
    "_replayed",
    "_board_svg",
    "GameLogic",
    "Games",
    "Reading",
    "read_board",
    "cells_of_move",
    "moves_of_a_game",
    "action_of_move",
    "move_of_action",
    "action_mask",
    "encode",
]

__version__: str

GAMES: tuple[str, ...]
"""The games' names."""

def agents(game: str | None = None) -> dict[str, str]:
    """Names of the agents inside the package, with a line about each.

    Args:
        game: the game's name; None is all games. ``Agent.load`` without a path loads a game's first
            agent.

    Raises:
        ValueError: an unknown game.
    """

class Player:
    """A player of a game by its text, as ``matchq play --player`` takes it.

    Args:
        player: a player or an agent, with parameters behind colons, such as "cascade",
            "best:ms=50" or "dqn:precision=f32": the player's name, or the agent's name, its run's
            name in runs/ or its path; ``matchq players --game NAME`` lists them.
        game: the game's name, one of ``GAMES``; if None, the agent's, for other players match-3.
        rules: parameters of the rules that judge and simulate positions, by name; None is the
            game's default.
        obstacle_kinds: short for ``rules={"obstacle_kinds": N}``, in match-3.

    Raises:
        ValueError: unknown players, games, rules and parameters; values out of range.
    """

    def __new__(
        cls,
        player: str,
        *,
        game: str | None = None,
        rules: dict[str, Any] | None = None,
        obstacle_kinds: SupportsIndex | None = None,
    ) -> Self: ...

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...

    @property
    def game(self) -> str:
        """Name of the game that the player plays."""

    @property
    def rules(self) -> dict[str, Any]:
        """Parameters of the rules that the player goes by, all of them."""

    def ai_callback(self, board: str, score: int, moves_left: SupportsIndex) -> Any:
        """Chooses a move for the kit, (x, y, vertical); the score does not matter.

        Raises as ``act`` does.
        """

    def transition_callback(
        self, board: str, move: Any, score_delta: int, next_board: str, moves_left: int
    ) -> None:
        """Does nothing: a player needs no results of moves."""

    def end_of_game_callback(
        self, boards: Sequence[str], scores: Sequence[int], moves: Sequence[Any], final_score: int
    ) -> bool:
        """Returns False: no other game follows."""

    @overload
    def act(self, board: str, moves_left: SupportsIndex | None = None) -> Any: ...
    @overload
    def act(self, board: Sequence[str], moves_left: _Left = None) -> list[Any]: ...
    @overload
    def act(self, board: dict[str, npt.NDArray[Any]]) -> Any:
        """Chooses a move on a board with moves left, or an action in each position.

        Args:
            board: a board's text, for a move; a sequence of texts, for a list of moves; what an
                environment shows, a dictionary of arrays, of one position, for an action's number,
                or of n positions, for an array of n numbers.
            moves_left: as many as a new game has if None; with texts a number or one for each; an
                environment shows them itself. A move of match-3 is (x, y, vertical), with 1 to 25
                moves left.

        The move has the highest of
        the ``q_values`` among the moves of the agent's mask; a search plays the move that
        simulations rank first. Any offered move is played where the mask has none. Choices by
        chance depend on the position: a position always gets the same move, unless the search has
        milliseconds. ``matchq eval`` and ``compare`` draw by the game's seed, so their choices by
        chance may differ.

        Raises:
            ValueError: a text that is no board; a board that no game shows between two moves (in
                match-3 one with a run of three or more), with row and column; moves left that no
                game has; a game that is over; a board without its piece; arrays of another shape.
            TypeError: a board that is no text, moves left that are no whole number.
        """

    def _series(self, first: SupportsIndex, count: int, look: Callable[[int], object]) -> str:
        """The games of seeds in a row as JSON, private to the package."""

    def _moves(self, first: SupportsIndex, most: int) -> list[Any]:
        """The moves of the game of a seed, private to the package."""

    def rank(self, board: str, moves_left: SupportsIndex | None = None) -> list[tuple[Any, float]]:
        """Moves that the player considers on a board, best first, with their values.

        The list is empty where there is no move; ``act`` plays the first. A value is in the
        player's own unit; of ranked, a place. Values say little where every move ends the game.

        Raises as ``act`` does.
        """

class Agent(Player):
    """A trained agent; ``Agent.load`` makes one."""

    @staticmethod
    def load(
        path: str | os.PathLike[str] | None = None,
        *,
        search: bool | SupportsIndex | str | None = None,
        game: str | None = None,
        rules: dict[str, Any] | None = None,
        obstacle_kinds: SupportsIndex | None = None,
    ) -> Agent:
        """Loads an agent.

        Args:
            path: an agent's file, a folder with a best.safetensors, the name of an agent inside the
                package, as ``agents()`` lists them, or of a run in runs/; if None, the game's
                first, with a search its last network.
            search: if None, the agent plays its best move at once; True searches by simulation as
                recommended; a whole number or "ms=N" is milliseconds a move; "sims=N" is
                simulations a move, which play alike on any machine.
            game: the game's name; if None, the agent's, without a path match-3.
            rules, obstacle_kinds: as of ``Player``.

        Raises:
            FileNotFoundError, PermissionError: a file that cannot be read.
            ValueError: a file that is no agent of the game or, for a search, no network; unknown
                games and rules; a budget out of range.
            TypeError: a budget that is neither a whole number nor text.
        """

    @staticmethod
    def _restored(
        file: bytes, name: str, game: str, search: str | None, rules: dict[str, Any]
    ) -> Agent: ...
    def __copy__(self) -> Agent: ...
    def __deepcopy__(self, _memo: Any) -> Agent: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes, str, str, str | None, Any]]: ...

    def q_values(
        self,
        board: str | Sequence[str] | dict[str, npt.NDArray[Any]],
        moves_left: _Left = None,
        *,
        mask: bool = False,
    ) -> npt.NDArray[np.float32]:
        """The network's values of all moves: the points of a move and of what follows, in the unit
        of training.

        A point is 0.1 for the agent ``dqn``, and each later move counts nine tenths as much.

        Args:
            board, moves_left: as of ``act``; the values have the shape (actions,) for one position,
                else (n, actions).
            mask: whether moves outside of the network's mask are NaN, which is several times as
                fast.

        A move's index is that of ``action_of_move``. The network learned from the moves of its mask
        (``action_mask``): its values of others mean little. The values of the mask's moves are of
        plans if the network values next moves, or its model predicts boards (``plan`` of the player
        ``network``). A search does not change the values.

        Raises:
            ValueError: a text that is no board; a board that no game shows between two moves, with
                row and column; moves left that no game has, or not as many as boards; an agent
                without a network.
            TypeError: moves left that are neither a whole number nor a sequence of them.
        """

    def network_input(
        self,
        board: str | dict[str, npt.NDArray[Any]],
        moves_left: SupportsIndex | None = None,
    ) -> dict[str, npt.NDArray[Any]]:
        """What the network sees of a position, as arrays by name: the inputs of the file that
        ``matchq export --onnx`` writes.

        A network that values all moves of a position sees one image, and ``mask`` (1, actions) has
        the moves that it is offered. Others see an image after each of these moves.

        Args:
            board, moves_left: as of ``act``, for one position.

        Returns:
            ``images`` (n, planes, rows, columns), ``scalars`` (n, scalars), and ``mask``, or
            ``moves``, the moves' indices as of ``action_of_move``. ``certain``, of networks that see
            plans, has the points of the best certain plan after each move.

        Raises:
            ValueError, TypeError: as ``q_values`` does, and for several positions.
        """

class GameLogic:
    """The game of a seed: the kit's class of this name, method for method and token for token.

    Args:
        seed: from 0 to 2**128 - 1; None draws one at random.
        obstacle_kinds: from 0 to 252, 2 in the original, each as frequent as a kind of gem.

    Raises:
        ValueError: a seed or number of kinds out of range (the kit takes a negative seed's absolute
            value).
        TypeError: a seed or number of kinds that is no whole number.
    """

    def __new__(cls, seed: SupportsIndex | None = None, obstacle_kinds: SupportsIndex = 2) -> Self: ...
    def score(self) -> int:
        """Points so far."""

    def is_gameover(self) -> bool:
        """Whether 25 moves have been played."""

    def matching_moves(self) -> list[tuple[int, int, bool]]:
        """Moves that match at once, by x, then y, horizontal before vertical."""

    def board(self) -> str:
        """The board: ten rows of eight of ``a b c d #``, joined by newlines."""

    def moves_left(self) -> int:
        """Moves left, 25 at the start; negative after moves beyond the end."""

    def play(self, move: Any, /) -> tuple[str, int, bool, list[str]]:
        """Plays a move and returns (board, score delta, game over, intermediate boards).

        The move, a list, tuple, array or other sequence (x, y, vertical), swaps the token in column
        x and row y, from the top left, with the one below if vertical is true, else with the one to
        its right. A move off the board changes nothing, but is used up. Intermediate boards are
        texts after the swap, every pass of falling (an empty cell is a space) and every clearing,
        without the last.

        Raises:
            ValueError: the move has not three parts.
            TypeError: the move is no sequence, or x and y are no whole numbers. No move is used up
                then.
        """

    def _repr_svg_(self) -> str:
        """The board as a picture, for notebooks."""

    def __copy__(self) -> GameLogic: ...
    def __deepcopy__(self, memo: Any, /) -> GameLogic: ...
    def __reduce__(self) -> tuple[Any, tuple[Any], tuple[bytes, Any]]: ...
    def __setstate__(self, saved: tuple[bytes, Any]) -> None: ...

def after_fork() -> None:
    """Notes that this process was forked; private to the package."""

def _compared(
    name: str, reports: Sequence[tuple[str, str]], luck: int | None, look: Callable[[int], object]
) -> str:
    """The comparison of reports of games as JSON; private to the package."""

def _replayed(
    name: str, given: dict[str, Any] | None, first: SupportsIndex, moves: Sequence[Any], drawn: str
) -> tuple[list[str], list[int], dict[str, Any], bool, bytes | list[int]]:
    """What moves are in the game of a seed; private to the package."""

def _board_svg(name: str, board: str) -> str:
    """A board's text as a picture, SVG; private to the package."""

@final
class Games:
    """Games that step together; private to the environments of ``matchq.envs``."""

    image: tuple[int, int, int]
    scalars: int
    actions: int

    def __new__(
        cls,
        name: str,
        count: int,
        rules: dict[str, Any] | None,
        mask: str,
        obstacle_kinds: SupportsIndex | None,
        longest: int | None = None,
    ) -> Self: ...
    def reset(
        self,
        seeds: Sequence[SupportsIndex | None],
        which: npt.NDArray[np.bool_] | None,
        arrays: tuple[npt.NDArray[Any], ...],
    ) -> None: ...
    def step(
        self,
        actions: npt.NDArray[np.int64],
        renew: bool,
        rewards: npt.NDArray[np.float64],
        arrays: tuple[npt.NDArray[Any], ...],
    ) -> None: ...
    def tiles(self, side: int) -> list[tuple[str, npt.NDArray[np.uint8]]]: ...
    def seeds(self) -> list[int]: ...
    def boards(self) -> list[str]: ...
    def __copy__(self) -> Games: ...
    def __deepcopy__(self, memo: Any, /) -> Games: ...
    @staticmethod
    def restored(name: str, saved: bytes) -> Games: ...
    def __reduce__(self) -> tuple[Any, tuple[str, bytes]]: ...

@final
class Reading:
    """A board read from a picture by ``read_board``."""

    @property
    def board(self) -> str:
        """The board as text, ? where a cell is not sure."""

    @property
    def sure(self) -> bool:
        """Whether every cell is sure."""

    @property
    def confidence(self) -> npt.NDArray[np.float32]:
        """Confidence of each cell, from 0 to 1: shape (rows, columns)."""

    @property
    def field(self) -> tuple[float, float, float, float]:
        """Place of the field in the picture, in pixels: (left, top, width, height)."""

    @property
    def theme(self) -> str:
        """Name or file of the theme that read the board."""

    def drawn(
        self, cells: Sequence[tuple[int, int]] = (), moves: Sequence[Sequence[tuple[int, int]]] = ()
    ) -> npt.NDArray[np.uint8]:
        """The picture, shape (height, width, 3), with each cell's likeliest letter and confidence
        in percent.

        Unsure cells are red. The given cells, (row, column), have a frame; the cells of up to three
        moves, best first, have an outline and a rank.

        Raises:
            ValueError: a cell outside of the field.
        """

def read_board(
    picture: str | os.PathLike[str] | npt.NDArray[np.uint8],
    /,
    *,
    theme: str | None = None,
    game: str | None = None,
    field: Sequence[float] | None = None,
) -> Reading:
    """Reads the board that a picture shows.

    Args:
        picture: the path of a PNG or JPEG, or an array of shape (height, width, 3): red, green and
            blue.
        theme: the look of the gems, by a name in the program (match3, kit, bejeweled,
            bejeweled-deluxe, bejeweled-flash, bejeweled-drawn, tile-match, bilging, samegame,
            lmgame-bench, articles, articles-1) or a file that ``matchq read --teach`` made; None tries the game's themes, without a game match-3's.
            Most cells are ? if no theme fits.
        field: (left, top, width, height) in pixels; None finds it.

    Raises:
        ValueError: what is no picture or theme; no field is found; a field outside of the picture.
        TypeError: a picture that is neither a path nor such an array.
    """

def cells_of_move(move: Any, /, *, game: str = "match3") -> tuple[tuple[int, int], ...]:
    """Cells that a swap moves, as (row, column) from the top left.

    Raises ValueError as ``action_of_move`` does, and for a game with pieces, whose cells depend on the board.
    """

def moves_of_a_game(game: str = "match3") -> int:
    """Moves of a new game, 25 in match-3; 0 where moves are not counted.

    Raises:
        ValueError: an unknown game.
    """

def action_of_move(move: Any, /, *, game: str = "match3") -> int:
    """The number of a move; in match-3, of (x, y, vertical), from 0 to 141.

    Match-3's vertical moves are 8 * y + x (0 to 71), its horizontal ones 72 + 7 * y + x (72 to
    141).

    Raises:
        ValueError: a move off the board or with wrong parts; an unknown game.
        TypeError: what is no move.
    """

def move_of_action(action: SupportsIndex, /, *, game: str = "match3") -> Any:
    """The move of a number, the inverse of ``action_of_move``; (x, y, vertical) in match-3.

    Raises:
        ValueError: a number out of range; an unknown game.
        TypeError: no whole number.
    """

def action_mask(
    board: str,
    kind: str | None = None,
    moves_left: SupportsIndex | None = None,
    *,
    game: str = "match3",
    rules: dict[str, Any] | None = None,
) -> npt.NDArray[np.bool_]:
    """Moves that are offered on a board: truth values of shape (actions,), 142 in match-3, at least
    one true.

    Args:
        board: the text of a board.
        kind: a mask of the game, its default if None. Match-3 has "legal" (all), "effective" (moves
            that change what is seen), "matching" (moves that match at once, the default) and
            "setups" (these and moves that match nothing and prepare the most). Moves of the kind
            before are offered where a board has none of a kind.
        moves_left: as many as a new game has if None.
        game: the game's name, one of ``GAMES``.
        rules: as of ``Player``.

    Raises:
        ValueError: a text that is no board; a board that no game shows between two moves, with row
            and column; moves left that no game has; unknown kinds, games and rules.
        TypeError: moves left that are no whole number.
    """

def encode(
    board: str,
    moves_left: SupportsIndex | None = None,
    *,
    game: str = "match3",
    rules: dict[str, Any] | None = None,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """What a network sees of a board, as the environments show it: the image and the scalars.

    The image is uint8 of shape (planes, rows, columns), the scalars are float32 of shape
    (scalars,). Match-3's image has shape (5, 10, 8), planes of a, b, c, d and obstacles; its scalar
    is the moves left divided by 25.

    Args:
        moves_left, game, rules: as of ``action_mask``.

    Raises as ``action_mask`` does.
    """
