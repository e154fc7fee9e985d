use std::time::Duration;

/// Budget of a search for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Simulations a move, equally many on any machine and at any number of threads.
    Simulations(usize),
    /// Time a move.
    Time(Duration),
}
