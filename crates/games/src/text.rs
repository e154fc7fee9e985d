//! The trait of a game's text forms, and the tokens of its boards.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Game, Step};
use crate::error::Result;
use crate::random::Draw;

/// A game's text forms, for people, files and other programs.
pub trait Text: Game {
    /// What a board's text is, in a few words.
    const BOARD: &'static str;
    /// The tokens that a board's text may hold.
    const TOKENS: &'static [Token];

    /// The board's text: lines of equal length, without a newline at the end.
    fn board(state: &Self::State) -> String;

    /// The letters of pieces, where a position has one that is to be placed.
    const PIECES: &'static [char] = &[];

    /// The position with another piece.
    ///
    /// The piece is given by its number in [`PIECES`](Self::PIECES).
    fn with_piece(state: &Self::State, _piece: usize) -> Self::State {
        *state
    }

    /// The action of a piece that a person steers.
    ///
    /// The piece is moved by columns and turned so often; without an action it is the first. None in games in which
    /// moves are chosen by their cells.
    fn steer(_state: &Self::State, _action: Option<usize>, _columns: isize, _turns: usize) -> Option<usize> {
        None
    }

    /// The board with the piece above where an action would let it fall.
    ///
    /// By default it is the board alone.
    fn steered(state: &Self::State, _action: usize) -> String {
        Self::board(state)
    }

    /// The position of a board's text, at rest and possible by these rules.
    ///
    /// So many actions are left in it, where the rules count them; without a number as many as a game has.
    ///
    /// # Errors
    /// A text that is no such board, by row and column, and a number of actions left that no game has.
    fn parse(rules: &Self::Rules, board: &str, actions_left: Option<i64>) -> Result<Self::State>;

    /// The position as its board's text tells it; by default that is all of it.
    fn as_written(state: &Self::State) -> Self::State {
        *state
    }

    /// An action for people, such as `(2, 6)-(2, 7)`; of equal width for all.
    fn describe(action: usize) -> String;

    /// An action as JSON, such as `[2, 6, true]`.
    fn to_json(action: usize) -> Value;

    /// The action of a JSON value.
    ///
    /// One that the game takes as a wasted move has a number above all actions.
    ///
    /// # Errors
    /// What is wrong with the value, to be put behind its place.
    fn from_json(value: &Value) -> std::result::Result<usize, String>;

    /// The cells (column, row) that an action touches.
    fn cells(action: usize) -> Vec<(usize, usize)>;

    /// Plays an action as [`step`](Game::step) and gives the boards on the way.
    ///
    /// The last one is left out. What falls leaves a space.
    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>);
}

/// A token of a board: how it is written and drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Token {
    /// Its letter in a board's text.
    pub letter: char,
    /// Its colour, red, green and blue.
    pub colour: [u8; 3],
    /// Its shape.
    pub shape: Shape,
}

/// The shapes in which tokens are drawn.
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
