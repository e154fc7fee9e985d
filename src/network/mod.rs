//! The Q-network, its convolution, the encoding of boards, and the network's file: all that playing needs of burn.

#[cfg(feature = "flex")]
mod board_convolution;
mod colours;
mod convolution;
pub mod device;
mod encoding;
mod evaluator;
mod foresight;
mod model;
mod q_network;
mod weights;

pub use convolution::{Activation, Convolution, convolve, convolve_by_parts};
pub use encoding::{Encoded, Encoder, View, Waves};
pub use evaluator::{Evaluator, to_vec};
pub use foresight::{Chain, Foresight, Wave};
pub use model::{BEST, Model, ModelConfig};
pub use q_network::{Frozen, NetworkConfig, OutOfRange, QNetwork};
