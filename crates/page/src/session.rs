//! Games that go on: a [`Position`] says where a game is, a [`Session`] is the game there.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};

use matchq_core::error::{Error, Result};
use matchq_games::random::Draw as _;
use matchq_games::{Episode, Given, MaskKind, Names, actions_of_a_game, counted};
use matchq_pictures::landed::Landed;
use matchq_players::{Agents, BoxedPlayer, Playable, position_stream, registry};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::object;
use crate::options::PlayerChoice;

/// Most moves of a game in a request.
pub const MOST_MOVES: usize = 100_000;

/// More rules than any game has.
const RULES: usize = 16;

/// Most simulations of a past game, of all its moves.
const PAST: usize = 200_000;

/// Most moves of a past game.
const PAST_MOVES: usize = 1_000;

/// Most bytes of a board's text.
const LONGEST: usize = 4_096;

/// A position: a seed's game after some moves, or a board.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The game's name.
    pub game: String,
    /// Rules that differ from the usual ones.
    #[serde(default)]
    pub rules: Map<String, Value>,
    /// Seed of the deal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Actions since the deal, or since the board.
    #[serde(default)]
    pub moves: Vec<usize>,
    /// A board's text in place of a seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Moves left on the board, all of a game by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves_left: Option<i64>,
    /// Letter of the piece to place, where the board shows none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub piece: Option<String>,
}

/// What an answer may need beside the game.
pub struct Context<'a> {
    /// The engine's agents.
    pub agents: Agents,
    /// Games and players of earlier requests.
    pub cache: &'a mut Cache,
    /// Most simulations a move.
    pub most: usize,
    /// Set when nobody waits for the answer any more.
    pub stop: &'a AtomicBool,
}

/// The last games and players of an engine.
#[derive(Default)]
pub struct Cache {
    games: Vec<(Position, Box<dyn Any + Send>)>,
    player: Option<(PlayerKey, Box<dyn Any + Send>)>,
}

/// Game and rules of a player, the choice that it is of, and the changes of agents before it was made.
type PlayerKey = (String, Map<String, Value>, PlayerChoice, u64);

/// Most games in the cache: those of a page's boards.
const GAMES: usize = 8;

/// A game at a position.
#[derive(Clone)]
pub struct Session<G: Playable> {
    /// The position.
    pub at: Position,
    /// All rules of the game.
    pub rules: G::Rules,
    /// The game itself.
    pub episode: Episode<G>,
    /// Moves of a game of these rules; 0 without a bound.
    all: usize,
    landed: Landed,
    /// The board's text, landed pieces by name.
    board: String,
}

impl<G: Playable> Session<G> {
    /// The game of a position, carried on from the cache where it is there.
    pub fn open(at: &Position, cache: &mut Cache) -> Result<Self> {
        if at.moves.len() > MOST_MOVES {
            return Err(Error::user(format!("a game here has at most {MOST_MOVES} moves, not {}", at.moves.len())));
        }
        if at.rules.len() > RULES {
            return Err(Error::user(format!("no game has as many as {} rules", at.rules.len())));
        }
        let mut game = match cache.find::<G>(at) {
            Some(game) => game,
            None => Self::begin(at)?,
        };
        let done = game.at.moves.len();
        for action in &at.moves[done..] {
            game.step(*action)?;
        }
        if game.at.moves.len() > done {
            cache.keep(&game);
        }
        Ok(game)
    }

    /// The game before its first move.
    fn begin(at: &Position) -> Result<Self> {
        let rules = match at.rules.is_empty() {
            // A game without parameters has rules of the type (), which no object is.
            true => G::Rules::default(),
            false => serde_json::from_value::<G::Rules>(Value::Object(at.rules.clone()))
                .map_err(|error| Error::user(format!("{} has no such rules: {error}", G::NAME)))?,
        };
        let all = actions_of_a_game::<G>(&rules);
        let episode = match (&at.board, at.seed) {
            (None, Some(seed)) if at.moves_left.is_none() && at.piece.is_none() => Episode::deal(&rules, seed.into()),
            (Some(board), None) => Self::from_board(&rules, board, at)?,
            _ => {
                return Err(Error::user(
                    "a position has either a seed, or a board with perhaps moves_left and piece".to_owned(),
                ));
            }
        };
        let at = at.without_moves();
        let board = G::board(&episode.state());
        Ok(Self { at, rules, episode, all, landed: Landed::default(), board })
    }

