#!/usr/bin/env python3
"""Trains each recipe of docs/dqn.md with several seeds, and writes its tables and curves from what they left.

Usage: python3 scripts/evidence.py train [--only NAME] [--seeds N] [--jobs N] [--program FILE]
       python3 scripts/evidence.py tables

train: what has no report in docs/reports/dqn/ yet is trained, one thread each, all recipes with the first seed, then with the
next; what was interrupted goes on where it was. The last agent of a training, not the best, then plays games that
neither training nor choosing used. A report is the score and the luck of each game, and a recipe's logs.

tables: computes everything from these reports alone, and writes it into docs/dqn.md and docs/training.svg.

Needs Python 3.11; train also needs cargo. All recipes with all seeds take some two days of one core.
"""

import argparse
import concurrent.futures
import csv
import fnmatch
import io
import json
import math
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import textwrap
import tomllib

from results import build, machine, write

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = ROOT / "target" / "evidence"
REPORTS = ROOT / "docs" / "reports" / "dqn"
# Games of a report, and simulations of each move by which their luck is estimated.
GAMES, FIRST_SEED, LUCK = 1_000, 2_000_000, 20

PLAIN, SETUPS = "configs/dqn-plain.toml", "configs/dqn-setups.toml"
# Each recipe: its configuration's name, what is changed of it, and how many seeds it is trained with.
RECIPES = {
    "dqn": ({}, 5),
    "dqn-plain": ({}, 5),
    "dqn-simulated": ({}, 3),
    "dqn-setups": ({"evaluation.every": 28_000}, 3),
    "match3-fitted": ({}, 5),
}
# Short trainings in which one thing at a time is changed. First 1,501 updates of the recipe that trains fastest; what the
# others are compared with comes first.
SHORT = {"training.steps": 102_400, "evaluation.every": 102_400, "checkpoint.every": 25_600}
CHANGES = {
    "base": ("nothing changed", {}),
    "discount-0": ("`learning.discount = 0`: the move's own points", {"learning.discount": 0}),
    "double": ("`learning.double = true`", {"learning.double": "true"}),
    "dueling": ("`network.dueling = true`", {"network.dueling": "true"}),
    "n-step": ("`learning.n_step = 3`", {"learning.n_step": 3}),
    "prioritised": ("`replay.prioritised = true`", {"replay.prioritised": "true"}),
    "soft": ("`target.update = \"soft\"`, rate 0.005", {"target.update": "soft"}),
    "huber": ("`learning.loss = \"huber\"`", {"learning.loss": "huber"}),
    "not-relative": ("`learning.relative = false`", {"learning.relative": "false"}),
    "adam-3e-3": ("Adam, rate 3e-3", {"learning.optimizer": "adam", "learning.learning_rate": "3e-3"}),
    "adam-1e-3": ("Adam, rate 1e-3", {"learning.optimizer": "adam", "learning.learning_rate": "1e-3"}),
    "adam-3e-4": ("Adam, rate 3e-4", {"learning.optimizer": "adam", "learning.learning_rate": "3e-4"}),
    "no-colours": (
        "`network.share_colours = false`, 32 channels (as many operations)",
        {"network.share_colours": "false", "network.channels": 32},
    ),
    "effective": ("`game.mask = \"effective\"`", {"game.mask": "effective"}),
    "bf16": ("`network.precision = \"bf16\"`", {"network.precision": "bf16"}),
}
# Then 526 updates of one that learns from what the rules simulate.
SHORT_SETUPS = {"training.steps": 10_000}
SETUPS_CHANGES = {
    "base": ("nothing changed", {}),
    "all-candidates": ("`learning.candidates = 0`: all moves of a next state", {"learning.candidates": 0}),
    "not-relative": ("`learning.relative = false`", {"learning.relative": "false"}),
    "no-lookahead": ("`learning.expected.lookahead = 0`", {"learning.expected.lookahead": 0}),
}
CHANGE_SEEDS = 3
# Columns of train.csv that a report keeps.
KEPT = ["step", "updates", "seconds", "loss", "value", "error", "gradient_norm", "wave_loss", "score"]


