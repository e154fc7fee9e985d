import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from conftest import KIT, ROOT

import matchq
from matchq import _watch
from matchq._tools import Failure

PICTURES = ROOT / "tests" / "pictures"
BOARD = (PICTURES / "board.txt").read_text().rstrip("\n")


def watch(*arguments, **environment):
    command = [sys.executable, "-m", "matchq", "watch", *arguments]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)


# Reading


def test_a_board_is_read_from_a_file_and_from_pixels_by_the_theme_that_fits():
    read = matchq.read_board(PICTURES / "board.png", game="match3")
    assert (read.board, read.sure, read.theme) == (BOARD, True, "match3")
    assert read.confidence.shape == (10, 8) and read.confidence.min() > 0.9
    left, top, width, height = read.field
    assert 0 <= left < 60 and 0 <= top < 60 and abs(width / 8 - height / 10) < 0.01
    pixels = read.drawn([(0, 0), (1, 0)])
    assert pixels.dtype == np.uint8 and pixels.shape[2] == 3
    # The frame is thick and orange.
    x, y = round(left + 0.5 * width / 8), round(top + 2)
    assert tuple(pixels[y, x]) == (255, 150, 0)
    for cell in ((-1, 0), (0, 8)):
        with pytest.raises(ValueError, match="there is no cell .*: the field has 10 rows and 8 columns"):
            read.drawn([cell])
    assert tuple(read.drawn()[y, x]) != (255, 150, 0)
    assert matchq.read_board(PICTURES / "board.png", theme="match3", field=read.field).board == BOARD
    # A field at the picture's edge may be found to reach a little beyond.
    left, top, width, height = (round(length) for length in read.field)
    flush = np.ascontiguousarray(matchq.read_board(PICTURES / "board.png").drawn()[top + 1 : top + height, left + 1 : left + width])
    found = matchq.read_board(flush, theme="match3")
    assert matchq.read_board(flush, theme="match3", field=found.field).field == found.field


def test_what_cannot_be_read_is_said(tmp_path):
    grey = np.full((50, 60, 3), 99, np.uint8)
    with pytest.raises(ValueError, match="the picture shows no field of 8 by 10 gems"):
        matchq.read_board(grey)
    with pytest.raises(ValueError, match=r"shape \(50, 60, 4\)"):
        matchq.read_board(np.zeros((50, 60, 4), np.uint8))
    with pytest.raises(TypeError, match="a picture is a path or uint8"):
        matchq.read_board(3)
    with pytest.raises(ValueError, match="cannot be read"):
        matchq.read_board(tmp_path / "none.png")
    with pytest.raises(ValueError, match="there is no theme \"none\": it must be one of match3"):
        matchq.read_board(grey, theme="none")
    with pytest.raises(ValueError, match="there is no theme for pictures of tetris"):
        matchq.read_board(grey, game="tetris")
    with pytest.raises(ValueError, match="the theme kit has 8 columns and 10 rows; bejeweled has 8 and 8"):
        matchq.read_board(grey, theme="kit", game="bejeweled")
    (tmp_path / "other.toml").write_text("columns = 8\nrows = 8\n" + "".join(
        f'[[gem]]\nletter = "{letter}"\ncolour = "#{colour}"\n' for letter, colour in (("B", "0000ff"), ("x", "ff0000"))
    ))
    with pytest.raises(ValueError, match="other.toml has the letter x, which bejeweled does not have"):
        matchq.read_board(grey, theme=str(tmp_path / "other.toml"), game="bejeweled")
    with pytest.raises(ValueError, match=r"the field \(0, 0, 100, 100\): it must lie within"):
        matchq.read_board(grey, field=(0, 0, 100, 100))


# Players by name


def test_any_player_ranks_the_moves_of_a_board():
    player = matchq.Player("greedy", game="match3")
    ranked = player.rank(BOARD, 7)
    assert ranked[0][0] == player.act(BOARD, 7)
    assert [value for _, value in ranked] == sorted((value for _, value in ranked), reverse=True)
    assert matchq.cells_of_move(ranked[0][0]) == _cells(ranked[0][0])
    with pytest.raises(ValueError, match="there is no player or agent 'nobody' of match3"):
        matchq.Player("nobody")
    assert not hasattr(player, "q_values") and repr(player) == "<matchq.Player: greedy of match3>"
    assert (matchq.moves_of_a_game(), matchq.moves_of_a_game("tetris")) == (25, 0)


