//! The parts of an update, in the order of [`update`](QLearner::update).

use std::marker::PhantomData;
use std::ops::Range;

use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::TrainConfig;
use super::config::{Config, Learning};
use super::gradient::{Batch, Gradient, gradient};
use super::maxima::Maxima;
use super::optimizer::{Optimizer, SavedMoments};
use super::relative::Baselines;
use super::replay::{Replay, Sample, Transition};
use super::simulated::Outcomes;
use super::target_network::{Target, TargetUpdate};
use super::targets::{self, Backup, Next};
use crate::error::{Error, Result};
use crate::games::{ActionMask, Image, SeenWave};
use crate::network::{Encoded, Encoder, Evaluator, QNetwork, device, evaluate, evaluator};
use crate::players::Arrays;
use crate::players::Measured;
use crate::random::{Draw, Role, Stream};

/// Minimum images in a pass without gradients, on the processor and on a GPU.
const BATCH: usize = 256;
const LARGE_BATCH: usize = 6_144;

/// Maximum images in one CPU thread's shard; a GPU takes the whole batch.
const IMAGES: usize = 16;

/// A batch with its targets.
pub(super) struct Labelled<S> {
    /// Each state with its symmetry.
    seen: Vec<(S, usize)>,
    /// Actions to learn, grouped by state.
    pub backups: Vec<Backup<S>>,
    targets: Vec<f32>,
    /// Value of each action's plan before the network's correction; empty without valued next
    /// moves.
    pub plan_priors: Vec<f32>,
    weights: Vec<f32>,
    /// Each wave with its symmetry.
    waves: Vec<(SeenWave<S>, usize)>,
}

struct Shown {
    /// Images of states, or of actions with afterstates.
    images: Vec<f32>,
    scalars: Vec<f32>,
    priors: Vec<f32>,
}

/// Networks, optimizer and random streams.
pub struct QLearner<G: Image + Measured> {
    learning: Learning,
    following: Target,
    rules: G::Rules,
    device: Device,
    online: QNetwork,
    target: QNetwork,
    /// The target network's computed maxima.
    pub(super) maxima: Maxima,
    /// States in which games will act next.
    awaited: Vec<G::State>,
    /// The target network's values of the awaited states; none before they are computed and once
    /// that network has changed.
    ahead: Option<Vec<f32>>,
    optimizer: Optimizer,
    sampling: Stream,
    symmetry: Stream,
    simulating: Stream,
    baselines: Baselines,
    updates: u64,
    game: PhantomData<G>,
}

/// Everything that changes in a [`QLearner`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedLearner {
    online: Arrays,
    target: Arrays,
    optimizer: Vec<SavedMoments>,
    sampling: Stream,
    symmetry: Stream,
    simulating: Stream,
    baselines: Baselines,
    updates: u64,
}

