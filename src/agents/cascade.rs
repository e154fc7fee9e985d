//! The cascade player: the most points that are certain.

use super::policy::weigh_chains;
use super::{Policy, Valued};
use crate::games::match3::{Match3, State};
use crate::random::Stream;

/// Plays the move whose whole chain, as far as the tokens now on the board decide it, scores the most.
pub struct Cascade;

impl Policy<Match3> for Cascade {
    fn values(&self, state: &State, _: &mut Stream) -> Vec<Valued> {
        weigh_chains(state, |chain| chain.points.into())
    }
}
