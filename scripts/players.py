#!/usr/bin/env python3
"""Lets a game's players play and trains its agents again; writes the tables of the game's page from what they left.

Usage: python3 scripts/players.py play GAME [--only TEXT] [--program FILE]
       python3 scripts/players.py tables GAME

play: what has no report in docs/reports/GAME/ yet is trained and plays, one thread each, from seed 0 on, which no training
and no choice has used. A report is what `compare --json` says of a player, its score of each game included, or `endure --json`
of a controller of Tetris.

tables: computes the tables of docs/GAME.md from these reports alone.

Needs Python 3; play also needs cargo.
"""

import argparse
import datetime
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys

from evidence import student, write_tables
from results import build, commit, file_name, machine, write

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Trainings whose agents are compared: a name, what is changed, its words. The first is what the others are compared with.
FITTED = {
    "base": ({}, "nothing changed"),
    "no-rewards": ({"playing.rewards": "false"}, "plays by values alone, as the article prints its rule"),
    "outcomes-1": ({"sampling.outcomes": 1, "playing.outcomes": 1}, "1 outcome of a move"),
    "outcomes-5": ({"sampling.outcomes": 5, "playing.outcomes": 5}, "5 outcomes"),
    "outcomes-30": ({"sampling.outcomes": 30, "playing.outcomes": 30}, "30 outcomes"),
    "discount-0.9": ({"learning.discount": 0.9}, "discount 0.9"),
    "discount-0.95": ({"learning.discount": 0.95}, "discount 0.95"),
    "best-of-3": ({"learning.best_of": 3}, "the mean of the 3 best bingos"),
    "best-of-10": ({"learning.best_of": 10}, "the mean of the 10 best bingos"),
    "positions-500": ({"sampling.positions": 500}, "500 boards"),
}

# What is played of each game: players, with how many games, and trainings, each with its seeds and its games.
GAMES = {
    "bilging": {
        "players": [
            ("random", 2_000),
            ("matching", 2_000),
            ("greedy", 2_000),
            ("setup", 2_000),
            ("fitted:depth=1", 2_000),
            ("exhaustive:depth=2", 2_000),
            ("exhaustive:depth=3", 200),
            ("rollout:ms=50", 40),
            ("fitted:depth=2", 400),
            ("planner", 2_000),
            ("network", 1_000),
            ("network+search:ms=50", 40),
            ("best:ms=5", 300),
            ("best:ms=50", 150),
            ("best:ms=500", 16),
        ],
        "trainings": ("configs/bilging-fitted.toml", FITTED, 3, "fitted:checkpoint={agent}", 400),
        "reference": "greedy",
        "rules": (["moves=50", "refill=plain", "chains=piece", "chains=full"], ["greedy", "setup", "planner", "best:sims=3000"], 100),
    },
    "bejeweled": {
        "players": [
            ("lowest", 2_000),
            ("random", 2_000),
            ("greedy", 2_000),
            ("cascade", 2_000),
            ("ranked", 2_000),
            ("plan", 2_000),
            ("first", 2_000),
            ("network:checkpoint=checkpoints/bejeweled-dqn", 40),
            ("careful", 200),
            ("mobile", 40),
        ],
        "rules": (
            ["moves=1000"],
            {
                "random": 400,
                "first": 400,
                "lowest": 400,
                "greedy": 400,
                "ranked": 400,
                "cascade": 400,
                "plan": 400,
                "mobile": 100,
                "careful": 100,
                "network:checkpoint=checkpoints/bejeweled-dqn": 40,
                "rollout:ms=5": 20,
                "rollout:ms=50": 6,
                "best:ms=5": 20,
                "best:ms=50": 6,
            },
        ),
    },
}


