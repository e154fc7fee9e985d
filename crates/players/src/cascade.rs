//! The cascade player: the most points that are certain.

use super::policy::weigh_certain;
use super::{ActionValue, Entry, Policy};
use crate::games::{Lookahead, Plan, Playable};
use crate::random::Stream;

/// Plays the action that is certain to gain the most.
pub struct Cascade;

impl<G: Lookahead> Policy<G> for Cascade {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        weigh_certain::<G>(state, Plan::of(1))
    }
}

/// The player's entry in the list.
pub fn entry<G: Playable>() -> Entry<G> {
    Entry {
        name: "cascade",
        about: "the most points that are certain, whatever chance brings",
        parameters: &[],
        build: |options, _| options.player(Cascade),
    }
}
