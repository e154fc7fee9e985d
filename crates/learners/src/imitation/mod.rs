//! Imitation: a linear agent learns to choose at once what an expert finds by looking further.
//!
//! Begin reading at [`learner`].

pub mod config;
pub mod labels;
pub mod learner;

pub use config::Config;
pub use learner::{Apprentice, Imitation};
