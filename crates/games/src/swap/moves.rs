use std::fmt;

use super::{Cells, Swaps};
use crate::ActionMask;

/// A swap of the token at (x, y) with the one below if vertical, else to the right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move<const COLUMNS: usize, const ROWS: usize> {
    /// Column, from the left.
    pub x: usize,
    /// Row, from the top.
    pub y: usize,
    /// Whether the other token is the one below.
    pub vertical: bool,
}

/// The most moves of a board: numbers are bytes.
const MOST: usize = 255;

impl<const COLUMNS: usize, const ROWS: usize> Move<COLUMNS, ROWS> {
    /// Vertical moves, numbered first.
    const VERTICAL: usize = COLUMNS * (ROWS - 1);

    /// Number of moves.
    pub const COUNT: usize = {
        let count = Self::VERTICAL + (COLUMNS - 1) * ROWS;
        assert!(count <= MOST, "a move's number must be a byte");
        count
    };

    const CELLS: &'static [(Cells<COLUMNS, ROWS>, Cells<COLUMNS, ROWS>); MOST] = &{
        let mut cells = [(Cells::EMPTY, Cells::EMPTY); MOST];
        let mut action = 0;
        while action < Self::COUNT {
            let one = Self::of_action(action);
            let (x, y) = one.other();
            cells[action] = (Cells::at(one.x, one.y), Cells::at(x, y));
            action += 1;
        }
        cells
    };

    /// Vertical and horizontal move at each cell, by the index of its bit.
    const AT: &'static [[u8; 2]; 128] = &{
        let mut actions = [[u8::MAX; 2]; 128];
        let mut action = 0;
        while action < Self::COUNT {
            let Self { x, y, vertical } = Self::of_action(action);
            actions[Cells::<COLUMNS, ROWS>::at(x, y).index()][if vertical { 0 } else { 1 }] = action as u8;
            action += 1;
        }
        actions
    };

    /// Move of an action: vertical ones first, row by row from the top, then horizontal ones.
    pub const fn of_action(action: usize) -> Self {
        let vertical = action < Self::VERTICAL;
        let (index, width) = if vertical { (action, COLUMNS) } else { (action - Self::VERTICAL, COLUMNS - 1) };
        Self { x: index % width, y: index / width, vertical }
    }

    /// Action of the move; `None` if a cell is off the board.
    pub const fn action(self) -> Option<usize> {
        let Self { x, y, vertical } = self;
        match vertical {
            true if x < COLUMNS && y < ROWS - 1 => Some(y * COLUMNS + x),
            false if x < COLUMNS - 1 && y < ROWS => Some(Self::VERTICAL + y * (COLUMNS - 1) + x),
            _ => None,
        }
    }

    /// Cell (x, y) of the other token.
    pub const fn other(self) -> (usize, usize) {
        match self.vertical {
            true => (self.x, self.y + 1),
            false => (self.x + 1, self.y),
        }
    }

    /// The swap on the board mirrored left to right.
    pub const fn mirrored(self) -> Self {
        let last = if self.vertical { COLUMNS - 1 } else { COLUMNS - 2 };
        Self { x: last - self.x, ..self }
    }

    /// Number of an action on the board, mirrored left to right if asked.
    pub fn transformed(action: usize, mirror: bool) -> usize {
        match mirror {
            true => Self::of_action(action).mirrored().action().unwrap_or(action),
            false => action,
        }
    }

    /// Place of an action's value: plane 0 for vertical moves, 1 for horizontal ones, then row and
    /// column.
    pub const fn place(action: usize) -> (usize, usize, usize) {
        let Self { x, y, vertical } = Self::of_action(action);
        (!vertical as usize, y, x)
    }

    /// Cells (row, column) of an action.
    pub fn rows_and_columns(action: usize) -> Vec<(usize, usize)> {
        let one = Self::of_action(action);
        [(one.x, one.y), one.other()].map(|(column, row)| (row, column)).to_vec()
    }

    /// Two cells that an action swaps, if it is one.
    #[inline]
    pub fn cells_of(action: usize) -> Option<(Cells<COLUMNS, ROWS>, Cells<COLUMNS, ROWS>)> {
        (action < Self::COUNT).then(|| Self::CELLS[action])
    }

    /// Actions of a set of swaps.
    #[inline]
    pub fn actions(swaps: Swaps<COLUMNS, ROWS>) -> ActionMask {
        let mut mask = ActionMask::empty();
        for (direction, cells) in [swaps.vertical, swaps.horizontal].into_iter().enumerate() {
            for cell in cells.each() {
                mask.insert(Self::AT[cell.index()][direction].into());
            }
        }
        mask
    }

    /// Whether an action is one of a set of swaps.
    #[inline]
    pub fn is_among(action: usize, swaps: &Swaps<COLUMNS, ROWS>) -> bool {
        let cells = if action < Self::VERTICAL { swaps.vertical } else { swaps.horizontal };
        Self::cells_of(action).is_some_and(|(one, _)| !(cells & one).is_empty())
    }
}

/// Both cells, such as `(2, 6)-(2, 7)`.
impl<const COLUMNS: usize, const ROWS: usize> fmt::Display for Move<COLUMNS, ROWS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = self.other();
        write!(f, "({}, {})-({x}, {y})", self.x, self.y)
    }
}
