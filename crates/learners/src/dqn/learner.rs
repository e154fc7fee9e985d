//! The parts of an update, in the order of [`update`](QLearner::update).

use matchq_core::pool;
use std::marker::PhantomData;
use std::ops::Range;

use burn::module::Module as _;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use super::super::TrainConfig;
use super::config::{Config, Learning};
use super::gradient::{Batch, Gradient, gradient};
use super::moment::Remembered;
use super::optimizer::{Optimizer, SavedMoments};
use super::relative::Baselines;
use super::replay::{Replay, Sample, Transition};
use super::simulated::Outcomes;
use super::target_network::{Target, TargetUpdate};
use super::target_values::{NextState, TargetValues};
use super::targets::{self, Backup, Next};
use crate::error::{Error, Result};
use crate::games::{Image, SeenWave};
use crate::network::{Encoded, Encoder, Evaluator, QNetwork, device, evaluate, has_kernels, masks};
use crate::players::{Arrays, Measured};
use crate::random::{Draw, Role, Stream};

/// Maximum images in one CPU thread's shard; a GPU takes the whole batch.
const IMAGES: usize = 16;

/// A batch with its targets.
pub(super) struct Labelled<S> {
    /// Each state with its symmetry.
    seen: Vec<(S, usize)>,
    /// Action values to learn, grouped by state.
    pub values: Vec<Value<S>>,
    /// Each wave with its symmetry.
    waves: Vec<(SeenWave<S>, usize)>,
}

