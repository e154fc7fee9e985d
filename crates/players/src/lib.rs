//! Players, agents and evaluation, without a tensor library.
//!
//! A [`Player`] chooses moves, and [`parse`] makes one from a text such as `plan:depth=3`. An
//! [`Agent`] is a trained player as a file. A [`Roster`] is a game with its agents and players.
//! [`eval`] measures players, and [`kit`] has the callbacks of the original game.
//!
//! ```
//! use matchq_players::eval::play_series;
//! use matchq_players::games::{Match3, match3::Rules};
//! use matchq_players::parse;
//!
//! let rules = Rules::default();
//! let mut player = parse::<Match3>("cascade", &rules).unwrap();
//! let games = play_series(player.as_mut(), &rules, 1_000_000, 10, |_| ()).unwrap();
//! println!("{} points in the first game", games[0].score);
//! ```

#![forbid(unsafe_code)]

mod advice;
mod agent;
pub mod agent_file;
pub mod bilging;
mod budget;
mod cascade;
mod entries;
pub mod eval;
mod exhaustive;
mod greedy;
mod judged;
#[cfg(not(target_family = "wasm"))]
pub mod kit;
mod linear;
pub mod network;
mod options;
mod plan;
mod player;
mod policy;
mod random_player;
mod ranked;
pub mod registry;
mod rollout;
pub mod roster;
mod search;
mod setup;
mod value;
mod weights_file;

pub use advice::{Advice, Advised, Next, advise};
pub use agent::{Agent, Agents, BEST, LAST, Shipped, run_of};
pub use agent_file::{AgentFile, Array, Arrays, Kind};
pub use budget::Budget;
pub use cascade::Cascade;
pub use entries::{SEARCHES, agent_in, listing, parse, parse_with, players};
pub use exhaustive::Exhaustive;
pub use greedy::Greedy;
pub use judged::{Judged, Meaning};
pub use linear::{LOST, Linear, Selection, places};
pub use matchq_core::{clock, error, files, random};
pub use matchq_games as games;
pub use network::{NetworkPlayer, NetworkSearch, argmax};
pub use options::{BoxedPlayer, Entry, Options, Parameter, Setting};
pub use plan::{PlanThenCascade, Planner};
pub use player::{Player, position_stream};
pub use policy::{ActionValue, Listed, Moved, Policy, PolicyPlayer, best, in_words};
pub use random_player::Random;
pub use ranked::Ranked;
pub use registry::{AnyGame, Door, Doors, ForGame, Of, Register, names, register, with_game};
pub use rollout::Rollout;
pub use roster::{Measured, Roster};
pub use search::Search;
pub use setup::Setup;
pub use value::{LinearValue, ValueModel, ValuePlayer};
