"""The cluster: parts of commands, sweeps and evolution on Ray's nodes of this machine, Slurm's and Kubernetes' files.

The nodes' program is a script that a test can let die, fail or wait on the way to the real one.
"""

import importlib.util
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from matchq.cluster import _files, _series, _sweep

# Fields by the clock.
CLOCK = {"seconds", "games_per_second", "milliseconds_per_move"}

GAMES = ["--player", "greedy", "--games", "60"]

# A training by evolution of a second or two.
EVOLUTION = """
learner = "evolution"
seed = 3
game = { name = "tetris", rules = { rows = 6 } }
training = { generations = 4 }
learning = { method = "cma", features = ["dellacherie"] }
fitness = { games = 4, moves = 400 }
evaluation = { every = 2, games = 8, moves = 400, luck = 0 }
checkpoint = { every = 1 }
logging = { every = 1 }
"""

# A training with a network of a few seconds.
LEARNING = """
learner = "dqn"
game = { name = "match3", mask = "matching" }
network = { channels = 4, layers = 2, input = "afterstate", dynamics_waves = 0 }
training = { steps = 4800, games = 16, warmup = 320 }
exploration = { steps = 640 }
learning = { batch = 16 }
evaluation = { every = 1600, games = 4, luck = 0 }
checkpoint = { every = 1600 }
logging = { every = 800 }
"""

# What the script of the nodes can do, once for each word: each try has its own number.
SCRIPT = """\
#!/bin/sh
real={real} folder={folder}
once() {{ mkdir "$folder/$1" 2>/dev/null; }}
is() {{ case " $arguments " in *" $1 "*) true ;; *) false ;; esac; }}
# The worker, or its machine, is lost when the program has begun.
lose() {{ "$real" "$@" & sleep 0.3; kill -KILL $!; kill -KILL $victim; sleep 100; }}
arguments="$*"
. "$folder/plan"
exec "$real" "$@"
"""


def until(condition, what):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, f"no {what} in two minutes"
        time.sleep(0.05)


