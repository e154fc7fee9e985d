"""DQN in PyTorch in one file: a training by configs/dqn-transitions.toml, to be read beside crates/learners/src/dqn/round.rs.

    pip install torch "./python[gymnasium]"
    python python/examples/dqn.py --seed 1
    matchq train --config dqn-transitions --set network.layers=6 --set training.steps=640_000 \\
        --set evaluation.every=64_000 --set evaluation.games=200
    matchq plot runs/torch-1 runs/dqn-transitions

The file has the settings of this command, the program's network and its optimizer, and draws other random numbers. The run's
folder has the program's logs, so that `matchq plot` and the page of `matchq serve` show it.
"""

import argparse
import csv
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F

import matchq
from matchq.envs import GameVectorEnv

GAMES, STEPS, WARMUP = 64, 640_000, 6_400
EPSILON, EPSILON_STEPS = (1.0, 0.1), 6_400
MEMORY, BATCH, DISCOUNT, REWARD_SCALE = 16_000, 256, 0.9, 0.1
LEARNING_RATE, MAX_GRADIENT_NORM = (1e-2, 1e-4), 10.0
TARGET_EVERY, EVALUATE_EVERY = 500, 64_000
CHANNELS, LAYERS = 16, 6
COLOURS, ROWS, COLUMNS, MOVES = 4, 10, 8, 25

# The two cells of each swap: (row, column) from the top left.
SWAPS = [matchq.cells_of_move(matchq.move_of_action(action)) for action in range(142)]
# A swap's place in the output: plane 0 has vertical swaps at their upper cells, plane 1 horizontal ones at their left cells.
PLACES = torch.tensor([(ROWS * (y == below) + y) * COLUMNS + x for (y, x), (below, _) in SWAPS])
# The swap of the same cells on the board seen in a mirror.
_action_of = {frozenset(cells): action for action, cells in enumerate(SWAPS)}
MIRRORED = np.array([_action_of[frozenset((y, COLUMNS - 1 - x) for y, x in cells)] for cells in SWAPS])


