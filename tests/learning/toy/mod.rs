//! The toy, small enough to be solved: played, trained and compared with its exact solution.

mod exact;
mod exact_tests;
mod tests;

#[allow(dead_code)]
#[path = "../../../crates/games/tests/toy.rs"]
mod game;

use game::{COLOURS, COLUMNS, MOVES, ROWS, State, Toy};
use matchq::players::{Measured, Playable, Roster};

impl Measured for Toy {}

impl Roster for Toy {
    const ABOUT: &'static str = "match-3 on 3 x 4 cells with 3 colours and 4 moves, which can be solved exactly";
}

impl Playable for Toy {}
