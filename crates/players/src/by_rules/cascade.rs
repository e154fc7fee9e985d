use crate::contract::{Meaning, Policy, Valued, weigh_certain};
use matchq_core::random::Stream;
use matchq_games::{Lookahead, Plan};

/// Plays the action with the most certain points.
pub struct Cascade;

impl<G: Lookahead> Policy<G> for Cascade {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        weigh_certain::<G>(state, Plan::of(1))
    }

    fn meaning(&self) -> Meaning {
        Meaning::points("what the move gains for certain")
    }
}
