//! Cross-entropy method with noise.

use serde::{Deserialize, Serialize};

use super::super::require;
use super::super::sections::{Checked, between, not_negative, positive};
use super::optimizer::{Optimizer, are_vectors, assert_fitness, ranking, standard_normal};
use crate::random::Stream;

sections! {
    /// Configuration of the cross-entropy method: section `[cross_entropy]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `population` | 100 | 2 to 1,000,000 | Candidates of a generation. |
    /// | `elite` | 0.1 | above 0, at most 1 | Share of best candidates that the next distribution is fitted to. |
    /// | `variance` | 100 | above 0 | Initial variance of each number; the initial mean is 0. |
    /// | `noise` | 4 | 0 or above | Number added to each variance after a generation. |
    /// | `noise_decay` | 0 | 0 or above | Decrease of the noise per generation, down to 0. |
    /// | `tolerance` | 1e-9 | 0 to below the root of `variance` | The search ends when no standard deviation is above this. |
    pub struct Config {
        /// Candidates of a generation.
        pub population: usize = 100,
        /// Share of best candidates that the next distribution is fitted to.
        pub elite: f64 = 0.1,
        /// Initial variance of each number; the initial mean is 0.
        pub variance: f64 = 100.0,
        /// Number added to each variance after a generation.
        pub noise: f64 = 4.0,
        /// Decrease of the noise per generation, down to 0.
        ///
        /// Szita and Lorincz: noise 5, decay 0.1, so `max(5 - t / 10, 0)` after generation t >= 1.
        pub noise_decay: f64 = 0.0,
        /// The search ends when no standard deviation is above this; constant noise keeps all above its
        /// root.
        pub tolerance: f64 = 1e-9,
    }
}

impl Config {
    /// Checks all values.
    pub fn check(&self) -> Checked {
        let Self { population, elite, variance, noise, noise_decay, tolerance } = *self;
        between("cross_entropy.population", population, 2..=1_000_000)?;
        require(elite > 0.0 && elite <= 1.0, "cross_entropy.elite", elite, "above 0 and at most 1")?;
        positive("cross_entropy.variance", variance)?;
        not_negative("cross_entropy.noise", noise)?;
        not_negative("cross_entropy.noise_decay", noise_decay)?;
        let below = variance.sqrt();
        require(
            (0.0..below).contains(&tolerance),
            "cross_entropy.tolerance",
            tolerance,
            format!("0 or above, and below the first deviation, {below}"),
        )
    }

    fn elite_count(&self) -> usize {
        ((self.elite * self.population as f64).round() as usize).max(1)
    }
}

/// Cross-entropy method with noise; the solution is the mean.
///
/// Each number has a normal distribution, fitted to the best candidates. Noise keeps variances from
/// vanishing too soon. (Szita and Lorincz 2006, "Learning Tetris using the noisy cross-entropy
/// method"; constant noise: Thiery and Scherrer 2009, "Improvements on learning Tetris with cross
/// entropy".)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossEntropy {
    pub(super) config: Config,
    stream: Stream,
    mean: Vec<f64>,
    /// Variance of each number, with noise.
    variances: Vec<f64>,
    /// Candidates under evaluation; empty after it.
    asked: Vec<Vec<f64>>,
    generation: u64,
}

impl CrossEntropy {
    /// A search for `dimensions` numbers.
    pub fn new(config: Config, dimensions: usize, stream: Stream) -> Self {
        let (mean, variances) = (vec![0.0; dimensions], vec![config.variance; dimensions]);
        Self { config, stream, mean, variances, asked: vec![], generation: 0 }
    }
}

impl Optimizer for CrossEntropy {
    fn ask(&mut self) -> &[Vec<f64>] {
        if self.asked.is_empty() {
            let Self { stream, mean, variances, .. } = self;
            let mut candidate = || {
                let number = |(mean, variance): (&f64, &f64)| mean + variance.sqrt() * standard_normal(stream);
                mean.iter().zip(&*variances).map(number).collect()
            };
            self.asked = (0..self.config.population).map(|_| candidate()).collect();
        }
        &self.asked
    }

    fn tell(&mut self, fitness: &[f64]) {
        assert_fitness(self.asked.len(), fitness);
        self.generation += 1;
        let noise = (self.config.noise - self.config.noise_decay * self.generation as f64).max(0.0);
        let elite = &ranking(fitness)[..self.config.elite_count()];
        let mean_of = |term: &dyn Fn(&[f64]) -> f64| {
            elite.iter().map(|&place| term(&self.asked[place])).sum::<f64>() / elite.len() as f64
        };
        for place in 0..self.mean.len() {
            let mean = mean_of(&|candidate| candidate[place]);
            self.mean[place] = mean;
            self.variances[place] = mean_of(&|candidate| (candidate[place] - mean).powi(2)) + noise;
        }
        self.asked.clear();
    }

    fn solution(&self) -> &[f64] {
        &self.mean
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn is_finished(&self) -> bool {
        self.variances.iter().all(|variance| variance.sqrt() <= self.config.tolerance)
    }

    fn asked(&self) -> usize {
        self.asked.len()
    }

    fn fits(&self, n: usize) -> bool {
        are_vectors([&self.mean, &self.variances], n)
            && self.variances.iter().all(|variance| *variance >= 0.0)
            && (self.asked.is_empty() || self.asked.len() == self.config.population)
            && are_vectors(&self.asked, n)
    }
}

#[cfg(test)]
mod tests {
    use super::super::optimizer::testing::{assert_each_damages, distance, ellipsoid, run, sphere, stream};
    use super::*;

