//! matchq trains agents to play tile puzzles and plays with them.
//!
//! The crate has the learners, the Q-network on burn and the program. Games, players and all that
//! playing needs are other crates, re-exported here: [`games`], [`players`], [`eval`], [`kit`],
//! [`vision`].

#![forbid(unsafe_code)]

pub mod cli;
pub mod commands;
mod door;
pub mod learners;
pub mod network;
mod program;
pub mod report;
pub mod serve;

pub use matchq_core::{error, files, instructions, random};
pub use matchq_games as games;
pub use matchq_players::{self as players, eval, kit};
pub use matchq_vision as vision;
pub use program::Program;
