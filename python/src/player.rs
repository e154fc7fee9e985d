//! The player of an agent: the program's own, of any game.

use std::path::Path;

use matchq::agents::{self, BoxedPlayer, position_stream};
use matchq::error::{Error, Result};
use matchq::games::Playable;
use matchq::network::{Evaluator, Model, device, is_network};
use serde_json::Value;

use crate::values::position_by;

/// Boards in one forward pass.
const BATCH: usize = 256;

/// An agent of any game.
///
/// `left` is the actions left, where none are given as many as a new game has.
pub trait AnyAgent: Send {
    /// Chooses a move on a board, as the game writes it in JSON.
    fn act(&mut self, board: &str, left: Option<i64>) -> Result<Value>;

    /// The moves that the player considers on a board, the best first.
    ///
    /// Each comes with what the player thinks it is worth. There are none where the game is over.
    fn rank(&mut self, board: &str, left: Option<i64>) -> Result<Vec<(Value, f64)>>;

    /// The network's values of all actions of some boards.
    ///
    /// They stand one board after another. An error comes with which board (from 0) is wrong.
    fn values(&mut self, boards: &[String], left: &[Option<i64>]) -> std::result::Result<Vec<f32>, (usize, Error)>;

    /// The game's actions.
    fn actions(&self) -> usize;
}

/// The program's own player of a game, and the network's values.
pub struct GameAgent<G: Playable> {
    player: BoxedPlayer<G>,
    rules: G::Rules,
    /// None for a player that is no network.
    evaluator: Option<Evaluator<G>>,
}

impl<G: Playable> GameAgent<G> {
    /// The agent of a file or folder, or one that ships.
    ///
    /// Of those that ship it is the recommended one, with a search the one for it.
    pub fn load(path: Option<&Path>, search: Option<&str>, rules: &G::Rules) -> Result<Self> {
        let (_, device) = device::select(None)?;
        if let (Some(path), None) = (path, search)
            && !is_network(path)?
        {
            let player = agents::load::<G>(Some(path), rules, BATCH, None, &device)?;
            return Ok(Self { player, rules: rules.clone(), evaluator: None });
        }
        let model = match path.is_none() && search.is_some() {
            true => Model::shipped::<G>(G::AGENTS.last().map(|(name, _)| *name), &device)?,
            false => Model::load::<G>(path, &device)?,
        };
        let player = search.map_or("network".to_owned(), |budget| format!("network+search{budget}"));
        let player = agents::with_model::<G>(&player, rules, &model, &device)?;
        Ok(Self { player, rules: rules.clone(), evaluator: Some(Evaluator::new(&model.network, BATCH, &device)) })
    }

    /// A player by its text, `name:key=value:key=value`.
    pub fn named(text: &str, rules: &G::Rules) -> Result<Self> {
        Ok(Self { player: agents::parse::<G>(text, rules)?, rules: rules.clone(), evaluator: None })
    }
}

impl<G: Playable> AnyAgent for GameAgent<G> {
    fn act(&mut self, board: &str, left: Option<i64>) -> Result<Value> {
        let state = position_by::<G>(&self.rules, board, left)?;
        if G::at(&self.rules, &state).is_over() {
            return Err(Error::user("the game is over on this board"));
        }
        let actions = self.player.act(&[state], &mut [position_stream::<G>(&state)])?;
        let action = actions.first().ok_or_else(|| Error::runtime(format!("{} gave no move", self.player.name())))?;
        Ok(G::to_json(*action))
    }

    fn rank(&mut self, board: &str, left: Option<i64>) -> Result<Vec<(Value, f64)>> {
        let state = position_by::<G>(&self.rules, board, left)?;
        if G::at(&self.rules, &state).is_over() {
            return Ok(Vec::new());
        }
        let ranked = self.player.rank(&state, &mut position_stream::<G>(&state))?;
        Ok(ranked.into_iter().map(|valued| (G::to_json(valued.action), valued.value)).collect())
    }

    fn values(&mut self, boards: &[String], left: &[Option<i64>]) -> std::result::Result<Vec<f32>, (usize, Error)> {
        let without = || {
            let sentence = "has no values of all moves: only a network of Agent.load has";
            (0, Error::user(format!("{} {sentence}", self.player.name())))
        };
        let evaluator = self.evaluator.as_mut().ok_or_else(without)?;
        let states = boards.iter().zip(left).enumerate();
        let states = states
            .map(|(index, (board, left))| position_by::<G>(&self.rules, board, *left).map_err(|error| (index, error)));
        let states: Vec<G::State> = states.collect::<std::result::Result<_, _>>()?;
        evaluator.all_values(&states).map(<[f32]>::to_vec).map_err(|error| (0, error))
    }

    fn actions(&self) -> usize {
        G::ACTIONS
    }
}
