"""Gymnasium environments of every game: a single game, and many games that step together.

A step is a game's action (``matchq.action_of_move``); its reward is the points of the action. The
end of a game is ``terminated``; ``max_episode_steps`` truncates games, as in every environment of
Gymnasium. An observation is a dictionary of

- ``board``: the image of the position, uint8 of shape (planes, rows, columns), rows from the top;
- ``scalars``: whole-board facts from 0 to 1, float32; in match-3 ``moves_left``.

``gymnasium.wrappers.FlattenObservation`` makes the observation one vector. The info has ``score``,
the points so far, and ``action_mask``, int8, 1 for each action that is offered, by default those of
the game's default mask: ``action_space.sample(mask=info["action_mask"])`` is one of them.

Match-3 has 142 swaps, of which one without a match brings -5, and the 25th ends the game. Its board
has shape (5, 10, 8), planes of a, b, c, d and obstacles, each cell 1 in one plane, and
``moves_left`` has shape (1,), the moves left divided by 25: 401 numbers. Swaps that match at once
are offered by default.

The image of a lost wall of Tetris is full.

``reset(seed=N)`` deals the game of seed N, in match-3 that of ``matchq.GameLogic(N)``. Each later
``reset()`` deals another game: in match-3 its seed is the next
``random.Random(N).getrandbits(128)``, so all games of an environment follow from one seed.
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from matchq._arrays import SCALARS, Arrays, Observation
from matchq._matchq import Games

try:
    from gymnasium.vector import AutoresetMode
except ImportError as error:
    raise ImportError(
        f"matchq's environments need Gymnasium 1.1 or newer, but {gymnasium.__version__} is installed: "
        "pip install --upgrade gymnasium"
    ) from error

__all__ = ["GameEnv", "GameVectorEnv", "MaskInObservation", "Match3Env", "Match3VectorEnv"]

def _seed(given: Any) -> int:
    """A seed as Gymnasium takes it: an int, not negative."""
    seed = operator.index(given)
    if not 0 <= seed < 2**128:
        raise ValueError(f"the seed is {seed}, but must be from 0 to 2^128 - 1")
    return seed


def _check_options(options: Any) -> None:
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options is {options!r}, but must be a dictionary or None")


_RENDER_MODES = ["ansi", "rgb_array"]
_CELL = 32


class _Table:
    """The compiled games of both environments, their spaces, and their pictures."""

    def __init__(
        self,
        count: int,
        game: str,
        render_mode: str | None,
        rules: Mapping[str, Any] | None,
        obstacle_kinds: int | None,
        mask: str | None,
        longest: int | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise ValueError(f"the render mode is {render_mode!r}, but must be 'ansi', 'rgb_array' or None")
        self.render_mode = render_mode
        self.games = Games(game, count, None if rules is None else dict(rules), mask or "", obstacle_kinds, longest)
        self._tiles = dict(self.games.tiles(_CELL)) if render_mode == "rgb_array" else {}
        self.scalars = SCALARS.get(game, "scalars")
        board, scalars = Box(0, 1, self.games.image, np.uint8), Box(0.0, 1.0, (self.games.scalars,), np.float32)
        self.observation_space = Dict({"board": board, self.scalars: scalars})
        self.action_space = Discrete(self.games.actions)

    def render(self) -> tuple[Any, ...] | None:
        """Each board in the render mode; None without one."""
        if self.render_mode is None:
            return None
        boards = self.games.boards()
        return tuple(boards) if self.render_mode == "ansi" else tuple(map(self._picture, boards))

    def _picture(self, board: str) -> npt.NDArray[np.uint8]:
        """A board as a picture: each token's drawing, black for anything else."""
        black = np.zeros((_CELL, _CELL, 3), np.uint8)
        rows = [np.hstack([self._tiles.get(letter, black) for letter in row]) for row in board.split("\n")]
        picture: npt.NDArray[np.uint8] = np.vstack(rows)
        # Lines between the cells.
        picture[::_CELL] = 0
        picture[:, ::_CELL] = 0
        return picture


