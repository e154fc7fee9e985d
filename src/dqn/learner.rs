//! The learner: one sampled batch in, one step of the optimizer and of the target network out.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::backup::{self, Backup, Outcomes};
use super::config::TrainConfig;
use super::learning::{Learning, Loss, Target, TargetUpdate};
use super::optimizer::{ClippedAdam, SavedMoments};
use super::replay::{Replay, Transition};
use super::target::targets;
use crate::error::Result;
use crate::games::{ActionMask, Game};
use crate::network::{Encoded, Encoder, Evaluator, QNetwork, to_vec};
use crate::random::{Draw, Role, Stream};

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
}

/// Images in one forward pass of the target, where the batch is not larger.
const BATCH: usize = 256;

/// Networks, optimizer and the learner's random streams.
pub struct Learner<G: Game> {
    learning: Learning,
    target_update: Target,
    rules: G::Rules,
    device: Device,
    online: QNetwork,
    target: QNetwork,
    optimizer: ClippedAdam,
    sampling: Stream,
    symmetry: Stream,
    simulating: Stream,
    updates: u64,
    encoder: Encoder<G>,
}

/// All of a learner that moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedLearner {
    online: Vec<u8>,
    target: Vec<u8>,
    optimizer: Vec<SavedMoments>,
    sampling: Stream,
    symmetry: Stream,
    simulating: Stream,
    updates: u64,
}

