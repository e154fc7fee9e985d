import copy
import random
from collections import deque

import numpy as np
import pytest
from conftest import traces

import matchq


@pytest.mark.parametrize("name, kinds", [("match3.jsonl", 2), ("match3_one_obstacle_kind.jsonl", 1)])
def test_games_follow_the_golden_traces(name, kinds):
    for trace in traces(name):
        game = matchq.GameLogic(trace["seed"], kinds)
        assert game.board() == trace["start"]
        score = 0
        for number, (x, y, vertical, delta, after) in enumerate(trace["moves"]):
            assert (game.moves_left(), game.is_gameover()) == (25 - number, False)
            board, score_delta, over, intermediate = game.play((x, y, vertical))
            assert (board, score_delta, over) == (after, delta, number == 24)
            assert isinstance(intermediate, list)
            score += delta
            assert (game.score(), game.board()) == (score, after)
        assert game.is_gameover()


def test_large_seeds_moves_off_the_board_and_after_the_end_and_boards_on_the_way_follow_the_golden_traces():
    for trace in traces("match3_edge_cases.jsonl"):
        game = matchq.GameLogic(int(trace["seed"]), trace["obstacle_kinds"])
        assert game.board() == trace["start"]
        assert [list(move) for move in game.matching_moves()] == trace["matching_moves"]
        for expected in trace["plays"]:
            board, score_delta, over, intermediate = game.play(expected["move"])
            assert (board, score_delta, over) == (expected["board"], expected["score_delta"], expected["game_over"])
            assert intermediate == expected["intermediate"]
            assert (game.score(), game.moves_left()) == (expected["score"], expected["moves_left"])


def test_every_method_gives_what_the_stand_in_for_the_kit_gives(kit):
    for seed in range(20):
        ours, theirs = matchq.GameLogic(seed), kit[0].GameLogic(seed)
        chance = random.Random(seed)
        for _ in range(27):
            assert ours.matching_moves() == theirs.matching_moves()
            some = (chance.randrange(-1, 9), chance.randrange(-1, 11), chance.random() < 0.5)
            move = chance.choice([some, *theirs.matching_moves()])
            assert ours.play(move) == theirs.play(move)
            for method in ("score", "is_gameover", "board", "moves_left"):
                assert getattr(ours, method)() == getattr(theirs, method)()


def test_types_are_those_of_the_kit():
    game = matchq.GameLogic(0)
    board, delta, over, boards = result = game.play(game.matching_moves()[0])
    assert type(result) is tuple and type(boards) is list
    assert (type(board), type(delta), type(over), type(boards[0])) == (str, int, bool, str)
    assert [type(part) for part in game.matching_moves()[0]] == [int, int, bool]


@pytest.mark.parametrize(
    "move",
    [[2, 6, True], (2, 6, 1), (2, 6, "down"), np.array([2, 6, 1]), (np.int64(2), np.int8(6), np.True_), deque([2, 6, 1])],
)
def test_a_move_may_be_any_three(move):
    assert matchq.GameLogic(0).play(move)[1] == 16


class Its(Exception):
    pass


class Failing(list):
    def __iter__(self):
        raise Its


class FailingNumber:
    def __index__(self):
        raise Its


class FailingTruth:
    def __bool__(self):
        raise Its


@pytest.mark.parametrize("move", [Failing([1, 2, 3]), (FailingNumber(), 0, True), (0, 0, FailingTruth())])
def test_an_exception_of_the_moves_own_comes_out(move):
    game = matchq.GameLogic(0)
    with pytest.raises(Its):
        game.play(move)
    assert game.moves_left() == 25


@pytest.mark.parametrize("move", [(10**30, 0, True), (0, -(10**30), False), (-1, 0, True), (7, 0, False)])
def test_a_move_off_the_board_changes_nothing_but_is_used_up(move):
    game = matchq.GameLogic(0)
    before = game.board()
    assert game.play(move) == (before, -5, False, [])
    assert game.moves_left() == 24


@pytest.mark.parametrize(
    "move, error",
    [
        ((1, 2), ValueError),
        ((1, 2, True, 4), ValueError),
        ((), ValueError),
        (None, TypeError),
        (3, TypeError),
        ("abc", TypeError),
        ("3, 0, True", TypeError),
        (b"123", TypeError),
        (bytearray(b"123"), TypeError),
        ({1, 2, 3}, TypeError),
        ({1: 0, 2: 0, 3: 0}, TypeError),
        (iter([1, 2, 3]), TypeError),
        ((1.0, 2, True), TypeError),
        ((1, 2.5, True), TypeError),
        ((None, 2, True), TypeError),
    ],
)
def test_what_is_no_move_is_refused_and_uses_none_up(move, error):
    game = matchq.GameLogic(0)
    with pytest.raises(error, match=r"a move is \(x, y, vertical\)"):
        game.play(move)
    assert game.moves_left() == 25


@pytest.mark.parametrize(
    "seed, error", [(-1, ValueError), (2**128, ValueError), (10**60, ValueError), (1.5, TypeError), ("7", TypeError)]
)
def test_what_is_no_seed_is_refused(seed, error):
    with pytest.raises(error, match="the seed is .* from 0 to 2"):
        matchq.GameLogic(seed)


@pytest.mark.parametrize("kinds", [-1, 253, 10**20])
def test_a_number_of_obstacle_kinds_out_of_range_is_refused(kinds):
    with pytest.raises(ValueError, match=f"obstacle kinds is {kinds}, but must be from 0 to 252"):
        matchq.GameLogic(0, kinds)


