use serde::{Deserialize, Serialize};

use super::certain::UNKNOWN;
use super::{COLUMNS, Cells, Grid, MOVES, OBSTACLE, ROWS, text};
use crate::error::{Error, Result};
use crate::swap::{self, ORDERS};

/// Symmetries: every order of the four gems, also on the mirror image.
pub(super) const SYMMETRIES: usize = 2 * ORDERS.len();

const PLANE_BYTES: usize = (COLUMNS * (ROWS + 1)).div_ceil(8);

/// A packed position: board and moves left. Afterstates may hold unknown tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct State {
    /// Lowest bytes of each plane of the board.
    planes: [[u8; PLANE_BYTES]; 3],
    moves_left: u8,
}

#[derive(Deserialize)]
struct Packed {
    planes: [[u8; PLANE_BYTES]; 3],
    moves_left: u8,
}

impl TryFrom<Packed> for State {
    type Error = &'static str;

    fn try_from(Packed { planes, moves_left }: Packed) -> std::result::Result<Self, Self::Error> {
        let state = Self { planes, moves_left };
        let grid = state.grid();
        let valid = (0..=UNKNOWN).fold(Cells::EMPTY, |cells, kind| cells | grid.of_kind(kind));
        match valid == Cells::ALL && state.moves_left() <= MOVES {
            true => Ok(state),
            false => Err("a saved position of match3 is none that a game has"),
        }
    }
}

impl State {
    /// Position of a board's text with from 0 to 25 moves left.
    pub fn new(board: &str, moves_left: i64) -> Result<Self> {
        if !(0..=i64::from(MOVES)).contains(&moves_left) {
            let sentence = format!("{moves_left} moves are left, but a game has from 0 to {MOVES}");
            return Err(Error::user(sentence));
        }
        Ok(Self::pack(&text::parse(board)?, moves_left as i32))
    }

    /// Position of a board at rest; errors name the start of a run.
    pub fn at_rest(board: &str, moves_left: i64) -> Result<Self> {
        let state = Self::new(board, moves_left)?;
        let grid = state.grid();
        let in_runs = grid.runs(Cells::ALL & !grid.of_kind(OBSTACLE)).cells();
        swap::text::check_at_rest::<COLUMNS, ROWS>(|x, y| !(in_runs & Cells::at(x, y)).is_empty())?;
        Ok(state)
    }

    #[inline]
    pub(super) fn pack(grid: &Grid, moves_left: i32) -> Self {
        Self { planes: grid.planes().map(Cells::to_bytes), moves_left: moves_left.clamp(0, MOVES) as u8 }
    }

    #[inline]
    pub(super) fn grid(&self) -> Grid {
        Grid::masked(self.planes.map(Cells::from_bytes))
    }

    pub(super) fn is_whole(&self) -> bool {
        let grid = self.grid();
        (0..=OBSTACLE).fold(Cells::EMPTY, |cells, kind| cells | grid.of_kind(kind)) == Cells::ALL
    }

    /// Moves left, from 0 to 25.
    pub fn moves_left(&self) -> i32 {
        self.moves_left.into()
    }

    /// Numbers of the tokens, row by row from the top: gems, obstacle, unknown.
    pub fn tokens(&self) -> Vec<Vec<u8>> {
        self.grid().rows().map(|row| row.to_vec()).to_vec()
    }

    /// Board's text: ten lines of `a b c d #`, a space where unknown.
    pub fn board(&self) -> String {
        let grid = self.grid();
        text::show(&grid, grid.of_kind(UNKNOWN))
    }

    /// Columns of each kind of token, the lowest cell first.
    fn columns(&self) -> [[u16; COLUMNS]; 5] {
        let grid = self.grid();
        std::array::from_fn(|kind| grid.of_kind(kind as u8).columns())
    }

    pub(super) fn encode(&self, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        let (order, mirror) = swap::order_and_mirror(symmetry);
        for (kind, columns) in self.columns().into_iter().enumerate() {
            let shown = order.get(kind).map_or(kind, |shown| usize::from(*shown));
            write_plane(columns, mirror, &mut image[shown * ROWS * COLUMNS..][..ROWS * COLUMNS]);
        }
        scalars[0] = f32::from(self.moves_left) / MOVES as f32;
    }
}

/// Writes columns of bits, lowest cell first, row by row from the top.
fn write_plane(mut columns: [u16; COLUMNS], mirror: bool, plane: &mut [impl From<bool>]) {
    if mirror {
        columns.reverse();
    }
    for (y, row) in plane.chunks_exact_mut(COLUMNS).enumerate() {
        let bit = 1 << (ROWS - 1 - y);
        for (number, column) in row.iter_mut().zip(columns) {
            *number = (column & bit != 0).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_with_a_token_that_is_not_known_is_none_that_a_game_stands_in() {
        use crate::{Game, Lookahead, MaskKind, Match3};
        let board =
            "dda#cbdc\ndc#c#dcb\na#cc#bbc\na#ab###a\ncdc##d#d\nd#c##ba#\nd####adc\nb#cacb#b\nbb#d#ac#\ndac#c#a#";
        let state = State::new(board, 25).unwrap();
        let mask = Match3::mask(&state, MaskKind::default_of::<Match3>());
        let after = Match3::after(&state, mask.nth(0).unwrap()).state;
        assert!(Match3::is_whole(&state) && !Match3::is_whole(&after));
    }
}
