//! Configuration of evolution.

use serde::{Deserialize, Serialize};

use super::super::LearnerConfig;
use super::super::sections::{Checked, at_least_one, between};
use super::{cma, cross_entropy, genetic};

/// Sections of the configuration of evolution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Length of the training.
    pub training: Training,
    /// Weights and optimiser.
    pub learning: Learning,
    /// Games of each candidate.
    pub fitness: Fitness,
    /// Genetic algorithm.
    pub genetic: genetic::Config,
    /// Cross-entropy method.
    pub cross_entropy: cross_entropy::Config,
    /// Evolution strategy (CMA-ES).
    pub cma: cma::Config,
}

sections! {
    /// Length of the training: section `[training]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `generations` | 100 | at least 1 | Generations at most. |
    pub struct Training {
        /// Limit of generations.
        pub generations: u64 = 100,
    }
}

/// Weights and optimiser: section `[learning]`.
///
/// | key | default | range | meaning |
/// |---|---|---|---|
/// | `method` | `"genetic"` | `"genetic"`, `"cross-entropy"`, `"cma"` | [Optimiser](Method). |
/// | `features` | needed | names of the game's features | Names of features, or of sets of features. |
/// | `start` | none | name or file of a linear agent | Agent to start from; weights that are not searched stay. |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// Optimiser.
    pub method: Method,
    /// Names of features, or of sets of features.
    pub features: Vec<String>,
    /// Name or file of a linear agent to start from; weights not searched stay.
    pub start: Option<String>,
}

/// Optimisers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Genetic algorithm.
    #[default]
    Genetic,
    /// Noisy cross-entropy method.
    CrossEntropy,
    /// CMA-ES.
    Cma,
}

sections! {
    /// Fitness, the mean score of games: section `[fitness]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `games` | 20 | 1 to 100,000 | Games per candidate, equal for all in a generation; with `split`, sequences of many games each. |
    /// | `moves` | 10,000,000 | at least 1 | Maximum moves of a game or sequence. |
    /// | `split` | false |  | Whether games are split near their end (RESTART). |
    pub struct Fitness {
        /// Games per candidate, equal for all in a generation; with `split`, sequences of many games each.
        pub games: u64 = 20,
        /// Maximum moves of a game or sequence.
        pub moves: u64 = 10_000_000,
        /// Split games near their end (RESTART).
        pub split: bool = false,
    }
}

impl LearnerConfig for Config {
    const STEPS: &'static str = "training.generations";

    fn steps(&self) -> u64 {
        self.training.generations
    }

    fn check(&self) -> Checked {
        let Self { training, learning: _, fitness, genetic, cross_entropy, cma } = self;
        at_least_one("training.generations", training.generations)?;
        between("fitness.games", fitness.games, 1..=100_000)?;
        at_least_one("fitness.moves", fitness.moves)?;
        // Unused sections are checked too, because a mistake there was meant to have an effect.
        genetic.check()?;
        cross_entropy.check()?;
        cma.check()
    }
}
