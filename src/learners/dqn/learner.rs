//! The Q-learner: one sampled batch in, one step of the optimizer out.
//!
//! The target network follows.

use std::marker::PhantomData;
use std::ops::Range;

use burn::module::Module;
use burn::tensor::Device;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::TrainConfig;
use super::config::{Config, Learning};
use super::gradient::{Batch, Gradient, gradient};
use super::optimizer::{Optimizer, SavedMoments};
use super::relative::Baselines;
use super::replay::{Replay, Transition};
use super::simulated::Outcomes;
use super::target_network::{Target, TargetUpdate};
use super::targets::{self, Backup, Next, targets};
use crate::error::Result;
use crate::games::{ActionMask, SeenWave};
use crate::network::{Encoded, Encoder, QNetwork, device, evaluate, evaluator};
use crate::players::Arrays;
use crate::players::Roster;
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
    /// Mean loss of the values of plans, if the network values next moves too.
    ///
    /// It is weighted as `loss`.
    pub plan_loss: Option<f32>,
    /// Mean loss of the dynamics model, if the network has one.
    pub wave_loss: Option<f32>,
}

/// Images in one forward pass of the target, where the batch is not larger.
const BATCH: usize = 256;

/// Images whose forward and backward pass is one thread's work on a processor.
///
/// A state that alone has more is one thread's work too. A GPU has the whole batch at once.
const IMAGES: usize = 16;

/// A batch with what its values should be.
struct Labelled<'a, S> {
    /// The states with the symmetries under which they are seen.
    seen: &'a [(S, usize)],
    /// The actions whose values are learned, those of a state side by side.
    backups: &'a [Backup<S>],
    /// What each of the values should be.
    targets: &'a [f32],
    /// What its plan is worth without what the network adds to that.
    ///
    /// None if the network values no next moves.
    plans: &'a [f32],
    /// How much each counts.
    weights: &'a [f32],
    /// Waves that were seen, with the symmetries under which they are learned.
    waves: &'a [(SeenWave<S>, usize)],
}

/// What the network is shown of a batch.
struct Shown {
    /// Images of states, or of actions where it sees afterstates.
    images: Vec<f32>,
    scalars: Vec<f32>,
    /// The prior of each action.
    priors: Vec<f32>,
}

/// Networks, optimizer and the learner's random streams.
pub struct QLearner<G: Roster> {
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
    baselines: Baselines,
    updates: u64,
}

