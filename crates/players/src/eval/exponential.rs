//! Nearly exponential scores, of games that a mishap may end at any move.

use std::fmt::Write as _;

use super::histogram::{LEAST_BAR, bar};
use super::statistics::Summary;

/// Fewest games for which [interval] is right to a hundredth.
const FEWEST: usize = 5;

/// A bin on a logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Lowest score of the bin.
    pub low: i64,
    /// Lowest score of the next bin.
    pub next: i64,
    /// Number of scores in the bin.
    pub count: usize,
    /// Games expected by the exponential law.
    pub expected: f64,
}

/// Counts scores in bins from 0, 1, 2, 5, 10, 20 and so on, without empty bins at the ends;
/// negative scores count as 0.
pub fn bins(scores: &[i32]) -> Vec<Bin> {
    let Some(summary) = Summary::of(scores) else { return Vec::new() };
    let above = |score: i64| match score {
        0 => 1.0,
        _ if summary.mean > 0.0 => (-(score as f64) / summary.mean).exp(),
        _ => 0.0,
    };
    let edges =
        std::iter::once(0).chain((0..=10).flat_map(|exponent| [1, 2, 5].map(|digit| digit * 10_i64.pow(exponent))));
    let edges: Vec<i64> = edges.collect();
    let bin = |pair: &[i64]| {
        let (low, next) = (pair[0], pair[1]);
        let count = scores.iter().filter(|score| (low..next).contains(&i64::from(**score).max(0))).count();
        Bin { low, next, count, expected: scores.len() as f64 * (above(low) - above(next)) }
    };
    let all: Vec<Bin> = edges.windows(2).map(bin).collect();
    let first = all.iter().position(|bin| bin.count > 0).unwrap_or(0);
    let last = all.iter().rposition(|bin| bin.count > 0).unwrap_or(0);
    all[first..=last].to_vec()
}

/// 95 % interval of an exponential law's mean: 2 n mean / chi squared for n scores and 2 n degrees
/// of freedom, by the quantiles of Wilson and Hilferty (1931).
pub fn interval(mean: f64, count: usize) -> (f64, f64) {
    let degrees = 2.0 * count as f64;
    let quantile = |normal: f64| {
        let spread = 2.0 / (9.0 * degrees);
        degrees * (1.0 - spread + normal * spread.sqrt()).powi(3)
    };
    (degrees * mean / quantile(1.959_964), degrees * mean / quantile(-1.959_964))
}

/// Text of bins, law and interval, with bars up to `columns`.
pub fn render(scores: &[i32], summary: &Summary, columns: usize) -> String {
    let bins = bins(scores);
    let label = |bin: &Bin| {
        if bin.next - bin.low == 1 { bin.low.to_string() } else { format!("{}–{}", bin.low, bin.next - 1) }
    };
    let width = bins.iter().map(|bin| label(bin).chars().count()).max().unwrap_or(0).max("score".len());
    let most = bins.iter().map(|bin| bin.count as f64).fold(1.0, f64::max);
    let total = scores.len().max(1) as f64;
    let length = columns.saturating_sub(width + 32).max(LEAST_BAR) as f64;
    let mut text = format!("{:>width$}   games    share  exponential\n", "score");
    for bin in &bins {
        let (share, law) = (100.0 * bin.count as f64 / total, 100.0 * bin.expected / total);
        let drawn = bar(bin.count as f64 / most * length);
        let line = format!("{:>width$}  {:>6}  {share:>5.1} %  {law:>9.1} % │{drawn}", label(bin), bin.count);
        writeln!(text, "{}", line.trim_end()).ok(); // Writing to a String cannot fail.
    }
    if summary.n >= FEWEST {
        let (low, high) = interval(summary.mean, summary.n);
        writeln!(text, "\nif scores follow the exponential law, the mean is from {low:.1} to {high:.1} (95 %)").ok();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_round_edges_and_the_laws_shares() {
        // Mean 10: 1 - exp(-0.1) below 1, exp(-0.5) - exp(-1) from 5 to 9.
        let found = bins(&[0, 6, 6, 28]);
        let edges: Vec<_> = found.iter().map(|bin| (bin.low, bin.next, bin.count)).collect();
        assert_eq!(edges, [(0, 1, 1), (1, 2, 0), (2, 5, 0), (5, 10, 2), (10, 20, 0), (20, 50, 1)]);
        assert!((found[0].expected - 4.0 * (1.0 - (-0.1_f64).exp())).abs() < 1e-12);
        assert!((found[3].expected - 4.0 * ((-0.5_f64).exp() - (-1.0_f64).exp())).abs() < 1e-12);
        assert!(bins(&[]).is_empty());
        // Without a mean above 0 all scores are expected at 0.
        for scores in [[0, 0], [-5, 0]] {
            assert_eq!(bins(&scores), [Bin { low: 0, next: 1, count: 2, expected: 2.0 }]);
        }
        let edges: Vec<_> = bins(&[6, 9, 30]).iter().map(|bin| (bin.low, bin.next, bin.count)).collect();
        assert_eq!(edges, [(5, 10, 2), (10, 20, 0), (20, 50, 1)]);
    }

    #[test]
    fn bins_are_drawn_beside_the_laws_shares() {
        let scores = [0, 6, 6, 28];
        let drawn = render(&scores, &Summary::of(&scores).unwrap(), 60);
        let expected = "\
score   games    share  exponential
    0       1   25.0 %        9.5 % │███████████▌
    1       0    0.0 %        8.6 % │
  2–4       0    0.0 %       21.2 % │
  5–9       2   50.0 %       23.9 % │███████████████████████
10–19       0    0.0 %       23.3 % │
20–49       1   25.0 %       12.9 % │███████████▌
";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn the_interval_is_that_of_chi_squared() {
        // Quantiles of chi squared with 20 degrees of freedom: 9.5908 and 34.1696.
        let (low, high) = interval(100.0, 10);
        assert!((low - 2000.0 / 34.1696).abs() < 0.1 && (high - 2000.0 / 9.5908).abs() < 0.4, "{low} {high}");
        // Quantiles with 10 degrees of freedom: 3.2470 and 20.4832.
        let (low, high) = interval(100.0, FEWEST);
        assert!((low - 1000.0 / 20.4832).abs() < 0.5 && (high - 1000.0 / 3.2470).abs() < 3.0, "{low} {high}");
        let text = |scores: &[i32]| render(scores, &Summary::of(scores).unwrap(), 80);
        assert!(!text(&[3, 5, 8, 13]).contains("the mean is") && text(&[3, 5, 8, 13, 21]).contains("the mean is"));
    }

    #[test]
    fn scores_of_a_law_lie_beside_its_shares() {
        let scores: Vec<i32> =
            (0..1000).map(|place| (-700.0 * (1.0 - (f64::from(place) + 0.5) / 1000.0).ln()) as i32).collect();
        for bin in bins(&scores).iter().filter(|bin| bin.expected > 5.0) {
            assert!((bin.count as f64 - bin.expected).abs() < 3.0, "{bin:?}");
        }
        let text = render(&scores, &Summary::of(&scores).unwrap(), 80);
        assert!(text.lines().next().unwrap().ends_with("exponential") && text.contains("500–999"), "{text}");
        for columns in [60, 80, 100] {
            let text = render(&scores, &Summary::of(&scores).unwrap(), columns);
            let bars = text.lines().filter(|line| line.contains('│')).map(|line| line.chars().count());
            assert_eq!(bars.max(), Some(columns), "{text}");
        }
    }
}
