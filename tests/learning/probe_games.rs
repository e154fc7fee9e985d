//! Games whose action values can be computed by hand.

use std::marker::PhantomData;

use matchq::games::{ActionMask, After, Game, Image, Lookahead, Mask, MaskKind, Step, conformance};
use matchq::players::Measured;
use matchq::random::{Draw, Stream};
use serde::{Deserialize, Serialize};

/// A position, of which each game shows a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Position {
    /// Moves played.
    pub at: usize,
    /// Number dealt at the start.
    pub dealt: usize,
    /// The first move.
    pub chosen: usize,
    /// In an afterstate: the action done; the other fields are of the position before.
    pub done: Option<usize>,
}

/// Start of a game where 0 was dealt.
pub const START: Position = Position { at: 0, dealt: 0, chosen: 0, done: None };

/// A place (plane, column) in an image of three planes, one row and three columns.
type One = (usize, usize);

const COLUMNS: usize = 3;

/// Difference between probe games.
pub trait Script: Clone + Send + Sync + 'static {
    const NAME: &'static str;
    const ACTIONS: usize;
    /// How many numbers can be dealt.
    const DEALS: u32 = 1;
    const COLOURS: usize = 0;
    const SYMMETRIES: usize = 1;
    /// Moves of a game if limited, else 0.
    const MOVES: usize = 0;

    /// Points of an action, and the next position unless the game is over.
    fn play(position: Position, action: usize) -> (f32, Option<Position>);

    /// Legal actions.
    fn offered(_position: Position) -> ActionMask {
        ActionMask::all(Self::ACTIONS)
    }

    /// Ones of the image under a symmetry.
    fn ones(position: Position, symmetry: usize) -> Vec<One>;

    /// An action's number under a symmetry.
    fn shown(action: usize, _symmetry: usize) -> usize {
        action
    }
}

/// One move, one point.
#[derive(Clone)]
pub struct Constant;

impl Script for Constant {
    const NAME: &'static str = "constant";
    const ACTIONS: usize = 1;

    fn play(_position: Position, _action: usize) -> (f32, Option<Position>) {
        (1.0, None)
    }

    fn ones(_position: Position, _symmetry: usize) -> Vec<One> {
        vec![(0, 0)]
    }
}

/// One move, left or right: a point for the shown side, minus one for the other; mirror-symmetric.
#[derive(Clone)]
pub struct Sides;

impl Script for Sides {
    const NAME: &'static str = "sides";
    const ACTIONS: usize = 2;
    const DEALS: u32 = 2;
    const SYMMETRIES: usize = 2;

    fn play(position: Position, action: usize) -> (f32, Option<Position>) {
        (if action == position.dealt { 1.0 } else { -1.0 }, None)
    }

    fn ones(position: Position, symmetry: usize) -> Vec<One> {
        vec![(0, (COLUMNS - 1) * (position.dealt ^ symmetry))]
    }

    fn shown(action: usize, symmetry: usize) -> usize {
        action ^ symmetry
    }
}

/// Three moves: action 0 as the first gives a point two moves later. The walker has one of two
/// interchangeable colours; a mark shows the choice.
#[derive(Clone)]
pub struct Delayed;

impl Script for Delayed {
    const NAME: &'static str = "delayed";
    const ACTIONS: usize = 2;
    const MOVES: usize = 3;
    const DEALS: u32 = 2;
    const COLOURS: usize = 2;
    const SYMMETRIES: usize = 2;

    fn play(position: Position, action: usize) -> (f32, Option<Position>) {
        let chosen = if position.at == 0 { action } else { position.chosen };
        match position.at {
            2 => (if chosen == 0 { 1.0 } else { 0.0 }, None),
            at => (0.0, Some(Position { at: at + 1, chosen, ..position })),
        }
    }

    fn ones(position: Position, symmetry: usize) -> Vec<One> {
        let mut ones = vec![(position.dealt ^ symmetry, position.at)];
        if position.at > 0 {
            ones.push((2, (COLUMNS - 1) * position.chosen));
        }
        ones
    }
}

/// Two rooms that look the same: action 0 leads to one with only the small prize, action 1 to one
/// with the large prize, too. Only the mask tells them apart, so a masked-out action has a high
/// value.
#[derive(Clone)]
pub struct Trap;

impl Script for Trap {
    const NAME: &'static str = "trap";
    const ACTIONS: usize = 2;

