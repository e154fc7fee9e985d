//! Networks: their views of a position, shapes and files, and their evaluation.

mod config;
mod encoding;
mod evaluate;
mod evaluator;
mod model;
mod player;
mod search;
mod swaps;
mod view;

pub use config::{BELOW, Input, ModelConfig, NetworkConfig, NetworkShape, SHARE};
pub use encoding::{Encoded, Encoder, WaveBatch};
pub use evaluate::{Backend, Evaluate, Processor};
pub use evaluator::{Evaluator, PLAN_DISCOUNT, PLAN_MARGIN, PLAN_SHARE, PLANS, masks};
pub use matchq_kernels::Precision;
pub use model::Model;
pub use player::{NetworkPlayer, argmax};
pub use search::NetworkSearch;
pub use swaps::Swaps;
pub use view::{Shown, View, by_certain_points};

/// Fewest states, or actions, in a task of another thread.
const TASK: usize = 4;
