use super::{Lookahead, MaskKind, actions_of_a_game, offered};
use crate::random::{Draw, Stream};

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
/// and `lspi`. The defaults fit any game; [`weighed`](super::weighed) finds the best action by
/// weights.
pub trait ActionFeatures: StateFeatures {
    /// Names of an action's features, by default its points and its afterstate's features.
    fn action_names() -> Vec<&'static str> {
        std::iter::once("points").chain(Self::NAMES.iter().copied()).collect()
    }

    /// Gives each action of a mask, by default the default one, and its features that are not 0, by
    /// their indices in [`action_names`](Self::action_names).
    fn action_features(state: &Self::State, mut give: impl FnMut(usize, &[(usize, f64)])) {
        for action in offered::<Self>(state, MaskKind::default_of::<Self>()).0.iter() {
            let after = Self::after(state, action);
            let features = std::iter::once(f64::from(after.points)).chain(Self::features(&after.state));
            let features: Vec<_> = features.enumerate().filter(|(_, number)| *number != 0.0).collect();
            give(action, &features);
        }
    }
}
