//! Networks: what they see of a position, their shape and file, and what evaluates them.

mod config;
mod encoding;
mod evaluate;
mod evaluator;
mod model;
mod player;
mod search;
mod view;

pub use config::{BELOW, Input, ModelConfig, NetworkConfig, NetworkShape, SHARE};
pub use encoding::{Encoded, Encoder, WaveBatch};
pub use evaluate::{Backend, Evaluate, Processor};
pub use evaluator::Evaluator;
pub use matchq_kernels::Precision;
pub use model::Model;
pub(crate) use player::player;
pub use player::{NetworkPlayer, argmax, entry};
pub(crate) use search::entry as search_entry;
pub use search::{NetworkSearch, searching};
pub use view::{Shown, View, by_certain_points};

/// States, or actions, that are worth a task for another thread.
const TASK: usize = 4;
