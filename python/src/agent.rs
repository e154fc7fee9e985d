//! The agent: a trained network, with search or without.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use matchq::agents;
use matchq::games::Game;
use matchq::games::match3::{MOVES, Match3, Rules, State};
use matchq::kit::AgentPlayer;
use matchq::network::{Evaluator, Model, device};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::errors::{exception, of_checkpoint, unlocked};
use crate::moves::{TooFar, is_sequence, rules, triple, whole};

/// Boards in one forward pass.
const BATCH: usize = 256;

/// A trained agent; Agent.load makes one.
#[pyclass(frozen, subclass, module = "matchq")]
pub struct Agent {
    brain: Mutex<Brain>,
    name: String,
}

/// The program's own player, and the network's values.
struct Brain {
    player: AgentPlayer,
    evaluator: Evaluator<Match3>,
}

#[pymethods]
impl Agent {
    /// Loads an agent.
    ///
    /// path: an agent's file, or a folder that holds a best.safetensors; None is the agent that ships inside the package.
    /// search: None plays the network's best move at once. A whole number searches by simulation for that many
    /// milliseconds a move; "ms=N" says the same, "sims=N" gives a number of simulations a move, which plays alike on any
    /// machine. obstacle_kinds: the kinds in the games that the search simulates.
    ///
    /// Raises FileNotFoundError or PermissionError for a file that cannot be read, ValueError for one that is no checkpoint
    /// of match-3 and for a budget out of range, TypeError for a budget that is neither a whole number nor text.
    #[staticmethod]
    #[pyo3(
        signature = (path = None, *, search = None, obstacle_kinds = None),
        text_signature = "(path=None, *, search=None, obstacle_kinds=2)"
    )]
    fn load(
        py: Python<'_>,
        path: Option<PathBuf>,
        search: Option<&Bound<'_, PyAny>>,
        obstacle_kinds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rules = obstacle_kinds.map_or_else(|| Ok(Rules::default()), rules)?;
        let search = search.map(budget).transpose()?;
        let agent = path.as_ref().map_or("the shipped agent".into(), |path| path.display().to_string());
        let name = search.as_ref().map_or(agent.clone(), |budget| format!("{agent}, search {budget}"));
        let player = search.map_or("network".into(), |budget| format!("network+search:{budget}"));
        let brain = unlocked(py, || {
            let (_, device) = device::select(None).map_err(exception)?;
            let policy = Model::load::<Match3>(path.as_deref(), &device);
            let policy = policy.map_err(|error| of_checkpoint(error, path.as_deref()))?;
            let player = agents::with_policy(&player, &rules, &policy, &device).map_err(exception)?;
            let evaluator = Evaluator::new(&policy.network, BATCH, &device);
            Ok(Brain { player: AgentPlayer::new(player), evaluator })
        })?;
        Ok(Self { brain: Mutex::new(brain), name })
    }

    /// Chooses a move, as the kit asks for it: (x, y, vertical). The score does not matter to the agent.
    ///
    /// Raises as act does.
    fn ai_callback(
        &self,
        py: Python<'_>,
        board: &str,
        score: &Bound<'_, PyAny>,
        moves_left: &Bound<'_, PyAny>,
    ) -> PyResult<(usize, usize, bool)> {
        let _ = score;
        self.act(py, board, moves_left)
    }

    /// Does nothing: the agent needs to be told nothing of what a move brought.
    fn transition_callback(
        &self,
        board: &Bound<'_, PyAny>,
        r#move: &Bound<'_, PyAny>,
        score_delta: &Bound<'_, PyAny>,
        next_board: &Bound<'_, PyAny>,
        moves_left: &Bound<'_, PyAny>,
    ) {
        let _ = (board, r#move, score_delta, next_board, moves_left);
    }

    /// Returns False: no other game is played after one.
    fn end_of_game_callback(
        &self,
        boards: &Bound<'_, PyAny>,
        scores: &Bound<'_, PyAny>,
        moves: &Bound<'_, PyAny>,
        final_score: &Bound<'_, PyAny>,
    ) -> bool {
        let _ = (boards, scores, moves, final_score);
        false
    }

    /// Chooses a move (x, y, vertical) on a board with moves left, from 0 to 25.
    ///
    /// It is that of the highest of the q_values among the moves of its mask (those that match, and set-ups if it was trained
    /// with them), with a search the one that simulations rank first. Where there is none, which is rare, it is any that
    /// changes what is seen. What is left to chance is drawn by
    /// the position: the same position always gets the same move, unless the search has milliseconds. matchq eval and
    /// compare draw it by the game's seed, so that such moves of theirs may be others.
    ///
    /// Raises ValueError for a text that is no board and for a board with a run of three or more, which no game shows
    /// between two moves, with row and column, and for moves left that no game has.
    fn act(&self, py: Python<'_>, board: &str, moves_left: &Bound<'_, PyAny>) -> PyResult<(usize, usize, bool)> {
        let moves_left = left(moves_left)?
            .ok_or_else(|| PyTypeError::new_err(format!("moves_left is {moves_left:?}, but must be a whole number")))?;
        let chosen = unlocked(py, || {
            let mut brain = self.brain.lock().unwrap_or_else(PoisonError::into_inner);
            brain.player.act(board, moves_left).map_err(exception)
        })?;
        Ok(triple(chosen))
    }

    /// The network's values of all moves, as float32: what a move is thought to bring with what comes after it, in the unit
    /// of the network's training. Of the shipped agent 0.1 is a point, and each move later counts four fifths as much.
    ///
    /// board: one text, for values of shape (142,), or a sequence of n texts, for shape (n, 142). moves_left: a whole number
    /// from 0 to 25, or n of them. A move's index is that of action_of_move. The network has learned from the moves
    /// of its mask, with most agents those that match (see action_mask): its values of others mean little. If it values next
    /// moves too, those of the mask's moves are of plans.
    /// A search does not change them.
    ///
    /// Raises ValueError for a text that is no board and for a board with a run of three or more, with row and column, for
    /// moves left that no game has, and where there are not as many moves left as boards.
    fn q_values<'py>(
        &self,
        py: Python<'py>,
        board: &Bound<'py, PyAny>,
        moves_left: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let one = board.is_instance_of::<PyString>();
        let boards: Vec<String> = if one { vec![board.extract()?] } else { board.extract()? };
        let each_left = each_left(moves_left, boards.len())?;
        if each_left.len() != boards.len() {
            let sentence = format!("there are {} boards, but {} moves left for them", boards.len(), each_left.len());
            return Err(PyValueError::new_err(sentence));
        }
        let states = boards.iter().zip(each_left).enumerate().map(|(index, (board, left))| {
            State::at_rest(board, left).map_err(|error| match one {
                true => exception(error),
                false => PyValueError::new_err(format!("board {index} (from 0): {error}")),
            })
        });
        let states: Vec<State> = states.collect::<PyResult<_>>()?;
        let values = unlocked(py, || {
            let mut brain = self.brain.lock().unwrap_or_else(PoisonError::into_inner);
            brain.evaluator.all_values(&states).map(<[f32]>::to_vec).map_err(exception)
        })?;
        let values = PyArray1::from_vec(py, values);
        match one {
            true => values.reshape([Match3::ACTIONS].as_slice()),
            false => values.reshape([boards.len(), Match3::ACTIONS].as_slice()),
        }
    }

    fn __repr__(&self) -> String {
        format!("<matchq.Agent: {}>", self.name)
    }
}

