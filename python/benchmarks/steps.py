"""Steps a second of the environments, and of a plain Python environment for comparison.

    python python/benchmarks/steps.py

Uniformly random moves of all 142; observations as ``matchq.envs`` gives them. Each figure is the range of several runs, new
games included, by the clock and by the processor time that it took, which other work on the machine disturbs less.
RAYON_NUM_THREADS=1 before it lets the vector environment step on one core, as everything else here does.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

import matchq
from matchq.envs import Match3Env, Match3VectorEnv

# The rules in plain Python, which the tests compare with the golden traces.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "kit"))
sys.dont_write_bytecode = True
import game  # noqa: E402


class PlainGame(game.GameLogic):
    """The game without boards' texts, which an environment does not need, and with a quick mask."""

    def board(self):
        return ""

    def _settle(self, boards):
        points = 0
        while runs := list(self._runs()):
            points += sum(min(len(run), 5) ** 2 - 1 for run in runs)
            self._clear({cell for run in runs for cell in run})
            while self._fall():
                pass
        return points

    def matches(self, x, y, vertical):
        """Whether a move matches at once: only lines through its two cells can have changed."""
        rows = self._rows
        other_x, other_y = (x, y + 1) if vertical else (x + 1, y)
        one, other = rows[y][x], rows[other_y][other_x]
        if one == other:
            return False
        rows[y][x], rows[other_y][other_x] = other, one
        found = (other < game.GEMS and self._in_run(x, y, other)) or (one < game.GEMS and self._in_run(other_x, other_y, one))
        rows[y][x], rows[other_y][other_x] = one, other
        return found

    def _in_run(self, x, y, kind):
        rows = self._rows
        for step_x, step_y in ((1, 0), (0, 1)):
            length = 1
            for sign in (1, -1):
                at_x, at_y = x + sign * step_x, y + sign * step_y
                while 0 <= at_x < game.WIDTH and 0 <= at_y < game.HEIGHT and rows[at_y][at_x] == kind:
                    length += 1
                    at_x, at_y = at_x + sign * step_x, at_y + sign * step_y
            if length >= 3:
                return True
        return False


MOVES = [matchq.move_of_action(action) for action in range(142)]


class PlainEnv:
    """An environment in plain Python and NumPy."""

    def __init__(self, masked):
        self.masked = masked

    def reset(self, seed):
        self.game = PlainGame(seed)
        return self._seen()

    def step(self, action):
        _, reward, over, _ = self.game.play(MOVES[action])
        observation, info = self._seen()
        return observation, float(reward), over, False, info

    def _seen(self):
        kinds = np.minimum(np.array(self.game._rows), game.GEMS)
        board = (kinds == np.arange(game.GEMS + 1)[:, None, None]).astype(np.uint8)
        observation = {"board": board, "moves_left": np.array([self.game.moves_left() / game.MOVES], np.float32)}
        info = {"score": self.game.score()}
        if self.masked:
            info["action_mask"] = np.array([self.game.matches(*move) for move in MOVES])
        return observation, info


def rates(steps, work):
    """Steps a second by the clock, and a second of processor time of all threads."""
    clock, processor = time.perf_counter(), time.process_time()
    work(steps)
    return steps / (time.perf_counter() - clock), steps / (time.process_time() - processor)


def single(environment, actions):
    def work(steps):
        environment.reset(seed=0)
        for number in range(steps):
            if environment.step(actions[number % len(actions)])[2]:
                environment.reset(seed=number)

    return work


def vector(environment, actions):
    def work(steps):
        environment.reset(seed=0)
        for number in range(steps // environment.num_envs):
            environment.step(actions[number % len(actions)])

    return work


def logic(make, actions):
    def work(steps):
        played = make(0)
        for number in range(steps):
            if played.is_gameover():
                played = make(number)
            played.play(MOVES[actions[number % len(actions)]])

    return work


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each [default: 5]")
    parser.add_argument("--games", type=int, default=4096, help="games of the vector environment [default: 4096]")
    arguments = parser.parse_args()
    chance = np.random.default_rng(0)
    one = chance.integers(0, 142, 1009).tolist()
    many = chance.integers(0, 142, (16, arguments.games))
    # Both must be the same environment.
    plain, ours = PlainEnv(masked=True), Match3Env()
    np.testing.assert_equal(plain.reset(seed=3), ours.reset(seed=3))
    for action in one[:25]:
        np.testing.assert_equal(plain.step(action), ours.step(action))

    measured = [
        ("plain Python, the game alone", logic(PlainGame, one), 5_000),
        ("plain Python, an environment without masks", single(PlainEnv(masked=False), one), 5_000),
        ("plain Python, an environment with masks of matching moves", single(PlainEnv(masked=True), one), 2_000),
        ("matchq.GameLogic, all texts", logic(matchq.GameLogic, one), 100_000),
        ("Match3Env, with masks of matching moves", single(Match3Env(), one), 50_000),
    ]
    for copy in (True, False):
        for mask in ("legal", "matching"):
            environment = Match3VectorEnv(arguments.games, mask=mask, autoreset_mode="SameStep", copy=copy)
            name = f"Match3VectorEnv, {arguments.games} games, mask={mask}, copy={copy}"
            measured.append((name, vector(environment, many), 2_000_000))
    print(f"threads of the vector environment: {os.environ.get('RAYON_NUM_THREADS', os.cpu_count())}")
    found = [[] for _ in measured]
    # Rounds alternate, so that other work on the machine meets all alike.
    for _ in range(arguments.runs):
        for (_, work, steps), runs in zip(measured, found):
            runs.append(rates(steps, work))
    print(f"{'steps a second':60}{'of the clock':>24}{'of processor time':>26}")
    for (name, _, _), runs in zip(measured, found):
        ranges = [f"{min(part):,.0f} to {max(part):,.0f}" for part in zip(*runs)]
        print(f"{name:60}{ranges[0]:>24}{ranges[1]:>26}")


if __name__ == "__main__":
    main()
