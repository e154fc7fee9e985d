#!/usr/bin/env python3
"""Draws the pictures of README.md and docs/, except those of measurements, which scripts/tables.py draws.

    python3 scripts/pictures.py [--program FILE] [games] [board] [network]

`games` lets agents play: match3.svg, bilging.svg, tetris.svg and bejeweled.svg, by `matchq replay --svg`. `board` draws board.svg, a
board in the tokens of match3.svg. `network` draws network.svg, with the shapes of the agents that ship. Without names all three are
drawn. Needs Python 3.10; games also need cargo or a program.
"""

import argparse
import html
import json
import math
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
# Of the program's own charts.
STYLE = (ROOT / "crates" / "pictures" / "src" / "chart.css").read_text(encoding="utf-8")
FONT = "Helvetica,Arial,DejaVu Sans,sans-serif"
SVG = "http://www.w3.org/2000/svg"


def page(width, height, title, parts):
    """A picture on a page that is light or dark as the reader prefers; screen readers speak the title."""
    head = f'<svg xmlns="{SVG}" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{FONT}">'
    ground = f'<rect class="page" width="{width}" height="{height}" rx="8"/>'
    return "\n".join([head, f"<title>{html.escape(title)}</title>", f"<style>\n{STYLE}</style>", ground, *parts, "</svg>"]) + "\n"


def text(x, y, words, style="", size=14, anchor="start"):
    """A text; the style is classes, and bold."""
    bold = ' font-weight="600"' if "bold" in style else ""
    classes = f' class="{style}"' if (style := style.replace("bold", "").strip()) else ""
    at_x = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{classes}{bold}{at_x}>{html.escape(words, quote=False)}</text>'


# ---- Charts of measurements, for scripts/tables.py