class GameEnv(gymnasium.Env[Observation, np.int64]):
    """A game as a Gymnasium environment, such as ``matchq/Match3-v0``.

    Args:
        render_mode: what ``render()`` returns: "ansi", the board's text; "rgb_array", a picture,
            uint8, of 32 x 32 points a cell, in match-3 of shape (320, 256, 3). Each token has its
            own shape and colour, as on the page.
        obstacle_kinds: of match-3, short for ``rules={"obstacle_kinds": N}``: 2 in the original,
            each as frequent as a kind of gem.
        mask: which actions ``action_masks()`` and the info offer; None is the game's default.
            Match-3 has "legal" (all), "effective" (moves that change what is seen), "matching"
            (moves that match at once, the default) and "setups" (these and, but for the last move,
            moves that prepare the most). Moves of the kind before are offered where a position has
            none of a kind. Any action may be played.
        rules: parameters of the rules by name; None is the game's default.
        game: the game's name, one of ``matchq.GAMES``.

    Raises:
        ValueError: an argument of another value.
    """

    metadata = {"render_modes": _RENDER_MODES, "render_fps": 4}

    def __init__(
        self,
        render_mode: str | None = None,
        obstacle_kinds: int | None = None,
        mask: str | None = None,
        *,
        rules: Mapping[str, Any] | None = None,
        game: str = "match3",
    ) -> None:
        self._table = _Table(1, game, render_mode, rules, obstacle_kinds, mask)
        self._games = self._table.games
        self.render_mode = render_mode
        observation_space: Any = self._table.observation_space
        self.observation_space = observation_space
        self.action_space = self._table.action_space
        self._session_begun = False
        # The game counts as over until the first reset.
        self._arrays = Arrays(1, self._games)
        self._arrays.over[0] = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deals a game, of the seed or the next one.

        Args:
            seed: from 0 to 2**128 - 1; None continues the sequence of games, which starts at
                random.
            options: none are known.

        Raises:
            ValueError: a seed out of range.
            TypeError: a seed that is no whole number, options that are no dictionary.
        """
        _check_options(options)
        seed = None if seed is None else _seed(seed)
        super().reset(seed=seed)
        if seed is None and not self._session_begun:
            seed = secrets.randbits(128)
        arrays = Arrays(1, self._games)
        self._games.reset([seed], None, arrays.views)
        self._session_begun = True
        self._arrays = arrays
        return self._seen()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, a whole number from 0 on (in match-3 up to 141).

        Raises:
            ValueError: another number.
            TypeError: no whole number.
            gymnasium.error.ResetNeeded: there is no game yet, or it is over.
        """
        if self._arrays.over[0]:
            raise ResetNeeded("the game is over, or there is none yet: call reset() before step()")
        action = operator.index(action)
        if not 0 <= action < self._games.actions:
            raise ValueError(f"the action is {action}, but must be from 0 to {self._games.actions - 1}")
        arrays = Arrays(1, self._games)
        self._games.step(np.array([action], np.int64), False, arrays.rewards, arrays.views)
        self._arrays = arrays
        observation, info = self._seen()
        return observation, float(arrays.rewards[0]), bool(arrays.over[0]), False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Actions offered in the position, truth values of shape (actions,), for sb3-contrib.

        Raises:
            gymnasium.error.ResetNeeded: there is no game yet.
        """
        self._check_begun("action_masks()")
        mask: npt.NDArray[np.bool_] = self._arrays.masks[0].copy()
        return mask

    @property
    def game_seed(self) -> int:
        """The seed of the game: in match-3 that of ``matchq.GameLogic(game_seed)``.

        Raises:
            gymnasium.error.ResetNeeded: there is no game yet.
        """
        self._check_begun("game_seed")
        return self._games.seeds()[0]

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The board in the render mode; None without one.

        Raises:
            gymnasium.error.ResetNeeded: there is no game yet.
        """
        self._check_begun("render()")
        shown = self._table.render()
        return None if shown is None else shown[0]

    def _check_begun(self, part: str) -> None:
        if not self._session_begun:
            raise ResetNeeded(f"there is no game yet: call reset() before {part}")

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        arrays = self._arrays
        observation = {"board": arrays.board[0], self._table.scalars: arrays.scalars[0]}
        return observation, {"score": int(arrays.scores[0]), "action_mask": arrays.masks[0].copy().view(np.int8)}


