use std::fmt::Write as _;

use super::statistics::Summary;

/// Scores counted in bins of equal width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Lowest score of the first bin, a multiple of the width.
    pub start: i64,
    /// Points in a bin: 1, 2 or 5 times a power of ten.
    pub width: i64,
    /// Scores in each bin; the first and the last are not empty.
    pub counts: Vec<usize>,
}

/// Most bins that are readable.
const MOST_BINS: i64 = 40;
/// Columns of the longest bar at least.
pub(super) const LEAST_BAR: usize = 8;

impl Histogram {
    /// Counts scores; `None` without scores.
    ///
    /// The width is the smallest round one with few bins and at least two thirds of Freedman and
    /// Diaconis' (1981), 2 * interquartile range / cbrt(scores).
    pub fn of(scores: &[i32]) -> Option<Self> {
        let summary = Summary::of(scores)?;
        let (min, max) = (summary.min as i64, summary.max as i64);
        let wanted = 2.0 * (summary.upper_quartile - summary.lower_quartile) / (summary.n as f64).cbrt();
        let bins = |width: i64| max.div_euclid(width) - min.div_euclid(width) + 1;
        let width = round_widths().find(|&width| width as f64 * 1.5 >= wanted && bins(width) <= MOST_BINS)?;
        let first = min.div_euclid(width);
        let mut counts = vec![0; bins(width) as usize];
        for &score in scores {
            counts[(i64::from(score).div_euclid(width) - first) as usize] += 1;
        }
        Some(Self { start: first * width, width, counts })
    }

    /// Number of scores in all bins.
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Lowest score of a bin, and lowest score above the bin.
    pub fn edges(&self, bin: usize) -> (i64, i64) {
        let low = self.start + bin as i64 * self.width;
        (low, low + self.width)
    }

    /// Bin of a score; `None` outside.
    pub fn bin(&self, score: f64) -> Option<usize> {
        let place = (score - self.start as f64) / self.width as f64;
        (place >= 0.0 && place < self.counts.len() as f64).then_some(place as usize)
    }

    /// Text that marks the bins of mean and median, with bars up to `columns`.
    pub fn render(&self, summary: &Summary, columns: usize) -> String {
        let labels: Vec<String> = (0..self.counts.len()).map(|bin| self.label(bin)).collect();
        let label_width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).max("score".len());
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        let count_width = most.to_string().len().max("games".len());
        let total = self.total().max(1) as f64;
        let before_bar = 3 + label_width + 2 + count_width + 2 + "100.0 %".len() + 2;
        let bar_width = columns.saturating_sub(before_bar).max(LEAST_BAR);

        let mut text = format!("   {:>label_width$}  {:>count_width$}    share\n", "score", "games");
        let (mean, median) = (self.bin(summary.mean), self.bin(summary.median));
        for (bin, (&count, label)) in self.counts.iter().zip(&labels).enumerate() {
            let mean = if mean == Some(bin) { '◆' } else { ' ' };
            let median = if median == Some(bin) { '◇' } else { ' ' };
            let share = 100.0 * count as f64 / total;
            let bar = bar(count as f64 / most as f64 * bar_width as f64);
            let line = format!("{mean}{median} {label:>label_width$}  {count:>count_width$}  {share:>5.1} % │{bar}");
            writeln!(text, "{}", line.trim_end()).ok(); // Writing to a String cannot fail.
        }
        let games = if summary.n == 1 { "game" } else { "games" };
        write!(text, "\n{} {games}   ◆ mean {:.1}", summary.n, summary.mean).ok();
        if let Some(half_width) = summary.half_width {
            write!(text, " ± {half_width:.1} (95 %)").ok();
        }
        writeln!(text, "   ◇ median {}", summary.median).ok();
        text
    }

    /// Scores of a bin, such as `300–319` or `-20 to -1`.
    fn label(&self, bin: usize) -> String {
        let (low, next) = self.edges(bin);
        match next - 1 {
            high if high == low => low.to_string(),
            high if low < 0 => format!("{low} to {high}"),
            high => format!("{low}–{high}"),
        }
    }
}

/// 1, 2, 5, 10, 20, 50, ... beyond the range of an i32.
fn round_widths() -> impl Iterator<Item = i64> {
    (0..=10).flat_map(|exponent| [1, 2, 5].map(|digit| digit * 10_i64.pow(exponent)))
}

