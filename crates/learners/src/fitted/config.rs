//! Configuration of fitted value iteration.

use serde::{Deserialize, Serialize};

use super::super::{LearnerConfig, OutOfRange, is_share, require};

/// Sections of the configuration of fitted value iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Length of the training.
    pub training: Training,
    /// Positions and their outcomes.
    pub sampling: Sampling,
    /// Regression of a sweep.
    pub learning: Learning,
    /// Settings of the player.
    pub playing: Playing,
}

/// Length of the training: section `[training]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `sweeps` | 300 | at least 1 | Sweeps at most. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Maximum of sweeps.
    pub sweeps: u64,
}

/// Positions and their outcomes: section `[sampling]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `positions` | 2,000 | 1 to 100,000, more than the features | Number of positions. |
/// | `outcomes` | 10 | 1 to 1,000 | Outcomes per action and position. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// Number of positions.
    pub positions: usize,
    /// Outcomes per action and position.
    pub outcomes: usize,
}

/// Regression of a sweep: section `[learning]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `discount` | 0.99 | 0 to 1 | Discount of a point one move later. |
/// | `best_of` | 1 | at least 1 | Number of best descriptions; their mean is a position's features. |
/// | `ridge` | 1e-6 | 0 or above | Weight of the squared weights. |
/// | `tolerance` | 1e-6 | 0 or above | Largest change of a weight that ends the training. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// Discount of a point one move later.
    pub discount: f64,
    /// Number of best descriptions; their mean is a position's features.
    pub best_of: usize,
    /// Weight of the squared weights.
    pub ridge: f64,
    /// Largest change of a weight that ends the training.
    pub tolerance: f64,
}

/// Settings of the player: section `[playing]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `outcomes` | 10 | 0 to 1,000 | Outcomes per action; 0 for only certain points and positions. |
/// | `rewards` | true |  | Whether an action's points are added to the value of what it leaves. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Playing {
    /// Outcomes per action; 0 for only certain points and positions.
    pub outcomes: usize,
    /// Add the action's points.
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
        require(is_share(learning.discount), "learning.discount", learning.discount, "between 0 and 1")?;
        require(learning.best_of >= 1, "learning.best_of", learning.best_of, "at least 1")?;
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        require(not_negative(learning.ridge), "learning.ridge", learning.ridge, "0 or above, and finite")?;
        require(not_negative(learning.tolerance), "learning.tolerance", learning.tolerance, "0 or above, and finite")?;
        require(playing.outcomes <= 1_000, "playing.outcomes", playing.outcomes, "between 0 and 1000")
    }
}
