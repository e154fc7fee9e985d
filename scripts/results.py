#!/usr/bin/env python3
"""Lets all players play and writes docs/results.md and its pictures, docs/players.svg and docs/strength.svg.

Usage: python3 scripts/results.py [--only players|strength] [--quick] [--share SHARE] [--reuse]

Each player plays by itself, and its report is kept in target/results/: what was interrupted goes on where it was, and
who has played so many games with the same program does not play them again. Players with a given time that have played
some of them play only the rest. These, by --only strength, take some three hours, --only players an hour, --quick
five minutes. Needs cargo and Python 3, and a machine with nothing else to do.
"""

import argparse
import datetime
import hashlib
import json
import math
import os
import pathlib
import re
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
            "network:checkpoint=checkpoints/dqn-positions",
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


# Strength against time: each family's player with so many milliseconds a move, and in how many games: the dearer a move, the
# fewer. The first is compared with each of the others.
FAMILIES = {
    "network+search": (lambda ms: f"network+search:ms={ms}", {1: 3_200, 3: 1_600, 10: 2_000, 50: 1_000, 200: 100, 1_000: 100}),
    "rollout, set-ups": (setups_rollout, {1: 3_200, 3: 1_600, 10: 2_000, 50: 1_000, 200: 100, 1_000: 20}),
    "rollout, 2 chains": (lambda ms: f"rollout:ms={ms}:depth=2", {1: 3_200, 3: 1_600, 10: 400}),
    "rollout, 3 plans": (
        lambda ms: f"rollout:ms={ms}:depth=3:guide=plan:breadth=4",
        {1: 3_200, 3: 1_600, 10: 400, 50: 200},
    ),
}
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
    parser.add_argument("--share", type=share, default=1, help="of the games of --only strength (1: all of them)")
    parser.add_argument("--reuse", action="store_true", help="take kept reports even if the program has changed since")
    arguments = parser.parse_args()
    kept = KEPT / "quick" if arguments.quick else KEPT
    kept.mkdir(parents=True, exist_ok=True)
    folder = kept if arguments.quick else ROOT / "docs"

    results = folder / "results.md"
    if arguments.only:
        # Whether there is another part to keep.
        parts_of(results)
    program = build()
    players = [(player, games) for games, names in GROUPS for player in names]
    searches = [(family(ms), games) for family, budgets in FAMILIES.values() for ms, games in budgets.items()]

    def compared(entrants, part, *options):
        """The reports of players' games, and what compare says of them."""
        entrants = [(player, quick(games) if arguments.quick else max(1, round(games * part))) for player, games in entrants]
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
    fewer = f" --share {arguments.share:g}" if arguments.share < 1 and not arguments.quick else ""
    on_players = on_strength = None
    if arguments.only != "strength":
        reports, comparison = compared(players, 1, f"--plot={folder / 'players.svg'}")
        on_players = document(comparison, played(reports, older(players, reports)), command + " --only players")
    if arguments.only != "players":
        reports, strength = compared(searches, arguments.share)
        write(folder / "strength.svg", curves(strength))
        old = older(searches, reports)
        on_strength = strength_section(strength, played(reports, old), old, f"{command} --only strength{fewer}")
    before = parts_of(results) if arguments.only else ["", ""]
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


