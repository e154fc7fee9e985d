"""Ctrl-C, or a notebook's stop button, during any call that computes for long."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of Unix")

CODE = """
import os, signal, sys, threading, time
import gymnasium, numpy as np, matchq

board = matchq.GameLogic(1).board()
bilge = "\\n".join("".join("abcdefg"[(2 * row + column + column // 3) % 7] for column in range(6)) for row in range(12))
agent = matchq.Agent.load()
before = agent.act(board), agent.q_values(board).tolist()
player = {player}
for _ in range(2):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        {call}
        sys.exit("the call has ended by itself")
    except KeyboardInterrupt:
        pass
# No thread computes any more.
spent = time.process_time()
time.sleep(0.5)
print(time.process_time() - spent < 0.2, (agent.act(board), agent.q_values(board).tolist()) == before)
"""

# A player, and a call that takes more than a minute on two threads.
CALLS = [
    ("matchq.Player('rollout:ms=60000')", "player.act(board)"),
    ("matchq.Player('rollout:sims=10000000:depth=40')", "player.rank(board)"),
    ("matchq.Player('best:ms=60000')", "player.ai_callback(board, 0, 25)"),
    ("matchq.Player('best:ms=100')", "player.act([board] * 2000)"),
    ("matchq.Player('best:sims=2000')", "player.act([board] * 20000)"),
    ("matchq.Player('exhaustive:depth=3')", "player.act([board] * 20000)"),
    ("matchq.Player('plan:depth=6')", "player.act([board] * 200000)"),
    ("matchq.Player('match3-fitted:depth=2:outcomes=1000')", "player.act([board] * 2000)"),
    ("matchq.Player('best:ms=60000', game='bilging')", "player.act(bilge)"),
    ("matchq.Agent.load(search=60000)", "player.act(board)"),
    ("agent", "player.act([board] * 200000)"),
    ("agent", "player.q_values([board] * 20000)"),
    (
        "gymnasium.make_vec('matchq/Match3-v0', num_envs=2000).reset(seed=1)[0]",
        "matchq.Player('rollout:ms=50').act(player)",
    ),
    ("matchq.replay('tetris-shapes', moves=3000)", "player.gif()"),
    ("'rollout:ms=60000'", "matchq.evaluate(player, seeds=2)"),
    ("'best:sims=10000'", "matchq.evaluate(player, seeds=1000)"),
    ("'exhaustive:depth=3'", "matchq.evaluate(player, game='bilging', seeds=10000)"),
    ("'random'", "matchq.evaluate(player, seeds=2000, luck=10000)"),
    ("'linear:weights=dt-10'", "matchq.evaluate(player, game='tetris', rules={'rows': 10}, seeds=1, luck=100000)"),
    (
        "matchq.Player('rollout:ms=60000')",
        "matchq.compare({'mine': lambda seen, masks: player.act(seen)}, games=3)",
    ),
]


@pytest.mark.parametrize("player, call", CALLS, ids=[f"{call} by {player}" for player, call in CALLS])
def test_ctrl_c_ends_a_call_and_leaves_players_as_they_were(player, call):
    check(player, call)


def test_ctrl_c_ends_a_call_that_waits_for_another_threads_turn():
    # The other thread's turn ends by itself, as signals reach the main thread alone.
    busy = "matchq.Player('rollout:ms=5000'); thread = threading.Thread(target=player.act, args=(board,)); thread.start()"
    check(busy, "player.act(board) if thread.is_alive() else time.sleep(60)", "thread.join()")


def check(player, call, last=""):
    code = CODE.format(player=player, call=call).replace("# No thread", f"{last}\n# No thread")
    environment = {**os.environ, "RAYON_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("True True\n", "", 0)
