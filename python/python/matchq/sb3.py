"""Games for Stable-Baselines3: ``MaskablePPO("MultiInputPolicy", VecEnv(64))``, ``DQN("MultiInputPolicy", VecEnv(64))``.

The module needs Stable-Baselines3: ``pip install sb3-contrib``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv as _VecEnv

from matchq.envs import GameVectorEnv

__all__ = ["VecEnv"]


class VecEnv(_VecEnv):  # type: ignore[misc, unused-ignore]
    """Games that step together in Rust, as Stable-Baselines3 wants them.

    A game that ends is followed by the next one in the same step. sb3-contrib's MaskablePPO finds
    the masks by itself. An info has what SB3's logs need: the score and length of a game that ended.

    Args:
        num_envs: games.
        seed: seed of the first game; game i and its followers are those of seed + i. None is random.
        reward_scale: factor of the rewards, which are points.
        game, rules, mask, render_mode, max_episode_steps: as of ``matchq.envs.GameVectorEnv``.
    """

    def __init__(
        self,
        num_envs: int = 64,
        *,
        seed: int | None = None,
        reward_scale: float = 1.0,
        game: str = "match3",
        **given: Any,
    ) -> None:
        self.games = GameVectorEnv(num_envs, game=game, autoreset_mode="SameStep", **given)
        self.reward_scale = reward_scale
        self.lengths = np.zeros(num_envs, np.int64)
        self.begin = time.monotonic()
        self.first_seed = seed
        super().__init__(num_envs, self.games.single_observation_space, self.games.single_action_space)
        self.render_mode = self.games.render_mode

    def reset(self) -> Any:
        """The first reset takes the seed; later ones continue the sequence of games."""
        seed, self.first_seed = self.first_seed, None
        self.lengths[:] = 0
        observation, _ = self.games.reset(seed=seed)
        return observation

    def step_async(self, actions: Any) -> None:
        """Keeps the actions of the next step."""
        self.actions = np.asarray(actions)

    def step_wait(self) -> Any:
        """Plays the actions."""
        observation, rewards, over, cut, info = self.games.step(self.actions)
        self.lengths += 1
        done = over | cut
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for place in np.flatnonzero(done):
            infos[place] = {
                "terminal_observation": info["final_obs"][place],
                "TimeLimit.truncated": bool(cut[place] and not over[place]),
                "episode": {
                    "r": float(info["final_info"]["score"][place]),
                    "l": int(self.lengths[place]),
                    "t": round(time.monotonic() - self.begin, 3),
                },
            }
        self.lengths[done] = 0
        return observation, (rewards * self.reward_scale).astype(np.float32), done, infos

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds of the games after the next reset."""
        self.first_seed = seed
        return [None if seed is None else seed + place for place in range(self.num_envs)]

    def close(self) -> None:
        """Ends the games."""
        self.games.close()

    def action_masks(self) -> Any:
        """Actions offered in each position: truth values of shape (num_envs, actions)."""
        return self.games.action_masks()

    def get_images(self) -> Sequence[Any]:
        """The boards as pictures, with ``render_mode="rgb_array"``."""
        return self.games.render() or []

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        """Masks for sb3-contrib; games have no other method of their own."""
        if method_name != "action_masks":
            raise AttributeError(f"the games have no method {method_name} of their own, only action_masks")
        return list(self.action_masks()[list(self._get_indices(indices))])

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the vector environment, once for each game."""
        value = self.action_masks if attr_name == "action_masks" else getattr(self.games, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: the games share their attributes."""
        raise AttributeError(f"{attr_name} cannot be set: give it to VecEnv")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False for each game."""
        return [False for _ in self._get_indices(indices)]

    def _get_indices(self, indices: None | int | Iterable[int]) -> Iterable[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else indices
