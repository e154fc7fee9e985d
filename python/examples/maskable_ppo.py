"""sb3-contrib's MaskablePPO learns match-3 on matchq's vector environment.

    pip install sb3-contrib "./python[gymnasium]"
    python python/examples/maskable_ppo.py

The policy is offered the moves that match at once, and learns from rewards of a tenth of a point. Afterwards it plays the
games of seeds 0 to N - 1, as ``matchq eval`` does, beside random matching moves.
"""

import argparse
import time

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

import matchq  # Registers the environment.


class Match3VecEnv(VecEnv):
    """matchq's vector environment as Stable-Baselines3 wants it: a reset in the same step, an info for each game."""

    def __init__(self, games, seed=None, reward_scale=0.1):
        self.games = gymnasium.make_vec("matchq/Match3-v0", games, autoreset_mode="SameStep")
        self.reward_scale = reward_scale
        super().__init__(games, self.games.single_observation_space, self.games.single_action_space)
        self.seed(seed)

    def reset(self):
        # The first reset takes the seed; later ones continue the sequence of games.
        seed, self.first_seed = self.first_seed, None
        observation, _ = self.games.reset(seed=seed)
        return observation

    def step_async(self, actions):
        self.actions = actions

    def step_wait(self):
        observation, rewards, over, _, info = self.games.step(self.actions)
        infos = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(over):
            infos[game] = {
                "terminal_observation": info["final_obs"][game],
                # Stable-Baselines3 logs the mean of these as rollout/ep_rew_mean.
                "episode": {"r": float(info["final_info"]["score"][game]), "l": 25, "t": 0.0},
                "TimeLimit.truncated": False,
            }
        return observation, (rewards * self.reward_scale).astype(np.float32), over, infos

    def seed(self, seed=None):
        self.first_seed = seed
        return [None if seed is None else seed + game for game in range(self.num_envs)]

    def env_method(self, method_name, *args, indices=None, **kwargs):
        if method_name != "action_masks":
            raise AttributeError(f"the games have no method {method_name}")
        return list(self.games.action_masks()[self._get_indices(indices)])

    def get_attr(self, attr_name, indices=None):
        return [getattr(self.games, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name, value, indices=None):
        raise AttributeError(f"the games have no attribute {attr_name} to set")

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * len(list(self._get_indices(indices)))

    def close(self):
        self.games.close()


def scores(choose, games):
    """Scores of the games of seeds 0 to games - 1, all played side by side."""
    environment = gymnasium.make_vec("matchq/Match3-v0", games, autoreset_mode="SameStep")
    observation, _ = environment.reset(seed=0)
    for _ in range(25):
        observation, _, _, _, info = environment.step(choose(observation, environment.action_masks()))
    return info["final_info"]["score"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200_000, help="moves to learn from [default: 200000]")
    parser.add_argument("--envs", type=int, default=64, help="games that step together [default: 64]")
    parser.add_argument("--games", type=int, default=1_000, help="games to play afterwards [default: 1000]")
    parser.add_argument("--seed", type=int, default=1_000_000, help="of the training [default: 1000000]")
    arguments = parser.parse_args()

    model = MaskablePPO(
        "MultiInputPolicy",
        Match3VecEnv(arguments.envs),
        n_steps=50,
        batch_size=400,
        n_epochs=4,
        gamma=0.5,
        gae_lambda=0.9,
        learning_rate=1e-3,
        policy_kwargs={"net_arch": [256, 256]},
        seed=arguments.seed,
        device="cpu",
        verbose=1,
    )
    begin = time.perf_counter()
    model.learn(arguments.steps, log_interval=20)
    seconds = time.perf_counter() - begin

    chance = np.random.default_rng(0)
    random = scores(lambda _, masks: (chance.random(masks.shape) * masks).argmax(axis=1), arguments.games)
    learned = scores(
        lambda observation, masks: model.predict(observation, action_masks=masks, deterministic=True)[0], arguments.games
    )
    print(f"{model.num_timesteps} moves in {seconds:.0f} s, {model.num_timesteps / seconds:.0f} a second")
    for name, found in (("random matching moves", random), ("MaskablePPO", learned)):
        half = 1.96 * found.std(ddof=1) / np.sqrt(len(found))
        print(f"{name}: {found.mean():.1f} ± {half:.1f} points (95 %, {len(found)} games)")


if __name__ == "__main__":
    main()
