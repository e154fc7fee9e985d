"""sb3-contrib's MaskablePPO learns match-3 on matchq's vector environment.

    pip install sb3-contrib "./python[gymnasium]"
    python python/examples/maskable_ppo.py

The policy is offered the moves that match at once, and learns from rewards of a tenth of a point. Afterwards it plays the
games of seeds 0 to N - 1, as ``matchq eval`` does, beside random matching moves.
"""

import argparse
import time

from sb3_contrib import MaskablePPO

import matchq
from matchq.sb3 import VecEnv


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200_000, help="moves to learn from [default: 200000]")
    parser.add_argument("--envs", type=int, default=64, help="games that step together [default: 64]")
    parser.add_argument("--games", type=int, default=1_000, help="games to play afterwards [default: 1000]")
    parser.add_argument("--seed", type=int, default=1_000_000, help="of the training [default: 1000000]")
    arguments = parser.parse_args()

    model = MaskablePPO(
        "MultiInputPolicy",
        VecEnv(arguments.envs, reward_scale=0.1),
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

    def ppo(observation, masks):
        return model.predict(observation, action_masks=masks, deterministic=True)[0]

    compared = matchq.compare({"matching": "matching", "MaskablePPO": ppo}, games=arguments.games)
    print(f"{model.num_timesteps} moves in {seconds:.0f} s, {model.num_timesteps / seconds:.0f} a second")
    for player in compared["players"]:
        print(f"{player['player']}: {player['mean']:.1f} ± {player['half_width']:.1f} points (95 %, {player['games']} games)")


if __name__ == "__main__":
    main()
