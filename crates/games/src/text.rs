//! The trait of a game's text forms, and the tokens of its boards.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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

    /// The position of a board's text, at rest.
    ///
    /// So many actions are left in it, where the rules count them.
    ///
    /// # Errors
    /// A text that is no board at rest, by row and column, and a number of actions left that no game has.
    fn parse(board: &str, actions_left: i64) -> Result<Self::State>;

    /// The position as its board's text tells it; by default that is all of it.
    fn as_written(state: &Self::State) -> Self::State {
        *state
    }

    /// Checks that a position that was read is one of these rules.
    ///
    /// By default any is.
    ///
    /// # Errors
    /// What the rules do not have, by row and column.
    fn check(_rules: &Self::Rules, _state: &Self::State) -> Result<()> {
        Ok(())
    }

    /// An action for people, such as `(2, 6)-(2, 7)`; of equal width for all.
    fn describe(action: usize) -> String;

    /// An action as JSON, such as `[2, 6, true]`.
    fn to_json(action: usize) -> Value;

    /// The same of a swap, with the cell (column, row) of it that is meant.
    ///
    /// By default the cell is not written.
    fn to_json_from(action: usize, _cell: (usize, usize)) -> Value {
        Self::to_json(action)
    }

    /// The action of a JSON value.
    ///
    /// One that the game takes as a wasted move has a number above all actions.
    ///
    /// # Errors
    /// What is wrong with the value, to be put behind its place.
    fn from_json(value: &Value) -> std::result::Result<usize, String>;

    /// The cells (column, row) that an action touches.
    fn cells(action: usize) -> Vec<(usize, usize)>;

    /// What a program should know of a move beside its value.
    ///
    /// It is by names for JSON; by default there is nothing.
    fn about_move(_state: &Self::State, _action: usize) -> Map<String, Value> {
        Map::new()
    }

    /// What a program should know of a position.
    ///
    /// It is by names for JSON; by default there is nothing.
    fn about_board(_state: &Self::State) -> Map<String, Value> {
        Map::new()
    }

    /// Advice for people on a position whose best move is known.
    ///
    /// It is lines of text; by default there is none.
    fn advice(_state: &Self::State, _best: usize) -> String {
        String::new()
    }

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
