//! The kit's class `GameLogic`.

use std::sync::{Mutex, PoisonError};

use matchq_players::games::Game as _;
use matchq_players::games::match3::{Match3, Move, Rules};
use matchq_players::kit::{self, Played};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::caught;
use crate::values::{kit_move, match3_rules, seed_or_random};

/// What `pickle` keeps of a game: how it is made, of what class, and its state.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyAny>,), (Py<PyBytes>, Py<PyAny>));

/// The game of a seed: the kit's class of this name, method for method and token for token.
///
/// seed: a whole number from 0 to 2**128 - 1; None draws one at random. obstacle_kinds: from 0 to
/// 252, 2 in the original, each as frequent as a kind of gem.
///
/// Raises ValueError for a seed or number of kinds out of range (the kit takes a negative seed's
/// absolute value), TypeError for no whole number.
#[pyclass(frozen, subclass, module = "matchq")]
pub struct GameLogic {
    game: Mutex<kit::GameLogic>,
}

impl GameLogic {
    /// Works on the game under its lock; nothing under the lock may wait for Python's.
    fn with<T>(&self, work: impl FnOnce(&mut kit::GameLogic) -> T) -> PyResult<T> {
        caught(|| Ok(work(&mut self.game.lock().unwrap_or_else(PoisonError::into_inner))))
    }
}

#[pymethods]
impl GameLogic {
    #[new]
    #[pyo3(signature = (seed = None, obstacle_kinds = None), text_signature = "(seed=None, obstacle_kinds=2)")]
    fn new(
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        obstacle_kinds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rules = obstacle_kinds.map_or_else(|| Ok(Rules::default()), match3_rules)?;
        let seed = seed_or_random(py, seed)?;
        caught(|| Ok(Self { game: Mutex::new(kit::GameLogic::new(seed, &rules)) }))
    }

    /// Points so far.
    fn score(&self) -> PyResult<i32> {
        self.with(|game| game.score())
    }

    /// Whether 25 moves have been played.
    fn is_gameover(&self) -> PyResult<bool> {
        self.with(|game| game.is_gameover())
    }

    /// Moves (x, y, vertical) that match at once, by x, then y, horizontal before vertical.
    fn matching_moves(&self) -> PyResult<Vec<(usize, usize, bool)>> {
        self.with(|game| game.matching_moves().iter().map(|Move { x, y, vertical }| (*x, *y, *vertical)).collect())
    }

    /// The board: ten rows of eight of "a b c d #", joined by newlines.
    fn board(&self) -> PyResult<String> {
        self.with(|game| game.board())
    }

    /// Moves left, 25 at the start; negative after moves beyond the end.
    fn moves_left(&self) -> PyResult<i32> {
        self.with(|game| game.moves_left())
    }

    /// Plays a move (x, y, vertical); returns (board, score delta, game over, intermediate boards).
    ///
    /// The move swaps the token in column x and row y, from the top left, with the one below if
    /// vertical is true, else with the one to its right. A move off the board changes nothing, but
    /// is used up. Intermediate boards are texts after the swap, every pass of falling (an empty
    /// cell is a space) and every clearing, without the last.
    ///
    /// Raises ValueError if the move has not three parts, TypeError if the move is no sequence or x
    /// and y are no whole numbers; no move is used up then.
    #[pyo3(signature = (r#move, /))]
    fn play(&self, r#move: &Bound<'_, PyAny>) -> PyResult<(String, i32, bool, Vec<String>)> {
        let chosen = kit_move(r#move)?;
        let Played { board, score_delta, game_over, intermediate } = self.with(|game| game.play(chosen))?;
        Ok((board, score_delta, game_over, intermediate))
    }

    /// A game in the same position, with the same random numbers to come.
    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        copied(slf, |_, own| Ok(own))
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        copied(slf, |copy, own| {
            // References back to the game find its copy.
            memo.set_item(slf.as_ptr() as usize, copy)?;
            slf.py().import("copy")?.call_method1("deepcopy", (own, memo))
        })
    }

    /// A new game of the class, then the state that replaces its own.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let state = slf.get().with(|game| postcard::to_stdvec(game))?;
        let state = state.map_err(|error| PyRuntimeError::new_err(format!("the game cannot be saved: {error}")))?;
        let py = slf.py();
        let new = py.import("copyreg")?.getattr("__newobj__")?;
        let own = slf.getattr("__dict__").map(Bound::unbind).unwrap_or_else(|_| py.None());
        Ok((new, (slf.get_type().into_any(),), (PyBytes::new(py, &state).unbind(), own)))
    }

    fn __setstate__(slf: &Bound<'_, Self>, saved: (Vec<u8>, Bound<'_, PyAny>)) -> PyResult<()> {
        let (state, own) = saved;
        let wrong = |error| PyValueError::new_err(format!("this is no saved game: {error}"));
        let state: kit::GameLogic = postcard::from_bytes(&state).map_err(wrong)?;
        slf.get().with(|game| *game = state)?;
        if !own.is_none() {
            slf.getattr("__dict__")?.call_method1("update", (own,))?;
        }
        Ok(())
    }

    /// The board as a picture, for notebooks.
    fn _repr_svg_(&self) -> PyResult<String> {
        crate::game::game(Match3::NAME).map(|game| self.with(|logic| game.svg(&logic.board())))?
    }

    fn __repr__(&self) -> PyResult<String> {
        self.with(|game| format!("<matchq.GameLogic: score {}, {} moves left>", game.score(), game.moves_left()))
    }
}

/// A copy of a game, of its class; `besides` turns copy and `__dict__` into the copy's attributes.
fn copied<'py>(
    game: &Bound<'py, GameLogic>,
    besides: impl FnOnce(&Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    // The class's own constructor may want arguments.
    let copied = game.py().get_type::<GameLogic>().call_method1("__new__", (game.get_type(),))?;
    let state = game.get().with(|game| game.clone())?;
    copied.cast::<GameLogic>()?.get().with(|game| *game = state)?;
    if let Ok(own) = game.getattr("__dict__") {
        copied.getattr("__dict__")?.call_method1("update", (besides(&copied, own)?,))?;
    }
    Ok(copied)
}
