"""An exported agent, one file with NumPy alone, plays the moves that the agent plays in the program."""

import importlib.util
import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

import matchq

# Agents that ship, weights of Tetris that have a name, and the moves of a game.
SHIPPED = [(game, agent) for game in matchq.GAMES for agent in matchq.agents(game)]
NAMED = [("tetris", weights) for weights in ("genetic", "dt-20", "report", "dellacherie", "du")]
MOVES = {"match3": 25, "bilging": 10, "tile-match": 20, "bejeweled": 15, "tetris": 60}
SLOW = {"dqn-setups": 10, "match3-fitted": 8, "bilging-fitted": 8, "tile-match-fitted": 6}
ids = lambda case: "-".join(case) if isinstance(case, tuple) else str(case)


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


def positions(program, game, player, seed, moves):
    """Boards before each move of a player's game, and the moves left where the game counts them."""
    seen = lines(run(program, "replay", "--game", game, "--seed", seed, "--player", player, "--moves", moves))
    return [(line["board"], line.get("moves_left")) for line in seen]


def move_of(module, board, left):
    return module.choose(board) if left is None else module.choose(board, left)


def as_json(move):
    return json.loads(json.dumps(move))


def check(module, player, boards):
    """Compares the moves on boards; another move must have nearly the same value. Returns the number of such."""
    differing = 0
    for board, left in boards:
        found, expected = as_json(move_of(module, board, left)), as_json(player.act(board, left))
        if found != expected:
            values = {json.dumps(move): value for move, value in player.rank(board, left)}
            assert abs(values[json.dumps(found)] - values[json.dumps(expected)]) < 1e-4, (board, left, found, expected)
            differing += 1
    return differing


@pytest.mark.parametrize("case", SHIPPED + NAMED, ids=ids)
def test_an_exported_agent_plays_the_games_of_the_agent(program, case, tmp_path):
    game, agent = case
    module = export(program, agent, tmp_path)
    name = agent if case in SHIPPED else f"linear:weights={agent}"
    moves = SLOW.get(agent, MOVES[game])
    boards = positions(program, game, name, 3, moves)[:-1]
    assert len(boards) == moves
    assert check(module, matchq.Player(name, game=game), boards) <= len(boards) // 25
    if hasattr(module, "Stream"):
        # A game has one stream of random numbers, the position's own numbers stand in where there is no game.
        stream = module.Stream(3, module.TIE, 0)
        module.stream_of = lambda text, left: stream
    moves = "".join(json.dumps(move_of(module, board, left)) + "\n" for board, left in boards)
    replayed = lines(run(program, "replay", "--game", game, "--seed", 3, "-", text=moves))
    same = [(line["board"], line.get("moves_left")) for line in replayed[:-1]] == boards
    assert same or check(module, matchq.Player(name, game=game), boards) > 0


NO_MATCH = "\n".join(["abcdabcd", "cdabcdab"] * 5)
AWKWARD = {
    # A last and a last but one move, and a board on which no swap matches.
    "match3": [(matchq.GameLogic(5).board(), 1), (matchq.GameLogic(5).board(), 2), (NO_MATCH, 25), (NO_MATCH, 1)],
    "bilging": [("\n".join(["abcdef", "cdefga"] * 6), 50), ("\n".join(["aabbcc", "ddeeff"] * 6), 1)],
    # Tiles and gems that are not known.
    "tile-match": [("........\n" * 3 + "GGCGPRPR\nPRGCPRGC\nGCPRGCPR\nPRGCPRGC\nGCPRGCPR", left) for left in (50, 2, 1)]
    + [("GCPRGCPR\nPRGCPRGC\n" * 4, 9)],
    "bejeweled": [("........\n" * 6 + "RRWRYBPO\nWYBPOGRW", None)],
    # A wall without safe places, and one with wells and holes.
    "tetris": [
        ("...OO.....\n...OO.....\n" + "\n".join(["#.########", "#########."] * 10), None),
        (
            "..........\n...IIII...\n" + "..........\n" * 15
            + "#.........\n#.#.....##\n#.##.##.##\n##.#.#####\n.#########",
            None,
        ),
    ],
}


@pytest.mark.parametrize("case", SHIPPED, ids=ids)
def test_an_exported_agent_plays_the_agents_moves_on_awkward_boards(program, case, tmp_path):
    game, agent = case
    player = matchq.Player(agent, game=game)
    boards = [(board.strip(), left) for board, left in AWKWARD[game]]
    assert check(export(program, agent, tmp_path), player, boards) == 0


