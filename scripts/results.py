#!/usr/bin/env python3
"""Lets match-3's players play, and writes docs/results.md and docs/strength.svg from what they left.

Usage: python3 scripts/results.py play [--only PATTERN] [--program FILE]
       python3 scripts/results.py strength [--share SHARE] [--program FILE]
       python3 scripts/results.py tables

play: each player that has no report in docs/reports/players/ yet plays from seed 0 on, which no training and no choice has
used, on one thread. A report is the score and the luck of each game. All of them take some 45 minutes.

strength: players with a given time a move play on one thread, in turn, and leave the same in docs/reports/strength/. It
takes twenty minutes with half of the games (--share 0.5), on a machine with nothing else to do.

tables: computes everything from these reports alone.

Needs Python 3; play and strength also need cargo.
"""

import argparse
import csv
import datetime
import fnmatch
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

# Who plays how many games: the dearer a move, the fewer.
PLAYERS = {
    "rollout:depth=2": 1_000,
    "rollout:depth=1": 1_000,
    "rollout:sims=400:depth=1": 1_000,
    "rollout:sims=100:depth=1": 2_000,
    "network:checkpoint=checkpoints/dqn-setups": 2_000,
    "fitted:checkpoint=checkpoints/match3-fitted": 2_000,
    "network": 2_000,
    "network:checkpoint=checkpoints/dqn": 2_000,
    "network:checkpoint=checkpoints/dqn-plain": 2_000,
    "plan:depth=3": 2_000,
    "plan": 10_000,
    "cascade": 10_000,
    "greedy": 10_000,
    "matching": 10_000,
    "random": 10_000,
}


def setups_rollout(ms):
    return f"rollout:ms={ms}:depth={'2' if ms <= 3 else '3:guide=plan:breadth=4:plans=1'}:mask=setups"


# Strength against time: how many games with so many milliseconds a move: the dearer a move, the fewer.
GAMES = {1: 1_600, 3: 800, 10: 400, 50: 150}
# Each family's player, and for how many milliseconds. The first is compared with each of the others.
FAMILIES = {
    "best": (lambda ms: f"best:ms={ms}", [1, 3, 10, 50]),
    "rollout, set-ups": (setups_rollout, [1, 3, 10, 50]),
    "rollout, 2 chains": (lambda ms: f"rollout:ms={ms}:depth=2", [1, 3]),
    "rollout, 3 plans": (lambda ms: f"rollout:ms={ms}:depth=3:guide=plan:breadth=4", [10]),
}
# Each plays its games in so many pieces, in turn with the others, so that all have the machine in the same states.
PIECES = 5
COLOURS = ["#c83e4d", "#d68910", "#72b7b2", "#4c78a8", "#54a24b", "#8f6bb3", "#6b6f76", "#17becf"]
# Simulations of each move by which the luck of a game is estimated.
LUCK = 50
# All are compared with this player.
REFERENCE = "network"

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = "python3 scripts/results.py"
REPORTS = ROOT / "docs" / "reports"


