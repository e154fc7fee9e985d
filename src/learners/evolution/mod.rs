//! Evolution: linear controllers by how far their games go.
//!
//! Begin reading at [`learner`]. The optimisers know nothing of games.

pub mod cma;
pub mod config;
pub mod cross_entropy;
pub mod genetic;
pub mod learner;
pub mod optimizer;

pub use config::Config;
pub use learner::{Evolution, Search};
pub use optimizer::{Optimizer, Optimizers};
