//! Fitted value iteration: values that are linear in a game's features.
//!
//! Begin reading at [`learner`].

pub mod config;
pub mod learner;
pub mod regression;
pub mod sampling;

pub use config::Config;
pub use learner::Fitted;
