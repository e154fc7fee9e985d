//! The Q-learner: one sampled batch in, one step of the optimizer and of the target network out.

use std::marker::PhantomData;
use std::ops::Range;

use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::TrainConfig;
use super::config::{Config, Learning};
use super::optimizer::{Optimizer, SavedMoments};
use super::parameters::{Add, Untangle};
use super::relative::Baselines;
use super::replay::{Replay, Transition};
use super::simulated::Outcomes;
use super::target_network::Target;
use super::targets::{self, Backup, Next, targets};
use crate::error::Result;
use crate::games::{ActionMask, Image};
use crate::network::{Encoded, Encoder, Evaluator, QNetwork, device, to_vec};
use crate::random::{Draw, Role, Stream};
use crate::store::Arrays;

/// What an update was like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// Mean loss of the batch, weighted by importance.
    pub loss: f32,
    /// Mean value of the actions taken, in scaled rewards.
    pub value: f32,
    /// Mean absolute difference between value and target, in scaled rewards.
    pub error: f32,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f32,
    /// Mean loss of the values of plans, weighted as `loss`, if the network values next moves too.
    pub plan_loss: Option<f32>,
    /// Mean loss of the dynamics model, if the network has one.
    pub wave_loss: Option<f32>,
}

/// Images in one forward pass of the target, where the batch is not larger.
const BATCH: usize = 256;

/// Images, but for a state that alone has more, whose forward and backward pass is one thread's work on a processor; a GPU has
/// the whole batch at once.
const IMAGES: usize = 16;

/// What a shard of a batch gives.
#[derive(Default)]
struct Shard {
    gradients: GradientsParams,
    /// Its part of the mean loss.
    loss: f32,
    /// The same of the values of plans.
    plan_loss: f32,
    /// The same of the dynamics model.
    wave_loss: f32,
    values: Vec<f32>,
    errors: Vec<f32>,
}

/// Actions with the values that they should have.
struct LabelledActions<'a, S> {
    /// The actions; those of a state stand side by side.
    backups: &'a [Backup<S>],
    /// What each of the values should be.
    targets: &'a [f32],
    /// What its plan is worth without what the network adds to that; none if it values no next moves.
    next_values: &'a [f32],
    /// How much each counts.
    weights: &'a [f32],
    /// Which wave of its chain is learned; none if the network has no dynamics model.
    draws: &'a [u32],
}

impl<S> LabelledActions<'_, S> {
    /// Some of them.
    fn part(&self, range: Range<usize>) -> Self {
        let Self { backups, targets, next_values, weights, draws } = self;
        Self {
            backups: &backups[range.clone()],
            targets: &targets[range.clone()],
            next_values: next_values.get(range.clone()).unwrap_or_default(),
            weights: &weights[range.clone()],
            draws: draws.get(range).unwrap_or_default(),
        }
    }
}

/// The network's output for actions, and what it is added to.
struct Output {
    /// Shape `[actions]`.
    values: Tensor<1>,
    /// What it adds to the actions' plans, shape `[actions]`.
    planned: Option<Tensor<1>>,
    /// The prior of each action.
    prior: Vec<f32>,
}

impl Shard {
    /// Both together.
    fn with(mut self, other: Self, network: &QNetwork) -> Self {
        let mut sum = Add { gradients: &mut self.gradients, others: other.gradients };
        network.visit(&mut sum);
        self.values.extend(other.values);
        self.errors.extend(other.errors);
        Self {
            loss: self.loss + other.loss,
            plan_loss: self.plan_loss + other.plan_loss,
            wave_loss: self.wave_loss + other.wave_loss,
            ..self
        }
    }
}

/// Networks, optimizer and the learner's random streams.
pub struct QLearner<G: Image> {
    learning: Learning,
    follow: Target,
    rules: G::Rules,
    device: Device,
    online: QNetwork,
    target: QNetwork,
    optimizer: Optimizer,
    sampling: Stream,
    symmetry: Stream,
    simulating: Stream,
    /// Which wave of a chain is learned.
    waves: Stream,
    /// What next states' values add on average, from which they may count.
    baselines: Baselines,
    updates: u64,
    game: PhantomData<G>,
}

