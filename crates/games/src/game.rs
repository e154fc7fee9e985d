use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{ActionMask, Mask, MaskKind};
use crate::random::{Draw, Role, SeededDraw, Stream};

/// What a move brought.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// Points of the move.
    pub reward: f32,
    /// Whether the game is over.
    pub terminal: bool,
    /// Waves of the move's chain, 0 for a move that cleared nothing; in games without chains always 0,
    /// or 1 for a move that gains.
    pub waves: u32,
}

/// A game for one player: deals, numbered actions, score.
///
/// A [`State`](Self::State) is all that a player may know of a position; the game holds its state,
/// score and rules.
pub trait Game: Clone + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// Parameters of the rules, serialised by name; the default is the usual game, and so is each
    /// parameter that is left out (`#[serde(default)]`).
    type Rules: Clone + Default + PartialEq + Debug + Send + Sync + Serialize + DeserializeOwned;
    /// What a player may know of a position, in few bytes.
    type State: Copy + Send + Sync + PartialEq + Debug + Serialize + DeserializeOwned;
    /// Generator of a game's draws.
    type Rng: SeededDraw;

    /// Name in configurations, files and commands.
    const NAME: &'static str;
    /// Number of actions, at most [`ActionMask::CAPACITY`]; the first action is 0.
    const ACTIONS: usize;
    /// Masks, first that of the legal actions.
    const MASKS: &'static [Mask];
    /// Whether a game may end before its last action, or has no number of actions; `dqn` then needs
    /// `learning.relative = false`.
    const MAY_END_EARLY: bool = false;

    /// Random numbers of a seed's game, which rules may choose.
    fn random(_rules: &Self::Rules, seed: u128) -> Self::Rng {
        Self::Rng::from_seed(seed)
    }

    /// Deals a new game.
    fn new(rules: &Self::Rules, draw: &mut impl Draw) -> Self;

    /// A game from a position on, with a score of 0.
    fn at(rules: &Self::Rules, state: &Self::State) -> Self;

    /// Plays an action; after the end nothing changes, with a reward of 0. The game says what an
    /// action outside the legal mask does.
    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step;

    /// Whether deals are chosen boards, and not drawn: then a mean over them is no estimate.
    fn has_chosen_deals(_rules: &Self::Rules) -> bool {
        false
    }

    /// Whether the game has ended.
    fn is_over(&self) -> bool;

    /// Points so far.
    fn score(&self) -> i32;

    /// Position as a player may know it.
    fn state(&self) -> Self::State;

    /// Actions of a mask. The legal mask is empty only after the end; [`offered`](super::offered)
    /// replaces other empty ones.
    fn mask(state: &Self::State, kind: MaskKind) -> ActionMask;

    /// Actions left, one less after each action; 0 without a bound.
    fn actions_left(_state: &Self::State) -> usize {
        0
    }
}

/// Actions of a whole game; 0 without a bound.
pub fn actions_of_a_game<G: Game>(rules: &G::Rules) -> usize {
    G::actions_left(&G::new(rules, &mut Stream::new(0, Role::Game, 0)).state())
}
