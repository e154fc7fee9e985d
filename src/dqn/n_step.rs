//! Transitions over n moves: the discounted sum of n rewards, and the state behind them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::replay::Transition;
use crate::games::{Game, Outcome};

/// Collects the last moves of one game into transitions over n moves (Sutton 1988; in DQN: Hessel et al. 2018,
/// <https://arxiv.org/abs/1710.02298>). At the end of a game the shorter rests are transitions too.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct NStep<G: Game> {
    n: usize,
    discount: f32,
    pending: VecDeque<Pending<G::State>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pending<S> {
    state: S,
    action: u16,
    /// The discounted sum of the rewards so far.
    reward: f32,
    /// The discount of the next reward.
    discount: f32,
}

impl<G: Game> NStep<G> {
    /// Transitions over `n` moves under a discount per move.
    pub fn new(n: usize, discount: f32) -> Self {
        Self { n, discount, pending: VecDeque::with_capacity(n) }
    }

    /// Takes a move and what it brought, with the reward already scaled; hands finished transitions to `store`.
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
