//! Prioritised replay: transitions with large errors are sampled more often, with smaller weights.

use serde::{Deserialize, Serialize};

use super::sum_tree::SumTree;
use crate::random::Stream;

/// Number added to every error, so that every transition can be sampled.
const MIN_ERROR: f32 = 1e-3;

/// Sampled transitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Slots in the memory.
    pub slots: Vec<usize>,
    /// Importance weights, at most 1; all 1 in uniform sampling.
    pub weights: Vec<f32>,
}

/// Priorities of transitions: `(|error| + 0.001) ^ exponent` (Schaul et al. 2016,
/// <https://arxiv.org/abs/1511.05952>, proportional variant).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Priorities {
    tree: SumTree,
    exponent: f32,
    /// Highest priority so far, for new transitions.
    highest: f32,
}

impl Priorities {
    /// Priorities of an empty memory.
    pub fn new(capacity: usize, exponent: f32) -> Self {
        Self { tree: SumTree::new(capacity), exponent, highest: 1.0 }
    }

    /// Whether saved priorities fit an exponent and a memory of `len` transitions.
    pub fn fits(&self, capacity: usize, exponent: f32, len: usize) -> bool {
        self.exponent == exponent && self.tree.fits(capacity, len) && self.highest.is_finite() && self.highest > 0.0
    }

    /// Gives a new transition's slot the highest priority so far.
    pub fn enter(&mut self, slot: usize) {
        self.tree.set(slot, self.highest);
    }

    /// Sets a slot's priority by its error; an error that is no number changes nothing.
    pub fn set_error(&mut self, slot: usize, error: f32) {
        let priority = (error.abs() + MIN_ERROR).powf(self.exponent);
        // NaN would make every sum above it NaN.
        if priority.is_finite() {
            self.highest = self.highest.max(priority);
            self.tree.set(slot, priority);
        }
    }

    /// Draws one transition from each of `count` equal parts of the sum.
    ///
    /// The weights are `priority ^ -importance_exponent`, divided by the largest. The paper's `(len *
    /// priority / total) ^ -importance_exponent` has two more factors, which the division cancels.
    pub fn sample(&self, count: usize, importance_exponent: f64, stream: &mut Stream) -> Sample {
        let tree = &self.tree;
        let part = f64::from(tree.total()) / count as f64;
        let mut mass = |index: usize| (index as f64 + f64::from(stream.unit())) * part;
        let slots: Vec<usize> = (0..count).map(|index| tree.find(mass(index))).collect();
        let weight = |slot: &usize| f64::from(tree.get(*slot)).powf(-importance_exponent);
        let highest = slots.iter().map(weight).fold(f64::MIN_POSITIVE, f64::max);
        let weights = slots.iter().map(|slot| (weight(slot) / highest) as f32).collect();
        Sample { slots, weights }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Role;

    fn stream() -> Stream {
        Stream::new(3, Role::Sample, 0)
    }

    #[test]
    fn a_priority_is_a_power_of_the_error() {
        let mut priorities = Priorities::new(2, 0.5);
        priorities.set_error(0, 0.25 - MIN_ERROR);
        priorities.set_error(1, MIN_ERROR - 1.0);
        // Priorities 1/2 and 1: half the frequency, twice the weight.
        let Sample { slots, weights } = priorities.sample(300, 1.0, &mut stream());
        assert_eq!(slots.iter().filter(|slot| **slot == 0).count(), 100);
        let expected = slots.iter().map(|slot| [1.0, 0.5][*slot]);
        assert!(weights.iter().zip(expected).all(|(weight, expected): (&f32, f32)| (weight - expected).abs() < 1e-5));
    }

    #[test]
    fn each_of_equal_parts_of_the_sum_is_drawn_from() {
        let mut priorities = Priorities::new(4, 1.0);
        (0..4).for_each(|slot| priorities.enter(slot));
        let mut stream = stream();
        for _ in 0..20 {
            assert_eq!(priorities.sample(4, 1.0, &mut stream).slots, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn saved_priorities_fit_their_memory_and_have_a_highest_one() {
        let mut priorities = Priorities::new(4, 1.0);
        priorities.enter(0);
        let fits = |capacity, exponent, len| priorities.fits(capacity, exponent, len);
        assert!(fits(4, 1.0, 1) && !fits(4, 1.0, 2) && !fits(9, 1.0, 1) && !fits(4, 0.5, 1));
        for highest in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(!Priorities { highest, ..priorities.clone() }.fits(4, 1.0, 1), "{highest}");
        }
    }
}
