//! The planning player: the most points that are certain over several moves.

use super::policy::weigh;
use super::{Policy, Valued};
use crate::games::match3::{Match3, State, best_plan};
use crate::random::Stream;

/// Plays the first move of the best certain plan, never of more moves than are left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// The moves of a plan, at least 1.
    pub depth: u32,
    /// What a point is worth a move later.
    pub weight: f64,
}

impl Policy<Match3> for Plan {
    fn values(&self, state: &State, _: &mut Stream) -> Vec<Valued> {
        let later = self.depth.min(state.moves_left().unsigned_abs()).saturating_sub(1);
        weigh(state, |mut board, action| {
            let points = f64::from(board.play(action));
            points + self.weight * best_plan(&board, later, self.weight)
        })
    }
}
