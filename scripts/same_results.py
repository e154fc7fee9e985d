#!/usr/bin/env python3
"""Holds a program for another platform to this one's: the same scores and agents to the bit, networks within rounding.

    python3 scripts/same_results.py PROGRAM OTHER

PROGRAM and OTHER are commands, such as 'target/release/matchq' and 'qemu-aarch64 -L /usr/aarch64-linux-gnu PATH'. Both
play games of every game, train linear agents and value boards by the agents that ship. The first difference ends the work
with exit code 1.
"""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

# Players without a network by game, and games of each.
PLAYED = [
    ("match3", "random,greedy,cascade,plan,match3-fitted,rollout:sims=40", 12),
    ("bilging", "random,greedy,bilging-fitted", 2),
    ("tetris", "random,linear:weights=el-tetris,tetris-shapes", 1),
    ("bejeweled", "random,greedy,plan", 2),
    ("tile-match", "random,greedy,tile-match-fitted", 4),
    ("samegame", "random,greedy,beam:width=4,nrpa:level=1:iterations=20", 2),
]
# Trainings without a network: configuration, what makes it short.
TRAINED = [
    ("match3-fitted", []),
    ("tetris-cma", ["training.generations=3", "evaluation.games=2"]),
    ("tetris-lspi", ["training.policies=2", "evaluation.games=2"]),
    ("tile-match-fitted", ["training.sweeps=1", "evaluation.games=2"]),
]
# Agents with a network, and the part of a value that rounding may change.
VALUED = {
    "match3": ["dqn", "dqn-plain", "dqn-setups"],
    "bilging": ["bilging-dqn"],
    "bejeweled": ["bejeweled-dqn"],
    "tile-match": ["tile-match-dqn"],
}
ROUNDING = 1e-3
# What depends on the machine's speed.
TIMES = {"milliseconds_per_move", "seconds", "games_per_second"}


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in TIMES}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def run(program, *arguments, given=None):
    command = [*shlex.split(program), *map(str, arguments)]
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(command)} ends with {done.returncode}:\n{done.stderr}")
    return done.stdout


def same(what, one, other):
    if one != other:
        sys.exit(f"{what} differ:\n{str(one)[:2000]}\n{str(other)[:2000]}")
    print(f"{what}: the same")


def values(program, agent, game, board):
    told = json.loads(run(program, "advise", "--game", game, "--player", agent, "--json", given=board))
    return {json.dumps(move["move"]): move["value"] for move in told["moves"]}


def near(one, other):
    return one.keys() == other.keys() and all(abs(one[move] - other[move]) <= ROUNDING * (1 + abs(one[move])) for move in one)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    programs = sys.argv[1:]
    for game, players, games in PLAYED:
        asked = ["compare", "--game", game, "--players", players, "--games", games, "--threads", 1, "--json", "-"]
        # Luck takes long in games that hardly end, and is nothing without chance.
        asked += {"tetris": ["--rule", "rows=10"], "samegame": []}.get(game, ["--luck", 3])
        one, other = (without_times(json.loads(run(program, *asked))) for program in programs)
        same(f"games of {game}", one, other)
    with tempfile.TemporaryDirectory() as folder:
        for config, short in TRAINED:
            settings = [word for setting in short for word in ("--set", setting)]
            agents = []
            for number, program in enumerate(programs):
                runs = pathlib.Path(folder, str(number))
                run(program, "train", "--config", config, *settings, "--runs", runs, "--name", config, "--quiet", "--threads", 1)
                agents.append((runs / config / "last.safetensors").read_bytes())
            same(f"agents of {config}", *agents)
    for game, agents in VALUED.items():
        board = json.loads(run(programs[0], "replay", "--game", game, "--seed", 3, given="").splitlines()[0])["board"]
        for agent in agents:
            one, other = (values(program, agent, game, board) for program in programs)
            if not near(one, other):
                sys.exit(f"values of {agent} differ:\n{one}\n{other}")
            most = max(abs(one[move] - other[move]) for move in one)
            print(f"values of {agent}: the same within {most:.1e}")


if __name__ == "__main__":
    main()
