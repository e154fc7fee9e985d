"""The examples for other libraries, each where its library is installed: scripts/check_slow libraries installs them all."""

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


@pytest.mark.parametrize("library, example, arguments, least", EXAMPLES)
def test_an_example_runs_with_its_library(library, example, arguments, least, tmp_path):
    pytest.importorskip(library, reason=f"{library} is not installed")
    command = [sys.executable, ROOT / "python" / "examples" / example, *arguments]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    points = re.findall(r"(-?\d+(?:\.\d+)?)(?: ± [\d.]+)?(?: points|$)", ran.stdout.strip().splitlines()[-1])
    assert float(points[0]) >= least, ran.stdout
