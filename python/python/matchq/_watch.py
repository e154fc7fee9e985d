"""``python -m matchq watch``: reads a game off the screen, shows its best moves, may play them."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt

from matchq._matchq import Agent, Player, Reading, cells_of_move, move_of_action, moves_of_a_game, read_board
from matchq._tools import Failure, count, number, positive

# Seconds between two looks at the Escape key.
_BLINK = 0.02
# Cells around the field that are looked at, too, once the field is found.
_MARGIN = 0.5


class Stopped(Exception):
    """The user has stopped the command."""


def add_arguments(watch: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    watch.add_argument("--game", metavar="NAME", default="match3", help="the game [default: match3]")
    watch.add_argument(
        "--theme",
        metavar="NAME|FILE.toml",
        help="what the gems look like: a theme, or a file that `matchq read --teach` made [default: those of the game]",
    )
    watch.add_argument(
        "--region",
        metavar="X,Y,WIDTH,HEIGHT",
        type=_rectangle,
        help="the part of the screen in which the field is, in pixels [default: the first screen]",
    )
    watch.add_argument(
        "--player", metavar="P", help="whose moves are shown [default: the game's agent inside the package, else best]"
    )
    watch.add_argument("--checkpoint", metavar="C", help="the agent of this file, folder or name instead")
    watch.add_argument("--top", metavar="N", type=count, default=5, help="moves that are shown [default: 5]")
    watch.add_argument(
        "--moves-left", metavar="N", type=count, help="moves left at the first look [default: a new game's]"
    )
    watch.add_argument("--moves", metavar="N", type=count, help="stop after so many moves [default: a game's]")
    watch.add_argument("--click", action="store_true", help="play the best move, by two clicks on its cells")
    watch.add_argument("--copy", metavar="OUT.png", help="draw what is seen and the best three moves into this picture")
    watch.add_argument(
        "--interval",
        metavar="S",
        type=positive,
        default=0.15,
        help="seconds between the two looks that must agree [default: 0.15]",
    )
    watch.add_argument(
        "--patience", metavar="S", type=positive, default=10.0, help="seconds without a board before it ends [default: 10]"
    )


def _swaps(game: str) -> bool:
    """Whether a game's moves swap two cells."""
    try:
        return len(cells_of_move(move_of_action(0, game=game), game=game)) == 2
    except ValueError:
        # A move puts a piece, somewhere on its board.
        return False


def run(arguments: argparse.Namespace) -> int:
    """Watches until stopped; returns the exit code."""
    if arguments.player and arguments.checkpoint:
        raise Failure("--player and --checkpoint: only one of them chooses the moves")
    if arguments.copy:
        _check_copy(Path(arguments.copy))
    try:
        moves = moves_of_a_game(arguments.game)
        if not _swaps(arguments.game):
            raise Failure(f"--game {arguments.game}: its moves do not swap two cells")
        # A look at an empty picture refuses an unknown theme.
        with contextlib.suppress(_NoField):
            _read(np.zeros((64, 64, 3), np.uint8), arguments)
        player = _player(arguments)
    except (OSError, ValueError) as error:
        raise Failure(str(error)) from error
    left = arguments.moves_left or moves
    if moves and left > moves:
        raise Failure(f"--moves-left {left}: a game of {arguments.game} has {moves} moves")
    if not moves and arguments.moves_left:
        raise Failure(f"--moves-left: the moves of {arguments.game} are not counted")
    if left and (arguments.moves or 0) > left:
        raise Failure(f"--moves {arguments.moves}: only {left} moves are left")
    screen = _Screen(arguments.region, arguments.click)
    try:
        played = watch(screen, player, arguments, left)
    except Stopped as stopped:
        print(f"stopped: {stopped}")
        return 0
    print(f"{played} moves were {'played' if arguments.click else 'seen'}")
    return 0


def _player(arguments: argparse.Namespace) -> Player:
    if arguments.player:
        return Player(arguments.player, game=arguments.game)
    if arguments.checkpoint:
        return Agent.load(arguments.checkpoint, game=arguments.game)
    try:
        return Agent.load(game=arguments.game)
    except ValueError:
        # Not every game has an agent inside the package.
        return Player("best", game=arguments.game)


