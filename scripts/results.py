#!/usr/bin/env python3
"""Lets all players play and writes docs/results.md and its pictures, docs/players.svg and docs/strength.svg.

Usage: python3 scripts/results.py [--only players|strength] [--quick] [--reuse] [--share SHARE] [--from-reports]

Each player of the first part plays by itself, and its report is kept in target/results/: what was interrupted goes on
where it was, and who has played so many games with the same program does not play them again. It takes an hour. The
players of the second part, strength against time, play alone on one thread each, in turn, some twenty minutes in all;
their games are written to docs/reports/strength/, from which --from-reports makes the table and the picture again and
plays nothing. Needs cargo and Python 3, and a machine with nothing else to do.
"""

import argparse
import csv
import datetime
import hashlib
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
import urllib.parse

# How many games, and who plays them: the dearer a move, the fewer.
GROUPS = [
    (
        10_000,
        [
            "random",
            "matching",
            "greedy",
            "cascade",
            "plan",
            "network:checkpoint=checkpoints/dqn-plain",
            "network",
        ],
    ),
    (
        1_000,
        [
            "network:checkpoint=checkpoints/dqn-setups",
            "plan:depth=3",
            "rollout:sims=100:depth=1",
            "rollout:sims=400:depth=1",
            "rollout:depth=1",
            "rollout:depth=2",
        ],
    ),
    (
        100,
        [
            "rollout:sims=960:guide=plan:depth=3",
        ],
    ),
]


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
KEPT = ROOT / "target" / "results"
COMMAND = "python3 scripts/results.py"
STRENGTH = "\n## Strength against time\n"


