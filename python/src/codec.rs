//! Boards and moves of every game as numbers, and back.

use matchq_players::games::Game as _;
use matchq_players::games::match3::Match3;
use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::json;

use crate::errors::{caught, exception};
use crate::game::game;
use crate::values::{TooFar, actions_left, kit_move, rules, to_json, to_python, whole, write_mask};

/// The number of a move; in match-3, of (x, y, vertical), from 0 to 141.
///
/// Match-3's vertical moves are 8 * y + x (0 to 71), its horizontal ones 72 + 7 * y + x (72 to
/// 141).
///
/// Raises ValueError for a move off the board or with wrong parts and for an unknown game,
/// TypeError for what is no move.
#[pyfunction]
#[pyo3(signature = (r#move, /, *, game = Match3::NAME), text_signature = "(move, /, *, game='match3')")]
pub fn action_of_move(r#move: &Bound<'_, PyAny>, game: &str) -> PyResult<usize> {
    let known = self::game(game)?;
    // The kit's moves may be true in Python's sense, and far off the board.
    let given = if game == Match3::NAME { json!(kit_move(r#move)?) } else { to_json(r#move)? };
    let action = known.read_move(&given).map_err(exception)?;
    if action >= known.sizes().actions {
        let [_, rows, columns] = known.sizes().image;
        let sentence = format!("{:?} is off the board, which has {columns} columns and {rows} rows", r#move);
        return Err(PyValueError::new_err(sentence));
    }
    Ok(action)
}

/// The move of a number, the inverse of action_of_move; (x, y, vertical) in match-3.
///
/// Raises ValueError for a number out of range and an unknown game, TypeError for what is no whole
/// number.
#[pyfunction]
#[pyo3(signature = (action, /, *, game = Match3::NAME), text_signature = "(action, /, *, game='match3')")]
pub fn move_of_action<'py>(action: &Bound<'py, PyAny>, game: &str) -> PyResult<Bound<'py, PyAny>> {
    let game = self::game(game)?;
    let all = game.sizes().actions;
    let sentence = || format!("the action is {action:?}, but must be a whole number from 0 to {}", all - 1);
    let number = whole(action)?.ok_or_else(|| PyTypeError::new_err(sentence()))?;
    match number.map(usize::try_from) {
        Ok(Ok(number)) if number < all => to_python(action.py(), &game.to_json(number)),
        Ok(_) | Err(TooFar) => Err(PyValueError::new_err(sentence())),
    }
}

/// Moves of a new game, 25 in match-3; 0 where moves are not counted.
///
/// Raises ValueError for an unknown game.
#[pyfunction]
#[pyo3(signature = (game = Match3::NAME), text_signature = "(game='match3')")]
pub fn moves_of_a_game(game: &str) -> PyResult<usize> {
    Ok(self::game(game)?.moves())
}

/// Cells that a swap moves, as (row, column) from the top left.
///
/// Raises ValueError as action_of_move does, and for a game with pieces, whose cells depend on the board.
#[pyfunction]
#[pyo3(signature = (r#move, /, *, game = Match3::NAME), text_signature = "(move, /, *, game='match3')")]
pub fn cells_of_move<'py>(r#move: &Bound<'py, PyAny>, game: &str) -> PyResult<Bound<'py, PyTuple>> {
    let action = action_of_move(r#move, game)?;
    let cells = self::game(game)?.cells(action);
    let sentence = || format!("the cells of a move of {game} depend on its board");
    PyTuple::new(r#move.py(), cells.ok_or_else(|| PyValueError::new_err(sentence()))?)
}

/// Moves that are offered on a board: bool of shape (actions,), 142 in match-3, at least one true.
///
/// kind: a mask of the game, its default if None. Match-3 has "legal" (all), "effective" (moves
/// that change what is seen), "matching" (moves that match at once, the default) and "setups"
/// (these and moves that match nothing and prepare the most). Moves of the kind before are offered
/// where a board has none of a kind. moves_left: as many as a new game has if None. rules: as of
/// Player.
///
/// Raises ValueError for a text that is no board, a board that no game shows between two moves,
/// moves left that no game has, and unknown kinds, games and rules.
#[pyfunction]
#[pyo3(
    signature = (board, kind = None, moves_left = None, *, game = Match3::NAME, rules = None),
    text_signature = "(board, kind=None, moves_left=None, *, game='match3', rules=None)"
)]
pub fn action_mask<'py>(
    py: Python<'py>,
    board: &str,
    kind: Option<&str>,
    moves_left: Option<&Bound<'py, PyAny>>,
    game: &str,
    rules: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let (game, left, rules) = (self::game(game)?, actions_left(moves_left)?, self::rules(rules, None)?);
    let mut values = vec![false; game.sizes().actions];
    let mask = caught(|| game.mask(&rules, board, left, kind.unwrap_or_default()).map_err(exception))?;
    write_mask(&mask, &mut values);
    Ok(values.into_pyarray(py))
}

/// An image and its scalars.
type Encoded<'py> = (Bound<'py, PyArray3<u8>>, Bound<'py, PyArray1<f32>>);

/// What a network sees of a board, (image, scalars), as the environments show it.
///
/// The image is uint8 of shape (planes, rows, columns), the scalars float32 of shape (scalars,).
/// Match-3's image has shape (5, 10, 8), planes of a, b, c, d and obstacles; its scalar is the
/// moves left divided by 25. moves_left: as many as a new game has if None. rules: as of Player.
///
/// Raises as action_mask does.
#[pyfunction]
#[pyo3(
    signature = (board, moves_left = None, *, game = Match3::NAME, rules = None),
    text_signature = "(board, moves_left=None, *, game='match3', rules=None)"
)]
pub fn encode<'py>(
    py: Python<'py>,
    board: &str,
    moves_left: Option<&Bound<'py, PyAny>>,
    game: &str,
    rules: Option<&Bound<'_, PyDict>>,
) -> PyResult<Encoded<'py>> {
    let (game, left, rules) = (self::game(game)?, actions_left(moves_left)?, self::rules(rules, None)?);
    let sizes = game.sizes();
    let (mut image, mut scalars) = (vec![0; sizes.cells()], vec![0.0; sizes.scalars]);
    caught(|| game.encode(&rules, board, left, &mut image, &mut scalars).map_err(exception))?;
    Ok((image.into_pyarray(py).reshape(sizes.image)?, scalars.into_pyarray(py)))
}
