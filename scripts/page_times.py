#!/usr/bin/env python3
"""Measures how long players take a move in Chromium, for docs/page.md and docs/reports/page.md.

    python3 scripts/page_times.py

Needs page/dist/ (scripts/build_page), the package playwright and Chromium.
"""

import functools
import http.server
import os
import pathlib
import platform
import re
import shutil
import threading

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
GAMES = ["match3", "bilging", "tetris", "bejeweled", "tile-match"]
MOVES, WARM = 20, 5
BEGIN, END = "<!-- page: by scripts/page_times.py -->\n", "<!-- end of page -->\n"
# In the page: its own worker, a game of each player, milliseconds of each move.
SCRIPT = """async ({ moves }) => {
  const worker = new Worker('worker.js');
  const asked = new Map();
  let last = 0;
  worker.onmessage = ({ data }) => asked.get(data.id)(data.answer);
  const post = (message) => new Promise((resolve) => { last += 1; asked.set(last, resolve); worker.postMessage({ id: last, ...message }); });
  const bytes = await (await fetch('matchq.wasm')).arrayBuffer();
  const begin = performance.now();
  await post({ bytes });
  const start = performance.now() - begin;
  const { games } = await post({ request: { ask: 'about' } });
  const times = {};
  for (const game of games) {
    for (const { name, simulations } of game.players) {
      const player = simulations ? { name, simulations } : { name };
      const at = { game: game.name, seed: 0, moves: [] };
      const taken = [];
      for (let move = 0; move < moves; move += 1) {
        const now = performance.now();
        const values = await post({ request: { ask: 'values', at, player } });
        taken.push(performance.now() - now);
        const played = await post({ request: { ask: 'play', at, action: values.moves[0].action } });
        at.moves.push(values.moves[0].action);
        if (played.position.over) break;
      }
      times[`${game.name} ${name}`] = { taken, simulations };
    }
  }
  return { start, times };
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A host of files that prints nothing."""

    def log_message(self, *_):
        pass


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*: (.*)", text).group(1)
    widest = next((name for flag, name in [("avx512f", "AVX-512"), ("avx2", "AVX2")] if f" {flag}" in text), platform.machine())
    return f"{model} with {widest}"


def main():
    handler = functools.partial(Quiet, directory=str(ROOT / "page" / "dist"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium") or os.environ.get("CHROMIUM"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/style.css")
        found = page.evaluate(SCRIPT, {"moves": MOVES})
        version = browser.version
        browser.close()
    players = {}
    for name, entry in found["times"].items():
        game, player = name.split(" ", 1)
        taken = sorted(entry["taken"][WARM:])
        text = f"{player}, {entry['simulations']} simulations" if entry.get("simulations") else player
        players.setdefault(text, {})[game] = taken[len(taken) // 2]
    lines = ["| player | " + " | ".join(GAMES) + " |", "|---|" + "---:|" * len(GAMES)]
    for player, times in players.items():
        lines.append(f"| `{player}` | " + " | ".join(f"{times[game]:.2g}" if game in times else "" for game in GAMES) + " |")
    table = "\n".join(lines)
    report = (
        f"# Milliseconds a move in a browser\n\nChromium {version}, {processor()}, one core, shared; the median of moves {WARM + 1} to {MOVES} of the game of"
        f" seed 0, by `python3 scripts/page_times.py`. A time includes the way to the worker and back. The module starts in {found['start']:.0f} ms.\n\n{table}\n"
    )
    (ROOT / "docs" / "reports" / "page.md").write_text(report, encoding="utf-8")
    # The page shows the search, the first agent of each game, and a plan.
    agents = {"match3": "dqn", "bilging": "bilging-dqn", "tetris": "tetris-shapes-20", "bejeweled": "bejeweled-dqn", "tile-match": "tile-match-dqn"}
    best = {game: times[game] for player, times in players.items() if player.startswith("best") for game in times}
    rows = {"`best`": best, "the main agent": {game: players[agent][game] for game, agent in agents.items()}, "`plan`": players.get("plan", {})}
    short = lines[:2] + [f"| {name} | " + " | ".join(f"{times[game]:.2g}" if game in times else "" for game in GAMES) + " |" for name, times in rows.items()]
    page = ROOT / "docs" / "page.md"
    text = page.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n" + "\n".join(short) + f"\n\n{END}{after}", encoding="utf-8")
    print(report)


if __name__ == "__main__":
    main()
