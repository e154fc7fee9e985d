"""The command line of ``python -m matchq.cluster``."""

from __future__ import annotations

import argparse

from matchq import _tools
from matchq._tools import Failure
from matchq.cluster import _evolve, _scripts, _series, _sweep

SERIES = """\
Does COMMAND of the program matchq in parts on many machines. All flags of the command are given as ever
(matchq COMMAND --help has them); players may be files or runs below this folder, which are sent along.
The report is that of one process, but for times by the clock. A second call with the same --out goes on
from the parts that are there."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m matchq.cluster",
        description="Work of the program matchq on many machines, by Ray; eval, compare and endure also by Slurm or "
        "Kubernetes. Each machine has Ray and the program: MATCHQ names its file, else it is beside Python or in PATH.",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    for name, about in [
        ("eval", "play seeded games with one agent"),
        ("compare", "let several players play the same seeded games"),
        ("endure", "measure players whose games are too long to be played to their end"),
    ]:
        command = commands.add_parser(
            name,
            help=about,
            description=SERIES.replace("COMMAND", name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            usage=f"python -m matchq.cluster {name} [the program's flags ...] --out FOLDER [options]",
            allow_abbrev=False,
        )
        command.add_argument("--out", metavar="FOLDER", required=True, help="folder of the parts' files")
        command.add_argument("--json", metavar="FILE|-", help="write the report as JSON")
        if name != "endure":
            command.add_argument("--moves", metavar="FILE.jsonl", help="write the moves of each game")
            command.add_argument("--plot", metavar="FILE.svg", help="draw the report")
        command.add_argument(
            "--shards",
            metavar="N",
            type=_tools.count,
            help="number of parts [default: that of the files in --out, else so many that a part takes about "
            "20 seconds, by the time of small parts that are played first and thrown away]",
        )
        add_cluster(command)
        batch = command.add_argument_group("without Ray")
        only = batch.add_mutually_exclusive_group()
        only.add_argument(
            "--slurm",
            action="store_true",
            help="run nothing, but write scripts for Slurm into --out: an array of --shards tasks, the merge after it",
        )
        only.add_argument(
            "--kubernetes",
            metavar="IMAGE",
            help="run nothing, but write manifests for Kubernetes into --out: an indexed job of --shards pods with "
            "this container image, which has the program, and the merge after it",
        )
        batch.add_argument(
            "--claim",
            metavar="NAME",
            default="matchq",
            help="volume claim that the pods share, which stands for this folder [default: matchq]",
        )
        command.set_defaults(run=series, moves=None, plot=None)
    command = commands.add_parser(
        "sweep",
        help="train with several seeds and settings",
        description="Trains with several seeds at each place of a grid of settings. Each is a whole training, in "
        "slices: a lost machine costs a slice at the most. The folder --out has the runs, sweep.svg with a band for "
        "each place, and sweep.json. A second call goes on where the first one ended.",
        allow_abbrev=False,
    )
    command.add_argument("config", metavar="CONFIG", help="configuration: a file, or a name such as dqn")
    command.add_argument("--out", metavar="FOLDER", required=True, help="folder of the runs")
    command.add_argument("--seeds", metavar="N", type=_tools.count, default=5, help="seeds 1 to N [default: 5]")
    command.add_argument(
        "--grid",
        metavar="KEY=A,B",
        nargs="+",
        action="extend",
        default=[],
        help="values of a key; several keys give all their combinations",
    )
    add_set(command)
    command.add_argument(
        "--slice",
        metavar="SECONDS",
        type=_tools.positive,
        default=60.0,
        help="seconds until a training is saved and brought back [default: 60]",
    )
    add_cluster(command)
    command.set_defaults(run=_sweep.run)
    command = commands.add_parser(
        "evolve",
        help="train by evolution, with each generation's candidates on all machines",
        description="Trains by evolution. The run is here; the machines evaluate each generation's candidates. The run "
        "is the same, bit for bit, as by `matchq train`.",
        allow_abbrev=False,
    )
    command.add_argument(
        "config", metavar="CONFIG", nargs="?", help="configuration: a file, or a name such as tetris-cma"
    )
    command.add_argument("--resume", metavar="RUN", help="go on with this run: its folder, or its name in runs/")
    command.add_argument("--out", metavar="FOLDER", help="folder of a new run")
    add_set(command)
    command.add_argument(
        "--shards",
        metavar="N",
        type=_tools.count,
        help="parts of a generation [default: as many as the cluster runs at once, and at most the candidates]",
    )
    add_cluster(command)
    command.set_defaults(run=_evolve.run)
    return _tools.run(run, parser, arguments)


def add_set(command: argparse.ArgumentParser) -> None:
    """Adds the option that sets a key."""
    command.add_argument(
        "--set",
        metavar="KEY=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="set a key of the configuration, such as learning.batch=128",
    )


def add_cluster(command: argparse.ArgumentParser) -> None:
    """Adds the options that say where tasks run."""
    command.add_argument(
        "--address",
        metavar="ADDRESS",
        help="address of the Ray cluster, or auto for the one that this machine belongs to [default: RAY_ADDRESS, else "
        "a cluster of this machine alone, begun for this call]",
    )
    command.add_argument(
        "--threads-per-task", metavar="N", type=_tools.count, default=1, help="cores of a task [default: 1]"
    )
    command.add_argument(
        "--tries",
        metavar="N",
        type=_tools.count,
        default=5,
        help="how often a task is tried whose machine was lost or whose program failed, but for exit code 2 "
        "[default: 5]",
    )


def series(arguments: argparse.Namespace) -> int:
    """Runs a command in parts by Ray, or writes what another engine needs for it."""
    if arguments.slurm or arguments.kubernetes:
        return _scripts.run(arguments)
    return _series.run(arguments)


def run(parser: argparse.ArgumentParser, arguments: list[str] | None) -> int:
    """Runs the command that the arguments name."""
    parsed, flags = parser.parse_known_args(arguments)
    parsed.flags = flags
    if flags and parsed.command not in ("eval", "compare", "endure"):
        raise Failure(f"{flags[0]}: no such flag: see python -m matchq.cluster {parsed.command} --help")
    code: int = parsed.run(parsed)
    return code
