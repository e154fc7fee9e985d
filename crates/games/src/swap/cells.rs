use std::ops::Not;

/// A set of cells of a board, one bit each.
///
/// Columns lie one after another, the left half in the first word. In a column the bottom cell is
/// the lowest bit, and the bit above the top cell is a guard. Cells moved up out of a column land
/// on its guard, cells moved down on the guard of the column before; cells moved out sideways are
/// lost. [`Not`] sets guards, too; `& Cells::ALL` removes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cells<const COLUMNS: usize, const ROWS: usize>(pub(super) [u64; 2]);

impl<const COLUMNS: usize, const ROWS: usize> Cells<COLUMNS, ROWS> {
    /// Bits of a column with its guard.
    pub(super) const STRIDE: usize = ROWS + 1;

    const HALF: usize = {
        assert!(COLUMNS >= 2 && ROWS >= 1 && ROWS <= 16);
        let half = COLUMNS.div_ceil(2);
        assert!(half * Self::STRIDE <= 64, "half of the board must fit 64 bits");
        half
    };

    pub(super) const HALF_BITS: usize = Self::HALF * Self::STRIDE;

    /// No cell.
    pub const EMPTY: Self = Self([0; 2]);

    /// Bottom cell of every column.
    pub const BOTTOM: Self = {
        let (mut words, mut x) = ([0; 2], 0);
        while x < COLUMNS {
            words[x / Self::HALF] |= 1 << (x % Self::HALF * Self::STRIDE);
            x += 1;
        }
        Self(words)
    };

    /// Guard of every column.
    pub const GUARDS: Self = Self([Self::BOTTOM.0[0] << ROWS, Self::BOTTOM.0[1] << ROWS]);

    /// All cells.
    pub const ALL: Self = Self::GUARDS.minus(Self::BOTTOM);

    /// Top cell of every column.
    pub const TOP: Self = Self([Self::GUARDS.0[0] >> 1, Self::GUARDS.0[1] >> 1]);

    /// All bits of whole columns, guards too.
    pub(super) const COLUMNS_AND_GUARDS: Self =
        Self([Self::ALL.0[0] | Self::GUARDS.0[0], Self::ALL.0[1] | Self::GUARDS.0[1]]);

    /// Cell in column x and row y from the top, on the board.
    pub const fn at(x: usize, y: usize) -> Self {
        let mut words = [0; 2];
        words[x / Self::HALF] = 1 << (x % Self::HALF * Self::STRIDE + ROWS - 1 - y);
        Self(words)
    }

    /// Cells of these bits, column by column with their guards.
    #[inline]
    pub const fn from_bits(bits: u128) -> Self {
        Self([bits as u64 & Self::COLUMNS_AND_GUARDS.0[0], (bits >> Self::HALF_BITS) as u64])
    }

