use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Game, Step};
use crate::error::Result;
use crate::random::Draw;

/// Positions and moves as text and JSON, both ways, for the Python package and the commands `play`,
/// `advise`, `replay` and `read`.
pub trait Text: Game {
    /// Description of a board's text for messages.
    const BOARD: &'static str;
    /// Tokens of a board's text.
    const TOKENS: &'static [Token];

    /// Board's text: lines of equal length.
    fn board(state: &Self::State) -> String;

    /// Letters of the pieces, in games where the player places pieces.
    const PIECES: &'static [char] = &[];

    /// Position with another piece, by number in [`PIECES`](Self::PIECES).
    fn with_piece(state: &Self::State, _piece: usize) -> Self::State {
        *state
    }

    /// Action after a person moved a piece by `columns` and turned it `turns` times, from the first
    /// place without an action; `None` where people choose cells.
    fn steer(_state: &Self::State, _action: Option<usize>, _columns: isize, _turns: usize) -> Option<usize> {
        None
    }

    /// Board with the piece above an action's place; by default without.
    fn steered(state: &Self::State, _action: usize) -> String {
        Self::board(state)
    }

    /// Position of a board's text, at rest and possible by the rules; an error names row and
    /// column.
    ///
    /// `actions_left` counts only where the rules do; `None` means those of a new game.
    fn parse(rules: &Self::Rules, board: &str, actions_left: Option<i64>) -> Result<Self::State>;

    /// Position without what a board's text leaves out; by default unchanged.
    fn as_written(state: &Self::State) -> Self::State {
        *state
    }

    /// An action for people, such as `(2, 6)-(2, 7)`, in equal width.
    fn describe(action: usize) -> String;

    /// An action as JSON, such as `[2, 6, true]`.
    fn to_json(action: usize) -> Value;

    /// Action of a JSON value; errors do not name the value's place. A number from
    /// [`ACTIONS`](Game::ACTIONS) on is a wasted move, where allowed.
    fn from_json(value: &Value) -> std::result::Result<usize, String>;

    /// Cells (column, row) that an action touches.
    fn cells(action: usize) -> Vec<(usize, usize)>;

    /// Plays an action as [`step`](Game::step) does, and returns the boards on the way without the
    /// last; a space is a cell just cleared or not yet filled.
    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>);
}

/// A token of a board: letter and drawing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Token {
    /// Letter of the token in a board's text.
    pub letter: char,
    /// Red, green and blue.
    pub colour: [u8; 3],
    pub shape: Shape,
}

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
