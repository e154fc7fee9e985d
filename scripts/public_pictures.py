#!/usr/bin/env python3
"""Counts how many cells of public pictures of Bejeweled `matchq read` reads right: docs/reading.md has the figures.

    python3 scripts/public_pictures.py FOLDER [--program FILE] [--theme THEME]

FOLDER receives the pictures, as PNGs with their boards, from the repositories that tests/pictures/public.json names with the boards
that were typed by eye. Needs git, the network and Pillow (`pip install pillow`).
"""

import argparse
import collections
import io
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PUBLIC = json.loads((ROOT / "tests" / "pictures" / "public.json").read_text(encoding="utf-8"))


def fetched(folder, source):
    """Names and PNGs of a source's pictures, with their boards."""
    from PIL import Image

    clone = folder / source["repository"].replace("/", "+")
    git = ["git", "-C", clone]
    if not clone.exists():
        subprocess.run(["git", "init", "--quiet", clone], check=True)
        url = f"https://github.com/{source['repository']}"
        subprocess.run([*git, "fetch", "--quiet", "--depth", "1", url, source["commit"]], check=True)
    for name, board in source["boards"].items():
        file, _, frame = name.partition("#")
        png = folder / f"{clone.name}+{name.replace('/', '+')}.png"
        if not png.exists():
            bytes = subprocess.run([*git, "show", f"{source['commit']}:{file}"], check=True, capture_output=True).stdout
            image = Image.open(io.BytesIO(bytes))
            image.seek(int(frame or 0))
            image.convert("RGB").save(png)
        png.with_suffix(".txt").write_text(board.replace(" ", "\n") + "\n", encoding="utf-8")
        yield png, board.split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", default=ROOT / "target" / "release" / "matchq")
    parser.add_argument("--theme", help="a theme of the program or a file, by default those of the game")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    theme = ["--theme", arguments.theme] if arguments.theme else []
    print("| version | boards | field found | right | ? | wrong | boards sure in all cells |\n|---|---|---|---|---|---|---|")
    for source in PUBLIC:
        counts = collections.Counter()
        for png, board in fetched(arguments.folder, source):
            read = [arguments.program, "read", png, "--game", "bejeweled", *theme, "--partial"]
            rows = subprocess.run(read, capture_output=True, text=True).stdout.split()
            counts["boards"] += 1
            counts["found"] += bool(rows)
            cells = ["?" if is_ == "?" else "right" if is_ == should else "wrong"
                     for row, typed in zip(rows, board) for is_, should in zip(row, typed)]
            counts.update(cells)
            counts["whole"] += cells.count("right") == 64
        print("|", " | ".join(map(str, [source["version"], *(counts[at] for at in ("boards", "found", "right", "?", "wrong", "whole"))])), "|")


if __name__ == "__main__":
    main()
