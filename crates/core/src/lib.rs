//! What all crates of matchq stand on.
//!
//! - [`clock`]: the time, where there is one.
//! - [`disk`]: files of the system, or in memory where there is none.
//! - [`error`]: errors as sentences, each with its exit code.
//! - [`files`]: files written whole or not at all.
//! - [`pool`]: work on several threads.
//! - [`stop`]: work that another thread can stop.
//! - [`statistics`]: summaries and histograms of scores.
//! - [`random`]: random streams, one for each role and index under a seed, and CPython's generator.
//! - [`instructions`]: the instruction set that the program uses.

#![warn(missing_docs)]

pub mod clock;
pub mod disk;
pub mod error;
pub mod files;
pub mod instructions;
pub mod named;
pub mod pool;
pub mod random;
pub mod statistics;
pub mod stop;
