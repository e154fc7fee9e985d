//! The target of an update, as a pure function of numbers.

use serde::{Deserialize, Serialize};

use crate::agents::greedy;
use crate::games::ActionMask;

/// The one-step target of each transition: `reward + discount * value`, where the value is the target network's for the
/// best action in the mask. Best by the target network itself (Mnih et al. 2015,
/// <https://doi.org/10.1038/nature14236>) or, with `online`, by the online network: double Q-learning (van Hasselt et al.
/// 2016, <https://arxiv.org/abs/1509.06461>).
///
/// `target` and `online` hold the next states' action values, shape `[batch, actions]`. A transition with discount 0 takes
/// nothing from them, whatever they hold.
pub fn targets(
    rewards: &[f32],
    discounts: &[f32],
    masks: &[ActionMask],
    target: &[f32],
    online: Option<&[f32]>,
) -> Vec<f32> {
    let actions = target.len() / rewards.len().max(1);
    (0..rewards.len())
        .map(|index| {
            if discounts[index] == 0.0 {
                return rewards[index];
            }
            let row = index * actions..(index + 1) * actions;
            let chooser = &online.unwrap_or(target)[row.clone()];
            let best = greedy(chooser, &masks[index]);
            rewards[index] + discounts[index] * target[row][best]
        })
        .collect()
}

/// Running means of what next states' values add to rewards, one for each number of actions that are left in them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baselines(Vec<(u32, f32)>);

impl Baselines {
    /// The least weight of a number in its mean: it follows what is learned.
    const RATE: f32 = 1e-3;

    /// Takes a number into the mean of its kind.
    pub fn learn(&mut self, kind: usize, number: f32) {
        if self.0.len() <= kind {
            self.0.resize(kind + 1, (0, 0.0));
        }
        let (count, mean) = &mut self.0[kind];
        *count = count.saturating_add(1);
        *mean += (1.0 / *count as f32).max(Self::RATE) * (number - *mean);
    }

    /// The mean of a kind; 0 where it has no numbers.
    pub fn mean(&self, kind: usize) -> f32 {
        self.0.get(kind).map_or(0.0, |(_, mean)| *mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(actions: &[usize]) -> ActionMask {
        let mut mask = ActionMask::default();
        actions.iter().for_each(|action| mask.insert(*action));
        mask
    }

    #[test]
    fn the_maximum_is_taken_over_the_mask_only() {
        let masks = [mask(&[0, 2]), mask(&[1])];
        let values = [1.0, 9.0, 2.0, 4.0, -3.0, 8.0];
        let targets = targets(&[0.5, 1.0], &[0.5, 0.9], &masks, &values, None);
        assert_eq!(targets, [0.5 + 0.5 * 2.0, 1.0 + 0.9 * -3.0]);
    }

    #[test]
    fn double_learning_lets_the_online_network_choose_and_the_target_network_judge() {
        let (target, online) = ([1.0, 9.0, 2.0], [3.0, 0.0, 2.5]);
        let all = [mask(&[0, 1, 2])];
        assert_eq!(targets(&[0.0], &[0.5], &all, &target, None), [4.5]);
        assert_eq!(targets(&[0.0], &[0.5], &all, &target, Some(&online)), [0.5]);
        // The online network's favourite is masked out: its second best is action 2.
        assert_eq!(targets(&[0.0], &[0.5], &[mask(&[1, 2])], &target, Some(&online)), [1.0]);
    }

    #[test]
    fn a_terminal_transition_is_worth_its_reward_whatever_stands_behind_it() {
        let targets = targets(&[2.5], &[0.0], &[mask(&[0])], &[f32::NAN, 7.0], None);
        assert_eq!(targets, [2.5]);
    }

    #[test]
    fn baselines_are_means_of_their_kinds_and_follow_later_numbers() {
        let mut baselines = Baselines::default();
        assert_eq!(baselines.mean(4), 0.0);
        for (kind, number) in [(4, 2.0), (1, -3.0), (4, 1.0), (4, 6.0)] {
            baselines.learn(kind, number);
        }
        assert_eq!([0, 1, 4, 5].map(|kind| baselines.mean(kind)), [0.0, -3.0, 3.0, 0.0]);
        (0..10_000).for_each(|_| baselines.learn(4, 7.0));
        assert!((baselines.mean(4) - 7.0).abs() < 1e-2, "{}", baselines.mean(4));
    }
}