impl<G: Roster> QLearner<G> {
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
            baselines: Baselines::default(),
            updates: 0,
            game: PhantomData,
        }
    }

    /// The target network.
    pub fn target(&self) -> &QNetwork {
        &self.target
    }

    /// Whether what the target network adds is kept with a transition.
    ///
    /// It must stay the same until that network changes, now and then, and be the maximum that acting finds.
    pub fn keeps_bootstraps(&self) -> bool {
        let Learning { expected, double, candidates, .. } = self.learning;
        let mask = self.online.view().mask;
        let stays = expected.is_none() && !double && self.follow.update == TargetUpdate::Hard;
        stays && candidates == 0 && self.online.next_moves() == 0 && G::successor_mask(mask) == mask
    }

    /// The network that learns.
    pub fn network(&self) -> &QNetwork {
        &self.online
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Learns one batch from a memory that is not empty.
    ///
    /// Only a dynamics model needs waves that were seen.
    /// `progress` is the share of the training that is done.
    pub fn update(
        &mut self,
        replay: &mut Replay<G::State>,
        waves: &[SeenWave<G::State>],
        importance_exponent: f64,
        progress: f64,
    ) -> Result<Update> {
        let sample = replay.sample(self.learning.batch, importance_exponent, &mut self.sampling);
        let batch: Vec<Transition<G::State>> = sample.slots.iter().map(|slot| *replay.get(*slot)).collect();
        let backups = self.backups(&batch);
        let targets = self.targets(&backups, &sample.slots, replay)?;
        let weights: Vec<f32> = backups.iter().map(|backup| sample.weights[backup.row]).collect();

        let symmetries = if self.learning.symmetry { G::SYMMETRIES as u32 } else { 1 };
        let mut symmetry = || self.symmetry.below(symmetries) as usize;
        let seen: Vec<(G::State, usize)> = batch.iter().map(|transition| (transition.state, symmetry())).collect();
        let waves: Vec<_> = waves.iter().map(|wave| (*wave, symmetry())).collect();
        let plans = self.next_values(&batch, &backups)?;
        let labelled = Labelled {
            seen: &seen,
            backups: &backups,
            targets: &targets,
            plans: &plans,
            weights: &weights,
            waves: &waves,
        };
        let Gradient { gradients, loss, plan_loss, wave_loss, values, errors } = self.gradient(&labelled)?;
        let rate = self.learning.learning_rate_at(progress);
        let (online, gradient_norm) = self.optimizer.step(rate, self.online.clone(), gradients)?;
        self.online = online;
        self.updates += 1;
        self.target = self.follow.follow(self.target.clone(), &self.online, self.updates);
        if self.follow.changes(self.updates) {
            replay.forget_bootstraps();
        }

        replay.set_errors(&sample.slots, &targets::mean_errors(&backups, &errors, batch.len()));
        let mean = |sum: f32| sum / backups.len() as f32;
        Ok(Update {
            loss,
            value: mean(values.iter().sum()),
            error: mean(errors.iter().map(|error| error.abs()).sum()),
            gradient_norm,
            plan_loss: (!plans.is_empty()).then_some(plan_loss),
            wave_loss: self.online.dynamics().map(|_| wave_loss),
        })
    }

    /// The gradient of a batch.
    ///
    /// Shards of it are computed side by side and summed in their order, so that the number of threads changes nothing.
    fn gradient(&self, labelled: &Labelled<G::State>) -> Result<Gradient> {
        let shown = self.shown(labelled.seen, labelled.backups)?;
        let images = if device::is_processor(&self.device) { IMAGES } else { usize::MAX };
        let tracked = self.device.clone().autodiff();
        let shards = targets::shards(labelled.backups, images, self.online.view().afterstates());
        let shards = shards.into_par_iter().with_max_len(1);
        let parts: Result<Vec<Gradient>> = shards
            .map(|range| gradient(&self.online, &self.shard(labelled, &shown, range), &self.learning, &tracked))
            .collect();
        Ok(parts?.into_iter().reduce(|sum, part| sum.with(part, &self.online)).unwrap_or_default())
    }

    /// Some of the values of a batch, and some of its waves.
    ///
    /// The values are those of whole states.
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
        // Each shard has its share of the waves.
        let (count, waves) = (labelled.backups.len(), labelled.waves.len());
        let share = &labelled.waves[range.start * waves / count..range.end * waves / count];
        Batch {
            images: shown.images[images.start * size..images.end * size].to_vec(),
            shape,
            scalars: shown.scalars[images.start * G::SCALARS..images.end * G::SCALARS].to_vec(),
            places,
            priors: shown.priors[range.clone()].to_vec(),
            targets: labelled.targets[range.clone()].to_vec(),
            plans: labelled.plans.get(range.clone()).unwrap_or_default().to_vec(),
            weights: labelled.weights[range].iter().map(|weight| weight / count as f32).collect(),
            waves: Encoder::<G>::new(view).waves(share),
            wave_weight: share.len() as f32 / waves.max(1) as f32,
        }
    }

    /// What the network is shown of a batch, each state under its symmetry.
    ///
    /// A network with a dynamics model is shown what that predicts.
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

    /// What the target's values of next moves make of each action's plan.
    ///
    /// None if it values no next moves.
    fn next_values(&self, batch: &[Transition<G::State>], backups: &[Backup<G::State>]) -> Result<Vec<f32>> {
        if self.target.next_moves() == 0 {
            return Ok(Vec::new());
        }
        let action = |backup: &Backup<G::State>| (batch[backup.row].state, usize::from(backup.action));
        let actions: Vec<_> = backups.iter().map(action).collect();
        evaluator::<G>(&self.target, self.learning.batch.max(BATCH), &self.device).next_values(&actions)
    }

    /// The actions of a batch whose values are learned.
    fn backups(&mut self, batch: &[Transition<G::State>]) -> Vec<Backup<G::State>> {
        let Learning { expected, reward_scale: scale, discount, .. } = self.learning;
        let Some(expected) = expected else { return targets::sampled(batch) };
        let (rules, view) = (self.rules.clone(), self.online.view());
        Outcomes::<G> { rules, view, expected, scale, discount }.simulate(batch, &mut self.simulating)
    }

    /// What backups' values should be: their rewards and next states' values.
    ///
    /// These stand in place of what is certain there.
    fn targets(
        &mut self,
        backups: &[Backup<G::State>],
        slots: &[usize],
        replay: &mut Replay<G::State>,
    ) -> Result<Vec<f32>> {
        let mut all: Vec<f32> = backups.iter().map(|backup| backup.reward).collect();
        let next: Vec<(usize, &Next<G::State>)> =
            backups.iter().enumerate().filter_map(|(index, backup)| Some((index, backup.next.as_ref()?))).collect();
        // Until the target network changes it need not be asked twice of a transition.
        let keep = self.keeps_bootstraps();
        let known = |index: usize| if keep { replay.bootstrap(slots[index]) } else { None };
        let asked: Vec<(usize, &Next<G::State>)> =
            next.iter().filter(|(index, _)| known(*index).is_none()).copied().collect();
        let mut bootstraps: Vec<f32> = (0..all.len()).map(|index| known(index).unwrap_or(0.0)).collect();
        let states: Vec<&Next<G::State>> = asked.iter().map(|(_, next)| *next).collect();
        for ((index, _), bootstrap) in asked.iter().zip(self.bootstraps(&states)?) {
            bootstraps[*index] = bootstrap;
            if keep {
                replay.keep_bootstrap(slots[*index], bootstrap);
            }
        }
        for (index, next) in &next {
            self.baselines.learn(G::actions_left(&next.state), bootstraps[*index]);
            all[*index] += bootstraps[*index];
        }
        if self.learning.relative {
            for (index, next) in &next {
                all[*index] -= self.baselines.mean(G::actions_left(&next.state));
            }
        }
        Ok(all)
    }

    /// What the values of next states add to rewards.
    ///
    /// These count what is certain there already.
    fn bootstraps(&self, next: &[&Next<G::State>]) -> Result<Vec<f32>> {
        let Learning { batch, double, candidates, .. } = self.learning;
        let states: Vec<G::State> = next.iter().map(|next| next.state).collect();
        let view = self.online.shape().exact_view();
        let masks: Vec<ActionMask> = states.par_iter().map(|state| view.successors::<G>(state, candidates)).collect();
        let values = |network: &QNetwork| {
            let mut evaluator = evaluator::<G>(network, batch.max(BATCH), &self.device);
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
