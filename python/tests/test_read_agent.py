"""The example that reads an agent's weights gives matchq's value of every move."""

import json
import runpy
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

import matchq

pytest.importorskip("tomllib", reason="Python 3.11 or newer")
pytest.importorskip("safetensors")
EXAMPLE = ROOT / "python" / "examples" / "read_agent.py"
FOLDER = ROOT / "checkpoints" / "dqn-plain"


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(EXAMPLE))


def positions():
    """Boards of games and the moves left, from a full game to its end."""
    for seed in range(6):
        game = matchq.GameLogic(seed)
        for _ in range(5 * seed):
            game.play(game.matching_moves()[0])
        yield game.board(), game.moves_left()


def test_the_values_in_numpy_are_those_of_the_agent(example):
    config, weights = example["load"](FOLDER / "best.safetensors")
    agent = matchq.Agent.load(FOLDER)
    seen = list(positions())
    assert [left for _, left in seen] == [25, 20, 15, 10, 5, 0]
    for board, left in seen:
        found = example["values"](config, weights, board, left)
        expected = config["points"] * agent.q_values(board, left)
        assert found.shape == (142,) and np.ptp(expected) > 5
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-3)


def test_the_moves_are_numbered_as_matchq_numbers_them(example):
    assert example["moves"]() == [matchq.move_of_action(action) for action in range(142)]


def test_the_values_in_numpy_are_those_that_the_program_advises(example, program):
    config, weights = example["load"](FOLDER / "best.safetensors")
    for board, left in list(positions())[:3]:
        advise = [program, "advise", "--player", f"network:checkpoint={FOLDER}", "--json", "--moves-left", str(left)]
        report = json.loads(subprocess.run(advise, input=board, text=True, check=True, capture_output=True).stdout)
        values = dict(zip(example["moves"](), example["values"](config, weights, board, left)))
        assert report["moves"]
        for ranked in report["moves"]:
            assert abs(ranked["value"] - values[tuple(ranked["move"])]) < 1e-3, ranked


def test_the_example_prints_its_best_moves_and_refuses_another_kind_of_agent(example):
    done = subprocess.run([sys.executable, EXAMPLE, "--top", "3"], text=True, check=True, capture_output=True)
    assert [line.count("-(") for line in done.stdout.splitlines()[-3:]] == [1, 1, 1]
    with pytest.raises(ValueError, match="is an agent of another kind"):
        example["load"](ROOT / "checkpoints" / "dqn" / "best.safetensors")
