"""Networks as ONNX, computed by onnxruntime, against the values of the program's players."""

import json
import os
import subprocess

import gymnasium
import numpy as np
import pytest

import matchq
import matchq.envs  # noqa: F401

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

# Agents and players of the same network; plans of two moves are the program's alone.
SHIPPED = [
    ("Match3-v0", "dqn-plain", "dqn-plain"),
    ("Match3-v0", "dqn", "dqn:plan=0"),
    ("Bilging-v0", "bilging-dqn", "bilging-dqn"),
    ("Bejeweled-v0", "bejeweled-dqn", "bejeweled-dqn"),
    ("TileMatch-v0", "tile-match-dqn", "tile-match-dqn:plan=0"),
]
# Networks that no shipped agent has.
OTHERS = [
    {"network.input": "position", "network.dynamics_waves": 0, "network.dueling": "true"},
    {"network.input": "position", "network.dynamics_waves": 0, "network.share_colours": "false"},
    {"network.input": "afterstate", "network.dynamics_waves": 0},
    {"network.input": "afterstate", "network.dynamics_waves": 3, "network.dynamics_layers": 2, "network.share_colours": "false"},
    {"network.input": "plans", "network.dynamics_waves": 0},
]


def session(program, agent, folder):
    """The agent's network in onnxruntime."""
    path = folder / "agent.onnx"
    said = subprocess.run([program, "export", agent, "--onnx", path], text=True, check=True, capture_output=True).stdout
    assert said.startswith(f"{path} has the network of {agent}: images [")
    onnx.checker.check_model(onnx.load(path), full_check=True)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(path, options)


def positions(kind, games, most):
    """Boards and actions left of games played at random among the moves offered."""
    environment = gymnasium.make(f"matchq/{kind}")
    generator = np.random.default_rng(1)
    for seed in range(games):
        _, info = environment.reset(seed=seed)
        for number in range(most):
            if not info["action_mask"].any():
                break
            yield environment.unwrapped._games.boards()[0], number
            action = generator.choice(np.flatnonzero(info["action_mask"]))
            _, _, over, _, info = environment.step(action)
            if over:
                break


def check(network, agent, player, kind, games, most, exceptions=0):
    """Values and best moves are those of the player, but for some positions; returns how many were seen."""
    game, seen = player.game, 0
    moves = matchq.moves_of_a_game(game)
    for board, number in positions(kind, games, most):
        left = moves - number if moves else None
        inputs = agent.network_input(board, left)
        ranked = [(matchq.action_of_move(move, game=game), value) for move, value in player.rank(board, left)]
        if all(value == 0 for _, value in ranked):
            continue  # the network is undecided
        known = inputs.pop("moves", None)
        values = network.run(None, inputs)[0]
        values = dict(zip(known, values)) if known is not None else dict(enumerate(values[0]))
        found = {action: value for action, value in values.items() if value > -np.inf}
        assert found.keys() == {action for action, _ in ranked}
        size = max(1, *(abs(value) for _, value in ranked))
        if any(abs(found[action] - value) >= 1e-5 * size for action, value in ranked) and exceptions:
            exceptions -= 1
            continue
        for action, value in ranked:
            assert abs(found[action] - value) < 1e-5 * size, f"{action} on\n{board}"
        if "mask" in inputs:
            assert network.run(None, inputs)[1][0] == max(found, key=found.get)
        first, second, *_ = [value for _, value in ranked] + [-np.inf]
        if first - second > 1e-4 * size:
            assert max(found, key=found.get) == ranked[0][0]
        seen += 1
    return seen


@pytest.mark.parametrize("kind, name, text", SHIPPED, ids=[name for _, name, _ in SHIPPED])
def test_values_and_best_moves_are_the_programs(program, tmp_path, kind, name, text):
    network = session(program, name, tmp_path)
    agent, player = matchq.Agent.load(name), matchq.Player(text)
    assert check(network, agent, player, kind, games=5, most=8) > 20