def main():
    parser = argparse.ArgumentParser(description="Lets match-3's players play; writes docs/results.md and its picture.")
    parser.add_argument("what", choices=["play", "strength", "tables"])
    parser.add_argument("--only", default="*", help="with play: the players that this pattern matches")
    parser.add_argument("--share", type=float, default=1, help="with strength: of the games (1: all of them)")
    parser.add_argument("--program", help="a matchq that was built before; without it, it is built")
    arguments = parser.parse_args()
    if arguments.what == "tables":
        needed = [path_of("strength", family(ms)) for family, budgets in FAMILIES.values() for ms in budgets]
        missing = [path for path in [path_of("players", REFERENCE), *needed] if not path.exists()]
        if missing:
            sys.exit(f"results.py: there is no {missing[0].relative_to(ROOT)}: play first, or strength")
        timed = {
            (name, ms): Played(path_of("strength", family(ms)))
            for name, (family, budgets) in FAMILIES.items()
            for ms in budgets
        }
        players = [Played(path) for path in (path_of("players", name) for name in PLAYERS) if path.exists()]
        write(ROOT / "docs" / "results.md", players_section(players) + strength_section(timed))
        write(ROOT / "docs" / "strength.svg", curves(timed))
        print("written: docs/results.md, docs/strength.svg")
        return
    chosen = fnmatch.filter(PLAYERS, arguments.only)
    if not chosen:
        sys.exit(f"results.py: --only {arguments.only} matches none of {', '.join(PLAYERS)}")
    by = "a given program" if arguments.program else commit()
    program = pathlib.Path(arguments.program or build("results")).resolve()
    if arguments.what == "play":
        for name in chosen:
            if not path_of("players", name).exists():
                report("players", name, [play(program, name, 0, PLAYERS[name])], by)
        return
    # In pieces and in turn, so that all have the machine in the same states.
    pieces = {}
    for index in range(PIECES):
        for ms, games in GAMES.items():
            piece = max(1, round(games * arguments.share / PIECES))
            for name in (family(ms) for family, budgets in FAMILIES.values() if ms in budgets):
                pieces.setdefault(name, []).append(play(program, name, index * piece, piece))
    for name, played in pieces.items():
        report("strength", name, played, by)


def commit():
    """The commit that the program is of, and whether files beside documentation differ from it."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    found = git("rev-parse", "--short", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs").stdout.strip()
    return f"commit `{found.stdout.strip()}`{' with changes' if changed else ''}" if found.returncode == 0 else "an unknown commit"


def build(of):
    """A copy of the program for a script, freshly built in the release profile: whatever is built meanwhile, it stays the same."""
    cargo = ["cargo", "build", "--release", "--locked", "--bin", "matchq"]
    cargo.append("--message-format=json-render-diagnostics")
    output = subprocess.run(cargo, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    artifacts = (json.loads(line) for line in output.splitlines())
    built = next(path for path in (artifact.get("executable") for artifact in artifacts) if path)
    folder = ROOT / "target" / of
    folder.mkdir(parents=True, exist_ok=True)
    return shutil.copy(built, folder)


def play(program, player, seed, games):
    """Has a player play so many games from a seed on, on one thread: what compare says of it."""
    print(f"{player}: {games} games from seed {seed} ...", flush=True)
    start = time.monotonic()
    command = [program, "compare", f"--players={player}", f"--seed={seed}", f"--games={games}", f"--luck={LUCK}"]
    output = subprocess.run([*command, "--threads=1", "--json=-"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    print(f"{player}: {time.monotonic() - start:.0f} s", flush=True)
    return json.loads(output)["players"][0]


def report(folder, player, pieces, by):
    """Writes a player's games, which it has played in pieces from seed 0 on, and by which program."""
    lines = [f"# {player}\n", f"# {machine()}, {datetime.date.today()}, {by}\n", "seed,score,luck,ms a move\n"]
    for piece in pieces:
        for score, luck in zip(piece["scores"], piece["luck"]):
            lines.append(f"{len(lines) - 3},{score},{luck:.1f},{piece['milliseconds_per_move']:.3g}\n")
    path_of(folder, player).parent.mkdir(parents=True, exist_ok=True)
    write(path_of(folder, player), "".join(lines))


def path_of(folder, player):
    """Where a player's report lies."""
    return REPORTS / folder / f"{file_name(player)}.csv"


def file_name(player):
    """A name without what some file systems do not take."""
    return re.sub("[:=/]", "-", player)