def watch(screen: Any, player: Player, arguments: argparse.Namespace, left: int) -> int:
    """Shows, and may play, the best move of each board at rest; returns the number of moves made.

    screen: see ``_Screen``. left: the moves left at the first look; 0 where moves are not counted.
    """
    most = arguments.moves or left
    played = 0
    eyes = _Eyes(screen, arguments)
    before: str | None = None
    while True:
        # Somebody else makes the moves without --click.
        made = played + (before is not None and not arguments.click)
        board, ranked = eyes.settled(player, before, max(left - made, 1) if left else None)
        played = made
        if most and played >= most:
            return played
        if not ranked:
            print("the game is over")
            return played
        best = cells_of_move(ranked[0][0], game=arguments.game)
        _show(board, ranked[: arguments.top], arguments.game, played, left - played if left else None)
        if arguments.copy:
            cells = [cells_of_move(move, game=arguments.game) for move, _ in ranked[: arguments.top]]
            _write(arguments.copy, eyes.last.drawn(moves=cells[:3]))
        before = board
        if arguments.click:
            if not eyes.play(board, best):
                # The board has changed since the advice.
                before = None
                continue
            played += 1
            if most and played >= most:
                return played


class _NoField(ValueError):
    """No field is found, or the field shows no board."""


def _read(pixels: npt.NDArray[np.uint8], arguments: argparse.Namespace, field: Any = None, theme: Any = None) -> Reading:
    try:
        return read_board(pixels, theme=theme or arguments.theme, game=arguments.game, field=field)
    except ValueError as error:
        if "shows no field" in str(error):
            raise _NoField(str(error)) from error
        raise


class _Eyes:
    """Looks at a screen for the field, its board, and whether the board is at rest."""

    def __init__(self, screen: Any, arguments: argparse.Namespace) -> None:
        self._screen = screen
        self._arguments = arguments
        self._find()

    def _find(self) -> None:
        """Looks for the field on all of the screen until a whole board is seen."""
        deadline = self._screen.now() + self._arguments.patience
        while True:
            try:
                self.last = _read(self._screen.grab(None), self._arguments)
                if self.last.sure:
                    break
                seen = "something like a field is seen, but not every cell of it"
            except _NoField:
                seen = "no field is seen"
            except ValueError as error:
                raise Failure(f"the screen cannot be read: {error}; --region watches a part of it", 1) from error
            if self._screen.now() > deadline:
                raise Failure(
                    f"no field of {self._arguments.game} is seen on the screen: {seen}. Is its window open and uncovered? "
                    "--region X,Y,WIDTH,HEIGHT says where to look, and `matchq read --teach` makes a theme of a picture of it",
                    1,
                )
            self._screen.wait(self._arguments.interval)
        left, top, width, height = self.last.field
        columns, rows = self.last.confidence.shape[::-1]
        self._cell = width / columns, height / rows
        # Later looks are at the field and what is next to it.
        x, y = (max(0, int(at - _MARGIN * cell)) for at, cell in zip((left, top), self._cell))
        right, bottom = (
            min(most, int(at + length + _MARGIN * cell) + 1)
            for most, at, length, cell in zip(self._screen.size, (left, top), (width, height), self._cell)
        )
        self._box = x, y, right - x, bottom - y
        self._field = left - x, top - y, width, height
        self._theme = self.last.theme

    def look(self) -> Reading:
        """Reads the board in the field."""
        try:
            return _read(self._screen.grab(self._box), self._arguments, self._field, self._theme)
        except ValueError as error:
            # The theme's file may have changed.
            raise Failure(f"the screen cannot be read: {error}", 1) from error

    def settled(self, player: Player, before: str | None, left: int | None) -> tuple[str, list[tuple[Any, float]]]:
        """The next board at rest that differs from the one before, with its moves.

        A board is at rest if two looks agree on it, all cells are sure, and a game shows it between
        two moves.
        """
        deadline = self._screen.now() + self._arguments.patience
        seen: str | None = None
        refused = ""
        while True:
            reading = self.look()
            board = reading.board
            if reading.sure and board == seen and board != before:
                # A board with a run is not at rest.
                try:
                    ranked = player.rank(board, left)
                    self.last = reading
                    return board, ranked
                except ValueError as error:
                    refused = str(error)
            # A person may think as long as the board is there.
            if board == before and not self._arguments.click:
                deadline = self._screen.now() + self._arguments.patience
            if self._screen.now() > deadline:
                if self._arguments.click:
                    raise Failure(self._lost(board, before, refused), 1)
                print(f"{self._lost(board, before, refused)}; looking for it again", file=sys.stderr)
                self._find()
                deadline = self._screen.now() + self._arguments.patience
            seen = board
            self._screen.wait(self._arguments.interval)

    def _lost(self, board: str, before: str | None, refused: str) -> str:
        seconds = f"{self._arguments.patience:g} seconds"
        if 2 * board.count("?") > len(board):
            return f"the field is lost: for {seconds} no whole board was seen where it was"
        if board == before:
            return (
                f"the clicks changed nothing for {seconds}: does the window take two clicks a move? A window that takes "
                "none for a while after a move needs a longer --interval"
            )
        return f"for {seconds} no board was at rest" + (f": {refused}" if refused else "")

    def play(self, board: str, cells: tuple[tuple[int, int], ...]) -> bool:
        """Clicks on the cells of a move while the board stays; returns whether it did."""
        columns = board.index("\n") + 1
        clicked: set[int] = set()
        for row, column in cells:
            # A clicked gem may look different.
            seen = self.look().board
            if any(old != new for at, (old, new) in enumerate(zip(board, seen)) if at not in clicked):
                return False
            x, y = (
                corner + start + (at + 0.5) * side
                for corner, start, at, side in zip(self._box, self._field, (column, row), self._cell)
            )
            self._screen.click(x, y)
            clicked.add(row * columns + column)
        return True


