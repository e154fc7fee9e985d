//! The learner: one sampled batch in, one step of the optimizer and of the target network out.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::config::TrainConfig;
use super::optimizer::{ClippedAdam, SavedMoments};
use super::replay::{Replay, Transition};
use super::target::targets;
use crate::error::Result;
use crate::games::{ActionMask, Game, MaskKind};
use crate::network::{Encoder, QNetwork, to_vec};
use crate::random::{Draw, Role, Stream};

/// What the user chooses of the update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// Transitions in one update.
    pub batch: usize,
    /// Discount of a reward one move later.
    pub discount: f64,
    /// Moves whose rewards are summed before the target network takes over.
    pub n_step: usize,
    /// Factor from points to the scale that the network learns.
    pub reward_scale: f64,
    /// Let the online network choose the action that the target network values.
    pub double: bool,
    /// Error of a transition.
    pub loss: Loss,
    /// Where the Huber loss turns from squared to linear, in scaled rewards.
    pub huber_delta: f64,
    /// Adam's step size at the start.
    pub learning_rate: f64,
    /// Adam's step size at the end.
    pub final_learning_rate: f64,
    /// How the one becomes the other.
    pub schedule: Schedule,
    /// Adam's epsilon.
    pub adam_epsilon: f64,
    /// Norm of the whole gradient above which it is scaled down; 0 for none.
    pub max_gradient_norm: f64,
    /// 0: learn from the sampled transition what its action brought. K: simulate every action of the mask in its state
    /// instead, and learn the mean reward of K outcomes and the next state's value in one of them.
    pub simulations: usize,
    /// Share of the training before which targets are rewards alone, as if the discount were 0: next states' values cost
    /// most of an update's time and mean little while the network is young.
    pub bootstrap_from: f64,
    /// Learn each transition under a random symmetry of the game.
    pub symmetry: bool,
}

/// The error of one transition with difference d between value and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// d^2 / 2 up to `huber_delta`, linear beyond (Huber 1964, <https://doi.org/10.1214/aoms/1177703732>).
    Huber,
    /// d^2 / 2.
    Squared,
}

/// How the learning rate goes from its first to its last value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// It stays at the first value.
    Constant,
    /// In a straight line.
    Linear,
    /// In half a wave of a cosine (Loshchilov and Hutter 2017, <https://arxiv.org/abs/1608.03983>).
    Cosine,
}

/// What the user chooses of the target network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Target {
    /// Copy the online network now and then, or follow it a little with each update.
    pub update: TargetUpdate,
    /// Hard: updates between copies.
    pub every: u64,
    /// Soft: share of the online network taken up with each update.
    pub rate: f64,
}

/// How the target network follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetUpdate {
    /// Copies (Mnih et al. 2015, <https://doi.org/10.1038/nature14236>).
    Hard,
    /// A moving average (Lillicrap et al. 2016, <https://arxiv.org/abs/1509.02971>).
    Soft,
}

impl Default for Learning {
    fn default() -> Self {
        Self {
            batch: 256,
            discount: 0.5,
            n_step: 1,
            reward_scale: 0.1,
            double: true,
            loss: Loss::Huber,
            huber_delta: 1.0,
            learning_rate: 1e-3,
            final_learning_rate: 1e-4,
            schedule: Schedule::Linear,
            adam_epsilon: 1e-8,
            max_gradient_norm: 10.0,
            simulations: 0,
            bootstrap_from: 0.0,
            symmetry: true,
        }
    }
}

impl Default for Target {
    fn default() -> Self {
        Self {
            update: TargetUpdate::Hard,
            every: 500,
            rate: 0.005,
        }
    }
}

impl Learning {
    /// Adam's step size when a share of the training between 0 and 1 is done.
    pub fn learning_rate_at(&self, progress: f64) -> f64 {
        let done = match self.schedule {
            Schedule::Constant => 0.0,
            Schedule::Linear => progress,
            Schedule::Cosine => (1.0 - (std::f64::consts::PI * progress).cos()) / 2.0,
        };
        self.learning_rate + (self.final_learning_rate - self.learning_rate) * done
    }
}

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

/// One action value to learn, and what its target is made of.
struct Backup<S> {
    /// The transition in the batch whose state it belongs to.
    row: usize,
    action: u16,
    reward: f32,
    next: S,
    discount: f32,
}

