//! Players that follow rules or simulate, without anything learned.

mod budget;
mod cascade;
mod exhaustive;
mod greedy;
pub mod lines;
mod own;
mod plan;
mod random;
mod ranked;
mod rollout;
mod search;
mod setup;

pub use budget::Budget;
pub use cascade::Cascade;
pub use exhaustive::Exhaustive;
pub use greedy::Greedy;
pub(crate) use own::{Own, or_all_alike};
pub use plan::{PlanThenCascade, Planner};
pub use random::Random;
pub use ranked::{Gems, Ranked};
pub use rollout::Rollout;
pub use search::Search;
pub use setup::Setup;
