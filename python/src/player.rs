//! Players and networks of any game.

use matchq_players::error::{Error, Result};
use matchq_players::games::Game;
use matchq_players::network::{Evaluator, Processor};
use matchq_players::{Agent, BoxedPlayer, NetworkPlayer, Playable, Setting, parse_with, position_stream};
use serde_json::Value;

use crate::values::position;

/// Boards in one forward pass.
const BATCH: usize = 256;

/// A player of any game; `left` is the actions left, `None` as many as a new game has.
pub trait AnyPlayer: Send {
    /// Chooses a move, as the game writes it in JSON.
    fn act(&mut self, board: &str, left: Option<i64>) -> Result<Value>;

    /// Moves that the player considers, best first, with values; empty where the game is over.
    fn rank(&mut self, board: &str, left: Option<i64>) -> Result<Vec<(Value, f64)>>;
}

pub trait AnyNetwork: Send {
    /// Values of all actions, board by board; an error names the board's place, from 0.
    fn values(&mut self, boards: &[String], left: &[Option<i64>]) -> std::result::Result<Vec<f32>, (usize, Error)>;

    fn actions(&self) -> usize;
}

pub struct GamePlayer<G: Game> {
    player: BoxedPlayer<G>,
    rules: G::Rules,
}

impl<G: Playable> GamePlayer<G> {
    pub fn parse(text: &str, rules: G::Rules, agent: Option<&Agent>) -> Result<Self> {
        let player = parse_with::<G>(text, &rules, &Setting { agent, ..Setting::default() })?;
        Ok(Self { player, rules })
    }

    /// The player of an agent, which searches if a budget is given.
    pub fn of(agent: &Agent, search: Option<&str>, rules: G::Rules) -> Result<Self> {
        if let Some(budget) = search {
            return Self::parse(&format!("network+search{budget}"), rules, Some(agent));
        }
        Ok(Self { player: agent.player::<G>(&rules, BATCH, None, &Processor)?, rules })
    }

    /// Position of a board, and whether the game is over.
    fn position(&self, board: &str, left: Option<i64>) -> Result<(G::State, bool)> {
        let state = position::<G>(&self.rules, board, left)?;
        Ok((state, G::at(&self.rules, &state).is_over()))
    }
}

impl<G: Playable> AnyPlayer for GamePlayer<G> {
    fn act(&mut self, board: &str, left: Option<i64>) -> Result<Value> {
        let (state, is_over) = self.position(board, left)?;
        if is_over {
            return Err(Error::user("the game is over on this board"));
        }
        let actions = self.player.act(&[state], &mut [position_stream::<G>(&state)])?;
        let action = actions.first().ok_or_else(|| Error::runtime(format!("{} gave no move", self.player.name())))?;
        Ok(G::to_json(*action))
    }

    fn rank(&mut self, board: &str, left: Option<i64>) -> Result<Vec<(Value, f64)>> {
        let (state, is_over) = self.position(board, left)?;
        if is_over {
            return Ok(Vec::new());
        }
        let ranked = self.player.rank(&state, &mut position_stream::<G>(&state))?;
        Ok(ranked.into_iter().map(|valued| (G::to_json(valued.action), valued.value)).collect())
    }
}

pub struct GameNetwork<G: Game> {
    evaluator: Evaluator<G>,
    rules: G::Rules,
}

impl<G: Playable> GameNetwork<G> {
    pub fn of(agent: &Agent, rules: G::Rules) -> Result<Self> {
        let player = NetworkPlayer::of(&agent.network::<G>()?, BATCH, &Processor)?;
        Ok(Self { evaluator: player.evaluator, rules })
    }
}

impl<G: Playable> AnyNetwork for GameNetwork<G> {
    fn values(&mut self, boards: &[String], left: &[Option<i64>]) -> std::result::Result<Vec<f32>, (usize, Error)> {
        let states = boards.iter().zip(left).enumerate();
        let states = states
            .map(|(index, (board, left))| position::<G>(&self.rules, board, *left).map_err(|error| (index, error)));
        let states: Vec<G::State> = states.collect::<std::result::Result<_, _>>()?;
        self.evaluator.all_values(&states).map(<[f32]>::to_vec).map_err(|error| (0, error))
    }

    fn actions(&self) -> usize {
        G::ACTIONS
    }
}
