use crate::contract::{Meaning, Policy, Valued, weigh};
use matchq_core::random::Stream;
use matchq_games::Lookahead;

/// Plays the action whose first wave gains the most points.
pub struct Greedy;

impl<G: Lookahead> Policy<G> for Greedy {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        weigh::<G>(state, |action| G::wave(&G::done(state, action)).map_or(0.0, |(_, points)| points.into()))
    }

    fn meaning(&self) -> Meaning {
        Meaning::points("what the move's first wave gains")
    }
}
