//! Least-squares policy iteration: a linear agent whose weights are values of actions.
//!
//! Begin reading at [`learner`].

pub mod config;
pub mod learner;
pub mod lstd;

pub use config::Config;
pub use learner::{Lspi, PolicyIteration};
