//! Random numbers: the program's own streams, and CPython's and NumPy's generators for games whose
//! originals draw from them.

mod columns;
mod cpython;
mod numpy;
mod stream;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use columns::ColumnStreams;
pub use cpython::CPythonRandom;
pub use numpy::NumPyRandom;
pub use stream::{Role, Stream};

/// A source of uniform integers: all randomness of a game.
pub trait Draw {
    /// A number drawn uniformly from `0..n`; `n` is at least 1.
    fn below(&mut self, n: u32) -> u32;

    /// A number drawn uniformly from `0..n` for a lane, such as a column; where lanes have
    /// streams, draws in one do not change another's numbers.
    #[inline]
    fn below_in(&mut self, _lane: usize, n: u32) -> u32 {
        self.below(n)
    }

    /// Fills `out` with numbers drawn uniformly from `0..n`, `n` in `1..=256`; single draws may
    /// differ.
    fn fill_below(&mut self, n: u32, out: &mut [u8]) {
        for number in out {
            *number = self.below(n) as u8;
        }
    }

    /// Puts numbers into a uniformly random order.
    fn shuffle(&mut self, numbers: &mut [u8]) {
        for last in (1..numbers.len()).rev() {
            let place = self.below(last as u32 + 1);
            numbers.swap(last, place as usize);
        }
    }
}

/// A generator started by a seed, which decides all draws of a game.
pub trait SeededDraw: Draw + Clone + Send + Sync + Serialize + DeserializeOwned {
    /// Generator of a seed; equal seeds give equal draws.
    fn from_seed(seed: u128) -> Self;

    /// Draws the seed of the next game.
    fn next_seed(&mut self) -> u128;
}
