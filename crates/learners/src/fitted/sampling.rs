//! Positions, with outcomes of their actions, drawn once.

use matchq_core::pool;
use std::ops::Range;

use super::config::Sampling;
use crate::games::{MaskKind, offered};
use crate::players::{LinearValue, Roster};
use crate::random::{ColumnStreams, Role, Stream};

/// A position and the outcomes of its actions, as descriptions.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    own: Vec<f32>,
    after: Vec<f32>,
    actions: Vec<Action>,
}

#[derive(Clone, Debug, PartialEq)]
struct Action {
    /// Mean points.
    points: f32,
    /// Each outcome's descriptions in `after`; empty at a game's end.
    outcomes: Vec<Range<u32>>,
}

/// Draws positions and outcomes, the same on any number of threads.
pub fn sample<G: Roster>(rules: &G::Rules, mask: MaskKind, sampling: &Sampling, seed: u64) -> Vec<Sampled> {
    let states = G::positions(rules, sampling.positions, &mut Stream::new(seed, Role::Sample, 0));
    let outcomes = sampling.outcomes as u64;
    let of = |index: usize| {
        let luck =
            (0..outcomes).map(|outcome| ColumnStreams::new(seed, Role::Simulate, index as u64 * outcomes + outcome));
        // Equal luck for all actions removes some chance from their differences.
        Sampled::of::<G>(&G::at(rules, &states[index]), mask, &luck.collect::<Vec<_>>())
    };
    pool::map(states.len(), 1, of)
}

impl Sampled {
    fn of<G: Roster>(position: &G, mask: MaskKind, luck: &[ColumnStreams]) -> Self {
        let described = |state: &G::State, to: &mut Vec<f32>| {
            let start = to.len() as u32;
            G::descriptions(state, |description| to.extend(description.iter().map(|number| *number as f32)));
            start..to.len() as u32
        };
        let (mut own, mut after) = (Vec::new(), Vec::new());
        let state = position.state();
        described(&state, &mut own);
        let mut action = |action| {
            let (mut points, mut outcomes) = (0.0, Vec::<Range<u32>>::new());
            let mut first = None;
            for luck in luck {
                let (mut game, mut luck) = (position.clone(), luck.clone());
                let step = game.step(action, &mut luck);
                points += step.reward / G::unit(&state) as f32;
                let next = (!step.terminal).then(|| game.state());
                outcomes.push(match (&next, &outcomes.first()) {
                    // Where nothing is drawn, all outcomes are equal.
                    (_, Some(range)) if first == Some(next) => (*range).clone(),
                    (Some(state), _) => described(state, &mut after),
                    (None, _) => 0..0,
                });
                first.get_or_insert(next);
            }
            Action { points: points / luck.len() as f32, outcomes }
        };
        let actions = offered::<G>(&state, mask).0.iter().map(&mut action).collect();
        Self { own, after, actions }
    }

    /// Features of the position.
    pub fn features(&self, value: &LinearValue) -> Vec<f64> {
        value.features(&self.own)
    }

    /// Highest mean of points plus discounted value over the actions.
    pub fn backup(&self, value: &LinearValue, discount: f64) -> f64 {
        let value_of = |range: &Range<u32>| match range.is_empty() {
            true => 0.0,
            false => value.value(&self.after[range.start as usize..range.end as usize]),
        };
        let of = |action: &Action| {
            let sum: f64 = action.outcomes.iter().map(value_of).sum();
            f64::from(action.points) + discount * sum / action.outcomes.len() as f64
        };
        self.actions.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
    }
}
