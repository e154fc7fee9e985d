//! Players and networks of any game.

use matchq_players::error::{Error, Result};
use matchq_players::eval::{Report, play_series, tie_stream};
use matchq_players::games::{Episode, Game, decode};
use matchq_players::network::{Encoded, Encoder, Evaluator, Processor, Swaps};
use matchq_players::stop;
use matchq_players::{Agent, Agents, BoxedPlayer, NetworkPlayer, Playable, Setting, parse_with, position_stream};
use serde_json::Value;

use crate::values::position;

/// Boards in one forward pass.
const BATCH: usize = 256;

/// A position as Python gives it.
pub enum Seen {
    /// A board's text with the actions left, `None` as many as a new game has.
    Text(String, Option<i64>),
    /// What an environment shows: image and scalars.
    Image(Vec<u8>, Vec<f32>),
}

/// A result for many boards; an error names the board's place, from 0.
pub type Placed<T> = std::result::Result<T, (usize, Error)>;

/// A player of any game.
pub trait AnyPlayer: Send {
    /// Chooses an action in each position.
    fn act(&mut self, seen: &[Seen]) -> Placed<Vec<usize>>;

    /// The rules, all of them, as JSON.
    fn rules(&self) -> Value;

    /// Games of seeds in a row, as `eval --json` reports them; `progress` receives the moves so far.
    fn series(&mut self, first: u128, count: u64, progress: &mut dyn FnMut(u64)) -> Result<Report>;

    /// The moves of the game of a seed, at most so many.
    fn moves(&mut self, seed: u128, most: u64) -> Result<Vec<Value>>;

    /// Moves that the player considers, best first, with values; empty where the game is over.
    fn rank(&mut self, board: &str, left: Option<i64>) -> Result<Vec<(Value, f64)>>;
}

pub trait AnyNetwork: Send {
    /// Values of all actions, board by board, or NaN outside of the mask.
    fn values(&mut self, seen: &[Seen], masked: bool) -> Placed<Vec<f32>>;

    fn actions(&self) -> usize;

    /// What the network sees of a position.
    fn input(&mut self, seen: &Seen) -> Placed<NetworkInput>;
}

/// What a network sees of a position: one image of it, or one after each move.
pub struct NetworkInput {
    /// Moves of the images after moves; empty for an image of the position.
    pub moves: Vec<i64>,
    /// The mask's moves, for an image of the position.
    pub mask: Vec<bool>,
    /// Shape `[images, planes, rows, columns]`.
    pub images: Vec<f32>,
    /// Planes, rows, columns.
    pub shape: [usize; 3],
    /// Shape `[images, scalars]`.
    pub scalars: Vec<f32>,
    /// Points of the best certain plan after each move; empty for networks that do not see plans.
    pub certain: Vec<f32>,
}

pub struct GamePlayer<G: Game> {
    player: BoxedPlayer<G>,
    rules: G::Rules,
}

impl<G: Playable> GamePlayer<G> {
    pub fn parse(text: &str, rules: G::Rules, agent: Option<&Agent>, agents: &Agents) -> Result<Self> {
        let setting = Setting { agent, agents: agents.clone(), ..Setting::default() };
        let player = parse_with::<G>(text, &rules, &setting)?;
        Ok(Self { player, rules })
    }

    /// The player of an agent, which searches if a budget is given.
    pub fn of(agent: &Agent, search: Option<&str>, rules: G::Rules) -> Result<Self> {
        if let Some(budget) = search {
            return Self::parse(&format!("network+search{budget}"), rules, Some(agent), &Agents::default());
        }
        Ok(Self { player: agent.player::<G>(&rules, BATCH, None, &Processor)?, rules })
    }

    /// Position of a board, and whether the game is over.
    fn position(&self, board: &str, left: Option<i64>) -> Result<(G::State, bool)> {
        let state = position::<G>(&self.rules, board, left)?;
        Ok((state, G::at(&self.rules, &state).is_over()))
    }
}

/// The positions that are seen; an error names the place of the one that is wrong.
fn positions<G: Playable>(rules: &G::Rules, seen: &[Seen]) -> Placed<Vec<G::State>> {
    let position = |(index, seen): (usize, &Seen)| {
        let state = match seen {
            Seen::Text(board, left) => position::<G>(rules, board, *left),
            Seen::Image(image, scalars) => decode::<G>(rules, image, scalars),
        };
        state.map_err(|error| (index, error))
    };
    seen.iter().enumerate().map(position).collect()
}

