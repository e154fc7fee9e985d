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
    /// Waves of the move's chain; 0 in games without chains.
    pub waves: u32,
}

/// A game for one player: deals, plays numbered actions and keeps the score. Every game needs this
/// trait.
///
/// A [`State`](Self::State) is all that a player may know of a position. The game itself holds its
/// state, its score and the parameters of its rules.
pub trait Game: Clone + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// Parameters of the rules, serialised by name; the default is the game as people know it.
    type Rules: Clone + Default + PartialEq + Debug + Send + Sync + Serialize + DeserializeOwned;
    /// All that a player may know of a position, packed into few bytes.
    type State: Copy + Send + Sync + PartialEq + Debug + Serialize + DeserializeOwned;
    /// Generator that turns a seed into a game.
    type Rng: SeededDraw;

    /// Name in configurations, in files and on the command line.
    const NAME: &'static str;
    /// Number of actions, at most [`ActionMask::CAPACITY`]; actions are numbered from 0.
    const ACTIONS: usize;
    /// Masks: the first one holds the legal actions.
    const MASKS: &'static [Mask];

    /// Deals a new game.
    fn new(rules: &Self::Rules, draw: &mut impl Draw) -> Self;

    /// A game that continues from a position, with a score of 0.
    fn at(rules: &Self::Rules, state: &Self::State) -> Self;

    /// Plays an action. After the end of the game nothing changes and the reward is 0.
    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step;

    /// Whether the game has ended.
    fn is_over(&self) -> bool;

    /// Points so far.
    fn score(&self) -> i32;

    /// What a player may know of the position.
    fn state(&self) -> Self::State;

    /// Actions of a mask in a position. The legal mask is never empty before the end of the game;
    /// for another empty one [`offered`](super::offered) gives a wider one.
    fn mask(state: &Self::State, kind: MaskKind) -> ActionMask;

    /// Actions left, one less after each action; 0 where the rules set no number.
    fn actions_left(_state: &Self::State) -> usize {
        0
    }
}

/// Actions of a whole game by the default rules; 0 where the rules set no number.
pub fn actions_of_a_game<G: Game>() -> usize {
    G::actions_left(&G::new(&G::Rules::default(), &mut Stream::new(0, Role::Game, 0)).state())
}