def is_alive(process):
    """Whether a process lives and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Nodes:
    """A cluster of four nodes with a core each, and the script that is their program."""

    def __init__(self, folder, program):
        from ray.cluster_utils import Cluster

        self.folder, self.program = folder, program
        script = folder / "matchq"
        script.write_text(SCRIPT.format(real=shlex.quote(str(program)), folder=shlex.quote(str(folder))))
        script.chmod(0o755)
        self.plan("")
        # The node of those who ask does no work, so that any other may be lost, which is soon noticed.
        health = {"period_ms": 500, "timeout_ms": 5_000, "failure_threshold": 2, "initial_delay_ms": 0}
        system = {f"health_check_{name}": value for name, value in health.items()}
        head = {"num_cpus": 0, "include_dashboard": False, "_system_config": system, **self.HERE}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.add(4)

    HERE = {"object_store_memory": 100_000_000}

    def add(self, count):
        """Adds nodes of a core each."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MATCHQ", str(self.folder / "matchq"))
            for _ in range(count):
                self.cluster.add_node(num_cpus=1, wait=False, **self.HERE)

    def plan(self, text):
        """Sets what the script does before it becomes the program."""
        (self.folder / "plan").write_text(text)

    def calls(self, name):
        """How often the script has said this."""
        return len(list(self.folder.glob(f"{name}*")))

    def start(self, *arguments, cwd):
        command = [sys.executable, "-m", "matchq.cluster", *arguments, "--address", self.cluster.gcs_address]
        environment = {**os.environ, "MATCHQ": str(self.program), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen(
            command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, *arguments, cwd):
        return ended(self.start(*arguments, cwd=cwd))


def ended(process):
    out, err = process.communicate(timeout=240)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.fixture(scope="module")
def module_program():
    given = os.environ.get("MATCHQ")
    path = Path(given) if given else Path(__file__).parents[2] / "target" / "release" / "matchq"
    if not path.is_file():
        pytest.skip("the program is not built: cargo build --release, or name it in MATCHQ")
    return path.resolve()


@pytest.fixture(scope="module")
def all_nodes(tmp_path_factory, module_program):
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        patch.setenv("MATCHQ", str(module_program))
        nodes = Nodes(tmp_path_factory.mktemp("nodes"), module_program)
        nodes.cluster.wait_for_nodes()
        yield nodes
        nodes.cluster.shutdown()


@pytest.fixture
def nodes(all_nodes):
    """The cluster with a fresh folder for what its script says."""
    yield all_nodes
    all_nodes.plan("")
    for name in all_nodes.folder.iterdir():
        if name.is_dir():
            name.rmdir()
        elif name.name not in ("matchq", "plan"):
            name.unlink()


def alone(program, *arguments, cwd):
    """One process of the whole command."""
    done = subprocess.run([program, *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_clock(value):
    if isinstance(value, dict):
        return {key: without_clock(each) for key, each in value.items() if key not in CLOCK}
    return [without_clock(each) for each in value] if isinstance(value, list) else value


def report(path):
    return without_clock(json.loads(path.read_text()))


def same_runs(one, other):
    for name in ("last.ckpt", "best.safetensors", "last.safetensors"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


# Parts 1 and 2 lose their worker in the first try.
LOSE_TWO = 'victim=$PPID; for part in 1 2; do is "--index $part" && once "lost-$part" && lose "$@"; done'


@pytest.mark.parametrize("plan, lost", [("", 0), (LOSE_TWO, 2)])
@pytest.mark.parametrize(
    "command",
    [
        ["eval", *GAMES],
        ["compare", "--players", "greedy,random", "--games", "30", "--seed", "7", "--luck", "2"],
        ["endure", "--game", "tetris", "--players", "greedy", "--sequences", "8", "--moves", "10000"],
    ],
)
def test_four_workers_report_what_one_process_does_though_two_are_killed_at_work(
    nodes, module_program, tmp_path, command, plan, lost
):
    nodes.plan(plan)
    done = nodes.run(*command, "--out", "parts", "--shards", "6", "--json", "many.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert nodes.calls("lost-") == lost
    if command[0] == "endure":
        (tmp_path / "one.json").write_text(alone(module_program, *command, "--json", cwd=tmp_path))
    else:
        alone(module_program, *command, "--json", "one.json", cwd=tmp_path)
    assert report(tmp_path / "many.json") == report(tmp_path / "one.json")
    assert len(list((tmp_path / "parts").iterdir())) == 6


def test_a_machine_that_is_lost_and_one_that_joins_change_nothing(nodes, module_program, tmp_path):
    # Part 1's first try takes its node with it. Part 3 waits for the node that joins.
    nodes.plan(
        'victim="$RAY_RAYLET_PID $PPID"; is "--index 1" && once lost && lose "$@"\n'
        'is "--index 3" && while [ ! -e "$folder/joined" ]; do sleep 0.1; done'
    )
    process = nodes.start("eval", *GAMES, "--out", "parts", "--shards", "8", "--json", "many.json", cwd=tmp_path)
    until(lambda: nodes.calls("lost"), "lost node")
    nodes.add(1)
    (nodes.folder / "joined").touch()
    done = ended(process)
    assert (done.returncode, done.stderr) == (0, "")
    alone(module_program, "eval", *GAMES, "--json", "one.json", cwd=tmp_path)
    assert report(tmp_path / "many.json") == report(tmp_path / "one.json")


def test_a_part_that_is_never_right_is_reported_by_its_index_and_the_others_are_kept(nodes, tmp_path):
    nodes.plan('is "--index 2" && { echo "error: poison" >&2; exit 2; }; is "--index 3" && { once "try-$$"; exit 3; }')
    arguments = ["eval", *GAMES, "--out", "parts", "--shards", "5", "--tries", "2"]
    done = nodes.run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    wrong, other, last = sorted(done.stderr.splitlines(), key=lambda line: line.startswith("error: failed:"))
    assert {wrong, other} == {
        "error: part 2: exit code 2: poison",
        "error: part 3: exit code 3 in the last of 2 tries: the program printed nothing",
    }
    assert last.startswith("error: failed: part ") and "part 2" in last and "part 3" in last
    assert nodes.calls("try-") == 2
    assert len(list((tmp_path / "parts").iterdir())) == 3

    # The same command asks for the two alone, and for a small one to know whose parts these are.
    nodes.plan('once "asked-$$"')
    done = nodes.run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and nodes.calls("asked-") == 3


def test_exit_code_75_is_tried_again_and_2_in_all_parts_soon_ends_it(nodes, tmp_path):
    nodes.plan('is "--index 1" && once busy && exit 75')
    done = nodes.run("eval", *GAMES, "--out", "parts", "--shards", "3", cwd=tmp_path)
    assert (done.returncode, done.stderr, nodes.calls("busy")) == (0, "", 1)
    nodes.plan('once "asked-$$"')
    done = nodes.run("eval", "--player", "nobody", "--out", "wrong", "--shards", "500", cwd=tmp_path)
    assert done.returncode == 2 and "nobody" in done.stderr and "Traceback" not in done.stderr
    assert nodes.calls("asked-") < 100 and not list((tmp_path / "wrong").iterdir())


def test_the_number_of_parts_is_measured(nodes, module_program, tmp_path):
    done = nodes.run("eval", *GAMES, "--out", "parts", "--json", "many.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    alone(module_program, "eval", *GAMES, "--json", "one.json", cwd=tmp_path)
    assert report(tmp_path / "many.json") == report(tmp_path / "one.json")


def test_ctrl_c_leaves_no_program_and_the_finished_parts(nodes, module_program, tmp_path):
    nodes.plan('is "--index 0" || { echo $$ >"$folder/waits-$$"; exec sleep 500; }')
    process = nodes.start("eval", *GAMES, "--out", "parts", "--shards", "9", cwd=tmp_path)
    first = lambda: list((tmp_path / "parts").glob("*.shard"))  # noqa: E731
    until(lambda: nodes.calls("waits-") >= 3 and first(), "waiting programs")
    programs = [int(path.read_text()) for path in nodes.folder.glob("waits-*") if path.read_text()]
    assert programs and all(map(is_alive, programs))
    process.send_signal(signal.SIGINT)
    done = ended(process)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    until(lambda: not any(map(is_alive, programs)), "end of the programs")
    (kept,) = first()
    assert list((tmp_path / "parts").iterdir()) == [kept]


def test_a_killed_call_leaves_no_program(nodes, tmp_path):
    nodes.plan('echo $$ >"$folder/waits-$$"; exec sleep 500')
    process = nodes.start("eval", *GAMES, "--out", "parts", "--shards", "2", cwd=tmp_path)
    until(lambda: nodes.calls("waits-") == 2, "waiting programs")
    programs = [int(path.read_text()) for path in nodes.folder.glob("waits-*")]
    process.kill()
    process.communicate()
    until(lambda: not any(map(is_alive, programs)), "end of the programs")


def test_two_workers_on_one_part_are_harmless(module_program, tmp_path):
    part = [module_program, "shard", "--of", "2", "--out", "both", "--index"]
    both = [subprocess.Popen([*part, "0", "eval", *GAMES], cwd=tmp_path, stderr=subprocess.PIPE) for _ in range(2)]
    for process in both:
        # Another try finds the file.
        assert process.communicate()[1] == b"" or process.returncode == 75
    for index in "01":
        alone(*part, index, "eval", *GAMES, cwd=tmp_path)
    assert len(list((tmp_path / "both").iterdir())) == 2
    alone(module_program, "merge", "both", "--json", "many.json", cwd=tmp_path)
    alone(module_program, "eval", *GAMES, "--json", "one.json", cwd=tmp_path)
    assert report(tmp_path / "many.json") == report(tmp_path / "one.json")


def test_foreign_and_damaged_parts_are_refused_by_name(nodes, tmp_path):
    arguments = ["--out", "parts", "--shards", "2"]
    assert nodes.run("eval", *GAMES, *arguments, cwd=tmp_path).returncode == 0
    files = sorted((tmp_path / "parts").iterdir())
    before = [file.read_bytes() for file in files]

    # All parts are there, but of other games.
    done = nodes.run("eval", *GAMES, "--seed", "5", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--out parts: " in done.stderr and f"{files[0].name} is no part of this command" in done.stderr
    assert "Traceback" not in done.stderr and [file.read_bytes() for file in files] == before
    done = nodes.run("compare", "--players", "greedy", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and files[0].name in done.stderr
    done = nodes.run("eval", *GAMES, "--out", "parts", "--shards", "3", cwd=tmp_path)
    assert done.returncode == 2 and "--shards 3" in done.stderr

    # A damaged part that the program itself is asked about is made anew; the merge names any other.
    largest = max(files, key=lambda file: file.stat().st_size)
    largest.write_bytes(largest.read_bytes() + b"?" * 9)
    done = nodes.run("eval", *GAMES, *arguments, cwd=tmp_path)
    assert done.returncode == 2 and largest.name in done.stderr and "damaged" in done.stderr
    largest.write_bytes(b"")
    done = nodes.run("eval", *GAMES, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and [file.read_bytes() for file in files] != [b"", b""]


def test_agents_travel_to_workers_by_their_paths_below_this_folder(nodes, module_program, tmp_path):
    (tmp_path / "one.toml").write_text(EVOLUTION)
    for name in ("mine", "other"):
        alone(module_program, "train", "--config", "one.toml", "--name", name, "--quiet", cwd=tmp_path)
    for number, players in enumerate(["mine,runs/other/last.safetensors", "linear:checkpoint=runs/mine"]):
        command = ["compare", "--players", players, "--game", "tetris", "--rule", "rows=6", "--games", "4"]
        out = ["--out", f"parts-{number}", "--shards", "2", "--json", "many.json"]
        done = nodes.run(*command, *out, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        alone(module_program, *command, "--json", "one.json", cwd=tmp_path)
        assert report(tmp_path / "many.json") == report(tmp_path / "one.json")
    for path in [str(tmp_path / "runs" / "mine"), "../mine"]:
        done = nodes.run("eval", "--checkpoint", path, "--out", "x", "--shards", "2", cwd=tmp_path)
        assert done.returncode == 2 and done.stderr.startswith(f"error: {path}: ") and "runs/mine" in done.stderr


@pytest.mark.parametrize("plan, lost", [("", 0), (LOSE_TWO, 2)])
def test_evolution_on_workers_is_that_of_one_process(nodes, module_program, tmp_path, plan, lost):
    (tmp_path / "one.toml").write_text(EVOLUTION)
    alone(module_program, "train", "--config", "one.toml", "--name", "one", "--quiet", cwd=tmp_path)
    nodes.plan(plan)
    done = nodes.run("evolve", "one.toml", "--out", "runs/many", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert nodes.calls("lost-") == lost and done.stdout.startswith("finished after 4 generations")
    same_runs(tmp_path / "runs/one", tmp_path / "runs/many")
    assert not (tmp_path / "runs/many/parts").exists()


def test_evolution_goes_on_with_a_run_and_takes_fewer_parts_than_candidates(nodes, module_program, tmp_path):
    (tmp_path / "one.toml").write_text(EVOLUTION)
    alone(module_program, "train", "--config", "one.toml", "--name", "one", "--quiet", cwd=tmp_path)
    # The first call fails in its second generation.
    nodes.plan('is "--index 1" && { once first || exit 2; }')
    done = nodes.run("evolve", "one.toml", "--out", "runs/many", "--shards", "3", cwd=tmp_path)
    assert done.returncode == 2 and "part 1" in done.stderr and "--resume runs/many" in done.stderr
    nodes.plan("")
    done = nodes.run("evolve", "--resume", "many", "--shards", "1000", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    same_runs(tmp_path / "runs/one", tmp_path / "runs/many")


def test_a_sweep_trains_as_single_processes_do_though_one_is_killed_twice(nodes, module_program, tmp_path):
    (tmp_path / "small.toml").write_text(LEARNING)
    # Seed 1 is killed in its first slice and in a later one.
    nodes.plan(
        'victim=$PPID; is "--set=seed=1" && once lost-first && lose "$@"\n'
        'is "--resume runs/learning.discount=0.5-seed-1" && once lost-later && lose "$@"\n'
        'is "--resume runs/learning.discount=0.5-seed-2" && once resumed'
    )
    grid = ["--seeds", "2", "--grid", "learning.discount=0.5"]
    done = nodes.run("sweep", "small.toml", *grid, "--out", "sweep", "--slice", "1.5", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert nodes.calls("lost-") == 2 and nodes.calls("resumed") == 1
    names = ["learning.discount=0.5-seed-1", "learning.discount=0.5-seed-2"]
    for name in names:
        sets = ["--set=learning.discount=0.5", f"--set=seed={name[-1]}", "--threads", "1", "--quiet"]
        alone(module_program, "train", "--config", "small.toml", "--name", name, *sets, cwd=tmp_path)
        same_runs(tmp_path / "runs" / name, tmp_path / "sweep" / name)
    (place,) = json.loads((tmp_path / "sweep/sweep.json").read_text())["points"]
    finals = [_sweep.last_mean(tmp_path / "runs" / name / "evaluations.csv") for name in names]
    assert place["runs"] == names and place["finals"] == finals
    head, row, picture = done.stdout.splitlines()
    assert head.split() == ["settings", "seeds", "last", "evaluation", "±"]
    assert row.split()[:3] == ["learning.discount=0.5", "2", f"{sum(finals) / 2:.1f}"]
    assert picture == "sweep/sweep.svg" and "<svg" in (tmp_path / "sweep/sweep.svg").read_text()

    # What is finished is not trained again, and another configuration is refused.
    nodes.plan('once "asked-$$"')
    assert nodes.run("sweep", "small.toml", *grid, "--out", "sweep", cwd=tmp_path).returncode == 0
    assert nodes.calls("asked-") == 0
    done = nodes.run("sweep", "small.toml", *grid, "--set", "learning.batch=8", "--out", "sweep", cwd=tmp_path)
    assert done.returncode == 2 and "--set" in done.stderr and "Traceback" not in done.stderr


def test_a_grid_has_all_combinations_of_its_values_and_each_training_a_folder():
    places = _sweep.points(["learning.discount=0.8,0.9", "network.channels=4,8"])
    assert places[1] == ("learning.discount=0.8", "network.channels=8") and len(places) == 4
    assert _sweep.points([]) == [()]
    assert _sweep.points(["learning.features=['dt', 'shapes'],['dt']"])[0] == ("learning.features=['dt', 'shapes']",)
    assert _sweep.Training(places[1], 3).name == "learning.discount=0.8-network.channels=8-seed-3"
    assert _sweep.Training(("learning.features=['dt', 'shapes']",), 1).name == "learning.features=_dt_shapes_-seed-1"


def cluster(*arguments, cwd, **variables):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    command = [sys.executable, "-m", "matchq.cluster", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["eval", "--threads", "2", "--out", "x"], ["--threads:", "--threads-per-task"]),
        (["eval", "--slurm", "--out", "x"], ["--shards:", "--slurm"]),
        (["eval", "--slurm", "--shards", "5000", "--out", "x"], ["--shards 5000", "1000"]),
        (["eval", "--kubernetes", "image", "--shards", "2", "--out", "/x"], ["--out /x", "volume"]),
        (["eval", "--checkpoint", "../x", "--out", "x", "--slurm", "--shards", "2"], ["../x", "runs/mine"]),
        (["sweep", "dqn", "--grid", "discount", "--out", "x"], ["--grid discount", "KEY=VALUE"]),
        (["sweep", "dqn", "--grid", "a=1,1", "--out", "x"], ["--grid", "once"]),
        (["sweep", "dqn", "--out", "x", "--colour"], ["--colour", "no such flag"]),
        (["evolve", "--out", "x"], ["--resume"]),
        (["evolve", "tetris-cma"], ["--out"]),
        (["evolve", "--resume", "nowhere"], ["--resume nowhere", "last.ckpt"]),
        (["eval", "--out", "file/x", "--shards", "2"], ["--out file/x", "folder"]),
    ],
)
def test_a_wrong_call_is_a_sentence_that_names_the_flag(module_program, tmp_path, arguments, words):
    (tmp_path / "file").touch()
    done = cluster(*arguments, cwd=tmp_path, MATCHQ=str(module_program))
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("error: ")
    assert all(word in done.stderr for word in words), done.stderr


def test_a_program_that_is_missing_is_named(tmp_path):
    done = cluster("eval", "--out", "x", cwd=tmp_path, MATCHQ="/nowhere/matchq")
    assert done.returncode == 2 and "MATCHQ=/nowhere/matchq is no file" in done.stderr


def test_a_cluster_that_is_not_there_is_a_sentence_at_once(module_program, tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    (tmp_path / "ray").mkdir()
    with socket.socket() as closed:
        # Bound, but nobody listens.
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        (tmp_path / "ray" / "ray_current_cluster").write_text(address)
        variables = {"MATCHQ": str(module_program), "RAY_TMPDIR": str(tmp_path)}
        for given in (address, "auto"):
            done = cluster("eval", "--out", "x", "--shards", "2", "--address", given, cwd=tmp_path, **variables)
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr.startswith(f"error: --address {given}: there is no cluster to work on: ")


def test_slurm_s_scripts_give_the_report_of_one_process(module_program, tmp_path):
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    command = ["eval", *GAMES, "--rule", "obstacle_kinds=1"]
    out = ["--out", "my $parts", "--shards", "3", "--json", "many 1.json", "--moves", "many 1.jsonl"]
    done = cluster(*command, *out, "--slurm", "--threads-per-task", "2", cwd=folder, MATCHQ=str(module_program))
    assert (done.returncode, done.stderr) == (0, "")
    first, second = done.stdout.splitlines()
    assert shlex.split(first)[-1] == "my $parts/array.sh)" and first.startswith("job=$(sbatch --parsable ")
    assert shlex.split(second)[:2] == ["sbatch", "--dependency=afterany:$job"]
    array = folder / "my $parts" / "array.sh"
    assert "#SBATCH --array=0-2\n" in array.read_text() and "--cpus-per-task=2\n" in array.read_text()
    for index in range(3):
        variables = {**os.environ, "SLURM_ARRAY_TASK_ID": str(index), "SLURM_CPUS_PER_TASK": "1"}
        subprocess.run(["bash", array], env=variables, cwd="/", check=True)
    subprocess.run(["bash", array.with_name("merge.sh")], cwd="/", check=True)
    alone(module_program, *command, "--json", "one.json", "--moves", "one.jsonl", cwd=folder)
    assert report(folder / "many 1.json") == report(folder / "one.json")
    assert (folder / "many 1.jsonl").read_text() == (folder / "one.jsonl").read_text()
    # The merge comes after a part that failed, too, and names it.
    next((folder / "my $parts").glob("*-00001-of-00003.shard")).unlink()
    done = subprocess.run(["bash", array.with_name("merge.sh")], cwd="/", capture_output=True, text=True)
    assert done.returncode == 2 and "of 3 shards 1 is missing: 1" in done.stderr, done.stderr


def test_slurm_s_array_asks_for_another_try_at_exit_code_75_alone(tmp_path):
    for code, tries, asked in [(75, "0", True), (75, "4", False), (2, "0", False), (0, "0", False)]:
        folder = tmp_path / f"{code}-{tries}"
        folder.mkdir()
        for name, text in [("matchq", f"exit {code}"), ("scontrol", f"echo $* >{folder}/asked"), ("sleep", "")]:
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o755)
        done = cluster("eval", "--out", "p", "--shards", "2", "--slurm", cwd=folder, MATCHQ=str(folder / "matchq"))
        assert done.returncode == 0
        variables = {"SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "1", "SLURM_RESTART_COUNT": tries}
        variables = {**os.environ, **variables, "PATH": f"{folder}:{os.environ['PATH']}"}
        assert subprocess.run(["bash", folder / "p" / "array.sh"], env=variables).returncode == code
        assert (folder / "asked").exists() == asked
        if asked:
            assert (folder / "asked").read_text() == "requeue 7_1\n"


def test_kubernetes_manifests_fit_their_schema(module_program, tmp_path):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    command = ["eval", "--player", 'greedy:x="1"', "--out", "results", "--shards", "4"]
    done = cluster(*command, "--kubernetes", "registry/matchq:1", cwd=tmp_path, MATCHQ=str(module_program))
    assert (done.returncode, done.stderr) == (0, "") and "kubectl apply -f results/job.yaml" in done.stdout
    assert "grep -qwE 'Complete|Failed'; do sleep" in done.stdout
    job, merge = (yaml.safe_load((tmp_path / "results" / name).read_text()) for name in ("job.yaml", "merge.yaml"))
    spec = job["spec"]
    assert (spec["completionMode"], spec["completions"], spec["backoffLimitPerIndex"]) == ("Indexed", 4, 4)
    assert [rule["action"] for rule in spec["podFailurePolicy"]["rules"]] == ["FailIndex", "Ignore", "Count"]
    assert spec["podFailurePolicy"]["rules"][0]["onExitCodes"]["values"] == [2]
    (container,) = spec["template"]["spec"]["containers"]
    shard = ["matchq", "shard", "eval", "--player", 'greedy:x="1"', "--of", "4", "--out", "results", "--threads", "1"]
    assert container["command"] == shard
    assert merge["spec"]["template"]["spec"]["containers"][0]["command"] == ["matchq", "merge", "results"]
    validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")
    for manifest in (job, merge):
        validate.validate(manifest, validate.latest_version(), strict=True)


def test_parts_take_about_twenty_seconds_and_leave_no_core_idle():
    assert _series.parts_for(seconds=2_000, count=1_000_000, slots=4) == 100
    assert _series.parts_for(seconds=40, count=1_000, slots=8) == 8
    assert _series.parts_for(seconds=6, count=1_000, slots=8) == 3
    assert _series.parts_for(seconds=0.1, count=1_000, slots=8) == 1
    assert _series.parts_for(seconds=2_000, count=7, slots=4) == 7


def test_a_folder_is_replaced_whole_and_recovered_after_a_crash(tmp_path):
    run = tmp_path / "run"
    _files.replace_folder(run, {"a": b"1", "b/c": b"2"})
    _files.replace_folder(run, {"a": b"3"})
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "run"] and (run / "a").read_bytes() == b"3"
    # Between the two renames the old folder is away.
    run.rename(tmp_path / ".run.old")
    (tmp_path / ".run.new").mkdir()
    (tmp_path / ".run.new" / "a").write_bytes(b"4")
    _files.recover(run)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "run"] and (run / "a").read_bytes() == b"4"


def test_the_interval_of_a_mean_is_student_s():
    # 1, 2, 3: the deviation is 1, and 4.303 / sqrt(3) is 2.484.
    assert round(_sweep.half_width([1, 2, 3]), 3) == 2.484
    assert _sweep.half_width([5]) is None
