"""The weights of a trained agent in NumPy: its file is a safetensors file, which any framework reads.

    pip install numpy safetensors        (Python 3.11 or newer)
    python python/examples/read_agent.py [AGENT] [--board FILE] [--moves-left N] [--top N]

AGENT is the file of a one-pass agent of match-3, such as that of checkpoints/dqn-plain (the default): a position goes in, a
value for each of the 142 moves comes out. The forward pass is written out below and gives what ``matchq advise --player
network:checkpoint=AGENT`` says of the same board.

Boards are [channels, rows, columns] here; the network sees each colour in turn, so most arrays have the four colours in front.
Convolutions have weights [channels out, channels in, size, size] and keep the board's size by a border of zeros.
"""

import argparse
import tomllib
from pathlib import Path

import numpy as np
from safetensors import safe_open

ROWS, COLUMNS, COLOURS, MOVES = 10, 8, 4, 25
AGENT = Path(__file__).parents[2] / "checkpoints" / "dqn-plain" / "best.safetensors"
BOARD = "dda#cbdc\ndc#c#dcb\na#cc#bbc\na#ab###a\ncdc##d#d\nd#c##ba#\nd####adc\nb#cacb#b\nbb#d#ac#\ndac#c#a#"


def load(path):
    """The configuration of an agent, as a table, and its weights by name."""
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata() or {}
        weights = {name: file.get_tensor(name) for name in file.keys()}
    found = {key: metadata.get(key) for key in ("format", "version", "game", "kind")}
    expected = {"format": "matchq-agent", "version": "2", "game": "match3", "kind": "network"}
    if found != expected:
        raise ValueError(f"{path} is not a network of match-3 as matchq writes it: {found}")
    config = tomllib.loads(metadata["config"])
    network = config["network"]
    if network["input"] != "position" or network["dueling"] or not network["share_colours"]:
        raise ValueError(f"{path} is an agent of another kind: this example computes one-pass agents that share colours")
    return config, weights


def encode(board, moves_left):
    """What the network sees of a position, [4, 4, rows, columns].

    For each colour: its own plane, the sum of the other colours', the obstacles, and everywhere the moves left over 25."""
    cells = np.array([list(row) for row in board.split("\n")])
    if cells.shape != (ROWS, COLUMNS):
        raise ValueError(f"a board has {ROWS} rows of {COLUMNS} tokens")
    own = np.stack([cells == colour for colour in "abcd"]).astype(np.float32)
    others = own.sum(axis=0) - own
    obstacles = (cells == "#").astype(np.float32)
    left = np.full((ROWS, COLUMNS), moves_left / MOVES, np.float32)
    shared = np.broadcast_to(np.stack([obstacles, left]), (COLOURS, 2, ROWS, COLUMNS))
    return np.concatenate([own[:, None], others[:, None], shared], axis=1)


def convolve(weights, name, x):
    """A convolution by its name, of x [..., channels in, rows, columns]."""
    weight, bias = weights[name + ".weight"], weights[name + ".bias"]
    size, (rows, columns) = weight.shape[-1], x.shape[-2:]
    border = size // 2
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(border, border)] * 2)
    sums = bias[:, None, None]
    for row in range(size):
        for column in range(size):
            window = padded[..., row : row + rows, column : column + columns]
            sums = sums + np.einsum("oi,...irc->...orc", weight[:, :, row, column], window)
    return sums


def relu(x):
    return np.maximum(x, 0)


def values(config, weights, board, moves_left):
    """The value of every move in points, [142], in the order of moves()."""
    x = relu(convolve(weights, "stem", encode(board, moves_left)))
    layers = config["network"]["layers"] - 1
    for layer in range(layers):
        # Every colour also sees the mean over the colours, and half-way up the mean of that over
        # the board.
        mean = x.mean(axis=0)
        y = convolve(weights, f"body.{layer}", x) + convolve(weights, f"exchange.{layer}", mean)
        if layer == layers // 2:
            y = y + convolve(weights, "summary", mean.mean(axis=(1, 2), keepdims=True))
        x = x + relu(y)
    hidden = relu(convolve(weights, "hidden", x.mean(axis=0)))
    # A plane of vertical swaps and one of horizontal ones, each read off at the swap's upper or left cell.
    vertical, horizontal = convolve(weights, "advantage", hidden)
    read_off = np.concatenate([vertical[: ROWS - 1].ravel(), horizontal[:, : COLUMNS - 1].ravel()])
    return config["points"] * read_off


def moves():
    """Every move (x, y, vertical): a swap of the token at column x and row y with the one below, or to the right."""
    vertical = [(x, y, True) for y in range(ROWS - 1) for x in range(COLUMNS)]
    return vertical + [(x, y, False) for y in range(ROWS) for x in range(COLUMNS - 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("agent", nargs="?", type=Path, default=AGENT)
    parser.add_argument("--board", type=Path, help="ten lines of eight of a b c d #")
    parser.add_argument("--moves-left", type=int, default=MOVES)
    parser.add_argument("--top", type=int, default=10)
    arguments = parser.parse_args()
    board = arguments.board.read_text().strip() if arguments.board else BOARD
    config, weights = load(arguments.agent)
    ranked = sorted(zip(values(config, weights, board, arguments.moves_left), moves()), reverse=True)
    # The network learned from moves that match: its values of others mean little.
    print(f"{board}\n\nthe highest values, in points:")
    for value, (x, y, vertical) in ranked[: arguments.top]:
        print(f"({x}, {y})-{(x, y + 1) if vertical else (x + 1, y)}  {value:8.1f}")


if __name__ == "__main__":
    main()
