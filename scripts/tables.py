#!/usr/bin/env python3
"""Plays and trains what the figures of README.md and docs/ are made of, and writes them: tables, pictures, those of sentences.

    python3 scripts/tables.py list
    python3 scripts/tables.py play [--only PATTERN] [--share S] [--program FILE]
    python3 scripts/tables.py train [--only PATTERN] [--seeds N] [--jobs N] [--program FILE]
    python3 scripts/tables.py tables
    python3 scripts/tables.py check

`list` names the reports of each table; brackets are around those that are missing. `play` lets players without a report in
docs/reports/ play, on one thread, from seed 0 on, which no training and no choice has used. `train` trains agents without a
report, one thread each, all with the first seed, then with the next, and lets the last agent of each training, not the
best, play; an interrupted training goes on where it was. `tables` computes everything from the reports alone. `check`, which
the tests run, names what differs from the reports, and figures of the pages that no table and none of SENTENCES has.

A report that is deleted is made anew; those in strength/ must be of one run, on a machine with nothing else to do. All
trainings take two days of one core. Needs Python 3.10; play and train also need cargo or a program.
"""

import argparse
import collections
import concurrent.futures
import csv
import datetime
import difflib
import fnmatch
import functools
import itertools
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import dataclass

from pictures import chart

# ---- Names of the program: commands, players, keys of its JSON, a column of evaluations.csv

COMPARE, ENDURE = ("compare", "--json=-"), ("endure", "--json")
NETWORK, VALUE, LINEAR = "network", "value", "linear"
PLAYERS, SCORES, LUCK, GAMES, MOVES, MEAN, HALF_WIDTH = "players", "scores", "luck", "games", "moves", "mean", "half_width"
POINTS, CLEARING_POINTS, COMPLETION = "points_per_move", "points_per_clearing_move", "completion"
LENGTH, STUCK, MS = "moves_per_game", "stuck", "milliseconds_per_move"
SEQUENCES, OF_A_SEQUENCE = "sequences", ("score", "ends")
LUCK_ADJUSTED = "luck_adjusted"

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = ROOT / "target" / "tables"
DOCS = ROOT / "docs"

# ---- Trainings, reports, tables


@dataclass(frozen=True, eq=False)
class Training:
    """A run of `matchq train`: a configuration and a seed, what is changed, and the training from whose agent it starts."""

    name: str
    config: str
    seed: int
    settings: tuple = ()
    start: "Training | None" = None

    def folder(self):
        return RUNS / f"{self.name}-{self.seed}"

    def agent(self, program):
        """The last agent; trains it, unless that is done."""
        settings = [f"seed={self.seed}", *self.settings]
        if self.start:
            settings.append(f"learning.start={json.dumps(str(self.start.agent(program)))}")
        # Several reports may need the same agent at once.
        with LOCKS[self.folder()]:
            how = [f"--resume={self.folder()}"]
            if not (self.folder() / "last.ckpt").exists():
                shutil.rmtree(self.folder(), ignore_errors=True)
                how = [f"--config={self.config}", f"--runs={RUNS}", f"--name={self.folder().name}", *(f"--set={key}" for key in settings)]
            said = output(program, "train", "--quiet", *how)
        if said.startswith("stopped"):
            sys.exit(f"tables.py: {self.folder().name}: {said.strip()}, or by the same command")
        return self.folder() / "last.safetensors"


LOCKS = collections.defaultdict(threading.Lock)


