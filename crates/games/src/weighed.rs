//! Actions by their weighted sums: features of [`ActionFeatures`] times weights.
//!
//! `terms` are pairs of a feature's index in [`ActionFeatures::action_names`] and its weight.

use serde::{Deserialize, Serialize};

use super::ActionFeatures;
use crate::random::Stream;

/// A game played to its end or for a number of moves.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Score of the game when it was left.
    pub score: f64,
    /// Moves played.
    pub moves: u64,
    /// Whether the game ended.
    pub is_over: bool,
}

/// Gives each position's index in `states`, its actions and their weighted sums.
pub fn each<G: ActionFeatures>(states: &[G::State], terms: &[(usize, f64)], mut give: impl FnMut(usize, usize, f64)) {
    if let Some(pieces) = G::PIECES {
        return pieces.weigh(states, terms, &mut |index, sums| {
            sums.iter().for_each(|(action, sum)| give(index, *action, *sum));
        });
    }
    let mut weights = vec![0.0; G::action_names().len()];
    terms.iter().for_each(|(feature, weight)| weights[*feature] += weight);
    for (index, state) in states.iter().enumerate() {
        G::action_features(state, |action, features| {
            give(index, action, features.iter().map(|(feature, number)| weights[*feature] * number).sum());
        });
    }
}

/// First action of the highest weighted sum in a position; 0 if there is none.
pub fn first_best<G: ActionFeatures>(state: &G::State, terms: &[(usize, f64)]) -> usize {
    let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
    each::<G>(std::slice::from_ref(state), terms, |_, action, sum| {
        if chosen.is_none() || sum > best {
            (best, chosen) = (sum, Some(action));
        }
    });
    chosen.unwrap_or(0)
}

/// Gives the [first best](first_best) action of the game to `play` until `play` returns false.
///
/// `play` plays the action. `play` may put another unfinished game in place, but must not weigh
/// actions itself.
pub fn drive<G: ActionFeatures>(game: &mut G, terms: &[(usize, f64)], mut play: impl FnMut(&mut G, usize) -> bool) {
    match G::PIECES {
        Some(pieces) => pieces.drive(game, terms, &mut play),
        None => while play(game, first_best::<G>(&game.state(), terms)) {},
    }
}

/// Plays a new game by the actions of the highest weighted sum, from one to `most` moves.
pub fn play<G: ActionFeatures>(rules: &G::Rules, terms: &[(usize, f64)], stream: &mut Stream, most: u64) -> Run {
    let mut game = G::new(rules, stream);
    let mut moves = 0;
    drive(&mut game, terms, |game, action| {
        moves += 1;
        !game.step(action, stream).terminal && moves < most
    });
    Run { score: f64::from(game.score()), moves, is_over: game.is_over() }
}
