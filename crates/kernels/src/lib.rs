//! Convolutions of small boards on the processor, forward and backward: numbers in, numbers out.
//!
//! - Blocks (`geometry`, `channels`, `planes`): a few boards in buffers of 16 channels each, with
//!   zeros between rows and boards, so that each tap of a kernel is a fixed offset.
//! - Lines (`line`, `register`, `packing`): 16 numbers of a cell or of a row of weights. Functions
//!   of lines are compiled for each instruction set.
//! - Winograd (`winograd`, `filters`, `kernels`, `nodes`): 3x3 kernels in fewer multiplications.
//! - Products (`product`, `steps`): all other kernels. `unit` has bfloat16 for Winograd's products.
//! - AMX (`amx`, `amx_registers`): 3x3 kernels in bfloat16 by its instructions.
//! - Towers: a `plan` picks the way of a block. [`forward()`] and [`backward()`] compute one layer,
//!   [`Tower`] and [`WaveTower`] all `layer`s of a Q-network or a dynamics model, block by block,
//!   [`TrainedTower`] those of a Q-network forward and backward.

#![warn(missing_docs)]

mod activation;
mod amx;
mod amx_registers;
#[cfg(test)]
mod amx_tests;
mod backward;
mod buffers;
mod channels;
mod filters;
mod forward;
mod geometry;
mod kernels;
mod layer;
mod line;
mod nodes;
mod outputs;
mod packing;
mod plan;
mod planes;
mod precision;
mod product;
mod register;
mod steps;
mod sums;
#[cfg(test)]
mod tests;
mod tower;
mod trained;
#[cfg(test)]
mod trained_tests;
mod unit;
mod waves;
mod winograd;

use matchq_core::instructions;
#[cfg(test)]
use matchq_core::random;

/// Weights of a convolution.
pub struct Kernel {
    /// `[channels_out, channels_in, size]`
    pub sizes: [usize; 3],
    /// `[channels_out, channels_in, size, size]`, row-major.
    pub weight: Vec<f32>,
    /// `[channels_out]`
    pub bias: Vec<f32>,
    /// Precision of the products, if the kernel is 3x3.
    pub precision: Precision,
}

impl Kernel {
    /// Kernel with products in another precision.
    #[must_use]
    pub fn with(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }
}

pub use activation::{Activation, set_by_odds};
pub use backward::{Gradients, backward};
pub use forward::forward;
pub use geometry::Shape;
pub use precision::Precision;
pub use tower::{Parts, Tower};
pub use trained::{Loss, TrainedTower};
pub use waves::{WaveParts, WaveTower};

/// Keeps numbers from [`forward()`] or [`backward()`] as memory for their next calls.
pub fn use_again(numbers: Vec<f32>) {
    buffers::NUMBERS.give(numbers);
}

/// Keeps a mask from [`forward()`] as memory for its next calls.
pub fn use_mask_again(mask: Vec<u16>) {
    buffers::MASKS.give(mask);
}
