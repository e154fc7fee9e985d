//! The players and the agents.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use matchq_players::error::Error;
use matchq_players::games::{Game as _, Match3};
use matchq_players::{self as players, NAMES};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::errors::{exception, of_file, on_threads, unlocked};
use crate::game::game;
use crate::player::{AnyNetwork, AnyPlayer};
use crate::values::{TooFar, actions_left, is_sequence, rules, to_python, whole};

/// Names of the agents that ship, with a line about each.
///
/// game: the game's name; None is all games. Agent.load without a path loads a game's first agent.
///
/// Raises ValueError for an unknown game.
#[pyfunction]
#[pyo3(signature = (game = None))]
pub fn agents<'py>(py: Python<'py>, game: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let agents = PyDict::new(py);
    for name in game.as_ref().map_or(NAMES, std::slice::from_ref) {
        for agent in self::game(name)?.agents() {
            agents.set_item(agent.name, agent.about)?;
        }
    }
    Ok(agents)
}

/// A player of a game by its text, as matchq play --player takes it.
///
/// player: a player or an agent, with parameters behind colons, such as "cascade", "best:ms=50" or
/// "dqn:precision=f32": the player's name, or the agent's name, its run's name in runs/ or its path;
/// matchq players --game NAME lists them. game: the game's name; if None, the agent's, for other
/// players match-3. rules: parameters of the rules that judge and simulate positions, by name; None
/// is the game's default. obstacle_kinds: match-3's parameter.
///
/// Raises ValueError for unknown players, games, rules and parameters, and for values out of range.
#[pyclass(frozen, subclass, module = "matchq")]
pub struct Player {
    player: Mutex<Box<dyn AnyPlayer>>,
    /// Name of the game that the player plays.
    #[pyo3(get)]
    game: String,
    name: String,
}

impl Player {
    fn lock(&self) -> MutexGuard<'_, Box<dyn AnyPlayer>> {
        self.player.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(
        signature = (player, *, game = None, rules = None, obstacle_kinds = None),
        text_signature = "(player, *, game=None, rules=None, obstacle_kinds=None)"
    )]
    fn new(
        py: Python<'_>,
        player: &str,
        game: Option<String>,
        rules: Option<&Bound<'_, PyDict>>,
        obstacle_kinds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rules = self::rules(rules, obstacle_kinds)?;
        let (game, made) = unlocked(py, || {
            let agent = || players::agent_in(player).map_or(Ok(None), |path| players::Agents::default().find(path));
            let game = match game {
                Some(game) => game,
                None => agent().map_err(exception)?.map_or(Match3::NAME.to_owned(), |agent| agent.game().to_owned()),
            };
            let made = self::game(&game)?.player(player, &rules).map_err(exception)?;
            Ok((game, made))
        })?;
        Ok(Self { player: Mutex::new(made), name: format!("{player} of {game}"), game })
    }

    /// Chooses a move for the kit, (x, y, vertical); the score does not matter.
    ///
    /// Raises as act does.
    fn ai_callback<'py>(
        &self,
        py: Python<'py>,
        board: &str,
        score: &Bound<'py, PyAny>,
        moves_left: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = score;
        self.act(py, board, Some(moves_left))
    }

    /// Does nothing: a player needs no results of moves.
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

    /// Returns False: no other game follows.
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

    /// Chooses a move on a board with moves left.
    ///
    /// moves_left: as many as a new game has if None. A move of match-3 is (x, y, vertical), with 1
    /// to 25 moves left.
    ///
    /// The move has the highest of the q_values among the moves of the agent's mask; a search plays
    /// the move that simulations rank first. Any offered move is played where the mask has none.
    /// Choices by chance depend on the position: a position always gets the same move, unless the
    /// search has milliseconds. matchq eval and compare draw by the game's seed, so their choices
    /// by chance may differ.
    ///
    /// Raises ValueError for a text that is no board, a board that no game shows between two moves
    /// (in match-3 one with a run of three or more), moves left that no game has, a game that is
    /// over, and a board without its piece.
    #[pyo3(signature = (board, moves_left = None))]
    fn act<'py>(
        &self,
        py: Python<'py>,
        board: &str,
        moves_left: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let left = actions_left(moves_left)?;
        let chosen = on_threads(py, || self.lock().act(board, left).map_err(exception))?;
        to_python(py, &chosen)
    }

    /// Moves that the player considers on a board, best first, with their values.
    ///
    /// The list of (move, value) is empty where there is no move; act plays the first. A value is
    /// in the player's own unit; of ranked, a place. Values say little where every move ends the
    /// game.
    ///
    /// Raises as act does.
    #[pyo3(signature = (board, moves_left = None))]
    fn rank<'py>(
        &self,
        py: Python<'py>,
        board: &str,
        moves_left: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, f64)>> {
        let left = actions_left(moves_left)?;
        let ranked = on_threads(py, || self.lock().rank(board, left).map_err(exception))?;
        ranked.into_iter().map(|(chosen, value)| Ok((to_python(py, &chosen)?, value))).collect()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<matchq.{}: {}>", slf.get_type().name()?, slf.get().name))
    }
}

/// A trained agent; Agent.load makes one.
#[pyclass(frozen, subclass, extends = Player, module = "matchq")]
pub struct Agent {
    /// Name in errors.
    name: String,
    /// The network, for q_values; None for an agent without one.
    network: Option<Mutex<Box<dyn AnyNetwork>>>,
}

