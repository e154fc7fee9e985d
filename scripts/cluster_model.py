#!/usr/bin/env python3
"""A model of work on many machines: how long it takes on 100, 1,000 and 10,000 cores, by costs measured on this machine.

    MATCHQ=target/release/matchq python3 scripts/cluster_model.py measure >docs/reports/cluster.json
    MATCHQ=target/release/matchq python3 scripts/cluster_model.py overhead
    python3 scripts/cluster_model.py model docs/reports/cluster.json docs/cluster.svg

`measure` needs the package matchq[ray] and an idle machine, `model` Python alone. Programs' costs are seconds of the processor, those of
Ray's tasks are by the clock. `overhead` compares parts of ten seconds with one
process. What `model` gives is no measurement: networks, file systems and other users are not in it.
"""

import argparse
import contextlib
import html
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CORES = [1, 10, 100, 1_000, 10_000]

# A million games, by parts of so many seconds.
GAMES = 1_000_000
PART = 20.0

# A generation: each candidate is a part.
CANDIDATES = 1_000

# A sweep: 5 seeds of 20 settings, each an hour of a core, in slices of a minute.
TRAININGS = 100
TRAINING = 3_600.0
SLICE = 60.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    commands.add_parser("measure")
    commands.add_parser("overhead").add_argument("--rounds", type=int, default=3)
    model = commands.add_parser("model")
    model.add_argument("costs", type=Path)
    model.add_argument("picture", type=Path)
    given = parser.parse_args()
    if given.command == "measure":
        print(json.dumps(measure(), indent=1))
    elif given.command == "overhead":
        overhead(given.rounds)
    else:
        costs = json.loads(given.costs.read_text(encoding="utf-8"))
        print(table(costs))
        given.picture.write_text(picture(costs), encoding="utf-8")


def seconds_of(*command, cwd):
    begin = time.perf_counter()
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def work_of(*command, cwd):
    """Seconds of the processor, which others' work changes little."""
    begin = seconds_of_processor(resource.RUSAGE_CHILDREN)
    seconds_of(*command, cwd=cwd)
    return seconds_of_processor(resource.RUSAGE_CHILDREN) - begin


def seconds_of_processor(whose):
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