    fn search(config: Config, dimensions: usize) -> CrossEntropy {
        CrossEntropy::new(config, dimensions, stream(30))
    }

    #[test]
    fn the_next_distribution_is_the_elite_s_with_noise() {
        let mut search = search(Config { population: 20, ..Config::default() }, 2);
        search.ask();
        search.asked[7] = vec![1.0, -3.0];
        search.asked[13] = vec![2.0, 5.0];
        let mut fitness = [0.0; 20];
        (fitness[7], fitness[13]) = (1.0, 2.0);
        search.tell(&fitness);
        // Two elite candidates: variances 1/4 and 16, plus noise 4.
        assert_eq!(search.solution(), [1.5, 1.0]);
        assert_eq!(search.variances, [4.25, 20.0]);
    }

    #[test]
    fn noise_that_decays_is_what_szita_and_lorincz_have() {
        // One elite candidate has variance 0; only the noise is left.
        let config = Config { population: 10, noise: 5.0, noise_decay: 0.1, ..Config::default() };
        let mut search = search(config, 1);
        for generation in 1..=60 {
            run(&mut search, sphere, 1);
            let noise = (5.0 - f64::from(generation) / 10.0).max(0.0);
            assert!((search.variances[0] - noise).abs() < 1e-12, "{generation}: {:?}", search.variances);
            assert_eq!(search.is_finished(), generation >= 50, "{generation}");
        }
    }

    #[test]
    fn candidates_are_drawn_from_the_distribution_of_each_number() {
        let mut search = search(Config { population: 20_000, ..Config::default() }, 3);
        let moments = |search: &mut CrossEntropy, place: usize| {
            let count = search.ask().len() as f64;
            let mean = search.asked.iter().map(|candidate| candidate[place]).sum::<f64>() / count;
            let squares = search.asked.iter().map(|candidate| (candidate[place] - mean).powi(2)).sum::<f64>();
            (mean, squares / count)
        };
        for place in 0..3 {
            let (mean, variance) = moments(&mut search, place);
            // Five deviations: 10 / sqrt(20,000) and 100 * sqrt(2 / 20,000).
            assert!(mean.abs() < 0.36 && (variance - 100.0).abs() < 5.0, "{mean} {variance}");
        }
        (search.mean, search.variances) = (vec![5.0, -5.0, 0.0], vec![1.0, 4.0, 0.0]);
        search.asked.clear();
        let (mean, variance) = moments(&mut search, 1);
        assert!((mean + 5.0).abs() < 0.08 && (variance - 4.0).abs() < 0.2, "{mean} {variance}");
        assert_eq!(moments(&mut search, 2), (0.0, 0.0));
    }

    #[test]
    fn minima_are_found_without_noise_and_searched_around_with_it() {
        let noiseless = Config { population: 300, noise: 0.0, ..Config::default() };
        let mut search_of = search(noiseless.clone(), 5);
        run(&mut search_of, sphere, 60);
        assert!(distance(search_of.solution(), [1.0, 2.0, 3.0, 4.0, 5.0]) < 1e-6, "{:?}", search_of.solution());
        let mut search_of = search(noiseless, 5);
        run(&mut search_of, ellipsoid, 60);
        assert!(distance(search_of.solution(), [0.0; 5]) < 1e-6, "{:?}", search_of.solution());

        let mut search_of = search(Config { population: 300, ..Config::default() }, 5);
        run(&mut search_of, sphere, 60);
        assert!(distance(search_of.solution(), [1.0, 2.0, 3.0, 4.0, 5.0]) < 1.0, "{:?}", search_of.solution());
        assert!(search_of.variances.iter().all(|&variance| variance >= 4.0));
        assert!(!search_of.is_finished());
    }

    #[test]
    fn the_search_ends_when_no_deviation_is_above_the_tolerance() {
        let mut search = search(Config { tolerance: 0.5, ..Config::default() }, 2);
        for (variances, finished) in [([0.25, 0.26], false), ([0.25, 0.01], true)] {
            search.variances = variances.to_vec();
            assert_eq!(search.is_finished(), finished);
        }
    }

    #[test]
    fn values_out_of_range_are_named() {
        assert_eq!(Config::default().check(), Ok(()));
        let default = Config::default;
        let wrong = |config: Config| config.check().unwrap_err().key;
        assert_eq!(wrong(Config { population: 1, ..default() }), "cross_entropy.population");
        assert_eq!(wrong(Config { elite: 0.0, ..default() }), "cross_entropy.elite");
        assert_eq!(wrong(Config { variance: f64::INFINITY, ..default() }), "cross_entropy.variance");
        assert_eq!(wrong(Config { noise: -1.0, ..default() }), "cross_entropy.noise");
        assert_eq!(wrong(Config { noise_decay: f64::NAN, ..default() }), "cross_entropy.noise_decay");
        assert_eq!(wrong(Config { tolerance: -1.0, ..default() }), "cross_entropy.tolerance");
    }

    #[test]
    fn a_saved_search_that_is_not_whole_fits_nothing() {
        let mut whole = CrossEntropy::new(Config::default(), 3, Stream::new(1, crate::random::Role::Initialise, 0));
        assert!(whole.fits(3) && !whole.fits(2));
        whole.ask();
        assert!(whole.fits(3) && whole.asked() > 1);
        let changes: [fn(&mut CrossEntropy); 5] = [
            |search| drop(search.asked.pop()),
            |search| search.asked[0].push(0.0),
            |search| search.asked[1][2] = f64::NAN,
            |search| search.variances[0] = -1.0,
            |search| search.variances.truncate(1),
        ];
        assert_each_damages(&whole, &changes, |search| search.fits(3));
    }
}
