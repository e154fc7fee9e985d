//! Many games that step together into NumPy's arrays: what the Gymnasium environments are made of.

use std::sync::{Mutex, PoisonError};

use matchq::games::match3::{MOVES, Match3, Rules};
use matchq::games::{Game, MaskKind};
use matchq::random::CPythonRandom;
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::errors::{caught, unlocked};
use crate::moves::{mask_kind, rules, seed, write_mask};

/// Numbers in the image of a position.
const IMAGE: usize = Match3::PLANES * Match3::ROWS * Match3::COLUMNS;

/// Fewer games than this are not worth another thread.
const GAMES_PER_TASK: usize = 64;

/// Games that step together; private to the package's environments, which own the arrays it writes.
#[pyclass(frozen, module = "matchq")]
pub struct Games {
    tables: Mutex<Vec<Table>>,
    rules: Rules,
    mask: MaskKind,
}

#[derive(Clone)]
struct Table {
    game: Match3,
    random: CPythonRandom,
    seed: u128,
    /// Where the seeds of the games after the first come from.
    session: CPythonRandom,
}

impl Table {
    /// The game of a seed, the first of a session.
    fn new(rules: &Rules, seed: u128) -> Self {
        let mut random = CPythonRandom::new(seed);
        let session = random.clone();
        Self { game: Match3::new(rules, &mut random), random, seed, session }
    }

    /// Goes on to the game of the seed that comes next in the session.
    fn renew(&mut self, rules: &Rules) {
        self.seed = self.session.getrandbits128();
        self.random = CPythonRandom::new(self.seed);
        self.game = Match3::new(rules, &mut self.random);
    }
}

/// What is seen of all games: planes u8 [games, 5, 10, 8], moves left f32 [games, 1], masks bool [games, 142] and scores
/// i64 [games].
#[derive(FromPyObject)]
struct Views<'py>(
    Bound<'py, PyArrayDyn<u8>>,
    Bound<'py, PyArrayDyn<f32>>,
    Bound<'py, PyArrayDyn<bool>>,
    Bound<'py, PyArrayDyn<i64>>,
);

/// The arrays of [`Views`], held for writing.
struct Held<'py> {
    planes: PyReadwriteArrayDyn<'py, u8>,
    moves_left: PyReadwriteArrayDyn<'py, f32>,
    masks: PyReadwriteArrayDyn<'py, bool>,
    scores: PyReadwriteArrayDyn<'py, i64>,
}

/// One game's part of the arrays.
struct View<'a> {
    planes: &'a mut [u8],
    moves_left: &'a mut f32,
    mask: &'a mut [bool],
    score: &'a mut i64,
}

impl<'py> Views<'py> {
    fn hold(&self) -> PyResult<Held<'py>> {
        Ok(Held {
            planes: self.0.try_readwrite()?,
            moves_left: self.1.try_readwrite()?,
            masks: self.2.try_readwrite()?,
            scores: self.3.try_readwrite()?,
        })
    }
}

impl Held<'_> {
    /// The parts of the games, in order.
    fn split(&mut self, games: usize) -> PyResult<Vec<View<'_>>> {
        let planes = numbers(&mut self.planes, games * IMAGE)?.chunks_exact_mut(IMAGE);
        let masks = numbers(&mut self.masks, games * Match3::ACTIONS)?.chunks_exact_mut(Match3::ACTIONS);
        let moves_left = numbers(&mut self.moves_left, games)?;
        let scores = numbers(&mut self.scores, games)?;
        let parts = planes.zip(masks).zip(moves_left.iter_mut().zip(scores));
        Ok(parts.map(|((planes, mask), (moves_left, score))| View { planes, moves_left, mask, score }).collect())
    }
}

/// The numbers of an array that must have so many of them.
fn numbers<'a, T: numpy::Element>(array: &'a mut PyReadwriteArrayDyn<'_, T>, count: usize) -> PyResult<&'a mut [T]> {
    let found = array.len();
    match array.as_slice_mut() {
        Ok(numbers) if found == count => Ok(numbers),
        _ => Err(PyValueError::new_err(format!("an array of {count} contiguous numbers is needed, not of {found}"))),
    }
}

impl View<'_> {
    /// Writes what is seen of a game.
    fn show(&mut self, game: &Match3, mask: MaskKind) {
        let state = game.state();
        state.write_planes(self.planes);
        *self.moves_left = state.moves_left() as f32 / MOVES as f32;
        write_mask(&Match3::mask(&state, mask), self.mask);
        *self.score = game.score().into();
    }
}

#[pymethods]
impl Games {
    /// count games, dealt by the first reset.
    #[new]
    fn new(count: usize, obstacle_kinds: &Bound<'_, PyAny>, mask: &str) -> PyResult<Self> {
        if count == 0 {
            return Err(PyValueError::new_err("the number of games is 0, but must be at least 1"));
        }
        let (rules, mask) = (rules(obstacle_kinds)?, mask_kind(mask)?);
        caught(|| {
            let mut tables = vec![];
            let none = |_| PyMemoryError::new_err(format!("there is no memory for {count} games"));
            tables.try_reserve_exact(count).map_err(none)?;
            // A seed that no one sees, until the first reset.
            tables.resize(count, Table::new(&rules, 0));
            Ok(Self { tables: Mutex::new(tables), rules, mask })
        })
    }

