"""RLlib's PPO learns match-3 on matchq's vector environment.

    pip install torch "ray[rllib]" "./python[gymnasium]"
    python python/examples/rllib_ppo.py [ROUNDS]
"""

import sys

from gymnasium import VectorizeMode
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.env_to_module import FlattenObservations

import matchq  # noqa: F401, names the environment

config = PPOConfig().environment("matchq/Match3-v0").training(train_batch_size=1600, minibatch_size=400, gamma=0.5)
config.env_runners(
    num_env_runners=0,
    num_envs_per_env_runner=64,
    gym_env_vectorize_mode=VectorizeMode.VECTOR_ENTRY_POINT,
    env_to_module_connector=lambda env, spaces, device: FlattenObservations(),
)
algorithm = config.build_algo()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
    print(f"{algorithm.train()['env_runners']['episode_return_mean']:.0f} points a game")
