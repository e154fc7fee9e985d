//! What lies on the disk: trained agents, the states of runs, whole files.

pub mod agent_file;
pub mod container;
pub mod files;

pub use agent_file::{AgentFile, Array, Arrays};
pub use container::Container;
