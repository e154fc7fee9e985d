//! Bilging's board on bit planes, upside down: what falls in the planes rises on the board.

use super::{ACTIONS, Break, COLUMNS, Cells, Grid, ROWS, Refill, Rules, Swaps};
use crate::ActionMask;
use crate::random::Draw;
use crate::swap;

/// Number of an unknown piece, which makes no run and cannot be swapped.
pub const UNKNOWN: u8 = 7;

/// Cell in a column and a row from the top.
pub const fn cell(column: usize, row: usize) -> Cells {
    Cells::at(column, ROWS - 1 - row)
}

/// Column and row of the left cell that an action swaps.
pub const fn place(action: usize) -> (usize, usize) {
    (action % (COLUMNS - 1), action / (COLUMNS - 1))
}

static CELLS: [(Cells, Cells); ACTIONS] = {
    let mut cells = [(Cells::EMPTY, Cells::EMPTY); ACTIONS];
    let mut action = 0;
    while action < ACTIONS {
        let (column, row) = place(action);
        cells[action] = (cell(column, row), cell(column + 1, row));
        action += 1;
    }
    cells
};

static ACTION_AT: [u8; 128] = {
    let mut actions = [u8::MAX; 128];
    let mut action = 0;
    while action < ACTIONS {
        actions[CELLS[action].0.index()] = action as u8;
        action += 1;
    }
    actions
};

/// Board of pieces, row by row from the top.
pub fn from_rows(mut pieces: [[u8; COLUMNS]; ROWS]) -> Grid {
    pieces.reverse();
    Grid::from_rows(&pieces)
}

/// Pieces, row by row from the top.
pub fn rows(grid: &Grid) -> [[u8; COLUMNS]; ROWS] {
    std::array::from_fn(|row| std::array::from_fn(|column| grid.kind(cell(column, row))))
}

/// A board without a run; pieces that complete one are drawn again.
pub fn deal(rules: &Rules, draw: &mut impl Draw) -> Grid {
    from_rows(swap::drawn_without_runs(rules.colours(), draw))
}

/// Swaps the two pieces of an action if both are known.
#[inline]
pub fn swap(grid: &mut Grid, action: usize) {
    if let Some((left, right)) = CELLS.get(action)
        && ((*left | *right) & grid.of_kind(UNKNOWN)).is_empty()
    {
        grid.swap(*left, *right);
    }
}

/// Runs of known pieces.
#[inline]
pub fn runs(grid: &Grid) -> swap::Runs<COLUMNS, ROWS> {
    grid.runs(Cells::ALL & !grid.of_kind(UNKNOWN))
}

/// Removes cells; the pieces below rise, and unknown ones come in at the bottom.
#[inline]
pub fn rise(grid: &mut Grid, mut empty: Cells) {
    while !empty.is_empty() {
        let bottom = grid.fall(&mut empty);
        grid.put(bottom, UNKNOWN);
    }
}

/// Draws the unknown pieces, column by column from the left, top down.
#[inline]
pub fn refill(grid: &mut Grid, rules: &Rules, draw: &mut impl Draw) {
    let empty = grid.of_kind(UNKNOWN);
    for cell in empty.each() {
        let piece = loop {
            let piece = draw.below_in(cell.column(), rules.colours()) as u8;
            if rules.refill == Refill::Plain || (swap::completing(grid.of_kind(piece)) & cell).is_empty() {
                break piece;
            }
        };
        grid.take(cell);
        grid.put(cell, piece);
    }
}

/// Swaps of known pieces that make a run.
#[inline]
pub fn matching(grid: &Grid) -> ActionMask {
    let known = Cells::ALL & !grid.of_kind(UNKNOWN);
    let completing = |piece| Swaps::completing(grid.of_kind(piece)).horizontal;
    let swaps = (0..UNKNOWN).fold(Cells::EMPTY, |swaps, piece| swaps | completing(piece));
    actions(swaps & known & known.left())
}

/// Swaps of known pieces of two colours.
#[inline]
pub fn effective(grid: &Grid) -> ActionMask {
    let known = Cells::ALL & !grid.of_kind(UNKNOWN);
    actions(known & known.left() & !grid.equal_neighbours().horizontal)
}

/// Break that a swap makes at once, perhaps without lines.
#[inline]
pub fn first_break(grid: &Grid, action: usize) -> Break {
    let mut swapped = *grid;
    swap(&mut swapped, action);
    Break::of(&runs(&swapped))
}

fn actions(cells: Cells) -> ActionMask {
    cells.each().map(|cell| usize::from(ACTION_AT[cell.index()])).collect()
}
