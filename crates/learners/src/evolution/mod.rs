//! Evolution: a search for linear agents that play long games.
//!
//! Begin reading at [`learner`].

pub mod cma;
pub mod config;
pub mod cross_entropy;
pub mod genetic;
pub mod learner;
pub mod optimizer;
pub mod optimizers;

pub use config::Config;
pub use learner::{Evaluated, Evolution, Search};
pub use optimizer::Optimizer;
pub use optimizers::Optimizers;
