"""The folders of `matchq card`, read by the parser of the hub that they are made for."""

import re
import subprocess

import pytest
from conftest import ROOT

import matchq

hub = pytest.importorskip("huggingface_hub")


def card(program, agent, folder):
    """The head of an agent's card and the text below it."""
    subprocess.run([program, "card", agent, "--games", "2", "--folder", folder], check=True, capture_output=True)
    shown = hub.ModelCard.load(folder / "README.md")
    # The parser understood all of the head.
    assert shown.data.to_dict() == hub.metadata_load(folder / "README.md")
    return shown.data, shown.text


def check(data, text, name, game):
    """What the head says is what the text says."""
    assert (data.library_name, data.tags[0], data.tags[-2:]) == ("matchq", "reinforcement-learning", ["matchq", game])
    assert f"\n# {name}, an agent for {game}\n" in text
    played = re.search(r"mean score is \*\*(\S+) ± (\S+)\*\* \(95 %\) in 2 games", text)
    if played is None:
        assert data.eval_results is None and f"matchq endure --game {game}" in text
        return
    (result,) = data.eval_results
    assert data.model_name == name
    assert (result.task_type, result.task_name) == ("reinforcement-learning", "reinforcement-learning")
    assert (result.dataset_type, result.dataset_name) == (game, game)
    assert (result.metric_type, result.metric_value) == ("mean_reward", f"{played[1]} +/- {played[2]}")
    assert result.metric_name == "mean score of a game, 95 % interval" and result.verified is False


@pytest.mark.parametrize("game, name", [(game, name) for game in matchq.GAMES for name in matchq.agents(game)])
def test_the_card_of_an_agent_that_ships_is_read_by_the_hub(program, tmp_path, game, name):
    data, text = card(program, name, tmp_path / "card")
    check(data, text, name, game)
    assert data.license == "mit"
    assert ("deep-reinforcement-learning" in data.tags) == ("dqn" in name)


def test_a_name_may_have_signs_that_yaml_knows(program, tmp_path):
    name = "it's {1}, #2 & - mine"
    agent = tmp_path / f"{name}.safetensors"
    agent.write_bytes((ROOT / "checkpoints" / "match3-fitted" / "best.safetensors").read_bytes())
    data, text = card(program, agent, tmp_path / "card")
    check(data, text, name, "match3")
    assert data.license is None
