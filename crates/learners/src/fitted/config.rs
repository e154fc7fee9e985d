//! Configuration of fitted value iteration.

use serde::{Deserialize, Serialize};

use super::super::LearnerConfig;
use super::super::sections::{Checked, at_least_one, between, not_negative, share};

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

sections! {
    /// Length of the training: section `[training]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `sweeps` | 300 | at least 1 | Sweeps at most. |
    pub struct Training {
        /// Maximum of sweeps.
        pub sweeps: u64 = 300,
    }

    /// Positions and their outcomes: section `[sampling]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `positions` | 2,000 | 1 to 100,000, more than the features | Number of positions. |
    /// | `outcomes` | 10 | 1 to 1,000 | Outcomes per action and position. |
    pub struct Sampling {
        /// Number of positions.
        pub positions: usize = 2_000,
        /// Outcomes per action and position.
        pub outcomes: usize = 10,
    }

    /// Regression of a sweep: section `[learning]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `discount` | 0.99 | 0 to 1 | Discount of a point one move later. |
    /// | `best_of` | 1 | at least 1 | Number of best descriptions; their mean is a position's features. |
    /// | `ridge` | 1e-6 | 0 or above | Weight of the squared weights. |
    /// | `tolerance` | 1e-6 | 0 or above | Largest change of a weight that ends the training. |
    pub struct Learning {
        /// Discount of a point one move later.
        pub discount: f64 = 0.99,
        /// Number of best descriptions; their mean is a position's features.
        pub best_of: usize = 1,
        /// Weight of the squared weights.
        pub ridge: f64 = 1e-6,
        /// Largest change of a weight that ends the training.
        pub tolerance: f64 = 1e-6,
    }

    /// Settings of the player: section `[playing]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `outcomes` | 10 | 0 to 1,000 | Outcomes per action; 0 for only certain points and positions. |
    /// | `rewards` | true |  | Whether an action's points are added to the value of what it leaves. |
    pub struct Playing {
        /// Outcomes per action; 0 for only certain points and positions.
        pub outcomes: usize = 10,
        /// Add the action's points.
        pub rewards: bool = true,
    }
}

impl LearnerConfig for Config {
    const STEPS: &'static str = "training.sweeps";

    fn steps(&self) -> u64 {
        self.training.sweeps
    }

    fn check(&self) -> Checked {
        let Self { training, sampling, learning, playing } = self;
        at_least_one("training.sweeps", training.sweeps)?;
        between("sampling.positions", sampling.positions, 1..=100_000)?;
        between("sampling.outcomes", sampling.outcomes, 1..=1_000)?;
        share("learning.discount", learning.discount)?;
        at_least_one("learning.best_of", learning.best_of as u64)?;
        not_negative("learning.ridge", learning.ridge)?;
        not_negative("learning.tolerance", learning.tolerance)?;
        between("playing.outcomes", playing.outcomes, 0..=1_000)
    }
}
