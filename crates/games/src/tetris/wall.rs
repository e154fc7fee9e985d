use super::piece::{COLUMNS, FULL, Orientation, ROWS, TALLEST};

/// Rows stored: the wall's, and those above that a piece may reach.
pub const KEPT: usize = ROWS + TALLEST;

/// A wall: rows of bits from below, bit 0 for the leftmost column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wall {
    pub rows: [u16; KEPT],
    pub tops: [u8; COLUMNS],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rest {
    pub row: usize,
    pub lines: u32,
    pub cells: u32,
}

impl Wall {
    pub const EMPTY: Self = Self { rows: [0; KEPT], tops: [0; COLUMNS] };

    #[inline]
    pub fn of(rows: [u16; KEPT]) -> Self {
        let mut tops = [0; COLUMNS];
        // Columns whose top lies lower.
        let mut left = FULL;
        for (row, cells) in rows.iter().enumerate().rev() {
            let mut new = cells & left;
            left &= !new;
            while new != 0 {
                tops[new.trailing_zeros() as usize] = row as u8 + 1;
                new &= new - 1;
            }
            if left == 0 {
                break;
            }
        }
        Self { rows, tops }
    }

    /// Row on which a dropped piece comes to rest.
    #[inline]
    pub fn rest(&self, turned: &Orientation, column: usize) -> usize {
        let under = |index: usize| self.tops[column + index].saturating_sub(turned.lower[index]);
        (0..turned.width).map(under).max().unwrap_or(0).into()
    }

    #[inline]
    pub fn height(&self) -> usize {
        self.tops.iter().copied().max().unwrap_or(0).into()
    }

    /// Puts a piece onto the wall; full rows stay.
    #[inline]
    pub fn put(&mut self, turned: &Orientation, column: usize) -> Rest {
        let row = self.rest(turned, column);
        let (mut lines, mut cells) = (0, 0);
        for (index, piece) in turned.rows[..turned.height].iter().enumerate() {
            self.rows[row + index] |= piece << column;
            if self.rows[row + index] == FULL {
                lines += 1;
                cells += piece.count_ones();
            }
        }
        for index in 0..turned.width {
            self.tops[column + index] = row as u8 + turned.upper[index];
        }
        Rest { row, lines, cells }
    }

    /// Removes full rows, lets the rows above fall, and returns how many were full.
    #[inline]
    pub fn clear(&mut self) -> u32 {
        let mut kept = 0;
        for row in 0..KEPT {
            let cells = self.rows[row];
            self.rows[kept] = cells;
            kept += usize::from(cells != FULL);
        }
        let lines = KEPT - kept;
        self.rows[kept..].fill(0);
        if lines > 0 {
            self.tops = Self::of(self.rows).tops;
        }
        lines as u32
    }
}
