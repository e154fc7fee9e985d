//! The expecting player: the most points on average over simulated outcomes.

use rand::Rng;

use super::policy::weigh;
use super::{Policy, Valued};
use crate::games::Game;
use crate::games::match3::{Certain, Match3, Rules, State, best_plan};
use crate::random::{Role, Stream};

/// Plays the move with the highest mean, over simulated outcomes, of its score plus `weight` times the best certain
/// plan of `depth` moves after it. All moves are tried with the same random numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expected {
    /// The rules of the simulated games.
    pub rules: Rules,
    /// Outcomes of each move, at least 1.
    pub samples: u32,
    /// The moves of the plan after the move; 0 for none.
    pub depth: u32,
    /// What a point is worth a move later.
    pub weight: f64,
}

impl Policy<Match3> for Expected {
    fn values(&self, state: &State, ties: &mut Stream) -> Vec<Valued> {
        let seed = ties.next_u64();
        weigh(state, |_, action| {
            let sample = |index| self.outcome(state, action, &mut Stream::new(seed, Role::Simulate, index));
            (0..u64::from(self.samples)).map(sample).sum::<f64>() / f64::from(self.samples)
        })
    }
}

impl Expected {
    fn outcome(&self, state: &State, action: usize, stream: &mut Stream) -> f64 {
        let mut game = Match3::at(&self.rules, state);
        let points = f64::from(game.step(action, stream).reward);
        let depth = self.depth.min(game.moves_left().max(0).unsigned_abs());
        points + self.weight * best_plan(&Certain::of(&game.state()), depth, self.weight)
    }
}
