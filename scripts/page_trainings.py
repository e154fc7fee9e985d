#!/usr/bin/env python3
"""Trains in Chromium, from the single file on disk, and writes when each training passes its mark into docs/reports/page-trainings.md.

    python3 scripts/page_trainings.py [NAME]...

Needs page/dist/ (scripts/build_page), the package playwright and Chromium.
"""

import os
import pathlib
import shutil
import sys
import time

from playwright.sync_api import sync_playwright

from page_times import ROOT, processor

# Configuration, what differs in its text, the mark of an evaluation's mean, what it is, and the most seconds.
TRAININGS = [
    ("match3-fitted", {}, 1269, "`plan`", 60),
    ("tetris-cma", {"[evaluation]\nevery = 25": "[evaluation]\ngames = 20\nevery = 5"}, 1000, "1,000 lines on ten rows", 600),
    ("quick", {}, 633, "`greedy`", 1200),
    ("bilging-fitted", {}, None, "the end", 600),
]


def best(page):
    text = page.locator(".runs tbody td:nth-child(4)").first.inner_text().replace(",", "")
    return float(text) if text not in ("–", "") else None


def train(page, config, changes, mark, most):
    page.goto("about:blank")
    page.goto((ROOT / "page" / "dist" / "matchq.html").as_uri() + "#view=train")
    page.locator(".keys label").first.wait_for(timeout=120_000)
    page.locator(".train form select").first.select_option(config)
    text = page.get_by_label("Configuration as text")
    for old, new in changes.items():
        page.get_by_text("The whole configuration as text").click()
        assert old in text.input_value()
        text.fill(text.input_value().replace(old, new))
    begin = time.monotonic()
    page.get_by_role("button", name="Start", exact=True).click()
    row = page.locator(".runs tbody tr").first
    row.wait_for(timeout=120_000)
    passed, points = None, []
    while time.monotonic() - begin < most:
        seconds, now = time.monotonic() - begin, best(page)
        if now is not None and (not points or now != points[-1][1]):
            points.append((round(seconds, 1), now))
            print(f"{config}: {seconds:.1f} s, best {now}", flush=True)
        if passed is None and mark is not None and now is not None and now > mark:
            passed = seconds
        if passed is not None or "done" in row.inner_text():
            break
        time.sleep(0.2)
    if mark is None and "done" in row.inner_text():
        passed = time.monotonic() - begin
    return passed, points, row.inner_text().split("\t")[-3].strip()


def main():
    wanted = sys.argv[1:]
    lines = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium") or os.environ.get("CHROMIUM"), args=["--no-sandbox"])
        for config, changes, mark, what, most in TRAININGS:
            if wanted and config not in wanted:
                continue
            # Each with nothing kept.
            page = browser.new_context().new_page()
            passed, points, share = train(page, config, changes, mark, most)
            curve = ", ".join(f"{value:,.0f} ({seconds:.0f} s)" for seconds, value in points)
            passes = f"{passed:.0f} s" if passed else f"not in {most} s"
            lines.append(f"| `{config}` | {what} | {passes} | {curve} | {share} |")
            page.context.close()
        version = browser.version
        browser.close()
    report = (
        f"# Trainings in a browser\n\nChromium {version}, {processor()}, two shared cores, page/dist/matchq.html from disk, by `python3 scripts/page_trainings.py`."
        " Seconds count from the press of *Start*: module, first games of the quick players, evaluations and saves included.\n\n"
        "| configuration | mark | passed after | best evaluation so far | steps done at the end |\n|---|---|---:|---|---:|\n" + "\n".join(lines) + "\n"
    )
    if not wanted:
        (ROOT / "docs" / "reports" / "page-trainings.md").write_text(report, encoding="utf-8")
    print(report)


if __name__ == "__main__":
    main()
