use crate::contract::{Meaning, Policy, Valued, of_first_wave, weigh};
use matchq_core::random::Stream;
use matchq_games::Lookahead;

/// Plays the action whose first wave gains the most points; where no action has a wave, as in games
/// without them, the action with the most certain points.
pub struct Greedy;

impl<G: Lookahead> Policy<G> for Greedy {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        let values = weigh::<G>(state, |action| of_first_wave::<G>(state, action));
        match values.iter().all(|valued| valued.value == 0.0) {
            true => weigh::<G>(state, |action| G::after(state, action).points.into()),
            false => values,
        }
    }

    fn meaning(&self) -> Meaning {
        Meaning::points("what the move gains at once, in its first wave where there are waves")
    }
}
