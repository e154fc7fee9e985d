//! Random moves, for exploration.

use super::super::sections::{Checked, share};
use crate::games::ActionMask;
use crate::players::argmax;
use crate::random::{Draw, Stream};

sections! {
    /// Epsilon, the share of random moves, falls linearly and then stays: section `[exploration]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `start` | 1 | 0 to 1 | Epsilon at the first step. |
    /// | `end` | 0.1 | 0 to 1 | Epsilon after the fall. |
    /// | `steps` | 6,400 |  | Steps of the fall, warm-up included. |
    pub struct Exploration {
        /// Initial share of random moves.
        pub start: f64 = 1.0,
        /// Final share of random moves.
        pub end: f64 = 0.1,
        /// Steps of the fall.
        pub steps: u64 = 6_400,
    }
}

impl Exploration {
    pub(super) fn check(&self) -> Checked {
        share("exploration.start", self.start)?;
        share("exploration.end", self.end)
    }

    /// Probability of a random move at a step.
    pub fn epsilon(&self, step: u64) -> f64 {
        if step >= self.steps {
            return self.end;
        }
        self.start + (self.end - self.start) * step as f64 / self.steps as f64
    }
}

/// A uniformly random action with probability epsilon, else the action of the highest value; both
/// within the mask.
pub fn epsilon_greedy(values: &[f32], mask: &ActionMask, epsilon: f64, stream: &mut Stream) -> usize {
    if f64::from(stream.unit()) < epsilon {
        let choice = stream.below(mask.count() as u32) as usize;
        return mask.nth(choice).unwrap_or_default();
    }
    argmax(values, mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Role;

    fn mask(actions: &[usize]) -> ActionMask {
        let mut mask = ActionMask::default();
        actions.iter().for_each(|action| mask.insert(*action));
        mask
    }

    #[test]
    fn epsilon_falls_linearly_from_start_to_end_and_stays() {
        let exploration = Exploration { start: 1.0, end: 0.2, steps: 100 };
        let epsilons = [0, 50, 100, 1000].map(|step| exploration.epsilon(step));
        for (epsilon, expected) in epsilons.into_iter().zip([1.0, 0.6, 0.2, 0.2]) {
            assert!((epsilon - expected).abs() < 1e-12, "{epsilons:?}");
        }
        assert_eq!(Exploration { start: 1.0, end: 0.1, steps: 0 }.epsilon(0), 0.1);
    }

    #[test]
    fn a_better_value_outside_the_mask_is_never_chosen() {
        let values = [9.0, 1.0, 3.0, 2.0];
        assert_eq!(argmax(&values, &mask(&[1, 2, 3])), 2);
        let mut stream = Stream::new(0, Role::Explore, 0);
        for _ in 0..100 {
            assert_eq!(epsilon_greedy(&values, &mask(&[1, 3]), 0.0, &mut stream), 3);
        }
    }

    #[test]
    fn exploring_is_uniform_over_the_mask() {
        let mut stream = Stream::new(0, Role::Explore, 0);
        let mut counts = [0i32; 5];
        for _ in 0..9_000 {
            counts[epsilon_greedy(&[0.0; 5], &mask(&[0, 2, 4]), 1.0, &mut stream)] += 1;
        }
        assert_eq!((counts[1], counts[3]), (0, 0));
        // 270 is six standard deviations of a count.
        for count in [counts[0], counts[2], counts[4]] {
            assert!((count - 3_000).abs() < 270, "{counts:?}");
        }
    }

    #[test]
    fn epsilon_is_the_share_of_random_moves() {
        let mut stream = Stream::new(0, Role::Explore, 0);
        let others = (0..10_000).filter(|_| epsilon_greedy(&[1.0, 0.0], &mask(&[0, 1]), 0.3, &mut stream) == 1).count();
        // Half of the random moves pick the other action; 215 is six standard deviations.
        assert!((others as i32 - 1_500).abs() < 215, "{others}");
    }
}