def test_games_without_a_seed_differ():
    assert matchq.GameLogic().board() != matchq.GameLogic(None).board()


def test_a_copy_goes_on_alike_and_by_itself():
    game = matchq.GameLogic(3)
    for same in (copy.copy(game), copy.deepcopy(game)):
        assert same.play((2, 2, True)) == matchq.GameLogic(3).play((2, 2, True))
    assert game.moves_left() == 25


def test_a_copy_of_a_subclass_has_its_class_and_what_it_has_besides():
    class Mine(matchq.GameLogic):
        def __new__(cls, seed, name):
            return super().__new__(cls, seed)

        def __init__(self, seed, name):
            self.name, self.itself = name, self

    game = Mine(3, "x")
    game.moves = [(2, 2, True)]
    flat, deep = copy.copy(game), copy.deepcopy(game)
    assert type(flat) is type(deep) is Mine and flat.board() == deep.board() == game.board()
    game.moves.append((0, 0, False))
    assert len(flat.moves) == 2 and deep.moves == [(2, 2, True)]
    assert deep.name == "x" and deep.itself is deep


def test_actions_are_numbered_as_documented_and_back():
    moves = [matchq.move_of_action(action) for action in range(142)]
    assert len(set(moves)) == 142
    for action, (x, y, vertical) in enumerate(moves):
        assert action == (8 * y + x if vertical else 72 + 7 * y + x)
        assert matchq.action_of_move((x, y, vertical)) == action
    for action in (-1, 142, 10**30):
        with pytest.raises(ValueError, match=f"{action}, but must be a whole number from 0 to 141"):
            matchq.move_of_action(action)
    for action in (1.5, "1", None):
        with pytest.raises(TypeError, match="must be a whole number from 0 to 141"):
            matchq.move_of_action(action)
    assert matchq.move_of_action(np.int8(72)) == (0, 0, False)
    with pytest.raises(ValueError, match=r"\(7, 0, False\) is off the board, which has 8 columns and 10 rows"):
        matchq.action_of_move((7, 0, False))
    with pytest.raises(ValueError, match="off the board"):
        matchq.action_of_move((-1, 0, True))
    with pytest.raises(ValueError, match=rf"\({10**30}, 0, True\) is off the board"):
        matchq.action_of_move((10**30, 0, True))


def test_a_mask_offers_the_moves_of_its_kind():
    game = matchq.GameLogic(0)
    mask = matchq.action_mask(game.board())
    assert (mask.shape, mask.dtype) == ((142,), np.bool_)
    assert set(np.flatnonzero(mask)) == {matchq.action_of_move(move) for move in game.matching_moves()}
    assert matchq.action_mask(game.board(), "legal").all()
    effective = matchq.action_mask(game.board(), kind="effective")
    assert mask.sum() < effective.sum() < 142
    setups = matchq.action_mask(game.board(), kind="setups")
    assert (mask & ~setups).sum() == 0 and (setups & ~effective).sum() == 0 and mask.sum() < setups.sum()
    with pytest.raises(ValueError, match="'best' is no mask of match3: its masks are legal, effective, matching, setups"):
        matchq.action_mask(game.board(), "best")
    with pytest.raises(ValueError, match="at row 0, column 5 of the board .* begins a run"):
        matchq.action_mask("\n".join(["#####bbb"] + ["########"] * 9))
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        matchq.action_mask(game.board(), game="chess")


def test_before_the_last_move_of_a_game_no_set_up_is_offered():
    board = matchq.GameLogic(0).board()
    matching = matchq.action_mask(board, "matching", 1)
    assert matchq.action_mask(board, "setups", 2).sum() > matching.sum()
    np.testing.assert_array_equal(matchq.action_mask(board, "setups", 1), matching)
    with pytest.raises(ValueError, match="26 moves are left, but a game has from 0 to 25"):
        matchq.action_mask(board, moves_left=26)


def test_a_board_is_encoded_as_a_plane_for_each_token_and_the_moves_left_over_25():
    board = matchq.GameLogic(0).board()
    image, scalars = matchq.encode(board, 20)
    assert (image.shape, image.dtype, scalars.dtype) == ((5, 10, 8), np.uint8, np.float32)
    cells = np.array([list(row) for row in board.split("\n")])
    np.testing.assert_array_equal(image, [cells == letter for letter in "abcd#"])
    assert scalars.tolist() == [np.float32(0.8)]
    assert matchq.encode(board)[1].tolist() == [1.0]
    with pytest.raises(ValueError, match="the board must have 10 rows, not 9"):
        matchq.encode(board[9:])
    with pytest.raises(TypeError, match="moves_left is 1.5, but must be a whole number"):
        matchq.encode(board, 1.5)


def test_a_board_is_judged_by_the_rules_that_are_given():
    # Ten rows, eight of them filled but for a column: a T that stands up loses, but not below twenty rows.
    board = "\n".join(["...TTT....", "....T.....", *[".........."] * 2, *["#########."] * 8])
    ten = {"game": "tetris", "rules": {"rows": 10}}
    assert (matchq.encode(board, **ten)[1], matchq.encode(board, game="tetris")[1]) == (0.5, 1.0)
    assert matchq.action_mask(board, "safe", **ten).sum() == 17
    assert matchq.action_mask(board, "safe", game="tetris").sum() == 34
    with pytest.raises(ValueError, match="has no rules"):
        matchq.encode(board, game="tetris", rules={"columns": 3})
