//! Configuration of least-squares policy iteration.

use serde::{Deserialize, Serialize};

use super::super::sections::{Checked, at_least_one, between, positive, share};
use super::super::{LearnerConfig, require};

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

sections! {
    /// Length of the training: section `[training]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `policies` | 20 | at least 1 | Number of policies. |
    pub struct Training {
        /// Number of policies.
        pub policies: u64 = 20,
    }

    /// Values of actions: section `[learning]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `features` | needed | names of the game's features | Names of action features, or of sets of features. |
    /// | `discount` | 0.9 | 0 to 1 | Discount of a point one move later. |
    /// | `ridge` | 1e-6 | above 0 | Number added to the diagonal, as a share of each feature's sum of squares. |
    pub struct Learning {
        /// Names of action features, or of sets of features.
        pub features: Vec<String> = Vec::new(),
        /// Discount of a point one move later.
        pub discount: f64 = 0.9,
        /// Number added to the diagonal, as a share of each feature's sum of squares.
        pub ridge: f64 = 1e-6,
    }

    /// Transitions to learn from: section `[sampling]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `moves` | 100,000 | at least `games` | Moves of each policy. |
    /// | `games` | 64 | 1 to 100,000 | Parallel games. |
    /// | `exploration` | 0.05 | 0 to 1 | Share of random moves; the first policy is all random. |
    pub struct Sampling {
        /// Moves of each policy.
        pub moves: u64 = 100_000,
        /// Parallel games.
        pub games: u64 = 64,
        /// Share of random moves; the first policy is all random.
        pub exploration: f64 = 0.05,
    }
}

impl LearnerConfig for Config {
    const STEPS: &'static str = "training.policies";

    fn steps(&self) -> u64 {
        self.training.policies
    }

    fn check(&self) -> Checked {
        let Self { training, learning, sampling } = self;
        at_least_one("training.policies", training.policies)?;
        share("learning.discount", learning.discount)?;
        positive("learning.ridge", learning.ridge)?;
        between("sampling.games", sampling.games, 1..=100_000)?;
        require(sampling.moves >= sampling.games, "sampling.moves", sampling.moves, "at least sampling.games")?;
        share("sampling.exploration", sampling.exploration)
    }
}
