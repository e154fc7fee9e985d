"""The examples for other libraries and the bench beside PyTorch, where these are installed: scripts/check_slow libraries does it."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT

# Library, example, arguments for a short run, and the least number of points of its last line.
EXAMPLES = [
    ("torchrl", "torchrl_rollout.py", [], 100),
    ("tianshou", "tianshou_dqn.py", ["1"], 350),
    ("ray.rllib", "rllib_ppo.py", ["1"], -200),
    ("sb3_contrib", "maskable_ppo.py", ["--steps", "6400", "--games", "50"], 400),
    ("torch", "dqn.py", ["--steps", "6464", "--games", "10"], 400),
]


def test_pytorch_computes_the_update_that_the_benches_time():
    pytest.importorskip("torch", reason="torch is not installed")
    # The script compares values, losses and gradients before it times anything.
    short = ["--python", sys.executable, "--shapes", "8x2", "--rounds", "1", "--seconds", "0"]
    ran = subprocess.run([sys.executable, ROOT / "benches" / "pytorch.py", *short], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "| update of 256 boards |" in ran.stdout


@pytest.mark.parametrize("library, example, arguments, least", EXAMPLES)
def test_an_example_runs_with_its_library(library, example, arguments, least, tmp_path):
    pytest.importorskip(library, reason=f"{library} is not installed")
    command = [sys.executable, ROOT / "python" / "examples" / example, *arguments]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    points = re.findall(r"(-?\d+(?:\.\d+)?)(?: ± [\d.]+)?(?: points|$)", ran.stdout.strip().splitlines()[-1])
    assert float(points[0]) >= least, ran.stdout