class _Box(NamedTuple):
    left: int
    top: int
    width: int
    height: int


class _Screen:
    """A part of the real screen, whose pixels are counted from its upper left corner."""

    def __init__(self, region: tuple[int, ...] | None, click: bool) -> None:
        mss = _module("mss", "takes pictures of the screen")
        try:
            self._shots = getattr(mss, "MSS", None) or mss.mss
            self._shots = self._shots()
            self._failure = mss.exception.ScreenShotError
            first = self._shots.monitors[1]
            everything = self._shots.monitors[0]
            whole = _Box(first["left"], first["top"], first["width"], first["height"])
            if region:
                whole = _Box(*region)
                ends = [everything["left"] + everything["width"], everything["top"] + everything["height"]]
                starts = [everything["left"], everything["top"]]
                inside = whole.left >= starts[0] and whole.top >= starts[1]
                if not inside or whole.left + whole.width > ends[0] or whole.top + whole.height > ends[1]:
                    raise Failure(
                        f"--region {','.join(map(str, region))}: it must lie on the screen, which has "
                        f"{everything['width']} by {everything['height']} pixels"
                    )
            self._whole = whole
            shot = self._shots.grab(whole._asdict())
        except mss.exception.ScreenShotError as error:
            raise Failure(f"no picture of the screen can be taken: {error}", 1) from error
        # A point of the mouse may be several pixels.
        self._scale = shot.width / whole.width
        self.size = shot.width, shot.height
        # The Xlib of pyautogui wants a file of authorities, even if the display needs none.
        if not os.path.exists(os.environ.get("XAUTHORITY") or os.path.expanduser("~/.Xauthority")):
            os.environ["XAUTHORITY"] = os.devnull
        # Xlib must not write to standard output, which is for boards.
        with contextlib.redirect_stdout(io.StringIO()):
            self._mouse = _mouse() if click else None
            self._escape = _Escape(required=click)

    def grab(self, box: tuple[int, int, int, int] | None) -> npt.NDArray[np.uint8]:
        """Pixels of a box of the part, or of all: shape (height, width, 3)."""
        x, y, width, height = box or (0, 0, *self.size)
        scale = self._scale
        part = {
            "left": self._whole.left + int(x / scale),
            "top": self._whole.top + int(y / scale),
            "width": int(width / scale),
            "height": int(height / scale),
        }
        try:
            shot = self._shots.grab(part)
        except self._failure as error:
            raise Failure(f"no picture of the screen can be taken any more: {error}", 1) from error
        return np.ascontiguousarray(np.asarray(shot)[:, :, 2::-1])

    def now(self) -> float:
        """Time in seconds."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Waits; raises ``Stopped`` when Escape is pressed."""
        end = self.now() + seconds
        while True:
            if self._escape.pressed():
                raise Stopped("Escape was pressed")
            rest = end - self.now()
            if rest <= 0:
                return
            time.sleep(min(rest, _BLINK))

    def click(self, x: float, y: float) -> None:
        """Clicks on a pixel."""
        if not (0 <= x < self.size[0] and 0 <= y < self.size[1]):
            raise Failure(f"a click at {x:.0f}, {y:.0f} would be outside of what is watched", 1)
        self.wait(0)
        mouse: Any = self._mouse
        try:
            mouse.click(self._whole.left + x / self._scale, self._whole.top + y / self._scale)
        except mouse.FailSafeException as error:
            raise Stopped("the mouse was moved into a corner of the screen") from error