/// Moves left; nothing for what is no whole number.
fn left(moves_left: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    match whole(moves_left)?.transpose() {
        Ok(left) => Ok(left),
        Err(TooFar) => {
            Err(PyValueError::new_err(format!("{moves_left} moves are left, but a game has from 0 to {MOVES}")))
        }
    }
}

/// Moves left for each of some boards: one number for all, or a sequence of numbers.
fn each_left(moves_left: &Bound<'_, PyAny>, boards: usize) -> PyResult<Vec<i64>> {
    if let Some(left) = left(moves_left)? {
        return Ok(vec![left; boards]);
    }
    let wrong = || {
        let sentence = format!("moves_left is {moves_left:?}, but must be a whole number or a sequence of them");
        PyTypeError::new_err(sentence)
    };
    if !is_sequence(moves_left) {
        return Err(wrong());
    }
    moves_left.try_iter()?.map(|number| left(&number?)?.ok_or_else(wrong)).collect()
}

/// The budget of a search in words of the players' parameters: `ms=N` or `sims=N`.
fn budget(search: &Bound<'_, PyAny>) -> PyResult<String> {
    const FORM: &str = "a search has a number of milliseconds a move, \"ms=N\" or \"sims=N\"";
    if let Ok(text) = search.extract::<String>() {
        let known = text.split_once('=').is_some_and(|(key, _)| ["ms", "sims"].contains(&key)) && !text.contains(':');
        return if known { Ok(text) } else { Err(PyValueError::new_err(format!("{FORM}, not '{text}'"))) };
    }
    if !search.is_instance_of::<PyBool>() {
        match whole(search)? {
            Some(Ok(milliseconds)) => return Ok(format!("ms={milliseconds}")),
            // Which the search refuses by the range that there is.
            Some(Err(TooFar)) => return Ok(format!("ms={search}")),
            None => (),
        }
    }
    Err(PyTypeError::new_err(format!("{FORM}, not {search:?}")))
}
