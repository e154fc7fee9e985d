//! Games that step together into NumPy's arrays, for the Gymnasium environments.

use std::sync::{Mutex, PoisonError};

use numpy::{
    IntoPyArray, PyArray3, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{caught, exception, locked, on_threads_with, unlocked};
use crate::game::{Sizes, game};
use crate::values::{rules, seed};
use crate::vector::{AnyGames, GAMES_PER_TASK, View};

/// Arrays of what is seen of all games: images u8 [games, PLANES, ROWS, COLUMNS], scalars f32
/// [games, SCALARS], masks bool [games, ACTIONS], scores i64 [games], and which games are over and
/// which are cut, bool [games].
#[derive(FromPyObject)]
struct Arrays<'py>(
    Bound<'py, PyArrayDyn<u8>>,
    Bound<'py, PyArrayDyn<f32>>,
    Bound<'py, PyArrayDyn<bool>>,
    Bound<'py, PyArrayDyn<i64>>,
    Bound<'py, PyArrayDyn<bool>>,
    Bound<'py, PyArrayDyn<bool>>,
);

/// The arrays of [`Arrays`], held for writing.
struct Held<'py> {
    images: PyReadwriteArrayDyn<'py, u8>,
    scalars: PyReadwriteArrayDyn<'py, f32>,
    masks: PyReadwriteArrayDyn<'py, bool>,
    scores: PyReadwriteArrayDyn<'py, i64>,
    over: PyReadwriteArrayDyn<'py, bool>,
    cut: PyReadwriteArrayDyn<'py, bool>,
}

impl<'py> Arrays<'py> {
    fn hold(&self) -> PyResult<Held<'py>> {
        Ok(Held {
            images: self.0.try_readwrite()?,
            scalars: self.1.try_readwrite()?,
            masks: self.2.try_readwrite()?,
            scores: self.3.try_readwrite()?,
            over: self.4.try_readwrite()?,
            cut: self.5.try_readwrite()?,
        })
    }
}

impl Held<'_> {
    /// Parts of the games, in order.
    fn split(&mut self, games: usize, sizes: &Sizes) -> PyResult<Vec<View<'_>>> {
        let images = numbers(&mut self.images, games * sizes.cells())?.chunks_exact_mut(sizes.cells());
        let scalars = numbers(&mut self.scalars, games * sizes.scalars)?.chunks_exact_mut(sizes.scalars);
        let masks = numbers(&mut self.masks, games * sizes.actions)?.chunks_exact_mut(sizes.actions);
        let scores = numbers(&mut self.scores, games)?;
        let over = numbers(&mut self.over, games)?;
        let cut = numbers(&mut self.cut, games)?;
        let parts = images.zip(scalars).zip(masks).zip(scores).zip(over).zip(cut);
        let view = |(((((image, scalars), mask), score), over), cut)| View { image, scalars, mask, score, over, cut };
        Ok(parts.map(view).collect())
    }
}

/// Work without Python's lock, on the thread pool or not.
fn on_threads_if<S: Send, T: Send>(
    threads: bool,
    py: Python<'_>,
    state: &Mutex<S>,
    work: impl FnOnce(&mut S) -> PyResult<T> + Send,
) -> PyResult<T> {
    match threads {
        true => on_threads_with(py, state, work),
        false => unlocked(py, || work(&mut state.lock().unwrap_or_else(PoisonError::into_inner))),
    }
}

/// Contiguous numbers of an array, exactly `count`.
fn numbers<'a, T: numpy::Element>(array: &'a mut PyReadwriteArrayDyn<'_, T>, count: usize) -> PyResult<&'a mut [T]> {
    let found = array.len();
    match array.as_slice_mut() {
        Ok(numbers) if found == count => Ok(numbers),
        _ => Err(PyValueError::new_err(format!("an array of {count} contiguous numbers is needed, not of {found}"))),
    }
}

