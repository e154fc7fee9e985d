use serde::{Deserialize, Serialize};

use super::board::{self, UNKNOWN};
use super::{ACTIONS, COLOURS, COLUMNS, Cells, Chains, Grid, MOVES, ROWS, Rules};
use crate::swap;

const PLANE_BYTES: usize = (COLUMNS * (ROWS + 1)).div_ceil(8);

/// Symmetries: the colours' numbers rotated, also on the mirror image.
pub(super) const SYMMETRIES: usize = 2 * COLOURS;

/// A packed position. Afterstates may hold unknown pieces, and positions within a chain runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct State {
    planes: [[u8; PLANE_BYTES]; 3],
    moves_left: u16,
    pub(super) chains: Chains,
    /// Whether a break came since the swap, so that the next is a chain.
    pub(super) chained: bool,
}

#[derive(Deserialize)]
struct Packed {
    planes: [[u8; PLANE_BYTES]; 3],
    moves_left: u16,
    chains: Chains,
    chained: bool,
}

impl TryFrom<Packed> for State {
    type Error = &'static str;

    fn try_from(Packed { planes, moves_left, chains, chained }: Packed) -> Result<Self, Self::Error> {
        let state = Self { planes, moves_left, chains, chained };
        let again = Self::pack(&state.grid(), moves_left, chains);
        match again.planes == planes && u32::from(moves_left) <= Rules::MOST_MOVES {
            true => Ok(state),
            false => Err("a saved position of bilging is none that a game has"),
        }
    }
}

impl State {
    #[inline]
    pub(super) fn pack(grid: &Grid, moves_left: u16, chains: Chains) -> Self {
        Self { planes: grid.planes().map(Cells::to_bytes), moves_left, chains, chained: false }
    }

    /// The board.
    #[inline]
    pub fn grid(&self) -> Grid {
        Grid::masked(self.planes.map(Cells::from_bytes))
    }

    /// Pieces' colour numbers, row by row from the top; 7 where unknown.
    pub fn pieces(&self) -> [[u8; COLUMNS]; ROWS] {
        board::rows(&self.grid())
    }

    /// Moves left.
    pub fn moves_left(&self) -> usize {
        self.moves_left.into()
    }

    /// Points of pieces that line up without a swap.
    pub fn chains(&self) -> Chains {
        self.chains
    }

    pub(super) fn is_whole(&self) -> bool {
        self.grid().of_kind(UNKNOWN).is_empty()
    }

    /// Planes of the colours; the scalar is the moves left over 50, at most 1.
    pub(super) fn encode(&self, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        swap::encode_rotated(&self.pieces(), COLOURS, symmetry, image);
        scalars[0] = (f32::from(self.moves_left) / f32::from(MOVES)).min(1.0);
    }
}

pub(super) fn transform_action(action: usize, symmetry: usize) -> usize {
    let (column, row) = board::place(action);
    match symmetry % 2 {
        1 if action < ACTIONS => row * (COLUMNS - 1) + COLUMNS - 2 - column,
        _ => action,
    }
}
