"""matchq's players in LMGame-Bench's Candy Crush, on the board of tile-match-gym itself.

    pip install tile-match-gym ./python
    python python/examples/lmgame_bench.py --player best:ms=10 --player cascade

The games are those of the benchmark: 8 x 8 tiles of four colours without specials, 50 moves, three runs of seeds 42, 43
and 44, a point for each tile removed. A player sees the eight lines of the board and the moves left, as the models do, never
the game's random numbers; its own come from the board that it sees. tile-match-gym 1.0.6 runs on Python 3.9 to 3.12.
"""

import argparse
import statistics

import matchq
from tile_match_gym.tile_match_env import TileMatchEnv

LETTERS = " GCPR"  # By the package's number of a colour.
MOVES = 50


def board_text(environment):
    """The rows of the board from the top, in the benchmark's letters."""
    return "\n".join("".join(LETTERS[tile] for tile in row) for row in environment.board.board[0])


def play(player, seed):
    """Score of the game of a seed."""
    environment = TileMatchEnv(8, 8, 4, MOVES, [], [], seed=seed, render_mode=None)
    environment.reset(seed=seed)
    # The package's action of two cells, upper or left one first.
    actions = {tuple(map(int, (*one, *other))): action for action, (one, other) in enumerate(environment.board.action_to_coords)}
    score, over = 0, False
    for moves_left in range(MOVES, 0, -1):
        move = player.act(board_text(environment), moves_left)
        _, tiles, over, _, _ = environment.step(actions[tuple(move)])
        score += tiles
    assert over, "50 moves end a game"
    return score


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--player", action="append", help="a player of tile-match, as matchq eval takes it [default: best:ms=10]")
    parser.add_argument("--seed", type=int, default=42, help="of the first game [default: 42]")
    parser.add_argument("--games", type=int, default=3, help="games, each of the next seed [default: 3]")
    arguments = parser.parse_args()

    for text in arguments.player or ["best:ms=10"]:
        player = matchq.Player(text, game="tile-match")
        scores = [play(player, arguments.seed + game) for game in range(arguments.games)]
        print(f"{text}: {', '.join(map(str, scores))}; mean {statistics.fmean(scores):.1f}", flush=True)


if __name__ == "__main__":
    main()
