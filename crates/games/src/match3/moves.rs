use super::{COLUMNS, Cells, GEMS, Grid, ROWS, Swaps};
use crate::{ActionMask, swap};

/// A swap of the token at (x, y) with a neighbour: action `8 y + x` is vertical, `72 + 7 y + x`
/// horizontal.
pub type Move = swap::Move<COLUMNS, ROWS>;

/// Two cells of a move, if both are on the board.
pub(super) fn cells_at(x: i64, y: i64, vertical: bool) -> Option<(Cells, Cells)> {
    let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
    Move::cells_of(Move { x, y, vertical }.action()?)
}

#[inline]
pub(super) fn matching(grid: &Grid) -> Swaps {
    (0..GEMS).fold(Swaps::default(), |swaps, gem| swaps.union(Swaps::completing(grid.of_kind(gem))))
}

/// Moves that change what a player sees on a board without runs.
pub(super) fn effective(grid: &Grid) -> ActionMask {
    ActionMask::all(Move::COUNT).without(&Move::actions(grid.equal_neighbours()))
}
