//! Deep Q-learning (Mnih et al. 2015, <https://doi.org/10.1038/nature14236>).
//!
//! Begin reading at [`round`].

mod by_tower;
pub mod config;
pub mod exploration;
pub mod figures;
pub mod gradient;
pub mod learner;
pub mod loss;
pub mod moment;
pub mod n_step;
pub mod optimizer;
mod parameters;
mod prioritised;
mod relative;
pub mod replay;
pub mod round;
pub mod seen_waves;
pub mod simulated;
mod sum_tree;
pub mod target_network;
mod target_values;
pub mod targets;

pub use config::{Config, Expected, Future, Learning};
pub use figures::{Figures, Update};
pub use learner::QLearner;
pub use moment::{Moment, Remembered};
pub use round::Dqn;