    fn from_board(rules: &G::Rules, board: &str, at: &Position) -> Result<Episode<G>> {
        if board.len() > LONGEST {
            return Err(Error::user(format!("the board is too long: it has at most {LONGEST} bytes")));
        }
        let names = Names { board: "the board", moves_left: "moves left", piece: "piece" };
        let given = Given { board, moves_left: at.moves_left, piece: at.piece.as_deref() };
        let game = given.game::<G>(rules, &names)?;
        let seed = position_stream::<G>(&game.state()).below(u32::MAX);
        Ok(Episode { game, stream: G::random(rules, seed.into()) })
    }

    /// Plays a legal action; the boards on the way and the points.
    fn step(&mut self, action: usize) -> Result<(Vec<String>, f32)> {
        let before = self.episode.state();
        if self.episode.is_over() {
            return Err(Error::user(format!("the game is over after {}", counted(self.at.moves.len(), "moves"))));
        }
        if !G::mask(&before, MaskKind::LEGAL).contains(action) {
            let number = self.at.moves.len() + 1;
            return Err(Error::user(format!("move {number}: {action} is no legal action in this position")));
        }
        let Episode { game, stream } = &mut self.episode;
        let (step, mut way) = game.frames(action, stream);
        self.board = G::board(&self.episode.state());
        self.landed.follow::<G>(&before, action, &mut way, &mut self.board);
        self.at.moves.push(action);
        Ok((way, step.reward))
    }

    /// The position as JSON.
    pub fn position(&self) -> Value {
        let Episode { game, .. } = &self.episode;
        position::<G>(game, &self.board, self.all > 0, self.at.moves.len())
    }

    /// Plays a move: the boards on its way, its points, the position after it.
    pub fn play(mut self, action: usize, context: &mut Context) -> Result<Value> {
        if self.at.moves.len() >= MOST_MOVES {
            return Err(Error::user(format!("a game here has at most {MOST_MOVES} moves")));
        }
        let state = self.episode.state();
        let (words, cells) = (G::words(&state, action), G::cells(&state, action));
        let before = self.board.clone();
        let (way, points) = self.step(action)?;
        context.cache.keep(&self);
        Ok(json!({
            "action": action,
            "words": words,
            "cells": cells,
            "before": before,
            "frames": way,
            "points": points,
            "position": self.position(),
        }))
    }

    /// The scores after each move of a player, from here on.
    pub fn past(mut self, player: &PlayerChoice, most: usize, context: &mut Context) -> Result<Value> {
        let simulations = player.simulations.unwrap_or(1);
        if most > PAST_MOVES || most.saturating_mul(simulations) > PAST {
            return Err(Error::user(format!(
                "a past game has at most {PAST_MOVES} moves, and {PAST} simulations in all: ask for fewer"
            )));
        }
        let stop = context.stop;
        let player = context.player::<G>(&self, player)?;
        let mut scores = vec![self.episode.score()];
        while !self.episode.is_over() && scores.len() <= most {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::user("nobody waits for this answer any more".to_owned()));
            }
            let state = self.episode.state();
            let actions = player.act(&[state], &mut [position_stream::<G>(&state)])?;
            self.episode.step(actions[0]);
            scores.push(self.episode.score());
        }
        Ok(json!({"scores": scores, "over": self.episode.is_over()}))
    }

    /// A piece steered over the wall.
    pub fn steer(&self, action: Option<usize>, columns: isize, turns: usize) -> Value {
        let state = self.episode.state();
        let legal = G::mask(&state, MaskKind::LEGAL);
        let action = action.filter(|action| legal.contains(*action));
        let Some(pieces) = G::PIECES else { return json!({}) };
        let steered = pieces.steer(&state, action, columns.clamp(-100, 100), turns % 4);
        match steered.filter(|action| legal.contains(*action)) {
            Some(action) => json!({
                "action": action,
                "words": G::words(&state, action),
                "cells": G::cells(&state, action),
                "board": self.landed.name(&pieces.steered(&state, action)),
            }),
            None => json!({}),
        }
    }
}

