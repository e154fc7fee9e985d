//! The learner's sections of a configuration: meanings, defaults and ranges.

use serde::{Deserialize, Serialize};

use super::super::{LearnerConfig, OutOfRange, require};
use super::{cma, cross_entropy, genetic};

/// All sections of the learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How long.
    pub training: Training,
    /// What is searched for, and how.
    pub learning: Learning,
    /// How good a controller is.
    pub fitness: Fitness,
    /// The genetic algorithm's numbers.
    pub genetic: genetic::Config,
    /// The cross-entropy method's.
    pub cross_entropy: cross_entropy::Config,
    /// The evolution strategy's.
    pub cma: cma::Config,
}

/// How long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Generations at the most.
    pub generations: u64,
}

/// What is searched for, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learning {
    /// The optimiser.
    pub method: Method,
    /// Features, or sets of them, by their names.
    pub features: Vec<String>,
    /// The name or file of a controller around whose weights it searches.
    ///
    /// The controller's other features keep theirs.
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

/// How good a controller is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fitness {
    /// Games of each candidate, or seats where they are split.
    ///
    /// They are the same for all candidates of a generation.
    pub games: u64,
    /// Moves of a game at the most, or of a seat.
    pub moves: u64,
    /// Whether games are split where their end comes near.
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
        // Those of the methods that are not used, too: what is wrong there was meant to have an effect.
        genetic.check()?;
        cross_entropy.check()?;
        cma.check()
    }
}