impl<G: Playable> AnyPlayer for GamePlayer<G> {
    fn act(&mut self, seen: &[Seen]) -> Placed<Vec<usize>> {
        let states = positions::<G>(&self.rules, seen)?;
        if let Some(place) = states.iter().position(|state| G::at(&self.rules, state).is_over()) {
            return Err((place, Error::user("the game is over on this board")));
        }
        let mut streams: Vec<_> = states.iter().map(|state| position_stream::<G>(state)).collect();
        // A player with a time for each move wants all cores for one board.
        let batch = if self.player.is_timed() { 1 } else { BATCH };
        let mut actions = Vec::with_capacity(states.len());
        for (states, streams) in states.chunks(batch).zip(streams.chunks_mut(batch)) {
            actions.extend(self.player.act(states, streams).map_err(|error| (0, error))?);
        }
        Ok(actions)
    }

    fn rules(&self) -> Value {
        serde_json::to_value(&self.rules).unwrap_or_default()
    }

    fn series(&mut self, first: u128, count: u64, progress: &mut dyn FnMut(u64)) -> Result<Report> {
        let begin = std::time::Instant::now();
        let (rules, player) = (&self.rules, self.player.as_mut());
        let played = play_series(player, rules, first, count, |moves| progress(moves.all))?;
        let seconds = begin.elapsed().as_secs_f64();
        Report::of::<G>(self.player.name().to_owned(), first, rules, &played, seconds)
    }

    fn moves(&mut self, seed: u128, most: u64) -> Result<Vec<Value>> {
        let (mut episode, mut ties) = (Episode::<G>::deal(&self.rules, seed), [tie_stream(seed)]);
        let mut moves = Vec::new();
        while (moves.len() as u64) < most && !episode.is_over() {
            stop::look();
            let actions = self.player.act(&[episode.state()], &mut ties)?;
            let Some(action) = actions.first() else { break };
            moves.push(G::to_json(*action));
            episode.step(*action);
        }
        Ok(moves)
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
    /// Whether moves do nothing but swap, so that an image of the position is enough.
    swaps: bool,
}

impl<G: Playable> GameNetwork<G> {
    pub fn of(agent: &Agent, rules: G::Rules) -> Result<Self> {
        let player = NetworkPlayer::of(&agent.network::<G>()?, BATCH, &Processor)?;
        let swaps = Swaps::of::<G>(&rules, player.evaluator.shape()).is_some();
        Ok(Self { evaluator: player.evaluator, rules, swaps })
    }
}

impl<G: Playable> AnyNetwork for GameNetwork<G> {
    fn values(&mut self, seen: &[Seen], masked: bool) -> Placed<Vec<f32>> {
        let states = positions::<G>(&self.rules, seen)?;
        if !masked {
            return self.evaluator.all_values(&states).map(<[f32]>::to_vec).map_err(|error| (0, error));
        }
        let masks = self.evaluator.masks(&states);
        let mut values = self.evaluator.values_of(&states, &masks).map_err(|error| (0, error))?.to_vec();
        for (values, mask) in values.chunks_exact_mut(G::ACTIONS).zip(masks) {
            let outside = values.iter_mut().enumerate().filter(|(action, _)| !mask.contains(*action));
            outside.for_each(|(_, value)| *value = f32::NAN);
        }
        Ok(values)
    }

    fn actions(&self) -> usize {
        G::ACTIONS
    }

    fn input(&mut self, seen: &Seen) -> Placed<NetworkInput> {
        let states = positions::<G>(&self.rules, std::slice::from_ref(seen))?;
        let (mask, view, shape) = (self.evaluator.masks(&states)[0], self.evaluator.view(), self.evaluator.shape());
        let sizes = [shape.planes, shape.rows, shape.columns];
        let mut encoder = Encoder::<G>::new(view);
        if !view.afterstates() || self.swaps {
            let Encoded { images, scalars, .. } = encoder.positions(&[(states[0], 0)]);
            return Ok(NetworkInput {
                moves: Vec::new(),
                mask: (0..G::ACTIONS).map(|action| mask.contains(action)).collect(),
                images: images.to_vec(),
                shape: sizes,
                scalars: scalars.to_vec(),
                certain: Vec::new(),
            });
        }
        let moves: Vec<_> = mask.iter().map(|action| (states[0], action, 0)).collect();
        let Encoded { images, scalars, priors } = encoder.afterstates(&moves);
        let certain = view.prior().map(|_| priors.iter().map(|prior| prior / view.scale).collect());
        Ok(NetworkInput {
            moves: mask.iter().map(|action| action as i64).collect(),
            mask: Vec::new(),
            images: images.to_vec(),
            shape: sizes,
            scalars: scalars.to_vec(),
            certain: certain.unwrap_or_default(),
        })
    }
}
