//! How linear values and linear controllers see a game: by features of positions and of actions.

use serde::{Deserialize, Serialize};

use super::{Lookahead, MaskKind, Step, actions_of_a_game, offered};
use crate::random::{Draw, Stream};

/// How far a game went.
///
/// It was played to its end, or for as many moves as were allowed.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Its points.
    pub score: f64,
    /// Moves that were played.
    pub moves: u64,
    /// Whether it ended.
    pub is_over: bool,
}

/// Features of positions, for values that are linear in them.
pub trait StateFeatures: Lookahead {
    /// The features' names.
    const NAMES: &'static [&'static str];

    /// The features of a position or an afterstate, in their names' order.
    fn features(state: &Self::State) -> Vec<f64>;

    /// The descriptions of a position, whose value is that of the best.
    ///
    /// Each is as many numbers as there are features, and the first one is the position's features; where it can be
    /// seen in one way only there is no other.
    fn descriptions(state: &Self::State, mut give: impl FnMut(&[f64])) {
        give(&Self::features(state));
    }

    /// Positions from which values are learned.
    ///
    /// By default those in which games of random actions are after some of them.
    fn positions(rules: &Self::Rules, count: usize, stream: &mut Stream) -> Vec<Self::State> {
        let most = match actions_of_a_game::<Self>() {
            0 => 50,
            actions => actions as u32,
        };
        let mut position = || {
            let mut game = Self::new(rules, stream);
            for _ in 0..stream.below(most) {
                let mask = offered::<Self>(&game.state(), MaskKind::default_of::<Self>()).0;
                let action = mask.nth(stream.below(mask.count() as u32) as usize).unwrap_or_default();
                let before = game.clone();
                if game.step(action, stream).terminal {
                    return before.state();
                }
            }
            game.state()
        };
        (0..count).map(|_| position()).collect()
    }
}

/// Features of actions, for linear controllers.
pub trait ActionFeatures: StateFeatures {
    /// The names of an action's features.
    ///
    /// By default they are its points, and the features of its afterstate.
    fn action_names() -> Vec<&'static str> {
        std::iter::once("points").chain(Self::NAMES.iter().copied()).collect()
    }

    /// Whether a feature tells of the action alone, and not of its afterstate.
    ///
    /// A player that looks further adds up what such features say of each action on the way.
    fn is_of_action(feature: usize) -> bool {
        feature == 0
    }

    /// Sets of an action's features: a name, and the features'.
    fn feature_sets() -> Vec<(&'static str, Vec<&'static str>)> {
        Vec::new()
    }

    /// Gives the positions of equal chance that may follow an afterstate.
    ///
    /// It does where the game can tell; by default it gives none.
    fn each_next(_after: &Self::State, _give: impl FnMut(&Self::State)) {}

    /// Gives each action that a controller chooses from, and its features.
    ///
    /// The features are those that are not 0, by their places.
    fn action_features(state: &Self::State, mut give: impl FnMut(usize, &[(usize, f64)])) {
        for action in offered::<Self>(state, MaskKind::default_of::<Self>()).0.iter() {
            let after = Self::after(state, action);
            let features = std::iter::once(f64::from(after.points)).chain(Self::features(&after.state));
            let features: Vec<_> = features.enumerate().filter(|(_, number)| *number != 0.0).collect();
            give(action, &features);
        }
    }

    /// Gives the sum of the weighed features of each action in each position.
    ///
    /// The actions are those that a controller chooses from. `terms` are features by their place in
    /// [`action_names`](Self::action_names), and weights; what is given is the place of the position, the action, and
    /// the sum.
    fn weigh(states: &[Self::State], terms: &[(usize, f64)], mut give: impl FnMut(usize, usize, f64)) {
        let mut weights = vec![0.0; Self::action_names().len()];
        terms.iter().for_each(|(feature, weight)| weights[*feature] += weight);
        for (place, state) in states.iter().enumerate() {
            Self::action_features(state, |action, features| {
                give(place, action, features.iter().map(|(feature, number)| weights[*feature] * number).sum());
            });
        }
    }

    /// The first of the actions with the highest sum of weighed features.
    ///
    /// It is 0 where there is none.
    fn first_best(state: &Self::State, terms: &[(usize, f64)]) -> usize {
        let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
        Self::weigh(std::slice::from_ref(state), terms, |_, action, value| {
            if chosen.is_none() || value > best {
                (best, chosen) = (value, Some(action));
            }
        });
        chosen.unwrap_or(0)
    }

    /// Plays on by a linear controller, as long as `moved` says so.
    ///
    /// Of equal actions it plays the first. After each move `moved` is given the game, which it may exchange for
    /// another that has not ended, the random numbers, the action, and what it brought. It must not weigh moves itself.
    fn drive<D: Draw>(
        game: &mut Self,
        terms: &[(usize, f64)],
        draw: &mut D,
        mut moved: impl FnMut(&mut Self, &mut D, usize, Step) -> bool,
    ) {
        loop {
            let action = Self::first_best(&game.state(), terms);
            let step = game.step(action, draw);
            if !moved(game, draw, action, step) {
                return;
            }
        }
    }

    /// Plays a game by a linear controller, for so many moves at the most.
    ///
    /// It plays at least one.
    fn play_weighed(rules: &Self::Rules, terms: &[(usize, f64)], stream: &mut Stream, most: u64) -> Run {
        let mut game = Self::new(rules, stream);
        let mut moves = 0;
        Self::drive(&mut game, terms, stream, |_, _, _, step| {
            moves += 1;
            moves < most && !step.terminal
        });
        Run { score: f64::from(game.score()), moves, is_over: game.is_over() }
    }
}