impl<G: Game> Learner<G> {
    /// A learner with fresh weights on a device without gradients.
    pub fn new(config: &TrainConfig, rules: &G::Rules, device: &Device) -> Self {
        let gradients = device.clone().autodiff();
        let mut stream = Stream::new(config.seed, Role::Initialise, 0);
        let online = QNetwork::new::<G>(&config.policy(), &mut stream, &gradients);
        Self {
            learning: config.learning.clone(),
            target_update: config.target.clone(),
            rules: rules.clone(),
            device: device.clone(),
            target: online.valid(),
            encoder: Encoder::new(online.view()),
            online,
            optimizer: ClippedAdam::new(config.learning.adam_epsilon, config.learning.max_gradient_norm),
            sampling: Stream::new(config.seed, Role::Sample, 0),
            symmetry: Stream::new(config.seed, Role::Symmetry, 0),
            simulating: Stream::new(config.seed, Role::Simulate, 0),
            updates: 0,
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
    ///
    /// # Errors
    /// When the device fails.
    pub fn update(&mut self, replay: &mut Replay<G::State>, importance_exponent: f64, progress: f64) -> Result<Update> {
        let sample = replay.sample(self.learning.batch, importance_exponent, &mut self.sampling);
        let batch: Vec<Transition<G::State>> = sample.slots.iter().map(|slot| *replay.get(*slot)).collect();
        let backups = self.backups(&batch);
        let targets = self.targets(&backups, progress)?;
        let weights: Vec<f32> = backups.iter().map(|backup| sample.weights[backup.row]).collect();

        let tracked = self.device.clone().autodiff();
        let column = |numbers: Vec<f32>| Tensor::<1>::from_data(TensorData::new(numbers, [backups.len()]), &tracked);
        let (added, known) = self.values(&batch, &backups, &tracked);
        let values = added + column(known);
        let errors = values.clone() - column(targets);
        let loss = (self.loss(errors.clone()) * column(weights)).mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &self.online);
        let rate = self.learning.learning_rate_at(progress);
        let (online, gradient_norm) = self.optimizer.step(rate, self.online.clone(), gradients)?;
        self.online = online;
        self.updates += 1;
        self.follow();

        let errors = to_vec(errors.inner())?;
        replay.set_errors(&sample.slots, &backup::mean_errors(&backups, &errors, batch.len()));
        let mean = |sum: f32| sum / backups.len() as f32;
        Ok(Update {
            loss: to_vec(loss.inner())?[0],
            value: mean(to_vec(values.inner())?.iter().sum()),
            error: mean(errors.iter().map(|error| error.abs()).sum()),
            gradient_norm,
        })
    }

    /// The values that the online network has for the actions of backups, each state seen under a random symmetry, as two
    /// parts: what it adds, shape `[backups]`, and what is known beforehand.
    fn values(
        &mut self,
        batch: &[Transition<G::State>],
        backups: &[Backup<G::State>],
        tracked: &Device,
    ) -> (Tensor<1>, Vec<f32>) {
        let symmetries = if self.learning.symmetry { G::SYMMETRIES as u32 } else { 1 };
        let seen: Vec<(G::State, usize)> =
            batch.iter().map(|transition| (transition.state, self.symmetry.below(symmetries) as usize)).collect();
        if self.online.view().afterstates {
            let afterstate = |backup: &Backup<G::State>| {
                let (state, symmetry) = seen[backup.row];
                (state, backup.action.into(), symmetry)
            };
            let afterstates: Vec<_> = backups.iter().map(afterstate).collect();
            let Encoded { images, scalars, known } = self.encoder.afterstates(&afterstates, tracked);
            return (self.online.forward(images, scalars).reshape([backups.len()]), known.to_vec());
        }
        let Encoded { images, scalars, known } = self.encoder.positions(&seen, tracked);
        // Where each value stands in the network's output.
        let place = |backup: &Backup<G::State>| {
            let action = G::transform_action(backup.action.into(), seen[backup.row].1);
            (backup.row * G::ACTIONS + action) as i32
        };
        let places: Vec<i32> = backups.iter().map(place).collect();
        let places = Tensor::<1, Int>::from_data(TensorData::new(places, [backups.len()]), tracked);
        let added = self.online.forward(images, scalars).reshape([batch.len() * G::ACTIONS]).select(0, places);
        let known = backups.iter().map(|backup| known[backup.row * G::ACTIONS + usize::from(backup.action)]);
        (added, known.collect())
    }

    /// The action values that a batch teaches.
    fn backups(&mut self, batch: &[Transition<G::State>]) -> Vec<Backup<G::State>> {
        match self.learning.simulations {
            0 => backup::sampled(batch),
            count => {
                let Learning { actions, lookahead, reward_scale: scale, discount, .. } = self.learning;
                let (rules, view) = (&self.rules, self.online.view());
                let outcomes = Outcomes::<G> { rules, view, actions, count, lookahead, scale, discount };
                outcomes.simulate(batch, &mut self.simulating)
            }
        }
    }

    fn targets(&self, backups: &[Backup<G::State>], progress: f64) -> Result<Vec<f32>> {
        let mut all: Vec<f32> = backups.iter().map(|backup| backup.reward).collect();
        let Learning { bootstrap_from, batch, double, candidates, .. } = self.learning;
        if progress < bootstrap_from || bootstrap_from >= 1.0 {
            return Ok(all);
        }
        let (rows, alive): (Vec<usize>, Vec<&Backup<G::State>>) =
            backups.iter().enumerate().filter(|(_, backup)| backup.discount != 0.0).unzip();
        // The next state's value takes the place of what is certain there.
        let rewards = alive.iter().map(|backup| backup.reward - backup.discount * backup.certain);
        let rewards: Vec<f32> = rewards.collect();
        let discounts: Vec<f32> = alive.iter().map(|backup| backup.discount).collect();
        let next: Vec<G::State> = alive.iter().map(|backup| backup.next).collect();
        let view = self.online.view();
        let masks: Vec<ActionMask> = next.par_iter().map(|state| view.candidates::<G>(state, candidates)).collect();
        let values = |network: &QNetwork| {
            Evaluator::<G>::new(network, batch.max(BATCH), &self.device)
                .values_within(&next, &masks)
                .map(<[f32]>::to_vec)
        };
        let online = if double { Some(values(&self.online)?) } else { None };
        let bootstrapped = targets(&rewards, &discounts, &masks, &values(&self.target)?, online.as_deref());
        for (row, target) in rows.into_iter().zip(bootstrapped) {
            all[row] = target;
        }
        Ok(all)
    }

    fn loss(&self, errors: Tensor<1>) -> Tensor<1> {
        match self.learning.loss {
            Loss::Squared => errors.square().mul_scalar(0.5),
            Loss::Huber => {
                let delta = self.learning.huber_delta as f32;
                let size = errors.abs();
                let squared = size.clone().clamp_max(delta);
                // Up to delta this is size^2 / 2, beyond it delta * (size - delta / 2).
                squared.clone() * (size - squared.mul_scalar(0.5))
            }
        }
    }

    fn follow(&mut self) {
        match self.target_update.update {
            TargetUpdate::Hard if self.updates.is_multiple_of(self.target_update.every) => {
                self.target = self.online.valid()
            }
            TargetUpdate::Hard => {}
            TargetUpdate::Soft => {
                let mut towards =
                    Towards { online: parameters(&self.online.valid()).into_iter(), rate: self.target_update.rate };
                self.target = self.target.clone().map(&mut towards);
            }
        }
    }

    /// Everything that moves, as data.
    ///
    /// # Errors
    /// When the device fails.
    pub fn save(&self) -> Result<SavedLearner> {
        Ok(SavedLearner {
            online: self.online.to_bytes()?,
            target: self.target.to_bytes()?,
            optimizer: self.optimizer.save()?,
            sampling: self.sampling.clone(),
            symmetry: self.symmetry.clone(),
            simulating: self.simulating.clone(),
            updates: self.updates,
        })
    }

    /// Takes up a saved state.
    ///
    /// # Errors
    /// When the state is of a network of another shape.
    pub fn restore(&mut self, saved: SavedLearner) -> Result<()> {
        self.online = self.online.clone().with_bytes(&saved.online)?;
        self.target = self.target.clone().with_bytes(&saved.target)?;
        self.optimizer.restore(saved.optimizer, &self.online, &self.device)?;
        self.sampling = saved.sampling;
        self.symmetry = saved.symmetry;
        self.simulating = saved.simulating;
        self.updates = saved.updates;
        Ok(())
    }
}

/// A network's parameters, flattened, in its order.
fn parameters(network: &QNetwork) -> Vec<Tensor<1>> {
    struct Collector(Vec<Tensor<1>>);
    impl ModuleVisitor for Collector {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.0.push(param.val().flatten(0, D - 1));
        }
    }
    let mut collector = Collector(Vec::new());
    network.visit(&mut collector);
    collector.0
}

struct Towards {
    online: std::vec::IntoIter<Tensor<1>>,
    rate: f64,
}

impl ModuleMapper for Towards {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(online) = self.online.next() else {
            return param;
        };
        param.map(|tensor| {
            let shape = tensor.shape();
            tensor.mul_scalar(1.0 - self.rate) + online.mul_scalar(self.rate).reshape(shape)
        })
    }
}