    /// Bits, column by column with their guards.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << Self::HALF_BITS
    }

    /// First bytes of [`bits`](Self::bits), which must hold all columns.
    #[inline]
    pub fn to_bytes<const BYTES: usize>(self) -> [u8; BYTES] {
        const { assert!(8 * BYTES >= COLUMNS * (ROWS + 1) && BYTES <= 16) };
        let mut bytes = [0; BYTES];
        bytes.copy_from_slice(&self.bits().to_le_bytes()[..BYTES]);
        bytes
    }

    /// Cells of the bytes that [`to_bytes`](Self::to_bytes) returns.
    #[inline]
    pub fn from_bytes<const BYTES: usize>(packed: [u8; BYTES]) -> Self {
        let mut bytes = [0; 16];
        bytes[..BYTES].copy_from_slice(&packed);
        Self::from_bits(u128::from_le_bytes(bytes))
    }

    /// Bits of each column, the bottom cell the lowest.
    #[inline]
    pub fn columns(self) -> [u16; COLUMNS] {
        let bits = (1 << ROWS) - 1;
        std::array::from_fn(|x| (self.0[x / Self::HALF] >> (x % Self::HALF * Self::STRIDE) & bits) as u16)
    }

    /// Cells of each column's bits, the bottom cell the lowest.
    #[inline]
    pub fn from_columns(columns: [u16; COLUMNS]) -> Self {
        let mut words = [0; 2];
        for (x, column) in columns.into_iter().enumerate() {
            words[x / Self::HALF] |= u64::from(column) << (x % Self::HALF * Self::STRIDE);
        }
        Self(words)
    }

    /// Whether no bit is set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// Number of bits set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// Cells moved up by one.
    #[inline]
    pub const fn up(self) -> Self {
        Self([self.0[0] << 1, self.0[1] << 1])
    }

    /// Cells moved down by one.
    #[inline]
    pub const fn down(self) -> Self {
        Self([self.0[0] >> 1, self.0[1] >> 1])
    }

    /// Cells moved left by one.
    #[inline]
    pub const fn left(self) -> Self {
        let [first, second] = self.0;
        let across = second << (Self::HALF_BITS - Self::STRIDE) & Self::COLUMNS_AND_GUARDS.0[0];
        Self([first >> Self::STRIDE | across, second >> Self::STRIDE])
    }

    /// Cells moved right by one.
    #[inline]
    pub const fn right(self) -> Self {
        let [first, second] = self.0;
        let across = first >> (Self::HALF_BITS - Self::STRIDE);
        Self([
            first << Self::STRIDE & Self::COLUMNS_AND_GUARDS.0[0],
            (second << Self::STRIDE | across) & Self::COLUMNS_AND_GUARDS.0[1],
        ])
    }

    /// Cells moved so that each shows the one `dx` to the right and `dy` below.
    ///
    /// Cells moved by two or more over the top or bottom may land in another column, never in
    /// [`with_neighbour`](Self::with_neighbour).
    #[inline(always)]
    pub const fn look(mut self, dx: i32, dy: i32) -> Self {
        let mut steps = 0;
        while steps < dx.abs() {
            self = if dx > 0 { self.left() } else { self.right() };
            steps += 1;
        }
        let above = dy.unsigned_abs();
        match dy > 0 {
            true => Self([self.0[0] << above, self.0[1] << above]),
            false => Self([self.0[0] >> above, self.0[1] >> above]),
        }
    }

    /// Cells that have a cell `dx` to the right and `dy` below.
    #[inline(always)]
    pub const fn with_neighbour(dx: i32, dy: i32) -> Self {
        let mut columns = Self::COLUMNS_AND_GUARDS.look(dx, 0);
        let (rows, mut row) = (ROWS as i32, 0);
        while row < rows {
            if row - dy < 0 || row - dy >= rows {
                // Row `row` from the bottom, in all columns.
                columns.0[0] &= !(Self::BOTTOM.0[0] << row);
                columns.0[1] &= !(Self::BOTTOM.0[1] << row);
            }
            row += 1;
        }
        Self([columns.0[0] & Self::ALL.0[0], columns.0[1] & Self::ALL.0[1]])
    }

    /// Difference of the words. No column borrows from another if all guards of `self` are set and
    /// `other` is at most a guard in each column.
    #[inline]
    pub const fn minus(self, other: Self) -> Self {
        Self([self.0[0].wrapping_sub(other.0[0]), self.0[1].wrapping_sub(other.0[1])])
    }

    /// The set if the condition holds, else no cell.
    #[inline]
    pub const fn only_if(self, condition: bool) -> Self {
        let select = (condition as u64).wrapping_neg();
        Self([self.0[0] & select, self.0[1] & select])
    }

    /// Index of a single cell, below 128.
    #[inline]
    pub const fn index(self) -> usize {
        if self.0[0] != 0 {
            self.0[0].trailing_zeros() as usize
        } else {
            (64 + self.0[1].trailing_zeros() as usize) & 127
        }
    }

    /// Column of a single cell.
    #[inline]
    pub const fn column(self) -> usize {
        if self.0[0] != 0 {
            self.0[0].trailing_zeros() as usize / Self::STRIDE
        } else {
            Self::HALF + self.0[1].trailing_zeros() as usize / Self::STRIDE
        }
    }

    /// Single cells, column by column, each from its bottom.
    #[inline]
    pub fn each(self) -> impl Iterator<Item = Self> {
        let single = |word: usize| {
            let mut left = self.0[word];
            std::iter::from_fn(move || {
                let mut cell = [0; 2];
                cell[word] = left & left.wrapping_neg();
                left ^= cell[word];
                (cell[word] != 0).then_some(Self(cell))
            })
        };
        single(0).chain(single(1))
    }
}

set_operators! {
    #[inline] Cells:
    BitAnd bitand, BitAndAssign bitand_assign |one, other| Self([one.0[0] & other.0[0], one.0[1] & other.0[1]]),
    BitOr bitor, BitOrAssign bitor_assign |one, other| Self([one.0[0] | other.0[0], one.0[1] | other.0[1]]),
    BitXor bitxor, BitXorAssign bitxor_assign |one, other| Self([one.0[0] ^ other.0[0], one.0[1] ^ other.0[1]]),
}

impl<const COLUMNS: usize, const ROWS: usize> Not for Cells<COLUMNS, ROWS> {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self([!self.0[0], !self.0[1]])
    }
}