def share(text):
    """A share of games, above 0 and at most 1."""
    value = float(text)
    if not 0 < value <= 1:
        raise ValueError
    return value


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
    """The report of a player's games from seed 0: one that is kept, or else a new one.

    A player with a given time plays one game at a time, whatever their number: it plays piece by piece, and only what a kept
    report of fewer games lacks, whose place the new one takes, with the date of the last piece.
    """
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
    if ":ms=" not in player:
        return play(program, player, 0, games, path)
    kept = [other.name for other in folder.glob("*.json") if other.name.startswith(start) and other.name.endswith(ending)]
    numbers = [name[len(start) : -len(ending)] for name in kept]
    count = max((int(number) for number in numbers if number.isdigit() and int(number) < games), default=0)
    while count < games:
        piece = min(games - count, max(10, games // 10))
        before, whole = folder / f"{start}{count}{ending}", folder / f"{start}{count + piece}{ending}"
        added = play(program, player, count, piece, folder / "piece")
        if count:
            write(added, json.dumps(joined(json.loads(before.read_bytes()), json.loads(added.read_bytes()))))
        added.replace(whole)
        before.unlink(missing_ok=True)
        count += piece
    return path


def play(program, player, seed, games, path):
    """Has a player play so many games from a seed on, by itself."""
    print(f"{player}: {games} games from seed {seed} ...", flush=True)
    start = time.monotonic()
    compare = [program, "compare", f"--players={player}", f"--seed={seed}", f"--games={games}", f"--json={path}"]
    subprocess.run(compare, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    print(f"{player}: {time.monotonic() - start:.0f} s", flush=True)
    return path


def joined(report, more):
    """A player's report on its games and on those from the next seed on, without luck; what the scores say, compare --from computes anew."""
    (first,), (second,) = report["players"], more["players"]
    assert first["player"] == second["player"] and first["seed"] + first["games"] == second["seed"]

    def mean(name, weigh=lambda _: 1):
        parts = [(player[name], player["games"] * weigh(player)) for player in (first, second)]
        parts = [(value, weight) for value, weight in parts if value is not None and weight]
        return sum(value * weight for value, weight in parts) / sum(weight for _, weight in parts) if parts else None

    whole = {
        **first,
        **{name: first[name] + second[name] for name in ("games", "scores", "moves", "seconds")},
        **{name: mean(name) for name in ("moves_without_match", "milliseconds_per_move")},
        "waves_per_match": mean("waves_per_match", lambda player: 1 - player["moves_without_match"]),
    }
    whole["games_per_second"] = whole["games"] / whole["seconds"]
    for name in ("luck", "luck_simulations", "less_luck"):
        whole.pop(name, None)
    return {"players": [whole], "pairs": []}


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


def strength_section(comparison, when, older, command):
    """The part of docs/results.md on strength against time, of whose players some were played by an earlier program."""
    players = {player["player"]: player for player in comparison["players"]}
    pairs = pairs_of(comparison)
    first, *others = FAMILIES
    lines = [
        STRENGTH.rstrip(),
        "",
        f"{when}. Written by",
        "",
        f"    {command}",
        "",
        "![Mean score less luck against time a move](strength.svg)",
        "",
        "One game at a time on all cores, with a given time a move, in the games from seed 0 on, less luck: the score of",
        f"`{first}` and the time that it really took, since it computes the network's values of a position in any case;",
        "then the score of each other, and how far the first is ahead of it, game by game, in bold where that is significant. The",
        "number of games is the first player's; where another has played fewer, it says how many, and the difference is of these.",
        f"Empty: not played.{earlier(older)}",
        "",
        f"| ms a move | really | games | {' | '.join(FAMILIES)} |",
        f"|---|---|---|{'---|' * len(FAMILIES)}",
    ]
    family_of_first, budgets_of_first = FAMILIES[first]
    for ms in budgets_of_first:
        name = family_of_first(ms)
        best = players[name]
        cells = [less_luck(best)]
        for family, budgets in (FAMILIES[other] for other in others):
            if ms not in budgets:
                cells.append("")
                continue
            pair = pairs[name, family(ms)]
            ahead = around(pair["mean"], pair["half_width"], "+")
            fewer = f" ({pair['games']} games)" if pair["games"] < best["games"] else ""
            score = less_luck(players[family(ms)])
            cells.append(f"{score}; " + (f"**{ahead}**" if pair["significant"] else ahead) + fewer)
        lines.append(f"| {ms:,} | {rounded(best['milliseconds_per_move'])} | {best['games']:,} | {' | '.join(cells)} |")
    lines += [
        "",
        "The players: " + "; ".join(f"{name}, {texts(*family)}" for name, family in FAMILIES.items()) + ".",
    ]
    return "\n".join(lines) + "\n"


def earlier(older):
    """A sentence on the budgets with which an earlier program has played some or all of a row."""
    rows = sorted({ms for family, budgets in FAMILIES.values() for ms in budgets if family(ms) in older})
    of = ", ".join(f"{ms:,}" for ms in rows)
    return f" Played in part or as a whole by an earlier state of the program: the rows of {of} ms." if rows else ""


def texts(family, budgets):
    """The texts of a family's players, which may differ in more than their time."""
    until = {re.sub(r"\bms=\d+", "ms=MS", family(ms)): ms for ms in budgets}
    return ", then ".join(f"`{text}` up to {ms:,} ms" if len(until) > 1 else f"`{text}`" for text, ms in until.items())


def curves(comparison):
    """A picture of mean score less luck against time a move, a line for each family, as SVG."""
    players = {player["player"]: player for player in comparison["players"]}
    named = {name: [players[family(ms)] for ms in budgets] for name, (family, budgets) in FAMILIES.items()}
    everyone = [player for line in named.values() for player in line]
    times = [math.log10(player["milliseconds_per_move"]) for player in everyone]
    # A time is a little over what was given.
    earliest, latest = math.floor(min(times)), math.ceil(max(times) - 0.05)
    less = [player["less_luck"] for player in everyone]
    bounds = [luck["mean"] + sign * (luck["half_width"] or 0) for luck in less for sign in (-1, 1)]
    low, high = 50 * math.floor(min(bounds) / 50), 50 * math.ceil(max(bounds) / 50)
    left, right, top, bottom = 90, 980, 82, 560

    def x(player):
        return left + (right - left) * (math.log10(player["milliseconds_per_move"]) - earliest) / (latest - earliest)

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
        points = " ".join(f"{x(player):.1f},{y(player['less_luck']['mean']):.1f}" for player in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3"/>')
        for player in line:
            half, mean = player["less_luck"]["half_width"] or 0, player["less_luck"]["mean"]
            parts.append(f'<path d="M{x(player):.1f} {y(mean - half):.1f}V{y(mean + half):.1f}" stroke="{colour}"/>')
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
        found = re.search(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{found[1].strip() if found else 'an unknown processor'} ({cores} cores)"


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