def chart(height, heading, unit, panels, colours, whiskers=False, references=()):
    """Lines in panels, 1,000 pixels wide.

    A panel is its left and right, ticks (places and texts), a title and, by name, lines of (place, mean, low, high). Low and high are
    whiskers, or the ends of a band. Scores at the axes are multiples of the unit. Colours are classes by name. References are names
    and scores of lines across.
    """
    top, bottom = (84 if whiskers else 64), height - 64
    ends = [end for *_, lines in panels for line in lines.values() for _, _, *both in line for end in both]
    ends += [score for _, score in references]
    least, most = unit * (min(ends) // unit), -unit * (-max(ends) // unit)

    def y(score):
        return bottom - (bottom - top) * (score - least) / (most - least)

    parts = [text(20, 30, heading, "bold", 16)]
    if whiskers:
        across = 20
        for name in panels[0][-1]:
            parts.append(f'<circle class="{colours[name]}" cx="{across + 5}" cy="51" r="5" fill="currentColor"/>')
            parts.append(text(across + 16, 56, name))
            across += 50 + 8 * len(name)
    for left, right, ticks, title, lines in panels:
        score = least
        while score <= most:
            parts.append(f'<path class="grid" d="M{left} {y(score):.1f}H{right}"/>')
            parts.append(text(left - 8, round(y(score) + 4, 1), f"{score:,g}", "soft", 13, "end"))
            score += unit
        for at, words in ticks:
            parts.append(f'<path class="soft" stroke="currentColor" d="M{at:.1f} {bottom}v5"/>')
            parts.append(text(round(at, 1), bottom + 21, words, "soft", 13, "middle"))
        parts.append(f'<path class="soft" stroke="currentColor" d="M{left} {bottom}H{right}"/>')
        parts.append(text((left + right) / 2, bottom + 44, title, "soft", 14, "middle"))
        for name, score in references:
            parts.append(f'<path class="soft" stroke="currentColor" stroke-dasharray="6 4" d="M{left} {y(score):.1f}H{right}"/>')
            parts.append(text(right, round(y(score) - 6, 1), f"{name} {score:,.0f}", "soft", 13, "end"))
        for number, (name, line) in enumerate(lines.items()):
            # Whiskers at the same place stand side by side.
            aside = 7 * (number - (len(lines) - 1) / 2) if whiskers else 0
            line = [(x + aside, y(mean), y(low), y(high)) for x, mean, low, high in line]
            parts.append(f'<g class="{colours[name]}" stroke="currentColor" fill="currentColor">')
            if whiskers:
                parts += [f'<path stroke-width="2" d="M{x:.1f} {low:.1f}V{high:.1f}"/>' for x, _, low, high in line]
                parts += [f'<circle cx="{x:.1f}" cy="{mean:.1f}" r="4"/>' for x, mean, _, _ in line]
            else:
                around = [f"{x:.1f},{high:.1f}" for x, _, _, high in line] + [f"{x:.1f},{low:.1f}" for x, _, low, _ in line[::-1]]
                parts.append(f'<polygon points="{" ".join(around)}" fill-opacity=".2" stroke="none"/>')
            middle = " ".join(f"{x:.1f},{mean:.1f}" for x, mean, _, _ in line)
            parts.append(f'<polyline points="{middle}" fill="none" stroke-width="2.5"/></g>')
            if not whiskers:
                # A line's name stands right of its end, or above it where there is no room.
                at, mean = line[-1][0], line[-1][1]
                beside = at + 12 + 9 * len(name) < right
                place = (round(at + 8, 1), round(mean + 5, 1)) if beside else (right, round(mean - 10, 1))
                parts.append(text(*place, name, f"{colours[name]} bold", 14, "start" if beside else "end"))
    return page(1000, height, heading, parts)


# ---- Games, as moving pictures

# Game, player, moves.
GAMES = {
    "match3": ("dqn", 12),
    "bilging": ("bilging-dqn", 16),
    "tetris": ("tetris-shapes-20", 45),
    "bejeweled": ("bejeweled-dqn", 12),
}


def draw_games(program):
    for game, (player, moves) in GAMES.items():
        how = ["--game", game, "--seed", "0", "--player", player, "--moves", str(moves), "--svg", str(DOCS / f"{game}.svg")]
        subprocess.run([*program, "replay", *how], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        print(f"docs/{game}.svg: {(DOCS / f'{game}.svg').stat().st_size / 1000:.0f} kB")


# ---- A board, drawn as in games

CELL = 40
WIDTH = 1010
# Classes of the tokens' colours.
COLOURS = "bcage"
TOKENS = "abcd#"
# Match-3's board of seed 0, row by row from the top, and a swap that scores 16: a cell, and the one below.
BOARD = "dda#cbdc dc#c#dcb a#cc#bbc a#ab###a cdc##d#d d#c##ba# d####adc b#cacb#b bb#d#ac# dac#c#a#".split()
SWAP = ((6, 2), (7, 2))
# What agents play there.
PLAYED = {"dqn-plain": ((1, 6), (1, 7)), "dqn": ((6, 2), (7, 2))}


def definitions():
    """The tokens of a game's picture."""
    return re.search("<defs>.*?</defs>", (DOCS / "match3.svg").read_text(encoding="utf-8"), re.DOTALL)[0]


def card(x, y, scale, board, *marked):
    """A board on its dark ground, with swaps marked as pairs of cells (row, column); its cells begin at (x, y)."""
    width, height = CELL * len(board[0]), CELL * len(board)
    parts = [f'<g transform="translate({x:g} {y:g}) scale({scale:g})">']
    parts.append(f'<rect x="-6" y="-6" width="{width + 12}" height="{height + 12}" rx="10" fill="#20232f"/>')
    parts.append(f'<rect width="{width}" height="{height}" fill="url(#cells)"/>')
    for row, tokens in enumerate(board):
        parts += [f'<use href="#t{TOKENS.index(token)}" x="{CELL * column}" y="{CELL * row}"/>' for column, token in enumerate(tokens)]
    for (row, column), (row2, column2) in marked:
        size = f'width="{CELL * (column2 - column + 1) - 3}" height="{CELL * (row2 - row + 1) - 3}"'
        frame = f'{size} rx="9" fill="none" stroke="#fff" stroke-width="{max(2.5, 1.2 / scale):g}"'
        parts.append(f'<rect x="{CELL * column + 1.5}" y="{CELL * row + 1.5}" {frame}/>')
    return [*parts, "</g>"]


def draw_board():
    """The board of seed 0, with numbers of columns and rows."""
    left, top = 36, 38
    width, height = left + CELL * 8 + 16, top + CELL * 10 + 16
    title = "The board of seed 0, with the swap of column 2, rows 6 and 7, marked"
    head = f'<svg xmlns="{SVG}" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{FONT}">'
    parts = [head, f"<title>{title}</title>", definitions(), f'<rect width="{width}" height="{height}" rx="14" fill="#161821"/>']
    parts += [f'<g fill="#9aa0b4" font-size="14" text-anchor="middle">']
    parts += [f'<text x="{left + CELL * (column + 0.5):g}" y="{top - 14}">{column}</text>' for column in range(8)]
    parts += [f'<text x="{left - 18}" y="{top + CELL * (row + 0.5) + 5:g}">{row}</text>' for row in range(10)]
    write(DOCS / "board.svg", "\n".join([*parts, "</g>", *card(left, top, 1, BOARD, SWAP), "</svg>"]) + "\n")


# ---- The network


def inside(agent):
    """The shapes of an agent's weights by their names, and its configuration."""
    with open(ROOT / "checkpoints" / agent / "best.safetensors", "rb") as file:
        weights = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    config = weights.pop("__metadata__")["config"]
    return {name: weight["shape"] for name, weight in weights.items()}, config


def size(shapes):
    """How many numbers there are."""
    return sum(math.prod(shape) for shape in shapes.values())


def layers_of(shapes):
    """How many convolutions of 3x3 there are."""
    return sum(shape[2:] == [3, 3] for shape in shapes.values())


def swapped(board, one, other):
    """A board with two cells exchanged."""
    rows = [[*row] for row in board]
    (y, x), (y2, x2) = one, other
    rows[y][x], rows[y2][x2] = rows[y2][x2], rows[y][x]
    return ["".join(row) for row in rows]


def matches(board):
    """Whether three equal gems stand in a row or column."""
    lines = [*board, *("".join(column) for column in zip(*board))]
    return any(gem * 3 in line for line in lines for gem in "abcd")


def swaps():
    """Pairs of cells: each with the one below, then each with the one to the right."""
    cells = [(row, column) for row in range(10) for column in range(8)]
    below = [((row, column), (row + 1, column)) for row, column in cells if row < 9]
    return below, [((row, column), (row, column + 1)) for row, column in cells if column < 7]


def plane(x, y, colour, filled, size=6):
    """A plane of numbers of the board: cells that are 1 are filled."""
    width, height = 8 * size, 10 * size
    parts = [f'<g class="{colour}" transform="translate({x:g} {y:g})">']
    parts.append(f'<rect class="page" width="{width}" height="{height}"/>')
    parts.append(f'<rect width="{width}" height="{height}" fill="currentColor" fill-opacity=".08" stroke="currentColor"/>')
    cells = "".join(f"M{column * size} {row * size}h{size}v{size}h-{size}z" for row, column in filled)
    return [*parts, f'<path d="{cells}" fill="currentColor"/></g>']


def arrow(left, right, y):
    return f'<path class="soft" d="M{left} {y}H{right}m-7 -5l7 5l-7 5" fill="none" stroke="currentColor" stroke-width="2"/>'


def words(x, y, *lines):
    """Lines of words around x: what it is, then how."""
    what, *how = lines
    small = (text(x, y + 17 * number, line, "soft", 12, "middle") for number, line in enumerate(how, 1))
    return [text(x, y, what, "", 13, "middle"), *small]


def tower(x, y, layers, label, colour, pitch=26):
    """Convolutions one after the other."""
    parts = [f'<g class="{colour}" font-size="12" text-anchor="middle">']
    for at in range(x, x + pitch * layers, pitch):
        rectangle = f'<rect x="{at}" y="{y}" width="{pitch - 8}" height="110" rx="4"'
        parts.append(f'{rectangle} fill="currentColor" fill-opacity=".18" stroke="currentColor"/>')
        if label:
            parts.append(f'<text x="{at + 13}" y="{y + 55}" transform="rotate(-90 {at + 13} {y + 55})">{label}</text>')
    return [*parts, "</g>"]


def draw_network():
    """What the agents dqn-plain and dqn compute, on the board of seed 0."""
    (plain, _), (dqn, config) = inside("dqn-plain"), inside("dqn")
    model = {name: shape for name, shape in dqn.items() if name.startswith("dynamics.")}
    layers, channels = layers_of(plain), plain["stem.weight"][0]
    follow = re.search(r"dynamics_waves = (\d+)", config)[1]
    below, right = swaps()
    matching = [swap for swap in [*below, *right] if matches(swapped(BOARD, *swap))]
    everything = len(below) + len(right)

    parts = [definitions()]
    planes_of = lambda board: [[(y, x) for y in range(10) for x in range(8) if board[y][x] == token] for token in TOKENS]

    def convolutions(x, y):
        """Each colour in turn through the network, to the head."""
        drawn = []
        for number, colour in enumerate(COLOURS[:4]):
            at = y + 6 + 33 * number
            drawn += [f'<g class="{colour}">', f'<rect x="{x}" y="{at}" width="30" height="22" rx="4" fill="currentColor"/>']
            drawn.append(f'<path d="M{x + 36} {at + 11}h18" stroke="currentColor" stroke-width="2"/></g>')
            drawn.append(f'<text class="on" x="{x + 15}" y="{at + 15}" font-size="12" text-anchor="middle">{TOKENS[number]}</text>')
        drawn += tower(x + 62, y + 12, layers, "3 × 3", "a")
        return [*drawn, arrow(x + 222, x + 244, y + 68), *tower(x + 254, y + 12, 2, "1 × 1", "f")]

    # The plain agent.
    top = 88
    parts.append(text(24, 36, f"dqn-plain: the board once, and out come the values of all {everything} swaps", "bold", 17))
    parts.append(text(24, 58, f"{size(plain):,} parameters", "soft"))
    parts += card(34, top, 0.34, BOARD)
    parts += words(88, top + 165, "the board", "10 rows, 8 columns")
    parts.append(arrow(154, 178, top + 68))
    for number, (colour, filled) in enumerate(zip(COLOURS, planes_of(BOARD))):
        parts += plane(190 + 12 * number, top + 8 + 12 * number, colour, filled)
    parts += plane(190 + 60, top + 68, "f", [])
    parts += words(245, top + 165, "6 planes", "1 where there is a gem", "a, b, c, d, an obstacle;", "moves left / 25")
    parts.append(arrow(312, 336, top + 68))
    parts += convolutions(350, top)
    parts += words(362, top + 165, "a colour", "its gems,", "all others,", "obstacles,", "moves left")
    same = f"{channels} channels, ReLU; the", "same weights for each", "colour; colours also", "see their mean"
    parts += words(492, top + 165, f"{layers} convolutions", *same)
    parts += words(627, top + 165, "head", "of the mean", "of colours")
    parts.append(arrow(664, 688, top + 68))
    for left, some, way in [(700, below, "below"), (764, right, "right")]:
        parts += plane(left, top + 22, "c", [one for one, other in some if (one, other) in matching], 7)
        parts.append(text(left + 28, top + 112, way, "soft", 12, "middle"))
    of = "of a cell's swap with the one", "below, or to the right; by the", f"mask {len(matching)} swaps match"
    parts += words(760, top + 165, f"{everything} values", *of)
    parts.append(arrow(832, 856, top + 68))
    parts += card(872, top, 0.34, BOARD, PLAYED["dqn-plain"])
    parts += words(926, top + 165, "the highest", "of those that match", "is played")

    # The agent that predicts what a swap leads to.
    top = 424
    parts.append(f'<path class="grid" d="M24 344H{WIDTH - 24}"/>')
    parts.append(text(24, 380, "dqn: a board for each swap that matches, and a learned model of what follows", "bold", 17))
    parts.append(text(24, 402, f"{size(dqn):,} parameters, of which the model has {size(model):,}", "soft"))
    parts += card(34, top, 0.34, BOARD, *matching)
    parts += words(88, top + 165, f"{len(matching)} swaps match", "the mask: the only", "rule that is given")
    parts.append(arrow(154, 178, top + 68))
    for number, swap in enumerate([matching[0], matching[-1], PLAYED["dqn"]]):
        parts += card(190 + 12 * number, top + 2 + 12 * number, 0.27, swapped(BOARD, *swap), swap)
    parts += words(245, top + 165, f"{len(matching)} boards", "each after a swap,", "before anything", "clears, in planes")
    parts.append(arrow(312, 336, top + 68))
    parts += tower(350, top + 12, layers_of(model), "3 × 3", "c")
    loop = f"M466 {top + 8}c0 -20 -104 -20 -104 -2m-6 -7l6 7l8 -4"
    parts.append(f'<path class="c" d="{loop}" fill="none" stroke="currentColor" stroke-width="2"/>')
    learned = "learned: what clears,", "falls, and scores; used", "until nothing changes,", f"at most {follow} times"
    parts += words(412, top + 165, "model of a wave", *learned)
    parts.append(arrow(484, 508, top + 68))
    for number, colour in enumerate(COLOURS):
        parts += plane(520 + 10 * number, top + 10 + 10 * number, colour, [])
    parts += words(565, top + 165, "predicted board", "and points,", "of each swap")
    parts.append(arrow(622, 646, top + 68))
    deep = layers_of({name: array for name, array in dqn.items() if not name.startswith("dynamics.")})
    parts += tower(660, top + 12, deep, "", "a", 17)
    parts += tower(660 + 17 * deep + 8, top + 12, 2, "", "f", 17)
    parts += words(732, top + 165, "network as above,", f"{deep} convolutions;", "the sum over the", "board is its value")
    parts.append(arrow(818, 842, top + 68))
    parts += card(872, top, 0.34, BOARD, PLAYED["dqn"])
    parts += words(926, top + 165, "the highest sum", "of predicted points", "and value is played")
    return page(WIDTH, 680, "The networks of the agents dqn-plain and dqn", parts)


def write(path, content):
    """Writes a file that is whole or not there."""
    side = path.with_name(path.name + ".partial")
    side.write_text(content, encoding="utf-8")
    side.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", help="a matchq that was built before; without it, cargo builds it")
    parser.add_argument("what", nargs="*", choices=[[], "games", "board", "network"], help="pictures to draw (all)")
    arguments = parser.parse_args()
    what = arguments.what or ["games", "board", "network"]
    if "games" in what:
        program = [str(pathlib.Path(arguments.program).resolve())] if arguments.program else ["cargo", "run", "--release", "--quiet", "--"]
        draw_games(program)
    if "board" in what:
        draw_board()
    if "network" in what:
        write(DOCS / "network.svg", draw_network())


if __name__ == "__main__":
    main()
