use crate::games::{Lookahead, Plan};
use crate::judged::Meaning;
use crate::options::Entry;
use crate::policy::{ActionValue, Policy, weigh_certain};
use crate::random::Stream;
use crate::roster::Roster;

/// Plays the action with the most certain points.
pub struct Cascade;

impl<G: Lookahead> Policy<G> for Cascade {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        weigh_certain::<G>(state, Plan::of(1))
    }

    fn meaning(&self) -> Meaning {
        Meaning::points("what the move gains for certain")
    }
}

pub fn entry<G: Roster>() -> Entry<G> {
    Entry {
        name: "cascade",
        about: "the most points that are certain, whatever chance brings",
        parameters: &[],
        build: |options, _| options.player(Cascade),
    }
}
