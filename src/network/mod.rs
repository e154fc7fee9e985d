//! All that playing needs of burn.
//!
//! That is the Q-network, its convolution, the encoding of boards, and the network's file.

mod activation;
#[cfg(feature = "flex")]
mod board_convolution;
mod colours;
mod convolution;
pub mod device;
mod dynamics;
mod encoding;
mod evaluator;
mod model;
mod precision;
mod q_network;
mod weights;

pub use activation::Activation;
pub use convolution::{Convolution, convolve, convolve_by_parts, convolve_in};
pub use dynamics::{DynamicsModel, Outcome, Wave};
pub use encoding::{Encoded, Encoder, Shown, View, WaveBatch, by_certain_points};
pub use evaluator::{Evaluator, to_vec};
pub use model::{BEST, Model, ModelConfig, agent_file, game_of, is_network, rules_of};
pub use precision::Precision;
pub use q_network::{Frozen, Input, NetworkConfig, QNetwork};
