//! The positions that values are fitted on, and what may follow them.

use rayon::prelude::*;

use super::config::Sampling;
use crate::agents::LinearValue;
use crate::games::{Features, offered};
use crate::random::{ColumnStreams, Role, Stream};

/// A position and what may follow each of its actions.
///
/// Of a position only its descriptions are kept, one behind the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// Those of the position itself.
    own: Vec<f32>,
    /// Those of all outcomes of all actions, in order.
    after: Vec<f32>,
    /// Where each outcome's end in `after`; none where the game is over.
    ends: Vec<u32>,
    /// Each action's points, the mean of its outcomes.
    rewards: Vec<f32>,
}

/// Draws positions and outcomes of all their actions, the same at any number of threads.
pub fn sample<G: Features>(rules: &G::Rules, sampling: &Sampling, seed: u64) -> Vec<Sampled> {
    let states = G::positions(rules, sampling.positions, &mut Stream::new(seed, Role::Sample, 0));
    let of = |(index, state): (usize, &G::State)| Sampled::of::<G>(rules, state, sampling.outcomes, seed, index as u64);
    states.par_iter().enumerate().map(of).collect()
}

impl Sampled {
    fn of<G: Features>(rules: &G::Rules, state: &G::State, outcomes: usize, seed: u64, index: u64) -> Self {
        let mut sampled = Self { own: Vec::new(), after: Vec::new(), ends: Vec::new(), rewards: Vec::new() };
        G::descriptions(state, |description| sampled.own.extend(description.iter().map(|number| *number as f32)));
        let (mask, _) = offered::<G>(state, G::DEFAULT_MASK);
        let position = G::at(rules, state);
        for action in mask.iter() {
            let mut points = 0.0;
            for outcome in 0..outcomes {
                // The same luck for every action takes part of chance out of their differences.
                let luck = index * outcomes as u64 + outcome as u64;
                let mut game = position.clone();
                let step = game.step(action, &mut ColumnStreams::new(seed, Role::Simulate, luck));
                points += step.reward;
                if !step.terminal {
                    let after = &mut sampled.after;
                    G::descriptions(&game.state(), |description| after.extend(description.iter().map(|n| *n as f32)));
                }
                sampled.ends.push(sampled.after.len() as u32);
            }
            sampled.rewards.push(points / outcomes as f32);
        }
        sampled
    }

    /// The features by which the position is valued: its description of the highest value.
    pub fn features(&self, value: &LinearValue) -> Vec<f64> {
        value.best(&self.own).1
    }

    /// The highest mean of points and discounted value that an action has.
    pub fn backup(&self, value: &LinearValue, discount: f64) -> f64 {
        let outcomes = self.ends.len() / self.rewards.len().max(1);
        let mut start = 0;
        let mut next = |end: u32| {
            let described = &self.after[start..end as usize];
            start = end as usize;
            if described.is_empty() { 0.0 } else { value.best(described).0 }
        };
        let actions = self.rewards.iter().zip(self.ends.chunks(outcomes.max(1)));
        let values = actions.map(|(reward, ends)| {
            let sum: f64 = ends.iter().map(|end| next(*end)).sum();
            f64::from(*reward) + discount * sum / outcomes as f64
        });
        values.fold(f64::NEG_INFINITY, f64::max)
    }
}
