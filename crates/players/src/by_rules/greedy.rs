use crate::contract::{Meaning, Policy, Valued, weigh};
use matchq_core::random::Stream;
use matchq_games::Lookahead;

/// Plays the action whose first wave gains the most points; in games without waves the action with the
/// most points that are certain.
pub struct Greedy;

impl<G: Lookahead> Policy<G> for Greedy {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        let first = |action| G::wave(&G::done(state, action)).map_or(0.0, |(_, points)| f64::from(points));
        let values = weigh::<G>(state, first);
        match values.iter().all(|valued| valued.value == 0.0) {
            // Without any wave these are all points.
            true => weigh::<G>(state, |action| G::after(state, action).points.into()),
            false => values,
        }
    }

    fn meaning(&self) -> Meaning {
        Meaning::points("what the move's first wave gains")
    }
}
