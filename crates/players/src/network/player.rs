use matchq_core::pool;

use super::{Backend, Evaluator, Model, PLAN_SHARE};
use crate::contract::{Meaning, Measured, Player, Scale, Valued, sorted};
use matchq_core::error::{Error, Result};
use matchq_core::random::{Draw, Stream};
use matchq_games::{ActionMask, Image, offered};

/// Fewest states in a task of another thread.
const TASK: usize = 8;

/// Plays the action of the mask with the network's highest value, at random among equal ones.
pub struct NetworkPlayer<G: Image> {
    name: String,
    /// The network's values of actions.
    pub evaluator: Evaluator<G>,
    /// Points of one unit of the network.
    points: f64,
    /// Number of valued actions, by the highest priors, besides ties with the last; 0 for all.
    pub top: usize,
    /// Whether the network learned relative values.
    relative: bool,
}

impl<G: Image> NetworkPlayer<G> {
    /// The player of an evaluator whose unit is a point.
    pub fn new(evaluator: Evaluator<G>) -> Self {
        Self { name: "network".into(), evaluator, points: 1.0, top: 0, relative: false }
    }

    /// The player of a model, with at most `batch` boards in one forward pass. Plans by the model's
    /// predictions have the [recommended](PLAN_SHARE) share in its values.
    pub fn of(model: &Model, batch: usize, backend: &dyn Backend) -> Result<Self>
    where
        G: Measured,
    {
        let shape = model.shape::<G>();
        let mut evaluator = Evaluator::new(backend.network(&shape, &model.weights)?, shape, batch);
        if evaluator.can_plan() {
            evaluator.plan_share = PLAN_SHARE;
        }
        // No training takes relative values where games may end early, and older files do not say so.
        let relative = model.config.relative && !G::MAY_END_EARLY;
        Ok(Self { points: model.config.points, relative, ..Self::new(evaluator) })
    }

    /// Sets the name in results.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Valued actions, and whether a wider mask is offered since the network's is empty: networks
    /// hardly saw such positions, so all actions are valued.
    fn offered(&self, states: &[G::State]) -> Vec<(ActionMask, bool)> {
        let (view, top) = (self.evaluator.view(), self.top);
        let offered = |state: &G::State| match offered::<G>(state, view.mask) {
            (mask, true) => (mask, true),
            (mask, false) => (view.top::<G>(state, mask, top), false),
        };
        pool::map(states.len(), TASK, |index| offered(&states[index]))
    }

    /// The mask's actions with their points, best first, and whether the network is undecided: then
    /// all values are 0, and a random action is first.
    pub fn rank_if_decided(&mut self, state: &G::State, ties: &mut Stream) -> Result<(Vec<Valued>, bool)> {
        let (mask, undecided) = self.offered(&[*state])[0];
        let values = checked(self.evaluator.values_of(&[*state], &[mask])?)?.to_vec();
        let chosen = Self::choice(&values, mask, undecided, ties);
        let value = |action: usize| if undecided { 0.0 } else { f64::from(values[action]) * self.points };
        let valued = |action| Valued::new(action, value(action));
        Ok((sorted(mask.iter().map(valued).collect(), chosen), undecided))
    }

    fn choice(values: &[f32], mask: ActionMask, undecided: bool, ties: &mut Stream) -> usize {
        let best = argmax(values, &mask);
        let equal = match undecided {
            true => mask,
            false => mask.iter().filter(|action| values[*action] == values[best]).collect(),
        };
        match equal.count() {
            0 | 1 => best,
            count => equal.nth(ties.below(count as u32) as usize).unwrap_or(best),
        }
    }
}

/// Refuses values with which no player and no search can compute.
fn checked(values: &[f32]) -> Result<&[f32]> {
    match values.iter().find(|value| value.is_nan() || value.abs() >= 1e30) {
        None => Ok(values),
        Some(value) => Err(Error::user(format!(
            "the network's value of a move is {value}: its weights are those of no agent that can play"
        ))),
    }
}

impl<G: Image> Player<G> for NetworkPlayer<G> {
    fn has_network(&self) -> bool {
        true
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>> {
        let offered = self.offered(states);
        let masks: Vec<ActionMask> = offered.iter().map(|(mask, _)| *mask).collect();
        let values = checked(self.evaluator.values_of(states, &masks)?)?;
        let rows = values.chunks_exact(G::ACTIONS).zip(offered).zip(ties);
        let chosen = rows.map(|((values, (mask, undecided)), ties)| Self::choice(values, mask, undecided, ties));
        Ok(chosen.collect())
    }

    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<Valued>> {
        Ok(self.rank_if_decided(state, ties)?.0)
    }

    fn meaning(&self) -> Meaning {
        match self.relative {
            false => {
                Meaning::points("what the network expects of the move and of those after it, later ones counting less")
            }
            true => Meaning {
                scale: Scale::Relative,
                about:
                    "relative to an average future: the points of the move, plus those that the network expects after \
                        it, later ones counting less, minus those that it expects on average"
                        .into(),
            },
        }
    }
}

/// Action of the mask with the highest value, the first of equal ones; NaN loses to any number.
pub fn argmax(values: &[f32], mask: &ActionMask) -> usize {
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
        assert_eq!(argmax(&values, &mask(&[0, 1, 2, 3, 4])), 0);
        assert_eq!(argmax(&values, &mask(&[1, 2, 3, 4])), 2);
        assert_eq!(argmax(&values, &mask(&[3, 4])), 3);
        assert_eq!(argmax(&values, &mask(&[1, 4])), 1);
        assert_eq!(argmax(&[f32::NEG_INFINITY; 3], &mask(&[1, 2])), 1);
    }

    #[test]
    fn a_value_that_is_no_number_is_chosen_only_where_no_other_is_one() {
        let values = [f32::NAN, -5.0, f32::NAN, -4.0];
        assert_eq!(argmax(&values, &mask(&[0, 1, 2])), 1);
        assert_eq!(argmax(&values, &mask(&[0, 1, 2, 3])), 3);
        assert!([0, 2].contains(&argmax(&values, &mask(&[0, 2]))));
    }
}
