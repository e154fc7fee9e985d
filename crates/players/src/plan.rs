use crate::Cascade;
use crate::error::Result;
use crate::games::{Lookahead, Plan};
use crate::judged::Meaning;
use crate::options::{BREADTH, Entry, LONGEST_PLAN, Options, Parameter, WEIGHT};
use crate::policy::{ActionValue, Policy, weigh_certain};
use crate::random::Stream;
use crate::roster::Roster;

/// Plays the first move of the certain plan with the most points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Planner(
    /// Length, weight and breadth of the plans.
    pub Plan,
);

impl<G: Lookahead> Policy<G> for Planner {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
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
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue> {
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

pub fn entry<G: Roster>() -> Entry<G> {
    Entry {
        name: "plan",
        about: "the best certain chains over several moves",
        parameters: &[
            Parameter { key: "depth", default: Some("2"), about: "moves of a plan, at least 1" },
            Parameter { key: "weight", default: Some("0.5"), about: WEIGHT },
            Parameter { key: "breadth", default: Some("0"), about: BREADTH },
        ],
        build: |options, _| options.player(Planner(plan(options)?)),
    }
}

fn plan<G: Roster>(options: &Options<G>) -> Result<Plan> {
    Ok(Plan {
        depth: options.number("depth", "a whole number", 1..=LONGEST_PLAN)?,
        weight: options.number("weight", "a number", 0.0..=1.0)?,
        breadth: options.number("breadth", "a whole number", 0..=G::ACTIONS)?,
    })
}
