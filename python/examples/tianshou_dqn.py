"""Tianshou's DQN learns match-3, with masked values.

    pip install tianshou "./python[gymnasium]"
    python python/examples/tianshou_dqn.py [EPOCHS]
"""

import sys

import gymnasium
from gymnasium.wrappers import FlattenObservation
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from matchq.envs import MaskInObservation


class FlatNet(Net):
    """Values of the board's numbers; the policy itself takes the mask."""

    def forward(self, obs, state=None, info=None):
        return super().forward(obs.obs if hasattr(obs, "obs") else obs, state, info)


def env():
    return MaskInObservation(FlattenObservation(gymnasium.make("matchq/Match3-v0")), "obs", "mask")


net = FlatNet(state_shape=401, action_shape=142, hidden_sizes=[256, 256])
policy = DiscreteQLearningPolicy(model=net, action_space=env().action_space, eps_training=0.1)
dqn = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.5, target_update_freq=200)
games = Collector(dqn, DummyVectorEnv([env] * 16), VectorReplayBuffer(20_000, 16), exploration_noise=True)
games.reset()
games.collect(n_step=1_600, random=True)
dqn.run_training(
    OffPolicyTrainerParams(
        training_collector=games,
        max_epochs=int(sys.argv[1]) if len(sys.argv) > 1 else 5,
        epoch_num_steps=1_600,
        collection_step_num_env_steps=160,
        batch_size=256,
        update_step_num_gradient_steps_per_sample=0.05,
        verbose=False,
        show_progress=False,
    )
)
played = Collector(dqn, DummyVectorEnv([env] * 16)).collect(n_episode=100, reset_before_collect=True)
print(f"{played.returns_stat.mean:.0f} points a game")
