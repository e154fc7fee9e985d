//! Bejeweled's board: swaps, runs, falling and refilling on bit planes.

use super::{COLUMNS, Cells, GEMS, Grid, ROWS, Swaps};
use crate::random::Draw;
use crate::swap;

/// How a gem that is not known is held: after all others.
///
/// It matches nothing.
pub(super) const UNKNOWN: u8 = GEMS;

/// A swap of two neighbours.
pub(super) type Move = swap::Move<COLUMNS, ROWS>;

/// The gems of a board, row by row from the top.
pub(super) fn rows(grid: &Grid) -> [[u8; COLUMNS]; ROWS] {
    std::array::from_fn(|y| std::array::from_fn(|x| grid.kind(Cells::at(x, y))))
}

/// The cells whose gem is known.
#[inline]
pub(super) fn known(grid: &Grid) -> Cells {
    // Of eight kinds the unknown one is the last: it alone has all three digits.
    let [low, middle, high] = *grid.planes();
    Cells::ALL & !(low & middle & high)
}

/// A board without a run and with a swap that matches.
///
/// Each gem is drawn again while it completes a run, the whole board while no swap matches.
pub(super) fn deal(draw: &mut impl Draw) -> Grid {
    loop {
        let mut gems = [[0; COLUMNS]; ROWS];
        for y in 0..ROWS {
            for x in 0..COLUMNS {
                gems[y][x] = loop {
                    let gem = draw.below_in(x, GEMS.into()) as u8;
                    let left = x >= 2 && gems[y][x - 2..x] == [gem; 2];
                    let above = y >= 2 && [gems[y - 2][x], gems[y - 1][x]] == [gem; 2];
                    if !left && !above {
                        break gem;
                    }
                };
            }
        }
        let grid = Grid::from_rows(&gems);
        if !matching(&grid).is_empty() {
            return grid;
        }
    }
}

/// The swaps that make a run of known gems.
#[inline]
pub(super) fn matching(grid: &Grid) -> Swaps {
    grid.matching(known(grid))
}

/// Swaps the two gems of an action, if there is one.
#[inline]
pub(super) fn swap(grid: &mut Grid, action: usize) {
    if let Some((one, other)) = Move::cells_of(action) {
        grid.swap(one, other);
    }
}

/// The runs of known gems.
#[inline]
pub(super) fn runs(grid: &Grid) -> swap::Runs<COLUMNS, ROWS> {
    grid.runs(known(grid))
}

/// What all runs of one step are worth.
///
/// Each is worth its length less 2, times its ordinal, the shortest first.
#[inline]
pub(super) fn points(runs: &swap::Runs<COLUMNS, ROWS>) -> i32 {
    let (mut all, mut sum) = (None, 0);
    runs.at_least(|_, count| {
        // Of `all` runs the last `count` are so long; the sum of their ordinals.
        let (all, count) = (*all.get_or_insert(count) as i32, count as i32);
        sum += count * all - count * (count - 1) / 2;
    });
    sum
}

/// Takes cells out and lets the gems above fall.
///
/// What comes in at the top is unknown.
#[inline]
pub(super) fn fall(grid: &mut Grid, mut empty: Cells) {
    while !empty.is_empty() {
        let top = grid.fall(&mut empty);
        grid.put(top, UNKNOWN);
    }
}

/// Draws the unknown gems, column by column from the left.
///
/// Each column is drawn from its lowest.
#[inline]
pub(super) fn refill(grid: &mut Grid, draw: &mut impl Draw) {
    let unknown = Cells::ALL & !known(grid);
    grid.take(unknown);
    for cell in unknown.each() {
        grid.put(cell, draw.below_in(cell.column(), GEMS.into()) as u8);
    }
}
