//! The learner's sections of a configuration: meanings, defaults and ranges.

use serde::{Deserialize, Serialize};
use toml::Table;

use super::super::{OutOfRange, RunConfig, TrainConfig, require, unit};
use super::exploration::Exploration;
use super::loss::Loss;
use super::replay::ReplayConfig;
use super::schedule::Schedule;
use super::target_network::Target;
use crate::network::{self, Input, ModelConfig, NetworkConfig};

/// All sections of the learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The Q-network.
    pub network: NetworkConfig,
    /// How long, and how acting and learning alternate.
    pub training: Training,
    /// Epsilon and its schedule.
    pub exploration: Exploration,
    /// The replay memory.
    pub replay: ReplayConfig,
    /// The update of the network.
    pub learning: Learning,
    /// The target network.
    pub target: Target,
}

/// How long, and how acting and learning alternate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Moves in all games together.
    pub steps: u64,
    /// Games that step together.
    pub games: usize,
    /// Moves played before learning starts.
    pub warmup: u64,
    /// Updates each time that all games have made one move.
    pub updates: usize,
}

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
    /// What turns gradients into steps.
    pub optimizer: OptimizerKind,
    /// The step size at the start.
    pub learning_rate: f64,
    /// The step size at the end.
    pub final_learning_rate: f64,
    /// How the one becomes the other.
    pub schedule: Schedule,
    /// Adam's epsilon.
    pub adam_epsilon: f64,
    /// Norm of the whole gradient above which it is scaled down; 0 for none.
    pub max_gradient_norm: f64,
    /// 0: learn from the sampled transition what its action brought.
    ///
    /// K: simulate every action of the mask in its state instead, and learn the mean reward of K outcomes and the next
    /// state's value in one of them.
    pub simulations: usize,
    /// With simulated outcomes: actions tried in each state; 0 for all.
    ///
    /// The larger half of them are those with the highest prior, without one with the most certain points.
    pub actions: usize,
    /// With simulated outcomes: moves of the best certain plan after each; 0 for none.
    ///
    /// Its discounted points count with the outcome until the next state's value takes their place.
    pub lookahead: u32,
    /// With afterstates: actions of a next state that are valued; 0 for all.
    ///
    /// They are those with the highest prior.
    pub candidates: usize,
    /// Share of the training before which targets are rewards alone; 1: for ever.
    ///
    /// With what is certain after them. Next states' values cost most of an update's time and mean little while the
    /// network is young.
    pub bootstrap_from: f64,
    /// Count next states' values from their mean, as relative value iteration does.
    ///
    /// It is the mean where as many actions are left.
    pub relative: bool,
    /// Learn each transition under a random symmetry of the game.
    pub symmetry: bool,
}

/// What turns gradients into steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// Adam (Kingma and Ba 2015, <https://arxiv.org/abs/1412.6980>).
    Adam,
    /// Orthogonal steps for convolutions, Adam's for biases and heads.
    ///
    /// The orthogonal steps are as large as Adam's would be (Jordan et al. 2024,
    /// <https://kellerjordan.github.io/posts/muon/>; Liu et al. 2025, <https://arxiv.org/abs/2502.16982>).
    Muon,
}

impl Default for Training {
    fn default() -> Self {
        Self { steps: 1_000_000, games: 64, warmup: 10_000, updates: 1 }
    }
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
            optimizer: OptimizerKind::Adam,
            adam_epsilon: 1e-8,
            max_gradient_norm: 10.0,
            simulations: 0,
            actions: 0,
            lookahead: 0,
            candidates: 0,
            bootstrap_from: 0.0,
            relative: false,
            symmetry: true,
        }
    }
}