#[pymethods]
impl Agent {
    /// Loads an agent.
    ///
    /// path: an agent's file, a folder with a best.safetensors, the name of an agent that ships, as
    /// agents() lists them, or of a run in runs/; if None, the game's first, with a search its last network. search:
    /// without it the agent's best move is played at once; True searches by simulation as
    /// recommended; a whole number or "ms=N" is milliseconds a move; "sims=N" is simulations a
    /// move, which play alike on any machine. Ctrl-C waits for the search's end. game: the game's
    /// name; if None, the agent's, without a path match-3. rules, obstacle_kinds: as of Player.
    ///
    /// Raises FileNotFoundError or PermissionError for a file that cannot be read, ValueError for a
    /// file that is no agent of the game or, for a search, no network, for unknown games and rules
    /// and for a budget out of range, TypeError for a budget that is neither a whole number nor
    /// text.
    #[staticmethod]
    #[pyo3(signature = (path = None, *, search = None, game = None, rules = None, obstacle_kinds = None))]
    fn load(
        py: Python<'_>,
        path: Option<PathBuf>,
        search: Option<&Bound<'_, PyAny>>,
        game: Option<String>,
        rules: Option<&Bound<'_, PyDict>>,
        obstacle_kinds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<Self>> {
        let rules = self::rules(rules, obstacle_kinds)?;
        let search = search.map_or(Ok(None), budget)?;
        let (agent, game, player, network) = unlocked(py, || {
            let agent = match &path {
                Some(path) => players::Agent::load(path).map_err(|error| of_file(error, path))?,
                None => {
                    let game = self::game(game.as_deref().unwrap_or(Match3::NAME))?;
                    game.default_agent(search.is_some()).map_err(exception)?
                }
            };
            let game = game.unwrap_or_else(|| agent.game().to_owned());
            let (player, network) = self::game(&game)?.agent(&agent, search.as_deref(), &rules).map_err(exception)?;
            Ok((agent, game, player, network))
        })?;
        let name = match search {
            None => agent.name().to_owned(),
            Some(budget) => format!("{}, search{}", agent.name(), budget.replace(':', " ")),
        };
        let player = Player { player: Mutex::new(player), game, name };
        let agent = Self { name: agent.name().to_owned(), network: network.map(Mutex::new) };
        Py::new(py, PyClassInitializer::from(player).add_subclass(agent))
    }

    /// The network's values of all moves, as float32.
    ///
    /// A value is the points of a move and of what follows, in the unit of training: for the agent
    /// dqn 0.1 is a point, and each later move counts nine tenths as much.
    ///
    /// board: a text, for values of shape (actions,), or a sequence of n texts, for shape (n,
    /// actions). moves_left: a whole number, n of them, or None for as many as a new game has. A
    /// move's index is that of action_of_move. The network learned from the moves of its mask: its
    /// values of others mean little. The values of the mask's moves are of plans if the network
    /// values next moves. A search does not change the values.
    ///
    /// Raises ValueError for a text that is no board, a board that no game shows between two moves,
    /// moves left that no game has or not as many as boards, and an agent without a network.
    #[pyo3(signature = (board, moves_left = None))]
    fn q_values<'py>(
        &self,
        py: Python<'py>,
        board: &Bound<'py, PyAny>,
        moves_left: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let one = board.is_instance_of::<PyString>();
        let boards: Vec<String> = if one { vec![board.extract()?] } else { board.extract()? };
        let left = each_left(moves_left, boards.len())?;
        if left.len() != boards.len() {
            let sentence = format!("there are {} boards, but {} moves left for them", boards.len(), left.len());
            return Err(PyValueError::new_err(sentence));
        }
        let Some(network) = &self.network else {
            return Err(PyValueError::new_err(format!("{} has no q_values: only a network has", self.name)));
        };
        let (values, actions) = on_threads(py, || {
            let mut network = network.lock().unwrap_or_else(PoisonError::into_inner);
            let values = network.values(&boards, &left).map_err(|(index, error)| match (one, error) {
                (false, Error::User(what)) => PyValueError::new_err(format!("board {index} (from 0): {what}")),
                (_, error) => exception(error),
            })?;
            Ok((values, network.actions()))
        })?;
        let values = PyArray1::from_vec(py, values);
        match one {
            true => values.reshape([actions].as_slice()),
            false => values.reshape([boards.len(), actions].as_slice()),
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

/// Parameters of a search as `network+search` takes them, behind its name; `None` for no search.
fn budget(search: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    const FORM: &str =
        "a search is a number of milliseconds a move, \"ms=N\", \"sims=N\" simulations, or True, the recommended one";
    if let Ok(text) = search.extract::<String>() {
        let known = text.split_once('=').is_some_and(|(key, _)| ["ms", "sims"].contains(&key)) && !text.contains(':');
        let wrong = || PyValueError::new_err(format!("{FORM}, not '{text}'"));
        return if known { Ok(Some(format!(":{text}"))) } else { Err(wrong()) };
    }
    if let Ok(wanted) = search.cast::<PyBool>() {
        return Ok(wanted.is_true().then(String::new));
    }
    match whole(search)? {
        Some(Ok(milliseconds)) => Ok(Some(format!(":ms={milliseconds}"))),
        // The search refuses the number by its range.
        Some(Err(TooFar)) => Ok(Some(format!(":ms={search}"))),
        None => Err(PyTypeError::new_err(format!("{FORM}, not {search:?}"))),
    }
}
