//! Transitions over several moves.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::replay::Transition;
use crate::games::{Lookahead, Outcome};

/// Turns the last moves of one game into transitions over n moves.
///
/// The end of a game makes shorter ones. (Sutton 1988; in DQN: Hessel et al. 2018,
/// <https://arxiv.org/abs/1710.02298>.)
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct NStep<G: Lookahead> {
    n: usize,
    discount: f32,
    pending: VecDeque<Pending<G::State>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pending<S> {
    state: S,
    action: u16,
    /// Discounted sum of the rewards so far.
    reward: f32,
    /// Discount of the next reward.
    discount: f32,
}

impl<G: Lookahead> NStep<G> {
    /// An empty collector.
    pub fn new(n: usize, discount: f32) -> Self {
        Self { n, discount, pending: VecDeque::with_capacity(n) }
    }

    /// Whether a saved state fits `n` and `discount`.
    pub fn fits(&self, n: usize, discount: f32) -> bool {
        let known =
            |pending: &Pending<G::State>| usize::from(pending.action) < G::ACTIONS && G::is_whole(&pending.state);
        let actions = self.pending.iter().all(known);
        self.n == n && self.discount == discount && self.pending.len() < n && actions
    }

    /// Takes a move, its scaled reward and its outcome; passes finished transitions to `store`.
    pub fn push(
        &mut self,
        state: G::State,
        action: usize,
        reward: f32,
        outcome: &Outcome<G::State>,
        mut store: impl FnMut(Transition<G::State>),
    ) {
        self.pending.push_back(Pending { state, action: action as u16, reward: 0.0, discount: 1.0 });
        for pending in &mut self.pending {
            pending.reward += pending.discount * reward;
            pending.discount *= self.discount;
        }
        while outcome.terminal || self.pending.len() == self.n {
            let Some(first) = self.pending.pop_front() else {
                break;
            };
            store(Transition {
                state: first.state,
                next: outcome.next,
                action: first.action,
                reward: first.reward,
                discount: if outcome.terminal { 0.0 } else { first.discount },
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::match3::State;
    use crate::games::{Game, Match3};

    /// Position before move `number`.
    fn state(number: i64) -> State {
        State::new(&"########\n".repeat(10), 25 - number).unwrap()
    }

    /// Transitions stored after each move; move k is action k and may end the game if last.
    fn stored(n: usize, discount: f32, rewards: &[f32], terminal: bool) -> Vec<Vec<Transition<State>>> {
        let mut collector = NStep::<Match3>::new(n, discount);
        let mut push = |number: usize| {
            let mut stored = vec![];
            let outcome = Outcome {
                reward: f32::NAN, // Only the scaled reward counts.
                terminal: terminal && number + 1 == rewards.len(),
                next: state(number as i64 + 1),
                score: None,
            };
            collector
                .push(state(number as i64), number, rewards[number], &outcome, |transition| stored.push(transition));
            stored
        };
        (0..rewards.len()).map(&mut push).collect()
    }

    fn transition(from: i64, to: i64, reward: f32, discount: f32) -> Transition<State> {
        Transition { state: state(from), next: state(to), action: from as u16, reward, discount }
    }

    #[test]
    fn one_step_stores_each_move_as_it_is() {
        let expected = [vec![transition(0, 1, 3.0, 0.5)], vec![transition(1, 2, -1.0, 0.0)]];
        assert_eq!(stored(1, 0.5, &[3.0, -1.0], true), expected);
    }

    #[test]
    fn several_steps_sum_the_discounted_rewards_and_look_as_far_ahead() {
        // 1 + 2/2 + 4/4 = 3, then 2 + 4/2 + 8/4 = 6; the discount is (1/2)^3.
        let expected = [vec![], vec![], vec![transition(0, 3, 3.0, 0.125)], vec![transition(1, 4, 6.0, 0.125)]];
        assert_eq!(stored(3, 0.5, &[1.0, 2.0, 4.0, 8.0], false), expected);
    }

    #[test]
    fn the_end_of_a_game_stores_all_that_is_pending_and_nothing_stands_behind_it() {
        let at_the_end = vec![transition(0, 3, 3.0, 0.0), transition(1, 3, 4.0, 0.0), transition(2, 3, 4.0, 0.0)];
        assert_eq!(stored(3, 0.5, &[1.0, 2.0, 4.0], true), [vec![], vec![], at_the_end]);
        // A game shorter than n.
        let at_the_end = vec![transition(0, 2, 2.0, 0.0), transition(1, 2, 2.0, 0.0)];
        assert_eq!(stored(5, 0.5, &[1.0, 2.0], true), [vec![], at_the_end]);
    }

    #[test]
    fn a_new_game_owes_nothing_to_the_one_before() {
        let mut collector = NStep::<Match3>::new(2, 0.5);
        let mut stored = vec![];
        for (reward, terminal) in [(1.0, false), (2.0, true), (4.0, false), (8.0, false)] {
            let outcome = Outcome { reward, terminal, next: state(1), score: None };
            collector.push(state(0), 0, reward, &outcome, |transition| stored.push(transition.reward));
        }
        assert_eq!(stored, [2.0, 2.0, 8.0]);
    }

    #[test]
    fn saved_pending_moves_fit_their_keys_and_game() {
        let outcome = Outcome { reward: 1.0, terminal: false, next: state(1), score: None };
        let pending = |state: State, action: usize| {
            let mut collector = NStep::<Match3>::new(3, 0.5);
            collector.push(state, action, 1.0, &outcome, |_| {});
            collector
        };
        let whole = pending(state(0), Match3::ACTIONS - 1);
        assert!(NStep::<Match3>::new(1, 0.5).fits(1, 0.5) && whole.fits(3, 0.5));
        assert!(!whole.fits(2, 0.5) && !whole.fits(3, 0.25) && !whole.fits(4, 0.5));
        assert!(!NStep { n: 1, ..whole.clone() }.fits(1, 0.5), "a move that would have been stored");
        assert!(!pending(state(0), Match3::ACTIONS).fits(3, 0.5));
        // A match leaves tokens that are not known.
        let board = State::new(&format!("{}aab#####\n##a#####\n########\n", "########\n".repeat(7)), 25).unwrap();
        let unknown =
            (0..Match3::ACTIONS).map(|action| Match3::after(&board, action).state).find(|it| !Match3::is_whole(it));
        assert!(!pending(unknown.unwrap(), 0).fits(3, 0.5), "a token that no board has");
    }
}
