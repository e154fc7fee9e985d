//! Trained agents: from files to players and back.

mod agent;

pub(crate) use agent::none_inside;
pub use agent::{Agent, Agents, BEST, LAST, Shipped};