/// An action value to learn.
pub(super) struct Value<S> {
    pub backup: Backup<S>,
    target: f32,
    /// Value of the action's plan before the network's correction; none without valued next moves.
    plan_prior: Option<f32>,
    /// Weight of its loss.
    weight: f32,
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
    pub(super) target: TargetValues<G>,
    optimizer: Optimizer,
    sampling: Stream,
    symmetry: Stream,
    simulating: Stream,
    baselines: Baselines,
    updates: u64,
    /// Slots from which the last update learned.
    pub(super) sampled: Vec<usize>,
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
        let Config { learning, target, .. } = &config.learner;
        let (mut fresh, tracked) = (stream(Role::Initialise), device.clone().autodiff());
        let mut online = QNetwork::new::<G>(&config.model(), &mut fresh, &tracked);
        if learning.learns_future_apart() {
            online = online.with_future(&mut fresh, &tracked);
        }
        // Gradients have leaves of their own; those of a network that no graph uses would stay in memory.
        let online = online.no_grad();
        Self {
            learning: learning.clone(),
            following: target.clone(),
            rules: rules.clone(),
            device: device.clone(),
            target: TargetValues::new(&online, &config.learner, device),
            online,
            optimizer: Optimizer::new(learning),
            sampling: stream(Role::Sample),
            symmetry: stream(Role::Symmetry),
            simulating: stream(Role::Simulate),
            baselines: Baselines::default(),
            updates: 0,
            sampled: Vec::new(),
            game: PhantomData,
        }
    }

    /// Device of the networks, without autodiff.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The target network.
    pub fn target(&self) -> &QNetwork {
        self.target.network()
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
            TargetUpdate::Soft => self.target(),
        }
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Computes action values with a network.
    pub fn evaluator(&self, network: &QNetwork) -> Evaluator<G> {
        self.target.evaluator(network)
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

    /// Targets: `reward + discount * maximum`, less the running mean of `discount * maximum` over next
    /// states with as many actions left if values are relative.
    ///
    /// `slots` are those of the transitions.
    pub(super) fn targets(&mut self, backups: &[Backup<G::State>], slots: &[usize]) -> Result<Vec<f32>> {
        let mut targets: Vec<f32> = backups.iter().map(|backup| backup.reward).collect();
        let next: Vec<(usize, &Next<G::State>)> =
            backups.iter().enumerate().filter_map(|(index, backup)| Some((index, backup.next.as_ref()?))).collect();
        let slot = |index: usize| slots[backups[index].row];
        let states: Vec<NextState<G::State>> =
            next.iter().map(|(index, next)| NextState { slot: slot(*index), state: next.state }).collect();
        for ((index, next), maximum) in next.iter().zip(self.target.maxima(&states, &self.online)?) {
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

    /// Transitions in slots of the memory, with values and targets as the networks are now; slots that
    /// are empty are left out.
    pub(super) fn remembered(&self, replay: &Replay<G::State>, slots: &[usize]) -> Result<Vec<Remembered<G::State>>> {
        let slots: Vec<usize> = slots.iter().copied().filter(|slot| *slot < replay.len()).collect();
        let transitions: Vec<&Transition<G::State>> = slots.iter().map(|slot| replay.get(*slot)).collect();
        let states: Vec<G::State> = transitions.iter().map(|transition| transition.state).collect();
        let masks = masks::<G>(&states, self.online.view().mask);
        let mut online = self.evaluator(&self.online);
        let values = online.values_of(&states, &masks)?;
        let following = transitions.iter().filter(|transition| transition.discount != 0.0);
        let following: Vec<G::State> = following.map(|transition| transition.next).collect();
        let mut maxima = self.target.looked_up(&following, &self.online)?.into_iter();
        let points = 1.0 / self.learning.reward_scale as f32;
        let one = |(index, transition): (usize, &&Transition<G::State>)| {
            let Transition { state, next, action, reward, discount } = **transition;
            let next = (discount != 0.0).then_some(next);
            let future = next.and_then(|_| maxima.next()).unwrap_or_default();
            let average =
                next.filter(|_| self.learning.relative).map(|next| self.baselines.mean(G::actions_left(&next)));
            let action = usize::from(action);
            Remembered {
                slot: slots[index],
                state,
                action,
                reward: points * reward,
                next,
                value: points * values[index * G::ACTIONS + action],
                future: points * discount * future,
                average: points * average.unwrap_or_default(),
            }
        };
        Ok(transitions.iter().enumerate().map(one).collect())
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
        let seen = batch.iter().map(|transition| (transition.state, symmetry())).collect();
        let waves = waves.iter().map(|wave| (*wave, symmetry())).collect();
        let mut plan_priors = self.plan_priors(batch, &backups)?.into_iter();
        let value = |(backup, target): (Backup<G::State>, f32)| {
            let (weight, plan_prior) = (weights[backup.row], plan_priors.next());
            Value { backup, target, plan_prior, weight }
        };
        Ok(Labelled { seen, values: backups.into_iter().zip(targets).map(value).collect(), waves })
    }

    /// Gradient of a batch; shards are added in a fixed order, for the same bits on any number of
    /// threads.
    pub(super) fn gradient(&self, labelled: &Labelled<G::State>) -> Result<Gradient> {
        if labelled.values.is_empty() {
            let none = "the replayed transitions do not fit the run's configuration: none has an action to learn";
            return Err(Error::user(none));
        }
        let shown = self.shown(labelled)?;
        let tracked = self.device.clone().autodiff();
        let shards = self.shards(labelled);
        let parts: Vec<Result<Gradient>> = pool::map(shards.len(), 1, |index| {
            let shard = self.shard(labelled, &shown, shards[index].clone());
            gradient(&self.online, &shard, self.learning.loss, &tracked)
        });
        let mut parts = parts.into_iter();
        let first = parts.next().expect("values have a shard")?;
        parts.try_fold(first, |sum, part| Ok(sum.with(part?, &self.online)))
    }

    /// Ranges of values, which cover whole states, and of waves.
    fn shards(&self, labelled: &Labelled<G::State>) -> Vec<[Range<usize>; 2]> {
        let (count, waves) = (labelled.values.len(), labelled.waves.len());
        if has_kernels(&self.device) {
            // The kernels share out values themselves.
            let share = |first: usize| [count..count, first..waves.min(first + IMAGES)];
            return [[0..count, 0..0]].into_iter().chain((0..waves).step_by(IMAGES).map(share)).collect();
        }
        let images = if device::is_processor(&self.device) { IMAGES } else { usize::MAX };
        let rows: Vec<usize> = labelled.values.iter().map(|value| value.backup.row).collect();
        let shards = targets::shards(&rows, images, self.online.view().afterstates()).into_iter();
        shards.map(|range| [range.clone(), range.start * waves / count..range.end * waves / count]).collect()
    }

    /// The batch of a shard.
    fn shard(&self, labelled: &Labelled<G::State>, shown: &Shown, [range, waves]: [Range<usize>; 2]) -> Batch {
        let (values, view) = (&labelled.values[range.clone()], self.online.view());
        let shape = [view.planes::<G>(), G::ROWS, G::COLUMNS];
        let size: usize = shape.iter().product();
        let outputs = self.online.outputs();
        let each = outputs * self.online.heads();
        let (images, places): (Range<usize>, Vec<usize>) = if view.afterstates() {
            (range.clone(), (0..values.len()).map(|index| index * outputs).collect())
        } else {
            let first = values.first().map_or(0, |value| value.backup.row);
            let place = |Value { backup, .. }: &Value<G::State>| {
                let (_, symmetry) = labelled.seen[backup.row];
                let head = backup.part as usize * outputs;
                (backup.row - first) * each + head + G::transform_action(backup.action.into(), symmetry)
            };
            (first..values.last().map_or(0, |value| value.backup.row + 1), values.iter().map(place).collect())
        };
        let (count, share) = (labelled.values.len(), &labelled.waves[waves]);
        Batch {
            images: shown.images[images.start * size..images.end * size].to_vec(),
            shape,
            scalars: shown.scalars[images.start * G::SCALARS..images.end * G::SCALARS].to_vec(),
            places,
            priors: shown.priors[range].to_vec(),
            targets: values.iter().map(|value| value.target).collect(),
            plan_priors: values.iter().filter_map(|value| value.plan_prior).collect(),
            weights: values.iter().map(|value| value.weight / count as f32).collect(),
            waves: Encoder::<G>::new(view).waves(share),
            wave_weight: share.len() as f32 / labelled.waves.len().max(1) as f32,
        }
    }

    /// Network input for a batch; with a dynamics model, that model's predictions.
    fn shown(&self, Labelled { seen, values, .. }: &Labelled<G::State>) -> Result<Shown> {
        let mut encoder = Encoder::<G>::new(self.online.view());
        if !self.online.view().afterstates() {
            let Encoded { images, scalars, .. } = encoder.positions(seen);
            let priors = vec![0.0; values.len()];
            return Ok(Shown { images: images.to_vec(), scalars: scalars.to_vec(), priors });
        }
        let afterstate = |Value { backup, .. }: &Value<G::State>| {
            let (state, symmetry) = seen[backup.row];
            (state, backup.action.into(), symmetry)
        };
        let afterstates: Vec<_> = values.iter().map(afterstate).collect();
        let Encoded { images, scalars, priors } = encoder.afterstates(&afterstates);
        if self.online.dynamics().is_some() {
            evaluate(&self.online, &self.device).outcome(images, priors)?;
        }
        Ok(Shown { images: images.to_vec(), scalars: scalars.to_vec(), priors: priors.to_vec() })
    }

    /// Value of each action's plan by the target network; empty without valued next moves.
    fn plan_priors(&self, batch: &[Transition<G::State>], backups: &[Backup<G::State>]) -> Result<Vec<f32>> {
        if self.target().next_moves() == 0 {
            return Ok(Vec::new());
        }
        let action = |backup: &Backup<G::State>| (batch[backup.row].state, usize::from(backup.action));
        let actions: Vec<_> = backups.iter().map(action).collect();
        self.evaluator(self.target()).next_values(&actions)
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
        if let Some(target) = self.following.follow(self.target(), &self.online, self.updates) {
            self.target.set(target);
        }
    }

    /// Everything that changes, as data.
    pub fn save(&self) -> Result<SavedLearner> {
        Ok(SavedLearner {
            online: self.online.arrays()?,
            target: self.target().arrays()?,
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
        self.target.set(self.target().clone().with_arrays(&saved.target)?);
        self.optimizer.restore(&saved.optimizer, &self.online, &self.device)?;
        self.sampling = saved.sampling;
        self.symmetry = saved.symmetry;
        self.simulating = saved.simulating;
        self.baselines = saved.baselines;
        self.updates = saved.updates;
        Ok(())
    }
}