def _cells(move):
    x, y, vertical = move
    return ((y, x), (y + 1, x) if vertical else (y, x + 1))


# Watching a screen of pictures


class Screen:
    """A screen that shows pictures in turn, the last for good, and the next of ``answers`` after
    two clicks.
    """

    def __init__(self, pictures, answers=(), looks=1_000):
        self.pictures, self.answers, self.looks = list(pictures), list(answers), looks
        self.clicks, self.time = [], 0.0
        self.size = pictures[0].shape[1], pictures[0].shape[0]

    def grab(self, box):
        self.looks -= 1
        if self.looks < 0:
            raise _watch.Stopped("that was all")
        picture = self.pictures.pop(0) if len(self.pictures) > 1 else self.pictures[0]
        x, y, width, height = box or (0, 0, *self.size)
        return np.ascontiguousarray(picture[y : y + height, x : x + width])

    def now(self):
        return self.time

    def wait(self, seconds):
        self.time += seconds

    def click(self, x, y):
        self.clicks.append((x, y))
        if len(self.clicks) % 2 == 0 and self.answers:
            self.pictures = self.answers.pop(0)


CELL, EDGE = 72, 20


def pixels(board):
    """A board in the colours and forms of the kit's window."""
    colours = {"a": (255, 0, 0), "b": (0, 255, 0), "c": (0, 0, 255), "d": (0, 255, 255), "#": (100, 100, 100)}
    picture = np.full((10 * CELL + 2 * EDGE, 8 * CELL + 2 * EDGE + 90, 3), 255, np.uint8)
    v, u = np.mgrid[0:CELL, 0:CELL] - (CELL - 1) / 2
    for y, row in enumerate(board.split("\n")):
        for x, letter in enumerate(row):
            if letter == "#":
                inside = (abs(u) < 34.5) & (abs(v) < 34.5)
            else:
                corners = "abcd".index(letter) + 3
                middles = (np.arange(corners) + 0.5) * 2 * np.pi / corners
                near = 34.5 * np.cos(np.pi / corners)
                inside = np.all([u * np.sin(turn) + v * np.cos(turn) < near for turn in middles], axis=0)
            top, left = EDGE + y * CELL, EDGE + x * CELL
            picture[top : top + CELL, left : left + CELL][inside] = colours[letter]
    return picture


def arguments(*given):
    parser = argparse.ArgumentParser()
    _watch.add_arguments(parser)
    return parser.parse_args(["--interval", "0.25", *given])


def played(moves, agent, seed=5):
    """The boards of a game of so many of the agent's moves."""
    game = matchq.GameLogic(seed)
    boards = [game.board()]
    for _ in range(moves):
        game.play(agent.act(game.board(), game.moves_left()))
        boards.append(game.board())
    return boards


def test_each_board_at_rest_is_shown_with_its_best_moves_and_drawn_on_a_copy(tmp_path, capsys):
    player = matchq.Player("greedy")
    first, second = played(1, player)
    white = np.full_like(pixels(first), 255)
    shown = [pixels(first)] * 4 + [pixels(second), white, pixels(second), pixels(second)]
    copy = tmp_path / "copy.png"
    with pytest.raises(_watch.Stopped):
        _watch.watch(Screen(shown, looks=12), player, arguments("--top", "3", "--copy", str(copy)), 25)
    boards = capsys.readouterr().out.strip().split("\n\n")
    assert [board.split("\n")[0] for board in boards] == ["board 1, moves left: 25", "board 2, moves left: 24"]
    for text, board, left in zip(boards, (first, second), (25, 24)):
        lines = text.split("\n")
        ranked = player.rank(board, left)
        assert lines[1] == "   0  1  2  3  4  5  6  7 " and [line[:2] for line in lines[2:12]] == [f"{y} " for y in range(10)]
        letters = "".join(line[2:] for line in lines[2:12])
        assert letters.replace("[", "").replace("]", "").replace(" ", "") == board.replace("\n", "")
        (y, x), (other_y, other_x) = matchq.cells_of_move(ranked[0][0])
        swap = f"column {x}, rows {y} and {y + 1}" if x == other_x else f"row {y}, columns {x} and {x + 1}"
        assert lines[12] == f"  1  swap {swap}  {ranked[0][1]:9.2f}" and len(lines) == 15
        assert lines[2 + y][2 + 3 * x : 5 + 3 * x] == f"[{board.split()[y][x]}]"
        assert lines[2 + other_y][2 + 3 * other_x] == "["
    # The letters do not hide the gems, and half a cell is left around the field.
    assert matchq.read_board(copy, theme="kit", field=(EDGE, EDGE, 8 * CELL, 10 * CELL)).board == second
    assert [path.name for path in tmp_path.iterdir()] == ["copy.png"]


