//! A game without chance for tests, small enough to be searched through, with a fault or without.

use matchq_games::error::{Error, Result};
use matchq_games::random::{Draw, Stream};
use matchq_games::{
    ActionFeatures, ActionMask, Choose, Game, Image, Lookahead, Mask, MaskKind, Puzzle, Shape, StateFeatures, Step,
    Text, Token, tidied,
};
use serde::{Deserialize, Serialize};

/// Tiles of a row.
pub const LENGTH: usize = 6;

/// No fault.
pub const NO_FAULT: u8 = 0;
/// The puzzle gives no moves.
pub const NO_MOVES: u8 = 1;
/// A position's number is a count.
pub const HASH_IS_A_COUNT: u8 = 2;
/// A row may be mirrored.
pub const MIRRORED: u8 = 3;
/// A game ends before its last move, unsaid.
pub const ENDS_EARLY: u8 = 4;
/// A letter has no token.
pub const NO_TOKEN: u8 = 5;

/// A row of tiles of two kinds. A move takes one, for a point for each of its kind to its right; the rest
/// closes up to the left.
#[derive(Clone, Serialize, Deserialize)]
pub struct Row<const FAULT: u8> {
    state: State,
    score: i32,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// Kinds, of which the last ones are no tiles.
    pub tiles: [bool; LENGTH],
    /// Tiles that are left, the first ones.
    pub left: usize,
}

impl State {
    fn tiles(&self) -> &[bool] {
        &self.tiles[..self.left]
    }

    fn take(&self, at: usize) -> (Self, f32) {
        let points = self.tiles()[at + 1..].iter().filter(|tile| **tile == self.tiles[at]).count();
        let mut next = Self { tiles: [false; LENGTH], left: self.left - 1 };
        let rest = self.tiles().iter().enumerate().filter(|(place, _)| *place != at);
        next.tiles.iter_mut().zip(rest).for_each(|(to, (_, tile))| *to = *tile);
        (next, points as f32)
    }
}

impl<const FAULT: u8> Game for Row<FAULT> {
    type Rules = ();
    type State = State;
    type Rng = Stream;
    const NAME: &'static str = "row";
    const ACTIONS: usize = LENGTH;
    const MASKS: &'static [Mask] = &[Mask::new("legal", "all tiles").as_default()];
    const MAY_END_EARLY: bool = FAULT != ENDS_EARLY;

    fn new((): &(), draw: &mut impl Draw) -> Self {
        let tiles = [(); LENGTH].map(|()| draw.below(2) == 1);
        Self { state: State { tiles, left: LENGTH }, score: 0 }
    }

    fn at((): &(), state: &State) -> Self {
        Self { state: *state, score: 0 }
    }

    fn step(&mut self, action: usize, _: &mut impl Draw) -> Step {
        let mut reward = 0.0;
        if action < self.state.left {
            (self.state, reward) = self.state.take(action);
        }
        self.score += reward as i32;
        Step { reward, terminal: self.is_over(), waves: 0 }
    }

    fn is_over(&self) -> bool {
        self.state.left == 0
    }

    fn score(&self) -> i32 {
        self.score
    }

    fn state(&self) -> State {
        self.state
    }

    fn mask(state: &State, _: MaskKind) -> ActionMask {
        ActionMask::all(state.left)
    }
}

struct Moves<const FAULT: u8>;

impl<const FAULT: u8> Puzzle<Row<FAULT>> for Moves<FAULT> {
    fn left(&self, state: &State) -> usize {
        state.left
    }

    fn expand(&self, state: &State, _: MaskKind, give: &mut dyn FnMut(usize, f32, &State)) {
        for action in 0..if FAULT == NO_MOVES { 0 } else { state.left } {
            let (next, points) = state.take(action);
            give(action, points, &next);
        }
    }

    fn hash(&self, state: &State) -> u64 {
        let bits = state.tiles().iter().fold(1, |bits, tile| 2 * bits + u64::from(*tile));
        if FAULT == HASH_IS_A_COUNT { state.left as u64 } else { bits }
    }

    fn play(&self, state: &State, _: MaskKind, choose: Choose) -> Option<(f32, State)> {
        let moves: Vec<(usize, u64)> = (0..state.left).map(|action| (action, action as u64)).collect();
        let (next, points) = state.take(moves.get(if moves.is_empty() { 0 } else { choose(&moves) })?.0);
        Some((points, next))
    }
}

impl<const FAULT: u8> Lookahead for Row<FAULT> {
    const PUZZLE: Option<&'static dyn Puzzle<Self>> = Some(&Moves::<FAULT>);

    fn done(state: &State, action: usize) -> State {
        Self::after(state, action).state
    }

    fn gaining_actions(state: &State) -> ActionMask {
        (0..state.left).filter(|action| state.take(*action).1 > 0.0).collect()
    }

    fn after(state: &State, action: usize) -> matchq_games::After<State> {
        let (state, points) = state.take(action);
        matchq_games::After { actions: Self::gaining_actions(&state), state, points }
    }
}

impl<const FAULT: u8> Image for Row<FAULT> {
    const PLANES: usize = 2;
    const COLOURS: usize = 2;
    const ROWS: usize = 1;
    const COLUMNS: usize = LENGTH;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 1;
    const SYMMETRIES: usize = if FAULT == MIRRORED { 2 } else { 1 };

    fn encode(state: &State, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        image.fill(false.into());
        for (place, tile) in state.tiles().iter().enumerate() {
            image[usize::from(*tile) * LENGTH + Self::transform_action(place, symmetry)] = true.into();
        }
        scalars[0] = 0.0;
    }

    fn place(action: usize) -> (usize, usize, usize) {
        (0, 0, action)
    }

    fn transform_action(action: usize, symmetry: usize) -> usize {
        if symmetry == 0 { action } else { LENGTH - 1 - action }
    }
}

impl<const FAULT: u8> StateFeatures for Row<FAULT> {
    const NAMES: &'static [&'static str] = &["left"];

    fn features(state: &State) -> Vec<f64> {
        vec![state.left as f64]
    }
}

impl<const FAULT: u8> ActionFeatures for Row<FAULT> {}

const fn token(letter: char) -> Token {
    Token { letter, colour: [0; 3], shape: Shape::Circle }
}

impl<const FAULT: u8> Text for Row<FAULT> {
    const BOARD: &'static str = "a row of six of a, b and .";
    const TOKENS: &'static [Token] = &[token('a'), token('b'), token(if FAULT == NO_TOKEN { 'a' } else { '.' })];

    fn board(state: &State) -> String {
        let letters = state.tiles().iter().map(|tile| if *tile { 'b' } else { 'a' });
        letters.chain(std::iter::repeat('.')).take(LENGTH).collect()
    }

    fn parse((): &(), board: &str, _: Option<i64>) -> Result<State> {
        let board = tidied::<Self>(board)?;
        let tiles = board.trim_end_matches('.');
        let mut state = State { tiles: [false; LENGTH], left: tiles.len() };
        if board.len() != LENGTH || tiles.contains('.') {
            return Err(Error::user(format!("the board must be {}", Self::BOARD)));
        }
        state.tiles.iter_mut().zip(tiles.chars()).for_each(|(to, letter)| *to = letter == 'b');
        Ok(state)
    }

    fn cells(_: &State, action: usize) -> Vec<(usize, usize)> {
        vec![(0, action)]
    }
}
