//! Action values of many states by batched forward passes.

use rayon::prelude::*;

use super::{Encoded, Encoder, Evaluate, NetworkShape, Shown, TASK, View, by_certain_points};
use crate::error::Result;
use crate::games::{ActionMask, After, Game, Image, Plan, offered};

/// Actions of a state whose next moves are valued, at the most.
///
/// They are those with the highest values. A player that chooses among so many moves by their certain plans alone
/// loses little.
const PLANS: usize = 6;

/// A network that is asked for action values.
pub struct Evaluator<G: Game> {
    network: Box<dyn Evaluate>,
    shape: NetworkShape,
    view: View,
    /// Images in one forward pass at the most.
    batch: usize,
    encoder: Encoder<G>,
    values: Vec<f32>,
    /// What it adds to the plan of each of these, if it values next moves too.
    planned: Vec<f32>,
    /// Actions after each action that are valued too; 0 for none.
    ///
    /// Values are then those of one forward pass. Only a network that has learned to value plans may have more.
    pub next_moves: usize,
    /// Factor of the network's output, which is added to the prior.
    ///
    /// With 0 the prior alone is left.
    pub output: f32,
}

impl<G: Image> Evaluator<G> {
    /// An evaluator of a network of a shape.
    ///
    /// At most `batch` images, at least one, go through it at once.
    pub fn new(network: Box<dyn Evaluate>, shape: NetworkShape, batch: usize) -> Self {
        Self {
            view: shape.view,
            batch: batch.max(1),
            encoder: Encoder::new(shape.view),
            values: Vec::new(),
            planned: Vec::new(),
            next_moves: shape.next_moves,
            output: 1.0,
            network,
            shape,
        }
    }

    /// Has it give values by a view that differs from its network's.
    ///
    /// That is another mask, or the exact view in place of a dynamics model's predictions.
    pub fn see(&mut self, view: View) {
        self.view = view;
        self.encoder = Encoder::new(view);
    }

    /// What the network is shown of a position.
    pub fn view(&self) -> View {
        self.view
    }

    /// The network's shape.
    pub fn shape(&self) -> &NetworkShape {
        &self.shape
    }

    /// Action values of each state: `[states, actions]` in row-major order.
    ///
    /// A network that sees afterstates values the actions of its mask alone; the others are 0. If it values next moves
    /// too, those of the six actions with the highest values are the values of their plans, and the others of the
    /// mask, in their order, are lowered so far that they stand below these.
    pub fn values(&mut self, states: &[G::State]) -> Result<&[f32]> {
        let masks = self.masks(states);
        self.values_of(states, &masks)
    }

