//! Convolutions of small boards on the processor, forward and backward: numbers in, numbers out.
//!
//! [`forward`] and [`backward`] are one convolution and its gradients. Without gradients a [`Tower`] takes blocks of
//! boards through a whole Q-network, and a [`WaveTower`] through a dynamics model.
//!
//! Channels are last; bias, ReLU and residual are in the same pass.
//!
//! Blocks of a few boards are copied into buffers of 16 channels each with zeros between rows and between boards, in
//! which every tap of the kernel is a constant offset. 3x3 kernels are computed by [`winograd`], which transforms
//! patches of these buffers and multiplies them at their [`points`]. For other kernels, and small boards, the
//! convolution and both of its gradients are matrix products with a left side that is read through offsets, by the
//! micro-kernel in [`product`], and a [`plan`] leaves out what lies beyond the border.
//!
//! [`register`] is what all kernels know of the processor's instructions, but for the [`tiles`] of AMX, by which 3x3
//! kernels of bfloat16 are computed directly where the processor has them.

mod activation;
mod backward;
mod buffers;
mod channels;
mod filters;
mod forward;
mod geometry;
mod kernels;
mod layer;
mod line;
mod packing;
mod plan;
mod planes;
mod points;
mod precision;
mod product;
mod register;
mod steps;
mod sums;
#[cfg(test)]
mod tests;
mod tile_registers;
mod tiles;
mod tower;
mod unit;
mod waves;
mod winograd;

use matchq_core::instructions;
#[cfg(test)]
use matchq_core::random;

/// The numbers of a convolution.
pub struct Kernel {
    /// `[channels_out, channels_in, size]`
    pub sizes: [usize; 3],
    /// Shape `[channels_out, channels_in, size, size]`, row-major.
    pub weight: Vec<f32>,
    /// Shape `[channels_out]`.
    pub bias: Vec<f32>,
    /// Of the products of a kernel of 3x3.
    pub precision: Precision,
}

impl Kernel {
    /// The same convolution with its products in a precision.
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
pub use waves::{WaveParts, WaveTower};

/// Keeps the memory of numbers that [`forward`] or [`backward`] gave, for their next calls.
pub fn use_again(numbers: Vec<f32>) {
    buffers::NUMBERS.give(numbers);
}

/// Keeps the memory of a mask that [`forward`] gave.
pub fn use_mask_again(mask: Vec<u16>) {
    buffers::MASKS.give(mask);
}
