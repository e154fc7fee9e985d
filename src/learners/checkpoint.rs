//! The checkpoint of a run: the agent as it is, and beside it everything that moves, to be resumed from.

use std::path::Path;

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use super::dqn::config::TrainConfig;
use super::dqn::learner::{SavedLearner, Update};
use super::dqn::n_step::NStep;
use super::dqn::replay::Replay;
use super::dqn::round::Training;
use super::folder::RunFolder;
use crate::error::{Error, Result};
use crate::games::{Game, Games};
use crate::network::{Model, QNetwork};
use crate::random::Stream;
use crate::store::Container;

const CONFIG: &str = "config";
const STATE: &str = "training";

/// Sums since the last row of the training log, and the evaluations so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meters {
    updates: u64,
    loss: f64,
    value: f64,
    error: f64,
    gradient_norm: f64,
    /// Updates of plans, and their losses.
    plan_updates: u64,
    plan_loss: f64,
    /// Updates of a model of waves, and their losses.
    waves: u64,
    wave_loss: f64,
    games: u64,
    score: f64,
    /// Step and mean score of the last evaluation.
    pub evaluation: Option<(u64, f64)>,
    /// The highest mean score of all evaluations.
    pub best: Option<f64>,
}

impl Meters {
    /// Takes note of a move, which may have ended a game with a score.
    pub fn played(&mut self, score: Option<i32>) {
        if let Some(score) = score {
            self.games += 1;
            self.score += f64::from(score);
        }
    }

    /// Takes note of an update.
    pub fn learned(&mut self, update: &Update) {
        self.updates += 1;
        self.loss += f64::from(update.loss);
        self.value += f64::from(update.value);
        self.error += f64::from(update.error);
        self.gradient_norm += f64::from(update.gradient_norm);
        if let Some(loss) = update.plan_loss {
            self.plan_updates += 1;
            self.plan_loss += f64::from(loss);
        }
        if let Some(loss) = update.wave_loss {
            self.waves += 1;
            self.wave_loss += f64::from(loss);
        }
    }

    /// Takes note of an evaluation; says whether it is the best so far.
    pub fn evaluated(&mut self, step: u64, mean: f64) -> bool {
        self.evaluation = Some((step, mean));
        let best = self.best.is_none_or(|best| mean > best);
        if best {
            self.best = Some(mean);
        }
        best
    }

    /// Begins new sums.
    pub fn reset(&mut self) {
        *self = Self { evaluation: self.evaluation, best: self.best, ..Self::default() };
    }

    /// Mean loss of the updates, if there were any.
    pub fn loss(&self) -> Option<f64> {
        self.mean(self.loss)
    }

    /// The means by name, without those of nothing.
    pub fn means(&self) -> Vec<(&'static str, f64)> {
        let updates = [
            ("train/loss", self.loss),
            ("train/value", self.value),
            ("train/error", self.error),
            ("train/gradient_norm", self.gradient_norm),
        ];
        let mut means: Vec<_> = updates.into_iter().filter_map(|(name, sum)| Some((name, self.mean(sum)?))).collect();
        if self.plan_updates > 0 {
            means.push(("train/plan_loss", self.plan_loss / self.plan_updates as f64));
        }
        if self.waves > 0 {
            means.push(("train/wave_loss", self.wave_loss / self.waves as f64));
        }
        means.push(("train/games", self.games as f64));
        if self.games > 0 {
            means.push(("train/score", self.score / self.games as f64));
        }
        means
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.updates > 0).then(|| sum / self.updates as f64)
    }
}

/// [`Training`] as it is written; the fields stand in the same order in both.
#[derive(Serialize)]
struct Saving<'a, G: Game> {
    step: u64,
    #[serde(bound = "")]
    games: &'a Games<G>,
    n_steps: &'a [NStep<G>],
    replay: &'a Replay<G::State>,
    learner: SavedLearner,
    explore: &'a Stream,
    meters: &'a Meters,
}