class Played:
    """What a player has played: its scores and its scores less luck by seed, and the milliseconds of a move."""

    def __init__(self, path):
        lines = path.read_text(encoding="utf-8").splitlines()
        self.player, self.when = (line.removeprefix("# ") for line in lines[:2])
        rows = list(csv.DictReader(lines[2:]))
        self.scores = {int(row["seed"]): float(row["score"]) for row in rows}
        self.less = {int(row["seed"]): float(row["score"]) - float(row["luck"]) for row in rows}
        self.milliseconds = statistics.fmean(float(row["ms a move"]) for row in rows)

    def mean(self):
        """The mean score less luck, and the half width of its 95 % interval."""
        return interval(self.less.values(), 0.05)

    def ahead(self, other, comparisons):
        """By how much it is ahead of another in the games of both, less luck; bold where that is more than chance.

        That is where the interval is clear of 0 at an error of 0.05 divided by the number of comparisons (Bonferroni).
        """
        apart = [less - other.less[seed] for seed, less in self.less.items() if seed in other.less]
        mean, half_width = interval(apart, 0.05)
        text = around(mean, half_width, "+")
        return f"**{text}**" if abs(mean) > interval(apart, 0.05 / comparisons)[1] else text


def interval(numbers, error):
    """The mean, and the half width of the interval that leaves it out with that probability, by a normal distribution."""
    numbers = list(numbers)
    z = statistics.NormalDist().inv_cdf(1 - error / 2)
    return statistics.fmean(numbers), z * statistics.stdev(numbers) / math.sqrt(len(numbers))


