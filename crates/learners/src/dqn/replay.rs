//! The replay memory.

use serde::{Deserialize, Serialize};

use super::super::sections::{Checked, between, share};
use super::prioritised::Priorities;
pub use super::prioritised::Sample;
use crate::random::{Draw, Stream};

sections! {
    /// Configuration of the memory: section `[replay]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `capacity` | 16,000 | `learning.batch` to 2^28 | Maximum of transitions; a new one replaces the oldest. |
    /// | `prioritised` | false |  | Whether transitions are sampled by their last error instead of uniformly. |
    /// | `priority_exponent` | 0.6 | 0 to 1 | Exponent of the error in the priority; 0 is uniform. |
    /// | `importance_exponent` | 0.4 | 0 to 1 | Initial exponent of the importance weights, which rises linearly to 1. |
    pub struct ReplayConfig {
        /// Maximum of transitions; a new one replaces the oldest.
        pub capacity: usize = 16_000,
        /// Sample by last error instead of uniformly (Schaul et al. 2016,
        /// <https://arxiv.org/abs/1511.05952>).
        pub prioritised: bool = false,
        /// Exponent of the error in the priority; 0 is uniform.
        pub priority_exponent: f64 = 0.6,
        /// Initial exponent of the importance weights; rises linearly to 1.
        pub importance_exponent: f64 = 0.4,
    }
}

impl ReplayConfig {
    pub(super) fn check(&self) -> Checked {
        between("replay.capacity", self.capacity, 1..=1 << 28)?;
        share("replay.priority_exponent", self.priority_exponent)?;
        share("replay.importance_exponent", self.importance_exponent)
    }

    /// Exponent of the importance weights after a share `progress` of the training.
    pub fn importance(&self, progress: f64) -> f64 {
        self.importance_exponent + (1.0 - self.importance_exponent) * progress
    }
}

/// A transition over one or more moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition<S> {
    /// State before the action.
    pub state: S,
    /// State after the last move.
    pub next: S,
    /// Action taken.
    pub action: u16,
    /// Discounted sum of the scaled rewards.
    pub reward: f32,
    /// Discount of the next value; 0 at a game's end.
    pub discount: f32,
}

/// Ring of transitions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay<S> {
    capacity: usize,
    transitions: Vec<Transition<S>>,
    head: usize,
    priorities: Option<Priorities>,
}

impl<S: Copy> Replay<S> {
    /// An empty memory.
    pub fn new(config: &ReplayConfig) -> Self {
        let priorities = config.prioritised.then(|| Priorities::new(config.capacity, config.priority_exponent as f32));
        Self { capacity: config.capacity, transitions: Vec::new(), head: 0, priorities }
    }

    /// Whether a saved memory fits `config` and a game of `actions` actions.
    pub fn fits(&self, config: &ReplayConfig, actions: usize) -> bool {
        let len = self.transitions.len();
        let head = if len < self.capacity { self.head == len } else { self.head < len };
        let priorities = match &self.priorities {
            Some(priorities) => {
                config.prioritised && priorities.fits(config.capacity, config.priority_exponent as f32, len)
            }
            None => !config.prioritised,
        };
        let actions = self.transitions.iter().all(|transition| usize::from(transition.action) < actions);
        self.capacity == config.capacity && len <= self.capacity && head && priorities && actions
    }

    /// Transitions in the memory.
    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// Whether the memory is empty.
    pub fn is_empty(&self) -> bool {
        self.transitions.is_empty()
    }

    /// Whether errors decide what is sampled.
    pub fn is_prioritised(&self) -> bool {
        self.priorities.is_some()
    }

    /// The transition in a slot.
    ///
    /// # Panics
    /// When the slot is empty.
    pub fn get(&self, slot: usize) -> &Transition<S> {
        &self.transitions[slot]
    }

    /// Adds a transition, replacing the oldest if full; returns its slot.
    pub fn push(&mut self, transition: Transition<S>) -> usize {
        let slot = self.head;
        if self.transitions.len() < self.capacity {
            self.transitions.push(transition);
        } else {
            self.transitions[self.head] = transition;
        }
        if let Some(priorities) = &mut self.priorities {
            priorities.enter(self.head);
        }
        self.head = (self.head + 1) % self.capacity;
        slot
    }

    /// Draws with replacement; the memory must not be empty.
    pub fn sample(&self, count: usize, importance_exponent: f64, stream: &mut Stream) -> Sample {
        match &self.priorities {
            Some(priorities) => priorities.sample(count, importance_exponent, stream),
            None => {
                let len = self.len();
                let slots = (0..count).map(|_| stream.below(len as u32) as usize).collect();
                Sample { slots, weights: vec![1.0; count] }
            }
        }
    }

