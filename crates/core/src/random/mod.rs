//! Random numbers: the program's own streams, and CPython's generator.
//!
//! The latter is for the original's games.

mod columns;
mod cpython;
mod stream;

pub use columns::ColumnStreams;
pub use cpython::CPythonRandom;
pub use stream::{Role, Stream};

/// A source of uniform integers: all the randomness a game may use.
pub trait Draw {
    /// A number drawn uniformly from `0..n`; `n` is at least 1.
    fn below(&mut self, n: u32) -> u32;

    /// As [`below`](Self::below), for one of several lanes.
    ///
    /// Lanes are such as the columns of a board. A source that has a sequence for each draws in one the same
    /// numbers whatever is drawn in the others.
    #[inline]
    fn below_in(&mut self, _lane: usize, n: u32) -> u32 {
        self.below(n)
    }

    /// Fills `out` with numbers drawn uniformly from `0..n`, in order.
    ///
    /// `n` is in `1..=256`. A generator may give other numbers here than by single draws.
    fn fill_below(&mut self, n: u32, out: &mut [u8]) {
        for number in out {
            *number = self.below(n) as u8;
        }
    }
}

/// A generator by which a seed means a game.
pub trait SeededDraw: Draw + Clone + Send + Sync {
    /// The generator of a seed.
    fn from_seed(seed: u128) -> Self;

    /// Draws the seed of another game.
    ///
    /// A session of games follows from its first seed.
    fn next_seed(&mut self) -> u128;
}
