"""Players, agents, games and environments in other processes: by pickle, by fork, by copies."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from conftest import ROOT

import matchq
from matchq.envs import GameEnv, GameVectorEnv

BOARD = matchq.GameLogic(5).board()
WALL = "\n".join(["...J......", "...JJJ...."] + ["." * 10] * 19 + ["#########."])


def travelled(what):
    return pickle.loads(pickle.dumps(what))


def test_a_player_travels_with_its_game_and_rules():
    for text, game, board in [("cascade", "match3", BOARD), ("rollout:sims=20", "match3", BOARD), ("tetris-shapes", "tetris", WALL)]:
        player = matchq.Player(text, game=game)
        for same in (travelled(player), copy.copy(player), copy.deepcopy(player)):
            assert repr(same) == repr(player) and same.rank(board) == player.rank(board)
    player = travelled(matchq.Player("cascade", rules={"obstacle_kinds": 1}))
    assert player.__getnewargs_ex__()[1]["rules"] == {"obstacle_kinds": 1}


def test_an_agent_travels_with_its_file(tmp_path, monkeypatch):
    (tmp_path / "mine.safetensors").write_bytes((ROOT / "checkpoints" / "dqn" / "best.safetensors").read_bytes())
    monkeypatch.chdir(tmp_path)
    agent = matchq.Agent.load("mine.safetensors")
    searching = matchq.Agent.load("mine.safetensors", search="sims=50")
    player = matchq.Player("mine.safetensors")
    bytes_of = [pickle.dumps(what) for what in (agent, searching, player)]
    values = agent.q_values(BOARD)
    (tmp_path / "mine.safetensors").unlink()
    same, also_searching, same_player = map(pickle.loads, bytes_of)
    assert np.array_equal(same.q_values(BOARD), values) and same.act(BOARD) == agent.act(BOARD)
    assert repr(same) == repr(agent) and repr(also_searching) == repr(searching)
    assert also_searching.rank(BOARD) == searching.rank(BOARD) and same_player.rank(BOARD) == player.rank(BOARD)
    assert copy.deepcopy(agent) is agent


class Named(matchq.GameLogic):
    def __init__(self, *_):
        self.name = "mine"


def test_a_game_of_the_kit_travels_with_its_random_numbers():
    for game in (matchq.GameLogic(3), Named(3), matchq.GameLogic(3, obstacle_kinds=1)):
        game.play(game.matching_moves()[0])
        same = travelled(game)
        assert type(same) is type(game) and getattr(same, "name", None) == getattr(game, "name", None)
        while not game.is_gameover():
            move = game.matching_moves()[0]
            assert same.play(move) == game.play(move)
        assert same.score() == game.score()
    with pytest.raises(ValueError, match="no saved game"):
        matchq.GameLogic(3).__setstate__((b"\xff\xff", None))


def steps(environment, count, vector):
    """What an environment shows over some steps of masked moves."""
    shown = []
    for _ in range(count):
        masks = environment.action_masks()
        action = masks.argmax(axis=1) if vector else int(masks.argmax())
        observation, reward, over, _, _ = environment.step(action)
        shown.append((observation["board"].tobytes(), np.array(reward).tolist(), np.array(over).tolist()))
        if not vector and over:
            environment.reset()
    return shown


@pytest.mark.parametrize("game", matchq.GAMES)
def test_an_environment_travels_in_the_middle_of_its_games(game):
    one, many = GameEnv(game=game), GameVectorEnv(70, game=game)
    one.reset(seed=2)
    many.reset(seed=2)
    steps(one, 7, False)
    steps(many, 7, True)
    for same in (travelled(one), copy.deepcopy(one)):
        assert steps(same, 40, False) == steps(copy.deepcopy(one), 40, False)
    for same in (travelled(many), copy.deepcopy(many)):
        assert steps(same, 40, True) == steps(copy.deepcopy(many), 40, True)


def test_damaged_games_are_refused():
    games = GameVectorEnv(2)._games
    restored, (name, saved) = games.__reduce__()
    assert (name, restored(name, saved).seeds()) == ("match3", games.seeds())
    with pytest.raises(ValueError, match="cannot be restored"):
        restored(name, saved[:10])
    # The last numbers are the mask's and the longest game's.
    masks = [saved[:place] + bytes([99]) + saved[place + 1 :] for place in range(len(saved) - 12, len(saved))]
    refused = 0
    for changed in masks:
        try:
            restored(name, changed)
        except ValueError as error:
            refused += "match3 has no mask 99" in str(error)
    assert refused == 1


def choose(player):
    """Work of another process, on its threads."""
    GameVectorEnv(65).reset(seed=1)
    return player.act([BOARD] * 3, 9), os.getpid()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_every_kind_use_players_and_threads(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {method} here")
    player = matchq.Player("dqn")
    expected = player.act([BOARD] * 3, 9)
    GameVectorEnv(65).reset(seed=1)
    with multiprocessing.get_context(method).Pool(2) as pool:
        # A worker that cannot read its work ends, and the pool would wait for ever.
        for moves, process in pool.map_async(choose, [player] * 4, chunksize=1).get(timeout=300):
            assert moves == expected and process != os.getpid()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only Unix forks")
def test_a_process_forked_twice_makes_threads_of_its_own():
    code = """
import os, matchq
from matchq.envs import GameVectorEnv
player, board = matchq.Player("greedy"), matchq.GameLogic(1).board()
expected = player.act([board] * 300, 9)
for depth in range(2):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os._exit(0)
    GameVectorEnv(65).reset(seed=1)
    print(player.act([board] * 300, 9) == expected, flush=True)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["True", "True"], done.stderr


def test_gymnasiums_asynchronous_environments_step_as_one_alone():
    # Examples may have been stepped in this process before, so the processes are forked after threads were used.
    GameVectorEnv(65).reset(seed=1)
    alone, together = GameEnv(), gymnasium.make_vec("matchq/Match3-v0", num_envs=2, vectorization_mode="async")
    try:
        shown, _ = together.reset(seed=[4, 5])
        first, info = alone.reset(seed=4)
        for _ in range(5):
            assert np.array_equal(shown["board"][0], first["board"])
            action = int(info["action_mask"].argmax())
            first, _, _, _, info = alone.step(action)
            shown, *_ = together.step(np.array([action, 0]))
    finally:
        together.close()


def test_examples_need_no_more_than_they_say():
    for path in sorted(Path(ROOT, "python", "examples").glob("*.py")):
        compile(path.read_text(), str(path), "exec")