def test_the_best_move_is_clicked_in_the_middle_of_its_cells_and_the_moves_are_counted(capsys):
    agent = matchq.Agent.load()
    boards = played(3, agent)
    # A board is not at rest while gems fall, though two looks agree: a run is on it, or a cell is
    # unsure.
    falling = pixels(boards[1])
    falling[EDGE + 5 : EDGE + CELL, EDGE : EDGE + CELL] = 255
    run = "aaa" + boards[1][3:]
    between = [falling] * 3 + [pixels(run)] * 3
    screen = Screen([pixels(boards[0])], [between + [pixels(boards[1])], [pixels(boards[2])], [pixels(boards[3])]])
    assert _watch.watch(screen, agent, arguments("--click", "--moves", "3"), 25) == 3
    cells = [cell for left, board in zip((25, 24, 23), boards) for cell in matchq.cells_of_move(agent.act(board, left))]
    assert screen.clicks == [
        (pytest.approx(EDGE + (x + 0.5) * CELL, abs=1.5), pytest.approx(EDGE + (y + 0.5) * CELL, abs=1.5)) for y, x in cells
    ]
    assert "board 3, moves left: 23" in capsys.readouterr().out


def test_moves_of_bejeweled_are_clicked_as_its_ranked_player_chooses_them():
    picture = matchq.read_board(PICTURES / "bejeweled.png", game="bejeweled")
    left, top, width, height = (round(length) for length in picture.field)
    drawn = picture.drawn()
    cells = {}
    for y, row in enumerate(picture.board.split("\n")):
        for x, letter in enumerate(row):
            cells[letter] = drawn[top + y * height // 8 :, left + x * width // 8 :][: height // 8, : width // 8]

    def show(board):
        field = np.concatenate([np.concatenate([cells[letter] for letter in row], 1) for row in board.split("\n")])
        return np.pad(field, ((30, 30), (30, 30), (0, 0)), constant_values=25)

    player = matchq.Player("ranked", game="bejeweled")
    env = gymnasium.make("matchq/Bejeweled-v0", render_mode="ansi")
    env.reset(seed=4)
    boards, moves = [env.unwrapped.render()], []
    for _ in range(8):
        moves.append(player.act(boards[-1]))
        env.step(matchq.action_of_move(moves[-1], game="bejeweled"))
        boards.append(env.unwrapped.render())
    screen = Screen([show(boards[0])], [[show(board)] for board in boards[1:]])
    given = arguments("--game", "bejeweled", "--click", "--moves", "8")
    assert _watch.watch(screen, player, given, 0) == 8
    side = width // 8
    assert [(int(y - 30) // side, int(x - 30) // side) for x, y in screen.clicks] == [
        cell for move in moves for cell in matchq.cells_of_move(move, game="bejeweled")
    ]


def test_a_board_that_moves_before_the_click_is_not_clicked():
    player = matchq.Player("greedy")
    first, second = played(1, player)
    # The field is found and two looks agree; the third, just before the click, sees another board.
    screen = Screen([pixels(first)] * 3 + [pixels(second)], looks=8)
    with pytest.raises(_watch.Stopped):
        _watch.watch(screen, player, arguments("--click"), 25)
    best = matchq.cells_of_move(player.act(second, 25))
    assert len(screen.clicks) == 2
    assert screen.clicks[0] == pytest.approx((EDGE + (best[0][1] + 0.5) * CELL, EDGE + (best[0][0] + 0.5) * CELL), abs=1.5)


def test_a_board_that_changes_between_the_two_clicks_gets_no_second_one():
    player = matchq.Player("greedy")
    first, second = played(1, player)
    # The looks are: find, two looks, the look before the first click; then another board.
    screen = Screen([pixels(first)] * 4 + [pixels(second)], looks=9)
    with pytest.raises(_watch.Stopped):
        _watch.watch(screen, player, arguments("--click"), 25)
    of = [matchq.cells_of_move(player.act(board, 25)) for board in (first, second)]
    cells = [of[0][0], *of[1]]
    assert screen.clicks == [
        pytest.approx((EDGE + (x + 0.5) * CELL, EDGE + (y + 0.5) * CELL), abs=1.5) for y, x in cells
    ]


def test_who_only_watches_is_told_of_a_lost_field_which_is_then_found_elsewhere(capsys):
    player = matchq.Player("greedy")
    first, second = played(1, player)
    moved = np.roll(pixels(second), 30, axis=1)
    screen = Screen([pixels(first)] * 3 + [np.full_like(moved, 255)] * 25 + [moved], looks=40)
    with pytest.raises(_watch.Stopped):
        _watch.watch(screen, player, arguments("--patience", "5"), 25)
    told = capsys.readouterr()
    assert "board 2, moves left: 24" in told.out and told.err.startswith("the field is lost: for 5 seconds")


def test_a_game_that_is_over_ends_it_well(capsys):
    lost = "\n".join(("RWYBPOGR", "BPOGRWYB")[row % 2] for row in range(8))
    assert matchq.Player("ranked", game="bejeweled").rank(lost) == []

    class Ended:
        def rank(self, board, left):
            return []

    screen = Screen([pixels(matchq.GameLogic(3).board())])
    assert _watch.watch(screen, Ended(), arguments("--click"), 25) == 0
    assert capsys.readouterr().out == "the game is over\n" and screen.clicks == []


@pytest.mark.parametrize(
    "answers, sentence",
    [
        (lambda board: [[np.full_like(pixels(board), 255)]], "the field is lost: for 5 seconds no whole board was seen"),
        (lambda board: [], "the clicks changed nothing for 5 seconds"),
        (lambda board: [[pixels("aaa" + board[3:])]], "for 5 seconds no board was at rest"),
    ],
)
def test_a_lost_field_and_clicks_without_effect_end_it(answers, sentence):
    player = matchq.Player("greedy")
    board = matchq.GameLogic(6).board()
    screen = Screen([pixels(board)], answers(board))
    with pytest.raises(Failure, match=sentence) as failure:
        _watch.watch(screen, player, arguments("--click", "--patience", "5"), 25)
    assert failure.value.code == 1 and len(screen.clicks) == 2


def test_a_screen_without_a_field_ends_it():
    screen = Screen([np.full((300, 300, 3), 80, np.uint8)])
    with pytest.raises(Failure, match="no field of match3 is seen on the screen") as failure:
        _watch.watch(screen, matchq.Player("greedy"), arguments("--patience", "1"), 25)
    assert failure.value.code == 1


@pytest.mark.parametrize(
    "given, sentence",
    [
        (["--theme", "nix"], "there is no theme \"nix\": it must be one of match3"),
        (["--theme", "kit", "--game", "bejeweled"], "the theme kit has 8 columns and 10 rows; bejeweled has 8 and 8"),
        (["--game", "chess"], "there is no game 'chess'"),
        (["--player", "nobody"], "there is no player or agent 'nobody' of match3"),
        (["--player", "greedy", "--checkpoint", "c"], "--player and --checkpoint"),
        (["--checkpoint", "/no/such/c"], "/no/such/c"),
        (["--moves-left", "26"], "--moves-left 26: a game of match3 has 25 moves"),
        (["--moves-left", "3", "--game", "bejeweled"], "--moves-left: the moves of bejeweled are not counted"),
        (["--copy", "/no/such/folder/x.png"], "--copy /no/such/folder/x.png: its folder does not exist"),
        (["--copy", "x.jpg"], "--copy x.jpg: it must end in .png"),
        (["--copy", "/proc/x.png"], "--copy /proc/x.png: it cannot be written"),
        (["--moves", "3", "--moves-left", "2"], "--moves 3: only 2 moves are left"),
        (["--moves", "26"], "--moves 26: only 25 moves are left"),
        (["--game", "tetris"], "--game tetris: its moves do not swap two cells"),
        (["--region", "1,2,3"], "--region: '1,2,3' must be left, top, width and height"),
        (["--interval", "0"], "--interval: '0' must be a number above 0"),
    ],
)
def test_wrong_arguments_are_named(given, sentence):
    done = watch(*given)
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr


def test_who_has_no_mss_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mss", None)
    with pytest.raises(Failure, match="mss is missing, which takes pictures of the screen: install it with `pip install") as failure:
        _watch.run(arguments())
    assert failure.value.code == 2


# A real window


def importable(*names):
    """Whether the modules can be imported; some exit where they cannot."""
    code = "; ".join(f"import {name}" for name in names)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, env=os.environ).returncode == 0


@pytest.fixture
def display():
    """A virtual screen."""
    if not shutil.which("Xvfb"):
        pytest.skip("there is no Xvfb")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1024x800x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as number:
        name = f":{number.readline().strip()}"
    yield name
    server.terminate()
    server.wait()


@pytest.fixture
def window(display, monkeypatch):
    """Opens the stand-in's window with a game of a seed."""
    monkeypatch.setenv("DISPLAY", display)
    # The program does the same for itself.
    monkeypatch.setenv("XAUTHORITY", os.devnull)
    monkeypatch.setenv("PYTHONPATH", str(KIT))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    if not importable("mss", "pyautogui", "pygame"):
        pytest.skip("mss, pyautogui or pygame is missing")
    opened = []

    def open_window(seed):
        command = [sys.executable, str(Path(__file__).parent / "kit_window.py"), str(seed), "20"]
        opened.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))
        return opened[-1]

    yield open_window
    for process in opened:
        process.kill()
        process.communicate()