    /// The same with a mask for each state, its own or some actions of it.
    ///
    /// The actions whose next moves are valued too are then the best of these.
    pub fn values_of(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<&[f32]> {
        self.values_within(states, masks)?;
        self.plan(states, masks)?;
        Ok(&self.values)
    }

    /// The same, and for the actions outside of the mask their values too.
    ///
    /// These are by one forward pass, also of a network that sees afterstates.
    pub fn all_values(&mut self, states: &[G::State]) -> Result<&[f32]> {
        let masks = self.masks(states);
        self.values_within(states, &vec![ActionMask::all(G::ACTIONS); states.len()])?;
        self.plan(states, &masks)?;
        Ok(&self.values)
    }

    /// The actions that are offered in each state.
    pub fn masks(&self, states: &[G::State]) -> Vec<ActionMask> {
        let mask = self.view.mask;
        states.par_iter().with_min_len(TASK).map(|state| offered::<G>(state, mask).0).collect()
    }

    /// The same by one forward pass alone and with a mask for each state.
    ///
    /// Values outside of it may be left out and are then 0. No next moves are valued.
    pub fn values_within(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<&[f32]> {
        self.values.clear();
        match self.view.afterstates() {
            false => self.value_positions(states)?,
            true => self.value_afterstates(states, masks)?,
        }
        Ok(&self.values)
    }

    fn value_positions(&mut self, states: &[G::State]) -> Result<()> {
        for chunk in states.chunks(self.batch) {
            let chunk: Vec<_> = chunk.iter().map(|state| (*state, 0)).collect();
            let Encoded { images, scalars, .. } = self.encoder.positions(&chunk);
            let values = self.network.outputs(images, scalars)?;
            self.values.extend(values.iter().map(|value| self.output * value));
        }
        Ok(())
    }

    fn value_afterstates(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<()> {
        self.values.resize(states.len() * G::ACTIONS, 0.0);
        if self.shape.outputs > 1 {
            self.planned.clear();
            self.planned.resize(states.len() * G::ACTIONS, 0.0);
        }
        let rows = states.iter().zip(masks).enumerate();
        let (afterstates, places): (Vec<_>, Vec<_>) = rows
            .flat_map(|(row, (state, mask))| {
                mask.iter().map(move |action| ((*state, action, 0), row * G::ACTIONS + action))
            })
            .unzip();
        for (chunk, places) in afterstates.chunks(self.batch).zip(places.chunks(self.batch)) {
            let Encoded { images, scalars, priors } = self.encoder.afterstates(chunk);
            if self.shape.waves > 0 && self.view.shown == Shown::Done {
                self.network.outcome(images, priors)?;
            }
            let added = self.network.outputs(images, scalars)?;
            let added = added.chunks_exact(self.shape.outputs);
            for (place, (added, prior)) in places.iter().zip(added.zip(priors)) {
                self.values[*place] = self.output * added[0] + *prior;
                if let [_, planned] = added {
                    self.planned[*place] = self.output * planned;
                }
            }
        }
        Ok(())
    }

    /// Puts the values of plans in the place of each state's highest values.
    ///
    /// These are the highest within its mask, and only if next moves are valued; the others of the mask are lowered
    /// below them.
    fn plan(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<()> {
        if self.next_moves == 0 {
            return Ok(());
        }
        let (mut values, mut planned) = (std::mem::take(&mut self.values), std::mem::take(&mut self.planned));
        let mut chosen = Vec::new();
        for (row, (state, mask)) in states.iter().zip(masks).enumerate() {
            let mut actions: Vec<usize> = mask.iter().collect();
            actions.sort_by(|one, other| values[row * G::ACTIONS + other].total_cmp(&values[row * G::ACTIONS + one]));
            chosen.extend(actions.iter().take(PLANS).map(|action| (*state, *action)));
        }
        let next = self.next_values(&chosen)?;
        let mut next = next.into_iter().zip(&chosen);
        for (row, mask) in masks.iter().enumerate() {
            let values = &mut values[row * G::ACTIONS..][..G::ACTIONS];
            let planned = &mut planned[row * G::ACTIONS..][..G::ACTIONS];
            let mut left = *mask;
            let mut lowest = f32::INFINITY;
            for (next, (_, action)) in next.by_ref().take(mask.count().min(PLANS)) {
                values[*action] = next + planned[*action];
                lowest = lowest.min(values[*action]);
                left.remove(*action);
            }
            let highest = left.iter().map(|action| values[action]).fold(f32::NEG_INFINITY, f32::max);
            let lower = (highest - lowest).max(0.0);
            left.iter().for_each(|action| values[action] = (values[action] - lower).min(lowest.next_down()));
        }
        (self.values, self.planned) = (values, planned);
        Ok(())
    }

    /// Of each action its certain points and the highest value of a next move.
    ///
    /// The value is by one forward pass and counts at half of its worth. Of the moves that are certain to gain
    /// something after the action those with the highest prior are valued, of equal ones those with the lower number.
    /// In the network's units.
    ///
    /// # Panics
    /// If the network values no next moves.
    pub fn next_values(&mut self, actions: &[(G::State, usize)]) -> Result<Vec<f32>> {
        assert!(self.shape.next_moves > 0, "a network that values plans");
        let count = self.next_moves;
        let plan = self.view.prior().unwrap_or(Plan::of(1));
        let afters: Vec<After<G::State>> = actions
            .par_iter()
            .with_min_len(TASK)
            .map(|(state, action)| {
                let After { state, points, actions } = G::after(state, *action);
                let ranked = by_certain_points::<G>(&state, &actions, plan);
                After { state, points, actions: ranked.iter().take(count).map(|(action, _)| *action).collect() }
            })
            .collect();
        let (states, masks): (Vec<G::State>, Vec<ActionMask>) =
            afters.iter().map(|after| (after.state, after.actions)).unzip();
        let scale = self.view.scale;
        let values = self.values_within(&states, &masks)?;
        let value = |(after, values): (&After<G::State>, &[f32])| {
            let best = after.actions.iter().map(|action| values[action]).reduce(f32::max);
            scale * after.points + plan.weight as f32 * best.unwrap_or(0.0)
        };
        Ok(afters.iter().zip(values.chunks_exact(G::ACTIONS)).map(value).collect())
    }
}
