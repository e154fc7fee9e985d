//! A game for tests: no counted moves, illegal swaps, a move of one cell.
//!
//! A token of the three by two can be swapped with its right neighbour. A sorted upper row ends the
//! game, for one point.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::games::{
    ActionFeatures, ActionMask, Game, Image, Lookahead, Mask, MaskKind, Shape, StateFeatures, Step, Text, Token,
};
use crate::players::{Measured, Roster};
use crate::random::{CPythonRandom, Draw};

/// The tokens, row by row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Toy([char; 6]);

/// Cells of the moves: two swaps per row, and one cell that becomes c.
const CELLS: [&[usize]; 5] = [&[0, 1], &[1, 2], &[3, 4], &[4, 5], &[0]];

impl Game for Toy {
    type Rules = ();
    type State = [char; 6];
    type Rng = CPythonRandom;

    const NAME: &'static str = "toy";
    const ACTIONS: usize = CELLS.len();
    const MASKS: &'static [Mask] = &[Mask::new("legal", "moves that change something")];

    fn new((): &(), _: &mut impl Draw) -> Self {
        Self(['c', 'b', 'a', 'b', 'b', '#'])
    }

    fn at((): &(), state: &[char; 6]) -> Self {
        Self(*state)
    }

    fn step(&mut self, action: usize, _: &mut impl Draw) -> Step {
        let before = self.score();
        if !self.is_over() {
            self.0 = Self::done(&self.0, action);
        }
        Step { reward: (self.score() - before) as f32, terminal: self.is_over(), waves: 0 }
    }

    fn is_over(&self) -> bool {
        self.0[..3].is_sorted()
    }

    fn score(&self) -> i32 {
        self.is_over().into()
    }

    fn state(&self) -> [char; 6] {
        self.0
    }

    fn mask(state: &[char; 6], _: MaskKind) -> ActionMask {
        (0..Self::ACTIONS).filter(|action| Self::done(state, *action) != *state).collect()
    }
}

impl Lookahead for Toy {
    fn done(state: &[char; 6], action: usize) -> [char; 6] {
        let mut board = *state;
        match CELLS[action] {
            [a, b] => board.swap(*a, *b),
            _ => board[0] = 'c',
        }
        board
    }

    fn wave(_: &[char; 6]) -> Option<([char; 6], f32)> {
        None
    }
}

impl Image for Toy {
    const PLANES: usize = 1;
    const COLOURS: usize = 0;
    const ROWS: usize = 2;
    const COLUMNS: usize = 3;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 1;
    const SYMMETRIES: usize = 1;

    fn encode(_: &[char; 6], _: usize, image: &mut [f32], scalars: &mut [f32]) {
        image.fill(0.0);
        scalars.fill(0.0);
    }

    fn place(action: usize) -> (usize, usize, usize) {
        (0, action / 3, action % 3)
    }

    fn transform_action(action: usize, _: usize) -> usize {
        action
    }
}

impl StateFeatures for Toy {
    const NAMES: &'static [&'static str] = &[];

    fn features(_: &[char; 6]) -> Vec<f64> {
        vec![]
    }
}

impl ActionFeatures for Toy {}

impl Text for Toy {
    const BOARD: &'static str = "two lines of three of a b c #";
    const TOKENS: &'static [Token] = &[
        Token { letter: 'a', colour: [255, 0, 0], shape: Shape::Circle },
        Token { letter: 'b', colour: [255, 140, 0], shape: Shape::Diamond },
        Token { letter: 'c', colour: [240, 240, 240], shape: Shape::Star },
        Token { letter: '#', colour: [80, 80, 80], shape: Shape::Block },
    ];

    fn board(state: &[char; 6]) -> String {
        state.chunks(3).map(|row| row.iter().collect()).collect::<Vec<String>>().join("\n")
    }

    fn read((): &(), _: &str, _: Option<i64>) -> Result<[char; 6]> {
        Err(Error::user("not in tests"))
    }

    const LISTED: usize = 10;

    fn words(_: &[char; 6], action: usize) -> String {
        format!("toy move {action}")
    }

    fn to_json(action: usize) -> Value {
        action.into()
    }

    fn from_json(value: &Value) -> std::result::Result<usize, String> {
        value.as_u64().map(|action| action as usize).ok_or_else(|| format!("{value} is no number"))
    }

    fn cells(action: usize) -> Vec<(usize, usize)> {
        CELLS[action].iter().map(|cell| (cell % 3, cell / 3)).collect()
    }

    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>) {
        (self.step(action, draw), vec![])
    }
}

impl Measured for Toy {}

impl Roster for Toy {
    const ABOUT: &'static str = "";
}
