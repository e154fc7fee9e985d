use serde::{Deserialize, Serialize};

use super::{Lookahead, MaskKind, Step, actions_of_a_game, offered};
use crate::random::{Draw, Stream};

/// A game played to its end or for a number of moves.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Run {
    pub score: f64,
    /// Moves played.
    pub moves: u64,
    /// Whether the game ended.
    pub is_over: bool,
}

/// A position as a few numbers, for the player `value` and the learner `fitted`.
pub trait StateFeatures: Lookahead {
    /// Names of the features.
    const NAMES: &'static [&'static str];

    /// Features of a position or an afterstate, in the order of [`NAMES`](Self::NAMES).
    fn features(state: &Self::State) -> Vec<f64>;

    /// Gives each description of a position, [`features`](Self::features) first, by default alone.
    /// The best description gives the position's value.
    fn descriptions(state: &Self::State, mut give: impl FnMut(&[f64])) {
        give(&Self::features(state));
    }

    /// Positions to learn values from, by default of random games.
    fn positions(rules: &Self::Rules, count: usize, stream: &mut Stream) -> Vec<Self::State> {
        let most = match actions_of_a_game::<Self>(&Default::default()) {
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

/// An action as a few numbers, for the player `linear` and the learners `evolution`, `imitation`
/// and `lspi`. The defaults fit any game.
///
/// An action's value is the sum of features times weights; `terms` are pairs of a feature's place
/// in [`action_names`](Self::action_names) and its weight.
pub trait ActionFeatures: StateFeatures {
    /// Names of an action's features, by default its points and its afterstate's features.
    fn action_names() -> Vec<&'static str> {
        std::iter::once("points").chain(Self::NAMES.iter().copied()).collect()
    }

    /// Whether a feature describes the action itself, not its afterstate; plans sum up such
    /// features.
    fn is_of_action(feature: usize) -> bool {
        feature == 0
    }

    /// Named sets of an action's features for configurations.
    fn feature_sets() -> Vec<(&'static str, Vec<&'static str>)> {
        Vec::new()
    }

    /// Gives the equally probable positions after an afterstate; by default none.
    fn each_next(_after: &Self::State, _give: impl FnMut(&Self::State)) {}

    /// Gives each action of a mask, by default the default one, and its features that are not 0, by
    /// place.
    fn action_features(state: &Self::State, mut give: impl FnMut(usize, &[(usize, f64)])) {
        for action in offered::<Self>(state, MaskKind::default_of::<Self>()).0.iter() {
            let after = Self::after(state, action);
            let features = std::iter::once(f64::from(after.points)).chain(Self::features(&after.state));
            let features: Vec<_> = features.enumerate().filter(|(_, number)| *number != 0.0).collect();
            give(action, &features);
        }
    }

    /// Gives each position's place in `states`, its actions and their values.
    fn weigh(states: &[Self::State], terms: &[(usize, f64)], mut give: impl FnMut(usize, usize, f64)) {
        let mut weights = vec![0.0; Self::action_names().len()];
        terms.iter().for_each(|(feature, weight)| weights[*feature] += weight);
        for (place, state) in states.iter().enumerate() {
            Self::action_features(state, |action, features| {
                give(place, action, features.iter().map(|(feature, number)| weights[*feature] * number).sum());
            });
        }
    }

    /// First action of the highest value; 0 if there is none.
    fn first_best(state: &Self::State, terms: &[(usize, f64)]) -> usize {
        let (mut best, mut chosen) = (f64::NEG_INFINITY, None);
        Self::weigh(std::slice::from_ref(state), terms, |_, action, value| {
            if chosen.is_none() || value > best {
                (best, chosen) = (value, Some(action));
            }
        });
        chosen.unwrap_or(0)
    }

    /// Plays the first action of the highest value until `moved` returns false.
    ///
    /// `moved` gets the game, the random numbers, the action and its outcome. `moved` may put
    /// another unfinished game in place, but must not call [`weigh`](Self::weigh).
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

    /// Plays a game by the actions of the highest value, from one to `most` moves.
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
