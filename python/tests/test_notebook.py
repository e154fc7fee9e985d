"""matchq in Jupyter's kernel: the example, progress, the stop button."""

import os
import re
import signal
import threading

import pytest
from conftest import ROOT

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")


def test_the_example_runs_and_shows_pictures_and_tables(program, tmp_path, monkeypatch):
    monkeypatch.setenv("MATCHQ", str(program))
    notebook = nbformat.read(ROOT / "python" / "examples" / "notebook.ipynb", as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in cells), "the notebook is kept without outputs"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [cell.outputs[-1].data for cell in cells]
    board, ranked, game, _, compared, pair, mine = shown
    assert "image/svg+xml" in board and "<animate" not in board["image/svg+xml"]
    assert "<animate" in game["image/svg+xml"] and (tmp_path / "game.gif").read_bytes()[:6] == b"GIF89a"
    assert re.match(r"\[\(\(\d, \d, (True|False)\), \d", ranked["text/plain"])
    assert compared["text/html"].count("<table") == 2 and "'than'" in pair["text/plain"]
    # Three weights of two seconds are better than the best move at once.
    adjusted = re.findall(r"([\d,]+\.\d) ± ", mine["text/html"])
    assert float(adjusted[1].replace(",", "")) > 1200


@pytest.fixture
def kernel():
    """A running kernel, and what runs a cell in it and gives its outputs."""
    client = nbclient.NotebookClient(nbformat.v4.new_notebook(), timeout=120, allow_errors=True)
    with client.setup_kernel():

        def run(code):
            cell = nbformat.v4.new_code_cell(code)
            client.nb.cells.append(cell)
            client.execute_cell(cell, len(client.nb.cells) - 1)
            return cell.outputs

        yield client, run


@pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
def test_the_stop_button_ends_a_cell_and_the_kernel_goes_on(kernel):
    client, run = kernel
    run("import matchq")
    # As the stop button does.
    threading.Timer(1, os.kill, (client.km.provisioner.pid, signal.SIGINT)).start()
    *_, error = run("matchq.evaluate('rollout:ms=60000', seeds=1)")
    assert error.ename == "KeyboardInterrupt"
    assert run("matchq.evaluate('greedy', seeds=2)['n']")[-1].data["text/plain"] == "2"


def test_progress_is_a_text_that_goes_and_a_bar_where_widgets_are(kernel):
    client, run = kernel
    shown = []
    kept = client.process_message

    def watched(message, *rest):
        if message["msg_type"] in ("display_data", "update_display_data"):
            shown.append(message["content"]["data"]["text/plain"])
        return kept(message, *rest)

    client.process_message = watched
    # Without widgets, which may be installed.
    outputs = run("import sys, matchq\nsys.modules['ipywidgets'] = None\nmatchq.evaluate('rollout:sims=400', seeds=20);")
    assert re.fullmatch(r"rollout:sims=400: [\d,]+ of 500 moves", shown[0]) and len(shown) > 2, shown
    assert [output.data["text/plain"] for output in outputs] == [""]
    # A stand-in tells what the package asks of tqdm.
    bar = "import types\nclass tqdm:\n"
    bar += "    def __init__(self, **given): self.given, self.n, self.desc = given, 0, given['desc']\n"
    bar += "    def update(self, more): self.n += more\n"
    bar += "    def close(self): print(self.given, 0 < self.n <= 500)\n"
    bar += "sys.modules['ipywidgets'] = types\n"
    bar += "sys.modules['tqdm'] = sys.modules['tqdm.notebook'] = types.SimpleNamespace(tqdm=tqdm)\n"
    outputs = run(bar + "matchq.evaluate('rollout:sims=400', seeds=20);")
    assert "'total': 500, 'desc': 'rollout:sims=400'" in outputs[0].text
    assert outputs[0].text.count("True") == 1, "one bar, closed at the end"
    assert not run("matchq.evaluate('rollout:sims=400', seeds=20, progress=False);")
