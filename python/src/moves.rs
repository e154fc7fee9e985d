//! What comes from Python as a seed, a move, an action or a mask's name.

use matchq::error::Error;
use matchq::games::match3::{MOVES, Match3, Move, Rules, State};
use matchq::games::{ActionMask, Game, MaskKind};
use matchq::kit;
use numpy::{IntoPyArray, PyArray1, PyUntypedArray};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PySequence, PyString};

use crate::errors::{caught, exception, unlocked};

/// The rules with a number of obstacle kinds.
pub fn rules(obstacle_kinds: &Bound<'_, PyAny>) -> PyResult<Rules> {
    // A number that no u32 holds is out of range as well.
    match obstacle_kinds.extract::<u32>() {
        Ok(kinds) => Rules::new(kinds).map_err(exception),
        Err(error) if error.is_instance_of::<PyOverflowError>(obstacle_kinds.py()) => {
            let most = Rules::MOST_OBSTACLE_KINDS;
            let sentence = format!("the number of obstacle kinds is {obstacle_kinds}, but must be from 0 to {most}");
            Err(PyValueError::new_err(sentence))
        }
        Err(error) => Err(error),
    }
}

/// A seed from 0 to 2^128 - 1.
pub fn seed(seed: &Bound<'_, PyAny>) -> PyResult<u128> {
    let whole = seed.py().import("operator")?.getattr("index")?.call1((seed,)).map_err(|_| {
        PyTypeError::new_err(format!("the seed is {seed:?}, but must be a whole number from 0 to 2^128 - 1, or None"))
    })?;
    whole.extract().map_err(|_| PyValueError::new_err(format!("the seed is {whole}, but must be from 0 to 2^128 - 1")))
}

/// A seed, or 128 random bits for None.
pub fn seed_or_random(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<u128> {
    given.map_or_else(|| unlocked(py, || Ok(kit::random_seed())), seed)
}

/// A whole number in Python's sense: nothing for what is none, an error for one that no i64 holds.
pub fn whole(number: &Bound<'_, PyAny>) -> PyResult<Option<Result<i64, TooFar>>> {
    match number.extract() {
        Ok(number) => Ok(Some(Ok(number))),
        Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => Ok(Some(Err(TooFar))),
        // Also an array of several numbers, which has the method, but is no number.
        Err(error) if error.is_instance_of::<PyTypeError>(number.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A whole number beyond all that an i64 holds.
pub struct TooFar;

/// Whether it is a list, a tuple, an array or another sequence, but neither text nor bytes.
pub fn is_sequence(parts: &Bound<'_, PyAny>) -> bool {
    let is_text = parts.is_instance_of::<PyString>();
    let is_bytes = parts.is_instance_of::<PyBytes>() || parts.is_instance_of::<PyByteArray>();
    let is_other = is_text || is_bytes || parts.is_instance_of::<PyMemoryView>();
    parts.is_instance_of::<PyUntypedArray>() || parts.is_instance_of::<PySequence>() && !is_other
}

/// A move as the kit takes it: a sequence of three, two whole numbers and what is true or false in Python's sense.
pub fn kit_move(chosen: &Bound<'_, PyAny>) -> PyResult<kit::Move> {
    const FORM: &str = "a move is (x, y, vertical), such as (3, 0, True)";
    if let Ok((x, y, vertical)) = chosen.extract() {
        return Ok((x, y, vertical));
    }
    if !is_sequence(chosen) {
        return Err(PyTypeError::new_err(format!("{FORM}, not {chosen:?}")));
    }
    let parts = chosen.try_iter()?.take(4).collect::<PyResult<Vec<_>>>()?;
    let [x, y, vertical] = parts.as_slice() else {
        return Err(PyValueError::new_err(format!("{FORM}, not {chosen:?}")));
    };
    let coordinate = |number: &Bound<'_, PyAny>| match whole(number)? {
        Some(Ok(number)) => Ok(number),
        // So far off the board that it may as well be just beside it.
        Some(Err(TooFar)) => Ok(-1),
        None => Err(PyTypeError::new_err(format!("{FORM}, x and y whole numbers, not {chosen:?}"))),
    };
    Ok((coordinate(x)?, coordinate(y)?, vertical.is_truthy()?))
}

/// A mask's name.
pub fn mask_kind(name: &str) -> PyResult<MaskKind> {
    name.parse().map_err(|error: Error| exception(error))
}

/// Writes a mask as 142 truth values.
pub fn write_mask(mask: &ActionMask, out: &mut [bool]) {
    out.fill(false);
    for action in mask.iter() {
        out[action] = true;
    }
}

/// (x, y, vertical) of a move.
pub fn triple(Move { x, y, vertical }: Move) -> (usize, usize, bool) {
    (x, y, vertical)
}

/// The number, from 0 to 141, of a move (x, y, vertical).
///
/// Vertical moves are 8 * y + x (0 to 71), horizontal ones 72 + 7 * y + x (72 to 141).
///
/// Raises ValueError if a cell of the move is off the board or it has not three parts, TypeError for what is no move.
#[pyfunction]
#[pyo3(signature = (r#move, /))]
pub fn action_of_move(r#move: &Bound<'_, PyAny>) -> PyResult<usize> {
    let chosen = r#move;
    let (x, y, vertical) = kit_move(chosen)?;
    let on_board = |(x, y)| Move { x, y, vertical }.action();
    let (column, row) = (usize::try_from(x).ok(), usize::try_from(y).ok());
    column.zip(row).and_then(on_board).ok_or_else(|| {
        let (columns, rows) = if vertical { (8, 9) } else { (7, 10) };
        PyValueError::new_err(format!(
            "{chosen:?} is off the board: x must be from 0 to {}, y from 0 to {}",
            columns - 1,
            rows - 1
        ))
    })
}

/// The move (x, y, vertical) of a number from 0 to 141; the inverse of action_of_move.
///
/// Raises ValueError for any other number, TypeError for what is no whole number.
#[pyfunction]
#[pyo3(signature = (action, /))]
pub fn move_of_action(action: &Bound<'_, PyAny>) -> PyResult<(usize, usize, bool)> {
    let sentence = || format!("the action is {action:?}, but must be a whole number from 0 to 141");
    let number = whole(action)?.ok_or_else(|| PyTypeError::new_err(sentence()))?;
    match number.map(usize::try_from) {
        Ok(Ok(action)) if action < Match3::ACTIONS => Ok(triple(Move::of_action(action))),
        _ => Err(PyValueError::new_err(sentence())),
    }
}

/// The moves that are offered on a board: 142 truth values (numpy bool, shape (142,)), at least one of them true.
///
/// kind: "legal" (all), "effective" (moves that change what is seen), "matching" (moves that match at once) or "setups"
/// (these and moves that match nothing and prepare the most, as with more than one move left). Where a board has none of a
/// kind, those that change what is seen are offered, and where it has none of these, all.
///
/// Raises ValueError for a text that is no board and for a board with a run of three or more, which no game shows between
/// two moves, with row and column, and for another kind.
#[pyfunction]
#[pyo3(signature = (board, kind = "matching"))]
pub fn action_mask<'py>(py: Python<'py>, board: &str, kind: &str) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let values = caught(|| {
        let state = State::at_rest(board, MOVES.into()).map_err(exception)?;
        let mut values = vec![false; Match3::ACTIONS];
        write_mask(&Match3::mask(&state, mask_kind(kind)?), &mut values);
        Ok(values)
    })?;
    Ok(values.into_pyarray(py))
}
