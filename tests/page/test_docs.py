"""The page in docs/, which whoever downloads the repository can open: it is that of this version."""

import contextlib

import pytest
from playwright.sync_api import sync_playwright

from conftest import ROOT, Server
from test_page import CHROMIUM

# Answers of the module in a page that was opened from disk.
ASK = """async (requests) => {
  const packed = Uint8Array.from(atob(document.querySelector('#wasm').textContent.trim()), (letter) => letter.charCodeAt(0));
  const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  const worker = new Worker(URL.createObjectURL(new Blob([document.querySelector('#worker-source').textContent], { type: 'text/javascript' })));
  const post = (message) => new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data.answer); worker.postMessage(message); });
  await post({ bytes });
  const answers = [];
  for (const request of requests) answers.push(await post({ request }));
  worker.terminate();
  return answers;
}"""


@pytest.fixture(scope="module")
def page():
    with sync_playwright() as playwright, contextlib.closing(playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])) as browser:
        page = browser.new_page()
        page.goto((ROOT / "docs" / "matchq.html").as_uri())
        page.locator(".board >> nth=0").wait_for()
        yield page


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    with contextlib.closing(Server(tmp_path_factory.mktemp("empty"))) as server:
        yield server


def agents_of(about):
    return {game["name"]: [player["name"] for player in game["players"] if player["agent"]] for game in about["games"]}


def test_its_version_games_and_agents_are_the_programs(page, program):
    [about] = page.evaluate(ASK, [{"ask": "about"}])
    expected = program.ask({"ask": "about"})
    assert about["version"] == expected["version"], "scripts/build_page, then copy page/dist/matchq.html to docs/"
    assert agents_of(about) == agents_of(expected)
    assert all(agents_of(about).values()), "a game has no agent"


def test_its_agents_value_moves_as_the_programs_do(page, program):
    about = program.ask({"ask": "about"})
    asked = [{"ask": "values", "at": {"game": game, "seed": 3}, "player": {"name": agent}} for game, agents in agents_of(about).items() for agent in agents]
    for request, answer in zip(asked, page.evaluate(ASK, asked), strict=True):
        expected = program.ask(request)
        values = {move["action"]: move["value"] for move in answer["moves"] if "value" in move}
        # Networks compute in other orders by other instructions.
        assert values == pytest.approx({move["action"]: move["value"] for move in expected["moves"] if "value" in move}, rel=1e-4, abs=1e-3), request
