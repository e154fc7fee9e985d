//! The learner's sections of a configuration: meanings, defaults and ranges.

use serde::{Deserialize, Serialize};

use super::super::{LearnerConfig, OutOfRange, require, unit};

/// All sections of the learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How long.
    pub training: Training,
    /// The values.
    pub learning: Learning,
    /// The transitions that they are learned from.
    pub sampling: Sampling,
}

/// How long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Policies, one after the other.
    pub policies: u64,
}

/// The values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// Features of an action, or sets of them, by their names.
    pub features: Vec<String>,
    /// What a point is worth one action later.
    pub discount: f64,
    /// Added to the equations' diagonal.
    ///
    /// In shares of each feature's sum of squares.
    pub ridge: f64,
}

/// The transitions that they are learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// Moves of a policy.
    pub moves: u64,
    /// Games that are played side by side.
    pub games: u64,
    /// Share of moves that are random; the first policy's all are.
    pub exploration: f64,
}

impl Default for Training {
    fn default() -> Self {
        Self { policies: 20 }
    }
}

impl Default for Learning {
    fn default() -> Self {
        Self { features: Vec::new(), discount: 0.9, ridge: 1e-6 }
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self { moves: 100_000, games: 64, exploration: 0.05 }
    }
}

impl LearnerConfig for Config {
    const STEPS: &'static str = "training.policies";

    fn steps(&self) -> u64 {
        self.training.policies
    }

    fn check(&self) -> Result<(), OutOfRange> {
        let Self { training, learning, sampling } = self;
        require(training.policies >= 1, "training.policies", training.policies, "at least 1")?;
        require(unit(learning.discount), "learning.discount", learning.discount, "between 0 and 1")?;
        let positive = learning.ridge > 0.0 && learning.ridge.is_finite();
        require(positive, "learning.ridge", learning.ridge, "above 0 and finite")?;
        require((1..=100_000).contains(&sampling.games), "sampling.games", sampling.games, "between 1 and 100000")?;
        require(sampling.moves >= sampling.games, "sampling.moves", sampling.moves, "at least sampling.games")?;
        require(unit(sampling.exploration), "sampling.exploration", sampling.exploration, "between 0 and 1")
    }
}
