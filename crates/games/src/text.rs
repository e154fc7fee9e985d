use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Game, Step};
use crate::error::Result;
use crate::random::Draw;

/// Positions and moves as text and JSON, both ways. People, files, pictures and other programs need
/// this trait: the commands `play`, `advise`, `replay` and `read`, and the Python package.
pub trait Text: Game {
    /// What a board's text is, in a few words, for messages.
    const BOARD: &'static str;
    /// Tokens that a board's text may hold.
    const TOKENS: &'static [Token];

    /// Board's text: lines of equal length, without a newline at the end.
    fn board(state: &Self::State) -> String;

    /// Letters of the pieces, in games where the player places pieces.
    const PIECES: &'static [char] = &[];

    /// Position with another piece, by its number in [`PIECES`](Self::PIECES).
    fn with_piece(state: &Self::State, _piece: usize) -> Self::State {
        *state
    }

    /// Action after a person has moved a piece by `columns` and turned it `turns` times; without an
    /// action the first place. `None` where people choose moves by their cells.
    fn steer(_state: &Self::State, _action: Option<usize>, _columns: isize, _turns: usize) -> Option<usize> {
        None
    }

    /// Board with the piece shown above the place of an action; by default the board alone.
    fn steered(state: &Self::State, _action: usize) -> String {
        Self::board(state)
    }

    /// Position of a board's text, which must be at rest and possible by the rules.
    ///
    /// `actions_left` counts only where the rules do; `None` means those of a new game.
    ///
    /// # Errors
    /// Names the row and column of a wrong text, and refuses a number of actions left that no game
    /// has.
    fn parse(rules: &Self::Rules, board: &str, actions_left: Option<i64>) -> Result<Self::State>;

    /// Position without what a board's text leaves out; by default all of it.
    fn as_written(state: &Self::State) -> Self::State {
        *state
    }

    /// An action for people, such as `(2, 6)-(2, 7)`; equally wide for all actions.
    fn describe(action: usize) -> String;

    /// An action as JSON, such as `[2, 6, true]`.
    fn to_json(action: usize) -> Value;

    /// Action of a JSON value. A number from [`ACTIONS`](Game::ACTIONS) on is a wasted move,
    /// where the game allows one.
    ///
    /// # Errors
    /// Says what is wrong with the value; the caller adds where.
    fn from_json(value: &Value) -> std::result::Result<usize, String>;

    /// Cells (column, row) that an action touches.
    fn cells(action: usize) -> Vec<(usize, usize)>;

    /// Plays an action as [`step`](Game::step) does, and returns the boards on the way, without the
    /// last. Empty cells are spaces.
    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>);
}

/// A token of a board: its letter and how it is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Token {
    /// Letter of the token in a board's text.
    pub letter: char,
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// The shape.
    pub shape: Shape,
}

/// Shape of a drawn token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
    Pentagon,
    Hexagon,
    Star,
    Block,
}
