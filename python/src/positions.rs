//! Positions as Python gives them: texts, or what an environment shows.

use matchq_players::error::Error;
use numpy::PyReadonlyArrayDyn;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::exception;
use crate::player::Seen;
use crate::values::{actions_left, is_sequence, whole};

/// Positions as Python gives them.
pub struct Positions {
    pub seen: Vec<Seen>,
    /// Whether one was given, not a sequence.
    pub one: bool,
    /// Whether an environment shows them.
    pub shown: bool,
}

impl Positions {
    pub fn of(given: &Bound<'_, PyAny>, moves_left: Option<&Bound<'_, PyAny>>, game: &str) -> PyResult<Self> {
        if let Ok(shown) = given.cast::<PyDict>() {
            if moves_left.is_some() {
                return Err(PyTypeError::new_err("moves_left: an environment's observation has them already"));
            }
            return Self::shown(shown, game);
        }
        let one = given.is_instance_of::<PyString>();
        let boards: Vec<String> = if one { vec![given.extract()?] } else { given.extract()? };
        let left = each_left(moves_left, boards.len())?;
        if left.len() != boards.len() {
            let sentence = format!("there are {} boards, but {} moves left for them", boards.len(), left.len());
            return Err(PyValueError::new_err(sentence));
        }
        let seen = boards.into_iter().zip(left).map(|(board, left)| Seen::Text(board, left)).collect();
        Ok(Self { seen, one, shown: false })
    }

    /// An observation of an environment, or of a vector environment.
    fn shown(observation: &Bound<'_, PyDict>, game: &str) -> PyResult<Self> {
        let sizes = crate::game::game(game)?.sizes();
        let (mut image, mut scalars) = (None, None);
        for (key, value) in observation.iter() {
            let key: String = key.extract().unwrap_or_default();
            match key.as_str() {
                "board" => image = Some(value),
                "moves_left" | "scalars" => scalars = Some(value),
                // Wrappers add masks.
                _ => {}
            }
        }
        let (Some(image), Some(scalars)) = (image, scalars) else {
            let sentence =
                "an observation has board and moves_left, or board and scalars, as matchq's environments show";
            return Err(PyValueError::new_err(sentence));
        };
        let numpy = observation.py().import("numpy")?;
        let kind: char = numpy.call_method1("asarray", (&image,))?.getattr("dtype")?.getattr("kind")?.extract()?;
        if !"bui".contains(kind) {
            return Err(PyValueError::new_err("the observation's board must be of whole numbers or truth values"));
        }
        let image = numpy.call_method1("ascontiguousarray", (image, "uint8"))?;
        let scalars = numpy.call_method1("ascontiguousarray", (scalars, "float32"))?;
        let shape: Vec<usize> = image.getattr("shape")?.extract()?;
        let (one, count) = match *shape {
            [planes, rows, columns] if [planes, rows, columns] == sizes.image => (true, 1),
            [count, planes, rows, columns] if [planes, rows, columns] == sizes.image => (false, count),
            _ => {
                let [planes, rows, columns] = sizes.image;
                return Err(PyValueError::new_err(format!(
                    "the observation's board has the shape {shape:?}, but of {game} it must have ({planes}, {rows}, \
                     {columns}), or one dimension more"
                )));
            }
        };
        let image: PyReadonlyArrayDyn<'_, u8> = image.extract()?;
        let scalars: PyReadonlyArrayDyn<'_, f32> = scalars.extract()?;
        let (image, scalars) = (image.as_slice()?, scalars.as_slice()?);
        if scalars.iter().any(|scalar| !scalar.is_finite()) {
            return Err(PyValueError::new_err("the numbers beside the observation's board must be finite"));
        }
        if scalars.len() != count * sizes.scalars {
            return Err(PyValueError::new_err(format!(
                "the observation has {count} boards, but {} numbers beside them, not {}",
                scalars.len(),
                count * sizes.scalars
            )));
        }
        let parts = image.chunks_exact(sizes.cells()).zip(scalars.chunks_exact(sizes.scalars));
        let seen = parts.map(|(image, scalars)| Seen::Image(image.to_vec(), scalars.to_vec())).collect();
        Ok(Self { seen, one, shown: true })
    }

    /// An error, of many positions with the place.
    pub fn exception(&self, (index, error): (usize, Error)) -> PyErr {
        match error {
            Error::User(what) if !self.one => PyValueError::new_err(format!("board {index} (from 0): {what}")),
            error => exception(error),
        }
    }
}

/// Moves left for each board, from a number for all or a sequence of numbers.
fn each_left(moves_left: Option<&Bound<'_, PyAny>>, boards: usize) -> PyResult<Vec<Option<i64>>> {
    // An array without a dimension is a number as well.
    match moves_left.filter(|left| is_sequence(left) && matches!(whole(left), Ok(None))) {
        Some(sequence) => sequence.try_iter()?.map(|left| actions_left(Some(&left?))).collect(),
        None => Ok(vec![actions_left(moves_left)?; boards]),
    }
}
