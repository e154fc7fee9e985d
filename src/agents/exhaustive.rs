//! The exhaustive player: all certain plans of a few moves, quiet moves too.

use super::policy::best_of;
use super::{ActionValue, Entry, Parameter, Policy};
use crate::games::{Lookahead, MaskKind, Playable};
use crate::random::Stream;

/// Plays the first move of the plan with the most points less a cost of each move.
///
/// A plan ends where it pays best. What gains nothing at once may come anywhere but last.
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
        let last = depth == 2;
        let next = if last { after.actions } else { G::mask(&after.state, MaskKind::LEGAL) };
        let later = match depth {
            0 | 1 => 0.0,
            _ if G::actions_left(state) == 1 => 0.0,
            _ => best_of(next.iter().map(|next| self.value::<G>(&after.state, next, depth - 1))),
        };
        f64::from(after.points) - self.cost + later.max(0.0)
    }
}

impl<G: Lookahead> Policy<G> for Exhaustive {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        let legal = G::mask(state, MaskKind::LEGAL);
        legal.iter().map(|action| ActionValue { action, value: self.value::<G>(state, action, self.depth) }).collect()
    }
}

/// The player's entry in the list.
pub fn entry<G: Playable>() -> Entry<G> {
    Entry {
        name: "exhaustive",
        about: "the best certain plan of all legal moves, quiet ones too, by its points less a cost of each move",
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
