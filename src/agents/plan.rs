//! The planning player: the most points that are certain over several moves.

use super::policy::weigh;
use super::{Policy, Valued};
use crate::games::match3::{Certain, Match3, State};
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

/// The value of the best certain plan of at most `depth` moves: the certain points of its first move, and `weight`
/// times the best plan of one move less on the board that it leaves. 0 where no move is certain to match.
pub fn best_plan(board: &Certain, depth: u32, weight: f64) -> f64 {
    if depth == 0 {
        return 0.0;
    }
    let plan = |action| {
        let mut board = *board;
        f64::from(board.play(action)) + weight * best_plan(&board, depth - 1, weight)
    };
    board.matching().iter().map(plan).fold(0.0, f64::max)
}
