//! Imitation: a linear controller that learns to see at once what one that looks further sees.
//!
//! Begin reading at [`learner`].

pub mod config;
pub mod labels;
pub mod learner;

pub use config::Config;
pub use learner::Imitation;