def players_section(players):
    """The part of docs/results.md on the players."""
    players = sorted(players, key=lambda player: -player.mean()[0])
    reference = next(player for player in players if player.player == REFERENCE)
    comparisons = 2 * (len(players) - 1)
    lines = [
        "# Results",
        "",
        "Match-3's players in the games from seed 0 on, the strongest first, with 95 % intervals. [Less luck](runs.md#scores-less-luck)",
        "is without what chance gave after the moves beyond its mean. By how much a player is ahead is counted game by game in the games",
        f"of both, less luck; in bold where chance alone makes any of the {comparisons} numbers bold in at most one of twenty such tables",
        "(Bonferroni). A move's time is that of one thread. How the networks were trained: [dqn.md](dqn.md#the-agents-that-ship).",
        "",
        f"    {COMMAND} play",
        f"    {COMMAND} tables",
        "",
        f"Played on {'; on '.join(sorted({player.when for player in players}))}; each game is in [reports/players](reports/players).",
        "",
        f"| player | score | less luck | ahead of the next | ahead of `{REFERENCE}` | ms a move | games |",
        "|---|---|---|---|---|---|---|",
    ]
    for player, below in zip(players, players[1:] + [None]):
        cells = [
            f"`{player.player}`",
            around(*interval(player.scores.values(), 0.05)),
            around(*player.mean()),
            player.ahead(below, comparisons) if below else "",
            player.ahead(reference, comparisons) if player is not reference else "",
            rounded(player.milliseconds),
            f"{len(player.less):,}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def strength_section(timed):
    """The part of docs/results.md on strength against time."""
    first, *others = FAMILIES
    cells = len(timed) - len(FAMILIES[first][1])
    lines = [
        "",
        "## Strength against time",
        "",
        "![Mean score less luck against time a move](strength.svg)",
        "",
        "One game at a time on one thread, with a given time a move, in the games from seed 0 on, less luck: the score of",
        f"`{first}`; then that of each other, and how far the first is ahead of it; bold as above, of {cells} numbers. Empty: not",
        "played. In brackets the milliseconds of a move as they were.",
        "",
        f"    {COMMAND} strength --share 0.5",
        "",
        f"Played on {'; on '.join(sorted({played.when for played in timed.values()}))}; each game is in",
        "[reports/strength](reports/strength).",
        "",
        f"| ms a move | games | {' | '.join(FAMILIES)} |",
        f"|---|---|{'---|' * len(FAMILIES)}",
    ]
    for ms in FAMILIES[first][1]:
        best = timed[first, ms]
        row = [f"{around(*best.mean())} ({best.milliseconds:.2f})"]
        for played in (timed.get((other, ms)) for other in others):
            said = played and f"{around(*played.mean())} ({played.milliseconds:.2f}); {best.ahead(played, cells)}"
            row.append(said or "")
        lines.append(f"| {ms:,} | {len(best.less):,} | {' | '.join(row)} |")
    lines += [
        "",
        "The players: " + "; ".join(f"{name}, {texts(*family)}" for name, family in FAMILIES.items()) + ".",
    ]
    return "\n".join(lines) + "\n"


def texts(family, budgets):
    """The texts of a family's players, which may differ in more than their time."""
    until = {re.sub(r"\bms=\d+", "ms=MS", family(ms)): ms for ms in budgets}
    return ", then ".join(f"`{text}` up to {ms:,} ms" if len(until) > 1 else f"`{text}`" for text, ms in until.items())


def curves(timed):
    """A picture of mean score less luck against time a move, a line for each family, as SVG."""
    named = {name: [timed[name, ms] for ms in budgets] for name, (_, budgets) in FAMILIES.items()}
    everyone = list(timed.values())
    times = [math.log10(played.milliseconds) for played in everyone]
    # A time is a little over what was given.
    earliest, latest = math.floor(min(times)), math.ceil(max(times) - 0.05)
    bounds = [mean + sign * half_width for mean, half_width in (played.mean() for played in everyone) for sign in (-1, 1)]
    low, high = 50 * math.floor(min(bounds) / 50), 50 * math.ceil(max(bounds) / 50)
    left, right, top, bottom = 90, 980, 82, 560

    def x(played):
        return left + (right - left) * (math.log10(played.milliseconds) - earliest) / (latest - earliest)

    def y(score):
        return bottom - (bottom - top) * (score - low) / (high - low)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="640" font-family="sans-serif" font-size="15">',
        '<rect width="1000" height="640" fill="white"/>',
    ]
    step = 50 * math.ceil((high - low) / 50 / 12)
    for score in range(low, high + 1, step):
        parts.append(f'<path d="M{left} {y(score):.1f}H{right}" stroke="#dee1e6"/>')
        parts.append(f'<text x="{left - 10}" y="{y(score) + 5:.1f}" text-anchor="end">{score:,}</text>')
    for exponent in range(earliest, latest + 1):
        at = left + (right - left) * (exponent - earliest) / (latest - earliest)
        parts.append(f'<path d="M{at:.1f} {bottom}v8" stroke="black"/>')
        parts.append(f'<text x="{at:.1f}" y="{bottom + 26}" text-anchor="middle">{10.0**exponent:,g}</text>')
    parts.append(f'<path d="M{left} {bottom}H{right}" stroke="black"/>')
    parts.append(f'<text x="{(left + right) / 2}" y="620" text-anchor="middle">milliseconds a move</text>')
    parts.append(f'<text x="{left - 70}" y="24">mean score less luck, with 95 % confidence intervals</text>')
    for number, (name, line) in enumerate(named.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{x(played):.1f},{y(played.mean()[0]):.1f}" for played in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3"/>')
        for played in line:
            mean, half = played.mean()
            parts.append(f'<path d="M{x(played):.1f} {y(mean - half):.1f}V{y(mean + half):.1f}" stroke="{colour}"/>')
        across, down = left - 70 + 230 * (number % 4), 44 + 22 * (number // 4)
        parts.append(f'<path d="M{across} {down}h24" stroke="{colour}" stroke-width="4"/>')
        parts.append(f'<text x="{across + 30}" y="{down + 5}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def around(mean, half_width, sign="-"):
    return f"{mean:{sign}.1f}" + ("" if half_width is None else f" ± {half_width:.1f}")


def rounded(value):
    """A positive number in two significant digits, and no fewer than its whole ones."""
    return f"{value:.0f}" if value >= 10 else f"{float(f'{value:.2g}'):.7f}".rstrip("0").rstrip(".")


def machine():
    """The processor and its cores, as far as the system tells."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    wide = "with" if "avx512f" in text else "without"
    return f"{found[1].strip() if found else 'an unknown processor'} ({cores} core{'' if cores == 1 else 's'}, {wide} AVX-512)"


def write(path, text):
    """Writes a file that is whole or not there."""
    side = path.with_name(path.name + ".partial")
    side.write_text(text, encoding="utf-8")
    side.replace(path)


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError, KeyboardInterrupt) as problem:
        sys.exit(f"results.py: {problem or 'interrupted'}; play goes on with players without a report, strength begins anew")