def main():
    parser = argparse.ArgumentParser(description="Trains recipes with several seeds; writes their tables.")
    parser.add_argument("what", choices=["train", "tables"])
    parser.add_argument("--only", help="this recipe alone, or those that a pattern matches, such as setups-*")
    parser.add_argument("--seeds", type=int, help="seeds of each recipe, fewer than planned")
    parser.add_argument("--jobs", type=int, default=2, help="trainings side by side (2)")
    parser.add_argument("--program", help="a matchq that was built before; without it, it is built")
    arguments = parser.parse_args()
    if arguments.what == "tables":
        return tables()

    RUNS.mkdir(parents=True, exist_ok=True)
    program = pathlib.Path(arguments.program or build("evidence")).resolve()
    planned = {name: (f"configs/{name}.toml", settings, seeds) for name, (settings, seeds) in RECIPES.items()}
    for kind, config, short, changes in [("change", PLAIN, SHORT, CHANGES), ("setups", SETUPS, SHORT_SETUPS, SETUPS_CHANGES)]:
        planned |= {f"{kind}-{name}": (config, short | settings, CHANGE_SEEDS) for name, (_, settings) in changes.items()}
    jobs = [
        (seed, name, config, settings)
        for name, (config, settings, seeds) in planned.items()
        for seed in range(1, min(seeds, arguments.seeds or seeds) + 1)
        if arguments.only is None or fnmatch.fnmatch(name, arguments.only)
    ]
    if not jobs:
        raise SystemExit(f"--only {arguments.only} matches none of {', '.join(planned)}")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for _ in pool.map(lambda job: train(program, *job), sorted(jobs, key=lambda job: job[0])):
            pass


