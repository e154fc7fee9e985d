"""A game in TorchRL, by random moves that match.

    pip install torchrl "./python[gymnasium]"
    python python/examples/torchrl_rollout.py
"""

import gymnasium
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv

from matchq.envs import MaskInObservation

env = TransformedEnv(GymWrapper(MaskInObservation(gymnasium.make("matchq/Match3-v0"))), ActionMask())
game = env.rollout(25)
print(f"{len(game)} moves, {game['next', 'reward'].sum():.0f} points")
