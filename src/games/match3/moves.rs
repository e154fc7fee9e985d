//! The moves of match-3, and their numbers.

use std::fmt;

use super::{COLUMNS, Cells, GEMS, Grid, ROWS, Swaps};
use crate::games::ActionMask;

/// Vertical moves, numbered first.
const VERTICAL: usize = COLUMNS * (ROWS - 1);
/// All moves.
pub(super) const ACTIONS: usize = VERTICAL + (COLUMNS - 1) * ROWS;

/// A swap of the token at (x, y) with a neighbour.
///
/// It is the one below if vertical, else the one to the right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The column, from the left.
    pub x: usize,
    /// The row, from the top.
    pub y: usize,
    /// Whether the other token is the one below, not the one to the right.
    pub vertical: bool,
}

impl Move {
    /// The move of an action's number.
    ///
    /// 0 to 71 are vertical, `8 y + x`; 72 to 141 are horizontal, `72 + 7 y + x`.
    pub const fn of_action(action: usize) -> Self {
        let (vertical, index, width) = match action {
            0..VERTICAL => (true, action, COLUMNS),
            _ => (false, action - VERTICAL, COLUMNS - 1),
        };
        Self { x: index % width, y: index / width, vertical }
    }

    /// The number of the move; `None` if a cell is off the board.
    pub const fn action(self) -> Option<usize> {
        let Self { x, y, vertical } = self;
        match vertical {
            true if x < COLUMNS && y < ROWS - 1 => Some(y * COLUMNS + x),
            false if x < COLUMNS - 1 && y < ROWS => Some(VERTICAL + y * (COLUMNS - 1) + x),
            _ => None,
        }
    }

    /// The cell (x, y) of the other token.
    pub const fn other(self) -> (usize, usize) {
        match self.vertical {
            true => (self.x, self.y + 1),
            false => (self.x + 1, self.y),
        }
    }
}

/// Both cells, such as `(2, 6)-(2, 7)`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = self.other();
        write!(f, "({}, {})-({x}, {y})", self.x, self.y)
    }
}

/// The two cells of each action.
static CELLS: [(Cells, Cells); ACTIONS] = {
    let mut cells = [(Cells::EMPTY, Cells::EMPTY); ACTIONS];
    let mut action = 0;
    while action < ACTIONS {
        let Move { x, y, vertical } = Move::of_action(action);
        let other = if vertical { Cells::at(x, y + 1) } else { Cells::at(x + 1, y) };
        cells[action] = (Cells::at(x, y), other);
        action += 1;
    }
    cells
};

/// The vertical and the horizontal action at each cell, by its bit's index.
static ACTION_AT: [[u8; 2]; 128] = {
    let mut actions = [[u8::MAX; 2]; 128];
    let mut action = 0;
    while action < ACTIONS {
        let Move { x, y, vertical } = Move::of_action(action);
        let bit = Cells::at(x, y).index();
        actions[bit][if vertical { 0 } else { 1 }] = action as u8;
        action += 1;
    }
    actions
};

/// The two cells that an action swaps.
#[inline]
pub(super) fn cells_of_action(action: usize) -> Option<(Cells, Cells)> {
    CELLS.get(action).copied()
}

/// The two cells that a move swaps, if both are on the board.
pub(super) fn cells_at(x: i64, y: i64, vertical: bool) -> Option<(Cells, Cells)> {
    let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
    cells_of_action(Move { x, y, vertical }.action()?)
}

/// The moves of a board that match at once.
#[inline]
pub(super) fn matching(grid: &Grid) -> Swaps {
    (0..GEMS).fold(Swaps::default(), |swaps, gem| swaps.union(Swaps::completing(grid.of_kind(gem))))
}

/// The actions of a set of swaps.
#[inline]
pub(super) fn actions(swaps: Swaps) -> ActionMask {
    let mut mask = ActionMask::empty();
    for (direction, cells) in [swaps.vertical, swaps.horizontal].into_iter().enumerate() {
        for cell in cells.each() {
            mask.insert(ACTION_AT[cell.index()][direction].into());
        }
    }
    mask
}

/// The moves that change a board without runs as it is seen.
pub(super) fn effective(grid: &Grid) -> ActionMask {
    ActionMask::all(ACTIONS).without(&actions(grid.equal_neighbours()))
}
