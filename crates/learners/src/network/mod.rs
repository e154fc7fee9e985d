//! The Q-network in burn, for learning and for devices other than the processor.

mod colours;
mod convolution;
pub mod device;
mod dynamics;
mod evaluate;
#[cfg(feature = "flex")]
mod operation;
mod q_network;
mod weights;

pub use convolution::{Convolution, convolve, convolve_by_parts, convolve_in};
pub use dynamics::{DynamicsModel, Wave};
pub use evaluate::{OnDevice, evaluate, evaluator, has_kernels, send, tensors, to_vec};
pub use matchq_kernels::{Activation, Precision};
pub use matchq_players::network::{
    Encoded, Encoder, Evaluate, Evaluator, Input, Model, ModelConfig, NetworkConfig, NetworkShape, Shown, View,
    WaveBatch, by_certain_points, masks,
};
pub use q_network::QNetwork;