class GameVectorEnv(VectorEnv[Observation, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many games that step together in Rust, without Python's lock and on all cores.

    Game i of ``reset(seed=N)`` and its followers are those of a ``GameEnv`` after ``reset(seed=N +
    i)``. Observations, rewards (float64) and the rest have shape (num_envs, ...);
    ``gymnasium.make_vec("matchq/Match3-v0", num_envs=1024)`` makes one. The variable
    RAYON_NUM_THREADS, set before matchq is used, is the number of threads.

    Args:
        num_envs: games, at least one.
        render_mode, obstacle_kinds, mask, rules, game: as of ``GameEnv``; ``render()`` returns a
            tuple.
        autoreset_mode: what follows the end of a game, as of Gymnasium's own vector environments.
            NEXT_STEP: the next step ignores the game's action, brings 0 points and shows a new
            game. SAME_STEP: the same step shows the new game, and the info has the old one's last
            observation and info, ``final_obs`` and ``final_info``. DISABLED: nothing, until
            ``reset(options={"reset_mask": over})``.
        max_episode_steps: steps after which a game is cut: ``truncated`` is then true, and the game
            is followed by the next one as after an end.
        copy: True returns new arrays from every step. False returns the same arrays every time,
            observations, rewards, masks and all, which the next step or reset overwrites; that
            saves allocations.

    Raises:
        ValueError: an argument of another value.
    """

    metadata: dict[str, Any] = {
        "render_modes": _RENDER_MODES,
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        render_mode: str | None = None,
        obstacle_kinds: int | None = None,
        mask: str | None = None,
        rules: Mapping[str, Any] | None = None,
        game: str = "match3",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        max_episode_steps: int | None = None,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs is {num_envs}, but must be at least 1")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps is {max_episode_steps}, but must be at least 1, or None")
        self._table = _Table(num_envs, game, render_mode, rules, obstacle_kinds, mask, max_episode_steps)
        self._games = self._table.games
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.copy = copy
        self.single_observation_space = self._table.observation_space
        self.single_action_space = self._table.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._session_begun = False
        self._arrays = Arrays(num_envs, self._games)
        # State that callers must not write to: the games that are over or cut, and the masks.
        self._done, self._masks = self._arrays.over.copy(), self._arrays.masks

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deals new games.

        Args:
            seed: N deals the games of seeds N, N + 1 and so on; a sequence has a seed for each
                game. With None, also in a sequence, a game's own sequence goes on, which starts at
                random.
            options: {"reset_mask": mask} deals only the games where the mask, bool of shape
                (num_envs,), is true.

        Raises:
            ValueError: a seed out of range, not as many seeds as games, a mask of another shape or
                without a true value.
            TypeError: a seed that is no whole number, a mask that is no array of bool, options that
                are no dictionary.
            gymnasium.error.ResetNeeded: a mask, but no games yet.
        """
        _check_options(options)
        which = None if options is None else options.get("reset_mask")
        if which is not None:
            self._check_mask(which)
        if seed is None:
            seeds: list[Any] = [None] * self.num_envs
        elif isinstance(seed, Sequence) and not isinstance(seed, str) or isinstance(seed, np.ndarray) and seed.ndim > 0:
            seeds = list(seed)
        else:
            first = _seed(seed)
            if first + self.num_envs > 2**128:
                raise ValueError(f"the seed is {first}, but must be at most 2^128 - {self.num_envs}: game i has seed N + i")
            super().reset(seed=first)
            seeds = [first + index for index in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {len(seeds)} seeds, but must be {self.num_envs}, one for each game")
        if not self._session_begun:
            seeds = [secrets.randbits(128) if seed is None else seed for seed in seeds]
        arrays = self._arrays_to_write()
        self._games.reset(seeds, which, arrays.views)
        self._session_begun = True
        self._keep(arrays)
        return self._observation(), self._info()

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Plays an action in each game: whole numbers from 0 on, shape (num_envs,).

        Raises:
            ValueError: another number, or another shape. Nothing has been played then.
            TypeError: no whole numbers.
            gymnasium.error.ResetNeeded: there are no games yet, or one is over or truncated and the
                autoreset mode is DISABLED.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise ValueError(f"the actions have the shape {actions.shape}, but must have ({self.num_envs},)")
        if actions.dtype.kind not in "iu":
            raise TypeError(f"the actions are of {actions.dtype}, but must be whole numbers")
        self._check_begun("step()")
        if self.autoreset_mode == AutoresetMode.DISABLED and self._done.any():
            raise ResetNeeded(
                f"game {self._done.argmax()} (from 0) is over: call reset(options={{'reset_mask': ...}}) before step()"
            )
        arrays = self._arrays_to_write()
        if actions.dtype == np.uint64:
            # Numbers beyond int64 must stay beyond all actions.
            actions = np.minimum(actions, np.iinfo(np.int64).max)
        actions = np.ascontiguousarray(actions, np.int64)
        self._games.step(actions, self.autoreset_mode == AutoresetMode.NEXT_STEP, arrays.rewards, arrays.views)
        self._arrays = arrays
        final: dict[str, Any] = {}
        done = arrays.over | arrays.cut
        if self.autoreset_mode == AutoresetMode.SAME_STEP and done.any():
            final = self._final(done)
            # The new games overwrite what this step returns.
            over, cut = arrays.over.copy(), arrays.cut.copy()
            self._games.reset([None] * self.num_envs, done, arrays.views)
            arrays.over[:], arrays.cut[:] = over, cut
        self._keep(arrays)
        return self._observation(), arrays.rewards, arrays.over, arrays.cut, {**self._info(), **final}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Actions offered in each position: truth values of shape (num_envs, actions).

        Raises:
            gymnasium.error.ResetNeeded: there are no games yet.
        """
        self._check_begun("action_masks()")
        return self._masks.copy()

    @property
    def game_seeds(self) -> tuple[int, ...]:
        """The seeds of the games: in match-3 each is that of ``matchq.GameLogic(seed)``.

        Raises:
            gymnasium.error.ResetNeeded: there are no games yet.
        """
        self._check_begun("game_seeds")
        return tuple(self._games.seeds())

    def render(self) -> tuple[Any, ...] | None:
        """The boards in the render mode; None without one.

        Raises:
            gymnasium.error.ResetNeeded: there are no games yet.
        """
        self._check_begun("render()")
        return self._table.render()

    def _check_begun(self, part: str) -> None:
        if not self._session_begun:
            raise ResetNeeded(f"there are no games yet: call reset() before {part}")

    def _keep(self, arrays: Arrays) -> None:
        """Keeps the written arrays, and copies of those that are handed out."""
        self._arrays = arrays
        self._done = arrays.over | arrays.cut
        self._masks = arrays.masks.copy() if self.copy else arrays.masks

    def _arrays_to_write(self) -> Arrays:
        return Arrays(self.num_envs, self._games) if self.copy else self._arrays

    def _observation(self) -> Observation:
        return {"board": self._arrays.board, self._table.scalars: self._arrays.scalars}

    def _info(self) -> dict[str, Any]:
        arrays = self._arrays
        every = np.ones(self.num_envs, np.bool_)
        return {"score": arrays.scores, "_score": every, "action_mask": arrays.masks.view(np.int8), "_action_mask": every.copy()}

    def _final(self, over: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Part of the info on games that are over, copied before new ones are dealt in their
        places.
        """
        places = np.flatnonzero(over)
        boards, scalars = self._arrays.board[places], self._arrays.scalars[places]
        observations = np.full(self.num_envs, None, dtype=object)
        for index, place in enumerate(places):
            observations[place] = {"board": boards[index], self._table.scalars: scalars[index]}
        scores, masks = np.zeros_like(self._arrays.scores), np.zeros_like(self._arrays.masks)
        scores[places], masks[places] = self._arrays.scores[places], self._arrays.masks[places]
        info = {"score": scores, "_score": over.copy(), "action_mask": masks.view(np.int8), "_action_mask": over.copy()}
        return {"final_obs": observations, "_final_obs": over.copy(), "final_info": info, "_final_info": over.copy()}

    def _check_mask(self, which: Any) -> None:
        if not isinstance(which, np.ndarray) or which.dtype != np.bool_:
            raise TypeError(f"reset_mask is {which!r}, but must be an array of bool")
        if which.shape != (self.num_envs,) or not which.any():
            raise ValueError(
                f"reset_mask has the shape {which.shape} and {int(which.sum())} true values, "
                f"but must have the shape ({self.num_envs},) and at least one"
            )
        if not self._session_begun:
            raise ResetNeeded("there are no games yet: call reset() without a reset_mask first")


class MaskInObservation(gymnasium.ObservationWrapper[dict[str, Any], np.int64, Observation]):
    """An environment whose observation is a dictionary of the game's observation and the mask.

    Libraries that know no masks in the info want that: PettingZoo "observation" and "action_mask",
    Tianshou "obs" and "mask", RLlib's examples "observations" and "action_mask".

    Args:
        env: a ``GameEnv``, wrapped or not.
        observation, mask: names in the dictionary. The mask is int8 of shape (actions,).
    """

    def __init__(self, env: gymnasium.Env[Observation, np.int64], observation: str = "observation", mask: str = "action_mask") -> None:
        super().__init__(env)
        self._names = (observation, mask)
        actions = env.action_space
        assert isinstance(actions, Discrete)
        self.observation_space = Dict({observation: env.observation_space, mask: Box(0, 1, (int(actions.n),), np.int8)})

    def observation(self, observation: Observation) -> dict[str, Any]:
        """The observation beside its mask."""
        name, mask = self._names
        game: Any = self.env.unwrapped
        return {name: observation, mask: game.action_masks().view(np.int8)}


# Aliases for match-3.
Match3Env = GameEnv
Match3VectorEnv = GameVectorEnv
