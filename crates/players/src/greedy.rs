use crate::games::Lookahead;
use crate::judged::Meaning;
use crate::options::Entry;
use crate::policy::{ActionValue, Policy, weigh};
use crate::random::Stream;
use crate::roster::Roster;

/// Plays the action whose first wave gains the most points.
pub struct Greedy;

impl<G: Lookahead> Policy<G> for Greedy {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        weigh::<G>(state, |action| G::wave(&G::done(state, action)).map_or(0.0, |(_, points)| points.into()))
    }

    fn meaning(&self) -> Meaning {
        Meaning::points("what the move's first wave gains")
    }
}

pub fn entry<G: Roster>() -> Entry<G> {
    Entry {
        name: "greedy",
        about: "the most points at once, whatever falls afterwards",
        parameters: &[],
        build: |options, _| options.player(Greedy),
    }
}