# Controllers of Tetris: on ten rows by this program, and what others have published for them on ten and on twenty rows.
CONTROLLERS = {
    "shapes-20": ("", ""),
    "shapes": ("", ""),
    "imitation": ("", ""),
    "report": ("2,240", "19.8 million"),
    "report-9": ("", "12.9 million"),
    "dellacherie": ("2,457 ± 128", "about 5 million"),
    "el-tetris": ("3,129 ± 162", ""),
    "du": ("3,800; 3,896 ± 90", "31 million"),
    "dt-10": ("5,000; 5,031 ± 109", "29 million"),
    "dt-20": ("4,300; 4,439 ± 100", "51 million"),
}
# Those that learners here have trained: the agent's folder, and what the report's own runs of its algorithm made on twenty rows.
TRAINED = {"tetris-genetic": "12.9 and 19.8 million, other runs"}
# How `endure` is called: whole games on ten rows, split ones, and split ones of players that look a piece further.
WHOLE_GAMES = ["--seats=200", "--moves=600000"]
SPLIT = ["--seats=32", "--moves=1600000", "--split"]
FURTHER = ["--seats=32", "--moves=50000", "--split"]
# Who looks a piece further, and on how many rows.
LOOKING = {"dt-10": (10, 20), "shapes": (10,)}
# The training of the first, and the seconds of one core that it took.
GENETIC = ("the report's, 198 generations on 13 rows", "about 43,200")
# Learners that are trained and played for their table alone: the training, its seconds of one core, how long it plays.
LEARNED = {
    "fitted": ("60 sweeps", 1, ["--seats=64", "--moves=10000"]),
    "lspi": ("12 policies of 100,000 moves", 79, ["--seats=200", "--moves=100000"]),
    "cross-entropy": ("40 generations of 300 candidates", 496, ["--seats=200", "--moves=300000"]),
}
# The trainings of the other controllers from here, and their seconds of one core.
SHAPES = {
    "imitation": ("2 sweeps of 150,000 positions", 55),
    "shapes": ("81 generations on 10 rows, after `imitation`", 1_210),
    "shapes-20": ("36 generations on 20 rows, after `shapes`", "about 1,700"),
}
# Seeds by which these are trained once more, each from what its own seed made before; 1 is that of those that ship.
SEEDS = (2, 3)
# Games of DT-10, each to its end, that `endure` is held against: rows, games.
WHOLE = {10: 2_000, 12: 2_000}


def main():
    parser = argparse.ArgumentParser(description="Lets a game's players play; writes the tables of its page.")
    parser.add_argument("what", choices=["play", "tables"])
    parser.add_argument("game", choices=list(TABLES))
    parser.add_argument("--only", help="players, trainings and rules with a player, such as moves=50-greedy, whose name begins so")
    parser.add_argument("--program", help="a matchq that was built before; without it, it is built")
    arguments = parser.parse_args()
    game = arguments.game
    if arguments.what == "tables":
        return tables(game)

    global BY
    BY = "a given program" if arguments.program else commit()
    program = pathlib.Path(arguments.program or build("players")).resolve()
    if game == "tetris":
        return endure(program, arguments.only)
    wanted = GAMES[game]
    rules, players, *each = wanted["rules"]
    of_rules = [f"{file_name(rule)}-{file_name(text)}" for rule in rules for text in players]
    check_only(arguments.only, [*wanted.get("trainings", ("", {}))[1], *(text for text, _ in wanted["players"])], of_rules)
    config, changes, seeds, player, games = wanted.get("trainings", ("", {}, 0, "", 0))
    for seed in range(1, seeds + 1):
        for name, (settings, _) in changes.items():
            report = path_of(game, f"training-{name}-{seed}")
            if (not arguments.only or name.startswith(arguments.only)) and not report.exists():
                agent = train(program, game, config, name, seed, settings)
                play(program, game, player.format(agent=agent), games, report, name)
    for text, games in wanted["players"]:
        report = path_of(game, file_name(text))
        if (not arguments.only or text.startswith(arguments.only)) and not report.exists():
            play(program, game, text, games, report)
    for rule in rules:
        for text, games in players.items() if isinstance(players, dict) else [(text, *each) for text in players]:
            name = f"{file_name(rule)}-{file_name(text)}"
            report = path_of(game, name)
            if name.startswith(file_name(arguments.only or "")) and not report.exists():
                play(program, game, text, games, report, None, f"--rule={rule}")


def check_only(only, names, of_rules=()):
    """Ends where --only is the beginning of no name."""
    begins = any(name.startswith(only or "") for name in names) or any(name.startswith(file_name(only or "")) for name in of_rules)
    if not begins:
        sys.exit(f"players.py: --only {only} is the beginning of none of {', '.join([*names, *of_rules])}")


# What reports say of the program that played.
BY = ""


def path_of(game, name):
    """The report of a name."""
    return ROOT / "docs" / "reports" / game / f"{name}.json"