/// A bar, to an eighth of a character; any length above 0 shows.
pub(super) fn bar(length: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (length * 8.0).round() as usize;
    let eighths = if length > 0.0 { eighths.max(1) } else { 0 };
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_scores_have_no_histogram() {
        assert_eq!(Histogram::of(&[]), None);
    }

    #[test]
    fn equal_scores_fill_one_bin_of_their_own() {
        let histogram = Histogram::of(&[-7; 4]).unwrap();
        assert_eq!(histogram, Histogram { start: -7, width: 1, counts: vec![4] });
    }

    #[test]
    fn bins_have_round_edges_and_the_width_of_freedman_and_diaconis() {
        // 0, 1, ..., 999: twice the range of 499.5 over 10 is 99.9, made 100.
        let histogram = Histogram::of(&(0..1000).collect::<Vec<i32>>()).unwrap();
        assert_eq!(histogram, Histogram { start: 0, width: 100, counts: vec![100; 10] });
        // Eight scores, quartiles -3.5 and 8.25: 2 * 11.75 / 2 = 11.75, made 10.
        let histogram = Histogram::of(&[-25, -5, -3, 0, 2, 8, 9, 20]).unwrap();
        assert_eq!(histogram, Histogram { start: -30, width: 10, counts: vec![1, 0, 2, 4, 0, 1] });
    }

    #[test]
    fn every_score_lies_in_the_bin_that_counts_it() {
        let mut state = 1_u32;
        for n in 1..300 {
            let scores: Vec<i32> = (0..n)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 8) as i32 % (1 + n * n) - n
                })
                .collect();
            let histogram = Histogram::of(&scores).unwrap();
            for (bin, &count) in histogram.counts.iter().enumerate() {
                let (low, next) = histogram.edges(bin);
                let within = |&&score: &&i32| (low..next).contains(&i64::from(score));
                assert_eq!(scores.iter().filter(within).count(), count);
                assert_eq!((histogram.bin(low as f64), histogram.bin(next as f64 - 0.5)), (Some(bin), Some(bin)));
            }
            assert_eq!(histogram.total(), scores.len());
            assert!(histogram.counts[0] > 0 && *histogram.counts.last().unwrap() > 0);
            assert!(histogram.counts.len() as i64 <= MOST_BINS);
        }
    }

    #[test]
    fn the_widest_scores_there_are_have_a_histogram() {
        let histogram = Histogram::of(&[i32::MIN, 0, i32::MAX]).unwrap();
        assert_eq!(histogram.total(), 3);
        assert_eq!(histogram.bin(1e12), None);
        let text = histogram.render(&Summary::of(&[i32::MIN, 0, i32::MAX]).unwrap(), 80);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn a_histogram_is_drawn_with_its_mean_and_median() {
        let scores = [10, 10, 11, 13];
        let histogram = Histogram { start: 10, width: 2, counts: vec![3, 1] };
        let text = histogram.render(&Summary::of(&scores).unwrap(), 80);
        let expected = [
            "   score  games    share".to_owned(),
            format!("◆◇ 10–11      3   75.0 % │{}", "█".repeat(54)),
            format!("   12–13      1   25.0 % │{}", "█".repeat(18)),
            String::new(),
            "4 games   ◆ mean 11.0 ± 2.3 (95 %)   ◇ median 10.5".to_owned(),
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        let bars = |columns| {
            let text = histogram.render(&Summary::of(&scores).unwrap(), columns);
            text.lines().skip(1).take(2).map(|line| line.matches('█').count()).collect::<Vec<_>>()
        };
        assert_eq!([bars(40), bars(0)], [vec![14, 4], vec![LEAST_BAR, 2]]);
    }

    #[test]
    fn one_game_is_drawn_without_a_confidence() {
        let text = Histogram::of(&[42]).unwrap().render(&Summary::of(&[42]).unwrap(), 80);
        assert!(text.ends_with("\n1 game   ◆ mean 42.0   ◇ median 42\n"), "{text}");
    }

    #[test]
    fn a_bin_is_named_by_its_scores_and_ends_before_the_next() {
        let labels = |start: i64, width: i64| -> Vec<String> {
            let histogram = Histogram { start, width, counts: vec![1, 2] };
            (0..2).map(|bin| histogram.label(bin)).collect()
        };
        assert_eq!(labels(-20, 20), ["-20 to -1", "0–19"]);
        assert_eq!(labels(-10, 20), ["-10 to 9", "10–29"]);
        assert_eq!(labels(-1, 1), ["-1", "0"]);
        assert_eq!(labels(-4, 5), ["-4 to 0", "1–5"]);
        let histogram = Histogram { start: -20, width: 20, counts: vec![1, 2] };
        let bins = [-20.1, -20.0, -0.1, 0.0, 19.9, 20.0].map(|score| histogram.bin(score));
        assert_eq!(bins, [None, Some(0), Some(0), Some(1), Some(1), None]);
    }

    #[test]
    fn bars_grow_by_eighths_and_never_vanish() {
        let bars = [0.0, 0.01, 0.5, 0.99, 1.0, 2.25].map(bar);
        assert_eq!(bars, ["", "▏", "▌", "█", "█", "██▎"]);
    }
}
