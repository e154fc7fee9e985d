//! What all crates of matchq stand on.
//!
//! - [`error`]: errors as sentences, each with its exit code.
//! - [`files`]: files that are whole or not there.
//! - [`random`]: random streams, one for each role and index under a seed, and CPython's generator.
//! - [`instructions`]: which instruction set of the processor the program uses.

pub mod error;
pub mod files;
pub mod instructions;
pub mod random;
