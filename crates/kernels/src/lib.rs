//! Convolutions of small boards on the CPU, forward and backward.
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
//!
//! It is a leaf: numbers in, numbers out. Without gradients [`tower`] takes each block through the whole network,
//! [`waves`] through the dynamics model.

mod backward;
mod buffers;
mod channels;
mod filters;
mod forward;
mod geometry;
mod kernels;
mod layer;
mod line;
mod operation;
mod packing;
mod plan;
mod planes;
mod points;
mod product;
mod register;
mod steps;
#[cfg(test)]
mod tests;
mod tile_registers;
mod tiles;
mod tower;
mod unit;
mod waves;
mod winograd;

use super::precision::Precision;

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

pub use operation::BoardConvolution;
pub use tower::{Parts, Tower};
pub use waves::WaveTower;
