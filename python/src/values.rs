//! Values to and from Python: seeds, numbers, moves, rules, positions, masks.

use matchq_players::error::{Error, Result};
use matchq_players::games::ActionMask;
use matchq_players::games::match3::Rules;
use matchq_players::{Playable, kit};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFloat, PyMemoryView, PySequence, PyString, PyTuple};
use serde_json::{Map, Value};

use crate::errors::{exception, unlocked};

/// Match-3's rules with a number of obstacle kinds.
pub fn match3_rules(obstacle_kinds: &Bound<'_, PyAny>) -> PyResult<Rules> {
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

/// A whole number in Python's sense; `None` for anything else, `TooFar` for a number that no i64
/// holds.
pub fn whole(number: &Bound<'_, PyAny>) -> PyResult<Option<std::result::Result<i64, TooFar>>> {
    match number.extract() {
        Ok(number) => Ok(Some(Ok(number))),
        Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => Ok(Some(Err(TooFar))),
        // An array of several numbers has the method, but is no number.
        Err(error) if error.is_instance_of::<PyTypeError>(number.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A whole number that no i64 holds.
pub struct TooFar;

/// Whether a value is a list, tuple, array or other sequence, but no text or bytes.
pub fn is_sequence(parts: &Bound<'_, PyAny>) -> bool {
    let is_text = parts.is_instance_of::<PyString>();
    let is_bytes = parts.is_instance_of::<PyBytes>() || parts.is_instance_of::<PyByteArray>();
    let is_other = is_text || is_bytes || parts.is_instance_of::<PyMemoryView>();
    parts.is_instance_of::<PyUntypedArray>() || parts.is_instance_of::<PySequence>() && !is_other
}

/// A move as the kit takes it: a sequence of two whole numbers and a truth value in Python's sense.
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
        // A cell so far off the board counts as just beside it.
        Some(Err(TooFar)) => Ok(-1),
        None => Err(PyTypeError::new_err(format!("{FORM}, x and y whole numbers, not {chosen:?}"))),
    };
    Ok((coordinate(x)?, coordinate(y)?, vertical.is_truthy()?))
}

/// Parameters of a game's rules by name, the number of obstacle kinds also by itself.
pub fn rules(given: Option<&Bound<'_, PyDict>>, obstacle_kinds: Option<&Bound<'_, PyAny>>) -> PyResult<Value> {
    let mut rules = given.map_or_else(|| Ok(Map::new()), |given| json_object(given, DEEPEST))?;
    if let Some(kinds) = obstacle_kinds {
        let number = match whole(kinds)? {
            Some(Ok(number)) => number.into(),
            Some(Err(TooFar)) => {
                return Err(PyValueError::new_err(format!("obstacle_kinds is {kinds}: that is too many")));
            }
            None => {
                let sentence = format!("obstacle_kinds is {kinds:?}, but must be a whole number");
                return Err(PyTypeError::new_err(sentence));
            }
        };
        if rules.insert("obstacle_kinds".to_owned(), number).is_some() {
            return Err(PyValueError::new_err("obstacle_kinds is given twice, in the rules and by itself"));
        }
    }
    Ok(Value::Object(rules))
}

/// Most lists and dictionaries inside each other.
const DEEPEST: usize = 64;

/// A Python value as JSON, NumPy's numbers and arrays included.
pub fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    within(value, DEEPEST)
}

fn within(value: &Bound<'_, PyAny>, deepest: usize) -> PyResult<Value> {
    if let Ok(truth) = value.extract::<bool>() {
        return Ok(truth.into());
    }
    if let Some(number) = whole(value)? {
        return number.map(Value::from).map_err(|_| PyValueError::new_err(format!("{value} is too large a number")));
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(text.into());
    }
    if value.is_instance_of::<PyFloat>() {
        let number = value.extract::<f64>()?;
        return match number.is_finite() {
            true => Ok(number.into()),
            false => Err(PyValueError::new_err(format!("{value} is no number that counts"))),
        };
    }
    let Some(deeper) = deepest.checked_sub(1) else {
        return Err(PyValueError::new_err(format!("the value has more than {DEEPEST} lists inside each other")));
    };
    if let Ok(given) = value.cast::<PyDict>() {
        return json_object(given, deeper).map(Value::Object);
    }
    if is_sequence(value) {
        return value.try_iter()?.map(|part| within(&part?, deeper)).collect::<PyResult<_>>().map(Value::Array);
    }
    Err(PyTypeError::new_err(format!("{value:?} is no number, truth value, text, sequence or dictionary")))
}

fn json_object(given: &Bound<'_, PyDict>, deepest: usize) -> PyResult<Map<String, Value>> {
    let name = |key: Bound<'_, PyAny>| {
        let wrong = |_| PyTypeError::new_err(format!("{key:?} is no name: a dictionary's keys must be text"));
        key.extract::<String>().map_err(wrong)
    };
    given.iter().map(|(key, value)| Ok((name(key)?, within(&value, deepest)?))).collect()
}

/// A JSON value as Python's, arrays as tuples.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(truth) => truth.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into_pyobject(py)?.into_any(),
            None => number.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(parts) => {
            let parts = parts.iter().map(|part| to_python(py, part)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, parts)?.into_any()
        }
        Value::Object(parts) => {
            let table = PyDict::new(py);
            for (key, part) in parts {
                table.set_item(key, to_python(py, part)?)?;
            }
            table.into_any()
        }
    })
}

/// Actions left; `None` is as many as a new game has.
pub fn actions_left(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<i64>> {
    let Some(given) = given else { return Ok(None) };
    match whole(given)? {
        Some(Ok(left)) => Ok(Some(left)),
        Some(Err(TooFar)) => Err(PyValueError::new_err(format!("{given} moves are left, but no game has so many"))),
        None => Err(PyTypeError::new_err(format!("moves_left is {given:?}, but must be a whole number"))),
    }
}

/// Position of a board at rest, with its piece where the game has pieces.
pub fn position<G: Playable>(rules: &G::Rules, board: &str, left: Option<i64>) -> Result<G::State> {
    let state = G::parse(rules, board, left)?;
    match G::PIECES.is_none() || G::is_whole(&state) {
        true => Ok(state),
        false => Err(Error::user("the board shows no piece")),
    }
}

pub fn write_mask(mask: &ActionMask, out: &mut [bool]) {
    out.fill(false);
    for action in mask.iter() {
        out[action] = true;
    }
}
