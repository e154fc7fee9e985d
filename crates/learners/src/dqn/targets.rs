//! Parts of the targets as functions of plain numbers.

use std::ops::Range;

use super::replay::Transition;
use crate::games::ActionMask;
use crate::players::argmax;

/// An action value to learn, and the parts of its target.
#[derive(Clone, Debug, PartialEq)]
pub struct Backup<S> {
    /// The transition's index in the batch.
    pub row: usize,
    /// The action whose value is learned.
    pub action: u16,
    /// What is learned of it.
    pub part: Part,
    /// Scaled reward; 0 where only what follows is learned.
    pub reward: f32,
    /// Next state; none at the end of a game, or where only the reward is learned.
    pub next: Option<Next<S>>,
}

/// What is learned of an action's value, and by which head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The value, or the reward alone: the first head.
    Value,
    /// What follows the reward: the second head.
    Future,
}

/// A next state.
#[derive(Clone, Debug, PartialEq)]
pub struct Next<S> {
    /// The state after the action.
    pub state: S,
    /// Discount of its value.
    pub discount: f32,
}

/// Backups of the actions played.
pub fn sampled<S: Copy>(batch: &[Transition<S>]) -> Vec<Backup<S>> {
    let backup = |(row, transition): (usize, &Transition<S>)| {
        let Transition { action, reward, next, discount, .. } = *transition;
        let next = Next { state: next, discount };
        Backup { row, action, part: Part::Value, reward, next: (discount != 0.0).then_some(next) }
    };
    batch.iter().enumerate().map(backup).collect()
}

/// Value of each state's best action in its mask: `[states]`.
///
/// `values` and `chooser` are `[states, actions]`. The best action has the highest number in
/// `chooser`: `values` (Mnih et al. 2015, <https://doi.org/10.1038/nature14236>), or the online
/// network's in double Q-learning (van Hasselt et al. 2016, <https://arxiv.org/abs/1509.06461>).
pub fn highest(values: &[f32], masks: &[ActionMask], chooser: &[f32]) -> Vec<f32> {
    let actions = (values.len() / masks.len().max(1)).max(1);
    let rows = values.chunks_exact(actions).zip(chooser.chunks_exact(actions)).zip(masks);
    rows.map(|((values, chooser), mask)| values[argmax(chooser, mask)]).collect()
}

/// Mean absolute error of each of `rows` transitions, from errors with their transitions' rows.
pub fn mean_errors(errors: impl Iterator<Item = (usize, f32)>, rows: usize) -> Vec<f32> {
    let mut sums = vec![(0.0, 0); rows];
    for (row, error) in errors {
        let (sum, count) = &mut sums[row];
        *sum += error.abs();
        *count += 1;
    }
    sums.into_iter().map(|(sum, count)| sum / count.max(1) as f32).collect()
}

/// Splits action values into shards of whole states with at most `images` images each.
///
/// `rows` are the values' rows in the batch, equal ones side by side. A state with more images is its
/// own shard. Images are one per value with afterstates, else one per state.
pub fn shards(rows: &[usize], images: usize, afterstates: bool) -> Vec<Range<usize>> {
    let mut shards: Vec<Range<usize>> = Vec::new();
    let (mut start, mut full) = (0, 0);
    for state in rows.chunk_by(|one, other| one == other) {
        let end = start + state.len();
        let more = if afterstates { state.len() } else { 1 };
        match shards.last_mut() {
            Some(shard) if full + more <= images => {
                shard.end = end;
                full += more;
            }
            _ => {
                shards.push(start..end);
                full = more;
            }
        }
        start = end;
    }
    shards
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
        assert_eq!(highest(&values, &masks, &values), [2.0, -3.0]);
        assert!(highest(&[], &[], &[]).is_empty());
    }

    #[test]
    fn double_learning_lets_the_online_network_choose_and_the_target_network_judge() {
        let (target, online) = ([1.0, 9.0, 2.0], [3.0, 0.0, 2.5]);
        let all = [mask(&[0, 1, 2])];
        assert_eq!(highest(&target, &all, &target), [9.0]);
        assert_eq!(highest(&target, &all, &online), [1.0]);
        // The online network's favourite is masked; its second best is action 2.
        assert_eq!(highest(&target, &[mask(&[1, 2])], &online), [2.0]);
    }

    #[test]
    fn a_shard_is_whole_states_of_so_many_images_and_one_state_at_least() {
        let rows = [0, 0, 0, 1, 1, 3, 3, 3, 3, 3, 4];
        assert_eq!(shards(&rows, 4, true), [0..3, 3..5, 5..10, 10..11]);
        assert_eq!(shards(&rows, 5, true), [0..5, 5..10, 10..11]);
        assert_eq!(shards(&rows, usize::MAX, true).len(), 1);
        assert_eq!(shards(&rows, 2, false), [0..5, 5..11]);
        assert!(shards(&[], 4, true).is_empty());
    }

    #[test]
    fn a_transitions_error_is_the_mean_size_of_its_values_errors() {
        let errors = [(0, -2.0), (2, 1.0), (2, -4.0)];
        assert_eq!(mean_errors(errors.into_iter(), 3), [2.0, 0.0, 2.5]);
    }

    #[test]
    fn the_backup_of_a_sampled_transition_is_of_the_action_that_was_played() {
        let transition = Transition { state: 7, next: 8, action: 3, reward: 0.5, discount: 0.25 };
        let next = Some(Next { state: 8, discount: 0.25 });
        let expected = Backup { row: 0, action: 3, part: Part::Value, reward: 0.5, next };
        let last = Transition { discount: 0.0, ..transition };
        let ends = Backup { row: 1, next: None, ..expected.clone() };
        assert_eq!(sampled(&[transition, last]), [expected, ends]);
    }
}
