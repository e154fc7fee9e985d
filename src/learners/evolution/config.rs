use serde::{Deserialize, Serialize};

use super::super::{LearnerConfig, OutOfRange, require};
use super::{cma, cross_entropy, genetic};

/// The learner's sections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Length of the training.
    pub training: Training,
    /// The weights to search for, and the optimiser.
    pub learning: Learning,
    /// The measure of an agent.
    pub fitness: Fitness,
    /// Genetic algorithm.
    pub genetic: genetic::Config,
    /// Cross-entropy method.
    pub cross_entropy: cross_entropy::Config,
    /// Evolution strategy (CMA-ES).
    pub cma: cma::Config,
}

/// Length of the training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Limit of generations.
    pub generations: u64,
}

/// The weights to search for, and the optimiser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// Optimiser.
    pub method: Method,
    /// Names of features, or of sets of features.
    pub features: Vec<String>,
    /// Name or file of a linear agent around whose weights the search starts; its other weights
    /// stay.
    pub start: Option<String>,
}

/// An optimiser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The genetic algorithm.
    #[default]
    Genetic,
    /// The noisy cross-entropy method.
    CrossEntropy,
    /// The evolution strategy with covariance matrix adaptation.
    Cma,
}

/// The measure of an agent: the mean score of its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fitness {
    /// Games of each candidate, the same for all in a generation; with `split`, seats of many games
    /// each.
    pub games: u64,
    /// Limit of moves in a game, or on a seat.
    pub moves: u64,
    /// Split games where their end comes near (RESTART).
    pub split: bool,
}

impl Default for Training {
    fn default() -> Self {
        Self { generations: 100 }
    }
}

impl Default for Fitness {
    fn default() -> Self {
        Self { games: 20, moves: 10_000_000, split: false }
    }
}

impl LearnerConfig for Config {
    const STEPS: &'static str = "training.generations";

    fn steps(&self) -> u64 {
        self.training.generations
    }

    fn check(&self) -> Result<(), OutOfRange> {
        let Self { training, learning: _, fitness, genetic, cross_entropy, cma } = self;
        require(training.generations >= 1, "training.generations", training.generations, "at least 1")?;
        require((1..=100_000).contains(&fitness.games), "fitness.games", fitness.games, "between 1 and 100000")?;
        require(fitness.moves >= 1, "fitness.moves", fitness.moves, "at least 1")?;
        // Sections of unused methods are checked, too: a mistake there was meant to have an effect.
        genetic.check()?;
        cross_entropy.check()?;
        cma.check()
    }
}
