//! Configuration of deep Q-learning.

use serde::{Deserialize, Serialize};
use toml::Table;

use super::super::sections::{Checked, at_least_one, between, share};
use super::super::{LearnerConfig, RunConfig, TrainConfig, require};
use super::exploration::Exploration;
use super::loss::Loss;
use super::replay::ReplayConfig;
use super::target_network::Target;
use crate::network::{Input, ModelConfig, NetworkConfig};

/// Sections of the configuration of deep Q-learning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Q-network.
    pub network: NetworkConfig,
    /// Length of the training.
    pub training: Training,
    /// Epsilon and its schedule.
    pub exploration: Exploration,
    /// Replay memory.
    pub replay: ReplayConfig,
    /// Updates of the network.
    pub learning: Learning,
    /// Target network.
    pub target: Target,
}

sections! {
    /// Length of the training, with the alternation of acting and learning: section `[training]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `steps` | 640,000 | at least 1 | Moves in all games together. |
    /// | `games` | 64 | 1 to 100,000, at most `steps` | Parallel games. |
    /// | `warmup` | 6,400 | 0 to `steps`; any if `updates` is 0 | Random moves before learning starts. |
    /// | `updates` | 1 | 0 to 1,000 | Updates after a move in every game. |
    pub struct Training {
        /// Moves in all games together.
        pub steps: u64 = 640_000,
        /// Parallel games.
        pub games: usize = 64,
        /// Moves before learning starts.
        pub warmup: u64 = 6_400,
        /// Updates after a move in every game.
        pub updates: usize = 1,
    }

    /// Updates of the network: section `[learning]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `batch` | 256 | 1 to 65,536 | Transitions per update. |
    /// | `discount` | 0.9 | 0 to 1 | Discount of a reward one move later. |
    /// | `n_step` | 1 | 1 to 1,000; 1 with `expected` | Moves whose rewards are summed before the next value is added. |
    /// | `reward_scale` | 0.1 | above 0 | Factor from points to values. |
    /// | `double` | false |  | Double Q-learning: the online network chooses the next action, the target network values it. |
    /// | `loss` | `"squared"` | `"squared"`, `"huber"` | [Loss] of an error. |
    /// | `optimizer` | `"muon"` | `"adam"`, `"muon"` | [Optimizer](OptimizerKind) of the network. |
    /// | `learning_rate` | 1e-2 | above 0 | Initial step size. |
    /// | `final_learning_rate` | 1e-4 | 0 or above | Final step size, reached linearly. |
    /// | `max_gradient_norm` | 10 | 0 or above | Norm to which a larger gradient is scaled down; 0 for none. |
    /// | `candidates` | 0 | 0 to 256; 0 without plans or a dynamics model | Valued actions of a next state, by highest prior; 0 for all. |
    /// | `relative` | true | false where games may end early | Relative value iteration: the mean value of next states with as many actions left is subtracted. |
    /// | `symmetry` | true |  | Whether each transition is learned under a random symmetry. |
    /// | `expected` | none |  | Section of [expected updates](Expected); without it, transitions are learned as they were played. |
    pub struct Learning {
        /// Transitions per update.
        pub batch: usize = 256,
        /// Discount of a reward one move later.
        pub discount: f64 = 0.9,
        /// Moves whose rewards are summed before the next value is added.
        pub n_step: usize = 1,
        /// Factor from points to values.
        pub reward_scale: f64 = 0.1,
        /// Double Q-learning: the online network chooses the next action, the target network values it.
        pub double: bool = false,
        /// Loss of an error.
        pub loss: Loss = Loss::Squared,
        /// Optimizer of the network.
        pub optimizer: OptimizerKind = OptimizerKind::Muon,
        /// Initial step size.
        pub learning_rate: f64 = 1e-2,
        /// Final step size, reached linearly.
        pub final_learning_rate: f64 = 1e-4,
        /// Norm to which a larger gradient is scaled down; 0 for none.
        pub max_gradient_norm: f64 = 10.0,
        /// Valued actions of a next state, by highest prior, where the network sees afterstates; 0 for
        /// all.
        pub candidates: usize = 0,
        /// Subtract the mean value of next states with as many actions left (relative value iteration).
        pub relative: bool = true,
        /// Learn each transition under a random symmetry.
        pub symmetry: bool = true,
        /// Expected updates; without this section, transitions as played.
        pub expected: Option<Expected> = None,
    }

    /// Expected updates: simulated actions instead of the one played (Sutton and Barto 2018, section
    /// 8.5). Section `[learning.expected]`.
    ///
    /// An action's reward is the mean over its outcomes; its next state is that of the first outcome.
    /// Where only the next state of the action played is valued, the network learns the rewards and what
    /// follows them by two heads, and its values are their sums.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `outcomes` | 12 | 1 to 10,000 | Outcomes per action. |
    /// | `actions` | 0 | 0 to 256 | Actions simulated in each state; 0 for all. |
    /// | `future` | `"all"` | `"all"`, `"played"` | [Actions](Future) whose next states are valued. |
    #[derive(Copy, Eq)]
    pub struct Expected {
        /// Outcomes per action.
        pub outcomes: usize = 12,
        /// Actions simulated in each state; 0 for all.
        ///
        /// Half of them, rounded up, have the highest prior (without a prior, the most certain points).
        pub actions: usize = 0,
        /// Actions whose next states are valued.
        pub future: Future = Future::All,
    }
}

