//! Convolutions of small boards on the CPU, forward and backward.
//!
//! Channels are last; bias, ReLU and residual are in the same pass.
//!
//! Blocks of a few boards are copied into buffers of 16 channels each with zeros between rows and between boards, in
//! which every tap of the kernel is a constant offset. So the convolution and both of its gradients are matrix
//! products with a left side that is read through offsets, and [`product`] is the micro-kernel of all three. It takes
//! the sum in chunks, each of which reads so little that it stays in the first-level cache. A [`plan`] leaves out what
//! lies beyond the border.
//!
//! It is a leaf: numbers in, numbers out. Without gradients [`tower`] takes each block through the whole network,
//! [`waves`] through the dynamics model.

mod backward;
mod buffers;
mod channels;
mod forward;
mod geometry;
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
mod tower;
mod waves;
mod winograd;

/// The numbers of a convolution.
pub struct Kernel {
    /// `[channels_out, channels_in, size]`
    pub sizes: [usize; 3],
    /// Shape `[channels_out, channels_in, size, size]`, row-major.
    pub weight: Vec<f32>,
    /// Shape `[channels_out]`.
    pub bias: Vec<f32>,
}

pub use operation::BoardConvolution;
pub use tower::{Parts, Tower};
pub use waves::WaveTower;
