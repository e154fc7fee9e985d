use serde::{Deserialize, Serialize};

use super::piece::{FULL, ROWS, UNKNOWN};
use super::wall::{KEPT, Wall};

/// A packed position. Afterstates have no piece; before a wave rows may be full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct State {
    rows: [u16; ROWS],
    piece: u8,
    height: u8,
    lost: bool,
}

#[derive(Deserialize)]
struct Packed {
    rows: [u16; ROWS],
    piece: u8,
    height: u8,
    lost: bool,
}

impl TryFrom<Packed> for State {
    type Error = &'static str;

    fn try_from(Packed { rows, piece, height, lost }: Packed) -> Result<Self, Self::Error> {
        let state = Self { rows, piece, height, lost };
        let is_right = rows.iter().all(|row| *row <= FULL) && piece <= UNKNOWN && (4..=ROWS).contains(&height.into());
        match is_right && state.wall().height() <= height.into() {
            true => Ok(state),
            false => Err("a saved position of Tetris is none that a game has"),
        }
    }
}

impl State {
    #[inline]
    pub(super) fn pack(wall: &Wall, piece: u8, height: u8, lost: bool) -> Self {
        let mut rows = [0; ROWS];
        rows.copy_from_slice(&wall.rows[..ROWS]);
        Self { rows, piece, height, lost }
    }

    #[inline]
    pub(super) fn wall(&self) -> Wall {
        let mut rows = [0; KEPT];
        rows[..ROWS].copy_from_slice(&self.rows);
        Wall::of(rows)
    }

    /// Rows from below, bit 0 for the leftmost column.
    pub fn rows(&self) -> &[u16] {
        &self.rows
    }

    /// Piece's number in the order O I L J T S Z; 7 where unknown.
    pub fn piece(&self) -> u8 {
        self.piece
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.height.into()
    }

    /// Whether the game is lost.
    pub fn is_lost(&self) -> bool {
        self.lost
    }
}
