//! Configuration of imitation.

use serde::{Deserialize, Serialize};

use super::super::{LearnerConfig, OutOfRange, require};

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

/// Length of the training: section `[training]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `sweeps` | 2 | at least 1 | Sweeps; each has new positions. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Sweeps; each has new positions.
    pub sweeps: u64,
}

/// Expert, and features that imitate it: section `[learning]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `expert` | the game's first | name or file of a linear agent | The expert, which looks one piece further. |
/// | `features` | needed | names of the game's features | Names of features, or of sets of features. |
/// | `temperature` | 0.5 | above 0 | Gap to the best action at which a weight is 1/e, in shares of the expert's largest weight. |
/// | `ridge` | 1e-5 | above 0 | Weight of the squared weights, per pair of actions. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// Name or file of the expert, a linear agent that looks one piece further [default: the game's
    /// first].
    pub expert: Option<String>,
    /// Names of features, or of sets of features.
    pub features: Vec<String>,
    /// Gap to the best action at which a weight is 1/e, in shares of the expert's largest weight.
    pub temperature: f64,
    /// Weight of the squared weights, per pair of actions.
    pub ridge: f64,
}

/// Positions: section `[sampling]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `positions` | 100,000 | at least 1 | Positions per sweep. |
/// | `games` | 64 | 1 to 100,000 | Parallel games. |
/// | `moves` | 3 | 1 to 100,000 | Moves between two positions of a game. |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// Positions per sweep.
    pub positions: u64,
    /// Parallel games.
    pub games: u64,
    /// Moves between two positions of a game.
    pub moves: u64,
}

impl Default for Training {
    fn default() -> Self {
        Self { sweeps: 2 }
    }
}

impl Default for Learning {
    fn default() -> Self {
        Self { expert: None, features: Vec::new(), temperature: 0.5, ridge: 1e-5 }
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self { positions: 100_000, games: 64, moves: 3 }
    }
}

impl LearnerConfig for Config {
    const STEPS: &'static str = "training.sweeps";

    fn steps(&self) -> u64 {
        self.training.sweeps
    }

    fn check(&self) -> Result<(), OutOfRange> {
        let Self { training, learning, sampling } = self;
        let positive = |number: f64| number > 0.0 && number.is_finite();
        require(training.sweeps >= 1, "training.sweeps", training.sweeps, "at least 1")?;
        require(positive(learning.temperature), "learning.temperature", learning.temperature, "above 0 and finite")?;
        require(positive(learning.ridge), "learning.ridge", learning.ridge, "above 0 and finite")?;
        require(sampling.positions >= 1, "sampling.positions", sampling.positions, "at least 1")?;
        require((1..=100_000).contains(&sampling.games), "sampling.games", sampling.games, "between 1 and 100000")?;
        require((1..=100_000).contains(&sampling.moves), "sampling.moves", sampling.moves, "between 1 and 100000")
    }
}
