//! The page's engine: an [`Engine`] turns a [`Request`] into an answer, both JSON.
//!
//! An answer follows from the request and the agents that were given before. The engine opens no
//! file, asks no clock and starts no thread of its own, so that the same code answers in a browser,
//! as WebAssembly, and in `matchq serve`.
//!
//! ```
//! let mut engine = matchq_page::Engine::default();
//! let answer = engine.answer(r#"{"ask": "position", "at": {"game": "match3", "seed": 0}}"#);
//! assert!(answer.starts_with(r#"{"board":"dda#cbdc\ndc#c#dcb\n"#));
//! ```

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod about;
mod chart;
mod door;
mod inside;
mod options;
mod reading;
mod session;
mod values;
// A browser calls two functions by their names.
#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod wasm;
pub mod web;

use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use matchq_core::error::{Error, Result};
use matchq_players::{Agents, registry};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub use about::{about, about_game};
pub use chart::Chart;
pub use door::{Ask, Door};
pub use inside::register;
pub use matchq_games as games;
pub use matchq_pictures as pictures;
pub use matchq_players as players;
pub use matchq_vision as vision;
pub use options::{PlayerChoice, PlayerOption};
pub use reading::{Themes, doubt};
pub use session::{MOST_MOVES, Position, position};
pub use values::values;

/// What a page asks for.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// The games, their tokens, rules and players.
    About {},
    /// A position with its moves.
    Position {
        /// The position.
        at: Position,
    },
    /// A move, the boards on its way and the position after it.
    Play {
        /// The position before the move.
        at: Position,
        /// The move, a legal action.
        action: usize,
    },
    /// A player's values of a position's moves, and the plan that begins with the best.
    Values {
        /// The position.
        at: Position,
        /// The player.
        player: PlayerChoice,
        /// An action whose value is wanted, too, should the player not consider it.
        action: Option<usize>,
    },
    /// The scores after each move of a player's game from its deal on.
    Past {
        /// The position in which the player begins.
        at: Position,
        /// The player.
        player: PlayerChoice,
        /// Most moves.
        moves: usize,
    },
    /// The action after a person moved a piece by columns and turned it.
    Steer {
        /// The position.
        at: Position,
        /// The action before; none at the start.
        action: Option<usize>,
        /// Columns to the right.
        columns: isize,
        /// Quarter turns.
        turns: usize,
    },
    /// Numbers of moves in the game's notation, as a saved game has them.
    Moves {
        /// The game's name.
        game: String,
        /// Moves in its notation.
        moves: Vec<Value>,
    },
    /// The board of a picture, PNG or JPEG in base64; without a game all games' looks are tried.
    Read {
        /// A PNG or JPEG in base64.
        picture: String,
        /// The game's name; without it that of the game whose look fits best.
        game: Option<String>,
        /// Themes beside the program's own, as TOML, by the names of their games.
        #[serde(default)]
        themes: Themes,
    },
    /// The theme, as TOML, that a picture with its board teaches.
    Teach {
        /// A PNG or JPEG in base64.
        picture: String,
        /// The game's name.
        game: String,
        /// The board's text.
        board: String,
    },
    /// Names of the games whose boards a theme can show.
    Theme {
        /// The theme as TOML.
        theme: String,
    },
    /// An agent's file in base64, which then plays under the name.
    Agent {
        /// Name of the agent from now on.
        name: String,
        /// The agent's file in base64.
        file: String,
    },
    /// A chart as SVG.
    Chart {
        /// What is drawn.
        chart: Chart,
    },
}

/// Most values in a request: in memory each takes thirty times the bytes of its text.
const MOST_VALUES: usize = 500_000;

impl Request {
    /// Reads a request; an error is a sentence.
    pub fn parse(text: &[u8]) -> std::result::Result<Self, String> {
        if text.iter().filter(|byte| **byte == b',').count() > MOST_VALUES {
            return Err(format!("the request has more than {MOST_VALUES} values"));
        }
        serde_json::from_slice(text).map_err(|error| format!("the request is not understood: {error}"))
    }
}

/// Answers requests. The last games are in a cache, so that a move costs no more than itself.
pub struct Engine {
    agents: Agents,
    cache: session::Cache,
    most_simulations: usize,
}

impl Default for Engine {
    /// An engine with the agents that ship, and without a limit.
    fn default() -> Self {
        Self::new(Agents::closed(), 10_000_000)
    }
}

