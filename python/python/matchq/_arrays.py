"""Arrays that the compiled half writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from matchq._matchq import Games

Observation = dict[str, npt.NDArray[Any]]

# Names of scalars in observations, for games with a name of their own.
SCALARS = {"match3": "moves_left"}


class Arrays:
    """Arrays for a number of games."""

    def __init__(self, count: int, games: Games) -> None:
        self.board = np.empty((count, *games.image), np.uint8)
        self.scalars = np.empty((count, games.scalars), np.float32)
        self.masks = np.empty((count, games.actions), np.bool_)
        self.scores = np.empty(count, np.int64)
        self.over = np.zeros(count, np.bool_)
        self.cut = np.zeros(count, np.bool_)
        self.rewards = np.zeros(count, np.float64)

    @property
    def views(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays as the compiled half takes them."""
        return self.board, self.scalars, self.masks, self.scores, self.over, self.cut
