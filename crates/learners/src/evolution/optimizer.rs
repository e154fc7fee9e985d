//! What all optimisers have in common: they see only the fitness of candidates.

use std::cmp::Ordering;
use std::f64::consts::TAU;

use rand::Rng;

use crate::random::Stream;

/// A search for the numbers of highest fitness.
///
/// A generation is an [`ask`](Self::ask), an evaluation and a [`tell`](Self::tell). Random numbers
/// are serialized, too: a restored search continues bit for bit.
pub trait Optimizer {
    /// Candidates to evaluate, the same until [`tell`](Self::tell).
    fn ask(&mut self) -> &[Vec<f64>];

    /// Takes the fitness of each candidate, in order; higher is better.
    ///
    /// # Panics
    /// When there is not one finite number per candidate.
    fn tell(&mut self, fitness: &[f64]);

    /// The result so far.
    fn solution(&self) -> &[f64];

    /// Generations so far.
    fn generation(&self) -> u64;

    /// Whether a stopping criterion of the method is met.
    fn is_finished(&self) -> bool;

    /// Number of candidates under evaluation; 0 between generations.
    fn asked(&self) -> usize;

    /// Whether a saved search is whole, over this number of weights.
    fn fits(&self, n: usize) -> bool;
}

/// Whether vectors have so many finite numbers each.
pub fn are_vectors<'a>(vectors: impl IntoIterator<Item = &'a Vec<f64>>, n: usize) -> bool {
    vectors.into_iter().all(|vector| vector.len() == n && vector.iter().all(|number| number.is_finite()))
}

/// Uniform number in (0, 1): one of 2^52 midpoints.
pub fn uniform(stream: &mut Stream) -> f64 {
    const STEPS: f64 = (1_u64 << 52) as f64;
    ((stream.next_u64() >> 12) as f64 + 0.5) / STEPS
}

/// Standard normal number.
///
/// Box and Muller 1958, "A note on the generation of random normal deviates"; the second number is
/// dropped, so that only the stream has to be saved.
pub fn standard_normal(stream: &mut Stream) -> f64 {
    let radius = (-2.0 * uniform(stream).ln()).sqrt();
    radius * (TAU * uniform(stream)).cos()
}

/// Indices by finite fitness, best first, equal ones in order.
pub fn ranking(fitness: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..fitness.len()).collect();
    places.sort_by(|&one, &other| fitness[other].partial_cmp(&fitness[one]).unwrap_or(Ordering::Equal));
    places
}

/// Panics unless there is one finite fitness per candidate.
pub fn assert_fitness(asked: usize, fitness: &[f64]) {
    assert!(asked > 0, "fitness was told before candidates were asked for");
    assert_eq!(fitness.len(), asked, "each candidate that was asked for needs one fitness");
    assert!(fitness.iter().all(|fitness| fitness.is_finite()), "a fitness is not a finite number");
}

/// Helpers for tests.
#[cfg(test)]
pub mod testing {
    use super::*;

    /// Checks that a whole search fits, and none after a change.
    pub fn assert_each_damages<T: Clone>(whole: &T, changes: &[fn(&mut T)], fits: impl Fn(&T) -> bool) {
        assert!(fits(whole));
        for (number, change) in changes.iter().enumerate() {
            let mut damaged = whole.clone();
            change(&mut damaged);
            assert!(!fits(&damaged), "change {number}");
        }
    }
    use crate::random::Role;

    /// Random numbers.
    pub fn stream(index: u64) -> Stream {
        Stream::new(1, Role::Initialise, index)
    }

    /// Minus the squared distance from (1, 2, 3, ...).
    pub fn sphere(candidate: &[f64]) -> f64 {
        (1..).zip(candidate).map(|(place, number)| -(number - f64::from(place)).powi(2)).sum()
    }

    /// Minus an ellipsoid around 0 with factors from 1 to 1,000.
    pub fn ellipsoid(candidate: &[f64]) -> f64 {
        let last = (candidate.len() - 1) as f64;
        let axis = |place: usize| 1_000_f64.powf(place as f64 / last);
        -candidate.iter().enumerate().map(|(place, number)| axis(place) * number * number).sum::<f64>()
    }

    /// Minus Rosenbrock's function, with its minimum at (1, 1, ...).
    pub fn rosenbrock(candidate: &[f64]) -> f64 {
        -candidate.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum::<f64>()
    }

    /// Runs some generations.
    pub fn run(optimizer: &mut (impl Optimizer + ?Sized), problem: impl Fn(&[f64]) -> f64, generations: usize) {
        for _ in 0..generations {
            let fitness: Vec<f64> = optimizer.ask().iter().map(|candidate| problem(candidate)).collect();
            optimizer.tell(&fitness);
        }
    }

    /// Largest absolute difference, or NaN.
    pub fn distance(found: &[f64], expected: impl IntoIterator<Item = f64>) -> f64 {
        let expected: Vec<f64> = expected.into_iter().collect();
        assert_eq!(found.len(), expected.len());
        let distances = found.iter().zip(expected).map(|(found, expected)| (found - expected).abs());
        distances.max_by(f64::total_cmp).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::stream;
    use super::*;

    #[test]
    fn normal_numbers_have_the_moments_and_the_tails_of_the_normal_distribution() {
        const COUNT: usize = 200_000;
        let mut stream = stream(4);
        let numbers: Vec<f64> = (0..COUNT).map(|_| standard_normal(&mut stream)).collect();
        let mean = |power: i32| numbers.iter().map(|number| number.powi(power)).sum::<f64>() / COUNT as f64;
        // Moments 0, 1, 0 and 3, with variances 1, 2, 15 and 96, within five standard deviations.
        for (power, moment, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            let limit = 5.0 * (variance / COUNT as f64).sqrt();
            assert!((mean(power) - moment).abs() < limit, "moment {power}: {}", mean(power));
        }
        // 0.27 % are more than three standard deviations away.
        let far = numbers.iter().filter(|number| number.abs() > 3.0).count();
        assert!((far as f64 - 540.0).abs() < 120.0, "{far}");
        // Consecutive numbers are independent.
        let product = numbers.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / COUNT as f64;
        assert!(product.abs() < 5.0 / (COUNT as f64).sqrt(), "{product}");
    }

    #[test]
    fn uniform_numbers_are_between_0_and_1_and_equally_frequent() {
        let mut stream = stream(5);
        let mut counts = [0_i32; 10];
        for _ in 0..100_000 {
            let number = uniform(&mut stream);
            assert!(number > 0.0 && number < 1.0);
            counts[(number * 10.0) as usize] += 1;
        }
        // 570 is six standard deviations of a count.
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 570), "{counts:?}");
    }

    #[test]
    fn the_best_comes_first_and_equal_ones_keep_their_order() {
        assert_eq!(ranking(&[1.0, 3.0, -2.0, 3.0, 0.0, -0.0]), [1, 3, 0, 4, 5, 2]);
    }
}
