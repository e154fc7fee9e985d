use serde::{Deserialize, Serialize};

use super::Draws;
use crate::random::{Draw, NumPyRandom, SeededDraw, Stream};

/// Random numbers of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TileRandom {
    /// The program's own.
    Own(Stream),
    /// NumPy's.
    NumPy(NumPyRandom),
}

impl TileRandom {
    /// Random numbers that a seed starts.
    pub fn new(draws: Draws, seed: u128) -> Self {
        match draws {
            Draws::Own => Self::Own(Stream::from_seed(seed)),
            Draws::NumPy => Self::NumPy(NumPyRandom::from_seed(seed)),
        }
    }
}

impl Draw for TileRandom {
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        match self {
            Self::Own(stream) => stream.below(n),
            Self::NumPy(random) => random.below(n),
        }
    }

    fn shuffle(&mut self, numbers: &mut [u8]) {
        match self {
            Self::Own(stream) => stream.shuffle(numbers),
            Self::NumPy(random) => random.shuffle(numbers),
        }
    }
}

impl SeededDraw for TileRandom {
    fn from_seed(seed: u128) -> Self {
        Self::new(Draws::Own, seed)
    }

    fn next_seed(&mut self) -> u128 {
        match self {
            Self::Own(stream) => stream.next_seed(),
            Self::NumPy(random) => random.next_seed(),
        }
    }
}
