#!/usr/bin/env python3
"""Lets all players play and writes docs/results.md and its picture, docs/players.svg.

Usage: python3 scripts/results.py [--quick] [--reuse]

Each player plays by itself, and its report is kept in target/results/: what was interrupted goes on where it was, and
who has played so many games with the same program does not play them again. Needs cargo and Python 3.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse

# The agent with a prior, and the search with it on the scale of its values.
PRIOR = "checkpoint=checkpoints/dqn-prior"
SEARCH = "network+search:depth=0:weight=0.9:candidates=6:prior_visits=20"

# How many games, and who plays them: 10,000 for the cheap ones, 1,000 for those up to 50 ms a move, 100 beyond.
GROUPS = [
    (
        10_000,
        [
            "random",
            "matching",
            "greedy",
            "ranked",
            "cascade",
            "plan",
            "expected:samples=10",
            "network",
            "network:checkpoint=checkpoints/dqn-prior",
        ],
    ),
    (
        1_000,
        [
            "plan:depth=3",
            "expected:samples=100",
            "expected:samples=50:depth=1",
            "rollout:sims=100:depth=1",
            "rollout:sims=400:depth=1",
            "rollout:depth=1",
            "rollout:depth=2",
            "network+search:sims=100",
            "network+search:sims=100:weight=0",
            f"{SEARCH}:sims=300:{PRIOR}",
            f"{SEARCH}:sims=300:output=0:{PRIOR}",
        ],
    ),
    (
        100,
        [
            "rollout:sims=960:guide=plan:depth=3",
            "rollout:ms=50:depth=1",
            "network+search:ms=50",
            f"{SEARCH}:ms=50:{PRIOR}",
        ],
    ),
]
# With --quick, so many games in place of those.
QUICK = {10_000: 20, 1_000: 4, 100: 2}
# All are compared with this player.
REFERENCE = "network"

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "target" / "results"
COMMAND = "python3 scripts/results.py"


def main():
    parser = argparse.ArgumentParser(description="Lets all players play and writes docs/results.md and its picture.")
    parser.add_argument("--quick", action="store_true", help="a few games each, written to target/results/quick/ only")
    parser.add_argument("--reuse", action="store_true", help="take kept reports even if the program has changed since")
    arguments = parser.parse_args()
    folder = KEPT / "quick" if arguments.quick else ROOT / "docs"
    for path in (KEPT, folder):
        path.mkdir(parents=True, exist_ok=True)

    program = build()
    entrants = [(player, QUICK[games] if arguments.quick else games) for games, names in GROUPS for player in names]
    reports = [report_of(program, player, games, arguments.reuse) for player, games in entrants]
    compare = [program, "compare", *(f"--from={path}" for path in reports), f"--plot={folder / 'players.svg'}"]
    comparison = json.loads(subprocess.run([*compare, "--json=-"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    dates = sorted(datetime.date.fromtimestamp(path.stat().st_mtime) for path in reports)
    write(folder / "results.md", document(comparison, dates[0], dates[-1], COMMAND + " --quick" * arguments.quick))
    print(f"written: {folder / 'results.md'} and players.svg beside it")


def build():
    """The program, freshly built in the release profile."""
    cargo = ["cargo", "build", "--release", "--locked", "--bin", "matchq"]
    cargo.append("--message-format=json-render-diagnostics")
    output = subprocess.run(cargo, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    artifacts = (json.loads(line) for line in output.splitlines())
    return next(path for path in (artifact.get("executable") for artifact in artifacts) if path)


def report_of(program, player, games, reuse):
    """The report of a player's games from seed 0: one that is kept, or else a new one."""
    name = f"{urllib.parse.quote(player, safe='=+')}-{games}-"
    path = KEPT / f"{name}{fingerprint(program, player)}.json"
    kept = [path] if path.exists() else []
    if reuse and not kept:
        # A name goes on with the fingerprint alone, in which there is no hyphen.
        others = [other for other in KEPT.glob("*.json") if other.name.rpartition("-")[0] + "-" == name]
        kept = sorted(others, key=lambda other: other.stat().st_mtime)[-1:]
    if kept:
        print(f"{player}: {games} games are kept from before in {kept[0].relative_to(ROOT)}", flush=True)
        return kept[0]
    print(f"{player}: {games} games ...", flush=True)
    start = time.monotonic()
    compare = [program, "compare", f"--players={player}", f"--games={games}", f"--json={path}"]
    subprocess.run(compare, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    print(f"{player}: {time.monotonic() - start:.0f} s", flush=True)
    return path


def fingerprint(program, player):
    """What the games depend on beside the player's text: the program and the checkpoint that the player names."""
    digest = hashlib.sha256(pathlib.Path(program).read_bytes())
    checkpoint = re.search(r":checkpoint=(.*)", player)
    if checkpoint:
        path = ROOT / checkpoint[1]
        digest.update((path / "best.ckpt" if path.is_dir() else path).read_bytes())
    return digest.hexdigest()[:12]


def document(comparison, first, last, command):
    """The text of docs/results.md."""
    players = sorted(comparison["players"], key=lambda player: -player["mean"])
    pairs = {}
    for pair in comparison["pairs"]:
        pairs[pair["player"], pair["than"]] = pair
        pairs[pair["than"], pair["player"]] = {**pair, "mean": 0.0 - pair["mean"]}
    dates = f"{first}" if first == last else f"{first} to {last}"
    counts = sorted({player["games"] for player in players})
    numbers = " or ".join(f"{count:,}" for count in counts)
    lines = [
        "# Results",
        "",
        f"All players in the games from seed 0 on, {numbers} of them each, the strongest first. The games are the same",
        "for all, as far as they go. Means stand with the half width of their 95 % confidence interval. How the networks were",
        "trained: [trainings.md](trainings.md).",
        "",
        f"Played on {machine()}, {dates}. This file and the picture are written by",
        "",
        f"    {command}",
        "",
        "which lets each player play alone and then puts the reports together:",
        "",
        "    matchq compare --players PLAYER --games GAMES --json REPORT",
        "    matchq compare --from REPORT,REPORT,... --plot docs/players.svg",
        "",
        "![Distributions of the players' scores, and mean score against time a move](players.svg)",
        "",
        "| player | score | median | moves without a match | clearings a matching move | ms a move | games |",
        "|---|---|---|---|---|---|---|",
    ]
    for player in players:
        clearings = player["clearings_per_match"]
        cells = [
            f"`{player['player']}`",
            around(player["mean"], player["half_width"]),
            f"{player['median']:g}",
            f"{100 * player['moves_without_match']:.1f} %",
            "-" if clearings is None else f"{clearings:.2f}",
            f"{rounded(player['milliseconds_per_move'])}",
            f"{player['games']:,}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "The time of a move is that on the clock, on all cores; up to 1,024 games are played side by side, but for those",
        "with `ms`, which play one at a time. What those score depends on the machine and on what else runs there.",
        "",
        "## Differences",
        "",
        "Game by game in the games that both have played, which takes out of the difference the luck that both had.",
        "Significant is a difference whose 95 % interval leaves out 0; of twenty that are nothing but chance, one is.",
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
