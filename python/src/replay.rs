//! Games and boards as pictures.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{exception, on_threads};
use crate::game::game;
use crate::values::{rules, seed, to_json, to_python};

/// The boards and scores of given moves, and their picture.
pub struct Replayed {
    /// Boards before the first move and after each.
    pub boards: Vec<String>,
    /// Points at each board.
    pub scores: Vec<i32>,
    /// The rules, all of them, as JSON.
    pub rules: serde_json::Value,
    pub is_over: bool,
    pub picture: Vec<u8>,
}

/// A picture of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    Nothing,
    Svg,
    Gif,
}

/// Boards, scores, rules, whether the game is over, picture.
type Told<'py> = (Vec<String>, Vec<i32>, Bound<'py, PyAny>, bool, Vec<u8>);

/// The game of a seed with given moves: (boards, scores, rules, whether it is over, picture); private to matchq.replay.
///
/// drawn: "", "svg" or "gif".
///
/// Raises ValueError for what is no move, with its place, and for moves after the end.
#[pyfunction]
pub fn _replayed<'py>(
    py: Python<'py>,
    name: &str,
    given: Option<&Bound<'py, PyDict>>,
    first: &Bound<'py, PyAny>,
    moves: &Bound<'py, PyAny>,
    drawn: &str,
) -> PyResult<Told<'py>> {
    let (game, rules, seed) = (game(name)?, rules(given, None)?, seed(first)?);
    let drawn = match drawn {
        "svg" => Drawn::Svg,
        "gif" => Drawn::Gif,
        _ => Drawn::Nothing,
    };
    let read = |(number, chosen): (usize, Bound<'py, PyAny>)| {
        let action = to_json(&chosen).and_then(|value| game.read_move(&value).map_err(exception));
        action.map_err(|error| PyValueError::new_err(format!("moves[{number}] is {chosen:?}: {}", error.value(py))))
    };
    let moves: Vec<_> = moves.try_iter()?.collect::<PyResult<_>>()?;
    let actions = moves.into_iter().enumerate().map(read).collect::<PyResult<Vec<_>>>()?;
    let played = on_threads(py, || game.replay(&rules, seed, &actions, drawn).map_err(exception))?;
    Ok((played.boards, played.scores, to_python(py, &played.rules)?, played.is_over, played.picture))
}

/// A board's text as a picture, SVG; private to matchq.Board.
#[pyfunction]
pub fn _board_svg(name: &str, board: &str) -> PyResult<String> {
    Ok(game(name)?.svg(board))
}