/// Most letters of an agent's name.
const NAME: usize = 80;

/// Beginning of the names of agents that a server takes from its runs.
pub const OF_RUN: &str = "run ";

impl Engine {
    /// An engine with agents, which should open no files, and most simulations a move.
    pub fn new(agents: Agents, most_simulations: usize) -> Self {
        inside::inside();
        Self { agents, cache: session::Cache::default(), most_simulations }
    }

    /// The answer; an object with `error`, a sentence, where the request is wrong.
    pub fn answer(&mut self, request: &str) -> String {
        let answer = Request::parse(request.as_bytes()).map_err(Error::user).and_then(|request| self.respond(request));
        answer.unwrap_or_else(|error| json!({"error": error.to_string()})).to_string()
    }

    /// The answer to a request that was understood.
    pub fn respond(&mut self, request: Request) -> Result<Value> {
        self.respond_until(request, &AtomicBool::new(false))
    }

    /// The answer to a request, or an error if `stop` is set before it, or between
    /// the moves of a past game.
    pub fn respond_until(&mut self, request: Request, stop: &AtomicBool) -> Result<Value> {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::runtime("nobody waits for the answer any more"));
        }
        match request {
            Request::About {} => {
                let mut about = about(&self.agents);
                about["simulations"] = self.most_simulations.into();
                Ok(about)
            }
            Request::Position { at } => self.at(&at, stop, &Ask::Position),
            Request::Play { at, action } => self.at(&at, stop, &Ask::Play { action }),
            Request::Values { at, player, action } => self.at(&at, stop, &Ask::Values { player, action }),
            Request::Past { at, player, moves } => self.at(&at, stop, &Ask::Past { player, moves }),
            Request::Steer { at, action, columns, turns } => self.at(&at, stop, &Ask::Steer { action, columns, turns }),
            Request::Moves { moves, .. } if moves.len() > MOST_MOVES => {
                Err(Error::user(format!("a game here has at most {MOST_MOVES} moves, not {}", moves.len())))
            }
            Request::Moves { game, moves } => Ok(json!({"actions": registry::game(&game)?.actions(&moves)?})),
            Request::Read { picture, game, themes } => {
                reading::read(&bytes("picture", &picture)?, game.as_deref(), &themes).map(object)
            }
            Request::Teach { picture, game, board } => reading::teach(&bytes("picture", &picture)?, &game, &board),
            Request::Theme { theme } => reading::games_of(&theme),
            Request::Agent { name, file } => self.give(&name, &bytes("file", &file)?),
            Request::Chart { chart } => Ok(json!({"svg": chart.draw()?})),
        }
    }

    fn at(&mut self, at: &Position, stop: &AtomicBool, ask: &Ask) -> Result<Value> {
        let agents = self.agents.clone();
        let mut context = session::Context { agents, cache: &mut self.cache, most: self.most_simulations, stop };
        door::door(&at.game)?.answer(at, ask, &mut context)
    }

    fn give(&mut self, name: &str, file: &[u8]) -> Result<Value> {
        let fits = |letter: char| letter.is_alphanumeric() || "-_. ".contains(letter);
        let plain = name.trim() == name && !name.is_empty() && name.chars().count() <= NAME && name.chars().all(fits);
        if !plain || name.starts_with(OF_RUN) {
            return Err(Error::user(format!(
                "an agent's name has 1 to {NAME} letters, digits, blanks or any of - _ ., and begins neither with a blank \
                 nor with '{OF_RUN}'"
            )));
        }
        if registry::shipped(name).is_some() || registry::is_player(name) || registry::is_preset(name) {
            return Err(Error::user(format!("{name} is the name of a player here: give your agent another")));
        }
        // A file that no player can be made of is refused before it takes another's place.
        let tried = Agents::closed();
        let game = tried.give(name, file)?.game().to_owned();
        door::door(&game)?.check(&tried, name)?;
        let agent = self.agents.give(name, file)?;
        Ok(json!({"name": name, "game": game, "kind": agent.file.kind.name()}))
    }
}

/// Bytes in base64.
fn bytes(key: &str, text: &str) -> Result<Vec<u8>> {
    BASE64_STANDARD.decode(text).map_err(|error| Error::user(format!("'{key}' is not base64: {error}")))
}

/// An object without entries that are null.
fn object(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            Value::Object(entries.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
        }
        other => other,
    }
}
