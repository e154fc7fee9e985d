//! A position of Bejeweled as a player knows it, and its images.

use serde::{Deserialize, Serialize};

use super::board::{self, Move, UNKNOWN};
use super::{COLUMNS, Cells, GEMS, Grid, Level, ROWS, Rules, text};

/// The number of symmetries.
///
/// They are the gems turned round, on the board and on its mirror image.
pub(super) const SYMMETRIES: usize = 2 * GEMS as usize;

/// Moves left from which on an image shows no more of them.
const FAR: f32 = 100.0;

/// A position: board, moves left, level, and how far a cascade has come.
///
/// What [`Lookahead`](crate::Lookahead) gives may hold gems that are not known, and runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct State {
    pub(super) grid: Grid,
    /// `None` where the rules do not count them.
    pub(super) moves_left: Option<u16>,
    pub(super) level: Level,
    /// The points of a run of three on the first level and on this one.
    pub(super) bases: [u32; 2],
    /// Steps of the cascade so far.
    pub(super) steps: u8,
}

/// A position as it was read, which may be none.
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
    /// Moves left, where the rules count them.
    pub fn moves_left(&self) -> Option<u16> {
        self.moves_left
    }

    /// The points of a run of three on the position's level.
    pub fn base(&self) -> u32 {
        self.bases[1]
    }

    /// The gems' numbers, row by row from the top; 7 where none is known.
    pub fn gems(&self) -> [[u8; COLUMNS]; ROWS] {
        board::rows(&self.grid)
    }

    /// The board's text, eight lines; a dot for a gem that is not known.
    pub fn board(&self) -> String {
        text::show(&self.grid, Cells::EMPTY)
    }

    /// Writes the image and the scalars under a symmetry.
    ///
    /// A plane a gem; the scalar is the moves left over 100, at most 1, which it is where they are not counted.
    pub(super) fn encode(&self, symmetry: usize, image: &mut [f32], scalars: &mut [f32]) {
        let (turn, mirror) = (symmetry / 2, symmetry % 2 == 1);
        image.fill(0.0);
        for (y, gems) in self.gems().iter().enumerate() {
            for (x, gem) in gems.iter().enumerate().filter(|(_, gem)| **gem != UNKNOWN) {
                let shown = (usize::from(*gem) + turn) % usize::from(GEMS);
                let x = if mirror { COLUMNS - 1 - x } else { x };
                image[(shown * ROWS + y) * COLUMNS + x] = 1.0;
            }
        }
        scalars[0] = self.moves_left.map_or(1.0, |moves| (f32::from(moves) / FAR).min(1.0));
    }
}

/// The number of an action on the board shown under a symmetry.
pub(super) fn transform_action(action: usize, symmetry: usize) -> usize {
    match symmetry % 2 {
        1 => Move::of_action(action).mirrored().action().unwrap_or(action),
        _ => action,
    }
}
