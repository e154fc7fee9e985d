//! Imitation: a linear controller learns from one that looks further.
//!
//! It learns to see at once what the other sees.
//!
//! Begin reading at [`learner`].

pub mod config;
pub mod labels;
pub mod learner;

pub use config::Config;
pub use learner::{Apprentice, Imitation};
