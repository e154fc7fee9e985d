//! The highest values of next states, kept until the target network changes.

use std::collections::HashMap;

/// The target network's highest values of the next states of transitions, as far as they are known.
///
/// Acting finds such a maximum when a game stands in the next state, a target when the transition is sampled first.
/// Nothing is saved, since all is computed anew to the same bits: a state's values do not depend on the batch in which
/// they are computed.
#[derive(Debug)]
pub struct Maxima {
    /// Whether acting and the targets have the same maximum; nothing is kept otherwise.
    kept: bool,
    /// The maxima by the slots of their transitions.
    known: HashMap<usize, f32>,
    /// The games whose last moves made transitions, with the slots of these.
    reached: Vec<(usize, usize)>,
}

impl Maxima {
    /// None known yet.
    pub fn new(kept: bool) -> Self {
        Self { kept, known: HashMap::new(), reached: Vec::new() }
    }

    /// Takes note of a new transition in a slot, which led to where a game stands.
    pub fn enter(&mut self, game: usize, slot: usize) {
        if self.kept {
            self.known.remove(&slot);
            self.reached.push((game, slot));
        }
    }

    /// Keeps the highest values of where the games stand, one a game, or none where nobody looked.
    pub fn reach(&mut self, highest: &[f32]) {
        // A slot's last transition comes last. After the end of a game another one stands there, but counts nothing.
        let reached = std::mem::take(&mut self.reached).into_iter();
        self.known.extend(reached.filter_map(|(game, slot)| Some((slot, *highest.get(game)?))));
    }

    /// The maximum of a slot's transition, if known.
    pub fn get(&self, slot: usize) -> Option<f32> {
        self.known.get(&slot).copied()
    }

    /// Keeps the maximum of a slot's transition.
    pub fn keep(&mut self, slot: usize, maximum: f32) {
        if self.kept {
            self.known.insert(slot, maximum);
        }
    }

    /// Forgets all: the target network has changed.
    pub fn clear(&mut self) {
        *self = Self::new(self.kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(maxima: &Maxima) -> [Option<f32>; 3] {
        [0, 1, 2].map(|slot| maxima.get(slot))
    }

    #[test]
    fn a_maximum_is_kept_until_the_target_network_changes_or_another_transition_comes_into_its_slot() {
        let mut maxima = Maxima::new(true);
        maxima.keep(1, 2.5);
        maxima.keep(0, -1.0);
        assert_eq!(known(&maxima), [Some(-1.0), Some(2.5), None]);
        maxima.enter(0, 1);
        assert_eq!(known(&maxima), [Some(-1.0), None, None]);
        maxima.clear();
        maxima.reach(&[7.0]);
        assert_eq!(known(&maxima), [None; 3]);
    }

    #[test]
    fn the_highest_value_where_a_game_stands_is_kept_with_the_transition_that_led_there() {
        let mut maxima = Maxima::new(true);
        // The second game made none, and the third one's takes the slot of the first one's.
        for (game, slot) in [(0, 2), (2, 2), (3, 0)] {
            maxima.enter(game, slot);
        }
        maxima.reach(&[1.0, 2.0, 4.0, 8.0]);
        assert_eq!(known(&maxima), [Some(8.0), None, Some(4.0)]);
        // Each counts once, and nothing is known where nobody looked.
        maxima.enter(1, 1);
        maxima.reach(&[]);
        maxima.reach(&[3.0; 4]);
        assert_eq!(known(&maxima), [Some(8.0), None, Some(4.0)]);
    }

    #[test]
    fn nothing_is_kept_where_acting_has_another_maximum() {
        let mut maxima = Maxima::new(false);
        maxima.keep(0, 1.0);
        maxima.enter(0, 1);
        maxima.reach(&[2.0]);
        assert_eq!(known(&maxima), [None; 3]);
    }
}
