"""What the tests share: the golden traces, the stand-in for the kit, and the program."""

import importlib
import json
import os
import sys
from pathlib import Path

import pytest

KIT = Path(__file__).parent / "kit"
ROOT = Path(__file__).parents[2]


def traces(name):
    """The games of a file of golden traces."""
    games = [json.loads(line) for line in (ROOT / "tests" / "golden" / name).read_text().splitlines()]
    assert games
    return games


@pytest.fixture
def kit(monkeypatch):
    """The stand-in's modules game and graphical, imported in its own folder as the kit must be."""
    monkeypatch.chdir(KIT)
    monkeypatch.syspath_prepend(str(KIT))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield importlib.import_module("game"), importlib.import_module("graphical")
    del sys.modules["game"], sys.modules["graphical"]


@pytest.fixture
def program():
    """The path of the program matchq, which the environment's MATCHQ names."""
    given = os.environ.get("MATCHQ")
    path = Path(given) if given else ROOT / "target" / "release" / "matchq"
    if not given and not path.is_file():
        pytest.skip("the program is not built: cargo build --release, or name it in MATCHQ")
    return path
