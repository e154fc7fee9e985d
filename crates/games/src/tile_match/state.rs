use serde::{Deserialize, Serialize};

use super::board::{self, Grid};
use super::{COLOURS, COLUMNS, MOVES, ROWS, TileMatch, text};
use crate::error::{Error, Result};
use crate::swap::{self, ORDERS};

/// Symmetries: every order of the four colours, also on the mirror image.
pub(super) const SYMMETRIES: usize = 2 * ORDERS.len();

/// A position: board and moves left. Afterstates may hold unknown tiles, and positions
/// within a chain runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct State {
    pub(super) grid: Grid,
    pub(super) moves_left: u8,
}

#[derive(Deserialize)]
struct Packed {
    grid: Grid,
    moves_left: u8,
}

impl TryFrom<Packed> for State {
    type Error = &'static str;

    fn try_from(Packed { grid, moves_left }: Packed) -> std::result::Result<Self, Self::Error> {
        match grid.is_valid() && moves_left <= MOVES {
            true => Ok(Self { grid, moves_left }),
            false => Err("a saved position of tile-match is none that a game has"),
        }
    }
}

impl State {
    /// Position of a board at rest with from 0 to 50 moves left; errors name row and column.
    pub fn at_rest(board: &str, moves_left: i64) -> Result<Self> {
        let left = u8::try_from(moves_left).ok().filter(|moves| *moves <= MOVES);
        let left =
            left.ok_or_else(|| Error::user(format!("{moves_left} moves are left, but a game has from 0 to {MOVES}")))?;
        let grid = text::parse(board)?;
        let in_runs = grid.runs().cells();
        swap::text::check_at_rest::<COLUMNS, ROWS>(|x, y| in_runs >> (COLUMNS * y + x) & 1 == 1)?;
        Ok(Self { grid, moves_left: left })
    }

    /// Moves left, from 0 to 50.
    pub fn moves_left(&self) -> u8 {
        self.moves_left
    }

    pub(super) fn encode(&self, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        let (order, mirror) = swap::order_and_mirror(symmetry);
        for colour in 0..COLOURS {
            let plane = &mut image[usize::from(order[usize::from(colour)]) * ROWS * COLUMNS..][..ROWS * COLUMNS];
            let mut cells = self.grid.of_colour(colour);
            if mirror {
                // Rows in reverse order, then each from right to left.
                cells = cells.swap_bytes().reverse_bits();
            }
            for (cell, number) in plane.iter_mut().enumerate() {
                *number = (cells >> cell & 1 == 1).into();
            }
        }
        scalars[0] = f32::from(self.moves_left) / f32::from(MOVES);
    }
}

pub(super) fn transform_action(action: usize, symmetry: usize) -> usize {
    let (_, true) = swap::order_and_mirror(symmetry) else { return action };
    let (one, other) = board::cells_of(action);
    let mirrored = |cell: usize| cell / COLUMNS * COLUMNS + COLUMNS - 1 - cell % COLUMNS;
    let (one, other) = (mirrored(one), mirrored(other));
    board::action_of(one.min(other), one.max(other)).unwrap_or(action)
}

#[derive(Deserialize)]
pub(super) struct Saved {
    grid: Grid,
    score: i32,
    moves_left: u8,
}

impl TryFrom<Saved> for TileMatch {
    type Error = &'static str;

    fn try_from(Saved { grid, score, moves_left }: Saved) -> std::result::Result<Self, Self::Error> {
        match grid.is_valid() && score >= 0 && moves_left <= MOVES {
            true => Ok(Self::of(grid, score, moves_left)),
            false => Err("a saved game of tile-match has a board, a score or moves left that no game has"),
        }
    }
}
