use std::collections::HashMap;

/// The target network's highest values of next states, kept until that network changes.
///
/// A maximum is computed when acting reaches the state, or when its transition is first sampled.
/// Checkpoints omit maxima, because recomputed ones have the same bits.
#[derive(Debug)]
pub struct Maxima {
    /// Whether acting has the targets' maximum; else nothing is kept.
    kept: bool,
    by_slot: HashMap<usize, f32>,
    /// Transitions that led to games' present states, as game and slot.
    reached: Vec<(usize, usize)>,
}

impl Maxima {
    pub fn new(kept: bool) -> Self {
        Self { kept, by_slot: HashMap::new(), reached: Vec::new() }
    }

    /// Whether acting has the targets' maximum.
    pub fn are_kept(&self) -> bool {
        self.kept
    }

    /// Records that a transition in a slot led to a game's present state.
    pub fn add_transition(&mut self, game: usize, slot: usize) {
        if self.kept {
            self.by_slot.remove(&slot);
            self.reached.push((game, slot));
        }
    }

    /// Keeps the highest values of the present states, one per game.
    pub fn keep_reached(&mut self, highest: &[f32]) {
        // After a game's end, the state is a new game's; the transition's discount is 0.
        let reached = std::mem::take(&mut self.reached).into_iter();
        self.by_slot.extend(reached.filter_map(|(game, slot)| Some((slot, *highest.get(game)?))));
    }

    pub fn get(&self, slot: usize) -> Option<f32> {
        self.by_slot.get(&slot).copied()
    }

    pub fn keep(&mut self, slot: usize, maximum: f32) {
        if self.kept {
            self.by_slot.insert(slot, maximum);
        }
    }

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
        maxima.add_transition(0, 1);
        assert_eq!(known(&maxima), [Some(-1.0), None, None]);
        maxima.clear();
        maxima.keep_reached(&[7.0]);
        assert_eq!(known(&maxima), [None; 3]);
    }

    #[test]
    fn the_highest_value_where_a_game_stands_is_kept_with_the_transition_that_led_there() {
        let mut maxima = Maxima::new(true);
        // Game 1 made no transition; game 2's takes the slot of game 0's.
        for (game, slot) in [(0, 2), (2, 2), (3, 0)] {
            maxima.add_transition(game, slot);
        }
        maxima.keep_reached(&[1.0, 2.0, 4.0, 8.0]);
        assert_eq!(known(&maxima), [Some(8.0), None, Some(4.0)]);
        // A transition counts once.
        maxima.add_transition(1, 1);
        maxima.keep_reached(&[]);
        maxima.keep_reached(&[3.0; 4]);
        assert_eq!(known(&maxima), [Some(8.0), None, Some(4.0)]);
    }

    #[test]
    fn nothing_is_kept_where_acting_has_another_maximum() {
        let mut maxima = Maxima::new(false);
        maxima.keep(0, 1.0);
        maxima.add_transition(0, 1);
        maxima.keep_reached(&[2.0]);
        assert_eq!(known(&maxima), [None; 3]);
    }
}