def _module(name: str, does: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise Failure(f"{name} is missing, which {does}: install it with `pip install mss pyautogui`") from error


def _mouse() -> Any:
    try:
        return _module("pyautogui", "moves the mouse")
    # pyautogui exits where Python has no tkinter, and raises its own errors without a display.
    except SystemExit as error:
        raise Failure(f"pyautogui, which moves the mouse, cannot start: {error}", 1) from error
    except Failure:
        raise
    except Exception as error:
        raise Failure(f"pyautogui, which moves the mouse, cannot start: {type(error).__name__} {error}", 1) from error


class _Escape:
    """Remembers whether the Escape key was pressed, whichever window has the keyboard."""

    def __init__(self, required: bool) -> None:
        self._pressed = threading.Event()
        self._error: BaseException | None = None
        try:
            is_down = _escape_key()
            is_down()
        except Exception as error:
            if required:
                raise Failure(f"the Escape key, which stops the clicks, cannot be watched: {error}", 1) from error
            # Ctrl-C stops a command that only watches.
            return

        def watch() -> None:
            try:
                while not self._pressed.wait(_BLINK):
                    if is_down():
                        self._pressed.set()
            except Exception as error:
                self._error = error
                self._pressed.set()

        threading.Thread(target=watch, daemon=True).start()

    def pressed(self) -> bool:
        if self._error:
            raise Failure(f"the Escape key cannot be watched any more: {self._error}", 1)
        return self._pressed.is_set()


def _escape_key() -> Callable[[], bool]:
    """A function that returns whether the Escape key is down."""
    if sys.platform == "win32":
        import ctypes

        return lambda: bool(ctypes.windll.user32.GetAsyncKeyState(0x1B) & 0x8001)
    if sys.platform == "darwin":
        quartz = importlib.import_module("Quartz")
        return lambda: bool(quartz.CGEventSourceKeyState(quartz.kCGEventSourceStateHIDSystemState, 53))
    display = importlib.import_module("Xlib.display").Display()
    code = display.keysym_to_keycode(0xFF1B)
    return lambda: bool(display.query_keymap()[code // 8] >> code % 8 & 1)


def _rectangle(text: str) -> tuple[int, ...]:
    def four(text: str) -> tuple[int, ...]:
        return tuple(int(part) for part in text.split(","))

    return tuple(
        number(
            text,
            four,
            lambda parts: len(parts) == 4 and min(parts[2:]) > 0,
            "left, top, width and height in pixels, such as 0,0,800,600",
        )
    )


def _show(board: str, ranked: list[tuple[Any, float]], game: str, played: int, left: int | None) -> None:
    """Prints the numbered board with the best move in brackets, and the best moves."""
    best = cells_of_move(ranked[0][0], game=game)
    lines = [f"board {played + 1}" + (f", moves left: {left}" if left is not None else "")]
    lines.append("  " + "".join(f" {x % 10} " for x in range(board.index("\n"))))
    for y, row in enumerate(board.split("\n")):
        lines.append(f"{y:<2}" + "".join(f"[{cell}]" if (y, x) in best else f" {cell} " for x, cell in enumerate(row)))
    for rank, (move, value) in enumerate(ranked, 1):
        (y, x), (other_y, other_x) = cells_of_move(move, game=game)
        cells = f"column {x}, rows {y} and {other_y}" if x == other_x else f"row {y}, columns {x} and {other_x}"
        lines.append(f"{rank:3}  swap {cells}  {value:9.2f}")
    # Each board takes the place of the last one on a terminal.
    clear = "\033[H\033[2J" if sys.stdout.isatty() else ""
    print(clear + "\n".join(lines) + "\n", flush=True)


def _check_copy(path: Path) -> None:
    """Refuses a path where no picture can be written."""
    if path.suffix.lower() != ".png":
        raise Failure(f"--copy {path}: it must end in .png")
    if path.is_dir():
        raise Failure(f"--copy {path}: this is a folder")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise Failure(f"--copy {path}: its folder does not exist")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Failure(f"--copy {path}: it cannot be written: {error}") from error


def _write(path: str, pixels: npt.NDArray[np.uint8]) -> None:
    """Writes a picture so that the old or the new one is there at every instant."""
    tools = _module("mss.tools", "writes pictures")
    height, width, _ = pixels.shape
    side = f"{path}.partial"
    try:
        tools.to_png(pixels.tobytes(), (width, height), output=side)
        os.replace(side, path)
    except OSError as error:
        raise Failure(f"--copy {path}: it cannot be written: {error}", 1) from error
