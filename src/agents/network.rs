//! The network player: one forward pass a move, and the best action in the mask.

use super::Agent;
use crate::error::Result;
use crate::games::{ActionMask, Game, MaskKind};
use crate::network::Evaluator;
use crate::random::Stream;

/// Plays greedily by a network's action values.
pub struct NetworkPlayer<G: Game> {
    name: String,
    evaluator: Evaluator<G>,
    mask: MaskKind,
}

impl<G: Game> NetworkPlayer<G> {
    /// A player by the values of an evaluator.
    pub fn new(evaluator: Evaluator<G>, mask: MaskKind) -> Self {
        Self { name: "network".into(), evaluator, mask }
    }

    /// The same player, called by another name in results.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Chooses an action in each state by `choose`, which is given its action values and its mask.
    ///
    /// # Errors
    /// When the device fails.
    pub fn act_by(
        &mut self,
        states: &[G::State],
        mut choose: impl FnMut(&[f32], &ActionMask) -> usize,
    ) -> Result<Vec<usize>> {
        let mask = self.mask;
        let values = self.evaluator.values(states)?;
        let choose = |(values, state)| choose(values, &G::mask(state, mask));
        Ok(values.chunks_exact(G::ACTIONS).zip(states).map(choose).collect())
    }
}

impl<G: Game> Agent<G> for NetworkPlayer<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn act(&mut self, states: &[G::State], _ties: &mut [Stream]) -> Result<Vec<usize>> {
        self.act_by(states, greedy)
    }
}

/// The action of the mask with the highest value: the first of equal ones, and never a value that is no number while
/// another is one.
pub fn greedy(values: &[f32], mask: &ActionMask) -> usize {
    let better = |best: usize, action: usize| match values[action] > values[best] || values[best].is_nan() {
        true => action,
        false => best,
    };
    mask.iter().reduce(better).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(actions: &[usize]) -> ActionMask {
        actions.iter().copied().collect()
    }

    #[test]
    fn the_best_action_of_the_mask_is_chosen_and_the_first_of_equal_ones() {
        let values = [9.0, -2.0, 3.0, 3.0, -7.0];
        assert_eq!(greedy(&values, &mask(&[0, 1, 2, 3, 4])), 0);
        assert_eq!(greedy(&values, &mask(&[1, 2, 3, 4])), 2);
        assert_eq!(greedy(&values, &mask(&[3, 4])), 3);
        assert_eq!(greedy(&values, &mask(&[1, 4])), 1);
        assert_eq!(greedy(&[f32::NEG_INFINITY; 3], &mask(&[1, 2])), 1);
    }

    #[test]
    fn a_value_that_is_no_number_is_chosen_only_where_no_other_is_one() {
        let values = [f32::NAN, -5.0, f32::NAN, -4.0];
        assert_eq!(greedy(&values, &mask(&[0, 1, 2])), 1);
        assert_eq!(greedy(&values, &mask(&[0, 1, 2, 3])), 3);
        assert!([0, 2].contains(&greedy(&values, &mask(&[0, 2]))));
    }
}
