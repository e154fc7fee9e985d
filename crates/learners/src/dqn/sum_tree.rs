//! A tree of sums, to draw slots by priority.

use serde::{Deserialize, Serialize};

/// Priorities of slots, all 0 at first; setting and finding take O(log capacity).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SumTree {
    /// Node i's children are 2i and 2i + 1; the leaves are the last half.
    nodes: Vec<f32>,
}

impl SumTree {
    /// A tree of at least `capacity` slots.
    pub fn new(capacity: usize) -> Self {
        Self { nodes: vec![0.0; 2 * capacity.next_power_of_two()] }
    }

    /// Whether a saved tree fits `capacity`, and [`find`](Self::find) gives only the first `len`
    /// slots.
    pub fn fits(&self, capacity: usize, len: usize) -> bool {
        let leaves = capacity.next_power_of_two();
        if self.nodes.len() != 2 * leaves || len > leaves {
            return false;
        }
        let (set, unset) = self.nodes[leaves..].split_at(len);
        let summed = |node: usize| self.nodes[node] == self.nodes[2 * node] + self.nodes[2 * node + 1];
        let priority = |priority: &f32| *priority > 0.0 && priority.is_finite();
        set.iter().all(priority)
            && unset.iter().all(|priority| *priority == 0.0)
            && (1..leaves).all(summed)
            && self.total().is_finite()
    }

    /// Sum of all priorities.
    pub fn total(&self) -> f32 {
        self.nodes[1]
    }

    /// Priority of a slot.
    pub fn get(&self, slot: usize) -> f32 {
        self.nodes[self.nodes.len() / 2 + slot]
    }

    /// Sets a slot's priority; sums are computed anew, so that no rounding accumulates.
    pub fn set(&mut self, slot: usize, priority: f32) {
        let mut node = self.nodes.len() / 2 + slot;
        self.nodes[node] = priority;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node] + self.nodes[2 * node + 1];
        }
    }

    /// The slot at `mass`, between 0 and the total, with priorities laid side by side.
    ///
    /// A slot of priority 0 is found only if all are 0. Single precision could not tell more than
    /// 2^24 slots apart.
    pub fn find(&self, mut mass: f64) -> usize {
        let mut node = 1;
        while node < self.nodes.len() / 2 {
            let [left, right] = [2 * node, 2 * node + 1].map(|half| f64::from(self.nodes[half]));
            node *= 2;
            // Rounding can push `mass` past the last priority; an empty half is never entered.
            if (mass >= left && right > 0.0) || left == 0.0 {
                mass -= left;
                node += 1;
            }
        }
        node - self.nodes.len() / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mass_falls_where_the_priorities_stand_side_by_side() {
        let mut tree = SumTree::new(5);
        for (slot, priority) in [1.0, 0.0, 2.0, 0.5, 0.0].into_iter().enumerate() {
            tree.set(slot, priority);
        }
        assert_eq!(tree.total(), 3.5);
        let found = [0.0, 0.99, 1.0, 2.99, 3.0, 3.49, 3.5, 9.0].map(|mass| tree.find(mass));
        assert_eq!(found, [0, 0, 2, 2, 3, 3, 3, 3]);
    }

    #[test]
    fn a_mass_names_each_slot_behind_many_others() {
        let mut tree = SumTree::new(4);
        let before = (1 << 25) as f32;
        for (slot, priority) in [before, 4.0, 1.0, 1.0].into_iter().enumerate() {
            tree.set(slot, priority);
        }
        let found = [-0.5, 0.5, 4.5, 5.5].map(|mass| tree.find(f64::from(before) + mass));
        assert_eq!(found, [0, 1, 2, 3]);
    }

    #[test]
    fn changing_a_priority_changes_every_sum_above_it() {
        let mut tree = SumTree::new(4);
        tree.set(0, 1.0);
        tree.set(3, 4.0);
        tree.set(0, 0.25);
        assert_eq!((tree.total(), tree.get(0), tree.get(3)), (4.25, 0.25, 4.0));
        assert_eq!(tree.find(0.3), 3);
    }

    #[test]
    fn a_mass_past_the_last_priority_names_its_slot() {
        for slot in 0..8 {
            let mut tree = SumTree::new(8);
            tree.set(slot, 1.0);
            assert_eq!([0.0, 0.5, 1.0, 2.0].map(|mass| tree.find(mass)), [slot; 4]);
        }
    }

    #[test]
    fn a_tree_that_is_not_one_of_its_slots_does_not_fit() {
        let mut tree = SumTree::new(5);
        assert!(tree.fits(5, 0) && !tree.fits(9, 0));
        (0..3).for_each(|slot| tree.set(slot, 1.5));
        assert!(tree.fits(5, 3) && tree.fits(8, 3));
        // A priority without a transition, and wrong sums.
        assert!(!tree.fits(5, 2));
        let forged = |node: usize, number: f32| {
            let mut nodes = tree.nodes.clone();
            nodes[node] = number;
            SumTree { nodes }
        };
        for (node, number) in [(1, 0.0), (3, 9.0), (8, f32::NAN), (8, -1.5), (8, 0.0), (8, f32::INFINITY)] {
            assert!(!forged(node, number).fits(5, 3), "{node} {number}");
        }
        assert!(!SumTree::new(5).fits(5, 3), "nothing could be drawn");
        let mut full = SumTree::new(4);
        (0..4).for_each(|slot| full.set(slot, 1.0));
        assert!(full.fits(4, 4) && !full.fits(4, 5));
    }
}