/// A position as JSON: its board, landed pieces by name, and its moves.
pub fn position<G: Playable>(game: &G, board: &str, counted: bool, played: usize) -> Value {
    let (state, over) = (game.state(), game.is_over());
    let legal = G::mask(&state, MaskKind::LEGAL);
    let (offered, _) = matchq_games::offered::<G>(&state, MaskKind::default_of::<G>());
    let moves = legal.iter().filter(|_| !over).map(|action| {
        json!({
            "action": action,
            "move": G::to_json(action),
            "cells": G::cells(&state, action),
            "words": G::words(&state, action),
            "matches": offered.contains(action),
        })
    });
    object(json!({
        "board": board,
        "score": game.score(),
        "moves_left": counted.then(|| G::actions_left(&state)),
        "over": over,
        "played": played,
        "piece": matchq_pictures::landed::piece::<G>(&state),
        "moves": moves.collect::<Vec<_>>(),
    }))
}

impl Cache {
    /// The game in the cache from which the position's goes on.
    fn find<G: Playable>(&self, at: &Position) -> Option<Session<G>> {
        let goes_on = |cached: &&(Position, Box<dyn Any + Send>)| {
            let (earlier, _) = cached;
            at.moves.starts_with(&earlier.moves) && at.without_moves() == earlier.without_moves()
        };
        let (_, game) = self.games.iter().filter(goes_on).max_by_key(|(earlier, _)| earlier.moves.len())?;
        game.downcast_ref::<Session<G>>().cloned()
    }

    fn keep<G: Playable>(&mut self, game: &Session<G>) {
        // A game's earlier position makes room for its later one.
        let same = |earlier: &Position| earlier.without_moves() == game.at.without_moves();
        self.games.retain(|(earlier, _)| !(same(earlier) && game.at.moves.starts_with(&earlier.moves)));
        if self.games.len() >= GAMES {
            self.games.remove(0);
        }
        self.games.push((game.at.clone(), Box::new(game.clone())));
    }
}

impl Position {
    /// The deal of a seed by a game's usual rules.
    pub fn of_seed(game: &str, seed: u64) -> Self {
        Self {
            game: game.to_owned(),
            rules: Map::new(),
            seed: Some(seed),
            moves: vec![],
            board: None,
            moves_left: None,
            piece: None,
        }
    }

    fn without_moves(&self) -> Self {
        Self { moves: Vec::new(), ..self.clone() }
    }
}

impl Context<'_> {
    /// The player of a choice, from the cache where it is there.
    pub fn player<G: Playable>(&mut self, session: &Session<G>, choice: &PlayerChoice) -> Result<&mut BoxedPlayer<G>> {
        let (text, simulations) = choice.checked(registry::game(G::NAME)?, &self.agents, self.most)?;
        let key = (G::NAME.to_owned(), session.at.rules.clone(), choice.clone(), self.agents.changes());
        let is_cached = self.cache.player.as_ref().is_some_and(|(cached, _)| *cached == key);
        if !is_cached {
            let setting = matchq_players::Setting { agents: self.agents.clone(), simulations, ..Default::default() };
            let player = matchq_players::parse_with::<G>(&text, &session.rules, &setting)?;
            self.cache.player = Some((key, Box::new(player)));
        }
        let player = self.cache.player.as_mut().and_then(|(_, player)| player.downcast_mut::<BoxedPlayer<G>>());
        player.ok_or_else(|| Error::runtime("the player is lost".to_owned()))
    }
}
