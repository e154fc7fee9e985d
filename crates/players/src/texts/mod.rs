//! Texts of players: their options, all entries, and what is shown to whom.

mod entries;
mod game;
mod lines;
mod list;
mod options;

pub(crate) use entries::{beam, beam_player, preset_names, ranked, recommended};
pub use game::{Figure, OwnFigures, OwnPolicy, Played, Preset, Roster, Weights, last_agent};
pub use list::{Choice, SEARCHES, Sort, build, choices, listing, players};
pub use options::{Build, Entry, Options, Parameter, Setting};
pub(crate) use options::{Parts, budget};