    fn play(position: Position, action: usize) -> (f32, Option<Position>) {
        assert!(Self::offered(position).contains(action), "an action outside the mask was played");
        match (position.at, action) {
            (0, _) => (0.0, Some(Position { at: 1, chosen: action, ..position })),
            (_, 0) => (1.0, None),
            _ => (4.0, None),
        }
    }

    fn offered(position: Position) -> ActionMask {
        let locked = position.at == 1 && position.chosen == 0;
        ActionMask::all(if locked { 1 } else { 2 })
    }

    fn ones(position: Position, _symmetry: usize) -> Vec<One> {
        vec![(0, position.at)]
    }
}

/// False "certain" points, which differ by position and action.
fn claim(position: Position, action: usize) -> f32 {
    (position.at + 2 * action) as f32 * 0.1
}

/// The position after an afterstate if the game continues; other positions unchanged.
fn arrived<S: Script>(position: Position) -> Position {
    let next = position.done.and_then(|action| S::play(Position { done: None, ..position }, action).1);
    next.unwrap_or(position)
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Probe<S: Script> {
    position: Position,
    over: bool,
    score: i32,
    script: PhantomData<S>,
}

impl<S: Script> Game for Probe<S> {
    type Rules = ();
    type State = Position;
    type Rng = Stream;

    const NAME: &'static str = S::NAME;
    const ACTIONS: usize = S::ACTIONS;
    const MASKS: &'static [Mask] = &[Mask::new("legal", "the actions that the rules allow")];
    const MAY_END_EARLY: bool = S::MOVES == 0;

    fn new(rules: &(), draw: &mut impl Draw) -> Self {
        Self::at(rules, &Position { dealt: draw.below(S::DEALS) as usize, ..START })
    }

    fn at(_rules: &(), state: &Position) -> Self {
        Self { position: *state, over: false, score: 0, script: PhantomData }
    }

    fn step(&mut self, action: usize, _draw: &mut impl Draw) -> Step {
        if self.over {
            return Step { reward: 0.0, terminal: true, waves: 0 };
        }
        let (reward, next) = S::play(self.position, action);
        self.score += reward as i32;
        self.over = next.is_none();
        self.position = next.unwrap_or(self.position);
        Step { reward, terminal: self.over, waves: 0 }
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn score(&self) -> i32 {
        self.score
    }

    fn state(&self) -> Position {
        self.position
    }

    fn mask(state: &Position, _kind: MaskKind) -> ActionMask {
        S::offered(*state)
    }

    fn actions_left(state: &Position) -> usize {
        S::MOVES.saturating_sub(arrived::<S>(*state).at)
    }
}

/// An action's certain points are its [`claim`]; no waves follow.
impl<S: Script> Lookahead for Probe<S> {
    fn done(state: &Position, action: usize) -> Position {
        Position { done: Some(action), ..arrived::<S>(*state) }
    }

    fn wave(_state: &Position) -> Option<(Position, f32)> {
        None
    }

    /// Actions offered after a done action.
    fn gaining_actions(state: &Position) -> ActionMask {
        let next = state.done.and_then(|action| S::play(Position { done: None, ..*state }, action).1);
        next.map_or(ActionMask::empty(), S::offered)
    }

    fn after(state: &Position, action: usize) -> After<Position> {
        let (left, points) = (Self::done(state, action), claim(arrived::<S>(*state), action));
        After { state: left, points, actions: Self::gaining_actions(&left) }
    }
}

impl<S: Script> Image for Probe<S> {
    const PLANES: usize = 3;
    const COLOURS: usize = S::COLOURS;
    const ROWS: usize = 1;
    const COLUMNS: usize = COLUMNS;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 1;
    const SYMMETRIES: usize = S::SYMMETRIES;

    /// The done action is the scalar.
    fn encode(state: &Position, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        image.fill(false.into());
        scalars.fill(state.done.map_or(0.5, |action| S::shown(action, symmetry) as f32));
        for (plane, column) in S::ones(*state, symmetry) {
            image[plane * COLUMNS + column] = true.into();
        }
    }

    fn place(action: usize) -> (usize, usize, usize) {
        (0, 0, (COLUMNS - 1) * action)
    }

    fn transform_action(action: usize, symmetry: usize) -> usize {
        S::shown(action, symmetry)
    }
}

impl<S: Script> Measured for Probe<S> {}

#[test]
fn the_probe_games_keep_what_a_game_promises() {
    for seed in 0..8 {
        conformance::check::<Probe<Constant>>(&(), seed);
        conformance::check::<Probe<Sides>>(&(), seed);
        conformance::check::<Probe<Delayed>>(&(), seed);
        conformance::check::<Probe<Trap>>(&(), seed);
    }
}
