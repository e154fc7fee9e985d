//! Players of bilging: a beam search and a planner.

pub mod beam;
pub mod planner;
mod potential;
mod rows;
#[cfg(test)]
pub(crate) mod tests;

pub use beam::{Beam, BeamPlayer};
pub use potential::Promise;
