//! Greedy with set-up: where nothing gains, the move that prepares the most.

use super::policy::{best_of, quiet_too};
use super::{ActionValue, Entry, Greedy, Policy};
use crate::games::{Lookahead, Playable};
use crate::random::Stream;

/// Plays as [`Greedy`] where an action of the default mask is there.
///
/// Else it plays the action after which the best first wave gains the most.
pub struct Setup;

impl<G: Lookahead> Policy<G> for Setup {
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue> {
        if !G::mask(state, G::DEFAULT_MASK).is_empty() {
            return Policy::<G>::values(&Greedy, state, ties);
        }
        let first_wave =
            |state: &G::State, action| G::wave(&G::done(state, action)).map_or(0.0, |(_, points)| f64::from(points));
        let value = |action| {
            let after = G::after(state, action);
            let best = best_of(after.actions.iter().map(|next| first_wave(&after.state, next)));
            ActionValue { action, value: best.max(0.0) }
        };
        quiet_too::<G>(state).iter().map(value).collect()
    }
}

/// The player's entry in the list.
pub fn entry<G: Playable>() -> Entry<G> {
    Entry {
        name: "setup",
        about: "as greedy, and where no move gains the one that prepares the most points at once",
        parameters: &[],
        build: |options, _| options.player(Setup),
    }
}