/// What `pickle` keeps of games: how they are restored, name and state.
type Reduced<'py> = (Bound<'py, PyAny>, (String, Bound<'py, PyBytes>));

/// Games that step together, private to the package's environments, which own the arrays.
#[pyclass(frozen, module = "matchq._matchq")]
pub struct Games {
    name: String,
    games: Mutex<Box<dyn AnyGames>>,
    sizes: Sizes,
}

#[pymethods]
impl Games {
    /// count games of a name, dealt by the first reset; an empty mask is the default. Games are cut
    /// after longest moves.
    #[new]
    #[pyo3(signature = (name, count, rules, mask, obstacle_kinds, longest=None))]
    fn new(
        name: &str,
        count: usize,
        rules: Option<&Bound<'_, PyDict>>,
        mask: &str,
        obstacle_kinds: Option<&Bound<'_, PyAny>>,
        longest: Option<u64>,
    ) -> PyResult<Self> {
        if count == 0 {
            return Err(PyValueError::new_err("the number of games is 0, but must be at least 1"));
        }
        let (game, rules) = (game(name)?, self::rules(rules, obstacle_kinds)?);
        let games = caught(|| game.games(count, &rules, mask, longest.unwrap_or(u64::MAX)).map_err(exception))?;
        let games = games.ok_or_else(|| PyMemoryError::new_err(format!("there is no memory for {count} games")))?;
        Ok(Self { name: name.to_owned(), games: Mutex::new(games), sizes: game.sizes() })
    }

    /// Games as they were pickled, by name and state.
    #[staticmethod]
    fn restored(name: &str, saved: &[u8]) -> PyResult<Self> {
        let game = game(name)?;
        let games = caught(|| game.restored(saved).map_err(exception))?;
        Ok(Self { name: name.to_owned(), games: Mutex::new(games), sizes: game.sizes() })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let saved = locked(py, &self.games)?.save().map_err(exception)?;
        let restored = py.get_type::<Self>().getattr("restored")?;
        Ok((restored, (self.name.clone(), PyBytes::new(py, &saved))))
    }

    /// Each token's letter and drawing, uint8 of shape (side, side, 3).
    fn tiles<'py>(&self, py: Python<'py>, side: usize) -> PyResult<Vec<(char, Bound<'py, PyArray3<u8>>)>> {
        let tiles = game(&self.name)?.tiles(side).into_iter();
        tiles.map(|(letter, pixels)| Ok((letter, pixels.into_pyarray(py).reshape([side, side, 3])?))).collect()
    }

    /// Planes, rows and columns of an image.
    #[getter]
    fn image(&self) -> (usize, usize, usize) {
        self.sizes.image.into()
    }

    /// Numbers beside the image.
    #[getter]
    fn scalars(&self) -> usize {
        self.sizes.scalars
    }

    /// Number of actions.
    #[getter]
    fn actions(&self) -> usize {
        self.sizes.actions
    }

    /// Deals a new game where which is true; None is everywhere.
    ///
    /// The game of a seed begins a new session; a seed of None is the next game of the session.
    fn reset(
        &self,
        py: Python<'_>,
        seeds: Vec<Option<Bound<'_, PyAny>>>,
        which: Option<PyReadonlyArrayDyn<'_, bool>>,
        arrays: Arrays<'_>,
    ) -> PyResult<()> {
        let seeds: Vec<Option<u128>> =
            seeds.iter().map(|given| given.as_ref().map(seed).transpose()).collect::<PyResult<_>>()?;
        let which = which.map_or_else(|| Ok(vec![true; seeds.len()]), |which| which.to_vec())?;
        let mut held = arrays.hold()?;
        let mut views = held.split(seeds.len(), &self.sizes)?;
        on_threads_if(seeds.len() > GAMES_PER_TASK, py, &self.games, |games| {
            check(games.len(), seeds.len())?;
            check(games.len(), which.len())?;
            games.reset(&seeds, &which, &mut views);
            Ok(())
        })
    }

    /// Plays an action in each game and writes rewards (f64 [games]).
    ///
    /// A new game follows one that was over or cut if renew is true, with a reward of 0 whatever the
    /// action; otherwise such a game is an error.
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArrayDyn<'_, i64>,
        renew: bool,
        rewards: Bound<'_, PyArrayDyn<f64>>,
        arrays: Arrays<'_>,
    ) -> PyResult<()> {
        let actions = actions.as_slice()?;
        let (count, all) = (actions.len(), self.sizes.actions as i64);
        let (mut held, mut rewards) = (arrays.hold()?, rewards.try_readwrite()?);
        let mut views = held.split(count, &self.sizes)?;
        let rewards = numbers(&mut rewards, count)?;
        on_threads_if(count > GAMES_PER_TASK, py, &self.games, |games| {
            check(games.len(), count)?;
            for (place, action) in actions.iter().enumerate() {
                if games.is_done(place) {
                    if !renew {
                        let sentence =
                            format!("game {place} (from 0) is over or cut: reset it before it is stepped again");
                        return Err(PyRuntimeError::new_err(sentence));
                    }
                } else if !(0..all).contains(action) {
                    let of_game = if count == 1 { String::new() } else { format!(" of game {place} (from 0)") };
                    let sentence = format!("the action{of_game} is {action}, but must be from 0 to {}", all - 1);
                    return Err(PyValueError::new_err(sentence));
                }
            }
            games.step(actions, rewards, &mut views);
            Ok(())
        })
    }

    /// Seeds of the present games.
    fn seeds(&self, py: Python<'_>) -> PyResult<Vec<u128>> {
        Ok(locked(py, &self.games)?.seeds())
    }

    /// Texts of the boards.
    fn boards(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(locked(py, &self.games)?.boards())
    }

    /// An independent copy of the games.
    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        let games = Mutex::new(locked(py, &self.games)?.copy());
        Ok(Self { name: self.name.clone(), games, sizes: self.sizes })
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.__copy__(memo.py())
    }
}

fn check(games: usize, parts: usize) -> PyResult<()> {
    match parts == games {
        true => Ok(()),
        false => Err(PyValueError::new_err(format!("there are {games} games, but {parts} were given"))),
    }
}
