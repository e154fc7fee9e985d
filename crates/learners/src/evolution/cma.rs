//! Evolution strategy with covariance matrix adaptation (CMA-ES).
//!
//! Numbers of equations, tables and appendices are those of Hansen 2016, "The CMA Evolution
//! Strategy: A Tutorial", arXiv:1604.00772.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::super::require;
use super::super::sections::{Checked, positive};
use super::optimizer::{Optimizer, are_vectors, assert_fitness, ranking, standard_normal};
use crate::random::Stream;

/// Minimum eigenvalue, relative to the largest; rounding can make one 0 or negative.
const MIN_EIGENVALUE: f64 = 1e-20;

/// Ratio of largest to smallest variance that ends the search (appendix B.3, ConditionCov).
const WORST_CONDITION: f64 = 1e14;

sections! {
    /// Configuration of CMA-ES, for which table 1 gives all other numbers: section `[cma]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `population` | 0 | 0, or 2 to 1,000,000 | Candidates of a generation; 0 for `4 + 3 ln(dimensions)`. |
    /// | `deviation` | 0.5 | above 0 | Initial standard deviation, sigma. |
    /// | `tolerance` | 1e-12 | 0 to below 1 | The search ends when no deviation is above this share of the initial one (appendix B.3, TolX). |
    /// | `divergence` | 1e4 | above 1 | The search ends when a deviation is above this multiple of the initial one (appendix B.3, TolXUp). |
    pub struct Config {
        /// Candidates of a generation; 0 for `4 + 3 ln(dimensions)`.
        pub population: usize = 0,
        /// Initial standard deviation, sigma.
        pub deviation: f64 = 0.5,
        /// The search ends when no deviation is above this share of the initial one (appendix B.3,
        /// TolX).
        pub tolerance: f64 = 1e-12,
        /// The search ends when a deviation is above this multiple of the initial one (appendix B.3,
        /// TolXUp).
        pub divergence: f64 = 1e4,
    }
}

impl Config {
    /// Checks all values.
    pub fn check(&self) -> Checked {
        let Self { population, deviation, tolerance, divergence } = *self;
        let right = population == 0 || (2..=1_000_000).contains(&population);
        require(right, "cma.population", population, "0, or between 2 and 1000000")?;
        positive("cma.deviation", deviation)?;
        require((0.0..1.0).contains(&tolerance), "cma.tolerance", tolerance, "0 or above, and below 1")?;
        require(divergence > 1.0, "cma.divergence", divergence, "above 1")
    }

    /// Candidates of a generation (equation 48).
    pub fn population(&self, dimensions: usize) -> usize {
        match self.population {
            0 => 4 + (3.0 * (dimensions as f64).ln()).floor() as usize,
            population => population,
        }
    }
}

/// Numbers that follow from dimensions and population (table 1).
///
/// c_mu lacks the quarter in the numerator, as in the tutorial's first version and the package
/// cmaes.
#[derive(Clone, Debug, PartialEq)]
struct Parameters {
    /// Weight of each candidate, best first; the positive ones add up to 1.
    weights: Vec<f64>,
    /// Number of best candidates that make the new mean.
    parents: usize,
    /// mu_eff.
    effective: f64,
    /// Weight of the newest step in the step's path.
    c_sigma: f64,
    /// Damping.
    d_sigma: f64,
    /// Weight of the newest step in the covariance's path.
    c_c: f64,
    /// Learning rate of the covariance from its path.
    c_1: f64,
    /// Learning rate of the covariance from the candidates.
    c_mu: f64,
    /// Expected length of a standard normal vector.
    chi: f64,
}