impl Config {
    /// Checks every section, and what needs more than one.
    ///
    /// # Errors
    /// The first value that is not right.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let Self { network, training, exploration, replay, learning, target } = self;
        network.check().map_err(|network::OutOfRange { key, value, allowed }| OutOfRange {
            key: format!("network.{key}"),
            value,
            allowed: allowed.to_owned(),
        })?;
        training.check()?;
        exploration.check()?;
        replay.check()?;
        learning.check()?;
        target.check()?;
        require(
            replay.capacity >= learning.batch,
            "replay.capacity",
            replay.capacity,
            format!("at least learning.batch, which is {}", learning.batch),
        )?;
        require(
            learning.candidates == 0 || network.input == Input::Plans || network.dynamics_waves > 0,
            "learning.candidates",
            learning.candidates,
            "0 where network.input is not \"plans\" and network.dynamics_waves is 0",
        )
    }

    /// Waves that are kept for a dynamics model; 0 without one.
    pub fn seen_waves(&self) -> usize {
        if self.network.dynamics_waves > 0 { self.replay.capacity } else { 0 }
    }

    /// Whether nothing goes by the share of the training that is done.
    ///
    /// # Errors
    /// What does.
    pub fn check_lengthening(&self) -> Result<(), String> {
        let Self { learning, replay, .. } = self;
        if learning.schedule != Schedule::Constant && learning.learning_rate != learning.final_learning_rate {
            return Err(
                "its learning rate goes by the share of the training that is done, unless learning.schedule is \
                        \"constant\""
                    .into(),
            );
        }
        if learning.bootstrap_from > 0.0 && learning.bootstrap_from < 1.0 {
            return Err(format!("learning.bootstrap_from = {} is a share of the training", learning.bootstrap_from));
        }
        match replay.prioritised && replay.importance_exponent != 1.0 {
            true => {
                Err("the weights of prioritised replay rise until the end, unless replay.importance_exponent is 1"
                    .into())
            }
            false => Ok(()),
        }
    }
}

impl TrainConfig<Config> {
    /// What is needed to play with the trained network.
    pub fn model(&self) -> ModelConfig {
        let Self { run: RunConfig { game, .. }, learner } = self;
        ModelConfig {
            game: game.name.clone(),
            rules: Table::clone(&game.rules),
            mask: game.mask.clone(),
            points: 1.0 / learner.learning.reward_scale,
            network: learner.network.clone(),
        }
    }
}

impl Training {
    fn check(&self) -> Result<(), OutOfRange> {
        let Self { steps, games, warmup: _, updates } = *self;
        require(steps >= 1, "training.steps", steps, "at least 1")?;
        require((1..=100_000).contains(&games), "training.games", games, "between 1 and 100000")?;
        require(updates <= 1_000, "training.updates", updates, "between 0 and 1000")
    }
}

impl Learning {
    /// The step size when a share of the training between 0 and 1 is done.
    pub fn learning_rate_at(&self, progress: f64) -> f64 {
        self.schedule.between(self.learning_rate, self.final_learning_rate, progress)
    }

    fn check(&self) -> Result<(), OutOfRange> {
        let Self { batch, discount, n_step, .. } = *self;
        require((1..=65_536).contains(&batch), "learning.batch", batch, "between 1 and 65536")?;
        require(unit(discount), "learning.discount", discount, "between 0 and 1")?;
        require((1..=1_000).contains(&n_step), "learning.n_step", n_step, "between 1 and 1000")?;
        self.check_numbers()?;
        self.check_simulations()
    }

    fn check_numbers(&self) -> Result<(), OutOfRange> {
        // They are used in single precision.
        let positive = |value: f64| value as f32 > 0.0 && (value as f32).is_finite();
        for (key, value) in [
            ("learning.reward_scale", self.reward_scale),
            ("learning.huber_delta", self.huber_delta),
            ("learning.learning_rate", self.learning_rate),
            ("learning.adam_epsilon", self.adam_epsilon),
        ] {
            require(positive(value), key, value, "above 0")?;
        }
        let (rate, norm) = (self.final_learning_rate, self.max_gradient_norm);
        require(rate == 0.0 || positive(rate), "learning.final_learning_rate", rate, "0 or above")?;
        require(norm == 0.0 || positive(norm), "learning.max_gradient_norm", norm, "above 0, or 0 for no clipping")
    }

    fn check_simulations(&self) -> Result<(), OutOfRange> {
        let Self { n_step, simulations, actions, lookahead, candidates, bootstrap_from, .. } = *self;
        require(simulations <= 10_000, "learning.simulations", simulations, "between 0 and 10000")?;
        require(actions <= 256, "learning.actions", actions, "between 0 and 256")?;
        require(lookahead <= 3, "learning.lookahead", lookahead, "between 0 and 3")?;
        require(candidates <= 256, "learning.candidates", candidates, "between 0 and 256")?;
        require(unit(bootstrap_from), "learning.bootstrap_from", bootstrap_from, "between 0 and 1")?;
        for (key, value) in [("learning.actions", actions), ("learning.lookahead", lookahead as usize)] {
            require(simulations > 0 || value == 0, key, value, "0 where learning.simulations is 0")?;
        }
        for (key, above) in
            [("learning.simulations", simulations > 0), ("learning.bootstrap_from", bootstrap_from > 0.0)]
        {
            require(!above || n_step == 1, "learning.n_step", n_step, format!("1 where {key} is above 0"))?;
        }
        Ok(())
    }
}
