//! Any of the optimisers, by the configuration.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use super::cma::Cma;
use super::config::{Config, Method};
use super::cross_entropy::CrossEntropy;
use super::genetic::Genetic;
use super::optimizer::Optimizer;
use crate::random::Stream;

/// Any of the optimisers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Optimizers {
    /// Genetic algorithm.
    Genetic(Genetic),
    /// Noisy cross-entropy method.
    CrossEntropy(CrossEntropy),
    /// CMA-ES.
    Cma(Cma),
}

impl Optimizers {
    /// The configured optimiser for `count` numbers.
    pub fn new(config: &Config, count: usize, stream: Stream) -> Self {
        let Config { learning, genetic, cross_entropy, cma, .. } = config;
        match learning.method {
            Method::Genetic => Self::Genetic(Genetic::new(genetic.clone(), count, stream)),
            Method::CrossEntropy => Self::CrossEntropy(CrossEntropy::new(cross_entropy.clone(), count, stream)),
            Method::Cma => Self::Cma(Cma::new(cma.clone(), &vec![0.0; count], stream)),
        }
    }

    /// Whether a saved optimiser is that of the configuration, and whole over `count` numbers.
    pub fn is_of(&self, config: &Config, count: usize) -> bool {
        let of_config = match (self, config.learning.method) {
            (Self::Genetic(optimizer), Method::Genetic) => optimizer.config == config.genetic,
            (Self::CrossEntropy(optimizer), Method::CrossEntropy) => optimizer.config == config.cross_entropy,
            (Self::Cma(optimizer), Method::Cma) => optimizer.config == config.cma,
            _ => false,
        };
        of_config && self.fits(count) && self.solution().len() == count
    }
}

impl Deref for Optimizers {
    type Target = dyn Optimizer;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Genetic(optimizer) => optimizer,
            Self::CrossEntropy(optimizer) => optimizer,
            Self::Cma(optimizer) => optimizer,
        }
    }
}

impl DerefMut for Optimizers {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Genetic(optimizer) => optimizer,
            Self::CrossEntropy(optimizer) => optimizer,
            Self::Cma(optimizer) => optimizer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::optimizer::testing::{distance, run, sphere, stream};
    use super::super::{cma, cross_entropy, genetic};
    use super::*;

    fn all(dimensions: usize) -> [Optimizers; 3] {
        let genetic = genetic::Config { population: 60, mutation: 0.5, range: 5.0, ..Default::default() };
        let cross_entropy = cross_entropy::Config { noise: 0.0, ..Default::default() };
        [
            Optimizers::Genetic(Genetic::new(genetic, dimensions, stream(1))),
            Optimizers::CrossEntropy(CrossEntropy::new(cross_entropy, dimensions, stream(2))),
            Optimizers::Cma(Cma::new(cma::Config::default(), &vec![0.0; dimensions], stream(3))),
        ]
    }

    #[test]
    fn any_optimiser_finds_the_top_of_a_sphere_and_counts_its_generations() {
        for mut optimizer in all(3) {
            run(&mut *optimizer, sphere, 120);
            let distance = distance(optimizer.solution(), [1.0, 2.0, 3.0]);
            assert!(distance < 0.3, "{distance} of {optimizer:?}");
            assert_eq!(optimizer.generation(), 120);
        }
    }

    #[test]
    fn any_optimiser_says_when_it_is_finished() {
        for mut optimizer in all(2) {
            assert!(!optimizer.is_finished());
            // The best stays, or a step gets too small.
            for _ in 0..2_000 {
                run(&mut *optimizer, sphere, 1);
                if optimizer.is_finished() {
                    break;
                }
            }
            assert!(optimizer.is_finished(), "{optimizer:?}");
        }
    }

    #[test]
    #[should_panic(expected = "each candidate that was asked for needs one fitness")]
    fn a_fitness_too_few_is_refused() {
        let [mut optimizer, ..] = all(2);
        optimizer.ask();
        optimizer.tell(&[0.0; 59]);
    }

    #[test]
    #[should_panic(expected = "a fitness is not a finite number")]
    fn a_fitness_that_is_no_number_is_refused() {
        let [_, mut optimizer, _] = all(2);
        let mut fitness = vec![0.0; optimizer.ask().len()];
        fitness[3] = f64::NAN;
        optimizer.tell(&fitness);
    }

    #[test]
    #[should_panic(expected = "fitness was told before candidates were asked for")]
    fn a_fitness_before_candidates_is_refused() {
        let [.., mut optimizer] = all(2);
        optimizer.tell(&[]);
    }
}
