"""An exported agent of match-3, one file with NumPy alone, plays the moves that the agent plays in the program."""

import importlib.util
import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

import matchq

SHIPPED = matchq.agents("match3")
SLOW = {"dqn-setups": 10, "match3-fitted": 8}


def run(program, *arguments, text=None):
    done = subprocess.run([program, *map(str, arguments)], input=text, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def export(program, agent, folder):
    """The module of an exported agent."""
    path = folder / "exported.py"
    run(program, "export", agent, "--python", path)
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def positions(program, player, seed, moves):
    """Boards before each move of a player's game, and the moves left."""
    seen = lines(run(program, "replay", "--seed", seed, "--player", player, "--moves", moves))
    return [(line["board"], line["moves_left"]) for line in seen]


def as_json(move):
    return json.loads(json.dumps(move))


def check(module, player, boards):
    """Compares the moves on boards; another move must have nearly the same value. Returns the number of such."""
    differing = 0
    for board, left in boards:
        found, expected = as_json(module.choose(board, left)), as_json(player.act(board, left))
        if found != expected:
            values = {json.dumps(move): value for move, value in player.rank(board, left)}
            assert abs(values[json.dumps(found)] - values[json.dumps(expected)]) < 1e-4, (board, left, found, expected)
            differing += 1
    return differing


@pytest.mark.parametrize("agent", SHIPPED)
def test_an_exported_agent_plays_the_games_of_the_agent(program, agent, tmp_path):
    module = export(program, agent, tmp_path)
    moves = SLOW.get(agent, 25)
    boards = positions(program, agent, 3, moves)[:-1]
    assert len(boards) == moves
    assert check(module, matchq.Player(agent), boards) <= len(boards) // 25
    if hasattr(module, "Stream"):
        # A game has one stream of random numbers, the position's own numbers stand in where there is no game.
        stream = module.Stream(3, module.TIE, 0)
        module.stream_of = lambda text, left: stream
    moves = "".join(json.dumps(module.choose(board, left)) + "\n" for board, left in boards)
    replayed = lines(run(program, "replay", "--seed", 3, "-", text=moves))
    same = [(line["board"], line["moves_left"]) for line in replayed[:-1]] == boards
    assert same or check(module, matchq.Player(agent), boards) > 0


NO_MATCH = "\n".join(["abcdabcd", "cdabcdab"] * 5)
# A last and a last but one move, and a board on which no swap matches.
DEALT = matchq.GameLogic(5).board().strip()
AWKWARD = [(DEALT, 1), (DEALT, 2), (NO_MATCH, 25), (NO_MATCH, 1)]


@pytest.mark.parametrize("agent", SHIPPED)
def test_an_exported_agent_plays_the_agents_moves_on_awkward_boards(program, agent, tmp_path):
    assert check(export(program, agent, tmp_path), matchq.Player(agent), AWKWARD) == 0


NETWORKS = [
    # Input, and what is unlike the agents that ship.
    ("position", {"dueling": True, "channels": 5, "layers": 3}),
    ("position", {"share_colours": False, "channels": 6, "layers": 2}),
    ("afterstate", {"dynamics_waves": 0, "channels": 3, "layers": 2}),
    ("afterstate", {"dynamics_waves": 2, "dynamics_layers": 2, "share_colours": False, "channels": 4, "layers": 3}),
    ("plans", {"next_moves": 2, "channels": 3, "layers": 3, "share_colours": False}),
    ("plans", {"next_moves": 0, "channels": 4, "layers": 2}),
]
TINY = {
    "training.steps": 64, "training.games": 8, "training.warmup": 32, "exploration.steps": 32, "replay.capacity": 64,
    "learning.batch": 8, "evaluation.every": 64, "evaluation.games": 1, "evaluation.luck": 0, "checkpoint.every": 64,
    "logging.every": 64,
}  # fmt: skip


def train(program, folder, config, settings):
    """The file of an agent of a short training."""
    (folder / "tiny.toml").write_text(config)
    sets = itertools.chain.from_iterable(("--set", f"{key}={json.dumps(value)}") for key, value in settings.items())
    run(program, "train", "--quiet", "--config", folder / "tiny.toml", "--runs", folder / "runs", "--name", "tiny", *sets)
    return folder / "runs" / "tiny" / "last.safetensors"


@pytest.mark.parametrize("input, shape", NETWORKS, ids=[f"{case[0]}-{n}" for n, case in enumerate(NETWORKS)])
def test_a_network_of_any_shape_is_exported(program, input, shape, tmp_path):
    network = {"network.input": input, "network.dynamics_waves": 0} | {f"network.{key}": value for key, value in shape.items()}
    agent = train(program, tmp_path, "learner = 'dqn'\n", TINY | network)
    module, player = export(program, agent, tmp_path), matchq.Player(str(agent))
    boards = positions(program, "greedy", 5, 6)[:-1]
    # The network is not all zeros.
    assert len({value for _, value in player.rank(*boards[0])}) > 1
    assert check(module, player, [*boards, *AWKWARD]) == 0


FEW = {"evaluation.games": 1, "evaluation.luck": 0, "evaluation.every": 2, "checkpoint.every": 2, "logging.every": 1}
FITTED = FEW | {"training.sweeps": 2, "sampling.positions": 60, "sampling.outcomes": 2}
LINEAR = FEW | {"training.policies": 2, "sampling.moves": 400, "sampling.games": 4}
OTHERS = [
    ("fitted", FITTED | {"playing.outcomes": 0, "playing.rewards": False}),
    ("fitted", FITTED | {"playing.outcomes": 0}),
    ("lspi", LINEAR | {"learning.features": ["points", "plan", "colours"]}),
]


@pytest.mark.parametrize("learner, settings", OTHERS, ids=[f"{case[0]}-{n}" for n, case in enumerate(OTHERS)])
def test_values_and_weighted_features_are_exported(program, learner, settings, tmp_path):
    agent = train(program, tmp_path, f"learner = '{learner}'\n", settings)
    module, player = export(program, agent, tmp_path), matchq.Player(str(agent))
    boards = positions(program, "greedy", 5, 6)[:-1]
    assert check(module, player, [*boards, *AWKWARD]) == 0


def test_the_file_prints_the_move_on_a_board(program, tmp_path):
    run(program, "export", "match3-fitted", "--python", tmp_path / "agent.py")
    board = matchq.GameLogic(1).board()
    (tmp_path / "board.txt").write_text(board + "\n")
    asked = [sys.executable, tmp_path / "agent.py", tmp_path / "board.txt", "--moves-left", "7"]
    printed = subprocess.run(asked, text=True, check=True, capture_output=True).stdout
    assert json.loads(printed) == as_json(matchq.Agent.load("match3-fitted").act(board, 7))


def test_the_file_is_handed_to_the_kit_as_it_is(program, kit, tmp_path):
    module, agent, scores = export(program, "dqn-plain", tmp_path), matchq.Agent.load("dqn-plain"), []

    def end(boards, seen, moves, final_score):
        assert moves == [agent.act(board, left) for board, left in zip(boards, range(25, 0, -1))]
        assert [type(part) for part in moves[0]] == [int, int, bool]
        scores.append(final_score)
        return module.end_of_game_callback(boards, seen, moves, final_score)

    kit[1].Game(module.ai_callback, module.transition_callback, end, seed=7).run()
    assert len(scores) == 1


def test_a_board_that_is_none_is_refused(program, tmp_path):
    module = export(program, "match3-fitted", tmp_path)
    with pytest.raises(ValueError, match="a board is 10 lines of 8 of the letters a b c d #"):
        module.choose("abc")
    assert module.choose(np.array(module.read(matchq.GameLogic(1).board()))) == module.choose(matchq.GameLogic(1).board())