@pytest.mark.parametrize("settings", OTHERS, ids=[f"{case['network.input']}-{n}" for n, case in enumerate(OTHERS)])
def test_every_kind_of_network_becomes_a_graph(program, tmp_path, settings):
    short = {"training.steps": 80, "training.games": 8, "training.warmup": 64, "learning.batch": 16, "evaluation.games": 2}
    short |= {"evaluation.every": 80, "checkpoint.every": 80, "logging.every": 80, "network.channels": 5, "network.layers": 3}
    (tmp_path / "tiny.toml").write_text("learner = 'dqn'\n[game]\nname = 'match3'\nmask = 'matching'\n")
    sets = [f"--set={key}={value}" for key, value in (short | settings).items()]
    command = [program, "train", "--quiet", "--config", tmp_path / "tiny.toml", "--runs", tmp_path, "--name", "tiny", *sets]
    subprocess.run(command, check=True, capture_output=True)
    path = str(tmp_path / "tiny" / "last.safetensors")
    plan = ":plan=0" if settings.get("network.dynamics_waves") else ""
    player = matchq.Player(f"network{plan}:checkpoint={path}")
    # A model that hardly learned is so undecided that a rounding may set another token.
    exceptions = 2 if plan else 0
    network, agent = session(program, path, tmp_path), matchq.Agent.load(path)
    assert check(network, agent, player, "Match3-v0", games=2, most=6, exceptions=exceptions) > 9


def test_a_batch_has_the_values_of_its_positions(program, tmp_path):
    network, agent = session(program, "dqn", tmp_path), matchq.Agent.load("dqn")
    inputs = [agent.network_input(board, 25 - number) for board, number in positions("Match3-v0", 2, 3)]
    together = network.run(None, {name: np.concatenate([one[name] for one in inputs]) for name in inputs[0]})
    for row, one in enumerate(inputs):
        alone = network.run(None, one)
        np.testing.assert_allclose(together[0][row], alone[0][0], rtol=1e-4, atol=1e-4)
        assert together[1][row] == alone[1][0]


# All 50 games of dqn, whose graph is larger, are for scripts/check_slow libraries.
@pytest.mark.parametrize("name, text, count", [("dqn-plain", "dqn-plain", 50), ("dqn", "dqn:plan=0", 50 if "ALL_GAMES" in os.environ else 8)])
def test_whole_games_are_the_same_played_by_the_graph(program, tmp_path, name, text, count):
    network = session(program, name, tmp_path)
    about = network.get_modelmeta()
    moves_by_number = [tuple(move) for move in json.loads(about.custom_metadata_map["moves"])]
    assert moves_by_number == [matchq.move_of_action(action) for action in range(142)]
    assert "scalars: the moves left, divided by 25." in about.description
    assert ("it plays as matchq's player dqn:plan=0" in about.description) == (name == "dqn")
    command = [program, "eval", "--player", text, "--games", str(count), "--moves", tmp_path / "moves.jsonl"]
    subprocess.run(command, check=True, capture_output=True)
    games = [json.loads(line)["moves"][0] for line in (tmp_path / "moves.jsonl").read_text().splitlines()]
    assert len(games) == count
    environment = gymnasium.make("matchq/Match3-v0", mask="matching")
    # A game at a time: the graph of dqn takes half as long again for larger batches.
    for seed, moves in enumerate(games):
        observation, info = environment.reset(seed=seed)
        for move in moves:
            if not info["action_mask"].any():
                break  # the program draws a move
            inputs = {"images": observation["board"][None].astype(np.float32), "scalars": observation["moves_left"][None]}
            inputs["mask"] = info["action_mask"][None].astype(bool)
            (action,) = network.run(None, inputs)[1]
            assert moves_by_number[action] == tuple(move), f"game {seed}"
            observation, _, _, _, info = environment.step(action)


def test_only_networks_have_an_input_and_for_one_position(program, tmp_path):
    with pytest.raises(ValueError, match="match3-fitted has no network_input: only a network has"):
        matchq.Agent.load("match3-fitted").network_input("a")
    with pytest.raises(ValueError, match="network_input takes one position, not 2"):
        matchq.Agent.load("dqn-plain").network_input([matchq.GameLogic(1).board()] * 2)
    asked = subprocess.run([program, "export", "match3-fitted", "--onnx", tmp_path / "a.onnx"], text=True, capture_output=True)
    assert asked.returncode == 2 and asked.stderr.startswith("error: match3-fitted has no network")
    assert not (tmp_path / "a.onnx").exists()
