//! The trait of a game: rules, states, actions, dealing and stepping.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{ActionMask, Mask, MaskKind};
use crate::random::{Draw, Role, SeededDraw, Stream};

/// What one move brought.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// The points the move gained.
    pub reward: f32,
    /// Whether the game is over.
    pub terminal: bool,
    /// Waves of the move's chain; 0 in games that have none.
    pub waves: u32,
}

/// A game for one player, played by numbered actions.
///
/// A state is what a player may know; a game is a state with its score and the parameters of its rules.
pub trait Game: Clone + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// The parameters of the rules, by their names.
    ///
    /// The default is the game as it is known.
    type Rules: Clone + Default + PartialEq + Debug + Send + Sync + Serialize + DeserializeOwned;
    /// All that a player may know of a position, packed: what replay stores.
    type State: Copy + Send + Sync + PartialEq + Debug + Serialize + DeserializeOwned;
    /// The generator by which a seed means a game.
    type Rng: SeededDraw;

    /// The name used in configurations, in files and on the command line.
    const NAME: &'static str;
    /// Actions, numbered from 0; at most [`ActionMask::CAPACITY`].
    const ACTIONS: usize;
    /// The masks there are, the first one of the legal actions.
    const MASKS: &'static [Mask];

    /// Deals a new game.
    fn new(rules: &Self::Rules, draw: &mut impl Draw) -> Self;

    /// A game in a position, with a score of 0 and a future of its own.
    fn at(rules: &Self::Rules, state: &Self::State) -> Self;

    /// Plays an action.
    ///
    /// After the end of the game nothing changes and the reward is 0.
    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step;

    /// Whether the game has ended.
    fn is_over(&self) -> bool;

    /// The points so far.
    fn score(&self) -> i32;

    /// What a player may know of the position.
    fn state(&self) -> Self::State;

    /// The actions of a mask in a position; none where it holds none.
    ///
    /// Players are [offered](super::offered) another mask's then. Of the legal actions there is always one.
    fn mask(state: &Self::State, kind: MaskKind) -> ActionMask;

    /// Actions left in a position where the rules set their number, else 0.
    ///
    /// One less after each action.
    fn actions_left(_state: &Self::State) -> usize {
        0
    }
}

/// Actions of a whole game where the rules set their number, else 0.
///
/// The rules are the default ones.
pub fn actions_of_a_game<G: Game>() -> usize {
    G::actions_left(&G::new(&G::Rules::default(), &mut Stream::new(0, Role::Game, 0)).state())
}
