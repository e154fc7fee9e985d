//! The toy, small enough to be solved: played, trained and compared with its exact solution.

mod exact;
mod exact_tests;
mod tests;

use matchq::games::toy::{COLOURS, COLUMNS, MOVES, ROWS, State, Toy};