#[derive(Deserialize)]
#[serde(bound = "")]
struct Saved<G: Game> {
    step: u64,
    games: Games<G>,
    n_steps: Vec<NStep<G>>,
    replay: Replay<G::State>,
    learner: SavedLearner,
    explore: Stream,
    meters: Meters,
}

impl<G: Game> Saved<G> {
    /// What does not fit the configuration, if anything: a checksum proves that nothing was damaged, not that a state is one
    /// that this program made.
    fn check(&self, config: &TrainConfig) -> std::result::Result<(), &'static str> {
        let TrainConfig { training, learning, replay, .. } = config;
        let n_step = |n_step: &NStep<G>| n_step.fits(learning.n_step, learning.discount as f32);
        if self.games.len() != training.games || self.n_steps.len() != training.games {
            return Err("its games");
        }
        if !self.n_steps.iter().all(n_step) {
            return Err("its games' last moves");
        }
        match self.replay.fits(replay, G::ACTIONS) {
            true => Ok(()),
            false => Err("its replayed transitions"),
        }
    }
}

/// Writes the agent, atomically.
///
/// # Errors
/// When the file cannot be written.
pub fn save_agent(path: &Path, config: &TrainConfig, network: &QNetwork) -> Result<()> {
    Model::to_file(&config.model(), network)?.save(path)
}

/// Writes the agent as it is and everything that moves, each file atomically.
///
/// # Errors
/// When a file cannot be written.
pub fn save<G: Game>(folder: &RunFolder, config: &TrainConfig, training: &Training<G>) -> Result<()> {
    let state = Saving {
        step: training.step,
        games: &training.games,
        n_steps: &training.n_steps,
        replay: &training.replay,
        learner: training.learner.save()?,
        explore: &training.explore,
        meters: &training.meters,
    };
    let state = postcard::to_stdvec(&state)
        .map_err(|error| Error::runtime(format!("the training's state cannot be written: {error}")))?;
    let mut container = Container::default();
    container.insert(CONFIG, config.to_toml()?.into_bytes());
    container.insert(STATE, state);
    save_agent(&folder.last_agent(), config, training.learner.network())?;
    container.save(&folder.last())
}

/// A checkpoint of a run that was read but not taken up yet.
pub struct RunCheckpoint {
    name: String,
    container: Container,
    /// The configuration of the run.
    pub config: TrainConfig,
}

impl RunCheckpoint {
    /// Reads a checkpoint of a run.
    ///
    /// # Errors
    /// A file that is missing, damaged, foreign, or of another version of the program.
    pub fn load(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let container = Container::load(path)?;
        let text = container
            .get(CONFIG)
            .filter(|_| container.get(STATE).is_some())
            .ok_or_else(|| Error::user(format!("{name} holds no state of a run")))?;
        let config = TrainConfig::parse(&String::from_utf8_lossy(text), &name, &[])?;
        Ok(Self { name, container, config })
    }

    /// The training as it was saved.
    ///
    /// # Errors
    /// When the state is of another version of the program.
    pub fn restore<G: Game>(&self, rules: &G::Rules, device: &Device) -> Result<Training<G>> {
        let state = self.container.get(STATE).unwrap_or_default();
        let saved: Saved<G> = postcard::from_bytes(state).map_err(|error| {
            Error::user(format!(
                "{} holds a state that this program cannot read ({error}): resume the run with the version of matchq that wrote it",
                self.name
            ))
        })?;
        saved
            .check(&self.config)
            .map_err(|what| Error::user(format!("{}: {what} do not fit the run's configuration", self.name)))?;
        let mut training = Training::new(&self.config, rules, device);
        training.learner.restore(saved.learner).map_err(|error| Error::user(format!("{}: {error}", self.name)))?;
        Ok(Training {
            step: saved.step,
            games: saved.games,
            n_steps: saved.n_steps,
            replay: saved.replay,
            explore: saved.explore,
            meters: saved.meters,
            ..training
        })
    }
}
