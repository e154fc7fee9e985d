//! Least-squares policy iteration of a linear controller.
//!
//! Its weights are values of actions.
//!
//! Begin reading at [`learner`].

pub mod config;
pub mod learner;
pub mod lstd;

pub use config::Config;
pub use learner::{Lspi, PolicyIteration};
