//! Configuration of imitation.

use serde::{Deserialize, Serialize};

use super::super::LearnerConfig;
use super::super::sections::{Checked, at_least_one, between, positive};

/// Sections of the configuration of imitation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Length of the training.
    pub training: Training,
    /// Expert, and features that imitate it.
    pub learning: Learning,
    /// Positions.
    pub sampling: Sampling,
}

sections! {
    /// Length of the training: section `[training]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `sweeps` | 2 | at least 1 | Sweeps; each has new positions. |
    pub struct Training {
        /// Sweeps; each has new positions.
        pub sweeps: u64 = 2,
    }

    /// Expert, and features that imitate it: section `[learning]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `expert` | the game's first | name or file of a linear agent | The expert, which looks one piece further. |
    /// | `features` | needed | names of the game's features | Names of features, or of sets of features. |
    /// | `temperature` | 0.5 | above 0 | Gap to the best action at which a weight is 1/e, in shares of the expert's largest weight. |
    /// | `ridge` | 1e-5 | above 0 | Weight of the squared weights, per pair of actions. |
    pub struct Learning {
        /// Name or file of the expert, a linear agent that looks one piece further [default: the game's
        /// first].
        pub expert: Option<String> = None,
        /// Names of features, or of sets of features.
        pub features: Vec<String> = Vec::new(),
        /// Gap to the best action at which a weight is 1/e, in shares of the expert's largest weight.
        pub temperature: f64 = 0.5,
        /// Weight of the squared weights, per pair of actions.
        pub ridge: f64 = 1e-5,
    }

    /// Positions: section `[sampling]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `positions` | 100,000 | at least 1 | Positions per sweep. |
    /// | `games` | 64 | 1 to 100,000 | Parallel games. |
    /// | `moves` | 3 | 1 to 100,000 | Moves between two positions of a game. |
    pub struct Sampling {
        /// Positions per sweep.
        pub positions: u64 = 100_000,
        /// Parallel games.
        pub games: u64 = 64,
        /// Moves between two positions of a game.
        pub moves: u64 = 3,
    }
}

impl LearnerConfig for Config {
    const STEPS: &'static str = "training.sweeps";

    fn steps(&self) -> u64 {
        self.training.sweeps
    }

    fn check(&self) -> Checked {
        let Self { training, learning, sampling } = self;
        at_least_one("training.sweeps", training.sweeps)?;
        positive("learning.temperature", learning.temperature)?;
        positive("learning.ridge", learning.ridge)?;
        at_least_one("sampling.positions", sampling.positions)?;
        between("sampling.games", sampling.games, 1..=100_000)?;
        between("sampling.moves", sampling.moves, 1..=100_000)
    }
}
