//! What lies on the disk: a trained agent, the state of a run, and files that are whole or not there.

pub mod agent_file;
pub mod container;
pub mod files;

pub use agent_file::{AgentFile, Array, Arrays};
pub use container::Container;