    /// Deals a new game in each place where which is true, everywhere for None: the game of its seed, which begins a new
    /// session, or where that is None the next of its session.
    fn reset(
        &self,
        py: Python<'_>,
        seeds: Vec<Option<Bound<'_, PyAny>>>,
        which: Option<PyReadonlyArrayDyn<'_, bool>>,
        views: Views<'_>,
    ) -> PyResult<()> {
        let seeds: Vec<Option<u128>> =
            seeds.iter().map(|given| given.as_ref().map(seed).transpose()).collect::<PyResult<_>>()?;
        let which = which.map_or_else(|| Ok(vec![true; seeds.len()]), |which| which.to_vec())?;
        let mut held = views.hold()?;
        let mut views = held.split(seeds.len())?;
        unlocked(py, || {
            let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
            check(&tables, seeds.len())?;
            check(&tables, which.len())?;
            let reset = |(((table, view), seed), which): (((&mut Table, &mut View<'_>), &Option<u128>), &bool)| {
                if *which {
                    match seed {
                        Some(seed) => *table = Table::new(&self.rules, *seed),
                        None => table.renew(&self.rules),
                    }
                }
                view.show(&table.game, self.mask);
            };
            if tables.len() <= GAMES_PER_TASK {
                tables.iter_mut().zip(&mut views).zip(&seeds).zip(&which).for_each(reset);
            } else {
                let parts = tables.par_iter_mut().zip(&mut views).zip(&seeds).zip(&which);
                parts.with_min_len(GAMES_PER_TASK).for_each(reset);
            }
            Ok(())
        })
    }

    /// Plays one action in each game and writes rewards (f64 [games]) and whether the games are over (bool [games]). A game
    /// that was over before is followed by a new one if `renew` is true, with a reward of 0; else that is an error.
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArrayDyn<'_, i64>,
        renew: bool,
        views: Views<'_>,
        rewards: Bound<'_, PyArrayDyn<f64>>,
        over: Bound<'_, PyArrayDyn<bool>>,
    ) -> PyResult<()> {
        let actions = actions.as_slice()?;
        let count = actions.len();
        if let Some(place) = actions.iter().position(|action| !(0..Match3::ACTIONS as i64).contains(action)) {
            let of_game = if count == 1 { String::new() } else { format!(" of game {place} (from 0)") };
            let sentence = format!("the action{of_game} is {}, but must be from 0 to 141", actions[place]);
            return Err(PyValueError::new_err(sentence));
        }
        let (mut held, mut rewards, mut over) = (views.hold()?, rewards.try_readwrite()?, over.try_readwrite()?);
        let mut views = held.split(count)?;
        let rewards = numbers(&mut rewards, count)?;
        let over = numbers(&mut over, count)?;
        unlocked(py, || {
            let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
            check(&tables, count)?;
            if let Some(place) = tables.iter().position(|table| table.game.is_over()).filter(|_| !renew) {
                let sentence = format!("game {place} (from 0) is over: reset it before it is stepped again");
                return Err(PyRuntimeError::new_err(sentence));
            }
            type Place<'a, 'b> = ((((&'a mut Table, &'a mut View<'b>), &'a i64), &'a mut f64), &'a mut bool);
            let step = |((((table, view), action), reward), over): Place<'_, '_>| {
                *reward = match table.game.is_over() {
                    true => {
                        table.renew(&self.rules);
                        0.0
                    }
                    false => table.game.step(*action as usize, &mut table.random).reward.into(),
                };
                *over = table.game.is_over();
                view.show(&table.game, self.mask);
            };
            if count <= GAMES_PER_TASK {
                tables.iter_mut().zip(&mut views).zip(actions).zip(rewards).zip(over).for_each(step);
            } else {
                let parts = tables.par_iter_mut().zip(&mut views).zip(actions).zip(rewards).zip(over);
                parts.with_min_len(GAMES_PER_TASK).for_each(step);
            }
            Ok(())
        })
    }

    /// The seeds of the games that are being played.
    fn seeds(&self) -> Vec<u128> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|table| table.seed).collect()
    }

    /// The boards' texts.
    fn boards(&self) -> Vec<String> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|table| table.game.board()).collect()
    }

    /// The same games, which go on by themselves.
    fn __copy__(&self) -> Self {
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { tables: Mutex::new(tables), rules: self.rules, mask: self.mask }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.__copy__()
    }
}

/// Refuses a number of parts that is not that of the games.
fn check(tables: &[Table], parts: usize) -> PyResult<()> {
    match parts == tables.len() {
        true => Ok(()),
        false => Err(PyValueError::new_err(format!("there are {} games, but {parts} were given", tables.len()))),
    }
}
