//! Deep Q-learning: replay, n-step transitions, targets, the learner, and the loop.

pub mod config;
pub mod exploration;
pub mod learner;
pub mod learning;
pub mod n_step;
pub mod optimizer;
mod parameters;
pub mod replay;
pub mod round;
pub mod simulated;
mod sum_tree;
pub mod targets;