def train(program, game, config, name, seed, settings):
    """Trains an agent; gives its file."""
    runs = ROOT / "target" / "players" / game
    run = runs / f"{name}-{seed}"
    shutil.rmtree(run, ignore_errors=True)
    command = [program, "train", "--quiet", f"--config={config}", f"--runs={runs}", f"--name={run.name}"]
    command += [f"--set={key}={value}" for key, value in ({"seed": seed} | settings).items()]
    subprocess.run(command, cwd=ROOT, check=True)
    return run / "last.safetensors"


def play(program, game, player, games, report, label=None, *options):
    """Lets a player play, and writes its report."""
    report.parent.mkdir(parents=True, exist_ok=True)
    command = [program, "compare", f"--game={game}", f"--players={player}", f"--games={games}", "--threads=1", "--json=-", *options]
    written = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    (played,) = json.loads(written)["players"]
    del played["moves"]
    if label:
        played["player"] = label
    played |= {"machine": machine(), "date": str(datetime.date.today()), "program": BY}
    write(report, json.dumps(played) + "\n")
    print(f"{report.stem}: {played['mean']:.1f} +- {played['half_width']:.1f}", flush=True)


def endure(program, only):
    """Has the controllers of Tetris play on ten and on twenty rows, and one of them whole games."""
    wanted = {}
    for name, player in controllers().items():
        wanted[f"rows-10-{name}"] = (10, player, WHOLE_GAMES)
        wanted[f"rows-20-{name}"] = (20, player, SPLIT)
    for name, all_rows in LOOKING.items():
        for rows in all_rows:
            wanted[f"further-{rows}-{name}"] = (rows, f"linear:weights={name}:depth=2", FURTHER)
    for rows, games in WHOLE.items():
        report = path_of("tetris", f"whole-{rows}-dt-10")
        if (not only or report.stem.startswith(only)) and not report.exists():
            play(program, "tetris", "linear:weights=dt-10", games, report, None, f"--rule=rows={rows}")
        wanted[f"rows-{rows}-dt-10"] = (rows, "linear:weights=dt-10", WHOLE_GAMES)
        wanted[f"split-{rows}-dt-10"] = (rows, "linear:weights=dt-10", SPLIT)
    missing = lambda name: name.startswith(only or "") and not path_of("tetris", name).exists()
    for seed in SEEDS:
        labels = [f"{name}-seed-{seed}" for name in SHAPES]
        # Each goes on from the one before, so that these are needed too.
        last = max((at for at, label in enumerate(labels) if any(missing(f"rows-{rows}-{label}") for rows in (10, 20))), default=-1)
        agent = None
        for at, (name, label) in enumerate(zip(SHAPES, labels)):
            agent = trained_once(program, name, seed, {"learning.start": f'"{agent}"'} if agent else {}, at <= last)
            player = f"linear:label={label}:checkpoint={agent.relative_to(ROOT)}"
            wanted[f"rows-10-{label}"] = (10, player, WHOLE_GAMES)
            wanted[f"rows-20-{label}"] = (20, player, SPLIT)
    for name, (_, _, options) in LEARNED.items():
        agent = trained_once(program, name, 1, {}, missing(f"learned-{name}"))
        player = "fitted" if name == "fitted" else "linear"
        wanted[f"learned-{name}"] = (10, f"{player}:label={name}:checkpoint={agent.relative_to(ROOT)}", options)
    check_only(only, [*wanted, *(f"whole-{rows}-dt-10" for rows in WHOLE)])
    for name, (rows, player, options) in wanted.items():
        report = path_of("tetris", name)
        if not missing(name):
            continue
        report.parent.mkdir(parents=True, exist_ok=True)
        command = [program, "endure", "--game=tetris", f"--rule=rows={rows}", f"--players={player}", "--json", "--threads=1"]
        written = subprocess.run([*command, *options], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        (played,) = json.loads(written)
        played["seats"] = [[float(f"{seat[key]:.7g}") for key in ("score", "ends")] for seat in played["seats"]]
        played |= {"machine": machine(), "date": str(datetime.date.today()), "program": BY}
        write(report, json.dumps(played) + "\n")
        print(f"{name}: {mean_of(played)}", flush=True)


def trained_once(program, name, seed, settings, wanted):
    """The agent of a configuration of Tetris by a seed; it is trained if it is wanted and not there."""
    agent = ROOT / "target" / "players" / "tetris" / f"{name}-{seed}" / "last.safetensors"
    if wanted and not agent.exists():
        train(program, "tetris", f"configs/tetris-{name}.toml", name, seed, settings)
    return agent


def controllers():
    """The controllers of Tetris: a name, and the player."""
    found = {name: f"linear:weights={name}" for name in CONTROLLERS}
    for path in sorted((ROOT / "checkpoints").glob("tetris-*")):
        if path.name.removeprefix("tetris-") not in CONTROLLERS:
            found[path.name] = f"linear:checkpoint={path.relative_to(ROOT)}"
    return found


def endured(report):
    """Lines a game that was lost, with their interval; nothing where there is no report."""
    played = read(report)
    return mean_of(played) if played else ""


def mean_of(played):
    """A mean and its interval in whole points; the first alone where games are too few for the second."""
    return f"{played['mean']:,.0f}" + (f" ± {played['half_width']:,.0f}" if played["half_width"] is not None else "")


def learned_table(_):
    """The table of what learners of Tetris reach on ten rows."""
    rows = ["| configuration | training | seconds of one core | lines a game, 10 rows |", "|---|---|---:|---:|"]
    for name in ("fitted", "lspi", "genetic", "cross-entropy", *SHAPES):
        training, seconds, *_ = GENETIC if name == "genetic" else (LEARNED | SHAPES)[name]
        report = f"learned-{name}" if name in LEARNED else f"rows-10-{'tetris-' if name == 'genetic' else ''}{name}"
        figures = [training, seconds if isinstance(seconds, str) else f"{seconds:,}", endured(path_of("tetris", report))]
        rows.append(f"| [`tetris-{name}`](../configs/tetris-{name}.toml) | " + " | ".join(figures) + " |")
    return "\n".join(rows) + "\n"


def seed_table(_):
    """The table of trainings by several seeds."""
    rows = ["| seed | " + " | ".join(f"`{name}`, 10 rows | 20 rows" for name in SHAPES) + " |", "|---|" + "---:|" * 2 * len(SHAPES)]
    for seed in (1, *SEEDS):
        cells = ["1, which ships" if seed == 1 else f"{seed}"]
        for name in SHAPES:
            report = name if seed == 1 else f"{name}-seed-{seed}"
            cells += [endured(path_of("tetris", f"rows-10-{report}")), millions(read(path_of("tetris", f"rows-20-{report}")))]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def millions(played):
    """Million lines a game, with their interval."""
    digits = 1 if played and played["mean"] < 1e9 else 0
    return f"{played['mean'] / 1e6:,.{digits}f} ± {played['half_width'] / 1e6:,.{digits}f}" if played else ""


def whole_table(_):
    """The table of whole games of Tetris beside lines over losses."""
    rows = ["| rows | whole games | their mean | lines over losses | of split games |", "|---:|---:|---:|---:|---:|"]
    for height in WHOLE:
        played = read(path_of("tetris", f"whole-{height}-dt-10"))
        if played:
            cells = [f"{height}", f"{played['games']:,}", mean_of(played)]
            cells += [endured(path_of("tetris", f"{way}-{height}-dt-10")) for way in ("rows", "split")]
            rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def controller_table(_):
    """The table of Tetris's controllers."""
    rows = ["| controller | lines a game, 10 rows | published, 10 rows | million lines, 20 rows | published, 20 rows |", "|---|---:|---:|---:|---:|"]
    found = {name: [read(path_of("tetris", f"rows-{rows}-{name}")) for rows in (10, 20)] for name in controllers()}
    for name in LOOKING:
        found[f"`{name}`, a piece further"] = [read(path_of("tetris", f"further-{rows}-{name}")) for rows in (10, 20)]
    found = {name: played for name, played in found.items() if played[0]}
    for name, (ten, twenty) in sorted(found.items(), key=lambda pair: pair[1][0]["mean"]):
        published = CONTROLLERS.get(name, ("", TRAINED.get(name, "")))
        cells = [name if " " in name else f"`{name}`", mean_of(ten), published[0]]
        cells += [millions(twenty), published[1]]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def needed(report):
    """A report without which there is no table."""
    return read(report) or sys.exit(f"players.py: there is no {report.relative_to(ROOT)}: play first")


def read(report):
    """A report, or nothing where there is none."""
    return json.loads(report.read_text(encoding="utf-8")) if report.exists() else None


def tables(game):
    path = ROOT / "docs" / f"{game}.md"
    write_tables(path, "scripts/players.py", {name: table(game) for name, table in TABLES[game].items()})
    print(f"written: {path}")


def player_table(game):
    """The table of players."""
    found = {text: read(path_of(game, file_name(text))) for text, _ in GAMES[game]["players"]}
    found = {text: played for text, played in found.items() if played}
    reference = needed(path_of(game, GAMES[game]["reference"]))["points_per_move"]
    rows = [
        "| player | points a move | times greedy | a clearing move | bingos a move | completion | ms a move | games |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for text, played in sorted(found.items(), key=lambda pair: pair[1]["points_per_move"]):
        cells = [
            f"`{text}`",
            around(played, "points_per_move", 2),
            f"{played['points_per_move'] / reference:.2f}",
            around(played, "points_per_clearing_move", 2),
            f"{played['bingos_per_move']:.3f}",
            f"{100 * played['completion']:.0f} %",
            two_digits(played["milliseconds_per_move"]),
            f"{played['games']:,}",
        ]
        rows.append("| " + " | ".join(cells) + " |")
    machines = machines_of(found)
    return "\n".join([*rows, "", f"One thread each, on {'; '.join(machines)}."]) + "\n"


def training_table(game):
    """The table of trainings in which one thing is changed."""
    _, changes, seeds, _, games = GAMES[game]["trainings"]
    means = {
        name: {
            seed: played["points_per_move"]
            for seed in range(1, seeds + 1)
            if (played := read(path_of(game, f"training-{name}-{seed}")))
        }
        for name in changes
    }
    means = {name: of for name, of in means.items() if len(of) == seeds}
    base = means.get(next(iter(changes))) or sys.exit("players.py: the trainings with nothing changed have no reports: play first")
    # What is left of a mean once its change's and its seed's are taken out: a seed draws the same boards for all changes.
    overall = statistics.fmean(mean for of in means.values() for mean in of.values()) if means else math.nan
    by_seed = {seed: statistics.fmean(of[seed] for of in means.values()) - overall for seed in base}
    apart = [of[seed] - statistics.fmean(of.values()) - by_seed[seed] for of in means.values() for seed in of]
    degrees = (len(means) - 1) * (seeds - 1)
    spread = math.sqrt(sum(number**2 for number in apart) / degrees) if degrees > 0 else math.nan
    rows = ["| | trainings | points a move | difference | |", "|---|---:|---:|---:|---|"]
    for index, (name, (_, words)) in enumerate(changes.items()):
        of = means.get(name)
        if not of:
            continue
        cells = [words, len(of), f"{statistics.fmean(of.values()):.2f}", "", ""]
        if index and degrees > 1:
            difference = statistics.fmean(of[seed] - base[seed] for seed in of)
            # Of so many changes all intervals hold at once with 95 %: Bonferroni.
            half = student(1 - 0.025 / (len(means) - 1), degrees) * spread * math.sqrt(2 / len(of))
            cells[3] = f"{difference:+.2f} ± {half:.2f}"
            cells[4] = "" if abs(difference) <= half else "better" if difference > 0 else "worse"
        rows.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    note = f"Means of {games:,} games from seed 0 on. The intervals of the differences hold all at once with 95 %."
    return "\n".join([*rows, "", note]) + "\n"


def rule_table(game):
    """Players under other rules."""
    rules, players, games = GAMES[game]["rules"]
    rows = ["| | " + " | ".join(f"`{text}`" for text in players) + " |", "|---|" + "---:|" * len(players)]
    for rule in rules:
        found = [read(path_of(game, f"{file_name(rule)}-{file_name(text)}")) for text in players]
        cells = [around(played, "points_per_move", 2) if played else "" for played in found]
        name = "the article's" if rule == "moves=50" else f"`{rule}`"
        rows.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join([*rows, "", f"{games} games each."]) + "\n"


def article_table(game):
    """Players of the article on bilging beside ours."""
    found = {text: read(path_of(game, file_name(text))) for text, _ in GAMES[game]["players"]}
    rows = ["| | points a move | times greedy | completion |", "|---|---:|---:|---:|"]
    rows += ["| the article: greedy | 3.8 | 1 | 0 % |", "| the article: its player | 8.0 | 2.1 | 58 % |"]
    rows += ['| the article: the best people | "about 12" | 3.2 | |']
    for text in ["greedy", "fitted:depth=1", "fitted:depth=2", "network", "best:ms=50", "best:ms=500"]:
        played, greedy = found.get(text), needed(path_of(game, "greedy"))
        if not played:
            continue
        means = [f"{played[key]:.2f}" for key in ["points_per_move", "points_per_clearing_move"]]
        times = [f"{played[key] / greedy[key]:.2f}" for key in ["points_per_move", "points_per_clearing_move"]]
        cells = [f"`{text}`: over all moves (over clearing moves)", f"{means[0]} ({means[1]})", f"{times[0]} ({times[1]})"]
        rows.append("| " + " | ".join([*cells, f"{100 * played['completion']:.0f} %"]) + " |")
    return "\n".join(rows) + "\n"


def ending_table(game):
    """Bejeweled's players: games to their end, and the same players in games of bounded length."""
    rows = [
        "| player | score | moves | games | score, at most 1,000 moves | moves | times `ranked` | ended before | ms a move | games |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    (rule,), bounded = GAMES[game]["rules"]
    whole = {text: read(path_of(game, file_name(text))) for text, _ in GAMES[game]["players"]}
    cut = {text: read(path_of(game, f"{file_name(rule)}-{file_name(text)}")) for text in bounded}
    cut = {text: played for text, played in cut.items() if played}
    reference = needed(path_of(game, f"{file_name(rule)}-ranked"))["mean"]
    for text, played in sorted(cut.items(), key=lambda pair: pair[1]["mean"]):
        to_end = whole.get(text)
        cells = [f"`{text}`", *([mean_of(to_end), moves(to_end), f"{to_end['games']:,}"] if to_end else ["", "", ""])]
        cells += [mean_of(played), moves(played), f"{played['mean'] / reference:.1f}", f"{100 * played['stuck']:.0f} %"]
        cells += [two_digits(played["milliseconds_per_move"]), f"{played['games']:,}"]
        rows.append("| " + " | ".join(cells) + " |")
    machines = machines_of(cut)
    return "\n".join([*rows, "", f"One thread each, on {'; '.join(machines)}."]) + "\n"


def swaps_table(game):
    """How often a move of a player of Bejeweled leaves no swap, by the swaps that matched before it."""
    names = ["random", "greedy", "first"]
    rows = ["| swaps that match | " + " | ".join(f"`{text}`: moves | that end the game" for text in names) + " |"]
    rows.append("|---|" + "---:|---:|" * len(names))
    found = [needed(path_of(game, file_name(text))) for text in names]
    for first, last in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 8), (9, 12), (13, 112)]:
        cells = [f"{first}" if first == last else f"{first} or more" if last > 50 else f"{first} to {last}"]
        for played in found:
            count = lambda key: sum(number for swaps, number in played[key].items() if first <= int(swaps) <= last)
            seen, ended = count("swaps"), count("last_swaps")
            all_moves = sum(played["swaps"].values())
            cells += [f"{100 * seen / all_moves:.1f} %", f"{100 * ended / seen:.2f} %" if seen else ""]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def moves(played):
    return f"{played['moves_per_game']:,.0f} ± {played['moves_per_game_half_width'] or 0:,.0f}"


# The tables of each game's page.
TABLES = {
    "tetris": {"controllers": controller_table, "whole games": whole_table, "learned": learned_table, "seeds": seed_table},
    "bejeweled": {"players": ending_table, "swaps": swaps_table},
    "bilging": {"players": player_table, "article": article_table, "trainings": training_table, "rules": rule_table},
}


def machines_of(found):
    """The machines on which players played, and when."""
    return sorted({f"{played['machine'].replace('1 cores', '1 core')}, {played['date']}" for played in found.values()})


def two_digits(number):
    """A number with two digits that count."""
    return f"{number:.0f}" if number >= 100 else f"{number:.2g}"


def around(played, key, digits):
    return f"{played[key]:.{digits}f} ± {played[key + '_half_width']:.{digits}f}"


if __name__ == "__main__":
    main()