impl Parameters {
    fn new(dimensions: usize, population: usize) -> Self {
        let (n, parents) = (dimensions as f64, population / 2);
        // Equation 49.
        let middle = ((population + 1) as f64 / 2.0).ln();
        let mut weights: Vec<f64> = (1..=population).map(|rank| middle - (rank as f64).ln()).collect();
        let effective = |weights: &[f64]| {
            weights.iter().sum::<f64>().powi(2) / weights.iter().map(|weight| weight * weight).sum::<f64>()
        };
        let (mu, mu_minus) = (effective(&weights[..parents]), effective(&weights[parents..]));
        let c_1 = 2.0 / ((n + 1.3).powi(2) + mu);
        let c_mu = (1.0 - c_1).min(2.0 * (mu - 2.0 + 1.0 / mu) / ((n + 2.0).powi(2) + mu));
        // Equations 50 to 52: limit of the sum of negative weights; 0 without rank-mu update.
        let alpha =
            (1.0 + c_1 / c_mu).min(1.0 + 2.0 * mu_minus / (mu + 2.0)).min((1.0 - c_1 - c_mu).max(0.0) / (n * c_mu));
        // Equation 53.
        let positive: f64 = weights.iter().filter(|&&weight| weight > 0.0).sum();
        let negative: f64 = weights.iter().filter(|&&weight| weight < 0.0).map(|weight| -weight).sum();
        weights.iter_mut().for_each(|weight| *weight *= if *weight > 0.0 { 1.0 / positive } else { alpha / negative });
        // Equations 55 and 56.
        let c_sigma = (mu + 2.0) / (n + mu + 5.0);
        let d_sigma = 1.0 + 2.0 * (((mu - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        let c_c = (4.0 + mu / n) / (n + 4.0 + 2.0 * mu / n);
        let chi = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        Self { weights, parents, effective: mu, c_sigma, d_sigma, c_c, c_1, c_mu, chi }
    }

    /// h_sigma: false while the step's path is so long that the step is about to grow.
    fn goes_on(&self, path: f64, dimensions: usize, generation: u64) -> bool {
        let grown = 1.0 - (1.0 - self.c_sigma).powf(2.0 * generation as f64);
        path / grown.sqrt() < (1.4 + 2.0 / (dimensions as f64 + 1.0)) * self.chi
    }
}

/// CMA-ES with negative weights ("active"); the solution is the mean.
///
/// Candidates are normal. The mean moves to the best candidates, weighted by rank; the covariance
/// grows in their directions and shrinks in those of the worst; the mean's path sets the step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cma {
    pub(super) config: Config,
    stream: Stream,
    mean: Vec<f64>,
    /// Step, sigma.
    step: f64,
    /// Covariance matrix without the step, column by column.
    covariance: Vec<f64>,
    /// Path for the step, p_sigma.
    step_path: Vec<f64>,
    /// Path for the covariance, p_c.
    path: Vec<f64>,
    /// Candidates under evaluation; empty after it.
    asked: Vec<Vec<f64>>,
    generation: u64,
}

impl Cma {
    /// A search from an initial mean.
    pub fn new(config: Config, mean: &[f64], stream: Stream) -> Self {
        let n = mean.len();
        Self {
            stream,
            mean: mean.to_vec(),
            step: config.deviation,
            covariance: DMatrix::<f64>::identity(n, n).as_slice().to_vec(),
            step_path: vec![0.0; n],
            path: vec![0.0; n],
            asked: vec![],
            generation: 0,
            config,
        }
    }

    /// Axes of the distribution, as columns, and their deviations without the step.
    fn axes(&self) -> (DMatrix<f64>, DVector<f64>) {
        let n = self.mean.len();
        let decomposed = DMatrix::from_column_slice(n, n, &self.covariance).symmetric_eigen();
        let min = MIN_EIGENVALUE * decomposed.eigenvalues.amax();
        (decomposed.eigenvectors, decomposed.eigenvalues.map(|value| value.max(min).sqrt()))
    }

    /// Takes the fitness of given samples.
    ///
    /// A distribution whose numbers would become infinite or NaN stays unchanged.
    ///
    /// # Panics
    /// When samples and finite fitnesses are not as many as the population.
    pub fn tell_samples(&mut self, samples: &[Vec<f64>], fitness: &[f64]) {
        let n = self.mean.len();
        let population = self.config.population(n);
        assert_fitness(population, fitness);
        assert_eq!(samples.len(), population, "there must be as many samples as the population");
        let parameters = Parameters::new(n, population);
        let Parameters { weights, parents, effective, c_sigma, d_sigma, c_c, c_1, c_mu, chi } = &parameters;
        let (axes, deviations) = self.axes();
        let whiten = |vector: &DVector<f64>| &axes * (axes.tr_mul(vector)).component_div(&deviations);
        let steps: Vec<DVector<f64>> = ranking(fitness)
            .into_iter()
            .map(|place| DVector::from_fn(n, |row, _| (samples[place][row] - self.mean[row]) / self.step))
            .collect();
        self.generation += 1;

        // Equations 41 and 42.
        let mut mean_step = DVector::zeros(n);
        steps.iter().zip(weights).take(*parents).for_each(|(step, weight)| mean_step.axpy(*weight, step, 1.0));
        let mean = DVector::from_column_slice(&self.mean) + self.step * &mean_step;

        // Equations 43 and 44; the step is for the next generation.
        let mut step_path = DVector::from_column_slice(&self.step_path);
        step_path.axpy((c_sigma * (2.0 - c_sigma) * effective).sqrt(), &whiten(&mean_step), 1.0 - c_sigma);
        let length = step_path.norm();
        let step = self.step * (c_sigma / d_sigma * (length / chi - 1.0)).exp();

        // Equation 45.
        let goes_on = f64::from(parameters.goes_on(length, n, self.generation));
        let mut path = DVector::from_column_slice(&self.path);
        path.axpy(goes_on * (c_c * (2.0 - c_c) * effective).sqrt(), &mean_step, 1.0 - c_c);

        // Equations 46 and 47.
        let lost = (1.0 - goes_on) * c_c * (2.0 - c_c);
        let kept = 1.0 + c_1 * lost - c_1 - c_mu * weights.iter().sum::<f64>();
        let mut covariance = DMatrix::from_column_slice(n, n, &self.covariance) * kept;
        covariance.ger(*c_1, &path, &path, 1.0);
        for (step, &weight) in steps.iter().zip(weights) {
            // Scaling a step of negative weight to its expected length keeps variances positive.
            let length = whiten(step).norm_squared();
            let scale = if weight >= 0.0 || length == 0.0 { 1.0 } else { n as f64 / length };
            covariance.ger(c_mu * weight * scale, step, step, 1.0);
        }
        // Rounding makes the matrix slightly asymmetric.
        covariance = (&covariance + covariance.transpose()) / 2.0;

        let moved = [mean.as_slice(), step_path.as_slice(), path.as_slice(), covariance.as_slice(), &[step]];
        if moved.iter().all(|numbers| numbers.iter().all(|number| number.is_finite())) {
            self.step = step;
            let [mean, step_path, path, covariance, _] = moved.map(<[f64]>::to_vec);
            (self.mean, self.step_path, self.path, self.covariance) = (mean, step_path, path, covariance);
        }
        self.asked.clear();
    }
}

impl Optimizer for Cma {
    fn ask(&mut self) -> &[Vec<f64>] {
        if self.asked.is_empty() {
            let n = self.mean.len();
            let (axes, deviations) = self.axes();
            // Equations 38 to 40.
            for _ in 0..self.config.population(n) {
                let along = DVector::from_fn(n, |axis, _| deviations[axis] * standard_normal(&mut self.stream));
                let candidate = DVector::from_column_slice(&self.mean) + self.step * (&axes * along);
                self.asked.push(candidate.as_slice().to_vec());
            }
        }
        &self.asked
    }

    fn tell(&mut self, fitness: &[f64]) {
        assert_fitness(self.asked.len(), fitness);
        let asked = std::mem::take(&mut self.asked);
        self.tell_samples(&asked, fitness);
    }

    fn solution(&self) -> &[f64] {
        &self.mean
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn is_finished(&self) -> bool {
        let Config { deviation, tolerance, divergence, .. } = self.config;
        let (_, axes) = self.axes();
        let small = |number: f64| self.step * number.abs() <= tolerance * deviation;
        let at_rest = small(axes.max()) && self.path.iter().all(|&number| small(number));
        at_rest
            || self.step * axes.max() > divergence * deviation
            || (axes.max() / axes.min()).powi(2) > WORST_CONDITION
    }

    fn asked(&self) -> usize {
        self.asked.len()
    }

    fn fits(&self, n: usize) -> bool {
        are_vectors([&self.mean, &self.step_path, &self.path].into_iter().chain(&self.asked), n)
            && (self.asked.is_empty() || self.asked.len() == self.config.population(n))
            && are_vectors([&self.covariance], n * n)
            && self.step.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::optimizer::testing::{assert_each_damages, distance, ellipsoid, rosenbrock, run, sphere, stream};
    use super::*;

    fn search(config: Config, mean: &[f64]) -> Cma {
        Cma::new(config, mean, stream(40))
    }

    fn numbers(value: &Value) -> Vec<f64> {
        serde_json::from_value(value.clone()).unwrap()
    }

    /// Checks numbers within 1e-6 of the largest.
    fn assert_near(found: &[f64], expected: &[f64], what: &str) {
        let size = expected.iter().fold(0.0, |size: f64, number| size.max(number.abs()));
        assert!(distance(found, expected.iter().copied()) <= 1e-6 * size, "{what}: {found:?} is not {expected:?}");
        assert_eq!(found.len(), expected.len(), "{what}");
    }

    #[test]
    fn a_generation_moves_the_distribution_as_the_package_cmaes_does() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/cma.json");
        let golden: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let cases = golden["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 4);
        for case in cases {
            let population = case["population"].as_u64().unwrap() as usize;
            let config = Config { population, deviation: case["sigma"].as_f64().unwrap(), ..Config::default() };
            let mut cma = search(config, &numbers(&case["mean"]));
            let n = cma.mean.len();
            for (generation, told) in case["generations"].as_array().unwrap().iter().enumerate() {
                let samples: Vec<Vec<f64>> = serde_json::from_value(told["samples"].clone()).unwrap();
                let fitness: Vec<f64> = numbers(&told["costs"]).iter().map(|cost| -cost).collect();
                cma.tell_samples(&samples, &fitness);
                let what = format!("{n} numbers, {population} candidates, generation {generation}");
                assert_near(cma.solution(), &numbers(&told["mean"]), &what);
                assert_near(&[cma.step], &[told["sigma"].as_f64().unwrap()], &what);
                let triangle: Vec<f64> = (0..n)
                    .flat_map(|row| (0..=row).map(move |column| row + n * column))
                    .map(|at| cma.covariance[at])
                    .collect();
                assert_eq!(
                    DMatrix::from_column_slice(n, n, &cma.covariance).transpose().as_slice(),
                    &cma.covariance[..]
                );
                assert_near(&triangle, &numbers(&told["covariance"]), &what);
            }
        }
    }

    #[test]
    fn the_parameters_are_those_of_the_tutorial() {
        let given = Parameters::new(9, 10);
        assert_eq!(Config::default().population(9), 10);
        assert_eq!(Config::default().population(3), 7);
        assert_eq!(Config::default().population(1), 4);
        // (ln 5.5 - ln i) / 3.7363, their sum, for i = 1 to 5.
        assert!(distance(&given.weights[..5], [0.45627, 0.27075, 0.16223, 0.08524, 0.02551]) < 2e-5, "{given:?}");
        // 1 / sum of their squares.
        assert!((given.effective - 3.1673).abs() < 1e-3, "{given:?}");
        // (3.1673 + 2) / (9 + 3.1673 + 5), and 2 / (10.3^2 + 3.1673).
        assert!((given.c_sigma - 0.30099).abs() < 1e-4 && (given.d_sigma - 1.30099).abs() < 1e-4, "{given:?}");
        assert!((given.c_1 - 0.018305).abs() < 1e-5, "{given:?}");
        // 2 (3.1673 - 2 + 1 / 3.1673) / (11^2 + 3.1673).
        assert!((given.c_mu - 0.023888).abs() < 1e-5, "{given:?}");
        // Negative weights compensate the decay: c_1 + c_mu * sum of weights = 0.
        assert!((given.c_1 + given.c_mu * given.weights.iter().sum::<f64>()).abs() < 1e-12, "{given:?}");
    }

    #[test]
    fn no_population_makes_parameters_out_of_their_range() {
        for dimensions in [1, 2, 10, 30] {
            for population in [2, 3, 4, 15, 150, 3_000, 100_000] {
                let given = Parameters::new(dimensions, population);
                let positive: f64 = given.weights.iter().filter(|&&weight| weight > 0.0).sum();
                let negative: f64 = given.weights.iter().filter(|&&weight| weight < 0.0).sum();
                assert!((positive - 1.0).abs() < 1e-9, "{given:?}");
                let (c_1, c_mu) = (given.c_1, given.c_mu);
                assert!(c_1 > 0.0 && c_mu >= 0.0 && c_1 + c_mu <= 1.0 + 1e-15);
                // Rest of a variance from which all negative weights take.
                let remains = 1.0 - c_1 - c_mu * (positive + negative) + dimensions as f64 * c_mu * negative;
                assert!(remains > -1e-9, "{dimensions} {population}: {remains}");
            }
        }
    }

    #[test]
    fn a_path_stalls_when_it_is_longer_than_random_steps_make_it() {
        // One number, two candidates: mu_eff is 1, c_sigma 3/7, chi 1 - 1/4 + 1/21, the bound 2.4
        // chi.
        let parameters = Parameters::new(1, 2);
        let bound = 2.4 * (1.0 - 0.25 + 1.0 / 21.0);
        // Share of the path's later length: sqrt(1 - 16/49) after one generation, sqrt(1 - (4/7)^4)
        // after two.
        for (generation, grown) in [(1, 1.0 - 16.0 / 49.0), (2, 1.0 - 256.0 / 2_401.0), (1_000, 1.0_f64)] {
            assert!(parameters.goes_on(bound * grown.sqrt() * 0.999, 1, generation));
            assert!(!parameters.goes_on(bound * grown.sqrt() * 1.001, 1, generation));
        }
    }

    #[test]
    fn a_first_generation_of_one_number_is_as_computed_by_hand() {
        // Two candidates, the better at 3 steps: weights 1 and -alpha, c_mu 0, c_1 2 / (2.3^2 + 1).
        let mut cma = search(Config { population: 2, deviation: 0.5, ..Config::default() }, &[1.0]);
        cma.tell_samples(&[vec![0.5], vec![2.5]], &[0.0, 1.0]);
        assert_eq!(cma.solution(), [2.5]);
        let (c_sigma, chi) = (3.0 / 7.0_f64, 1.0 - 0.25 + 1.0 / 21.0);
        let path = 3.0 * (c_sigma * (2.0 - c_sigma)).sqrt();
        assert!((cma.step - 0.5 * (c_sigma / (1.0 + c_sigma) * (path / chi - 1.0)).exp()).abs() < 1e-12);
        // The path over sqrt(1 - 16/49) is 3 > 2.4 chi: the path stalls, and the variance keeps its
        // part.
        let (c_1, c_c) = (2.0 / 6.29, 5.0 / 7.0);
        assert!((cma.covariance[0] - (1.0 + c_1 * c_c * (2.0 - c_c) - c_1)).abs() < 1e-12, "{cma:?}");
    }

    #[test]
    fn candidates_have_the_covariance_of_the_distribution() {
        let mut cma = search(Config { population: 50_000, deviation: 2.0, ..Config::default() }, &[1.0, -1.0]);
        cma.covariance = vec![4.0, 1.5, 1.5, 1.0];
        let mean = |term: &dyn Fn(&[f64]) -> f64, of: &[Vec<f64>]| of.iter().map(|c| term(c)).sum::<f64>() / 5e4;
        let asked = cma.ask();
        let moment = |one: usize, other: usize| {
            mean(&|candidate| (candidate[one] - [1.0, -1.0][one]) * (candidate[other] - [1.0, -1.0][other]), asked)
        };
        // Four times the matrix; five deviations of a mean of 50,000 products are 3 % of the root
        // of both variances.
        assert!(distance(&[moment(0, 0), moment(0, 1), moment(1, 1)], [16.0, 6.0, 4.0]) < 0.5);
        assert!((moment(1, 1) - 4.0).abs() < 0.13 && (moment(0, 1) - 6.0).abs() < 0.25);
        assert!((mean(&|candidate| candidate[0], asked) - 1.0).abs() < 0.1);
    }

    #[test]
    fn minima_of_a_sphere_an_ellipsoid_and_rosenbrock_s_function_are_found() {
        let config = || Config { deviation: 0.5, ..Config::default() };
        let mut cma = search(config(), &[0.0; 5]);
        run(&mut cma, sphere, 200);
        assert!(distance(cma.solution(), [1.0, 2.0, 3.0, 4.0, 5.0]) < 1e-6, "{:?}", cma.solution());

        let mut cma = search(config(), &[3.0; 8]);
        run(&mut cma, ellipsoid, 400);
        assert!(distance(cma.solution(), [0.0; 8]) < 1e-6, "{:?}", cma.solution());
        // The variances are the inverse of the factors: 1,000 to 1.
        let (first, last) = (cma.covariance[0], cma.covariance[63]);
        assert!((200.0..5_000.0).contains(&(first / last)), "{first} {last}");

        for population in [0, 40] {
            let mut cma = search(Config { population, ..config() }, &[-0.5; 6]);
            run(&mut cma, rosenbrock, 800);
            assert!(distance(cma.solution(), [1.0; 6]) < 1e-6, "{:?}", cma.solution());
        }
    }

    #[test]
    fn the_search_ends_when_it_is_at_rest_diverges_or_is_flat() {
        let mut cma = search(Config::default(), &[0.0; 3]);
        assert!(!cma.is_finished());
        let end = (0..500).find(|_| {
            run(&mut cma, ellipsoid, 1);
            cma.is_finished()
        });
        assert!(end.is_some() && cma.step < 1e-9, "{cma:?}");

        let mut cma = search(Config::default(), &[0.0; 3]);
        let end = (0..500).find(|_| {
            run(&mut cma, |candidate| candidate[0], 1);
            cma.is_finished()
        });
        assert!(end.is_some() && cma.solution()[0] > 1e3, "{cma:?}");

        let mut cma = search(Config::default(), &[0.0; 2]);
        cma.covariance = vec![1.0, 0.0, 0.0, 0.9e-14];
        assert!(cma.is_finished());
        cma.covariance = vec![1.0, 0.0, 0.0, 1.1e-14];
        assert!(!cma.is_finished());

        // A short step is no end while the path is long.
        let mut cma = search(Config::default(), &[0.0; 2]);
        cma.step = 0.4e-12;
        assert!(cma.is_finished());
        cma.path[1] = -2.0;
        assert!(!cma.is_finished());
    }

    #[test]
    fn a_search_that_goes_on_for_long_after_its_end_keeps_to_finite_numbers() {
        let problems: [fn(&[f64]) -> f64; 4] =
            [sphere, |candidate| candidate[0], |_| 0.0, |candidate| -candidate[1].abs()];
        for problem in problems {
            let mut cma = search(Config::default(), &[0.0; 2]);
            run(&mut cma, |candidate| problem(candidate).clamp(-1e300, 1e300), 20_000);
            assert!(cma.mean.iter().chain(&cma.covariance).all(|number| number.is_finite()), "{cma:?}");
            assert!(cma.step.is_finite() && cma.is_finished(), "{cma:?}");
        }
    }

    #[test]
    fn values_out_of_range_are_named() {
        assert_eq!(Config::default().check(), Ok(()));
        let default = Config::default;
        let wrong = |config: Config| config.check().unwrap_err().key;
        assert_eq!(wrong(Config { population: 1, ..default() }), "cma.population");
        assert_eq!(wrong(Config { deviation: 0.0, ..default() }), "cma.deviation");
        assert_eq!(wrong(Config { tolerance: 1.0, ..default() }), "cma.tolerance");
        assert_eq!(wrong(Config { divergence: f64::NAN, ..default() }), "cma.divergence");
    }

    #[test]
    fn a_saved_search_that_is_not_whole_fits_nothing() {
        let mut whole = Cma::new(Config::default(), &[0.0; 3], Stream::new(1, crate::random::Role::Initialise, 0));
        assert!(whole.fits(3) && !whole.fits(2));
        whole.ask();
        assert!(whole.fits(3) && whole.asked() > 1);
        let changes: [fn(&mut Cma); 6] = [
            |search| drop(search.asked.pop()),
            |search| search.asked[0].push(0.0),
            |search| search.asked[1][2] = f64::NAN,
            |search| search.step = f64::INFINITY,
            |search| search.covariance[1] = f64::NAN,
            |search| search.path.truncate(1),
        ];
        assert_each_damages(&whole, &changes, |search| search.fits(3));
    }
}