    /// Sets priorities by errors.
    pub fn set_errors(&mut self, slots: &[usize], errors: &[f32]) {
        if let Some(priorities) = &mut self.priorities {
            slots.iter().zip(errors).for_each(|(slot, error)| priorities.set_error(*slot, *error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Role;

    fn transition(number: u16) -> Transition<u16> {
        Transition { state: number, next: number + 1, action: 0, reward: 0.0, discount: 0.0 }
    }

    fn replay(capacity: usize, prioritised: bool) -> Replay<u16> {
        let config = ReplayConfig { capacity, prioritised, priority_exponent: 1.0, ..ReplayConfig::default() };
        Replay::new(&config)
    }

    fn fill(replay: &mut Replay<u16>, numbers: std::ops::Range<u16>) {
        for number in numbers {
            replay.push(transition(number));
        }
    }

    #[test]
    fn a_transition_of_match3_with_its_priority_takes_at_most_100_bytes() {
        let transition = std::mem::size_of::<Transition<crate::games::match3::State>>();
        // At most four nodes per slot: a tree has two, and rounding up may double the capacity.
        let priority = 4 * std::mem::size_of::<f32>();
        assert!(transition + priority <= 100, "{transition} + {priority}");
    }

    #[test]
    fn the_oldest_transition_gives_way() {
        let mut replay = replay(3, false);
        fill(&mut replay, 0..5);
        let mut kept: Vec<u16> = (0..3).map(|slot| replay.get(slot).state).collect();
        kept.sort_unstable();
        assert_eq!((replay.len(), kept), (3, vec![2, 3, 4]));
    }

    #[test]
    fn uniform_sampling_takes_every_slot_equally_often_with_weight_one() {
        let mut replay = replay(4, false);
        fill(&mut replay, 0..4);
        let sample = replay.sample(8_000, 1.0, &mut Stream::new(0, Role::Sample, 0));
        assert!(sample.weights.iter().all(|weight| *weight == 1.0));
        for slot in 0..4 {
            let count = sample.slots.iter().filter(|known| **known == slot).count() as i32;
            assert!((count - 2_000).abs() < 240, "slot {slot}: {count}");
        }
    }

    #[test]
    fn sampling_by_priority_is_proportional_and_the_weights_undo_it() {
        let mut replay = replay(4, true);
        fill(&mut replay, 0..4);
        replay.set_errors(&[0, 1, 2, 3], &[1.0, -2.0, 4.0, 1.0]);
        let sample = replay.sample(8_000, 1.0, &mut Stream::new(0, Role::Sample, 0));
        for (slot, priority) in [1.001, 2.001, 4.001, 1.001].into_iter().enumerate() {
            let count = sample.slots.iter().filter(|known| **known == slot).count() as f32;
            assert!((count - 8_000.0 * priority / 8.004).abs() < 240.0, "slot {slot}: {count}");
            // The rarest slots have weight 1, others less in inverse proportion.
            let place = sample.slots.iter().position(|known| *known == slot).unwrap();
            assert!((sample.weights[place] - 1.001 / priority).abs() < 1e-5);
        }
    }

    #[test]
    fn a_new_transition_has_the_highest_priority_so_far() {
        let mut replay = replay(2, true);
        replay.push(transition(0));
        replay.set_errors(&[0], &[9.0]);
        replay.set_errors(&[0], &[0.5]);
        replay.push(transition(1));
        let sample = replay.sample(1_000, 0.0, &mut Stream::new(0, Role::Sample, 0));
        let new = sample.slots.iter().filter(|slot| **slot == 1).count();
        assert!(new > 900, "{new}");
        assert!(sample.weights.iter().all(|weight| *weight == 1.0));
    }

    #[test]
    fn an_error_that_is_no_number_changes_no_priority() {
        let mut replay = replay(2, true);
        replay.push(transition(0));
        let before = replay.clone();
        replay.set_errors(&[0], &[f32::NAN]);
        assert_eq!(replay, before);
    }

    #[test]
    fn importance_rises_from_its_exponent_to_one() {
        let config = ReplayConfig { importance_exponent: 0.4, ..ReplayConfig::default() };
        for (progress, exponent) in [(0.0, 0.4), (0.5, 0.7), (1.0, 1.0)] {
            assert!((config.importance(progress) - exponent).abs() < 1e-12, "{progress}");
        }
    }

    #[test]
    fn keys_of_a_memory_have_their_ranges() {
        let of = |capacity, priority_exponent, importance_exponent| {
            let config = ReplayConfig { capacity, priority_exponent, importance_exponent, prioritised: true };
            config.check().err().map(|error| error.key)
        };
        assert_eq!([of(1, 0.0, 1.0), of(1 << 28, 1.0, 0.0)], [None, None]);
        for (refused, key) in [
            (of(0, 0.5, 0.5), "replay.capacity"),
            (of((1 << 28) + 1, 0.5, 0.5), "replay.capacity"),
            (of(1, 1.1, 0.5), "replay.priority_exponent"),
            (of(1, 0.5, f64::NAN), "replay.importance_exponent"),
        ] {
            assert_eq!(refused.as_deref(), Some(key));
        }
    }

    #[test]
    fn a_saved_memory_fits_its_own_keys_and_the_actions_of_its_game() {
        let config = |capacity, prioritised| ReplayConfig {
            capacity,
            prioritised,
            priority_exponent: 1.0,
            ..ReplayConfig::default()
        };
        for prioritised in [false, true] {
            let own = config(4, prioritised);
            for count in 0..7 {
                let mut replay = replay(4, prioritised);
                assert!(replay.is_empty() && replay.is_prioritised() == prioritised);
                fill(&mut replay, 0..count);
                assert_eq!(replay.is_empty(), count == 0);
                assert!(replay.fits(&own, 1), "{count}");
                assert!(!replay.fits(&config(5, prioritised), 1) && !replay.fits(&config(4, !prioritised), 1));
                assert_eq!(replay.fits(&own, 0), count == 0, "action 0 is none of no actions");
                // The next place is behind the last transition, or anywhere in a full memory.
                let places: Vec<usize> =
                    (0..6).filter(|head| Replay { head: *head, ..replay.clone() }.fits(&own, 1)).collect();
                assert_eq!(places, if count < 4 { vec![usize::from(count)] } else { vec![0, 1, 2, 3] });
            }
        }
        let longer = Replay { transitions: vec![transition(0); 5], ..replay(4, false) };
        assert!(!longer.fits(&config(4, false), 1));
        let mut replay = replay(4, true);
        fill(&mut replay, 0..2);
        replay.transitions.push(transition(2));
        replay.head = 3;
        assert!(!replay.fits(&config(4, true), 1), "a transition without a priority");
    }
}
