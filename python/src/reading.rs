//! Boards read from pictures.

use std::path::PathBuf;

use matchq_players::error::{Error, Result};
use matchq_players::files::read_limited;
use matchq_players::games::{Game as _, Match3};
use matchq_vision::{Field, LONGEST, MOST_PIXELS, Picture, Theme};
use numpy::{IntoPyArray, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray3, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::{exception, on_threads, unlocked};

/// A board read from a picture by read_board.
#[pyclass(frozen, module = "matchq")]
pub struct Reading {
    picture: Picture,
    reading: matchq_vision::Reading,
    /// Name or file of the theme that read the board.
    #[pyo3(get)]
    theme: String,
}

#[pymethods]
impl Reading {
    /// The board as text, ? where a cell is not sure.
    #[getter]
    fn board(&self) -> String {
        self.reading.board()
    }

    /// Whether every cell is sure.
    #[getter]
    fn sure(&self) -> bool {
        self.reading.unsure().next().is_none()
    }

    /// Confidence of each cell, from 0 to 1: float32 of shape (rows, columns).
    #[getter]
    fn confidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let [columns, rows] = self.reading.field.size;
        let numbers: Vec<f32> = self.reading.cells.iter().map(|cell| cell.confidence).collect();
        numbers.into_pyarray(py).reshape([rows, columns])
    }

    /// Place of the field in the picture, (left, top, width, height) in pixels.
    #[getter]
    fn field(&self) -> (f64, f64, f64, f64) {
        self.reading.field.rectangle().into()
    }

    /// The picture with each cell's likeliest letter and confidence, uint8 of shape (height, width,
    /// 3).
    ///
    /// Confidences are in percent, unsure cells red. The given cells, (row, column), have a frame;
    /// the cells of up to three moves, best first, have an outline and a rank.
    ///
    /// Raises ValueError for a cell outside of the field.
    #[pyo3(signature = (cells = Vec::new(), moves = Vec::new()), text_signature = "(self, cells=(), moves=())")]
    fn drawn<'py>(
        &self,
        py: Python<'py>,
        cells: Vec<(i64, i64)>,
        moves: Vec<Vec<(i64, i64)>>,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let field = &self.reading.field;
        let [columns, rows] = field.size;
        let within = |(row, column): (i64, i64)| {
            let cell = usize::try_from(row).ok().zip(usize::try_from(column).ok());
            let cell = cell.filter(|(row, column)| *row < rows && *column < columns).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "there is no cell ({row}, {column}): the field has {rows} rows and {columns} columns"
                ))
            });
            cell.map(|(row, column)| [column, row])
        };
        let within = |cells: Vec<(i64, i64)>| cells.into_iter().map(within).collect::<PyResult<Vec<_>>>();
        let (cells, moves) = (within(cells)?, moves.into_iter().map(within).collect::<PyResult<Vec<_>>>()?);
        let drawn = unlocked(py, || {
            let mut drawn = matchq_vision::overlay(&self.picture, &self.reading);
            cells.iter().for_each(|[column, row]| matchq_vision::mark(&mut drawn, field, *column, *row));
            Ok(matchq_vision::moves(&drawn, field, &moves))
        })?;
        drawn.values().to_vec().into_pyarray(py).reshape([drawn.height(), drawn.width(), 3])
    }

    fn __repr__(&self) -> String {
        let [columns, rows] = self.reading.field.size;
        format!("<matchq.Reading: {columns} by {rows} cells by the theme {}>", self.theme)
    }
}

