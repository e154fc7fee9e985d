//! The target of an update, as a pure function of numbers.

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
}
