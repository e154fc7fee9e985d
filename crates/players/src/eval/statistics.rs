use std::fmt;

use serde::{Deserialize, Serialize};

/// Summary of scores, in points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of values.
    pub n: usize,
    /// Mean of the values.
    pub mean: f64,
    /// Half the width of the mean's 95 % interval, t(0.975, n - 1) s / sqrt(n); `None` for a single
    /// score.
    pub half_width: Option<f64>,
    /// Divisor n - 1; `None` for a single score.
    pub standard_deviation: Option<f64>,
    /// Least value.
    pub min: f64,
    /// Value below which a quarter lies.
    pub lower_quartile: f64,
    /// Value below which a half lies.
    pub median: f64,
    /// Value below which three quarters lie.
    pub upper_quartile: f64,
    /// Greatest value.
    pub max: f64,
}

impl Summary {
    /// Summary of scores in any order; `None` without scores.
    ///
    /// Quartiles are interpolated linearly (Hyndman and Fan 1996, type 7).
    pub fn of<T: Copy + Into<f64>>(scores: &[T]) -> Option<Self> {
        let mut sorted: Vec<f64> = scores.iter().map(|&score| score.into()).collect();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let n = sorted.len();
        let mean = sorted.iter().sum::<f64>() / n as f64;
        // Two passes lose no digits where the mean is large against the spread.
        let squares = sorted.iter().map(|score| (score - mean).powi(2)).sum::<f64>();
        let standard_deviation = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
        Some(Self {
            n,
            mean,
            half_width: standard_deviation.map(|s| t_975(n - 1) * s / (n as f64).sqrt()),
            standard_deviation,
            min,
            lower_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            upper_quartile: quantile(&sorted, 0.75),
            max,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mean {:.1}", self.mean)?;
        if let (Some(half_width), Some(deviation)) = (self.half_width, self.standard_deviation) {
            write!(f, " ± {half_width:.1} (95 %), sd {deviation:.1}")?;
        }
        write!(
            f,
            ", min {}, quartiles {} / {} / {}, max {}, n = {}",
            self.min, self.lower_quartile, self.median, self.upper_quartile, self.max, self.n
        )
    }
}

/// Ratio of two sums over games, such as points to moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The ratio of the sums.
    pub mean: f64,
    /// Half the width of the 95 % interval by the delta method for independent games; `None` for a
    /// single game.
    pub half_width: Option<f64>,
}

impl Ratio {
    /// `None` if the second sum is 0.
    pub fn of(games: &[(f64, f64)]) -> Option<Self> {
        let (above, below) = games.iter().fold((0.0, 0.0), |sums, game| (sums.0 + game.0, sums.1 + game.1));
        if below == 0.0 {
            return None;
        }
        let (n, mean) = (games.len(), above / below);
        let squares: f64 = games.iter().map(|game| (game.0 - mean * game.1).powi(2)).sum();
        let error = || (squares * n as f64 / (n - 1) as f64).sqrt() / below;
        Some(Self { mean, half_width: (n > 1).then(|| t_975(n - 1) * error()) })
    }
}

/// Quantile of sorted, non-empty values at a fraction in 0..=1.
fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let place = fraction * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// 97.5 % quantile of Student's t distribution: a table up to ten degrees of freedom, then the
/// expansion of Abramowitz and Stegun 26.7.5, right to four decimals.
fn t_975(degrees: usize) -> f64 {
    const TABLE: [f64; 10] = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281];
    if let Some(&t) = TABLE.get(degrees - 1) {
        return t;
    }
    let x = 1.959_963_984_540_054_f64;
    let inverse = 1.0 / degrees as f64;
    let first = (x.powi(3) + x) / 4.0;
    let second = (5.0 * x.powi(5) + 16.0 * x.powi(3) + 3.0 * x) / 96.0;
    let third = (3.0 * x.powi(7) + 19.0 * x.powi(5) + 17.0 * x.powi(3) - 15.0 * x) / 384.0;
    let fourth =
        (79.0 * x.powi(9) + 776.0 * x.powi(7) + 1482.0 * x.powi(5) - 1920.0 * x.powi(3) - 945.0 * x) / 92_160.0;
    x + inverse * (first + inverse * (second + inverse * (third + inverse * fourth)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance
    }

    #[test]
    fn no_scores_have_no_summary() {
        assert_eq!(Summary::of::<i32>(&[]), None);
    }

    #[test]
    fn one_score_has_a_mean_but_no_spread() {
        let summary = Summary::of(&[7]).unwrap();
        assert_eq!((summary.n, summary.mean, summary.half_width, summary.standard_deviation), (1, 7.0, None, None));
        assert_eq!((summary.min, summary.lower_quartile, summary.median, summary.max), (7.0, 7.0, 7.0, 7.0));
        assert_eq!(summary.to_string(), "mean 7.0, min 7, quartiles 7 / 7 / 7, max 7, n = 1");
    }

    #[test]
    fn five_scores_agree_with_the_computation_by_hand() {
        // Squared differences 16 + 4 + 0 + 4 + 16 = 40, so s = sqrt(10); t(0.975, 4) = 2.7764.
        let summary = Summary::of(&[10, 2, 6, 4, 8]).unwrap();
        assert_eq!(summary.mean, 6.0);
        assert_eq!(summary.standard_deviation, Some(10f64.sqrt()));
        assert!(close(summary.half_width.unwrap(), 2.7764 * 2f64.sqrt(), 1e-9));
        assert_eq!((summary.min, summary.max), (2.0, 10.0));
        assert_eq!((summary.lower_quartile, summary.median, summary.upper_quartile), (4.0, 6.0, 8.0));
    }

    #[test]
    fn quartiles_between_scores_are_interpolated() {
        // Places 0.75, 1.5 and 2.25 among 1, 2, 4, 8.
        let summary = Summary::of(&[8.0, 1.0, 4.0, 2.0]).unwrap();
        assert_eq!((summary.lower_quartile, summary.median, summary.upper_quartile), (1.75, 3.0, 5.0));
    }

    #[test]
    fn students_quantiles_agree_with_the_published_table() {
        for (degrees, t) in [(1, 12.706), (4, 2.776), (11, 2.2010), (20, 2.0860), (30, 2.0423), (120, 1.9799)] {
            assert!(close(t_975(degrees), t, 1e-3), "{degrees}: {}", t_975(degrees));
        }
        assert!(close(t_975(11), 2.20099, 1e-4));
        assert!(close(t_975(1_000_000), 1.95996, 1e-5));
        // The quantiles to ten decimals, and what four terms of the expansion lack, computed elsewhere.
        for (degrees, t, lack) in [(11, 2.200_985_160_1, 4.904_77e-6), (20, 2.085_963_447_3, 2.388_7e-7)] {
            assert!(close(t_975(degrees), t - lack, 2e-9), "{degrees}: {}", t_975(degrees));
        }
    }

    #[test]
    fn a_ratio_over_equal_games_has_the_interval_of_the_mean() {
        let games = [(10.0, 2.0), (2.0, 2.0), (6.0, 2.0), (4.0, 2.0), (8.0, 2.0)];
        let (ratio, summary) = (Ratio::of(&games).unwrap(), Summary::of(&[10, 2, 6, 4, 8]).unwrap());
        assert_eq!(ratio.mean, summary.mean / 2.0);
        assert!(close(ratio.half_width.unwrap(), summary.half_width.unwrap() / 2.0, 1e-12));
        assert_eq!(Ratio::of(&games[..1]), Some(Ratio { mean: 5.0, half_width: None }));
        assert_eq!(Ratio::of(&[(3.0, 0.0)]), None);
    }

    #[test]
    fn a_large_offset_does_not_cost_the_spread() {
        let summary = Summary::of(&[1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0]).unwrap();
        assert_eq!(summary.standard_deviation, Some(1.0));
    }
}