def main():
    parser = argparse.ArgumentParser(description="Lets all players play and writes docs/results.md and its pictures.")
    parser.add_argument("--only", choices=["players", "strength"], help="that part of results.md and its picture alone")
    parser.add_argument("--quick", action="store_true", help="a few games each, written to target/results/quick/ only")
    parser.add_argument("--reuse", action="store_true", help="take kept reports even if the program has changed since")
    parser.add_argument("--share", type=float, default=1, help="of the games of strength against time (1: all of them)")
    parser.add_argument("--from-reports", action="store_true", help="strength against time from docs/reports/strength alone")
    arguments = parser.parse_args()
    kept = KEPT / "quick" if arguments.quick else KEPT
    kept.mkdir(parents=True, exist_ok=True)
    folder = kept if arguments.quick else ROOT / "docs"

    results = folder / "results.md"
    if arguments.only:
        # Whether there is another part to keep.
        parts_of(results)
    program = None if arguments.from_reports else build()
    players = [(player, games) for games, names in GROUPS for player in names]

    def compared(entrants, *options):
        """The reports of players' games, and what compare says of them."""
        entrants = [(player, quick(games) if arguments.quick else games) for player, games in entrants]
        reports = [report_of(program, player, games, kept, arguments.reuse) for player, games in entrants]
        for report in reports:
            estimate_luck(program, report)
        compare = [program, "compare", *(f"--from={path}" for path in reports), *options, "--json=-"]
        return reports, json.loads(subprocess.run(compare, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)

    def older(entrants, reports):
        """Whose report is kept from an earlier program."""
        pairs = zip(entrants, reports)
        return {player for (player, _), path in pairs if not path.stem.endswith(fingerprint(program, player))}

    command = COMMAND + (" --quick" if arguments.quick else "")
    on_players = on_strength = None
    if arguments.only != "strength" and program:
        reports, comparison = compared(players, f"--plot={folder / 'players.svg'}")
        on_players = document(comparison, played(reports, older(players, reports)), command + " --only players")
    if arguments.only != "players":
        reports = (kept if arguments.quick else ROOT / "docs") / "reports" / "strength"
        if program:
            fewer = "" if arguments.share == 1 else f" --share {arguments.share:g}"
            play_timed(program, reports, arguments.share, arguments.quick, command + " --only strength" + fewer)
        played_by = read_timed(reports)
        write(folder / "strength.svg", curves(played_by))
        on_strength = strength_section(played_by)
    before = parts_of(results) if arguments.only or arguments.from_reports else ["", ""]
    write(results, (on_players or before[0]) + (on_strength or before[1]))
    print(f"written: {results}, and the picture of each part beside it")


def parts_of(path):
    """The part of docs/results.md on the players, and that on strength against time."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    start = text.find(STRENGTH)
    if start < 0:
        sys.exit(f"results.py: {path} has no section on strength against time: write it whole first, without --only")
    return [text[:start], text[start:]]


def played(reports, older):
    """On which machine and when reports were made."""
    dates = sorted(datetime.date.fromtimestamp(path.stat().st_mtime) for path in reports)
    days = f"{dates[0]}" if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return f"Played on {machine()}, {days}, by {commit()}{', in part by earlier states of the program' if older else ''}"


def commit():
    """The commit that the program is of, and whether files differ from it."""
    git = ["git", "describe", "--always", "--dirty= with changes", "--exclude=*"]
    found = subprocess.run(git, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return f"commit `{found.stdout.strip()}`" if found.returncode == 0 else "an unknown commit"


def quick(games):
    """With --quick, so many games in place of those."""
    return 20 if games >= 10_000 else 4 if games >= 1_000 else 2


def build():
    """The program, freshly built in the release profile."""
    cargo = ["cargo", "build", "--release", "--locked", "--bin", "matchq"]
    cargo.append("--message-format=json-render-diagnostics")
    output = subprocess.run(cargo, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    artifacts = (json.loads(line) for line in output.splitlines())
    return next(path for path in (artifact.get("executable") for artifact in artifacts) if path)


def report_of(program, player, games, folder, reuse):
    """The report of a player's games from seed 0: one that is kept, or else a new one."""
    start, ending = f"{urllib.parse.quote(player, safe='=+')}-", f"-{fingerprint(program, player)}.json"
    path = folder / f"{start}{games}{ending}"
    found = [path] if path.exists() else []
    if reuse and not found:
        # A name goes on with the fingerprint alone, in which there is no hyphen.
        others = [other for other in folder.glob("*.json") if other.name.rpartition("-")[0] == f"{start}{games}"]
        found = sorted(others, key=lambda other: other.stat().st_mtime)[-1:]
    if found:
        print(f"{player}: {games} games are kept from before in {found[0].relative_to(ROOT)}", flush=True)
        return found[0]
    return play(program, player, 0, games, path)


def play(program, player, seed, games, path, *options):
    """Has a player play so many games from a seed on, by itself."""
    print(f"{player}: {games} games from seed {seed} ...", flush=True)
    start = time.monotonic()
    compare = [program, "compare", f"--players={player}", f"--seed={seed}", f"--games={games}", f"--json={path}", *options]
    subprocess.run(compare, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    print(f"{player}: {time.monotonic() - start:.0f} s", flush=True)
    return path


def play_timed(program, folder, share, few, command):
    """Has the players with a given time play, and writes each one's games to a file in the folder."""
    jobs = []
    for ms, games in GAMES.items():
        piece = 1 if few else max(1, round(games * share / PIECES))
        players = [family(ms) for family, budgets in FAMILIES.values() if ms in budgets]
        jobs += [(player, index * piece, piece) for index in range(PIECES) for player in players]

    def path_of(player, seed):
        return KEPT / f"{file_name(player)}-{seed}.json"

    for player, seed, games in jobs:
        play(program, player, seed, games, path_of(player, seed), "--threads=1")
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for player, seed, games in jobs:
        path = path_of(player, seed)
        estimate_luck(program, path)
        piece = json.loads(path.read_bytes())["players"][0]
        heads = [
            f"# {player}\n",
            f"# one thread, on {machine()}, {datetime.date.today()}, by {commit()}, with `{command}`\n",
            "seed,score,luck,ms a move\n",
        ]
        rows = enumerate(zip(piece["scores"], piece["luck"]), seed)
        row = ",{},{:.1f}," + f"{piece['milliseconds_per_move']:.3f}\n"
        files.setdefault(player, heads).extend(str(game) + row.format(*played) for game, played in rows)
        path.unlink()
    for player, lines in files.items():
        write(folder / f"{file_name(player)}.csv", "".join(lines))


def file_name(player):
    """A name without what some file systems do not take."""
    return re.sub("[:=/]", "-", player)


class Timed:
    """What a player with a given time has played: its scores less luck by seed, and the milliseconds of a move."""

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

    def ahead(self, other, error):
        """By how much it is ahead of another in the games of both, with the half width of the interval of that error."""
        return interval([less - other.less[seed] for seed, less in self.less.items() if seed in other.less], error)


def interval(numbers, error):
    """The mean, and the half width of the interval that leaves it out with that probability, by a normal distribution."""
    numbers = list(numbers)
    z = statistics.NormalDist().inv_cdf(1 - error / 2)
    return statistics.fmean(numbers), z * statistics.stdev(numbers) / math.sqrt(len(numbers))


def read_timed(folder):
    """What the players with a given time have played, by family and milliseconds."""
    return {
        (name, ms): Timed(folder / f"{file_name(family(ms))}.csv")
        for name, (family, budgets) in FAMILIES.items()
        for ms in budgets
    }


def estimate_luck(program, report):
    """Has the luck of a report's games estimated, if it is not; its date stays."""
    if json.loads(report.read_bytes())["players"][0].get("luck_simulations") == LUCK:
        return
    date = report.stat().st_mtime
    compare = [program, "compare", f"--from={report}", f"--luck={LUCK}", f"--json={report}"]
    subprocess.run(compare, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    os.utime(report, (date, date))


def fingerprint(program, player):
    """What the games depend on beside the player's text: the program and the checkpoint that the player names."""
    digest = hashlib.sha256(pathlib.Path(program).read_bytes())
    checkpoint = re.search(r":checkpoint=(.*)", player)
    if checkpoint:
        path = ROOT / checkpoint[1]
        digest.update((path / "best.safetensors" if path.is_dir() else path).read_bytes())
    return digest.hexdigest()[:12]


def document(comparison, when, command):
    """The part of docs/results.md on the players."""
    players = sorted(comparison["players"], key=lambda player: -player["less_luck"]["mean"])
    pairs = pairs_of(comparison)
    counts = sorted({player["games"] for player in players})
    numbers = " or ".join(f"{count:,}" for count in counts)
    lines = [
        "# Results",
        "",
        f"All players in the games from seed 0 on, {numbers} of them each, the strongest first. The games are the same",
        "for all, as far as they go. Means stand with the half width of their 95 % confidence interval. How the networks were",
        "trained: [dqn.md](dqn.md#the-agents-that-ship).",
        "",
        f"{when}. Written by",
        "",
        f"    {command}",
        "",
        "which lets each player play alone and then puts the reports together:",
        "",
        "    matchq compare --players PLAYER --games GAMES --json REPORT",
        f"    matchq compare --from REPORT --luck {LUCK} --json REPORT",
        "    matchq compare --from REPORT,REPORT,... --plot docs/players.svg",
        "",
        "![Distributions of the players' scores, and mean score against time a move](players.svg)",
        "",
        "| player | score | less luck | median | moves without a match | waves a matching move | ms a move | games |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for player in players:
        waves = player["waves_per_match"]
        cells = [
            f"`{player['player']}`",
            around(player["mean"], player["half_width"]),
            less_luck(player),
            f"{player['median']:g}",
            f"{100 * player['moves_without_match']:.1f} %",
            "-" if waves is None else f"{waves:.2f}",
            f"{rounded(player['milliseconds_per_move'])}",
            f"{player['games']:,}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "The time of a move is that on the clock, on all cores; up to 1,024 games are played side by side. Less luck: without",
        "what chance gave after the moves beyond its mean, which on average changes nothing and makes the interval narrower",
        "([how](runs.md#scores-less-luck)); the players stand in this order.",
        "",
        "## Differences",
        "",
        "Game by game in the games that both have played, less luck. Significant is a difference whose 95 % interval leaves out",
        "0; of twenty that are nothing but chance, one is.",
        "",
        f"| player | ahead of the next | by | games | | ahead of `{REFERENCE}` by | games | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for player, below in zip(players, players[1:] + [None]):
        name = player["player"]
        after = [f"`{below['player']}`", *difference(pairs[name, below["player"]])] if below else ["", "", "", ""]
        reference = difference(pairs[name, REFERENCE]) if name != REFERENCE else ["", "", ""]
        lines.append(f"| {' | '.join([f'`{name}`', *after, *reference])} |")
    return "\n".join(lines) + "\n"


def pairs_of(comparison):
    """The paired differences less luck, by both players."""
    pairs = {}
    for pair in comparison["pairs"]:
        less = {**pair["less_luck"], "games": pair["games"]}
        pairs[pair["player"], pair["than"]] = less
        pairs[pair["than"], pair["player"]] = {**less, "mean": 0.0 - less["mean"]}
    return pairs


def strength_section(played_by):
    """The part of docs/results.md on strength against time."""
    first, *others = FAMILIES
    cells = len(played_by) - len(FAMILIES[first][1])
    whens = sorted({timed.when for timed in played_by.values()})
    lines = [
        STRENGTH.rstrip(),
        "",
        f"Played on {'; on '.join(whens)}.",
        "",
        "![Mean score less luck against time a move](strength.svg)",
        "",
        "One game at a time on one thread, with a given time a move, in the games from seed 0 on, less luck, with 95 % intervals:",
        f"the score of `{first}`; then that of each other, and how far the first is ahead of it, game by game. In bold where",
        f"the interval of the difference is clear of 0 at {100 * (1 - 0.05 / cells):.1f} %: with {cells} cells, chance alone makes",
        "any bold in at most one of "
        "twenty such tables (Bonferroni). Empty: not played. In brackets the milliseconds of a move as they were. From",
        f"the games themselves, in [docs/reports/strength](reports/strength), by `{COMMAND} --only strength --from-reports`.",
        "",
        f"| ms a move | games | {' | '.join(FAMILIES)} |",
        f"|---|---|{'---|' * len(FAMILIES)}",
    ]
    for ms in FAMILIES[first][1]:
        best = played_by[first, ms]
        row = [f"{around(*best.mean())} ({best.milliseconds:.2f})"]
        for timed in (played_by.get((other, ms)) for other in others):
            if timed is None:
                row.append("")
                continue
            mean, half_width = best.ahead(timed, 0.05)
            clear = abs(mean) > best.ahead(timed, 0.05 / cells)[1]
            ahead = around(mean, half_width, "+")
            row.append(f"{around(*timed.mean())} ({timed.milliseconds:.2f}); " + (f"**{ahead}**" if clear else ahead))
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


def curves(played_by):
    """A picture of mean score less luck against time a move, a line for each family, as SVG."""
    named = {name: [played_by[name, ms] for ms in budgets] for name, (_, budgets) in FAMILIES.items()}
    everyone = list(played_by.values())
    times = [math.log10(timed.milliseconds) for timed in everyone]
    # A time is a little over what was given.
    earliest, latest = math.floor(min(times)), math.ceil(max(times) - 0.05)
    bounds = [mean + sign * half_width for mean, half_width in (timed.mean() for timed in everyone) for sign in (-1, 1)]
    low, high = 50 * math.floor(min(bounds) / 50), 50 * math.ceil(max(bounds) / 50)
    left, right, top, bottom = 90, 980, 82, 560

    def x(timed):
        return left + (right - left) * (math.log10(timed.milliseconds) - earliest) / (latest - earliest)

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
        points = " ".join(f"{x(timed):.1f},{y(timed.mean()[0]):.1f}" for timed in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3"/>')
        for timed in line:
            mean, half = timed.mean()
            parts.append(f'<path d="M{x(timed):.1f} {y(mean - half):.1f}V{y(mean + half):.1f}" stroke="{colour}"/>')
        across, down = left - 70 + 230 * (number % 4), 44 + 22 * (number // 4)
        parts.append(f'<path d="M{across} {down}h24" stroke="{colour}" stroke-width="4"/>')
        parts.append(f'<text x="{across + 30}" y="{down + 5}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def less_luck(player):
    """A player's mean score less luck."""
    return around(player["less_luck"]["mean"], player["less_luck"]["half_width"])


def difference(pair):
    """The cells of a paired difference."""
    verdict = "significant" if pair["significant"] else "not significant"
    return [around(pair["mean"], pair["half_width"], "+"), f"{pair['games']:,}", verdict]


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
        kept = f"reports that are finished are kept in {KEPT}: the same command goes on"
        sys.exit(f"results.py: {problem or 'interrupted'}; {kept}")
