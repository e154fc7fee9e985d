//! The exhaustive player: all certain plans of a few moves, quiet moves too.

use super::policy::{best_of, quiet_too};
use super::{ActionValue, Entry, Parameter, Policy};
use crate::games::{Lookahead, Playable};
use crate::random::Stream;

/// Plays the first move of the plan with the most points less a cost of each move.
///
/// A plan ends after a move that gains something, where that pays best, or after all its moves.
pub struct Exhaustive {
    /// Moves of a plan at the most.
    pub depth: u32,
    /// What a move costs, in points.
    pub cost: f64,
}

impl Exhaustive {
    /// What a move is worth with the best that may follow it.
    fn value<G: Lookahead>(&self, state: &G::State, action: usize, depth: u32) -> f64 {
        let after = G::after(state, action);
        let later = match depth {
            0 | 1 => 0.0,
            _ if G::actions_left(state) == 1 => 0.0,
            // Of the last moves those that gain something are enough, and one that does not.
            2 => best_of(after.actions.iter().map(|next| self.value::<G>(&after.state, next, 1))).max(-self.cost),
            _ => {
                let next = quiet_too::<G>(&after.state);
                best_of(next.iter().map(|next| self.value::<G>(&after.state, next, depth - 1)))
            }
        };
        f64::from(after.points) - self.cost + if after.points > 0.0 { later.max(0.0) } else { later }
    }
}

impl<G: Lookahead> Policy<G> for Exhaustive {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        let value = |action| ActionValue { action, value: self.value::<G>(state, action, self.depth) };
        quiet_too::<G>(state).iter().map(value).collect()
    }
}

/// The player's entry in the list.
pub fn entry<G: Playable>() -> Entry<G> {
    Entry {
        name: "exhaustive",
        about: "the best certain plan, of quiet moves too, by its points less a cost of each move",
        parameters: &[
            Parameter { key: "depth", default: Some("2"), about: "moves of a plan at the most, from 1 to 3" },
            Parameter { key: "cost", default: Some("3"), about: "what a move costs, in points" },
        ],
        build: |options, _| {
            options.player(Exhaustive {
                depth: options.number("depth", "a whole number", 1..=3)?,
                cost: options.number("cost", "a number", 0.0..=1e3)?,
            })
        },
    }
}
