use serde::{Deserialize, Serialize};

use super::{COLUMNS, Cells, GEMS, Grid, Level, ROWS, Rules, text};
use crate::swap;

/// Symmetries: the gems' numbers rotated, also on the mirror image.
pub(super) const SYMMETRIES: usize = 2 * GEMS as usize;

/// Moves left from which on the image stays the same.
const FAR: f32 = 100.0;

/// A position. Afterstates may hold unknown gems, and positions within a cascade runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct State {
    pub(super) grid: Grid,
    pub(super) moves_left: Option<u16>,
    pub(super) level: Level,
    /// Points of a run of three on the first level and on this one.
    pub(super) bases: [u32; 2],
    pub(super) steps: u8,
}

#[derive(Deserialize)]
struct Packed {
    grid: Grid,
    moves_left: Option<u16>,
    level: Level,
    bases: [u32; 2],
    steps: u8,
}

impl TryFrom<Packed> for State {
    type Error = &'static str;

    fn try_from(Packed { grid, moves_left, level, bases, steps }: Packed) -> Result<Self, Self::Error> {
        match moves_left.is_none_or(|moves| u32::from(moves) <= Rules::MOST_MOVES) && level.number > 0 && bases[0] > 0 {
            true => Ok(Self { grid, moves_left, level, bases, steps }),
            false => Err("a saved position of bejeweled is none that a game has"),
        }
    }
}

impl State {
    /// Moves left, if the rules count them.
    pub fn moves_left(&self) -> Option<u16> {
        self.moves_left
    }

    /// Points of a run of three on the position's level.
    pub fn base(&self) -> u32 {
        self.bases[1]
    }

    /// Gems' numbers, row by row from the top; 7 where unknown.
    pub fn gems(&self) -> [[u8; COLUMNS]; ROWS] {
        self.grid.rows()
    }

    /// Board's text; a dot is an unknown gem.
    pub fn board(&self) -> String {
        text::show(&self.grid, Cells::EMPTY)
    }

    /// Planes of the gems; the scalar is the moves left over 100, at most 1, and 1 without a bound.
    pub(super) fn encode(&self, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        swap::encode_rotated(&self.gems(), GEMS.into(), symmetry, image);
        scalars[0] = self.moves_left.map_or(1.0, |moves| (f32::from(moves) / FAR).min(1.0));
    }
}
