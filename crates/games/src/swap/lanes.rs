use std::ops::Not;

use super::Cells;

/// Boards side by side.
pub const LANES: usize = 8;

/// A set of cells on each of [`LANES`] boards: [`Cells`] in wide registers (SIMD), with methods of
/// the same names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lanes<const COLUMNS: usize, const ROWS: usize>([[u64; LANES]; 2]);

impl<const COLUMNS: usize, const ROWS: usize> Lanes<COLUMNS, ROWS> {
    /// Equal sets on all boards.
    #[inline(always)]
    pub fn all(Cells(words): Cells<COLUMNS, ROWS>) -> Self {
        Self(words.map(|word| [word; LANES]))
    }

    /// Puts a set into a lane.
    #[inline]
    pub fn put(&mut self, lane: usize, Cells([first, second]): Cells<COLUMNS, ROWS>) {
        self.0[0][lane] = first;
        self.0[1][lane] = second;
    }

    /// Set of one board.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Cells<COLUMNS, ROWS> {
        Cells(self.0.map(|word| word[lane]))
    }

    /// Whether no board has a bit set.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        let [first, second] = self.0;
        zip_words(first, second, |first, second| first | second) == [0; LANES]
    }

    /// Number of bits set on each board.
    #[inline(always)]
    pub fn count(&self) -> [i32; LANES] {
        let [first, second] = &self.0;
        let mut counts = [0; LANES];
        for (count, (first, second)) in counts.iter_mut().zip(first.iter().zip(second)) {
            *count = (first.count_ones() + second.count_ones()) as i32;
        }
        counts
    }

    /// Cells moved up by one.
    #[inline(always)]
    pub fn up(self) -> Self {
        self.map(|word| word << 1)
    }

    /// Cells moved down by one.
    #[inline(always)]
    pub fn down(self) -> Self {
        self.map(|word| word >> 1)
    }

    /// Cells moved left by one.
    #[inline(always)]
    pub fn left(self) -> Self {
        let (stride, half) = (Cells::<COLUMNS, ROWS>::STRIDE, Cells::<COLUMNS, ROWS>::HALF_BITS);
        let [first, second] = self.0;
        let [columns, _] = Cells::<COLUMNS, ROWS>::COLUMNS_AND_GUARDS.0;
        let across = |first: u64, second: u64| first >> stride | second << (half - stride) & columns;
        Self([zip_words(first, second, across), map_words(second, |word| word >> stride)])
    }

    /// Cells moved right by one.
    #[inline(always)]
    pub fn right(self) -> Self {
        let (stride, half) = (Cells::<COLUMNS, ROWS>::STRIDE, Cells::<COLUMNS, ROWS>::HALF_BITS);
        let [first, second] = self.0;
        let columns = Cells::<COLUMNS, ROWS>::COLUMNS_AND_GUARDS.0;
        let across = |first: u64, second: u64| (second << stride | first >> (half - stride)) & columns[1];
        Self([map_words(first, |word| word << stride & columns[0]), zip_words(first, second, across)])
    }

    /// Cells that fall in a step of [`Board::fall`](super::Board::fall) with these cells empty.
    #[inline(always)]
    pub fn falling(self) -> Self {
        let holes = self | Self::all(Cells::GUARDS);
        let [first, second] = Cells::<COLUMNS, ROWS>::BOTTOM.0;
        let lower = Self([
            map_words(holes.0[0], |word| word.wrapping_sub(first)),
            map_words(holes.0[1], |word| word.wrapping_sub(second)),
        ]);
        Self::all(Cells::ALL) & !(holes ^ lower).down()
    }

    /// Sets where the other is empty, else no cell.
    #[inline(always)]
    pub fn where_empty(self, other: Self) -> Self {
        let empty = other.empty();
        self & Self([empty, empty])
    }

    /// Sets where just one of two others is empty, else no cell.
    #[inline(always)]
    pub fn where_one_is_empty(self, one: Self, other: Self) -> Self {
        let one_alone = zip_words(one.empty(), other.empty(), |one, other| one ^ other);
        self & Self([one_alone, one_alone])
    }

    /// All bits of the boards whose set is empty.
    #[inline(always)]
    fn empty(self) -> [u64; LANES] {
        let [first, second] = self.0;
        zip_words(first, second, |first, second| if first | second == 0 { u64::MAX } else { 0 })
    }

    #[inline(always)]
    fn map(self, by: impl Fn(u64) -> u64) -> Self {
        let [first, second] = self.0;
        Self([map_words(first, &by), map_words(second, &by)])
    }

    #[inline(always)]
    fn with(self, other: Self, by: impl Fn(u64, u64) -> u64) -> Self {
        Self([zip_words(self.0[0], other.0[0], &by), zip_words(self.0[1], other.0[1], &by)])
    }
}

// Plain loops: an array's `map` is not always inlined where wide registers may be used.

#[inline(always)]
fn map_words(mut words: [u64; LANES], by: impl Fn(u64) -> u64) -> [u64; LANES] {
    for word in &mut words {
        *word = by(*word);
    }
    words
}

#[inline(always)]
fn zip_words(mut words: [u64; LANES], others: [u64; LANES], by: impl Fn(u64, u64) -> u64) -> [u64; LANES] {
    for (word, other) in words.iter_mut().zip(others) {
        *word = by(*word, other);
    }
    words
}

set_operators! {
    #[inline(always)] Lanes:
    BitAnd bitand, BitAndAssign bitand_assign |one, other| one.with(other, |a, b| a & b),
    BitOr bitor, BitOrAssign bitor_assign |one, other| one.with(other, |a, b| a | b),
    BitXor bitxor, BitXorAssign bitxor_assign |one, other| one.with(other, |a, b| a ^ b),
}

impl<const COLUMNS: usize, const ROWS: usize> Not for Lanes<COLUMNS, ROWS> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self.map(|word| !word)
    }
}
