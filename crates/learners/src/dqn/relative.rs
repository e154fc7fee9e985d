//! Running means for relative values.

use serde::{Deserialize, Serialize};

/// Running mean of the discounted values of next states, per number of actions left.
///
/// Relative value iteration subtracts these means, so that the points of an average future need not
/// be learned (Abounadi, Bertsekas and Borkar 2001, <https://doi.org/10.1137/S0363012999361974>).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baselines(Vec<(u32, f32)>);

impl Baselines {
    /// Minimum weight of a new number; the mean follows the learned values.
    const RATE: f32 = 1e-3;

    /// Adds a number to the mean of a kind.
    pub fn add(&mut self, kind: usize, number: f32) {
        if self.0.len() <= kind {
            self.0.resize(kind + 1, (0, 0.0));
        }
        let (count, mean) = &mut self.0[kind];
        *count = count.saturating_add(1);
        *mean += (1.0 / *count as f32).max(Self::RATE) * (number - *mean);
    }

    /// Mean of a kind; 0 before its first number.
    pub fn mean(&self, kind: usize) -> f32 {
        self.0.get(kind).map_or(0.0, |(_, mean)| *mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baselines_are_means_of_their_kinds_and_follow_later_numbers() {
        let mut baselines = Baselines::default();
        assert_eq!(baselines.mean(4), 0.0);
        for (kind, number) in [(4, 2.0), (1, -3.0), (4, 1.0), (4, 6.0)] {
            baselines.add(kind, number);
        }
        assert_eq!([0, 1, 4, 5].map(|kind| baselines.mean(kind)), [0.0, -3.0, 3.0, 0.0]);
        (0..10_000).for_each(|_| baselines.add(4, 7.0));
        assert!((baselines.mean(4) - 7.0).abs() < 1e-2, "{}", baselines.mean(4));
    }
}
