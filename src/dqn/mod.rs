//! Deep Q-learning: replay, n-step transitions, targets, the learner, and the loop.

pub mod backup;
pub mod checkpoint;
pub mod config;
pub mod exploration;
pub mod learner;
pub mod learning;
pub mod logs;
pub mod n_step;
pub mod optimizer;
mod parameters;
pub mod replay;
pub mod run;
mod sum_tree;
pub mod target;
pub mod train;