class Convolution(torch.nn.Module):
    """A convolution with padding; its weight is a matrix, as Muon needs it, with weights as in He et al. 2015."""

    def __init__(self, inputs, outputs, size, gain):
        super().__init__()
        bound = gain * (3 / (inputs * size * size)) ** 0.5
        self.shape = (outputs, inputs, size, size)
        self.weight = torch.nn.Parameter(torch.empty(outputs, inputs * size * size).uniform_(-bound, bound))
        self.bias = torch.nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return F.conv2d(x, self.weight.view(self.shape), self.bias, padding=self.shape[-1] // 2)


class QNetwork(torch.nn.Module):
    """Values of all 142 swaps. Each colour is seen by the same weights; layers exchange the mean over the colours."""

    def __init__(self):
        super().__init__()
        relu, body = 2**0.5, range(LAYERS - 1)
        self.stem = Convolution(4, CHANNELS, 3, relu)
        self.body = torch.nn.ModuleList(Convolution(CHANNELS, CHANNELS, 3, 1.0) for _ in body)
        self.exchange = torch.nn.ModuleList(Convolution(CHANNELS, CHANNELS, 1, 1.0) for _ in body)
        self.summary = Convolution(CHANNELS, CHANNELS, 1, 1.0)
        self.hidden = Convolution(CHANNELS, CHANNELS, 1, relu)
        self.values = Convolution(CHANNELS, 2, 1, 0.1)

    def forward(self, boards, moves_left):
        """Values [batch, 142] of boards, uint8 [batch, 5, 10, 8], and moves_left [batch, 1]."""
        batch = len(boards)
        boards = boards.float()
        own = boards[:, :COLOURS]
        others = own.sum(1, keepdim=True) - own
        shared = torch.cat([boards[:, COLOURS:], moves_left[:, :, None, None].expand(-1, 1, ROWS, COLUMNS)], 1)
        planes = [own[:, :, None], others[:, :, None], shared[:, None].expand(-1, COLOURS, -1, -1, -1)]
        x = F.relu(self.stem(torch.cat(planes, 2).flatten(0, 1)))
        for index, (layer, exchange) in enumerate(zip(self.body, self.exchange)):
            mean = self.mean_of_colours(x, batch)
            told = exchange(mean)
            if index == len(self.body) // 2:
                told = told + self.summary(mean.mean((2, 3), keepdim=True))
            y = layer(x).unflatten(0, (batch, COLOURS)) + told[:, None]
            x = x + F.relu(y.flatten(0, 1))
        planes = self.values(F.relu(self.hidden(self.mean_of_colours(x, batch))))
        return planes.flatten(1)[:, PLACES]

    @staticmethod
    def mean_of_colours(x, batch):
        return x.unflatten(0, (batch, COLOURS)).mean(1)


class Memory:
    """The last transitions: position, action, reward, next position and its mask, whether the game goes on."""

    def __init__(self):
        board, moves = ((COLOURS + 1, ROWS, COLUMNS), np.uint8), ((1,), np.float32)
        kinds = {"board": board, "moves_left": moves, "next_board": board, "next_moves_left": moves}
        kinds |= {"action": ((), np.int64), "reward": ((), np.float32), "mask": ((142,), bool), "goes_on": ((), np.float32)}
        self.arrays = {name: np.zeros((MEMORY, *shape), kind) for name, (shape, kind) in kinds.items()}
        self.pushed = 0

    def push(self, **rows):
        places = (self.pushed + np.arange(GAMES)) % MEMORY
        for name, array in self.arrays.items():
            array[places] = rows[name]
        self.pushed += GAMES

    def sample(self, random):
        places = random.integers(0, min(self.pushed, MEMORY), BATCH)
        return {name: array[places] for name, array in self.arrays.items()}


class Baselines:
    """Running means of next states' values by the moves left: what an average future brings need not be learned."""

    def __init__(self):
        self.count, self.mean = np.zeros(MOVES + 1), np.zeros(MOVES + 1, np.float32)

    def subtract_from(self, targets, added, moves_left, goes_on):
        kinds = np.rint(moves_left[:, 0] * MOVES).astype(int)
        for kind, value in zip(kinds[goes_on], added[goes_on]):
            self.count[kind] += 1
            self.mean[kind] += max(1 / self.count[kind], 1e-3) * (value - self.mean[kind])
        return np.where(goes_on, targets - self.mean[kinds], targets)


@torch.no_grad()
def values_of(network, observation, masks):
    """Values of the offered actions, -inf elsewhere."""
    values = network(torch.as_tensor(observation["board"]), torch.as_tensor(observation["moves_left"]))
    return values.masked_fill(~torch.as_tensor(masks), -torch.inf)


def player(network):
    """The greedy policy of a network, for matchq.evaluate."""
    return lambda observation, masks: values_of(network, observation, masks).argmax(1).numpy()


def between(ends, share):
    return ends[0] + (ends[1] - ends[0]) * min(share, 1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="of every random number [default: 1]")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"moves in all games together [default: {STEPS}]")
    parser.add_argument("--name", help="the run's folder in runs/ [default: torch-SEED]")
    parser.add_argument("--games", type=int, default=1000, help="games from seed 2000000 to play afterwards [default: 1000]")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch [default: 1]")
    arguments = parser.parse_args()
    if arguments.steps < WARMUP:
        parser.error(f"--steps {arguments.steps}: nothing is learned before step {WARMUP}")
    torch.set_num_threads(arguments.threads)
    folder = pathlib.Path("runs") / (arguments.name or f"torch-{arguments.seed}")
    if folder.exists():
        parser.error(f"{folder} exists already: --name gives the run another folder")
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f'learner = "torch"\nseed = {arguments.seed}\ngame.name = "match3"\ntraining.steps = {arguments.steps}\n'
    )
    log = csv.writer(open(folder / "evaluations.csv", "w", newline="", buffering=1), lineterminator="\n")
    log.writerow(["step", "updates", "seconds", "mean", "half_width", "luck_adjusted", "luck_adjusted_half_width", "best"])

    torch.manual_seed(arguments.seed)
    random = np.random.default_rng(arguments.seed)
    online, target = QNetwork(), QNetwork()
    target.load_state_dict(online.state_dict())
    # Muon for the convolutions, Adam for biases and the head.
    matrices = [parameter for parameter in online.parameters() if parameter.ndim == 2 and len(parameter) >= 8]
    others = [parameter for parameter in online.parameters() if all(parameter is not matrix for matrix in matrices)]
    optimizers = [torch.optim.Muon(matrices, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"), torch.optim.Adam(others)]

    # A game that ends is followed by a new one in the same step.
    games = GameVectorEnv(GAMES, autoreset_mode="SameStep", mask="matching")
    memory, baselines = Memory(), Baselines()
    observation, info = games.reset(seed=arguments.seed << 32)
    masks, updates, best, begin = games.action_masks(), 0, -np.inf, time.monotonic()
    for step in range(GAMES, arguments.steps + GAMES, GAMES):
        # Act epsilon-greedily by the target network.
        epsilon = 1.0 if step <= WARMUP else between(EPSILON, (step - GAMES) / EPSILON_STEPS)
        chosen = values_of(target, observation, masks).argmax(1).numpy()
        by_chance = np.array([random.choice(np.flatnonzero(mask)) for mask in masks])
        actions = np.where(random.random(GAMES) < epsilon, by_chance, chosen)
        following, rewards, over, _, info = games.step(actions)

        # Remember.
        next_masks = games.action_masks()
        memory.push(
            **observation,
            action=actions,
            reward=rewards * REWARD_SCALE,
            next_board=following["board"],
            next_moves_left=following["moves_left"],
            mask=next_masks,
            goes_on=~over,
        )
        observation, masks = following, next_masks

        # Learn: target = reward + discount * the target network's highest value in the next position, less its average.
        if step >= WARMUP:
            batch = memory.sample(random)
            following = {"board": batch["next_board"], "moves_left": batch["next_moves_left"]}
            highest = values_of(target, following, batch["mask"]).amax(1).numpy()
            added = DISCOUNT * highest * batch["goes_on"]
            targets = baselines.subtract_from(batch["reward"] + added, added, batch["next_moves_left"], batch["goes_on"] > 0)
            # Half of the boards are seen in a mirror. The order of the colours changes no value.
            mirror = random.random(BATCH) < 0.5
            boards = np.where(mirror[:, None, None, None], batch["board"][..., ::-1], batch["board"])
            played = np.where(mirror, MIRRORED[batch["action"]], batch["action"])
            values = online(torch.from_numpy(boards), torch.from_numpy(batch["moves_left"]))
            learned = values.gather(1, torch.from_numpy(played)[:, None])[:, 0]
            loss = 0.5 * F.mse_loss(learned, torch.from_numpy(targets.astype(np.float32)))
            for optimizer in optimizers:
                optimizer.zero_grad()
                for group in optimizer.param_groups:
                    group["lr"] = between(LEARNING_RATE, step / arguments.steps)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(online.parameters(), MAX_GRADIENT_NORM)
            for optimizer in optimizers:
                optimizer.step()
            updates += 1
            if updates % TARGET_EVERY == 0:
                target.load_state_dict(online.state_dict())

        # Evaluate: the same games each time, played greedily by the network that learns.
        if step % EVALUATE_EVERY == 0 or step >= arguments.steps:
            seconds = time.monotonic() - begin
            played = matchq.evaluate(player(online), seeds=range(1_000_000, 1_000_200), luck=20)
            adjusted = played["luck_adjusted"]
            best = max(best, adjusted["mean"])
            log.writerow(
                [step, updates, f"{seconds:.3f}", played["mean"], played["half_width"], adjusted["mean"], adjusted["half_width"], best]
            )
            print(f"step {step:,}, {seconds:.0f} s, loss {loss.item():.3f}: {adjusted['mean']:.1f} ± {adjusted['half_width']:.1f}")
            torch.save(online.state_dict(), folder / "network.pt")

    print(f"{arguments.games} games from seed 2,000,000, luck-adjusted (95 %):")
    players = {"dqn-plain": "dqn-plain", folder.name: player(online)}
    for one in matchq.compare(players, games=arguments.games, seed=2_000_000, luck=20)["players"]:
        print(f"{one['player']}: {one['luck_adjusted']['mean']:.1f} ± {one['luck_adjusted']['half_width']:.1f}")


if __name__ == "__main__":
    main()