/// Reads the board that a picture shows.
///
/// picture: path of a PNG or JPEG, or uint8 of shape (height, width, 3), red, green and blue.
/// theme: the look of the gems, by a name in the program (match3, kit, bejeweled, bejeweled-deluxe,
/// bejeweled-flash, bejeweled-drawn, tile-match, bilging, samegame, lmgame-bench, articles, articles-1) or a file that
/// matchq read --teach made; None tries the game's themes, without a game match-3's. field: (left, top, width, height) in pixels;
/// with None the field is searched for. Most cells are ? if no theme fits.
///
/// Raises ValueError for what is no picture or theme, where no field is found and for a field
/// outside of the picture.
#[pyfunction]
#[pyo3(signature = (picture, /, *, theme = None, game = None, field = None))]
pub fn read_board(
    picture: &Bound<'_, PyAny>,
    theme: Option<String>,
    game: Option<&str>,
    field: Option<[f64; 4]>,
) -> PyResult<Reading> {
    let py = picture.py();
    let known = game.or(theme.is_none().then_some(Match3::NAME)).map(crate::game::game).transpose()?;
    let names: Vec<String> = match (theme, &known) {
        (None, Some(known)) => known.themes().iter().map(|name| name.to_string()).collect(),
        (theme, _) => theme.into_iter().collect(),
    };
    if let (true, Some(name)) = (names.is_empty(), game) {
        let sentence =
            format!("there is no theme for pictures of {name}: name one, or make one by matchq read --teach");
        return Err(PyValueError::new_err(sentence));
    }
    let (name, picture) = pixels(picture)?;
    on_threads(py, || {
        let themes = names.iter().map(|name| Theme::load(name)).collect::<Result<Vec<_>>>();
        let themes = themes.map_err(exception)?;
        if let (Some(game), Some(known)) = (game, &known) {
            let [_, rows, columns] = known.sizes().image;
            if let Some(at) = themes.iter().position(|theme| theme.size() != [columns, rows]) {
                let ([width, height], name) = (themes[at].size(), &names[at]);
                let sentence =
                    format!("the theme {name} has {width} columns and {height} rows; {game} has {columns} and {rows}");
                return Err(PyValueError::new_err(sentence));
            }
            let strange = |theme: &Theme| {
                let letters = theme.letters();
                letters.into_iter().find(|letter| known.tokens().iter().all(|token| token.letter != *letter))
            };
            if let Some((name, letter)) = names.iter().zip(&themes).find_map(|(name, of)| Some((name, strange(of)?))) {
                let sentence = format!("the theme {name} has the letter {letter}, which {game} does not have");
                return Err(PyValueError::new_err(sentence));
            }
        }
        let within = |rectangle: [f64; 4]| {
            Field::within(&picture, rectangle, themes[0].size()).map_err(|what| {
                let [x, y, width, height] = rectangle;
                PyValueError::new_err(format!("the field ({x}, {y}, {width}, {height}): {what}"))
            })
        };
        let field = field.map(within).transpose()?;
        let (at, mut reading) =
            matchq_vision::read_best(&name, &picture, &themes, field).map_err(|error| match error {
                // Python has an argument in place of the flag.
                Error::User(text) => exception(Error::User(text.replace("--field X,Y,WIDTH,HEIGHT", "field"))),
                other => exception(other),
            })?;
        // Without names the themes are match-3's.
        if let Some(known) = known
            && !known.stands(&reading.likeliest())
        {
            reading.doubt_runs();
        }
        Ok(Reading { picture, reading, theme: names[at].clone() })
    })
}

fn pixels(picture: &Bound<'_, PyAny>) -> PyResult<(String, Picture)> {
    if let Ok(array) = picture.extract::<PyReadonlyArray3<'_, u8>>() {
        let array = array.as_array();
        let [height, width, values] = [0, 1, 2].map(|axis| array.shape()[axis]);
        if values != 3 || width == 0 || height == 0 || (width * height) as u64 > MOST_PIXELS {
            let sentence = format!(
                "the picture has shape ({height}, {width}, {values}), but must have (height, width, 3) and at most {MOST_PIXELS} pixels"
            );
            return Err(PyValueError::new_err(sentence));
        }
        return Ok(("the picture".to_owned(), Picture::new(width, array.iter().copied().collect())));
    }
    let Ok(path) = picture.extract::<PathBuf>() else {
        let found = match picture.cast::<PyUntypedArray>() {
            Ok(array) => format!("{} of shape {:?}", array.dtype(), array.shape()),
            Err(_) => picture.get_type().to_string(),
        };
        let sentence = format!("a picture is a path or uint8 of shape (height, width, 3), not {found}");
        return Err(PyTypeError::new_err(sentence));
    };
    let name = path.display().to_string();
    let picture = unlocked(picture.py(), || {
        let bytes = read_limited(&path, LONGEST).map_err(exception)?;
        Picture::decode(&name, &bytes).map_err(exception)
    })?;
    Ok((name, picture))
}
