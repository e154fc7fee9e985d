//! The players and the agents.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use matchq_players::games::{Game as _, Match3};
use matchq_players::{self as players, Agents};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList};
use serde_json::Value;

use crate::errors::{exception, locked, of_file, on_threads, on_threads_with, watched};
use crate::game::game;
use crate::player::{AnyNetwork, AnyPlayer, NetworkInput};
use crate::positions::Positions;
use crate::values::{TooFar, actions_left, rules, seed, to_python, whole};

/// Names of the agents that ship, with a line about each.
///
/// game: the game's name; None is all games. Agent.load without a path loads a game's first agent.
///
/// Raises ValueError for an unknown game.
#[pyfunction]
#[pyo3(signature = (game = None))]
pub fn agents<'py>(py: Python<'py>, game: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let agents = PyDict::new(py);
    let names = match game {
        Some(game) => vec![game],
        None => players::names(),
    };
    for name in names {
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
    /// The text, empty for an agent that was loaded.
    text: String,
    /// Rules as JSON.
    rules: Value,
    /// Agents that were read for the text.
    agents: Agents,
}

impl Player {
    /// Actions in positions.
    fn actions(&self, py: Python<'_>, positions: &Positions) -> PyResult<Vec<usize>> {
        on_threads_with(py, &self.player, |player| {
            player.act(&positions.seen).map_err(|error| positions.exception(error))
        })
    }
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(
        signature = (player, *, game = None, rules = None, obstacle_kinds = None, _files = None),
        text_signature = "(player, *, game=None, rules=None, obstacle_kinds=None)"
    )]
    fn new(
        py: Python<'_>,
        player: &str,
        game: Option<String>,
        rules: Option<&Bound<'_, PyDict>>,
        obstacle_kinds: Option<&Bound<'_, PyAny>>,
        _files: Option<BTreeMap<String, Vec<u8>>>,
    ) -> PyResult<Self> {
        let rules = self::rules(rules, obstacle_kinds)?;
        let agents = Agents::default();
        for (name, file) in _files.unwrap_or_default() {
            agents.give(&name, &file).map_err(exception)?;
        }
        let (game, made) = on_threads(py, || {
            let agent = || players::agent_in(player).map_or(Ok(None), |path| agents.find(path));
            let game = match game {
                Some(game) => game,
                None => agent().map_err(exception)?.map_or(Match3::NAME.to_owned(), |agent| agent.game().to_owned()),
            };
            let made = self::game(&game)?.player(player, &rules, &agents).map_err(exception)?;
            Ok((game, made))
        })?;
        let name = format!("{player} of {game}");
        Ok(Self { player: Mutex::new(made), name, game, text: player.to_owned(), rules, agents })
    }

    /// The constructor's arguments, with the files of agents, so that a pickled player needs none.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((String,), Bound<'py, PyDict>)> {
        let (named, files) = (PyDict::new(py), PyDict::new(py));
        for (name, agent) in self.agents.given() {
            files.set_item(name, PyBytes::new(py, &agent.file.to_bytes().map_err(exception)?))?;
        }
        named.set_item("game", &self.game)?;
        named.set_item("rules", to_python(py, &self.rules)?)?;
        named.set_item("_files", files)?;
        Ok(((self.text.clone(),), named))
    }

    /// Chooses a move for the kit, (x, y, vertical); the score does not matter.
    ///
    /// Raises as act does.
    fn ai_callback<'py>(
        &self,
        py: Python<'py>,
        board: &Bound<'py, PyAny>,
        score: &Bound<'py, PyAny>,
        moves_left: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = score;
        self.act(py, board, Some(moves_left))
    }

    /// Parameters of the rules that the player goes by, all of them.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rules = on_threads_with(py, &self.player, |player| Ok(player.rules()))?;
        to_python(py, &rules)
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

    /// Chooses a move on a board with moves left, or an action in each position.
    ///
    /// board: a board's text, for a move; a sequence of texts, for a list of moves; what an
    /// environment shows, a dictionary of arrays, of one position, for an action's number, or of n
    /// positions, for an array of n numbers. moves_left: as many as a new game has if None; with
    /// texts a number or one for each; an environment shows them itself. A move of match-3 is (x,
    /// y, vertical), with 1 to 25 moves left.
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
        board: &Bound<'py, PyAny>,
        moves_left: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let positions = Positions::of(board, moves_left, &self.game)?;
        let actions = self.actions(py, &positions)?;
        let game = self::game(&self.game)?;
        let as_move = |action: &usize| to_python(py, &game.to_json(*action));
        match (positions.one, positions.shown) {
            (true, false) => as_move(&actions[0]),
            (true, true) => Ok(actions[0].into_pyobject(py)?.into_any()),
            (false, false) => {
                let moves = actions.iter().map(as_move).collect::<PyResult<Vec<_>>>()?;
                Ok(PyList::new(py, moves)?.into_any())
            }
            (false, true) => {
                let actions = actions.into_iter().map(|action| action as i64).collect();
                Ok(PyArray1::from_vec(py, actions).into_any())
            }
        }
    }

    /// The games of seeds in a row as JSON, private to matchq.evaluate and matchq.compare; look is
    /// called with the moves so far.
    fn _series(&self, py: Python<'_>, first: &Bound<'_, PyAny>, count: u64, look: Py<PyAny>) -> PyResult<String> {
        let first = seed(first)?;
        if first.checked_add(u128::from(count.saturating_sub(1))).is_none() {
            return Err(PyValueError::new_err("the seeds of all games must lie below 2^128"));
        }
        let moves = AtomicU64::new(0);
        let mut held = locked(py, &self.player)?;
        let player = &mut *held;
        let report = watched(
            py,
            |py| look.call1(py, (moves.load(Ordering::Relaxed),)).map(drop),
            || player.series(first, count, &mut |all| moves.store(all, Ordering::Relaxed)).map_err(exception),
        )?;
        serde_json::to_string(&report).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// The moves of the game of a seed, at most so many, private to matchq.replay.
    fn _moves<'py>(&self, py: Python<'py>, first: &Bound<'py, PyAny>, most: u64) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let seed = seed(first)?;
        let moves = on_threads_with(py, &self.player, |player| player.moves(seed, most).map_err(exception))?;
        moves.iter().map(|chosen| to_python(py, chosen)).collect()
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
        let ranked = on_threads_with(py, &self.player, |player| player.rank(board, left).map_err(exception))?;
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
    agent: players::Agent,
    /// Parameters of the search, if any.
    search: Option<String>,
}

