"""``python -m matchq``: two commands of its own, and all of the program's."""

import os
import signal
import subprocess
import sys

import pytest

from matchq.cluster import _worker


def module(*arguments, **variables):
    command = [sys.executable, "-m", "matchq", *arguments]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, **variables})


@pytest.mark.parametrize(
    "arguments",
    [
        ["players", "--game", "tetris"],
        ["train", "--help"],
        ["train", "--config", "none"],
        ["play", "--player", "greedy", "--seed", "1", "--moves", "1"],
        ["no-command"],
    ],
)
def test_a_command_that_is_not_the_packages_is_the_programs(program, arguments):
    expected = subprocess.run([program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    done = module(*arguments, MATCHQ=str(program))
    assert (done.returncode, done.stdout, done.stderr) == (expected.returncode, expected.stdout, expected.stderr)


def test_the_packages_own_commands_stay_its_own(program):
    for arguments, said in [
        (["--help"], "Other commands, such as train, eval or serve, are the program's"),
        (["play", "--help"], "--kit FOLDER"),
        (["watch", "--help"], "--region X,Y,WIDTH,HEIGHT"),
    ]:
        done = module(*arguments, MATCHQ=str(program))
        assert done.returncode == 0 and said in " ".join(done.stdout.split())
    assert module("play", "--kit", "/no/such/folder", MATCHQ=str(program)).stderr.startswith("error: --kit /no/such/folder")


@pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
def test_a_signal_reaches_a_training_which_saves_its_run(program, tmp_path):
    command = [sys.executable, "-m", "matchq", "train", "--config", "quick", "--runs", str(tmp_path), "--name", "mine"]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(command, env={**os.environ, "MATCHQ": str(program)}, **streams)
    # The first line comes once the run has begun.
    begun = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    told = process.communicate()[0]
    assert "training" in begun and "go on with: matchq train --resume" in told and process.returncode == 0
    assert (tmp_path / "mine" / "last.ckpt").is_file()


def test_a_program_that_is_not_there_is_one_sentence():
    done = module("train", MATCHQ="/nowhere/matchq")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: train is a command of the program: the program matchq is missing")
    assert "MATCHQ=/nowhere/matchq is no file" in done.stderr and "scripts/build_wheel" in done.stderr


def test_the_program_that_was_installed_with_the_package_comes_before_that_in_the_path(tmp_path, monkeypatch):
    folder, site = tmp_path / "bin", tmp_path / "lib" / "site"
    (site / "matchq-1.dist-info").mkdir(parents=True)
    folder.mkdir()
    (site / "matchq-1.dist-info" / "METADATA").write_text("Name: matchq\nVersion: 1\n")
    (site / "matchq-1.dist-info" / "RECORD").write_text("matchq/__init__.py,,\n../../bin/matchq,,\n")
    (folder / "matchq").touch(mode=0o755)
    other = tmp_path / "other" / "matchq"
    other.parent.mkdir()
    other.touch(mode=0o755)
    monkeypatch.delenv("MATCHQ", raising=False)
    monkeypatch.setenv("PATH", str(other.parent))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    # The package under test may be installed with its own record.
    paths = [path for path in sys.path if "-packages" not in path]
    monkeypatch.setattr(sys, "path", paths)
    assert _worker.program() == str(other)
    monkeypatch.setattr(sys, "path", [str(site), *paths])
    assert os.path.samefile(_worker.program(), folder / "matchq")
