//! How agents are trained.

pub mod checkpoint;
pub mod dqn;
pub mod folder;
pub mod logs;