/// Networks, optimizer and the learner's random streams.
pub struct Learner<G: Game> {
    learning: Learning,
    target_update: Target,
    mask: MaskKind,
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
        let online = QNetwork::new::<G>(&config.network, &mut stream, &gradients);
        Self {
            learning: config.learning.clone(),
            target_update: config.target.clone(),
            mask: config.game.mask,
            rules: rules.clone(),
            device: device.clone(),
            target: online.valid(),
            online,
            optimizer: ClippedAdam::new(
                config.learning.adam_epsilon,
                config.learning.max_gradient_norm,
            ),
            sampling: Stream::new(config.seed, Role::Sample, 0),
            symmetry: Stream::new(config.seed, Role::Symmetry, 0),
            simulating: Stream::new(config.seed, Role::Simulate, 0),
            updates: 0,
            encoder: Encoder::default(),
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
    pub fn update(
        &mut self,
        replay: &mut Replay<G::State>,
        importance_exponent: f64,
        progress: f64,
    ) -> Result<Update> {
        let sample = replay.sample(self.learning.batch, importance_exponent, &mut self.sampling);
        let batch: Vec<Transition<G::State>> =
            sample.slots.iter().map(|slot| *replay.get(*slot)).collect();
        let backups = self.backups(&batch);
        let targets = self.targets(&backups, progress)?;

        let symmetries = if self.learning.symmetry {
            G::SYMMETRIES as u32
        } else {
            1
        };
        let seen: Vec<(G::State, usize)> = batch
            .iter()
            .map(|transition| (transition.state, self.symmetry.below(symmetries) as usize))
            .collect();
        // Where each learned value stands in the network's output.
        let places: Vec<i32> = backups
            .iter()
            .map(|backup| {
                let action = G::transform_action(backup.action.into(), seen[backup.row].1);
                (backup.row * G::ACTIONS + action) as i32
            })
            .collect();
        let weights: Vec<f32> = backups
            .iter()
            .map(|backup| sample.weights[backup.row])
            .collect();

        let tracked = self.device.clone().autodiff();
        let column = |numbers: Vec<f32>| {
            Tensor::<1>::from_data(TensorData::new(numbers, [backups.len()]), &tracked)
        };
        let places =
            Tensor::<1, Int>::from_data(TensorData::new(places, [backups.len()]), &tracked);
        let (images, scalars) = self.encoder.tensors(&seen, &tracked);
        let values = self
            .online
            .forward(images, scalars)
            .reshape([batch.len() * G::ACTIONS])
            .select(0, places);
        let errors = values.clone() - column(targets);
        let loss = (self.loss(errors.clone()) * column(weights)).mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &self.online);
        let rate = self.learning.learning_rate_at(progress);
        let (online, gradient_norm) = self.optimizer.step(rate, self.online.clone(), gradients)?;
        self.online = online;
        self.updates += 1;
        self.follow();

        let errors = to_vec(errors.inner())?;
        replay.set_errors(&sample.slots, &mean_errors(&backups, &errors, batch.len()));
        let mean = |sum: f32| sum / backups.len() as f32;
        Ok(Update {
            loss: to_vec(loss.inner())?[0],
            value: mean(to_vec(values.inner())?.iter().sum()),
            error: mean(errors.iter().map(|error| error.abs()).sum()),
            gradient_norm,
        })
    }

    /// The action values that a batch teaches.
    fn backups(&mut self, batch: &[Transition<G::State>]) -> Vec<Backup<G::State>> {
        if self.learning.simulations == 0 {
            let backup = |(row, transition): (usize, &Transition<G::State>)| Backup {
                row,
                action: transition.action,
                reward: transition.reward,
                next: transition.next,
                discount: transition.discount,
            };
            return batch.iter().enumerate().map(backup).collect();
        }
        let count = self.learning.simulations;
        let mut backups = Vec::new();
        for (row, transition) in batch.iter().enumerate() {
            let position = G::at(&self.rules, &transition.state);
            for action in G::mask(&transition.state, self.mask).iter() {
                let (mut points, mut terminal, mut next) = (0.0, true, transition.state);
                for _ in 0..count {
                    let mut game = position.clone();
                    let step = game.step(action, &mut self.simulating);
                    (terminal, next) = (step.terminal, game.state());
                    points += step.reward;
                }
                backups.push(Backup {
                    row,
                    action: action as u16,
                    reward: (f64::from(points) * self.learning.reward_scale / count as f64) as f32,
                    next,
                    discount: if terminal {
                        0.0
                    } else {
                        self.learning.discount as f32
                    },
                });
            }
        }
        backups
    }

    fn targets(&mut self, backups: &[Backup<G::State>], progress: f64) -> Result<Vec<f32>> {
        let rewards: Vec<f32> = backups.iter().map(|backup| backup.reward).collect();
        let discounts: Vec<f32> = backups.iter().map(|backup| backup.discount).collect();
        if progress < self.learning.bootstrap_from
            || discounts.iter().all(|discount| *discount == 0.0)
        {
            return Ok(rewards);
        }
        let next: Vec<(G::State, usize)> = backups.iter().map(|backup| (backup.next, 0)).collect();
        let masks: Vec<ActionMask> = next
            .iter()
            .map(|(state, _)| G::mask(state, self.mask))
            .collect();
        let (images, scalars) = self.encoder.tensors(&next, &self.device);
        let online = match self.learning.double {
            true => Some(to_vec(
                self.online.valid().forward(images.clone(), scalars.clone()),
            )?),
            false => None,
        };
        let target = to_vec(self.target.forward(images, scalars))?;
        Ok(targets(
            &rewards,
            &discounts,
            &masks,
            &target,
            online.as_deref(),
        ))
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
                let mut towards = Towards {
                    online: parameters(&self.online.valid()).into_iter(),
                    rate: self.target_update.rate,
                };
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
        self.optimizer
            .restore(saved.optimizer, &self.online, &self.device)?;
        self.sampling = saved.sampling;
        self.symmetry = saved.symmetry;
        self.simulating = saved.simulating;
        self.updates = saved.updates;
        Ok(())
    }
}

/// The mean absolute error of each transition's action values.
fn mean_errors<S>(backups: &[Backup<S>], errors: &[f32], rows: usize) -> Vec<f32> {
    let mut sums = vec![(0.0, 0); rows];
    for (backup, error) in backups.iter().zip(errors) {
        let (sum, count) = &mut sums[backup.row];
        *sum += error.abs();
        *count += 1;
    }
    sums.into_iter()
        .map(|(sum, count)| sum / count.max(1) as f32)
        .collect()
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
