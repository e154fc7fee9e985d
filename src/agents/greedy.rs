//! The greedy player: the most points at once.

use super::policy::weigh;
use super::{Policy, Valued};
use crate::games::match3::{Match3, State};
use crate::random::Stream;

/// Plays the move whose first wave of matches scores the most, whatever falls afterwards.
pub struct Greedy;

impl Policy<Match3> for Greedy {
    fn values(&self, state: &State, _: &mut Stream) -> Vec<Valued> {
        weigh(state, |board, action| board.first_wave(action).into())
    }
}
