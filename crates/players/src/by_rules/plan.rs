use super::cascade::Cascade;
use crate::contract::{Meaning, Policy, Valued, weigh_certain};
use matchq_core::random::Stream;
use matchq_games::{Lookahead, Plan};

/// Plays the first move of the certain plan with the most points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Planner(
    /// Length, weight and breadth of the plans.
    pub Plan,
);

impl<G: Lookahead> Policy<G> for Planner {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        weigh_certain::<G>(state, self.0)
    }

    fn meaning(&self) -> Meaning {
        let Plan { depth, weight, .. } = self.0;
        Meaning::points(match depth {
            1 => "what the move gains for certain".to_owned(),
            _ => format!("what the best {depth} moves gain for certain, each at {weight} of the one before"),
        })
    }
}

/// A policy for simulations: plans its first moves, then plays as [`Cascade`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlanThenCascade {
    /// Planner of the first moves, and source of values.
    pub planner: Planner,
    /// Number of planned moves.
    pub plans: u32,
}

impl<G: Lookahead> Policy<G> for PlanThenCascade {
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        Policy::<G>::values(&self.planner, state, ties)
    }

    fn follow(&self, moves: u32, state: &G::State, ties: &mut Stream) -> usize {
        match moves < self.plans {
            true => Policy::<G>::choose(&self.planner, state, ties),
            false => Policy::<G>::choose(&Cascade, state, ties),
        }
    }

    fn meaning(&self) -> Meaning {
        Policy::<G>::meaning(&self.planner)
    }
}
