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
#![warn(missing_docs)]

mod advice;
pub mod agent_file;
mod agents;
pub mod bilging;
mod by_name;
mod by_rules;
mod contract;
pub mod eval;
#[cfg(not(target_family = "wasm"))]
pub mod kit;
mod learned;
pub mod network;
pub mod registry;
mod texts;

/// What players and the program need of a game beside its rules: data, a file a game.
pub mod roster {
    /// An agent inside the program, whose folder in `checkpoints/` has its name.
    macro_rules! shipped {
        ($kind:ident, $name:literal, $about:literal) => {
            $crate::agents::Shipped {
                name: $name,
                about: $about,
                kind: $crate::agent_file::Kind::$kind,
                file: include_bytes!(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/../../checkpoints/",
                    $name,
                    "/best.safetensors"
                )),
            }
        };
    }

    mod bejeweled;
    mod bilging;
    mod match3;
    mod samegame;
    mod tetris;
    mod tile_match;

    pub use crate::contract::{Forecast, Importance, Measured};
    pub use crate::texts::{Figure, OwnFigures, OwnPolicy, Played, Preset, Roster, Weights, last_agent};
}

pub use advice::{Advice, Advised, Next, advise};
pub use agent_file::{AgentFile, Array, Arrays, Kind};
pub use agents::{Agent, Agents, BEST, LAST, Shipped};
pub use by_name::{agent_in, parse, parse_with, run_of};
pub use by_rules::{
    Budget, Cascade, Exhaustive, Greedy, PlanThenCascade, Planner, Random, Ranked, Rollout, Search, Setup,
};
pub use contract::{
    BoxedPlayer, Listed, Meaning, Measured, Moved, Player, Policy, PolicyPlayer, Scale, Valued, best, in_words,
    position_stream,
};
pub use learned::{LOST, Linear, LinearValue, Selection, ValueModel, ValuePlayer, places};
pub use matchq_core::{clock, error, files, random, stop};
pub use matchq_games as games;
pub use network::{NetworkPlayer, NetworkSearch, argmax};
pub use registry::{AnyGame, Door, Doors, ForGame, Of, Playable, Register, names, register, with_game};
pub use texts::{
    Build, Choice, Entry, Options, Parameter, Roster, SEARCHES, Setting, Sort, build, choices, listing, players,
};