impl Agent {
    fn of(agent: players::Agent, game: String, search: Option<String>, rules: Value) -> PyResult<(Player, Self)> {
        let (player, network) = self::game(&game)?.agent(&agent, search.as_deref(), &rules).map_err(exception)?;
        let name = match &search {
            None => agent.name().to_owned(),
            Some(budget) => format!("{}, search{}", agent.name(), budget.replace(':', " ")),
        };
        let text = String::new();
        let player = Player { player: Mutex::new(player), game, name, text, rules, agents: Agents::default() };
        let name = agent.name().to_owned();
        Ok((player, Self { name, network: network.map(Mutex::new), agent, search }))
    }
}

#[pymethods]
impl Agent {
    /// Loads an agent.
    ///
    /// path: an agent's file, a folder with a best.safetensors, the name of an agent that ships, as
    /// agents() lists them, or of a run in runs/; if None, the game's first, with a search its last network. search:
    /// without it the agent's best move is played at once; True searches by simulation as
    /// recommended; a whole number or "ms=N" is milliseconds a move; "sims=N" is simulations a
    /// move, which play alike on any machine. game: the game's
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
        let (player, agent) = on_threads(py, || {
            let agent = match &path {
                Some(path) => players::Agent::load(path).map_err(|error| of_file(error, path))?,
                None => {
                    let game = self::game(game.as_deref().unwrap_or(Match3::NAME))?;
                    game.default_agent(search.is_some()).map_err(exception)?
                }
            };
            let game = game.unwrap_or_else(|| agent.game().to_owned());
            Self::of(agent, game, search, rules)
        })?;
        Py::new(py, PyClassInitializer::from(player).add_subclass(agent))
    }

    /// A pickled agent.
    #[staticmethod]
    fn _restored(
        py: Python<'_>,
        file: &[u8],
        name: &str,
        game: String,
        search: Option<String>,
        rules: &Bound<'_, PyDict>,
    ) -> PyResult<Py<Self>> {
        let rules = self::rules(Some(rules), None)?;
        let (player, agent) = on_threads(py, || {
            let agent = Agents::default().give(name, file).map_err(exception)?;
            Self::of(agent, game, search, rules)
        })?;
        Py::new(py, PyClassInitializer::from(player).add_subclass(agent))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Restoring<'py>)> {
        let (py, agent) = (slf.py(), slf.get());
        let player = slf.as_super().get();
        let restored = py.get_type::<Self>().getattr("_restored")?;
        let file = PyBytes::new(py, &agent.agent.file.to_bytes().map_err(exception)?);
        let rules = to_python(py, &player.rules)?;
        Ok((restored, (file, agent.name.clone(), player.game.clone(), agent.search.clone(), rules)))
    }

    /// The agent itself: nothing in it changes.
    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    /// The network's values of all moves, as float32.
    ///
    /// A value is the points of a move and of what follows, in the unit of training: for the agent
    /// dqn 0.1 is a point, and each later move counts nine tenths as much.
    ///
    /// board, moves_left: as of act; the values have the shape (actions,) for one position, else
    /// (n, actions). A move's index is that of action_of_move. The network learned from the moves of
    /// its mask: its values of others mean little; with mask=True others are NaN, which is several
    /// times as fast. The values of the mask's moves are of plans if the network values next moves
    /// or its model predicts boards.
    /// A search does not change the values.
    ///
    /// Raises ValueError for a text that is no board, a board that no game shows between two moves,
    /// moves left that no game has or not as many as boards, and an agent without a network.
    #[pyo3(signature = (board, moves_left = None, *, mask = false))]
    fn q_values<'py>(
        slf: &Bound<'py, Self>,
        board: &Bound<'py, PyAny>,
        moves_left: Option<&Bound<'py, PyAny>>,
        mask: bool,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let (py, agent) = (slf.py(), slf.get());
        let Some(network) = &agent.network else {
            return Err(PyValueError::new_err(format!("{} has no q_values: only a network has", agent.name)));
        };
        let positions = Positions::of(board, moves_left, &slf.as_super().get().game)?;
        let (values, actions) = on_threads_with(py, network, |network| {
            let values = network.values(&positions.seen, mask).map_err(|error| positions.exception(error))?;
            Ok((values, network.actions()))
        })?;
        let values = PyArray1::from_vec(py, values);
        match positions.one {
            true => values.reshape([actions].as_slice()),
            false => values.reshape([positions.seen.len(), actions].as_slice()),
        }
    }

    /// What the network sees of a position, as arrays by name: the inputs of the file that
    /// matchq export --onnx writes.
    ///
    /// board, moves_left: as of act, for one position. images has the shape (n, planes, rows,
    /// columns), scalars (n, scalars). A network that values all moves of a position sees one image,
    /// and mask (1, actions) has the moves that it is offered. Others see an image after each of
    /// these moves; moves has their indices, as of action_of_move, and certain, of networks that see
    /// plans, the points of the best certain plan after each.
    ///
    /// Raises ValueError as q_values does.
    #[pyo3(signature = (board, moves_left = None))]
    fn network_input<'py>(
        slf: &Bound<'py, Self>,
        board: &Bound<'py, PyAny>,
        moves_left: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, agent) = (slf.py(), slf.get());
        let Some(network) = &agent.network else {
            return Err(PyValueError::new_err(format!("{} has no network_input: only a network has", agent.name)));
        };
        let positions = Positions::of(board, moves_left, &slf.as_super().get().game)?;
        let [seen] = &positions.seen[..] else {
            return Err(PyValueError::new_err(format!(
                "network_input takes one position, not {}",
                positions.seen.len()
            )));
        };
        let input =
            on_threads_with(py, network, |network| network.input(seen).map_err(|error| positions.exception(error)))?;
        let NetworkInput { moves, mask, images, shape: [planes, rows, columns], scalars, certain } = input;
        let count = if mask.is_empty() { moves.len() } else { 1 };
        let each = scalars.len() / count.max(1);
        let arrays = PyDict::new(py);
        arrays.set_item("images", PyArray1::from_vec(py, images).reshape([count, planes, rows, columns])?)?;
        arrays.set_item("scalars", PyArray1::from_vec(py, scalars).reshape([count, each])?)?;
        if mask.is_empty() {
            arrays.set_item("moves", PyArray1::from_vec(py, moves))?;
        } else {
            let actions = mask.len();
            arrays.set_item("mask", PyArray1::from_vec(py, mask).reshape([1, actions])?)?;
        }
        if !certain.is_empty() {
            arrays.set_item("certain", PyArray1::from_vec(py, certain))?;
        }
        Ok(arrays)
    }
}

/// What `pickle` keeps of an agent: file, name, game, search and rules.
type Restoring<'py> = (Bound<'py, PyBytes>, String, String, Option<String>, Bound<'py, PyAny>);

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