def train(program, seed, name, config, settings):
    """Trains a recipe with a seed, unless its report exists, and writes the report."""
    report = REPORTS / f"{name}-{seed}.csv"
    if report.exists():
        return
    one_thread = {**os.environ, "RAYON_NUM_THREADS": "1"}
    run = RUNS / f"{name}-{seed}"
    if (run / "last.ckpt").exists():
        command = [program, "train", "--quiet", f"--resume={run}"]
    else:
        shutil.rmtree(run, ignore_errors=True)
        command = [program, "train", "--quiet", f"--config={config}", f"--runs={RUNS}", f"--name={run.name}"]
        command += [f"--set={key}={value}" for key, value in ({"seed": seed} | settings).items()]
    subprocess.run(command, cwd=ROOT, env=one_thread, check=True)
    with open(run / "train.csv", newline="") as file:
        step = int(list(csv.DictReader(file))[-1]["step"])
    # Fitted value iteration ends by itself.
    steps = tomllib.loads((run / "config.toml").read_text())["training"].get("steps", 0)
    if step < steps:
        raise SystemExit(f"{run.name} was stopped after {step:,} of {steps:,} steps; train goes on with it")

    last = run / "last.safetensors"
    games = compare(program, last, RUNS / f"{name}-{seed}.json", one_thread)
    REPORTS.mkdir(parents=True, exist_ok=True)
    # The tables of changes are of scores alone.
    for log, columns in [("evaluations", None), ("train", KEPT)] if name in RECIPES else []:
        with open(run / f"{log}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        columns = [column for column in columns or list(rows[0]) if any(row.get(column) for row in rows)]
        shown = ([shorter(row[column]) for column in columns] for row in rows)
        write(REPORTS / f"{name}-{seed}.{log}.csv", lines([columns, *shown]))
    write(report, games)
    print(f"{name}, seed {seed}, on {machine()}", flush=True)


def compare(program, agent, path, environment):
    """Lets an agent play; gives the seed, score and luck of each game as CSV."""
    player = "fitted" if "fitted" in agent.parent.name else "network"
    command = [program, "compare", f"--player={player}:checkpoint={agent}", f"--json={path}"]
    command += [f"--games={GAMES}", f"--seed={FIRST_SEED}", f"--luck={LUCK}"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    (player,) = json.loads(path.read_text())["players"]
    less = player["less_luck"]
    print(f"{agent}: {player['mean']:.1f}, less luck {less['mean']:.1f} +- {less['half_width']:.1f}", flush=True)
    rows = ([FIRST_SEED + i, score, f"{luck:.1f}"] for i, (score, luck) in enumerate(zip(player["scores"], player["luck"])))
    return lines([["seed", "score", "luck"], *rows])


def lines(rows):
    """Rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def shorter(cell):
    """A number of a log in six significant digits; whole ones whole."""
    return cell if not cell or float(cell).is_integer() and "." not in cell else f"{float(cell):.6g}"


def trainings(name):
    """Each training of a recipe, by its seed: the scores of its games less luck."""
    found = {}
    for path in sorted(REPORTS.glob(f"{name}-[0-9].csv")):
        with open(path, newline="") as file:
            found[int(path.stem[-1])] = [float(row["score"]) - float(row["luck"]) for row in csv.DictReader(file)]
    return found


def log(name, seed, kind):
    """The rows of a training's log, as numbers."""
    with open(REPORTS / f"{name}-{seed}.{kind}.csv", newline="") as file:
        return [{key: float(cell) for key, cell in row.items() if cell} for row in csv.DictReader(file)]


def interquartile_mean(numbers):
    """The mean of the middle half: a number on its edge counts in part."""
    ordered, quarter = sorted(numbers), len(numbers) / 4
    weights = [max(0.0, min(i + 1, 3 * quarter) - max(i, quarter)) for i in range(len(ordered))]
    return sum(number * weight for number, weight in zip(ordered, weights)) / sum(weights)


def bootstrap(means, statistic, draws=10_000):
    """A 95 % percentile interval of a statistic of trainings, which are drawn anew (Agarwal et al. 2021)."""
    generator = random.Random(0)
    values = sorted(statistic(generator.choices(means, k=len(means))) for _ in range(draws))
    return values[int(0.025 * draws)], values[int(0.975 * draws)]


def student(probability, degrees):
    """A quantile of Student's t distribution: the expansion of Abramowitz and Stegun 26.7.5."""
    x = statistics.NormalDist().inv_cdf(probability)
    terms = [
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92_160,
    ]
    return x + sum(term / degrees ** (power + 1) for power, term in enumerate(terms))


def tables():
    path = ROOT / "docs" / "dqn.md"
    made = {"recipes": recipe_table(), "changes": change_table("change", CHANGES), "setups": change_table("setups", SETUPS_CHANGES)}
    write_tables(path, "scripts/evidence.py", made)
    write(ROOT / "docs" / "training.svg", curves())
    print(f"written: {path}, and docs/training.svg")


def write_tables(path, script, made):
    """Replaces what stands between the marks of each table in a page."""
    text = path.read_text(encoding="utf-8")
    for name, table in made.items():
        begin, end = f"<!-- {name}: by {script} -->\n", f"<!-- end of {name} -->\n"
        if begin not in text or end not in text:
            raise SystemExit(f"{path} must have the marks {begin.strip()} and {end.strip()}")
        before, rest = text.split(begin)
        text = before + begin + "\n" + table + "\n" + end + rest.split(end)[1]
    write(path, text)


def recipe_table():
    """The table of whole trainings."""
    rows = ["| recipe | trainings | mean | spread | interquartile mean | each | updates, or sweeps | hours of one core, shared |", "|---|---|---|---|---|---|---|---|"]
    for name in RECIPES:
        found = trainings(name)
        if not found:
            continue
        means = [statistics.fmean(scores) for scores in found.values()]
        last = [log(name, seed, "train")[-1] for seed in found]
        spread = f"{statistics.stdev(means):.1f}" if len(means) > 1 else ""
        middle = ""
        if len(means) > 2:
            low, high = bootstrap(means, interquartile_mean)
            middle = f"{interquartile_mean(means):.1f} ({low:.1f} to {high:.1f})"
        hours = statistics.fmean(row["seconds"] for row in last) / 3600
        each = ", ".join(f"{mean:.1f}" for mean in means)
        cells = [f"[`{name}`](../configs/{name}.toml)", len(means), f"{statistics.fmean(means):.1f}", spread, middle, each]
        cells += [f"{last[0].get('updates', last[0]['step']):,.0f}", f"{hours:.1f}" if hours > 0.01 else f"{3600 * hours:.1f} seconds"]
        rows.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def change_table(kind, changes):
    """A table of single changes."""
    found = {name: trainings(f"{kind}-{name}") for name in changes}
    means = {name: {seed: statistics.fmean(scores) for seed, scores in of.items()} for name, of in found.items()}
    base = means["base"]
    compared = {name: sorted(set(of) & set(base)) for name, of in means.items() if name != "base" and set(of) & set(base)}
    # The spread of a recipe's trainings about their mean, taken to be the same for all.
    within = [[mean - statistics.fmean(of.values()) for mean in of.values()] for of in means.values() if len(of) > 1]
    degrees = sum(len(of) - 1 for of in within)
    spread = math.sqrt(sum(apart**2 for of in within for apart in of) / degrees) if degrees else math.nan
    rows = ["| | trainings | score | difference | |", "|---|---:|---:|---:|---|"]
    for name, (words, _) in changes.items():
        of = means[name]
        if not of:
            continue
        cells = [words, len(of), f"{statistics.fmean(of.values()):.1f}", "", ""]
        if name in compared:
            seeds = compared[name]
            apart = statistics.fmean(of[seed] - base[seed] for seed in seeds)
            # Of so many changes all intervals hold at once with 95 %: Bonferroni.
            cells[3] = f"{apart:+.0f}" if abs(apart) >= 0.5 else "0"
            if degrees > 1:
                half = student(1 - 0.025 / len(compared), degrees) * spread * math.sqrt(2 / len(seeds))
                cells[3] += f" ± {half:.0f}"
                cells[4] = "" if abs(apart) <= half else "better" if apart > 0 else "worse"
        rows.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    notes = ["", f"Means of {GAMES:,} games from seed {FIRST_SEED:,} on, less luck."]
    if degrees:
        notes[-1] += (
            f" Trainings of one recipe scatter about their mean with a standard deviation of {spread:.1f} points (from {degrees} degrees "
            "of freedom). Differences are over the seeds that both have; their intervals hold all at once with 95 %, for the luck of "
            "trainings and of games."
        )
    return "\n".join(rows + [textwrap.fill(note, 140, break_on_hyphens=False) for note in notes]) + "\n"


def curves():
    """Evaluations less luck of each recipe's trainings, over updates and over hours: their mean, and from the lowest to the highest."""
    colours = dict(zip(RECIPES, ["#4c78a8", "#d68910", "#54a24b", "#8f6bb3", "#6b6f76"]))
    series = {}
    for name in colours:
        logs = [log(name, seed, "evaluations") for seed in trainings(name)]
        rows = list(zip(*logs))
        # One that ends within seconds has no curve.
        if rows and "updates" in rows[0][0]:
            series[name] = [
                {
                    "updates": [row["updates"] for row in at],
                    "seconds": [row["seconds"] for row in at],
                    # Where the luck was not estimated, the scores as they were.
                    "score": [row.get("less_luck", row["mean"]) for row in at],
                }
                for at in rows
            ]
    scores = [score for rows in series.values() for row in rows for score in row["score"]] or [0]
    low, high = 100 * math.floor(min(scores) / 100), 100 * math.ceil(max(scores) / 100) or 100
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="430" font-family="sans-serif" font-size="15">',
        '<rect width="1000" height="430" fill="white"/>',
        '<text x="20" y="24">mean score less luck in training: mean of the trainings, and from the lowest to the highest</text>',
    ]
    top, bottom = 60, 360
    for panel, (key, unit, title) in enumerate([("updates", 1, "updates"), ("seconds", 3600, "hours of one core, shared")]):
        left, right = 80 + 490 * panel, 480 + 490 * panel
        most = max([statistics.fmean(row[key]) / unit for rows in series.values() for row in rows] or [1])

        def x(value):
            return left + (right - left) * value / most

        def y(score):
            return bottom - (bottom - top) * (score - low) / (high - low)

        for score in range(low, high + 1, 100 if high - low <= 800 else 200):
            parts.append(f'<path d="M{left} {y(score):.1f}H{right}" stroke="#dee1e6"/>')
            parts.append(f'<text x="{left - 8}" y="{y(score) + 5:.1f}" text-anchor="end">{score:,}</text>')
        step = 10 ** math.floor(math.log10(most))
        step = step / 5 if most / step < 2 else step / 2 if most / step < 5 else step
        for number in range(int(most / step) + 1):
            parts.append(f'<text x="{x(number * step):.1f}" y="{bottom + 22}" text-anchor="middle">{number * step:,g}</text>')
        parts.append(f'<path d="M{left} {bottom}H{right}" stroke="black"/>')
        parts.append(f'<text x="{(left + right) / 2}" y="{bottom + 44}" text-anchor="middle">{title}</text>')
        for name, rows in series.items():
            at = [x(statistics.fmean(row[key]) / unit) for row in rows]
            upper = [f"{a:.1f},{y(max(row['score'])):.1f}" for a, row in zip(at, rows)]
            lower = [f"{a:.1f},{y(min(row['score'])):.1f}" for a, row in zip(at, rows)]
            middle = [f"{a:.1f},{y(statistics.fmean(row['score'])):.1f}" for a, row in zip(at, rows)]
            parts.append(f'<polygon points="{" ".join(upper + lower[::-1])}" fill="{colours[name]}" fill-opacity="0.25"/>')
            parts.append(f'<polyline points="{" ".join(middle)}" fill="none" stroke="{colours[name]}" stroke-width="2.5"/>')
    for number, name in enumerate(series):
        across = 80 + 200 * number
        parts.append(f'<path d="M{across} 44h24" stroke="{colours[name]}" stroke-width="4"/>')
        parts.append(f'<text x="{across + 30}" y="49">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
