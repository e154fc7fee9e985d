//! The learner's sections of a configuration: meanings, defaults and ranges.

use serde::{Deserialize, Serialize};

use super::super::{LearnerConfig, OutOfRange, require, unit};

/// All sections of the learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How long.
    pub training: Training,
    /// The positions that values are fitted on, and what may follow them.
    pub sampling: Sampling,
    /// The sweep.
    pub learning: Learning,
    /// How the agent plays.
    pub playing: Playing,
}

/// How long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Sweeps over all positions at the most.
    pub sweeps: u64,
}

/// The positions that values are fitted on, and what may follow them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// Positions, drawn as the game says.
    pub positions: usize,
    /// Outcomes that are drawn of each action in each of them.
    pub outcomes: usize,
}

/// The sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// What a point is worth one action later.
    pub discount: f64,
    /// How many of a position's best descriptions make its features.
    ///
    /// Their mean does, where a position has several.
    pub best_of: usize,
    /// Weight of the squared size of the weights in the regression.
    pub ridge: f64,
    /// The training ends once no weight moves by more.
    pub tolerance: f64,
}

/// How the agent plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Playing {
    /// Outcomes that are drawn of each action; 0: what is certain of it.
    pub outcomes: usize,
    /// Count the action's own points.
    pub rewards: bool,
}

impl Default for Training {
    fn default() -> Self {
        Self { sweeps: 300 }
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self { positions: 2_000, outcomes: 10 }
    }
}

impl Default for Learning {
    fn default() -> Self {
        Self { discount: 0.99, best_of: 1, ridge: 1e-6, tolerance: 1e-6 }
    }
}

impl Default for Playing {
    fn default() -> Self {
        Self { outcomes: 10, rewards: true }
    }
}

impl LearnerConfig for Config {
    const STEPS: &'static str = "training.sweeps";

    fn steps(&self) -> u64 {
        self.training.sweeps
    }

    fn check(&self) -> Result<(), OutOfRange> {
        let Self { training, sampling, learning, playing } = self;
        require(training.sweeps >= 1, "training.sweeps", training.sweeps, "at least 1")?;
        let positions = sampling.positions;
        require((1..=100_000).contains(&positions), "sampling.positions", positions, "between 1 and 100000")?;
        let outcomes = sampling.outcomes;
        require((1..=1_000).contains(&outcomes), "sampling.outcomes", outcomes, "between 1 and 1000")?;
        require(unit(learning.discount), "learning.discount", learning.discount, "between 0 and 1")?;
        require(learning.best_of >= 1, "learning.best_of", learning.best_of, "at least 1")?;
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        require(not_negative(learning.ridge), "learning.ridge", learning.ridge, "0 or above, and finite")?;
        require(not_negative(learning.tolerance), "learning.tolerance", learning.tolerance, "0 or above, and finite")?;
        require(playing.outcomes <= 1_000, "playing.outcomes", playing.outcomes, "between 0 and 1000")
    }
}