NETWORKS = [
    # Input, and what is unlike the agents that ship.
    ("match3", "position", {"dueling": True, "channels": 5, "layers": 3}),
    ("match3", "position", {"share_colours": False, "channels": 6, "layers": 2}),
    ("match3", "afterstate", {"dynamics_waves": 0, "channels": 3, "layers": 2}),
    ("match3", "afterstate", {"dynamics_waves": 2, "dynamics_layers": 2, "share_colours": False, "channels": 4, "layers": 3}),
    ("match3", "plans", {"next_moves": 2, "channels": 3, "layers": 3, "share_colours": False}),
    ("bilging", "position", {"dueling": True, "channels": 3, "layers": 2}),
    ("bilging", "afterstate", {"dynamics_waves": 3, "dynamics_layers": 3, "channels": 3, "layers": 2}),
    ("tile-match", "plans", {"channels": 4, "layers": 2}),
    ("tile-match", "afterstate", {"dynamics_waves": 2, "dynamics_layers": 2, "channels": 4, "layers": 2}),
    ("bejeweled", "position", {"channels": 4, "layers": 2}),
    ("tetris", "position", {"dueling": True, "channels": 4, "layers": 2}),
    ("tetris", "afterstate", {"dynamics_waves": 1, "dynamics_layers": 2, "channels": 4, "layers": 2}),
    ("tetris", "plans", {"next_moves": 1, "channels": 4, "layers": 2}),
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


@pytest.mark.parametrize("game, input, shape", NETWORKS, ids=[f"{case[0]}-{case[1]}-{n}" for n, case in enumerate(NETWORKS)])
def test_a_network_of_any_shape_is_exported(program, game, input, shape, tmp_path):
    network = {"network.input": input, "network.dynamics_waves": 0} | {f"network.{key}": value for key, value in shape.items()}
    relative = {} if game not in ("tetris", "bejeweled") else {"learning.relative": False}
    agent = train(program, tmp_path, f"game = {{ name = '{game}' }}\n", TINY | network | relative)
    module, player = export(program, agent, tmp_path), matchq.Player(str(agent), game=game)
    boards = positions(program, game, "greedy", 5, 6)[:-1]
    # The network is not all zeros.
    assert len({value for _, value in player.rank(*boards[0])}) > 1
    assert check(module, player, [*boards, *((board.strip(), left) for board, left in AWKWARD[game])]) == 0


FEW = {"evaluation.games": 1, "evaluation.luck": 0, "evaluation.every": 2, "checkpoint.every": 2, "logging.every": 1}
FITTED = FEW | {"training.sweeps": 2, "sampling.positions": 60, "sampling.outcomes": 2}
LINEAR = FEW | {"training.policies": 2, "sampling.moves": 400, "sampling.games": 4}
OTHERS = [
    ("match3", "fitted", FITTED | {"playing.outcomes": 0, "playing.rewards": False}),
    ("bilging", "fitted", FITTED | {"playing.outcomes": 2, "learning.best_of": 3}),
    ("bejeweled", "fitted", FITTED | {"playing.outcomes": 2}),
    ("tetris", "fitted", FITTED | {"playing.outcomes": 0}),
    ("tetris", "fitted", FITTED | {"playing.outcomes": 3}),
    ("match3", "lspi", LINEAR | {"learning.features": ["points", "plan", "colours"]}),
    ("bilging", "lspi", LINEAR | {"learning.features": ["points", "x_row", "blocked"]}),
    ("tile-match", "lspi", LINEAR | {"learning.features": ["points", "plan"]}),
    ("bejeweled", "lspi", LINEAR | {"learning.features": ["points", "unknown"]}),
    ("tetris", "lspi", LINEAR | {"learning.features": ["bertsekas", "well_sums"]}),
    ("tetris", "lspi", LINEAR | {"learning.features": ["report", "squared_heights"]}),
]


@pytest.mark.parametrize("game, learner, settings", OTHERS, ids=[f"{case[0]}-{case[1]}-{n}" for n, case in enumerate(OTHERS)])
def test_values_and_weighted_features_of_any_game_are_exported(program, game, learner, settings, tmp_path):
    agent = train(program, tmp_path, f"learner = '{learner}'\ngame = {{ name = '{game}' }}\n", settings)
    module, player = export(program, agent, tmp_path), matchq.Player(str(agent), game=game)
    boards = positions(program, game, "greedy", 5, 6)[:-1]
    assert check(module, player, [*boards, *((board.strip(), left) for board, left in AWKWARD[game])]) == 0


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
