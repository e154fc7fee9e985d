//! How densely scores lie, as a smooth curve.

use std::collections::BTreeMap;

use crate::eval::statistics::Summary;

/// Points of a curve.
const POINTS: usize = 400;
/// The kernel ends so many bandwidths from a score, where it has fallen to a three-thousandth.
const REACH: f64 = 4.0;

/// The Gaussian kernel density of scores, as points (score, share of the games a point of score) from left to right;
/// none where all scores are equal. The bandwidth is Silverman's (1986, equation 3.31), 0.9 min(s, R / 1.34) n^(-1/5)
/// with standard deviation s and interquartile range R.
pub fn density(scores: &[i32], summary: &Summary) -> Option<Vec<(f64, f64)>> {
    let bandwidth = bandwidth(summary)?;
    // Scores are few among many games.
    let mut counts = BTreeMap::<i32, f64>::new();
    for &score in scores {
        *counts.entry(score).or_default() += 1.0;
    }
    let (low, high) = (summary.min - REACH * bandwidth, summary.max + REACH * bandwidth);
    let height = 1.0 / (scores.len() as f64 * bandwidth * std::f64::consts::TAU.sqrt());
    let at = |place: f64| {
        let near = (place - REACH * bandwidth) as i32..=(place + REACH * bandwidth) as i32;
        let kernel = |score: i32| (-0.5 * ((place - f64::from(score)) / bandwidth).powi(2)).exp();
        height * counts.range(near).map(|(&score, count)| count * kernel(score)).sum::<f64>()
    };
    let place = |index: usize| low + (high - low) * index as f64 / (POINTS - 1) as f64;
    Some((0..POINTS).map(place).map(|place| (place, at(place))).collect())
}

fn bandwidth(summary: &Summary) -> Option<f64> {
    let deviation = summary.standard_deviation.filter(|deviation| *deviation > 0.0)?;
    let quartiles = (summary.upper_quartile - summary.lower_quartile) / 1.34;
    // Where half of the scores are equal, the quartiles say nothing.
    let spread = if quartiles > 0.0 { deviation.min(quartiles) } else { deviation };
    Some(0.9 * spread * (summary.n as f64).powf(-0.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(scores: &[i32]) -> Option<Vec<(f64, f64)>> {
        density(scores, &Summary::of(scores).unwrap())
    }

    #[test]
    fn a_density_sums_to_one_and_is_highest_where_most_scores_are() {
        let scores: Vec<i32> = (0..1000).map(|i| (i * i) / 1000).collect();
        let points = curve(&scores).unwrap();
        let step = points[1].0 - points[0].0;
        let total: f64 = points.iter().map(|point| point.1 * step).sum();
        assert!((total - 1.0).abs() < 0.01, "{total}");
        let highest = points.iter().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap();
        assert!((0.0..100.0).contains(&highest.0), "{highest:?}");
    }

    #[test]
    fn scores_without_a_spread_have_no_density() {
        assert_eq!(curve(&[7]), None);
        assert_eq!(curve(&[7; 100]), None);
    }

    #[test]
    fn two_scores_are_two_hills_of_silvermans_width() {
        let scores = [0, 0, 0, 0, 0, 0, 0, 1000];
        let points = curve(&scores).unwrap();
        // The quartiles are equal, so the bandwidth is 0.9 * 353.55 * 8^-0.2 = 209.9.
        let summary = Summary::of(&scores).unwrap();
        assert!((bandwidth(&summary).unwrap() - 209.93).abs() < 0.1);
        assert!(points[0].1 < 1e-5 && points[POINTS - 1].1 < 1e-5);
    }
}