/// All of it that moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedLearner {
    online: Arrays,
    target: Arrays,
    optimizer: Vec<SavedMoments>,
    sampling: Stream,
    symmetry: Stream,
    simulating: Stream,
    waves: Stream,
    baselines: Baselines,
    updates: u64,
}

impl<G: Image> QLearner<G> {
    /// A learner with fresh weights on a device without gradients.
    pub fn new(config: &TrainConfig<Config>, rules: &G::Rules, device: &Device) -> Self {
        let stream = |role| Stream::new(config.run.seed, role, 0);
        let online = QNetwork::new::<G>(&config.model(), &mut stream(Role::Initialise), &device.clone().autodiff());
        let Config { learning, target, .. } = &config.learner;
        Self {
            learning: learning.clone(),
            follow: target.clone(),
            rules: rules.clone(),
            device: device.clone(),
            target: online.valid(),
            online,
            optimizer: Optimizer::new(learning),
            sampling: stream(Role::Sample),
            symmetry: stream(Role::Symmetry),
            simulating: stream(Role::Simulate),
            waves: stream(Role::Wave),
            baselines: Baselines::default(),
            updates: 0,
            game: PhantomData,
        }
    }

    /// The network that learns.
    pub fn network(&self) -> &QNetwork {
        &self.online
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Learns one batch from a memory that is not empty; `progress` is the share of the training that is done.
    pub fn update(&mut self, replay: &mut Replay<G::State>, importance_exponent: f64, progress: f64) -> Result<Update> {
        let sample = replay.sample(self.learning.batch, importance_exponent, &mut self.sampling);
        let batch: Vec<Transition<G::State>> = sample.slots.iter().map(|slot| *replay.get(*slot)).collect();
        let backups = self.backups(&batch);
        let targets = self.targets(&backups, progress)?;
        let weights: Vec<f32> = backups.iter().map(|backup| sample.weights[backup.row]).collect();

        let draws: Vec<u32> = match self.online.dynamics() {
            None => Vec::new(),
            Some(_) => backups.iter().map(|_| self.waves.below(u32::MAX)).collect(),
        };
        let symmetries = if self.learning.symmetry { G::SYMMETRIES as u32 } else { 1 };
        let seen: Vec<(G::State, usize)> =
            batch.iter().map(|transition| (transition.state, self.symmetry.below(symmetries) as usize)).collect();
        let next_values = self.next_values(&batch, &backups)?;
        let labelled = LabelledActions {
            backups: &backups,
            targets: &targets,
            next_values: &next_values,
            weights: &weights,
            draws: &draws,
        };
        let Shard { gradients, loss, plan_loss, wave_loss, values, errors } = self.learn(&seen, &labelled)?;
        let rate = self.learning.learning_rate_at(progress);
        let (online, gradient_norm) = self.optimizer.step(rate, self.online.clone(), gradients)?;
        self.online = online;
        self.updates += 1;
        self.target = self.follow.follow(self.target.clone(), &self.online, self.updates);

        replay.set_errors(&sample.slots, &targets::mean_errors(&backups, &errors, batch.len()));
        let mean = |sum: f32| sum / backups.len() as f32;
        Ok(Update {
            loss,
            value: mean(values.iter().sum()),
            error: mean(errors.iter().map(|error| error.abs()).sum()),
            gradient_norm,
            plan_loss: (!next_values.is_empty()).then_some(plan_loss),
            wave_loss: self.online.dynamics().map(|_| wave_loss),
        })
    }

    /// Forward and backward pass of a batch: shards of it side by side, summed in their order, so that the number of threads
    /// changes nothing.
    fn learn(&self, seen: &[(G::State, usize)], labelled: &LabelledActions<G::State>) -> Result<Shard> {
        let images = if device::is_processor(&self.device) { IMAGES } else { usize::MAX };
        let count = labelled.backups.len() as f32;
        let shards = targets::shards(labelled.backups, images, self.online.view().afterstates());
        let shards = shards.into_par_iter().with_max_len(1);
        let shards: Result<Vec<Shard>> =
            shards.map(|range| self.learn_shard(seen, &labelled.part(range), count)).collect();
        Ok(shards?.into_iter().reduce(|sum, shard| sum.with(shard, &self.online)).unwrap_or_default())
    }

    /// The same of a shard of whole states, in a batch of so many values.
    fn learn_shard(
        &self,
        seen: &[(G::State, usize)],
        labelled: &LabelledActions<G::State>,
        count: f32,
    ) -> Result<Shard> {
        let LabelledActions { backups, targets, next_values, weights, draws } = *labelled;
        let tracked = self.device.clone().autodiff();
        let column = |numbers: Vec<f32>| {
            let count = numbers.len();
            Tensor::<1>::from_data(TensorData::new(numbers, [count]), &tracked)
        };
        // A network of its own: what is tracked of two shards must not meet.
        let network = self.online.clone().map(&mut Untangle);
        let targets = column(targets.to_vec());
        let weights = column(weights.iter().map(|weight| weight / count).collect());
        let huber_delta = self.learning.huber_delta as f32;
        let loss_of = |errors: Tensor<1>| (self.learning.loss.of(errors, huber_delta) * weights.clone()).sum();

        let Output { values, planned, prior } = self.output(&network, seen, backups, &tracked);
        let values = values + column(prior);
        let errors = values.clone() - targets.clone();
        let loss = loss_of(errors.clone());
        let mut total = loss.clone();
        let (mut plan_loss, mut wave_loss) = (0.0, 0.0);
        if let Some(planned) = planned {
            let loss = loss_of(planned + column(next_values.to_vec()) - targets);
            plan_loss = to_vec(loss.clone().inner())?[0];
            total = total + loss;
        }
        if let Some((model, waves)) = network.dynamics() {
            let afterstates = afterstates(seen, backups);
            let waves = Encoder::<G>::new(network.view()).waves(&afterstates, draws, waves, &tracked);
            let loss = model.loss(waves).mul_scalar(backups.len() as f32 / count);
            wave_loss = to_vec(loss.clone().inner())?[0];
            total = total + loss;
        }
        let gradients = GradientsParams::from_grads(total.backward(), &network);
        Ok(Shard {
            gradients,
            loss: to_vec(loss.inner())?[0],
            plan_loss,
            wave_loss,
            values: to_vec(values.inner())?,
            errors: to_vec(errors.inner())?,
        })
    }

    /// The network's output for the actions of backups, which are of neighbouring rows, each state seen under a symmetry.
    fn output(
        &self,
        network: &QNetwork,
        seen: &[(G::State, usize)],
        backups: &[Backup<G::State>],
        tracked: &Device,
    ) -> Output {
        // The values are not learned from what the model does not predict yet.
        let mut encoder = Encoder::<G>::new(network.exact_view());
        if network.view().afterstates() {
            let Encoded { images, scalars, priors } = encoder.afterstates(&afterstates(seen, backups), tracked);
            let output = network.forward(images, scalars);
            let column = |index| output.clone().narrow(1, index, 1).reshape([backups.len()]);
            let planned = (network.outputs() > 1).then(|| column(1));
            return Output { values: column(0), planned, prior: priors.to_vec() };
        }
        let first = backups.first().map_or(0, |backup| backup.row);
        let last = backups.last().map_or(0, |backup| backup.row);
        let seen = &seen[first..=last];
        let Encoded { images, scalars, .. } = encoder.positions(seen, tracked);
        // Where each value stands in the network's output.
        let place = |backup: &Backup<G::State>| {
            let row = backup.row - first;
            row * G::ACTIONS + G::transform_action(backup.action.into(), seen[row].1)
        };
        let places: Vec<i32> = backups.iter().map(|backup| place(backup) as i32).collect();
        let places = Tensor::<1, Int>::from_data(TensorData::new(places, [backups.len()]), tracked);
        let values = network.forward(images, scalars).reshape([seen.len() * G::ACTIONS]).select(0, places);
        Output { values, planned: None, prior: vec![0.0; backups.len()] }
    }

    /// What the target network's values of next moves make of the plan of each backup's action; none if it values no next moves.
    fn next_values(&self, batch: &[Transition<G::State>], backups: &[Backup<G::State>]) -> Result<Vec<f32>> {
        if self.target.next_moves() == 0 {
            return Ok(Vec::new());
        }
        let action = |backup: &Backup<G::State>| (batch[backup.row].state, usize::from(backup.action));
        let actions: Vec<_> = backups.iter().map(action).collect();
        Evaluator::<G>::new(&self.target, self.learning.batch.max(BATCH), &self.device).next_values(&actions)
    }

    /// The actions of a batch whose values are learned.
    fn backups(&mut self, batch: &[Transition<G::State>]) -> Vec<Backup<G::State>> {
        let Learning { simulations: count, actions, lookahead, reward_scale: scale, discount, .. } = self.learning;
        if count == 0 {
            return targets::sampled(batch);
        }
        let (rules, view) = (&self.rules, self.online.view());
        let outcomes = Outcomes::<G> { rules, view, actions, count, lookahead, scale, discount };
        outcomes.simulate(batch, &mut self.simulating)
    }

    /// What the values of backups should be, when a share of the training is done: their rewards and, from `bootstrap_from` on,
    /// next states' values in place of what is certain there.
    fn targets(&mut self, backups: &[Backup<G::State>], progress: f64) -> Result<Vec<f32>> {
        let mut all: Vec<f32> = backups.iter().map(|backup| backup.reward).collect();
        let Learning { bootstrap_from, relative, .. } = self.learning;
        if progress < bootstrap_from || bootstrap_from >= 1.0 {
            return Ok(all);
        }
        let next: Vec<(usize, &Next<G::State>)> =
            backups.iter().enumerate().filter_map(|(index, backup)| Some((index, backup.next.as_ref()?))).collect();
        let states: Vec<&Next<G::State>> = next.iter().map(|(_, next)| *next).collect();
        let bootstraps = self.bootstraps(&states)?;
        for ((index, next), bootstrap) in next.iter().zip(bootstraps) {
            self.baselines.learn(G::actions_left(&next.state), bootstrap);
            all[*index] += bootstrap;
        }
        if relative {
            for (index, next) in &next {
                all[*index] -= self.baselines.mean(G::actions_left(&next.state));
            }
        }
        Ok(all)
    }

    /// What the values of next states add to rewards that count what is certain there already.
    fn bootstraps(&self, next: &[&Next<G::State>]) -> Result<Vec<f32>> {
        let Learning { batch, double, candidates, .. } = self.learning;
        let states: Vec<G::State> = next.iter().map(|next| next.state).collect();
        let view = self.online.exact_view();
        let masks: Vec<ActionMask> = states.par_iter().map(|state| view.successors::<G>(state, candidates)).collect();
        let values = |network: &QNetwork| {
            let mut evaluator = Evaluator::<G>::new(network, batch.max(BATCH), &self.device);
            evaluator.see(network.exact_view());
            evaluator.values_within(&states, &masks).map(<[f32]>::to_vec)
        };
        let online = if double { Some(values(&self.online)?) } else { None };
        let counted: Vec<f32> = next.iter().map(|next| -next.discount * next.certain).collect();
        let discounts: Vec<f32> = next.iter().map(|next| next.discount).collect();
        Ok(targets(&counted, &discounts, &masks, &values(&self.target)?, online.as_deref()))
    }

    /// Everything that moves, as data.
    pub fn save(&self) -> Result<SavedLearner> {
        Ok(SavedLearner {
            online: self.online.arrays()?,
            target: self.target.arrays()?,
            optimizer: self.optimizer.save()?,
            sampling: self.sampling.clone(),
            symmetry: self.symmetry.clone(),
            simulating: self.simulating.clone(),
            waves: self.waves.clone(),
            baselines: self.baselines.clone(),
            updates: self.updates,
        })
    }

    /// Takes up a saved state.
    ///
    /// # Errors
    /// When the state is of a network of another shape.
    pub fn restore(&mut self, saved: SavedLearner) -> Result<()> {
        self.online = self.online.clone().with_arrays(&saved.online)?;
        self.target = self.target.clone().with_arrays(&saved.target)?;
        self.optimizer.restore(saved.optimizer, &self.online, &self.device)?;
        self.sampling = saved.sampling;
        self.symmetry = saved.symmetry;
        self.simulating = saved.simulating;
        self.waves = saved.waves;
        self.baselines = saved.baselines;
        self.updates = saved.updates;
        Ok(())
    }
}

/// The actions that backups are of, as state, action and symmetry.
fn afterstates<S: Copy>(seen: &[(S, usize)], backups: &[Backup<S>]) -> Vec<(S, usize, usize)> {
    let afterstate = |backup: &Backup<S>| {
        let (state, symmetry) = seen[backup.row];
        (state, backup.action.into(), symmetry)
    };
    backups.iter().map(afterstate).collect()
}