impl<G: Image + Measured> QLearner<G> {
    /// A learner with fresh weights; `device` is without autodiff.
    pub fn new(config: &TrainConfig<Config>, rules: &G::Rules, device: &Device) -> Self {
        let stream = |role| Stream::new(config.run.seed, role, 0);
        let online = QNetwork::new::<G>(&config.model(), &mut stream(Role::Initialise), &device.clone().autodiff());
        let Config { learning, target, .. } = &config.learner;
        let Learning { expected, double, candidates, .. } = *learning;
        let mask = online.view().mask;
        // The target network's maxima serve acting and targets if both take them over the same
        // actions.
        let same = mask.successor::<G>() == mask && !double && candidates == 0 && online.next_moves() == 0;
        Self {
            learning: learning.clone(),
            following: target.clone(),
            rules: rules.clone(),
            device: device.clone(),
            target: online.valid(),
            online,
            maxima: Maxima::new(same && expected.is_none()),
            awaited: Vec::new(),
            ahead: None,
            optimizer: Optimizer::new(learning),
            sampling: stream(Role::Sample),
            symmetry: stream(Role::Symmetry),
            simulating: stream(Role::Simulate),
            baselines: Baselines::default(),
            updates: 0,
            game: PhantomData,
        }
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    pub fn target(&self) -> &QNetwork {
        &self.target
    }

    /// The online network, which learns.
    pub fn network(&self) -> &QNetwork {
        &self.online
    }

    /// The network that plays: the online network, or its moving average if the target network is
    /// one.
    pub fn trained(&self) -> &QNetwork {
        match self.following.update {
            TargetUpdate::Hard => &self.online,
            TargetUpdate::Soft => &self.target,
        }
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Computes action values with a network.
    pub fn evaluator(&self, network: &QNetwork) -> Evaluator<G> {
        let most = if device::is_processor(&self.device) { BATCH } else { LARGE_BATCH };
        evaluator(network, self.learning.batch.max(most), &self.device)
    }

    /// Lets the next update also value the states in which games will act next, in the same pass:
    /// a GPU is waited for once.
    pub(super) fn look_ahead(&mut self, states: Vec<G::State>) {
        self.ahead = None;
        if self.maxima.are_kept() && !self.following.changes_at(self.updates + 1) {
            self.awaited = states;
        }
    }

    /// The target network's values of states, under their masks.
    pub(super) fn acting_values(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<Vec<f32>> {
        match self.ahead.take() {
            Some(values) => Ok(values),
            None => Ok(self.evaluator(&self.target).values_of(states, masks)?.to_vec()),
        }
    }

    pub(super) fn sample(&mut self, replay: &Replay<G::State>, importance_exponent: f64) -> Sample {
        replay.sample(self.learning.batch, importance_exponent, &mut self.sampling)
    }

    pub(super) fn backups(&mut self, batch: &[Transition<G::State>]) -> Vec<Backup<G::State>> {
        let Learning { expected, reward_scale: scale, discount, .. } = self.learning;
        let Some(expected) = expected else { return targets::sampled(batch) };
        let (rules, view) = (self.rules.clone(), self.online.view());
        Outcomes::<G> { rules, view, expected, scale, discount }.simulate(batch, &mut self.simulating)
    }

    /// Targets: `reward + discount * maximum`, minus a mean if values are relative.
    ///
    /// `slots` are those of the transitions.
    pub(super) fn targets(&mut self, backups: &[Backup<G::State>], slots: &[usize]) -> Result<Vec<f32>> {
        let mut targets: Vec<f32> = backups.iter().map(|backup| backup.reward).collect();
        let next: Vec<(usize, &Next<G::State>)> =
            backups.iter().enumerate().filter_map(|(index, backup)| Some((index, backup.next.as_ref()?))).collect();
        let states: Vec<(usize, G::State)> =
            next.iter().map(|(index, next)| (slots[backups[*index].row], next.state)).collect();
        for ((index, next), maximum) in next.iter().zip(self.maxima_of(&states)?) {
            let added = next.discount * maximum;
            self.baselines.add(G::actions_left(&next.state), added);
            targets[*index] += added;
        }
        if self.learning.relative {
            for (index, next) in &next {
                targets[*index] -= self.baselines.mean(G::actions_left(&next.state));
            }
        }
        Ok(targets)
    }

    /// Maxima of next states, each with its transition's slot.
    fn maxima_of(&mut self, next: &[(usize, G::State)]) -> Result<Vec<f32>> {
        let known: Vec<Option<f32>> = next.iter().map(|(slot, _)| self.maxima.get(*slot)).collect();
        let unknown = next.iter().zip(&known).filter(|(_, known)| known.is_none());
        let (slots, states): (Vec<usize>, Vec<G::State>) = unknown.map(|(next, _)| *next).unzip();
        let found = self.highest(states)?;
        slots.iter().zip(&found).for_each(|(slot, maximum)| self.maxima.keep(*slot, *maximum));
        let mut found = found.into_iter();
        Ok(known.into_iter().filter_map(|known| known.or_else(|| found.next())).collect())
    }

    /// The highest value of each state; also values the awaited states.
    fn highest(&mut self, states: Vec<G::State>) -> Result<Vec<f32>> {
        let Learning { double, candidates, .. } = self.learning;
        let view = self.online.shape().exact_view();
        let successors = |state: &G::State| view.successors::<G>(state, candidates);
        let mut masks: Vec<ActionMask> = states.par_iter().map(successors).collect();
        let mut target = self.evaluator(&self.target);
        let count = states.len();
        let mut all = states;
        masks.extend(target.masks(&self.awaited));
        all.append(&mut self.awaited);
        let values = target.values_within(&all, &masks)?;
        let (values, ahead) = values.split_at(count * G::ACTIONS);
        if all.len() > count {
            self.ahead = Some(ahead.to_vec());
        }
        let (states, masks) = (&all[..count], &masks[..count]);
        match double {
            false => Ok(targets::highest(values, masks, values)),
            true => {
                let mut online = self.evaluator(&self.online);
                Ok(targets::highest(values, masks, online.values_within(states, masks)?))
            }
        }
    }

    /// A batch with targets and random symmetries.
    pub(super) fn labelled(
        &mut self,
        batch: &[Transition<G::State>],
        weights: &[f32],
        backups: Vec<Backup<G::State>>,
        targets: Vec<f32>,
        waves: &[SeenWave<G::State>],
    ) -> Result<Labelled<G::State>> {
        let symmetries = if self.learning.symmetry { G::SYMMETRIES as u32 } else { 1 };
        let mut symmetry = || self.symmetry.below(symmetries) as usize;
        Ok(Labelled {
            seen: batch.iter().map(|transition| (transition.state, symmetry())).collect(),
            waves: waves.iter().map(|wave| (*wave, symmetry())).collect(),
            weights: backups.iter().map(|backup| weights[backup.row]).collect(),
            plan_priors: self.next_values(batch, &backups)?,
            targets,
            backups,
        })
    }

    /// Gradient of a batch; shards are added in a fixed order, for the same bits on any number of
    /// threads.
    pub(super) fn gradient(&self, labelled: &Labelled<G::State>) -> Result<Gradient> {
        let shown = self.shown(&labelled.seen, &labelled.backups)?;
        let images = if device::is_processor(&self.device) { IMAGES } else { usize::MAX };
        let tracked = self.device.clone().autodiff();
        let shards = targets::shards(&labelled.backups, images, self.online.view().afterstates());
        let shards = shards.into_par_iter().with_max_len(1);
        let parts: Vec<Gradient> = shards
            .map(|range| gradient(&self.online, &self.shard(labelled, &shown, range), self.learning.loss, &tracked))
            .collect();
        parts.into_iter().reduce(|sum, part| sum.with(part, &self.online)).ok_or_else(|| {
            Error::user("the replayed transitions do not fit the run's configuration: none has an action to learn")
        })
    }

    /// A range of values, which covers whole states, with its share of the waves.
    fn shard(&self, labelled: &Labelled<G::State>, shown: &Shown, range: Range<usize>) -> Batch {
        let (backups, view) = (&labelled.backups[range.clone()], self.online.view());
        let shape = [view.planes::<G>(), G::ROWS, G::COLUMNS];
        let size: usize = shape.iter().product();
        let outputs = self.online.outputs();
        let (images, places): (Range<usize>, Vec<usize>) = if view.afterstates() {
            (range.clone(), (0..backups.len()).map(|index| index * outputs).collect())
        } else {
            let first = backups.first().map_or(0, |backup| backup.row);
            let place = |backup: &Backup<G::State>| {
                let (_, symmetry) = labelled.seen[backup.row];
                (backup.row - first) * outputs + G::transform_action(backup.action.into(), symmetry)
            };
            (first..backups.last().map_or(0, |backup| backup.row + 1), backups.iter().map(place).collect())
        };
        let (count, waves) = (labelled.backups.len(), labelled.waves.len());
        let share = &labelled.waves[range.start * waves / count..range.end * waves / count];
        Batch {
            images: shown.images[images.start * size..images.end * size].to_vec(),
            shape,
            scalars: shown.scalars[images.start * G::SCALARS..images.end * G::SCALARS].to_vec(),
            places,
            priors: shown.priors[range.clone()].to_vec(),
            targets: labelled.targets[range.clone()].to_vec(),
            plan_priors: labelled.plan_priors.get(range.clone()).unwrap_or_default().to_vec(),
            weights: labelled.weights[range].iter().map(|weight| weight / count as f32).collect(),
            waves: Encoder::<G>::new(view).waves(share),
            wave_weight: share.len() as f32 / waves.max(1) as f32,
        }
    }

    /// Network input for a batch; with a dynamics model, that model's predictions.
    fn shown(&self, seen: &[(G::State, usize)], backups: &[Backup<G::State>]) -> Result<Shown> {
        let mut encoder = Encoder::<G>::new(self.online.view());
        if !self.online.view().afterstates() {
            let Encoded { images, scalars, .. } = encoder.positions(seen);
            let priors = vec![0.0; backups.len()];
            return Ok(Shown { images: images.to_vec(), scalars: scalars.to_vec(), priors });
        }
        let Encoded { images, scalars, priors } = encoder.afterstates(&afterstates(seen, backups));
        if self.online.dynamics().is_some() {
            evaluate(&self.online, &self.device).outcome(images, priors)?;
        }
        Ok(Shown { images: images.to_vec(), scalars: scalars.to_vec(), priors: priors.to_vec() })
    }

    /// Value of each action's plan by the target network; empty without valued next moves.
    fn next_values(&self, batch: &[Transition<G::State>], backups: &[Backup<G::State>]) -> Result<Vec<f32>> {
        if self.target.next_moves() == 0 {
            return Ok(Vec::new());
        }
        let action = |backup: &Backup<G::State>| (batch[backup.row].state, usize::from(backup.action));
        let actions: Vec<_> = backups.iter().map(action).collect();
        self.evaluator(&self.target).next_values(&actions)
    }

    /// Takes a gradient step; returns the gradient's norm before clipping, `[1]`.
    ///
    /// The share `progress` of the training sets the step size.
    pub(super) fn gradient_step(&mut self, gradients: GradientsParams, progress: f64) -> Tensor<1> {
        let rate = self.learning.learning_rate_at(progress);
        let (online, norm) = self.optimizer.step(rate, self.online.clone(), gradients);
        self.online = online;
        self.updates += 1;
        norm
    }

    pub(super) fn update_target_network(&mut self) {
        if let Some(target) = self.following.follow(&self.target, &self.online, self.updates) {
            self.target = target;
            self.maxima.clear();
            self.ahead = None;
        }
    }

    /// Everything that changes, as data.
    pub fn save(&self) -> Result<SavedLearner> {
        Ok(SavedLearner {
            online: self.online.arrays()?,
            target: self.target.arrays()?,
            optimizer: self.optimizer.save(&self.online)?,
            sampling: self.sampling.clone(),
            symmetry: self.symmetry.clone(),
            simulating: self.simulating.clone(),
            baselines: self.baselines.clone(),
            updates: self.updates,
        })
    }

    /// Restores a saved state; an error if of another network.
    pub fn restore(&mut self, saved: SavedLearner) -> Result<()> {
        self.online = self.online.clone().with_arrays(&saved.online)?;
        self.target = self.target.clone().with_arrays(&saved.target)?;
        self.maxima.clear();
        (self.awaited, self.ahead) = (Vec::new(), None);
        self.optimizer.restore(&saved.optimizer, &self.online, &self.device)?;
        self.sampling = saved.sampling;
        self.symmetry = saved.symmetry;
        self.simulating = saved.simulating;
        self.baselines = saved.baselines;
        self.updates = saved.updates;
        Ok(())
    }
}

fn afterstates<S: Copy>(seen: &[(S, usize)], backups: &[Backup<S>]) -> Vec<(S, usize, usize)> {
    let afterstate = |backup: &Backup<S>| {
        let (state, symmetry) = seen[backup.row];
        (state, backup.action.into(), symmetry)
    };
    backups.iter().map(afterstate).collect()
}
