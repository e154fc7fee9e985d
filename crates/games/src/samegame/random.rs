use serde::{Deserialize, Serialize};

use super::{BOARDS, Boards, CELLS, COLUMNS, LETTERS};
use crate::random::{Draw, SeededDraw, Stream};

/// The standard boards, a line each: rows from the top with a blank between.
const STANDARD: &str = include_str!("boards.txt");

/// Random numbers of a game; those of a standard board give its tiles first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SameRandom {
    stream: Stream,
    /// Standard board from 0, and the next of its cells.
    board: Option<(u8, u8)>,
}

impl SameRandom {
    /// Random numbers that a seed starts; seed 1 has the first standard board, seed 21 again.
    pub fn new(boards: Boards, seed: u128) -> Self {
        let board = (seed % BOARDS + BOARDS - 1) % BOARDS;
        Self { stream: Stream::from_seed(seed), board: (boards == Boards::Standard).then_some((board as u8, 0)) }
    }
}

/// Colour of a cell of a standard board, counted row by row from the top.
fn colour(board: u8, cell: u8) -> u32 {
    let line = STANDARD.lines().nth(board.into()).unwrap_or_default().as_bytes();
    let letter = line.get(usize::from(cell) + usize::from(cell) / COLUMNS).copied().unwrap_or_default();
    LETTERS.iter().position(|known| *known == char::from(letter)).unwrap_or(0) as u32
}

impl Draw for SameRandom {
    fn below(&mut self, n: u32) -> u32 {
        match &mut self.board {
            Some((board, cell)) if usize::from(*cell) < CELLS => {
                *cell += 1;
                colour(*board, *cell - 1)
            }
            _ => self.stream.below(n),
        }
    }
}

impl SeededDraw for SameRandom {
    fn from_seed(seed: u128) -> Self {
        Self::new(Boards::Random, seed)
    }

    fn next_seed(&mut self) -> u128 {
        self.stream.next_seed()
    }
}
