//! The agent: a trained network, with search or without.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use matchq::agents::{PLAYERS, greedy};
use matchq::games::match3::{Match3, Move, Rules, State};
use matchq::games::{Game, MaskKind};
use matchq::kit::AgentPlayer;
use matchq::network::{Evaluator, Policy, device};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::errors::{exception, of_checkpoint, unlocked};
use crate::moves::{rules, triple};

/// Boards in one forward pass.
const BATCH: usize = 256;

/// A trained agent; Agent.load makes one.
#[pyclass(frozen, subclass, module = "matchq")]
pub struct Agent {
    brain: Mutex<Brain>,
    name: String,
}

struct Brain {
    evaluator: Evaluator<Match3>,
    mask: MaskKind,
    /// Chooses the moves in place of the network alone.
    search: Option<AgentPlayer>,
}

impl Brain {
    fn act(&mut self, board: &str, moves_left: i64) -> Result<Move, PyErr> {
        if let Some(search) = &mut self.search {
            return search.act(board, moves_left).map_err(exception);
        }
        let state = State::new(board, moves_left).map_err(exception)?;
        let values = self.evaluator.values(&[state]).map_err(exception)?;
        Ok(Move::of_action(greedy(values, &Match3::mask(&state, self.mask))))
    }
}

#[pymethods]
impl Agent {
    /// Loads an agent.
    ///
    /// path: a checkpoint file, or a folder that holds a best.ckpt; None is the agent that ships inside the package.
    /// search: None plays the network's best move at once. A whole number searches by simulation for that many
    /// milliseconds a move; "ms=N" says the same, "sims=N" gives a number of simulations a move, which plays alike on any
    /// machine. obstacle_kinds: the kinds in the games that the search simulates.
    ///
    /// Raises FileNotFoundError or PermissionError for a file that cannot be read, ValueError for one that is no checkpoint
    /// of match-3 and for a budget that is none.
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
        let name = match (&path, &search) {
            (None, None) => "the shipped agent".into(),
            (Some(path), None) => path.display().to_string(),
            (path, Some(budget)) => searching(budget, path.as_deref().map(|path| path.display().to_string())),
        };
        let brain = unlocked(py, || {
            let (_, device) = device::select(None).map_err(exception)?;
            let policy = Policy::load::<Match3>(path.as_deref(), &device);
            let policy = policy.map_err(|error| of_checkpoint(error, path.as_deref()))?;
            let player = search.map(|_| matchq::agents::parse(&name, &rules)).transpose().map_err(exception)?;
            Ok(Brain {
                evaluator: Evaluator::new(&policy.network, BATCH, &device),
                mask: policy.config.mask,
                search: player.map(AgentPlayer::new),
            })
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
        moves_left: i64,
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
    /// Raises ValueError for a text that is no board, with row and column, and for moves left that no game has.
    fn act(&self, py: Python<'_>, board: &str, moves_left: i64) -> PyResult<(usize, usize, bool)> {
        let chosen = unlocked(py, || self.brain.lock().unwrap_or_else(PoisonError::into_inner).act(board, moves_left))?;
        Ok(triple(chosen))
    }

    /// The network's values of all moves, as float32: what a move is thought to bring with what comes after it, in the unit
    /// of the network's training. Of the shipped agent 0.1 is a point, and each move later counts half as much.
    ///
    /// board: one text, for values of shape (142,), or a sequence of n texts, for shape (n, 142). moves_left: a whole number
    /// from 0 to 25, or n of them. A move's index is that of action_of_move. The network has learned from matching moves
    /// (see action_mask): its values of others mean little. A search does not change them.
    ///
    /// Raises ValueError for a text that is no board, with row and column, for moves left that no game has, and where there
    /// are not as many moves left as boards.
    fn q_values<'py>(
        &self,
        py: Python<'py>,
        board: &Bound<'py, PyAny>,
        moves_left: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let one = board.is_instance_of::<PyString>();
        let boards: Vec<String> = if one { vec![board.extract()?] } else { board.extract()? };
        let left: Vec<i64> = match moves_left.extract::<i64>() {
            Ok(left) => vec![left; boards.len()],
            Err(_) => moves_left.extract()?,
        };
        if left.len() != boards.len() {
            let sentence = format!("there are {} boards, but {} moves left for them", boards.len(), left.len());
            return Err(PyValueError::new_err(sentence));
        }
        let states = boards.iter().zip(&left).enumerate().map(|(index, (board, left))| {
            State::new(board, *left).map_err(|error| match one {
                true => exception(error),
                false => PyValueError::new_err(format!("board {index} (from 0): {error}")),
            })
        });
        let states: Vec<State> = states.collect::<PyResult<_>>()?;
        let values = unlocked(py, || {
            let mut brain = self.brain.lock().unwrap_or_else(PoisonError::into_inner);
            brain.evaluator.values(&states).map(<[f32]>::to_vec).map_err(exception)
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

/// The budget of a search in words of the players' parameters: `ms=N` or `sims=N`.
fn budget(search: &Bound<'_, PyAny>) -> PyResult<String> {
    const FORM: &str = "a search has a number of milliseconds a move, \"ms=N\" or \"sims=N\"";
    if let Ok(text) = search.extract::<String>() {
        let known = text.split_once('=').is_some_and(|(key, _)| ["ms", "sims"].contains(&key)) && !text.contains(':');
        return if known { Ok(text) } else { Err(PyValueError::new_err(format!("{FORM}, not '{text}'"))) };
    }
    match search.extract::<i64>() {
        Ok(milliseconds) if !search.is_instance_of::<PyBool>() => Ok(format!("ms={milliseconds}")),
        _ => Err(PyTypeError::new_err(format!("{FORM}, not {search:?}"))),
    }
}

/// The player that searches with a budget: with the network at the ends of its simulations where the program has such a
/// player, else by simulation alone.
fn searching(budget: &str, checkpoint: Option<String>) -> String {
    const WITH_NETWORK: &str = "network+search";
    let checkpoint = checkpoint.map_or(String::new(), |path| format!(":checkpoint={path}"));
    match PLAYERS.iter().any(|entry| entry.name == WITH_NETWORK) {
        true => format!("{WITH_NETWORK}:{budget}{checkpoint}"),
        false => format!("rollout:{budget}"),
    }
}
