//! matchq trains agents to play tile puzzles and plays with them.

pub mod agents;
pub mod cli;
pub mod commands;
pub mod error;
pub mod eval;
pub mod games;
pub mod instructions;
pub mod kit;
pub mod learners;
pub mod network;
pub mod random;
pub mod report;
pub mod store;
pub mod vision;