def test_a_whole_game_is_read_and_played_in_a_real_window_and_ends_with_the_score_that_was_foretold(window):
    process = window(7)
    # A file of authorities need not exist.
    done = watch("--click", XAUTHORITY="/no/such/file")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.endswith("25 moves were played\n")
    out, _ = process.communicate(timeout=60)
    scores = []
    agent = matchq.Agent.load()
    game = matchq.GameLogic(7)
    while not game.is_gameover():
        scores.append(game.play(agent.act(game.board(), game.moves_left()))[1])
    assert out.splitlines()[-1] == f"score {sum(scores)}"


PRESS = "pyautogui.keyDown('escape'); time.sleep(0.06); pyautogui.keyUp('escape')"
# The mouse is moved again and again, since a click may take it out of the corner.
CORNER = "pyautogui.FAILSAFE = False\nfor _ in range(40): pyautogui.moveTo(0, 0); time.sleep(0.02)"


@pytest.mark.parametrize(
    "gesture, reason", [(PRESS, "Escape was pressed"), (CORNER, "the mouse was moved into a corner of the screen")]
)
def test_escape_and_the_mouse_in_a_corner_stop_the_clicks_in_a_real_window(window, gesture, reason):
    window(8)
    command = [sys.executable, "-m", "matchq", "watch", "--click"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # Many boards follow the first.
    assert process.stdout.readline() == "board 1, moves left: 25\n"
    subprocess.run([sys.executable, "-c", f"import pyautogui, time\n{gesture}"], check=True)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "") and out.endswith(f"stopped: {reason}\n")


def test_a_region_beyond_a_real_screen_is_refused(window):
    done = watch("--region", "900,0,200,300")
    assert done.returncode == 2 and done.stdout == ""
    assert "--region 900,0,200,300: it must lie on the screen, which has 1024 by 800 pixels" in done.stderr
