//! Players of bilging: a beam search and a planner.

/// Beam search over boards that are certain.
pub mod beam;
pub mod planner;
mod potential;
mod rows;
#[cfg(test)]
pub(crate) mod tests;

pub use beam::{Beam, BeamPlayer};
pub use potential::Promise;
