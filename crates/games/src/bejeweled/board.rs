use super::{COLUMNS, Cells, GEMS, Grid, ROWS, Swaps};
use crate::random::Draw;
use crate::swap;

/// Number of an unknown gem, which matches nothing.
pub(super) const UNKNOWN: u8 = GEMS;

pub(super) type Move = swap::Move<COLUMNS, ROWS>;

#[inline]
pub(super) fn known(grid: &Grid) -> Cells {
    // Only the unknown one of the eight kinds has all three digits.
    let [low, middle, high] = *grid.planes();
    Cells::ALL & !(low & middle & high)
}

/// A board without a run and with a matching swap. A gem is drawn again while it completes a run,
/// the board while no swap matches.
pub(super) fn deal(draw: &mut impl Draw) -> Grid {
    loop {
        let grid = Grid::from_rows(&swap::drawn_without_runs(GEMS.into(), draw));
        if !matching(&grid).is_empty() {
            return grid;
        }
    }
}

#[inline]
pub(super) fn matching(grid: &Grid) -> Swaps {
    grid.matching(known(grid))
}

#[inline]
pub(super) fn swap(grid: &mut Grid, action: usize) {
    if let Some((one, other)) = Move::cells_of(action) {
        grid.swap(one, other);
    }
}

#[inline]
pub(super) fn runs(grid: &Grid) -> swap::Runs<COLUMNS, ROWS> {
    grid.runs(known(grid))
}

/// Points of a step's runs, in units of a run of three: length less 2, times ordinal, the shortest
/// first.
#[inline]
pub(super) fn points(runs: &swap::Runs<COLUMNS, ROWS>) -> i32 {
    let (mut all, mut sum) = (None, 0);
    runs.at_least(|_, count| {
        // The last `count` of `all` runs are at least so long; `sum` grows by their ordinals.
        let (all, count) = (*all.get_or_insert(count) as i32, count as i32);
        sum += count * all - count * (count - 1) / 2;
    });
    sum
}

/// Removes cells; the gems above fall, and unknown ones come in at the top.
#[inline]
pub(super) fn fall(grid: &mut Grid, mut empty: Cells) {
    while !empty.is_empty() {
        let top = grid.fall(&mut empty);
        grid.put(top, UNKNOWN);
    }
}

/// Draws the unknown gems, column by column from the left, bottom up.
#[inline]
pub(super) fn refill(grid: &mut Grid, draw: &mut impl Draw) {
    let unknown = Cells::ALL & !known(grid);
    grid.take(unknown);
    for cell in unknown.each() {
        grid.put(cell, draw.below_in(cell.column(), GEMS.into()) as u8);
    }
}
