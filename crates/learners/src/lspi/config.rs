//! Configuration of least-squares policy iteration.

use serde::{Deserialize, Serialize};

use super::super::{LearnerConfig, OutOfRange, is_share, require};

/// Sections of the configuration of least-squares policy iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Length of the training.
    pub training: Training,
    /// Values of actions.
    pub learning: Learning,
    /// Transitions to learn from.
    pub sampling: Sampling,
}

/// Length of the training: section `[training]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `policies` | 20 | at least 1 | Number of policies. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Number of policies.
    pub policies: u64,
}

/// Values of actions: section `[learning]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `features` | needed | names of the game's features | Names of action features, or of sets of features. |
/// | `discount` | 0.9 | 0 to 1 | Discount of a point one move later. |
/// | `ridge` | 1e-6 | above 0 | Number added to the diagonal, as a share of each feature's sum of squares. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// Names of action features, or of sets of features.
    pub features: Vec<String>,
    /// Discount of a point one move later.
    pub discount: f64,
    /// Number added to the diagonal, as a share of each feature's sum of squares.
    pub ridge: f64,
}

/// Transitions to learn from: section `[sampling]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `moves` | 100,000 | at least `games` | Moves of each policy. |
/// | `games` | 64 | 1 to 100,000 | Parallel games. |
/// | `exploration` | 0.05 | 0 to 1 | Share of random moves; the first policy is all random. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// Moves of each policy.
    pub moves: u64,
    /// Parallel games.
    pub games: u64,
    /// Share of random moves; the first policy is all random.
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
        require(is_share(learning.discount), "learning.discount", learning.discount, "between 0 and 1")?;
        let positive = learning.ridge > 0.0 && learning.ridge.is_finite();
        require(positive, "learning.ridge", learning.ridge, "above 0 and finite")?;
        require((1..=100_000).contains(&sampling.games), "sampling.games", sampling.games, "between 1 and 100000")?;
        require(sampling.moves >= sampling.games, "sampling.moves", sampling.moves, "at least sampling.games")?;
        require(is_share(sampling.exploration), "sampling.exploration", sampling.exploration, "between 0 and 1")
    }
}