/// Actions of an expected update whose next states are valued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Future {
    /// Every simulated action.
    All,
    /// The action that was played; only for networks that see positions and are not dueling.
    Played,
}

/// Optimizers of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// Adam (Kingma and Ba 2015, <https://arxiv.org/abs/1412.6980>).
    Adam,
    /// Muon for convolutions, Adam for biases and heads.
    ///
    /// Muon's orthogonal steps have the size of Adam's (Jordan et al. 2024,
    /// <https://kellerjordan.github.io/posts/muon/>; Liu et al. 2025,
    /// <https://arxiv.org/abs/2502.16982>).
    Muon,
}

impl LearnerConfig for Config {
    const STEPS: &'static str = "training.steps";

    fn steps(&self) -> u64 {
        self.training.steps
    }

    fn quick_steps(&self) -> u64 {
        if self.training.updates == 0 { 0 } else { self.training.warmup }
    }

    fn check(&self) -> Checked {
        let Self { network, training, exploration, replay, learning, target } = self;
        network.check()?;
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
            !learning.learns_future_apart() || (network.input == Input::Position && !network.dueling),
            "learning.expected.future",
            "played",
            "\"all\", unless network.input is \"position\" and network.dueling false: only there two heads add up to one",
        )?;
        require(
            learning.candidates == 0 || network.input == Input::Plans || network.dynamics_waves > 0,
            "learning.candidates",
            learning.candidates,
            "0 where network.input is not \"plans\" and network.dynamics_waves is 0",
        )
    }

    /// Checks that nothing depends on the share of the training that is done.
    fn check_lengthening(&self) -> Result<(), String> {
        let Self { learning, replay, .. } = self;
        if learning.learning_rate != learning.final_learning_rate {
            return Err("its learning rate goes by the share of the training that is done, unless \
                        learning.final_learning_rate is learning.learning_rate"
                .into());
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

impl Config {
    /// Waves kept for a dynamics model; 0 without one.
    pub fn seen_waves(&self) -> usize {
        if self.network.dynamics_waves > 0 { self.replay.capacity } else { 0 }
    }
}

impl TrainConfig<Config> {
    /// The trained network's model without weights.
    pub fn model(&self) -> ModelConfig {
        let Self { run: RunConfig { game, .. }, learner } = self;
        ModelConfig {
            game: game.name.clone(),
            rules: Table::clone(&game.rules),
            mask: game.mask.clone(),
            points: 1.0 / learner.learning.reward_scale,
            relative: learner.learning.relative,
            network: learner.network.clone(),
        }
    }
}

impl Training {
    fn check(&self) -> Checked {
        let Self { steps, games, warmup, updates } = *self;
        at_least_one("training.steps", steps)?;
        require(
            warmup <= steps || updates == 0,
            "training.warmup",
            warmup,
            format!("at most training.steps, {steps}: nothing is learned before"),
        )?;
        between("training.games", games, 1..=100_000)?;
        require(
            games as u64 <= steps,
            "training.games",
            games,
            format!("at most training.steps, {steps}: all games move in each round"),
        )?;
        between("training.updates", updates, 0..=1_000)
    }
}

impl Learning {
    /// Minimum of action values per update.
    pub fn values(&self) -> usize {
        self.batch * self.expected.map_or(1, |expected| expected.actions.max(1))
    }

    /// Whether what follows an action's points is learned apart.
    pub fn learns_future_apart(&self) -> bool {
        self.expected.is_some_and(|expected| expected.future == Future::Played)
    }

    /// Step size after a share `progress` of the training.
    pub fn learning_rate_at(&self, progress: f64) -> f64 {
        self.learning_rate + (self.final_learning_rate - self.learning_rate) * progress
    }

    fn check(&self) -> Checked {
        between("learning.batch", self.batch, 1..=65_536)?;
        share("learning.discount", self.discount)?;
        between("learning.n_step", self.n_step, 1..=1_000)?;
        self.check_numbers()?;
        self.check_targets()
    }

    fn check_numbers(&self) -> Checked {
        // Single precision, as in use.
        let positive = |value: f64| value as f32 > 0.0 && (value as f32).is_finite();
        for (key, value) in
            [("learning.reward_scale", self.reward_scale), ("learning.learning_rate", self.learning_rate)]
        {
            require(positive(value), key, value, "above 0, and a number that 32 bits can hold")?;
        }
        let (rate, norm) = (self.final_learning_rate, self.max_gradient_norm);
        require(rate == 0.0 || positive(rate), "learning.final_learning_rate", rate, "0 or above, and finite")?;
        require(
            norm == 0.0 || positive(norm),
            "learning.max_gradient_norm",
            norm,
            "above 0 and finite, or 0 for no clipping",
        )
    }

    fn check_targets(&self) -> Checked {
        between("learning.candidates", self.candidates, 0..=256)?;
        let Some(Expected { outcomes, actions, .. }) = self.expected else { return Ok(()) };
        between("learning.expected.outcomes", outcomes, 1..=10_000)?;
        between("learning.expected.actions", actions, 0..=256)?;
        require(self.n_step == 1, "learning.n_step", self.n_step, "1 with the section learning.expected")
    }
}