@dataclass(frozen=True, eq=False)
class Report:
    """What a player has played, with options of the command: CSV of games with their luck, or JSON of the program."""

    folder: str  # in docs/reports
    name: str
    player: str  # without its agent, if one is trained
    options: dict
    training: Training | None = None
    pieces: int = 1  # played in turn with other reports, so that all have the machine in the same states

    def path(self, log=""):
        return DOCS / "reports" / self.folder / f"{re.sub('[:=/]', '-', self.name)}{log}.{'csv' if 'luck' in self.options else 'json'}"

    def label(self):
        return f"{self.folder}/{self.path().stem}"

    @functools.cache
    def read(self):
        if not self.path().exists():
            sys.exit(f"tables.py: {self.path()} is missing: `tables.py {'train' if self.training else 'play'}` makes it")
        text = self.path().read_text(encoding="utf-8")
        return Games(text.splitlines()) if "luck" in self.options else json.loads(text)

    def log(self, log):
        """The rows of a training's log, as numbers."""
        with open(self.path(f".{log}"), newline="") as file:
            return [{key: float(cell) for key, cell in row.items() if cell} for row in csv.DictReader(file)]

    def play(self, program, share=1, piece=0):
        """Lets the player play its games, or a share or a piece of them; gives what the program says."""
        options, length = dict(self.options), GAMES if GAMES in self.options else MOVES
        options[length] = max(1, round(options[length] * share / self.pieces))
        if piece:
            options["seed"] = piece * options[length]
        player = f"{self.player}:checkpoint={self.training.agent(program)}" if self.training else self.player
        flags = [f"--{key}" if value is True else f"--{key}={value}" for key, value in options.items()]
        start = time.monotonic()
        said = json.loads(output(program, *(ENDURE if SEQUENCES in options else COMPARE), f"--players={player}", "--threads=1", *flags))
        (played,) = said[PLAYERS] if PLAYERS in said else said
        print(f"{self.label()}: {mean_of(played, form=',.1f')} in {time.monotonic() - start:.0f} s", flush=True)
        return played

    def write(self, pieces, by):
        """Writes what was played, in pieces, by which program."""
        player = f"{self.training.name}, seed {self.training.seed}" if self.training else self.player
        if "luck" in self.options:
            text = f"# {player}\n# {machine()}, {datetime.date.today()}, {by}\nseed,score,luck,ms a move\n"
            games = [(*game, piece[MS]) for piece in pieces for game in zip(piece[SCORES], piece[LUCK])]
            for seed, (score, luck, ms) in enumerate(games, self.options.get("seed", 0)):
                text += f"{seed},{score},{luck:.1f},{ms:.3g}\n"
        else:
            (played,) = pieces
            if SEQUENCES in played:
                played[SEQUENCES] = [[float(f"{sequence[key]:.7g}") for key in OF_A_SEQUENCE] for sequence in played[SEQUENCES]]
            text = json.dumps(played | {"player": player, "machine": machine(), "date": str(datetime.date.today()), "program": by}) + "\n"
        write(self.path(), text)

    def keep_logs(self):
        """Writes a training's logs beside the report: of train.csv what matters, numbers in six significant digits."""
        kept = ["step", "updates", "seconds", "loss", "value", "error", "gradient_norm", "wave_loss", "score"]
        for log, columns in [("evaluations", None), ("train", kept)]:
            with open(self.training.folder() / f"{log}.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            columns = [column for column in columns or rows[0] if any(row.get(column) for row in rows)]
            cells = ([f"{float(row[column]):.6g}" if "." in row[column] else row[column] for column in columns] for row in rows)
            write(self.path(f".{log}"), "".join(",".join(line) + "\n" for line in [columns, *cells]))


class Games:
    """A report of games in CSV: by seed their scores and luck-adjusted scores; the latters' mean; the milliseconds of a move."""

    def __init__(self, lines):
        comments = [line for line in lines if line.startswith("# ")]
        self.when = comments[1].removeprefix("# ") if comments else ""
        rows = list(csv.DictReader(lines[len(comments) :]))
        self.scores = {int(row["seed"]): float(row["score"]) for row in rows}
        self.adjusted = {int(row["seed"]): float(row["score"]) - float(row["luck"]) for row in rows}
        self.mean, self.half_width = interval(self.adjusted.values())
        self.ms = statistics.fmean(float(row.get("ms a move", "nan")) for row in rows)

    def __str__(self):
        return about(self.mean, self.half_width, ".1f")

    def ahead(self, other, comparisons):
        """By how much luck-adjusted scores are ahead of another's in the games of both; bold where that is more than chance.

        Bold differences have an interval clear of 0 at an error of 0.05 divided by the number of comparisons (Bonferroni).
        """
        apart = [score - other.adjusted[seed] for seed, score in self.adjusted.items() if seed in other.adjusted]
        mean, half_width = interval(apart, 0.05 / comparisons)
        text = about(*interval(apart), "+.1f")
        return f"**{text}**" if abs(mean) > half_width else text


@dataclass(frozen=True, eq=False)
class Table:
    """What stands between two marks of a page of docs/, or is all of a picture (no mark), made of reports."""

    page: str
    mark: str
    make: object  # a function from the reports to the text
    reports: dict

    def path(self):
        return DOCS / self.page

    def written(self, page):
        """The page's text with the table, or all of the picture."""
        text = self.make(self.reports)
        if not self.mark:
            return text
        begin, end = f"<!-- {self.mark}: by scripts/tables.py -->\n", f"<!-- end of {self.mark} -->\n"
        if begin not in page or end not in page:
            sys.exit(f"tables.py: {self.path()} must have the marks {begin.strip()} and {end.strip()}")
        return f"{page.split(begin)[0]}{begin}\n{text}\n{end}{page.split(end)[1]}"


FIGURE = r"-?\d[\d,]*(?:\.\d+)?(?: ± \d[\d,]*(?:\.\d+)?)?"


@dataclass(frozen=True, eq=False)
class Sentence:
    """Words of a page, from the repository's root, in which each {} is a figure made of reports, and ... is the rest of a cell.

    Without a function its figures have no report: `source` says whose they are.
    """

    page: str
    words: str
    make: object = None  # a function to the figures' texts
    source: str = ""

    def path(self):
        return DOCS.parent / self.page if "docs/" not in self.page else DOCS / self.page.removeprefix("docs/")

    def found(self, page):
        """The words in the page's text, with the figures as groups."""
        patterns = {"{}": f"({FIGURE})", "...": r"[^|\n]*?", " ": r"\s+"}
        pattern = "".join(patterns.get(part) or re.escape(part) for part in re.split(r"(\{\}|\.\.\.| )", self.words))
        matches = list(re.finditer(pattern, page))
        if len(matches) != 1:
            sys.exit(f"tables.py: {self.path()} says {len(matches)} times, and must once: {self.words}")
        return matches[0]

    def written(self, page):
        """The page's text with the figures."""
        found = self.found(page)
        figures = [str(figure) for figure in self.make()] if self.make else []
        if len(figures) != len(found.groups()):
            sys.exit(f"tables.py: {len(figures)} figures for: {self.words}")
        for group, figure in reversed(list(enumerate(figures, 1))):
            page = page[: found.start(group)] + figure + page[found.end(group) :]
        return page


def total(name):
    """The points of all games of a file of `matchq solve`; `matchq verify` proves them."""
    lines = (DOCS / "reports" / name).read_text(encoding="utf-8").splitlines()
    return f"{sum(json.loads(line)['score'] for line in lines):,}"


def each(games):
    """Players and their games, from lists of those that play so many."""
    return [(player, number) for number, players in games.items() for player in players.split()]


def found(reports):
    """What the reports say that are there."""
    return {key: report.read() for key, report in reports.items() if report.path().exists()}


def by_first(entries):
    """Entries whose keys are pairs, as a dictionary of dictionaries."""
    parts = {}
    for (first, second), entry in entries.items():
        parts.setdefault(first, {})[second] = entry
    return parts


# ---- Numbers


def interval(numbers, error=0.05):
    """The mean, and the half width of the interval that leaves it out with that probability, by a normal distribution."""
    numbers = list(numbers)
    z = statistics.NormalDist().inv_cdf(1 - error / 2)
    return statistics.fmean(numbers), z * statistics.stdev(numbers) / math.sqrt(len(numbers))


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


def about(mean, half_width, form):
    """A mean and the half width of its interval; the first alone where games are too few for the second."""
    return f"{mean:{form}}" + ("" if half_width is None else f" ± {half_width:{form.lstrip('+')}}")


def mean_of(played, key=MEAN, form=",.0f", unit=1):
    """A mean of a report in JSON with its interval; nothing where there is no report."""
    half_width = played and played[HALF_WIDTH if key == MEAN else f"{key}_{HALF_WIDTH}"]
    return about(played[key] / unit, None if half_width is None else half_width / unit, form) if played else ""


def millions(played):
    return mean_of(played, form=",.1f" if played and played[MEAN] < 1e9 else ",.0f", unit=1e6)


def two_digits(number):
    """A positive number in two significant digits, and no fewer than its whole ones."""
    return f"{number:.0f}" if number >= 10 else f"{float(f'{number:.2g}'):.7f}".rstrip("0").rstrip(".")


# ---- Text and pictures


def grid(heads, rows, words=(0,)):
    """A table of Markdown; the columns of words are aligned left, the others right."""
    lines = ["|" + "".join(f" {head} |" if head else " |" for head in heads)]
    lines.append("|" + "".join("---|" if column in words else "---:|" for column in range(len(heads))))
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def played_on(reports, between="; "):
    """The machines on which games were played, and when."""
    dates = collections.defaultdict(set)
    for of in reports:
        machine, _, date = (of.when if isinstance(of, Games) else f"{of['machine']}, {of['date']}").rpartition(", ")
        dates[machine].add(date)
    return between.join(sorted(f"{machine}, {', '.join(sorted(of_one))}" for machine, of_one in dates.items()))


# ---- docs/results.md: match-3's players, and strength against time

# The dearer a move, the fewer games. All are compared with the reference.
MATCH3 = {
    1_000: "rollout:depth=2 rollout:depth=1 rollout:sims=400:depth=1",
    2_000: "rollout:sims=100:depth=1 match3-fitted plan:depth=3 dqn dqn:plan=0 dqn-plain dqn-setups",
    10_000: "plan cascade greedy matching random",
}
MATCH3 = {player: Report("players", player, player, {GAMES: games, "luck": 50}) for player, games in each(MATCH3)}
REFERENCE = "dqn"
# Each family's colour, a class of crates/pictures/src/chart.css, and its players by milliseconds a move. The first is compared with each of the others.
BUDGETS = {1: 800, 3: 400, 10: 200, 50: 75}
FAMILIES = {
    "best": ("b", {ms: f"best:ms={ms}" for ms in BUDGETS}),
    "rollout, mask setups": (
        "f",
        {ms: f"rollout:ms={ms}:depth={2 if ms <= 3 else '3:guide=plan:breadth=4:plans=1'}:mask=setups" for ms in BUDGETS},
    ),
    "rollout, 2 chains": ("c", {ms: f"rollout:ms={ms}:depth=2" for ms in (1, 3)}),
    "rollout, 3 plans": ("a", {10: "rollout:ms=10:depth=3:guide=plan:breadth=4"}),
}
TIMED = {
    (family, ms): Report("strength", players[ms], players[ms], {GAMES: games, "luck": 50}, pieces=5)
    for ms, games in BUDGETS.items()
    for family, (_, players) in FAMILIES.items()
    if ms in players
}


def match3_table(reports):
    players = sorted(found(reports).items(), key=lambda pair: -pair[1].mean)
    rows = []
    for player, games in players:
        ahead = games.ahead(reports[REFERENCE].read(), len(players) - 1) if player != REFERENCE else ""
        score = about(*interval(games.scores.values()), ".1f")
        rows.append([f"`{player}`", score, games, ahead, two_digits(games.ms), f"{len(games.scores):,}"])
    heads = ["player", "score", "luck-adjusted", f"ahead of `{REFERENCE.rpartition('/')[2]}`", "ms a move", "games"]
    return f"Played on {played_on(found(reports).values(), '; on ')}.\n\n" + grid(heads, rows, range(6))


def strength_table(reports):
    played, rows = found(reports), []
    first, *others = FAMILIES
    for ms in BUDGETS:
        best = reports[first, ms].read()
        rows.append([f"{ms:,}", f"{len(best.scores):,}", f"{best} ({best.ms:.2f})"])
        for games in (played.get((other, ms)) for other in others):
            rows[-1].append(f"{games} ({games.ms:.2f}); {best.ahead(games, len(played) - len(BUDGETS))}" if games else "")
    return f"Played on {played_on(played.values(), '; on ')}.\n\n" + grid(["ms a move", "games", *FAMILIES], rows, range(6))


def strength_picture(reports):
    """Mean luck-adjusted score against time a move, a line for each family."""
    played = found(reports)
    logarithms = {key: math.log10(games.ms) for key, games in played.items()}
    earliest, latest = min(logarithms.values()), max(logarithms.values())

    def x(logarithm):
        return 110 + 840 * (logarithm - earliest) / (latest - earliest)

    numbers = [digit * 10.0**power for power in range(-3, 6) for digit in (1, 2, 5)]
    # A time is a little over what was given.
    ticks = [(x(math.log10(number)), f"{number:,g}") for number in numbers if earliest - 0.05 <= math.log10(number) <= latest]
    ends = {key: (games.mean, games.mean - games.half_width, games.mean + games.half_width) for key, games in played.items()}
    lines = {family: [(x(logarithms[family, ms]), *ends[family, ms]) for ms in of] for family, of in by_first(played).items()}
    colours = {family: colour for family, (colour, _) in FAMILIES.items()}
    heading = "Mean luck-adjusted score, with 95 % confidence intervals"
    return chart(520, heading, 20, [(80, 980, ticks, "milliseconds a move", lines)], colours, whiskers=True)


TABLES = [
    Table("results.md", "players", match3_table, MATCH3),
    Table("results.md", "strength", strength_table, TIMED),
    Table("strength.svg", "", strength_picture, TIMED),
]

# ---- docs/dqn.md: whole trainings of match-3, and short ones in which one thing at a time is changed

# The player, how many seeds, the colour.
WITHOUT_PLANS = f"{NETWORK}:plan=0"
CONFIGURATIONS = {
    "dqn": (WITHOUT_PLANS, 5, "a"),
    "quick": (NETWORK, 3, "c"),
    "dqn-plain": (NETWORK, 3, "b"),
    "dqn-transitions": (NETWORK, 2, "g"),
    "dqn-transitions-640k": (NETWORK, 5, "f"),
    "dqn-setups": (NETWORK, 3, "d"),
    "match3-fitted": (VALUE, 5, "e"),
}
TEST = {GAMES: 1_000, "seed": 2_000_000, "luck": 20}
# Trainings with other settings, of which the text speaks: their configuration and settings.
EVERY = ("evaluation.every=64_000", "evaluation.games=200", "checkpoint.every=16_000", "logging.every=6_400")
OTHERS = {"dqn-transitions-640k": ("dqn-transitions", ("network.layers=6", "training.steps=640_000", *EVERY))}
TRAINED = {
    (name, seed): Report(
        "dqn",
        f"{name}-{seed}",
        player,
        TEST,
        Training(name, f"configs/{OTHERS.get(name, (name,))[0]}.toml", seed, OTHERS.get(name, ("", ()))[1]),
    )
    for name, (player, seeds, _) in CONFIGURATIONS.items()
    for seed in range(1, seeds + 1)
}
# Words and settings; the first is what the others are compared with. First 1,501 updates of `dqn-transitions`, with six layers.
CHANGES = {
    "base": ("nothing changed",),
    "discount-0": ("`learning.discount=0`: the move's own points", "learning.discount=0"),
    "double": ("`learning.double=true`", "learning.double=true"),
    "dueling": ("`network.dueling=true`", "network.dueling=true"),
    "n-step": ("`learning.n_step=3`", "learning.n_step=3"),
    "prioritised": ("`replay.prioritised=true`", "replay.prioritised=true"),
    "soft": ('`target.update="soft"`, rate 0.005', "target.update=soft"),
    "huber": ('`learning.loss="huber"`', "learning.loss=huber"),
    "not-relative": ("`learning.relative=false`", "learning.relative=false"),
    "adam-3e-3": ("Adam, rate 3e-3", "learning.optimizer=adam", "learning.learning_rate=3e-3"),
    "adam-1e-3": ("Adam, rate 1e-3", "learning.optimizer=adam", "learning.learning_rate=1e-3"),
    "adam-3e-4": ("Adam, rate 3e-4", "learning.optimizer=adam", "learning.learning_rate=3e-4"),
    "no-colours": (
        "`network.share_colours=false`, 32 channels (as many operations)",
        "network.share_colours=false",
        "network.channels=32",
    ),
    "effective": ('`game.mask="effective"`', "game.mask=effective"),
    "bf16": ('`network.precision="bf16"`', "network.precision=bf16"),
}
SHORT = ("network.layers=6", "training.steps=102_400", "evaluation.every=102_400", "checkpoint.every=25_600")
# Then 526 updates of one that learns from what the rules simulate.
SETUPS = {
    "base": ("nothing changed",),
    "all-candidates": ("`learning.candidates=0`: all moves of a next state", "learning.candidates=0"),
    "no-next-moves": ("the same, and `network.next_moves=0`", "learning.candidates=0", "network.next_moves=0"),
}
SCORES_OF = {"unit": "score", "figure": lambda games: games.mean, "digits": (1, 0)}
SCORES_OF["note"] = "Trainings of one configuration have a standard deviation of {spread:.1f} points ({degrees} degrees of freedom)."


def configuration_table(reports):
    rows = []
    for name, of in by_first(found(reports)).items():
        if name in OTHERS:
            continue
        means, last = [games.mean for games in of.values()], [reports[name, seed].log("train")[-1] for seed in of]
        spread = f"{statistics.stdev(means):.1f}" if len(means) > 1 else ""
        middle = "{:.1f} ({:.1f} to {:.1f})".format(interquartile_mean(means), *bootstrap(means, interquartile_mean))
        seconds = statistics.median(row["seconds"] for row in last)
        rows.append([f"[`{name}`](../configs/{name}.toml)", len(means), f"{statistics.fmean(means):.1f}", spread])
        rows[-1].append(middle if len(means) > 2 else "")
        rows[-1].append(f"{last[0].get('updates', last[0]['step']):,.0f}")
        rows[-1].append(f"{seconds / 3600:.1f}" if seconds >= 600 else in_words(seconds))
    heads = ["configuration", "trainings", "mean", "spread", "interquartile mean", "updates, or sweeps"]
    return grid([*heads, "hours of one core, shared"], rows, range(7))


def changes(folder, mark, stem, config, changed, options, player, common=(), *, unit, figure, digits, note, same_boards=False):
    """A table of trainings in which one thing at a time is changed, three seeds each; the settings in common are of all.

    A figure of reports is compared, with so many digits of means and of differences. Where a seed gives all changes the same boards,
    the seed's own mean is no part of the spread.
    """
    reports = {}
    for name, (_, *settings) in changed.items():
        for seed in (1, 2, 3):
            training = Training(f"{stem}-{name}", config, seed, (*common, *settings))
            reports[name, seed] = Report(folder, f"{stem}-{name}-{seed}", player, options, training)

    def make(reports):
        means = by_first({key: figure(played) for key, played in found(reports).items()})
        return change_table(changed, means, unit, digits, note, same_boards)

    return Table("reports/changes.md", mark, make, reports)


def change_table(changed, means, unit, digits, note, same_boards):
    """A table of means, by change and seed; differences that chance does not explain are bold."""
    base = means.get("base") or sys.exit("tables.py: trainings with nothing changed are missing: `tables.py train --only '*-base'`")
    if same_boards:
        means = {name: of for name, of in means.items() if len(of) == len(base)}
    # The spread of a change's trainings about their mean, taken to be the same for all.
    overall = statistics.fmean(mean for of in means.values() for mean in of.values())
    of_seed = {seed: statistics.fmean(of[seed] for of in means.values()) - overall if same_boards else 0 for seed in base}
    apart = [mean - statistics.fmean(of.values()) - of_seed[seed] for of in means.values() for seed, mean in of.items()]
    degrees = sum(len(of) - 1 for of in means.values()) - (len(base) - 1 if same_boards else 0)
    spread = math.sqrt(sum(number**2 for number in apart) / degrees) if degrees else math.nan
    rows, halves = [], set()
    for name, of in means.items():
        fewer = "" if len(of) == len(base) else f" ({len(of)} trainings)"
        rows.append([changed[name][0] + fewer, f"{statistics.fmean(of.values()):.{digits[0]}f}", ""])
        both = sorted(set(of) & set(base))
        if name != "base" and both and degrees > 1:
            # Of so many changes all intervals hold at once with 95 %: Bonferroni.
            half = student(1 - 0.025 / (len(means) - 1), degrees) * spread * math.sqrt(2 / len(both))
            apart = statistics.fmean(of[seed] - base[seed] for seed in both)
            halves.add(f" ± {half:.{digits[1]}f}")
            text = re.sub(r"^[+-]0 ", "0 ", about(apart, half, f"+.{digits[1]}f"))
            rows[-1][2] = text if abs(apart) <= half else f"**{text}**"
    head = "difference"
    if len(halves) == 1:
        (half,) = halves
        head, rows = head + half, [[*row, text.replace(half, "")] for *row, text in rows]
    note = textwrap.fill(note.format(spread=spread, degrees=degrees), 140, break_on_hyphens=False)
    return f"{grid(['', unit, head], rows)}\n{note}\n"


def training_picture(reports):
    """Luck-adjusted evaluations of trainings, over updates and over hours: their mean, and from the lowest to the highest."""
    # Rows of all seeds at the same time; a training that ends within seconds has no curve.
    logs = {name: [*zip(*(reports[name, seed].log("evaluations") for seed in of))] for name, of in by_first(found(reports)).items()}
    logs = {name: rows for name, rows in logs.items() if "updates" in rows[0][0] and name not in OTHERS}
    panels = []
    for left, key, unit, title in [(80, "updates", 1, "updates"), (570, "seconds", 3600, "hours of one core, shared")]:
        lines = {}
        for name, rows in logs.items():
            # Where the luck was not estimated, the scores as they were.
            scores = [[row.get(LUCK_ADJUSTED, row["mean"]) for row in at] for at in rows]
            times = [statistics.fmean(row[key] for row in at) / unit for at in rows]
            lines[name] = [(time, statistics.fmean(at), min(at), max(at)) for time, at in zip(times, scores)]
        # Trainings differ in length by a factor of ten and more: time is logarithmic.
        times = [time for line in lines.values() for time, *_ in line]
        least, most = min(times), max(times)

        def place(time):
            return left + 400 * math.log(time / least) / math.log(most / least)

        lines = {name: [(place(time), *ends) for time, *ends in line] for name, line in lines.items()}
        steps = [digit * 10.0**power for power in range(-3, 9) for digit in (1, 3)]
        ticks = [(place(step), f"{step:,g}") for step in steps if least <= step <= most]
        panels.append((left, left + 400, ticks, title, lines))
    heading = "Luck-adjusted score in training: mean of the trainings, and from the lowest to the highest"
    colours = {name: colour for name, (_, _, colour) in CONFIGURATIONS.items()}
    references = [(name, games.mean) for name, games in found({name: MATCH3[name] for name in ("random", "greedy")}).items()]
    return chart(440, heading, 200, panels, colours, references=references)


def mean_by_change(table, name):
    """The mean of a change's trainings in a table of changes, and the base's over the same seeds."""
    means = [by_first({key: figure_of(report) for key, report in found(table.reports).items()})[of] for of in (name, "base")]
    return [statistics.fmean(of[seed] for seed in set(means[0]) & set(means[1])) for of in means]


def figure_of(report):
    return report[POINTS] if isinstance(report, dict) else report.mean


def in_words(seconds):
    units = [(3600, "{:.1f} hours"), (60, "{:.0f} minutes"), (1, "{:.1f} seconds")]
    unit, time = next((unit, time) for unit, time in units if seconds >= unit or unit == 1)
    return time.format(seconds / unit)


def learning(name, reports):
    """Seconds that a configuration's trainings learned, their mean."""
    seeds = by_first(found(reports))[name]
    return statistics.median(reports[name, seed].log("train")[-1]["seconds"] for seed in seeds)


def cost_table(reports):
    """What a training of each configuration takes and what its agent scores; `quick` and those that ship."""
    rows = []
    for name, of in by_first(found(reports)).items():
        if name not in OTHERS and not name.endswith("-transitions"):
            seconds = learning(name, reports)
            scores = MATCH3[name].read() if name in MATCH3 else ", ".join(f"{games.mean:.0f}" for games in of.values())
            rows.append((seconds, [f"`{name}`", in_words(seconds), scores]))
    return grid(["`--config`", "learns, on one core", "luck-adjusted score"], [row for _, row in sorted(rows)], range(3))


DQN_CHANGES = changes("dqn", "changes", "change", "configs/dqn-transitions.toml", CHANGES, TEST, NETWORK, SHORT, **SCORES_OF)
TABLES += [
    Table("hand-in.md", "configurations", cost_table, TRAINED),
    Table("dqn.md", "configurations", configuration_table, TRAINED),
    Table("training.svg", "", training_picture, TRAINED),
    DQN_CHANGES,
    changes("dqn", "setups", "setups", "configs/dqn-setups.toml", SETUPS, TEST, NETWORK, ["training.steps=10_000"], **SCORES_OF),
]

# ---- docs/bilging.md

BILGING = {
    2_000: f"random matching greedy setup {VALUE}:depth=1 exhaustive:depth=2 planner",
    1_000: NETWORK,
    400: f"{VALUE}:depth=2",
    300: "best:ms=5",
    200: "exhaustive:depth=3",
    150: "best:ms=50",
    40: f"rollout:ms=50 {NETWORK}+search:ms=50",
    16: "best:ms=500",
}
BILGING = {player: Report("bilging", player, player, {"game": "bilging", GAMES: games}) for player, games in each(BILGING)}
# Words and settings, as above.
FITTED = {
    "base": ("nothing changed",),
    "no-rewards": ("plays by values alone", "playing.rewards=false"),
    "outcomes-1": ("1 outcome of a move", "sampling.outcomes=1", "playing.outcomes=1"),
    "outcomes-5": ("5 outcomes", "sampling.outcomes=5", "playing.outcomes=5"),
    "outcomes-30": ("30 outcomes", "sampling.outcomes=30", "playing.outcomes=30"),
    "discount-0.9": ("discount 0.9", "learning.discount=0.9"),
    "discount-0.95": ("discount 0.95", "learning.discount=0.95"),
    "best-of-3": ("the mean of the 3 best bingos", "learning.best_of=3"),
    "best-of-10": ("the mean of the 10 best bingos", "learning.best_of=10"),
    "positions-500": ("500 boards", "sampling.positions=500"),
}
POINTS_OF = {"unit": "points a move", "figure": lambda played: played[POINTS], "digits": (2, 2), "same_boards": True}
POINTS_OF["note"] = (
    "Three trainings each, means of 400 games from seed 0 on. The intervals hold all at once with 95 %; in bold those that leave out 0."
)


def bilging_table(reports):
    rows = []
    for player, played in sorted(found(reports).items(), key=lambda pair: pair[1][POINTS]):
        rows.append([f"`{player}`", mean_of(played, POINTS, ".2f"), mean_of(played, CLEARING_POINTS, ".2f")])
        rows[-1] += [f"{100 * played[COMPLETION]:.0f}", two_digits(played[MS]), f"{played[GAMES]:,}"]
    heads = ["player", "points a move", "a clearing move", "completion, %", "ms a move", "games"]
    return f"{grid(heads, rows)}\nOn one thread each: {played_on(found(reports).values())}.\n"


BILGING_CHANGES = changes(
    "bilging", "trainings", "training", "configs/bilging-fitted.toml", FITTED, {"game": "bilging", GAMES: 400}, VALUE, **POINTS_OF
)
TABLES += [Table("bilging.md", "players", bilging_table, BILGING), BILGING_CHANGES]

# ---- docs/bejeweled.md

SHORT_GAMES = "random first lowest greedy ranked cascade plan"
BEJEWELED = {
    ("whole", player): Report("bejeweled", player, player, {"game": "bejeweled", GAMES: games})
    for player, games in each({2_000: SHORT_GAMES, 200: "careful", 40: "mobile"})
} | {
    ("bounded", player): Report("bejeweled", f"moves=1000-{player}", player, {"game": "bejeweled", GAMES: games, "rule": "moves=1000"})
    for player, games in each({400: SHORT_GAMES, 100: "mobile careful", 20: "rollout:ms=5 best:ms=5", 6: "rollout:ms=50 best:ms=50"})
    + [("bejeweled-dqn", 40)]
}


def bejeweled_table(reports):
    """Games of bounded length, and beside them those to their end."""
    rows = []
    played = by_first(found(reports))
    whole, bounded = played.get("whole", {}), played["bounded"]
    for player, played in sorted(bounded.items(), key=lambda pair: pair[1][MEAN]):
        of = whole.get(player)
        rows.append([f"`{player}`", *([mean_of(of), mean_of(of, LENGTH), f"{of[GAMES]:,}"] if of else [""] * 3)])
        rows[-1] += [mean_of(played), f"{100 * played[STUCK]:.0f}", two_digits(played[MS]), f"{played[GAMES]:,}"]
    heads = ["player", "score", "moves", "games", "score, at most 1,000 moves", "ended before, %"]
    return f"{grid([*heads, 'ms a move', 'games'], rows)}\nOn one thread each: {played_on(bounded.values())}.\n"


TABLES += [
    Table("bejeweled.md", "players", bejeweled_table, BEJEWELED),
]

# ---- docs/tile-match.md

# What players are given: the moves that match, the rules of what is certain, the rules to simulate by.
GIVEN = {
    "random": "the 112 swaps",
    "matching": "which swaps match",
    "greedy": "the first wave",
    "cascade": "what is certain",
    "plan": "what is certain",
    "plan:depth=3": "what is certain",
    "tile-match-dqn:plan=0": "which swaps match",
    "tile-match-fitted:outcomes=50": "the rules",
    "best:ms=10": "the rules",
}
# DQN by other seeds.
TILE_TRAINED = {
    seed: Report(
        "tile-match",
        f"trained-{seed}",
        WITHOUT_PLANS,
        {"game": "tile-match", **TEST},
        Training("tile-match-dqn", "configs/tile-match-dqn.toml", seed),
    )
    for seed in (1, 2, 3)
}
# Games of the program's own chance, then those of the benchmark's seeds in its later and its earlier program.
BENCHMARK = {
    (kind, player): Report("tile-match", f"{kind}{player}", player, {"game": "tile-match", **how})
    for player in GIVEN
    for kind, how in {
        "": {GAMES: 1_000, "luck": 20},
        "seeds-42-44-": {GAMES: 3, "seed": 42, "rule": "draws=numpy"},
        "seeds-1-3-": {GAMES: 3, "seed": 1, "rule": "draws=numpy"},
    }.items()
}


def tile_match_table(reports):
    of = by_first(found(reports))
    rows = []
    for player, games in sorted(of.get("", {}).items(), key=lambda pair: pair[1].mean):
        score = about(*interval(games.scores.values()), ",.0f")
        rows.append([f"`{player}`", GIVEN[player], score, about(games.mean, games.half_width, ",.0f")])
        for kind in ("seeds-42-44-", "seeds-1-3-"):
            played = of.get(kind, {}).get(player)
            rows[-1].append(f"{played[MEAN]:,.0f} ({', '.join(f'{score:.0f}' for score in played[SCORES])})" if played else "")
        rows[-1].append(two_digits(games.ms))
    heads = ["player", "is given", "1,000 games", "luck-adjusted", "seeds 42, 43, 44", "seeds 1, 2, 3", "ms a move"]
    return f"{grid(heads, rows, (0, 1))}\nOn one thread each: {played_on(of.get('', {}).values())}.\n"


def tile_match_trainings(reports):
    return grid([f"seed {seed}" for seed in found(reports)], [[str(games) for games in found(reports).values()]], ())


TABLES += [
    Table("tile-match.md", "players", tile_match_table, BENCHMARK),
    Table("reports/changes.md", "tile-match", tile_match_trainings, TILE_TRAINED),
]

# ---- docs/samegame.md

# Players of random boards, and how many they play.
SAMEGAME = {
    400: "greedy samegame-cma beam:width=16 anneal:ms=30:first=0 best:ms=30",
    100: "anneal:ms=1000:first=0 best:ms=1000",
}
SAMEGAME = {
    player: Report("samegame", player, player, {"game": "samegame", "seed": TEST["seed"], GAMES: games})
    for player, games in each(SAMEGAME)
}


def samegame_table(reports):
    played = found(reports)
    rows = [[f"`{player}`", mean_of(of), two_digits(1e3 / of["games_per_second"]), f"{of['n']:,}"] for player, of in played.items()]
    heads = ["player", "points a board", "ms a board", "boards"]
    return f"{grid(heads, rows)}\nOn one thread each: {played_on(played.values())}.\n"


TABLES += [
    Table("samegame.md", "players", samegame_table, SAMEGAME),
]

# ---- docs/tetris.md

# Whole games, split ones, and split ones of players that look a piece further.
WHOLE, SPLIT = {SEQUENCES: 200, MOVES: 600_000}, {SEQUENCES: 32, MOVES: 1_600_000, "split": True}
FURTHER = {SEQUENCES: 32, MOVES: 50_000, "split": True}
# Linear players, and what others have published on ten rows, in millions on twenty.
LINEAR_PLAYERS = {
    "shapes-20": ("", ""),
    "shapes": ("", ""),
    "imitation": ("", ""),
    "report": ("2,240", "19.8"),
    "report-9": ("", "12.9"),
    "dellacherie": ("2,457 ± 128", "about 5"),
    "el-tetris": ("3,129 ± 162", ""),
    "du": ("3,800; 3,896 ± 90", "31"),
    "dt-10": ("5,000; 5,031 ± 109", "29"),
    "dt-20": ("4,300; 4,439 ± 100", "51"),
    "genetic": ("", ""),
}
# What is trained, seconds of one core, and how those play that are trained for their table alone.
LEARNERS = {
    "fitted": ("60 sweeps", "1", {SEQUENCES: 64, MOVES: 10_000}),
    "lspi": ("12 policies", "79", {SEQUENCES: 200, MOVES: 100_000}),
    "genetic": ("198 generations on 13 rows", "about 43,200", None),
    "cross-entropy": ("40 generations", "496", {SEQUENCES: 200, MOVES: 300_000}),
    "imitation": ("2 sweeps", "55", None),
    "shapes": ("81 generations on 10 rows, after `imitation`", "1,210", None),
    "shapes-20": ("36 generations on 20 rows, after `shapes`", "about 1,700", None),
}
# Trained by two more seeds, each from what its own seed made before; those of seed 1 ship.
CHAIN = ["imitation", "shapes", "shapes-20"]


def tetris(name, rows, player, how, training=None):
    return Report("tetris", name, player, {"game": "tetris", "rule": f"rows={rows}", **how}, training)


def linear(name):
    return f"{LINEAR}:weights={name}"


def tetris_table(reports):
    rows = []
    for name, of in sorted(by_first(found(reports)).items(), key=lambda pair: pair[1][10][MEAN]):
        ten, twenty = LINEAR_PLAYERS.get(name.strip("`"), ("", ""))
        rows.append([name, mean_of(of[10]), ten, millions(of.get(20)), twenty])
    heads = ["player", "lines a game, 10 rows", "published", "million lines, 20 rows", "published"]
    return grid(heads, rows)


def whole_table(reports):
    """Games to their end beside lines over losses."""
    rows = []
    for height, of in by_first(found(reports)).items():
        rows.append([height, *(mean_of(of.get(kind)) for kind in ("whole", "rows", "split"))])
    return grid(["rows", "whole games", "lines over losses", "split games"], rows, ())


def learner_table(reports):
    links = {name: f"[`tetris-{name}`](../configs/tetris-{name}.toml)" for name in LEARNERS}
    rows = [[links[name], *LEARNERS[name][:2], mean_of(played)] for name, played in found(reports).items()]
    return grid(["configuration", "training", "seconds of one core", "lines a game, 10 rows"], rows, (0, 1))


def learner_picture(_):
    """Evaluations of Tetris's learners in training, over seconds of one core."""
    colours = dict(zip(("fitted", "lspi", "cross-entropy", "imitation"), "dbac"))
    lines = {}
    for name in colours:
        with open(DOCS / "reports" / "tetris" / f"learning-{name}.csv", newline="") as file:
            rows = [{key: float(number) for key, number in row.items()} for row in csv.DictReader(file)]
        ends = [(row["seconds"], row["mean"], row["mean"] - row["half_width"], row["mean"] + row["half_width"]) for row in rows]
        lines[name] = [(80 + 900 * math.log10(seconds) / 3, *means) for seconds, *means in ends if seconds >= 1]
    ticks = [(80 + 900 * math.log10(number) / 3, f"{number:,}") for number in (1, 3, 10, 30, 100, 300, 1_000)]
    panels = [(80, 980, ticks, "seconds of one core with AVX2, shared", lines)]
    return chart(400, "Lines of Tetris on ten rows, mean of an evaluation's 200 games", 2_000, panels, colours)


def seed_table(reports):
    rows = []
    for seed, of in by_first(found(reports)).items():
        lines = ((mean_of(of.get((name, 10))), millions(of.get((name, 20)))) for name in CHAIN)
        rows.append([seed, *(cell for both in lines for cell in both)])
    return grid(["seed", *(head for name in CHAIN for head in (f"`{name}`, 10 rows", "20 rows"))], rows)


BOTH = {10: WHOLE, 20: SPLIT}
PLAYED = {
    (f"`{name}`", rows): tetris(f"rows-{rows}-{name}", rows, linear(name), how)
    for name in LINEAR_PLAYERS
    for rows, how in BOTH.items()
} | {
    (f"`{name}`, a piece further", rows): tetris(f"further-{rows}-{name}", rows, f"{linear(name)}:depth=2", FURTHER)
    for name, rows in [("dt-10", 10), ("dt-10", 20), ("shapes", 10)]
}
# DT-10's games: each to its end, and lines over losses.
ENDINGS = {
    (rows, kind): tetris(f"{kind}-{rows}-dt-10", rows, linear("dt-10"), how)
    for rows in (10, 12)
    for kind, how in {"whole": {GAMES: 2_000}, "rows": WHOLE, "split": SPLIT}.items()
}
LEARNED, CHAINS = {}, {}
for name, (_, _, how) in LEARNERS.items():
    training = Training(f"tetris-{name}", f"configs/tetris-{name}.toml", 1)
    shipped = PLAYED.get((f"`{name}`", 10))
    LEARNED[name] = shipped or tetris(f"learned-{name}", 10, VALUE if name == "fitted" else LINEAR, how, training)
for seed in (2, 3):
    training = None
    for name in CHAIN:
        training = Training(f"tetris-{name}", f"configs/tetris-{name}.toml", seed, start=training)
        label = f"{name}-seed-{seed}"
        CHAINS |= {(seed, (name, rows)): tetris(f"rows-{rows}-{label}", rows, LINEAR, how, training) for rows, how in BOTH.items()}

TABLES += [
    Table("tetris.md", "players", tetris_table, PLAYED),
    Table("reports/changes.md", "whole games", whole_table, ENDINGS),
    Table("tetris.md", "learned", learner_table, LEARNED),
    Table("learning.svg", "", learner_picture, {}),
    Table("reports/changes.md", "seeds", seed_table, CHAINS),
]

# ---- Figures in the pages' sentences


def row(page, begin, *figures):
    """A row of a table of the authors, with a figure in each of its last cells."""
    return Sentence(page, f"{begin} |{' {} |' * len(figures)}", lambda: [figure() for figure in figures])


def adjusted(player):
    return lambda: MATCH3[player].read()


def of_games(report):
    """A player's mean score, luck-adjusted score and number of games."""
    games = report.read
    return [lambda: about(*interval(games().scores.values()), ".1f"), games, lambda: f"{len(games().scores):,}"]


def fewer_games(player):
    """How many times fewer games luck-adjusted scores need for an interval: the ratio of variances."""
    games = MATCH3[player].read()
    variances = [statistics.variance(of.values()) for of in (games.scores, games.adjusted)]
    return f"{variances[0] / variances[1]:.1f}"


def parameters(agent):
    """Numbers in the tensors of an agent that ships."""
    with open(ROOT / "checkpoints" / agent / "best.safetensors", "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return f"{sum(math.prod(tensor['shape']) for name, tensor in header.items() if name != '__metadata__'):,}"


UPDATE = "update of 256 boards"
PARTS = [UPDATE, "forward, 64 boards", "forward, 256 boards"]
# Players of docs/dqn.md, which says what each is given.
WHAT_IS_GIVEN = "random matching dqn-plain dqn:plan=0 dqn greedy cascade plan dqn-setups match3-fitted rollout:depth=2".split()


def rows_of(path):
    """The rows of a report in CSV, as texts."""
    lines = (DOCS / "reports" / path).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def text_of(path):
    return (DOCS / "reports" / path).read_text(encoding="utf-8")


def fresh(player):
    """Million lines of a player of Tetris on fresh seeds."""
    played = json.loads(text_of("tetris/fresh-20.json"))
    return millions(next(of for of in played if of["player"] == linear(player)))


def alone(text):
    """A mean without its interval."""
    return text.partition(" ")[0]


def pytorch(part):
    """Of each network in the report: the lowest time of matchq and of PyTorch, and their ratio."""
    lines = [line.split(" | ") for line in text_of("pytorch-zen4.md").splitlines() if line.startswith(f"| {part} |")]
    return [figure for cells in lines for figure in (alone(cells[1]).strip(","), alone(cells[3]).strip(","), cells[5].strip("*"))]


def a_second(path, **of):
    """Million moves a second of a bench's row, which has microseconds for 1,000."""
    (row,) = [row for row in rows_of(path) if of.items() <= row.items()]
    return f"{1_000 / float(next(cell for head, cell in row.items() if head.startswith('microseconds'))):.1f}"


def plain_law():
    """What updates bring to dqn-transitions, with four layers: rows of its report."""
    scores = {}
    for of in rows_of("dqn/plain-law.csv"):
        scores.setdefault((of["settings"], int(of["updates"])), []).append(float(of["luck_adjusted"]))
    scores = {key: statistics.fmean(of) for key, of in scores.items()}
    four = "network.layers=4"
    law = {updates: scores[four + rest, updates] for rest, updates in [("", 5_618), ("", 11_236), (" training.steps=8000000", 124_901)]}
    gains = [(law[more] - law[less]) / math.log2(more / less) for less, more in itertools.pairwise(law)]
    most = max(law)
    return [f"{min(gains):.0f}", f"{max(gains):.0f}", f"{law[most]:.0f}", f"{most:,}"]


def by_rate():
    """What so many updates of all labels bring by each learning rate: rows of the same report."""
    rows = {of["settings"]: of for of in rows_of("dqn/plain-law.csv")}
    scores = {rate: rows[f"learning.learning_rate={rate}"] for rate in ("0.005", "0.01", "0.02")}
    (updates,) = {of["updates"] for of in scores.values()}
    return [f"{int(updates):,}", *(figure for rate, of in scores.items() for figure in (f"{float(of['luck_adjusted']):.0f}", rate))]


def apart(table, name, form):
    """How far a change's trainings are from the base's."""
    changed, base = mean_by_change(table, name)
    return f"{abs(changed - base):{form}}"


def spreads():
    """The least and the most standard deviation of whole trainings of match-3's agents."""
    means = by_first({key: games.mean for key, games in found(TRAINED).items() if key[0] not in OTHERS and key[0] != "quick"})
    spreads = [statistics.stdev(of.values()) for of in means.values() if len(of) > 1]
    return [f"{min(spreads):.1f}", f"{max(spreads):.1f}"]


def lspi():
    lines = by_first({(of["has_lost"], of["training_seed"]): float(of["lines_a_game"]) for of in rows_of("tetris/lspi.csv")})
    return [f"{extreme(lines[kind].values()):,.0f}" for kind in ("with", "without") for extreme in (min, max)]


def of_numbers(pattern, path):
    """Numbers of a report in text."""
    return [float(number.replace(",", "")) for number in re.search(pattern, text_of(path), re.DOTALL).groups()]


README, DQN, TETRIS, SPEED, BILGE, TILES = "README.md", *(f"docs/{name}.md" for name in "dqn tetris performance bilging tile-match".split())
SENTENCES = [
    # README.md
    row(README, "| `greedy`...", *of_games(MATCH3["greedy"])),
    row(README, "| `plan`...", *of_games(MATCH3["plan"])),
    row(README, "| `network`: the agent `dqn`...", *of_games(MATCH3["dqn"])),
    row(README, "| `rollout:depth=2`: 1,600 simulations...", *of_games(MATCH3["rollout:depth=2"])),
    row(README, "| `best:ms=10`...", *of_games(TIMED["best", 10])),
    *(
        row(README, f"| `{agent}` | ... | ...", adjusted(agent), functools.partial(parameters, agent))
        for agent in ("dqn", "dqn-plain", "dqn-setups", "match3-fitted")
    ),
    Sentence(README, "{} million a game on 20 rows, {} by DT-20", lambda: [alone(fresh(name)) for name in ("shapes-20", "dt-20")]),
    Sentence(
        README,
        "which takes {} (`greedy`) to {} (`rollout`) times fewer games",
        lambda: [fewer_games("greedy"), fewer_games("rollout:depth=2")],
    ),
    Sentence(
        README,
        "points a move | ... played here: {} | `network` {} | `best:ms=5` {} |",
        lambda: [alone(mean_of(BILGING[player].read(), POINTS, ".2f")) for player in (f"{VALUE}:depth=1", NETWORK, "best:ms=5")],
    ),
    Sentence(
        README,
        "lines a game, 10 rows | ... played here: {} | `shapes` {} | a piece further: {} |",
        lambda: [mean_of(PLAYED[name, 10].read()) for name in ("`dt-10`", "`shapes`", "`shapes`, a piece further")],
    ),
    Sentence(
        README,
        "DT-20, played here: {} (published: {}) | `shapes-20` {} |",
        lambda: [fresh("dt-20"), LINEAR_PLAYERS["dt-20"][1], fresh("shapes-20")],
    ),
    Sentence(
        README,
        "the best published language model: 649 ± 39 | `tile-match-dqn:plan=0` {} | `best:ms=10` {} |",
        lambda: [
            about(*interval(BENCHMARK["", player].read().scores.values()), ",.0f") for player in ("tile-match-dqn:plan=0", "best:ms=10")
        ],
    ),
    Sentence(
        README,
        "points in at most 1,000 moves | ... played here: {} | `network` {} | `best:ms=5` {} |",
        lambda: [
            alone(mean_of(BEJEWELED["bounded", "ranked"].read())),
            *(mean_of(BEJEWELED["bounded", player].read()) for player in ("bejeweled-dqn", "best:ms=5")),
        ],
    ),
    Sentence(
        README,
        "A core plays {} million random swaps of match-3 a second. PyTorch takes {} to {} times as long",
        lambda: [
            a_second("simulation.csv", game="match3", played="random swaps"),
            *(f"{ratio:.1f}" for ratio in sorted(map(float, pytorch(UPDATE)[2::3]))),
        ],
    ),
    Sentence(README, "scatter by {} to {} points", spreads),
    # docs/
    *(row(DQN, f"| `{player}`", lambda player=player: alone(str(MATCH3[player].read()))) for player in WHAT_IS_GIVEN),
    Sentence(
        DQN,
        "fitted in {} seconds, play as well as a network of {} that",
        lambda: [f"{learning('match3-fitted', TRAINED):.1f}", parameters("dqn")],
    ),
    Sentence(DQN, "gains {} to {} points each time that its updates double, to {} after {};", plain_law),
    Sentence(DQN, "{} updates of a quarter of the boards make {} by a rate of {}, {} by {}, {} by {}.", by_rate),
    Sentence(
        DQN,
        "Muon ({} to {} points over Adam), shared colours ({}) and the mask `matching` ({} over",
        lambda: [apart(DQN_CHANGES, name, ".0f") for name in ("adam-3e-3", "adam-3e-4", "no-colours", "effective")],
    ),
    Sentence(DQN, "({} parameters)", lambda: [f"{number:,.0f}" for number in of_numbers(r"5 layers, (\d+) parameters", "pytorch-zen4.md")]),
    Sentence("docs/hand-in.md", "`greedy` {}.", lambda: [alone(str(MATCH3["greedy"].read()))]),
    Sentence(
        "docs/runs.md",
        "{} (`greedy`), {} (`dqn`) or {} (`rollout:depth=2`) times fewer games",
        lambda: [fewer_games(player) for player in ("greedy", "dqn", "rollout:depth=2")],
    ),
    Sentence(
        "docs/search.md",
        "more simulations stop helping near {} points",
        lambda: [f"{round(TIMED['best', 50].read().mean, -1):,.0f}"],
    ),
    Sentence(
        BILGE,
        "makes {} points a move in place of {}; the mean of several best bingos costs {} to {}.",
        lambda: [
            *(f"{of:.2f}" for of in mean_by_change(BILGING_CHANGES, "no-rewards")),
            *(apart(BILGING_CHANGES, name, ".1f") for name in ("best-of-3", "best-of-10")),
        ],
    ),
    Sentence("docs/lspi.md", "makes {} to {} lines, without it {} to {}", lspi),
    Sentence(
        TETRIS,
        "makes {} million, `shapes` {}, `dt-20` {} (",
        lambda: [fresh(name) for name in ("shapes-20", "shapes", "dt-20")],
    ),
    Sentence(
        TETRIS, "`shapes` on 20 rows ({} and {})", lambda: [alone(millions(CHAINS[seed, ("shapes", 20)].read())) for seed in (2, 3)]
    ),
    *(Sentence(SPEED, f"| {part} | {{}}, {{}}, **{{}}** | {{}}, {{}}, **{{}}** |", functools.partial(pytorch, part)) for part in PARTS),
    Sentence(
        SPEED,
        "match-3 {}, bilging {}, tile-match {} (2026-11-27); legal moves of Bejeweled {} (",
        lambda: [
            *(a_second("simulation.csv", game=game, played="random swaps") for game in ("match3", "bilging", "tile-match")),
            a_second("simulation.csv", game="bejeweled", played="matching moves"),
        ],
    ),
    Sentence(
        SPEED,
        "{} (`shapes`) to {} (`el-tetris`",
        lambda: [a_second("tetris/speed-zen4.csv", controller=name) for name in ("shapes", "el-tetris")],
    ),
    # The first figure was measured once.
    Sentence(
        "python/README.md",
        "scores 837.1 ± 7.2, the program {} (",
        lambda: [f"{statistics.fmean(TRAINED['dqn-transitions-640k', seed].read().mean for seed in range(1, 6)):.1f}"],
    ),
    Sentence(README, "nested Monte Carlo search: 77,934 | | `anneal`, a minute a board: {} |", lambda: [total("samegame/minute.jsonl")]),
    Sentence("docs/samegame.md", "2.5 minutes of one core a board | {} |", lambda: [total("samegame/changes-64m.jsonl")]),
    Sentence("docs/samegame.md", "on boards 1 to 7 | {} |", lambda: [total("samegame/night.jsonl")]),
    Sentence("docs/samegame.md", "a minute of one core a board (...) | {} |", lambda: [total("samegame/minute.jsonl")]),
    Sentence(
        "docs/samegame.md",
        "({} and {} points by training seeds 2 and 3)",
        lambda: [f"{json.loads((DOCS / 'reports/samegame' / f'seed-{seed}.json').read_text())['mean']:,.0f}" for seed in (2, 3)],
    ),
    # Figures of others, and some that have no report.
    *(
        Sentence("docs/samegame.md", words, source="their papers and pages, as the program's row says")
        for words in [
            "(Cazenave 2009) | 77,934 |",
            "(Klein 2015) | 80,146 |",
            "(spurious ai 2010) | 84,414 |",
            "js-games.de (2016) | 87,858 |",
        ]
    ),
    Sentence(BILGE, "3.8 points a move for greedy, 8.0 (completion 58 %)", source="Rodriguez, Chen and Turner-Maier 2008"),
    Sentence(TILES, "(16 games, ± 95 %)", source="COS-PLAY"),
    Sentence(TILES, "649 ± 39; o3 647", source="COS-PLAY"),
    Sentence(TILES, "GPT-5.4 533 ± 25 (16 games)", source="COS-PLAY"),
    Sentence(TILES, "17 ± 8 tiles more in 200 other games", source="measured once, on seeds that no report uses"),
    Sentence("docs/reading.md", "97.50 %, and 99.96 % of letters", source="printed by the command above it"),
    Sentence("docs/reading.md", "Of 1,280 cells of PopCap's web versions 1,265 are right", source="printed by the command above it"),
    Sentence("python/README.md", "asks for glibc 2.35", source="the name of the wheel that scripts/build_wheel makes"),
    Sentence("python/README.md", "607.2 ± 8.5 after 200,000 moves", source="measured once"),
    Sentence("python/README.md", "1,053 to 1,525 of", source="printed by the command behind it"),
    Sentence("python/README.md", "2.0 to 3.1 in", source="printed by the command behind it"),
    # Numbers of rules, limits and definitions.
    *(
        Sentence(page, words, source="no measurement")
        for page, words in [
            ("docs/samegame.md", "scores 1,000 more"),
            ("docs/bejeweled.md", "(1 - exp(-0.7 n))"),
            (BILGE, "50 (1 to 10,000)"),
            (DQN, "plus 0.9 times those of the next move, plus 0.81 times"),
            (DQN, "S is 0.5, or"),
            (DQN, "from seed 2,000,000 on"),
            ("docs/machines.md", "100 to 10,000 cores"),
            ("docs/match3.md", "1.3 times the best certain plan"),
            ("docs/match3.md", "0.135 times the sum"),
            ("docs/reading.md", "16.8 million pixels"),
            ("docs/reading.md", "the kit's 0.7 seconds"),
            ("docs/reading.md", "0.6 to 2, on"),
        ]
    ),
]

PAGES = ["README.md", "python/README.md", *(f"docs/{path.name}" for path in sorted(DOCS.glob("*.md")))]
# What looks like a measurement: numbers with a point, with an interval, of thousands.
MEASURED = r"(?<![\w.,^/-])-?\d+\.\d+(?![\w.]*[\w])|\d[\d,.]* ±|± \d|(?<![\w.,])\d{1,3}(?:,\d{3})+\b"
# What is none: code, addresses, what others write, tables of keys, numbers of games and seeds, versions, sections.
NO_FIGURES = [
    r"^```.*?^```",
    r"^    .*?$",
    r"`[^`]*`",
    r"\]\([^)\s]*\)|https?://[^\s)]*|arXiv:[\d.]*",
    r"<!-- ([\w -]+): by scripts/\S+ -->.*?<!-- end of \1 -->",
    r"^\| key \|.*?\n\n",
    r"[\d,]+ (?:other )?(?:games|simulations|moves|boards|transitions|updates)\b",
    r"[Ss]eeds? [\d,]+(?: to [\d,]+)?|below 1,000,000",
    r"(?:Rust\S*|Python|section) [\d.]+(?: to [\d.]+)?",
]

# ---- The command line


def main():
    global DOCS
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--docs", type=pathlib.Path, default=DOCS, help="where the pages lie, and reports in reports/ (docs)")
    commands = parser.add_subparsers(dest="what", required=True)
    commands.add_parser("list", help="the reports of each table; brackets are around those that are missing")
    play = commands.add_parser("play", help="players without a report play")
    play.add_argument("--share", type=float, default=1, help="of the games, to try something (1: all of them)")
    train = commands.add_parser("train", help="agents without a report are trained and play")
    train.add_argument("--seeds", type=int, default=9, help="of each training, fewer than planned")
    train.add_argument("--jobs", type=int, default=2, help="trainings side by side (2)")
    for command in (play, train):
        command.add_argument("--only", default="*", help="reports that this matches, named as by list, with or without folder and seed")
        command.add_argument("--program", help="a matchq that was built before; without it, it is built")
    commands.add_parser("tables", help="writes tables, pictures and figures of sentences from the reports")
    commands.add_parser("check", help="says which of them differ from the reports, and which figures of the pages nothing writes")
    arguments = parser.parse_args()
    DOCS = arguments.docs
    # Several tables may share a report.
    reports = {report.path(): report for table in TABLES for report in table.reports.values()}
    if arguments.what == "list":
        for table in TABLES:
            names = (report.label() if report.path().exists() else f"({report.label()})" for report in table.reports.values())
            print(f"{table.page} {table.mark}".strip() + ":", *names)
    elif arguments.what == "tables":
        pages = {path: text for path, (_, text) in written().items()}
        for path, text in pages.items():
            write(path, text)
        print(f"written: {', '.join(map(str, pages))}")
    elif arguments.what == "check":
        faults = [fault for path, texts in written().items() for fault in difference(path, *texts)]
        faults += [fault for page in PAGES for fault in unwritten(page)]
        sys.exit("\n".join(faults) or 0)
    else:
        training = arguments.what == "train"
        of_kind = [report for report in reports.values() if bool(report.training) == training]
        patterns = [folder + arguments.only + seed for folder in ("", "*/") for seed in ("", "-[0-9]" * training)]
        chosen = [report for report in of_kind if any(fnmatch.fnmatchcase(report.label(), pattern) for pattern in patterns)]
        if not chosen:
            parser.error(f"--only {arguments.only} matches no report to {arguments.what}; `tables.py list` names them all")
        by = "a given program" if arguments.program else commit()
        program = pathlib.Path(arguments.program or build()).resolve()
        missing = [report for report in chosen if not report.path().exists()]
        train_all(program, missing, by, arguments) if training else play_all(program, missing, by, arguments.share)


def written():
    """Texts of the pages and pictures as they are, and with what the reports say."""
    texts = {}
    for part in [*TABLES, *SENTENCES]:
        path = part.path()
        if path not in texts:
            texts[path] = [path.read_text(encoding="utf-8") if path.exists() else ""] * 2
        texts[path][1] = part.written(texts[path][1])
    return texts


def difference(path, before, after):
    """The lines of a page that differ from its reports."""
    changed = difflib.ndiff(before.splitlines(), after.splitlines()) if before != after else []
    return [f"{path.relative_to(DOCS.parent)}: by its reports {line[:200]}" for line in changed if line[0] in "+-"]


def unwritten(name):
    """The figures of a page that no table and no sentence here writes or knows."""
    sentences = [sentence for sentence in SENTENCES if sentence.page == name]
    page = Sentence(name, "").path().read_text(encoding="utf-8")
    known = [sentence.found(page).span() for sentence in sentences]
    for pattern in NO_FIGURES:
        known += [found.span() for found in re.finditer(pattern, page, re.MULTILINE | re.DOTALL)]
    numbers = [found for found in re.finditer(MEASURED, page) if not any(begin <= found.start() < end for begin, end in known)]
    return [
        f"{name}:{page.count(chr(10), 0, found.start()) + 1}: nothing in scripts/tables.py writes {found[0]}, "
        f"or says whose figure it is: {page[max(0, found.start() - 60) : found.end() + 30]!r}"
        for found in numbers
    ]


def play_all(program, reports, by, share):
    """Lets players play, those in pieces in turn."""
    played = collections.defaultdict(list)
    for piece in range(max((report.pieces for report in reports), default=0)):
        for report in (report for report in reports if piece < report.pieces):
            played[report].append(report.play(program, share, piece))
            if len(played[report]) == report.pieces:
                report.write(played[report], by)


def train_all(program, reports, by, arguments):
    """Trains agents, so many at once, and lets them play."""

    def train(report):
        played = report.play(program)
        # The tables of changes are of scores alone.
        if report.training.name in CONFIGURATIONS:
            report.keep_logs()
        report.write([played], by)

    wanted = [report for report in reports if report.training.seed <= arguments.seeds]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for _ in pool.map(train, sorted(wanted, key=lambda report: report.training.seed)):
            pass


def output(*command):
    """What a command prints, on one thread."""
    one_thread = {**os.environ, "RAYON_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=ROOT, env=one_thread, check=True, stdout=subprocess.PIPE, text=True).stdout


def commit():
    """The commit that the program is of, and whether files beside documentation differ from it."""
    changed = output("git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")
    return f"commit `{output('git', 'rev-parse', '--short', 'HEAD').strip()}`{' with changes' if changed else ''}"


def build():
    """A copy of the program, freshly built in the release profile: whatever is built meanwhile, it stays the same."""
    cargo = ["cargo", "build", "--release", "--locked", "--bin", "matchq", "--message-format=json-render-diagnostics"]
    lines = subprocess.run(cargo, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.splitlines()
    RUNS.mkdir(parents=True, exist_ok=True)
    return shutil.copy(next(path for path in (json.loads(line).get("executable") for line in lines) if path), RUNS)


def machine():
    """The processor and its cores, as far as the system tells."""
    cpu = pathlib.Path("/proc/cpuinfo")
    text = cpu.read_text() if cpu.exists() else ""
    model = re.search(r"^model name\s*:\s*(.+?)\s*$", text, re.MULTILINE)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    wide = "with" if "avx512f" in text else "without"
    return f"{model[1] if model else 'an unknown processor'} ({cores} core{'' if cores == 1 else 's'}, {wide} AVX-512)"


def write(path, text):
    """Writes a file that is whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    side = path.with_name(path.name + ".partial")
    side.write_text(text, encoding="utf-8")
    side.replace(path)


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError, KeyboardInterrupt) as problem:
        sys.exit(f"tables.py: {problem or 'interrupted'}")
