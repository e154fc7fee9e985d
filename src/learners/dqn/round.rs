//! The training loop: deep Q-learning (Mnih et al. 2015, <https://doi.org/10.1038/nature14236>), readable from top to
//! bottom.

use std::sync::atomic::{AtomicBool, Ordering};

use burn::tensor::Device;

use super::super::checkpoint::{self, Meters};
use super::super::folder::RunFolder;
use super::super::logs::Logs;
use super::config::TrainConfig;
use super::exploration::epsilon_greedy;
use super::learner::Learner;
use super::n_step::NStep;
use super::replay::Replay;
use crate::agents::NetworkPlayer;
use crate::error::{Error, Result};
use crate::eval::{Summary, play_series};
use crate::games::{Game, Games};
use crate::network::Evaluator;
use crate::random::{Role, Stream};

/// Everything that moves in a training.
pub struct Training<G: Game> {
    /// Moves played so far, in all games together.
    pub step: u64,
    /// The games.
    pub games: Games<G>,
    /// Each game's last moves.
    pub n_steps: Vec<NStep<G>>,
    /// The replay memory.
    pub replay: Replay<G::State>,
    /// Networks and optimizer.
    pub learner: Learner<G>,
    /// The stream of exploration.
    pub explore: Stream,
    /// Sums since the last row of the log, and evaluations so far.
    pub meters: Meters,
}

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All steps are done.
    Finished,
    /// It was asked to stop, and can be resumed.
    Stopped,
}

impl<G: Game> Training<G> {
    /// A training before its first step.
    pub fn new(config: &TrainConfig, rules: &G::Rules, device: &Device) -> Self {
        let count = config.training.games;
        Self {
            step: 0,
            games: Games::new(rules.clone(), count, config.seed),
            n_steps: vec![NStep::new(config.learning.n_step, config.learning.discount as f32); count],
            replay: Replay::new(&config.replay),
            learner: Learner::new(config, rules, device),
            explore: Stream::new(config.seed, Role::Explore, 0),
            meters: Meters::default(),
        }
    }

    /// Trains until all steps are done or `stop` is set, with logs, evaluations and checkpoints in the run's folder.
    ///
    /// # Errors
    /// When the device fails or a file cannot be written.
    pub fn run(
        &mut self,
        config: &TrainConfig,
        rules: &G::Rules,
        device: &Device,
        folder: &RunFolder,
        logs: &mut Logs,
        stop: &AtomicBool,
    ) -> Result<Ending> {
        let TrainConfig { training, exploration, learning, evaluation, .. } = config;
        let mut outcomes = Vec::new();
        while self.step < training.steps {
            let before = self.step;

            // Act: one move in every game.
            let states: Vec<G::State> = self.games.states().collect();
            let epsilon = if self.step < training.warmup { 1.0 } else { exploration.epsilon(self.step) };
            let mut player = NetworkPlayer::new(self.evaluator(device).told());
            let explore = |values: &[f32], mask: &_| epsilon_greedy(values, mask, epsilon, &mut self.explore);
            let actions =
                if epsilon < 1.0 { player.act_by(&states, explore)? } else { player.act_blindly(&states, explore) };
            self.games.step(&actions, &mut outcomes);
            self.step += states.len() as u64;

            // Remember.
            for (index, outcome) in outcomes.iter().enumerate() {
                let reward = outcome.reward * learning.reward_scale as f32;
                let remember = |transition| self.replay.push(transition);
                self.n_steps[index].push(states[index], actions[index], reward, outcome, remember);
                self.meters.played(outcome.score);
            }

            // Learn.
            let progress = (self.step as f64 / training.steps as f64).min(1.0);
            if self.step >= training.warmup && !self.replay.is_empty() {
                for _ in 0..training.updates {
                    let update = self.learner.update(&mut self.replay, config.replay.importance(progress), progress)?;
                    self.meters.learned(&update);
                    if !update.loss.is_finite() || !update.gradient_norm.is_finite() {
                        return Err(diverged(self.step));
                    }
                }
            }

            // Tell, evaluate, save.
            let due = |every: u64| self.step / every != before / every || self.step >= training.steps;
            let updates = self.learner.updates();
            if due(config.logging.every) {
                let rate = learning.learning_rate_at(progress);
                logs.training(self.step, updates, epsilon, rate, self.replay.len(), &self.meters)?;
                self.meters.reset();
            }
            if due(evaluation.every) {
                let mut player = NetworkPlayer::new(self.evaluator(device));
                let played = play_series(&mut player, rules, evaluation.seed.into(), evaluation.games, |_| ())?;
                let scores: Vec<i32> = played.iter().map(|game| game.score).collect();
                let summary = Summary::of(&scores).ok_or_else(|| Error::runtime("the evaluation played no game"))?;
                let best = self.meters.evaluated(self.step, summary.mean);
                logs.evaluation(self.step, updates, &summary, &self.meters)?;
                if best {
                    checkpoint::save_agent(&folder.best(), config, self.learner.network())?;
                }
            }
            logs.progress(self.step, updates, epsilon, &self.meters);
            let stopping = stop.load(Ordering::Relaxed);
            if stopping || due(config.checkpoint.every) {
                logs.flush()?;
                checkpoint::save(folder, config, self)?;
            }
            if stopping && self.step < training.steps {
                return Ok(Ending::Stopped);
            }
        }
        Ok(Ending::Finished)
    }

    /// The network's values as it is now.
    fn evaluator(&self, device: &Device) -> Evaluator<G> {
        Evaluator::new(self.learner.network(), BATCH, device)
    }
}

fn diverged(step: u64) -> Error {
    Error::runtime(format!(
        "at step {step} the loss or its gradient is no longer a number: the training has diverged, and its last checkpoint stands from before; in a new run, \
         a lower learning.learning_rate or learning.max_gradient_norm helps"
    ))
}

/// The most images in one forward pass.
const BATCH: usize = 256;
