//! matchq trains agents to play tile puzzles and plays with them.
//!
//! The crate has the program. Games, players, learners and all that these need are other crates,
//! re-exported here: [`games`], [`players`], [`eval`], [`kit`], [`learners`], [`network`], [`vision`].

#![forbid(unsafe_code)]

#[cfg(not(target_family = "wasm"))]
pub mod cli;
#[cfg(not(target_family = "wasm"))]
pub mod commands;
#[cfg(not(target_family = "wasm"))]
mod door;
#[cfg(not(target_family = "wasm"))]
mod inside;
#[cfg_attr(target_family = "wasm", path = "program_page.rs")]
mod program;
#[cfg(not(target_family = "wasm"))]
pub mod report;
#[cfg(not(target_family = "wasm"))]
pub mod serve;

use matchq_core::named;
pub use matchq_core::{error, files, instructions, random};
pub use matchq_games as games;
pub use matchq_learners::{self as learners, network};
#[cfg(not(target_family = "wasm"))]
pub use matchq_players::kit;
pub use matchq_players::{self as players, eval};
pub use matchq_vision as vision;
pub use program::Program;
