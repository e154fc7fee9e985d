import html
import itertools
import json
import pickle
import subprocess
import xml.etree.ElementTree as xml

import pytest
from conftest import ROOT

import matchq


def first_move(observation, masks):
    return masks.argmax(axis=1)


def test_given_moves_lead_through_the_boards_and_scores_of_the_game():
    game = matchq.GameLogic(5)
    boards, scores, moves = [game.board()], [0], []
    while not game.is_gameover():
        moves.append(game.matching_moves()[-1])
        game.play(moves[-1])
        boards.append(game.board())
        scores.append(game.score())
    played = matchq.replay(moves, seed=5)
    assert (list(played.boards), list(played.scores), list(played.moves)) == (boards, scores, moves)
    assert (played.is_over, played.score, played.seed, played.game) == (True, scores[-1], 5, "match3")
    assert played.rules == {"obstacle_kinds": 2}
    part = matchq.replay(iter(moves), seed=5, moves=3)
    assert (part.boards, part.is_over) == (played.boards[:4], False)
    assert matchq.replay(itertools.repeat((0, 0, True)), moves=3).boards == matchq.replay([(0, 0, True)] * 3).boards
    assert {played: "can be kept"}[played]


@pytest.mark.parametrize("player, game", [("plan", None), ("dqn", None), ("greedy", "bilging"), ("random", "bejeweled")])
def test_a_players_game_is_the_one_that_it_is_evaluated_in(player, game):
    played = matchq.replay(player, game=game, seed=7, moves=None)
    told = matchq.evaluate(player, game=game, seeds=range(7, 8))
    assert (played.is_over, [played.score]) == (True, told["scores"])
    assert json.loads(json.dumps(played.moves)) == told["moves"][0]


def test_a_function_plays_too_and_by_given_rules():
    played = matchq.replay(first_move, seed=3, rules={"obstacle_kinds": 0})
    assert played.rules == {"obstacle_kinds": 0} and "#" not in played.boards[0]
    told = matchq.evaluate(first_move, seeds=range(3, 4), rules={"obstacle_kinds": 0})
    assert [played.score] == told["scores"]
    assert len(matchq.replay(first_move, game="tetris", moves=4).moves) == 4


def test_a_game_that_hardly_ends_is_cut():
    played = matchq.replay("tetris-shapes", moves=30)
    assert (len(played.moves), len(played.boards), played.is_over, played.game) == (30, 31, False, "tetris")


def test_pictures_are_those_of_the_program(program, tmp_path):
    for player, game, moves in [("greedy", "match3", 25), ("tetris-shapes", "tetris", 12)]:
        files = [tmp_path / f"{game}.{kind}" for kind in ("gif", "svg")]
        command = [program, "replay", "--game", game, "--seed", "4", "--player", player, "--moves", str(moves)]
        subprocess.run([*command, "--gif", files[0], "--svg", files[1]], check=True, capture_output=True)
        played = matchq.replay(player, game=game, seed=4, moves=moves)
        assert played.gif(tmp_path / "own.gif") == files[0].read_bytes() == (tmp_path / "own.gif").read_bytes()
        assert played.svg(tmp_path / "own.svg").encode() == files[1].read_bytes() == (tmp_path / "own.svg").read_bytes()
        assert played._repr_svg_() == played.svg()


def test_what_is_wrong_is_a_sentence_and_leaves_nothing_behind(tmp_path):
    wrong = [
        (ValueError, r"moves\[1\] is 'x'", [[(0, 0, True), "x"]], {}),
        (ValueError, r"the game is over before moves\[25\]", [[(0, 0, True)] * 26], {}),
        (ValueError, "seed is -1", ["greedy"], {"seed": -1}),
        (ValueError, "moves is -1", ["greedy"], {"moves": -1}),
        (TypeError, "seed is 'x', but must be a whole number", ["greedy"], {"seed": "x"}),
        (TypeError, "moves is 2.0, but must be a whole number", ["greedy"], {"moves": 2.0}),
        (ValueError, "the player plays match3, not tetris", [matchq.Player("greedy")], {"game": "tetris"}),
        (ValueError, "obstacle_kinds", [matchq.Player("greedy")], {"rules": {"obstacle_kinds": 1}}),
        (ValueError, "nobody", ["nobody"], {}),
        (TypeError, "is no player and no moves", [7], {}),
    ]
    for error, sentence, given, named in wrong:
        with pytest.raises(error, match=sentence):
            matchq.replay(*given, **named)
    with pytest.raises(OSError):
        matchq.replay([]).gif(ROOT / "README.md" / "no.gif")
    # Only the last step fails: a folder is in the way.
    (tmp_path / "full").mkdir()
    with pytest.raises(OSError):
        matchq.replay([]).gif(tmp_path / "full")
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def tokens(picture):
    """The cells of a picture in SVG that show a token."""
    return [use for use in xml.fromstring(picture).iter("{http://www.w3.org/2000/svg}use") if use.get("href") != "#e"]


def test_a_board_is_a_text_that_notebooks_draw():
    board = matchq.Board(matchq.GameLogic(1).board())
    assert board == matchq.GameLogic(1).board() and isinstance(board, str)
    assert len(tokens(board._repr_svg_())) == 80 and "<animate" not in board._repr_svg_()
    # Not only what a game shows: a board that was read in part, and another game's.
    assert len(tokens(matchq.Board("ab?\n..#")._repr_svg_())) == 3
    assert len(tokens(matchq.Board("abcdef\ngfedcb", game="bilging")._repr_svg_())) == 12
    assert pickle.loads(pickle.dumps(matchq.Board("ab", "tetris"))).game == "tetris"
    assert matchq.Agent.load().act(board) == matchq.Agent.load().act(str(board))
    with pytest.raises(TypeError, match="a board is a text, not None"):
        matchq.Board(None)
    with pytest.raises(ValueError, match="chess"):
        matchq.Board("ab", "chess")
    assert matchq.GameLogic(1)._repr_svg_() == board._repr_svg_()


def test_evaluations_and_comparisons_are_dictionaries_that_notebooks_show_as_tables():
    told = matchq.evaluate("greedy", seeds=20, luck=5)
    assert isinstance(told, dict)
    table = told._repr_html_()
    for figure in (told, told["luck_adjusted"]):
        assert f"{figure['mean']:,.1f} ± {figure['half_width']:,.1f}" in table
    one = matchq.evaluate("greedy", seeds=1, luck=5)
    assert f"{one['mean']:,.1f}<" in one._repr_html_() and "±" not in one._repr_html_()
    compared = matchq.compare({"<b>": "random", "mine": first_move}, games=5)
    tables = xml.fromstring(f"<div>{compared._repr_html_()}</div>")
    rows = [["".join(cell.itertext()) for cell in row] for row in tables.iter("tr")]
    assert rows[1][0] == "<b>" and html.escape("<b>") in compared._repr_html_()
    # Luck was not asked for, and a function's time is unknown.
    assert rows[0] == ["player", "games", "score", "ms a move"] and rows[2][3] == ""
    assert rows[4][:2] == [compared["pairs"][0]["player"], compared["pairs"][0]["than"]]
    assert len(matchq.compare({"a": "random"}, games=2)._repr_html_().split("<table")) == 2
