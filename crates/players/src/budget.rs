//! How long a search goes on.

use std::time::Duration;

/// The budget of a search for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Simulations a move: as many on any machine and any number of threads.
    Simulations(usize),
    /// Time a move.
    Time(Duration),
}
