//! The planning player: the most points that are certain over several moves.

use super::policy::weigh_chains;
use super::{Cascade, Policy, Valued};
use crate::games::match3::{Certain, Match3, State, best_plan};
use crate::random::Stream;

/// Plays the first move of the best certain plan, never of more moves than are left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// The moves of a plan, at least 1.
    pub depth: u32,
    /// What a point is worth a move later.
    pub weight: f64,
    /// First moves of which more than the first move is looked at, those with the most certain points; 0 for all.
    pub breadth: usize,
}

impl Policy<Match3> for Plan {
    fn values(&self, state: &State, _: &mut Stream) -> Vec<Valued> {
        let later = self.depth.min(state.moves_left().unsigned_abs()).saturating_sub(1);
        let mut boards = Vec::new();
        let mut values = weigh_chains(state, |chain| {
            boards.push((chain.points, chain.board()));
            chain.points.into()
        });
        if later == 0 || boards.is_empty() {
            return values;
        }
        let least = self.least(&boards);
        for (valued, (points, board)) in values.iter_mut().zip(&boards) {
            if *points >= least {
                valued.value += self.weight * best_plan(board, later, self.weight);
            }
        }
        values
    }
}

/// A guide that plans its first moves and plays the later ones as [`Cascade`] does, in a fraction of the time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlanThenCascade {
    /// How it plans, and values moves.
    pub plan: Plan,
    /// Moves that it plans.
    pub plans: u32,
}

impl Policy<Match3> for PlanThenCascade {
    fn values(&self, state: &State, ties: &mut Stream) -> Vec<Valued> {
        self.plan.values(state, ties)
    }

    fn follow(&self, moves: u32, state: &State, ties: &mut Stream) -> usize {
        match moves < self.plans {
            true => self.plan.choose(state, ties),
            false => Cascade.choose(state, ties),
        }
    }
}

impl Plan {
    /// The certain points of a first move from which on more of a plan is looked at.
    fn least(&self, boards: &[(i32, Certain)]) -> i32 {
        if self.breadth == 0 || boards.len() <= self.breadth {
            return i32::MIN;
        }
        let mut points: Vec<i32> = boards.iter().map(|(points, _)| *points).collect();
        *points.select_nth_unstable_by(self.breadth - 1, |a, b| b.cmp(a)).1
    }
}