def measure():
    """The costs of this machine, in seconds and bytes."""
    from matchq.cluster._files import program
    from matchq.cluster._pool import Pool, Task
    from matchq.cluster._series import Folder, gather

    matchq = program()
    costs = {"processor": processor(), "date": time.strftime("%Y-%m-%d"), "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        part = [matchq, "shard", "--index"]
        eval_ = ["eval", "--player", "greedy", "--threads", "1", "--games"]
        few = [work_of(*part, str(i), "--of", "5", "--out", "few", *eval_, "5", cwd=folder) for i in range(5)]
        costs["start"] = statistics.median(few)
        many = 20_000
        seconds = [work_of(*part, str(i), "--of", "4", "--out", "many", *eval_, str(many), cwd=folder) for i in range(4)]
        costs["game"] = (statistics.median(seconds) - costs["start"]) / (many / 4)
        costs["bytes_per_game"] = sum(file.stat().st_size for file in (folder / "many").iterdir()) / many
        merged = [work_of(matchq, "merge", "many", "--json", "all.json", cwd=folder) for _ in range(3)]
        costs["merge_per_game"] = (statistics.median(merged) - costs["start"]) / many

        network = ["eval", "--threads", "1", "--games"]
        costs["network_game"] = (work_of(*part, "0", "--of", "1", "--out", "network", *network, "300", cwd=folder) - costs["start"]) / 300
        # A good controller of Tetris with ten rows plays the 24 games of configs/tetris-cma.toml.
        good = ["--game", "tetris", "--rule", "rows=10", "--player", "linear:weights=dt-10", "--threads", "1", "--games", "24"]
        costs["candidate"] = work_of(matchq, "eval", *good, cwd=folder) - costs["start"]
        run = ["train", "--config", "tetris-cma", "--set", f"cma.population={CANDIDATES}", "--set", "evaluation.every=1000"]
        process = subprocess.Popen(
            [matchq, *run, "--name", "run", "--quiet"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while not (folder / "runs/run/last.ckpt").is_file():
            time.sleep(0.01)
        process.kill()
        process.wait()
        generation = ["generation", "--threads", "1", "--run", "run"]
        for index in range(10):
            work_of(*part, str(index), "--of", "10", "--out", "generation", *generation, cwd=folder)
        costs["end_of_generation"] = work_of(matchq, "merge", "generation", "--into", "runs/run", cwd=folder)

        with contextlib.ExitStack() as stack:
            stack.enter_context(ray_here())
            begin = time.perf_counter()
            pool = stack.enter_context(Pool("auto", 1, 1))
            costs["connect"] = time.perf_counter() - begin
            shared = pool.share({})
            # The first tasks start the workers.
            gather(pool, Folder(made(folder / "warm"), "eval"), 8, ["eval", "--player", "greedy", "--games", "8"], shared)
            tasks, slots = 400, pool.slots()
            begin, worked = time.perf_counter(), seconds_of_processor(resource.RUSAGE_SELF)
            gather(pool, Folder(made(folder / "tasks"), "eval"), tasks, ["eval", "--player", "greedy", "--games", str(tasks)], shared)
            costs["driver_per_task"] = (seconds_of_processor(resource.RUSAGE_SELF) - worked) / tasks
            costs["task"] = (time.perf_counter() - begin) / tasks * slots - costs["start"]
            # A slice brings a run there and back.
            size = 20_000_000
            run = {"run/last.ckpt": os.urandom(size)}
            begin = time.perf_counter()
            for _ in range(5):
                pool.one(Task("slice", ["players"], "run", run), shared)
            costs["byte"] = max(0.0, (time.perf_counter() - begin) / 5 - costs["task"] - costs["start"]) / size / 2
    return {name: float(f"{value:.3g}") if isinstance(value, float) else value for name, value in costs.items()}


def made(folder):
    folder.mkdir()
    return folder


@contextlib.contextmanager
def ray_here():
    """A Ray cluster of this machine's cores."""
    ray = str(Path(sys.executable).parent / "ray")
    # Ray's workers give way to all other processes, unless they are told otherwise.
    environment = {**os.environ, "RAY_worker_niceness": "0"}
    start = [ray, "start", "--head", "--block", f"--num-cpus={os.cpu_count()}", "--include-dashboard=false", "--disable-usage-stats"]
    process = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        if not any("Ray runtime started" in line for line in process.stdout):
            sys.exit("Ray does not start: is another one running here?")
        yield
    finally:
        process.terminate()
        process.wait()


def processor():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return f"{name}, {os.cpu_count()} cores"


def overhead(rounds):
    """Prints the seconds of one process and of parts of ten seconds on Ray, in turns."""
    from matchq.cluster._files import program

    cores = os.cpu_count()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        flags = ["--player", "plan", "--games"]
        small = seconds_of(program(), "eval", *flags, "400", "--threads", "1", cwd=folder)
        # Six parts of ten seconds for each core.
        games = round(400 / small * 10 * 6 * cores)
        ratios = []
        with ray_here():
            for number in range(rounds):
                whole = seconds_of(program(), "eval", *flags, str(games), "--json", "one.json", cwd=folder)
                many = [sys.executable, "-m", "matchq.cluster", "eval", *flags, str(games), "--out", f"parts-{number}"]
                parts = seconds_of(*many, "--shards", str(6 * cores), "--json", "many.json", cwd=folder)
                ratios.append(parts / whole)
                line = f"{games} games: one process {whole:.1f} s, {6 * cores} parts {parts:.1f} s, {ratios[-1]:.3f} times"
                print(line, flush=True)
        print(f"median {statistics.median(ratios):.3f} times; load {os.getloadavg()[1]:.1f}")


def parts(costs, cores, count, work, merge):
    """Seconds of work in parts, each of ``work`` seconds."""
    waves = math.ceil(count / cores)
    on_workers = waves * (costs["start"] + max(0.0, costs["task"]) + work)
    # One process gives out all tasks and writes their files.
    by_driver = count * costs["driver_per_task"]
    return max(on_workers, by_driver) + merge


def games(costs, cores, game="network_game"):
    """Seconds of a million games, and those of one core without parts."""
    work = GAMES * costs[game]
    count = max(1, round(max(work / PART, min(cores, work / 2))))
    merge = GAMES * costs["merge_per_game"] + costs["connect"]
    return parts(costs, cores, count, work / count, merge), work


def generation(costs, cores):
    """Seconds of a generation, and those of one core without parts."""
    count = min(cores, CANDIDATES)
    work = CANDIDATES * costs["candidate"]
    return parts(costs, cores, count, work / count, costs["end_of_generation"]), work


def sweep(costs, cores, size=10_000_000):
    """Seconds of a sweep whose runs have so many bytes, and those of one core without slices."""
    slices = math.ceil(TRAINING / SLICE)
    one = TRAINING + slices * (costs["start"] + max(0.0, costs["task"]) + 2 * size * costs["byte"])
    by_driver = TRAININGS * slices * (costs["driver_per_task"] + 2 * size * costs["byte"])
    return max(math.ceil(TRAININGS / cores) * one, by_driver) + costs["connect"], TRAININGS * TRAINING


WORK = [
    ("a million games of a network", games),
    ("a million games of greedy", lambda costs, cores: games(costs, cores, "game")),
    (f"a generation of {CANDIDATES:,} controllers", generation),
    (f"a sweep of {TRAININGS} trainings of an hour", sweep),
]


def duration(seconds):
    for unit, size in [("h", 3_600), ("min", 60)]:
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def share_of(percent):
    return f"{percent:.0f}" if percent >= 9.5 else f"{percent:.1g}"


def table(costs):
    """The model's times, and the share of the cores' time that is work, as a Markdown table."""
    lines = ["| cores | " + " | ".join(name for name, _ in WORK) + " |", "|---:" * (len(WORK) + 1) + "|"]
    for cores in CORES:
        cells = []
        for _, model in WORK:
            seconds, work = model(costs, cores)
            cells.append(f"{duration(seconds)} ({share_of(100 * work / seconds / cores)} %)")
        lines.append(f"| {cores:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def picture(costs):
    """The speed-up against cores, both logarithmic, as SVG."""
    width, height, left, top, bottom = 640, 400, 70, 60, 50
    across = lambda cores: left + (width - left - 20) * math.log10(cores) / 4  # noqa: E731
    up = lambda times: height - bottom - (height - bottom - top) * math.log10(max(times, 1)) / 4  # noqa: E731
    steps = [10 ** (place / 20) for place in range(81)]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        "<title>Model: speed-up on many cores</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="22" font-size="15">A model, no measurement: speed-up on many cores</text>',
        f'<text x="{left}" y="40" fill="#555">by costs measured on {html.escape(costs["processor"])}</text>',
    ]
    for power in range(5):
        x, y = across(10**power), up(10**power)
        out.append(f'<path d="M{x:.1f} {top}V{height - bottom}M{left} {y:.1f}H{width - 20}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.1f}" y="{height - bottom + 16}" text-anchor="middle">{10**power:,}</text>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10**power:,}</text>')
    out.append(f'<text x="{(left + width) / 2}" y="{height - 12}" text-anchor="middle">cores</text>')
    lines = [("as fast as there are cores", lambda cores: cores, "#999")]
    lines += [
        (name, lambda cores, model=model: model(costs, 1)[0] / model(costs, math.floor(cores))[0], colour)
        for (name, model), colour in zip(WORK, ["#0072b2", "#56b4e9", "#d55e00", "#009e73"])
    ]
    for number, (name, times, colour) in enumerate(lines):
        points = " ".join(f"{across(cores):.1f},{up(times(cores)):.1f}" for cores in steps)
        dashes = ' stroke-dasharray="4 4"' if number == 0 else ""
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        y = top + 16 + 16 * number
        out.append(f'<path d="M{left + 12} {y - 4}h20" stroke="{colour}" stroke-width="2"{dashes}/>')
        out.append(f'<text x="{left + 38}" y="{y}">{html.escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
