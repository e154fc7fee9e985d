"""matchq.evaluate and matchq.compare: the program's figures, also of functions."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import matchq

CLOCK = ("seconds", "games_per_second", "milliseconds_per_move")


def without_clock(player):
    # The program writes moves apart.
    return {key: value for key, value in player.items() if key not in {*CLOCK, "moves"}}


def first_offered(observation, masks):
    """A policy: the first move of the mask."""
    assert observation["board"].shape[0] == masks.shape[0]
    return masks.argmax(axis=1)


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_comparison_is_that_of_the_program(program):
    arguments = ("--players", "greedy,cascade", "--games", "40", "--seed", "3", "--luck", "20", "--json", "-")
    expected = run(program, "compare", *arguments)
    compared = matchq.compare({"greedy": "greedy", "cascade": matchq.Player("cascade")}, games=40, seed=3, luck=20)
    assert compared["pairs"] == expected["pairs"]
    assert [without_clock(player) for player in compared["players"]] == [without_clock(player) for player in expected["players"]]
    assert compared["players"][0]["seconds"] > 0


def test_an_evaluation_is_that_of_the_program(program):
    for player, game, games in [("greedy", "match3", 30), ("ranked", "bejeweled", 5), ("tile-match-fitted", "tile-match", 5)]:
        expected = run(program, "eval", "--player", player, "--game", game, "--games", str(games), "--seed", "7", "--json", "-")
        found = matchq.evaluate(player, game=game, seeds=range(7, 7 + games))
        assert without_clock(found) == without_clock(expected)


def test_a_function_plays_the_seeds_games_to_their_ends():
    found = matchq.evaluate(first_offered, seeds=range(10, 310))
    assert found["player"] == "first_offered" and found["games"] == len(found["scores"]) == 300
    assert all(len(moves) == 25 for moves in found["moves"])
    # The kit's own game of a seed, by the same moves.
    for place in (0, 255, 256, 299):
        game = matchq.GameLogic(10 + place)
        for move in found["moves"][place]:
            masks = matchq.action_mask(game.board(), moves_left=game.moves_left())
            assert matchq.action_of_move(move) == masks.argmax()
            game.play(tuple(move))
        assert game.score() == found["scores"][place]


def test_functions_stand_beside_players_in_other_games():
    def agents_choice(observation, masks):
        return agent.act(observation)

    agent = matchq.Agent.load("tile-match-dqn")
    compared = matchq.compare({"mine": agents_choice, "agent": agent}, games=3, seed=1)
    mine, own = compared["players"]
    assert mine["scores"] == own["scores"] and mine["game"] == "tile-match"
    assert compared["pairs"][0]["mean"] == 0


def test_seeds_of_any_size_and_kind_are_played():
    far = 2**64 + 3
    found = matchq.compare({"text": "greedy", "mine": matchq.Player("greedy")}, games=2, seed=far)
    assert [player["seed"] for player in found["players"]] == [far, far]
    assert matchq.evaluate(first_offered, seeds=range(far, far + 2))["seed"] == far
    assert matchq.compare({"mine": first_offered}, games=2, seed=np.int64(3))["players"][0]["seed"] == 3
    assert matchq.evaluate("greedy", game="bejeweled", seeds=2, rules={"moves": 30})["rules"]["moves"] == 30


def test_what_cannot_be_judged_gets_a_sentence():
    too_few = lambda observation, masks: np.zeros(3, np.int64)  # noqa: E731
    off = lambda observation, masks: np.full(len(masks), 142)  # noqa: E731
    for players, kind, sentence in [
        ({}, ValueError, "at least one"),
        ({"mine": 3}, TypeError, "mine is 3"),
        ({"mine": "nobody"}, ValueError, "no player or agent 'nobody'"),
        ({"mine": too_few}, TypeError, r"mine gave int64 of shape \(3,\), but 5 whole numbers are needed"),
        ({"mine": off}, ValueError, "mine: the action of game 0"),
        ({"one": matchq.Player("greedy"), "two": matchq.Player("greedy", game="bilging")}, ValueError, "two plays bilging, not match3|one plays match3, not bilging"),
        ({"one": matchq.Player("greedy"), "two": matchq.Player("greedy", rules={"obstacle_kinds": 1})}, ValueError, "two plays by the rules"),
        ({"mine": matchq.Player("greedy", game="tile-match")}, ValueError, "mine plays tile-match, not match3"),
    ]:
        given = {"game": "match3"} if "mine" in players else {}
        with pytest.raises(kind, match=sentence):
            matchq.compare(players, games=5, **given)
    with pytest.raises(ValueError, match="Player plays by the rules"):
        matchq.evaluate(matchq.Player("greedy"), seeds=5, rules={"obstacle_kinds": 0})
    for luck in (0, -1, 200_000):
        with pytest.raises(ValueError, match="luck is"):
            matchq.evaluate("greedy", seeds=2, luck=luck)
    for seeds in (range(0, 10, 2), [1, 2], 0):
        with pytest.raises(ValueError):
            matchq.evaluate("greedy", seeds=seeds)
    with pytest.raises(ValueError, match="games is 0"):
        matchq.compare({"greedy": "greedy"}, games=0)
    with pytest.raises(ValueError, match="the seeds of all games"):
        matchq.evaluate("greedy", seeds=range(2**128 - 3, 2**128 + 1))


@pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
@pytest.mark.parametrize("work", ["matchq.evaluate('best:sims=1000', seeds=1000)", "matchq.evaluate('random', seeds=2000, luck=1000)"])
def test_ctrl_c_ends_long_work_at_once(work):
    code = f"import matchq\nprint('begin', flush=True)\n{work}"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begin\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode != 0 and "KeyboardInterrupt" in told


def test_the_last_seed_there_is_can_be_played():
    assert matchq.evaluate("random", seeds=range(2**128 - 1, 2**128))["seed"] == 2**128 - 1
