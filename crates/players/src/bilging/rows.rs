//! A board as rows of masks, for searches over many boards.

use matchq_games::bilging::board::{self, UNKNOWN};
use matchq_games::bilging::{ACTIONS, Break, COLUMNS, ROWS, State};

/// Bytes of the known colours.
const KNOWN: u64 = !(0xff << (8 * UNKNOWN));
/// A bit in every byte.
const EACH: u64 = 0x0101_0101_0101_0101;

/// A board: a word a row from the top, a byte a colour, the last for unknown pieces, a bit a
/// column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rows(pub [u64; ROWS]);

impl Rows {
    pub fn of(state: &State) -> Self {
        let word = |row: [u8; COLUMNS]| {
            let bits = (0..).zip(row).map(|(column, piece)| 1 << (8 * u32::from(piece) + column));
            bits.fold(0, |word, bit: u64| word | bit)
        };
        Self(state.pieces().map(word))
    }

    /// A row; empty off the board.
    #[inline]
    pub fn row(&self, row: usize) -> u64 {
        self.0.get(row).copied().unwrap_or(0)
    }

    /// XOR mask that swaps the two cells; 0 if they are equal or unknown.
    #[inline]
    pub fn swap_mask(&self, action: usize) -> u64 {
        let (column, row) = board::place(action);
        let word = self.0[row];
        let (left, right) = (word >> column & EACH, word >> (column + 1) & EACH);
        if left == right || (left | right) & !KNOWN != 0 {
            return 0;
        }
        (left | right) * (0b11 << column)
    }

    /// Columns where a piece of the row would stand in a vertical run, in each colour's byte.
    #[inline]
    pub fn completing(&self, row: usize) -> u64 {
        let at = |row: usize| self.row(row);
        let (above, below) = (at(row.wrapping_sub(1)), at(row + 1));
        (above & at(row.wrapping_sub(2)) | above & below | below & at(row + 2)) & KNOWN
    }

    #[inline]
    pub fn has_run(word: u64) -> bool {
        word & word >> 1 & word >> 2 & KNOWN != 0
    }

    /// Clears all runs and lets the pieces below rise; returns the break and its number of pieces.
    pub fn wave(&mut self) -> Option<(Break, u32)> {
        let rows = &self.0;
        let flat = rows.map(|word| word & word >> 1 & word >> 2 & KNOWN);
        let upright: [u64; ROWS] =
            std::array::from_fn(
                |row| if row + 2 < ROWS { rows[row] & rows[row + 1] & rows[row + 2] & KNOWN } else { 0 },
            );
        if flat.iter().chain(&upright).all(|word| *word == 0) {
            return None;
        }
        let up = |row: usize| upright.get(row).copied().unwrap_or(0);
        let (mut longer, mut cleared) = ([0; 3], [0; ROWS]);
        for row in 0..ROWS {
            let (first, flat) = (flat[row] & !(flat[row] << 1), flat[row]);
            let first_up = up(row) & !up(row.wrapping_sub(1));
            longer[0] += first.count_ones() + first_up.count_ones();
            longer[1] += (first & flat >> 1).count_ones() + (first_up & up(row + 1)).count_ones();
            longer[2] +=
                (first & flat >> 1 & flat >> 2).count_ones() + (first_up & up(row + 1) & up(row + 2)).count_ones();
            let cells = flat | flat << 1 | flat << 2 | up(row) | up(row.wrapping_sub(1)) | up(row.wrapping_sub(2));
            // All colours in the lowest byte.
            let halves = cells | cells >> 32;
            let quarters = halves | halves >> 16;
            cleared[row] = (quarters | quarters >> 8) & 0xff;
        }
        let pieces = cleared.iter().map(|cells| cells.count_ones()).sum();
        self.rise(&cleared);
        let lengths = [longer[0] - longer[1], longer[1] - longer[2], longer[2]];
        Some((Break::new(lengths.map(|count| count as u8)), pieces))
    }

    /// Removes cells, by their columns in each row, and lets the pieces below rise.
    fn rise(&mut self, cleared: &[u64; ROWS]) {
        let touched = cleared.iter().fold(0, |all, cells| all | cells);
        for column in (0..COLUMNS).filter(|column| touched >> column & 1 == 1) {
            let mask = EACH << column;
            let mut to = 0;
            for (row, cleared) in cleared.iter().enumerate() {
                if cleared >> column & 1 == 0 {
                    let piece = self.0[row] & mask;
                    self.0[to] = self.0[to] & !mask | piece;
                    to += 1;
                }
            }
            for word in &mut self.0[to..] {
                *word = *word & !mask | 1 << (8 * u32::from(UNKNOWN) + column as u32);
            }
        }
    }

    pub fn unknown(&self) -> u32 {
        self.0.iter().map(|word| (word & !KNOWN).count_ones()).sum()
    }
}

const _: () = assert!(ACTIONS == ROWS * (COLUMNS - 1));
