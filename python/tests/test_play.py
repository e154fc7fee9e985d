import os
import shutil
import subprocess
import sys

import pytest
from conftest import KIT, ROOT

import matchq


def play(*arguments, cwd=None):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "matchq", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)


def test_the_agent_plays_in_the_kit_of_a_folder_the_games_of_a_seed(tmp_path):
    shutil.copytree(KIT, tmp_path / "kit")
    shutil.copytree(ROOT / "checkpoints" / "dqn", tmp_path / "mine")
    # The kit's folder must not change the meaning of relative paths.
    done = play("play", "--kit", "kit", "--checkpoint", "mine", "--seed", "7", "--games", "2", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    scores = []
    agent = matchq.Agent.load()
    matchq.Game(agent.ai_callback, None, lambda *end: scores.append(end[3]) or len(scores) < 2, seed=7).run()
    assert done.stdout.splitlines() == [
        "Seed: 7",
        f"game 1: {scores[0]} points",
        f"game 2: {scores[1]} points",
        f"mean of 2 games: {sum(scores) / 2:.1f} points",
    ]


def test_a_missing_kit_is_named(tmp_path):
    done = play("play", "--kit", str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: --kit {tmp_path / 'none'}: there is no such folder")
    done = play("play", "--kit", str(tmp_path))
    assert done.returncode == 2 and "graphical.py is missing there" in done.stderr
    done = play("play", "--kit", str(KIT / "graphical.py"))
    assert done.returncode == 2 and done.stderr.startswith(f"error: --kit {KIT / 'graphical.py'}: this is a file")


@pytest.mark.skipif(os.name != "posix", reason="there is no such device or pipe")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_standard_output_that_is_gone_ends_it_quietly_and_a_full_one_in_a_sentence(unbuffered):
    command = [sys.executable, "-m", "matchq", "play", "--kit", str(KIT), "--games", "3"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": unbuffered}
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("error: standard output cannot be written: ")
    closed = subprocess.run(command, preexec_fn=lambda: os.close(1), stderr=subprocess.PIPE, text=True, env=environment)
    assert (closed.returncode, closed.stderr) == (0, "")


@pytest.mark.parametrize(
    "module, sentence",
    [
        ("raise ModuleNotFoundError(name='pygame')", "pygame is missing, with which the kit draws: install it with"),
        ("import something_else_altogether", "the kit needs the module something_else_altogether, which is missing"),
        ("", "its graphical.py has no Game"),
    ],
)
def test_what_the_kit_lacks_is_named(tmp_path, module, sentence):
    (tmp_path / "graphical.py").write_text(module)
    done = play("play", "--kit", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ") and sentence in done.stderr and "Traceback" not in done.stderr


def test_a_closed_window_ends_it_well(tmp_path):
    (tmp_path / "graphical.py").write_text(
        "class Game:\n    def __init__(self, *callbacks, speed, seed): pass\n    def run(self): pass\n"
    )
    done = play("play", "--kit", str(tmp_path), "--games", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "the window was closed after 0 of 3 games\n"


def test_a_window_that_fails_is_one_sentence_and_anything_else_shows_its_trace(tmp_path):
    failing = "class error(RuntimeError): pass\n{}class Game:\n    def __init__(self, *_, **__): raise error('no display')\n"
    (tmp_path / "graphical.py").write_text(failing.format("error.__module__ = 'pygame'\n"))
    done = play("play", "--kit", str(tmp_path))
    assert (done.returncode, done.stderr) == (1, "error: the kit's window failed: no display\n")
    (tmp_path / "graphical.py").write_text(failing.format(""))
    done = play("play", "--kit", str(tmp_path))
    assert done.returncode == 1 and "Traceback" in done.stderr


@pytest.mark.parametrize(
    "arguments, named",
    [
        (["--seed", "-1"], "--seed: '-1' must be a whole number from 0 to 2^128 - 1"),
        (["--seed", "x"], "--seed: 'x' must be a whole number from 0 to 2^128 - 1"),
        (["--games", "0"], "--games: '0' must be a whole number, at least 1"),
        (["--games", "x"], "--games: 'x' must be a whole number, at least 1"),
        (["--speed", "nan"], "--speed: 'nan' must be a number above 0"),
        (["--speed", "0"], "--speed: '0' must be a number above 0"),
        (["--speed", "fast"], "--speed: 'fast' must be a number above 0"),
        (["--checkpoint", "/no/such/checkpoint"], "/no/such/checkpoint"),
        (["--search", "fast"], "'fast'"),
        (["--search", "0"], "ms=0"),
    ],
)
def test_wrong_arguments_are_named(arguments, named):
    done = play("play", "--kit", str(KIT), *arguments)
    assert done.returncode == 2 and named in done.stderr and "Traceback" not in done.stderr
