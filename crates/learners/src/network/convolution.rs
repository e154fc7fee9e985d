//! Convolution of small boards: nearly all the time of training on a CPU.

use burn::module::{Module, Param};
#[cfg(feature = "flex")]
use burn::tensor::DType;
use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};

use matchq_kernels::{Activation, Kernel, Precision};

#[cfg(feature = "flex")]
use super::operation::BoardConvolution;
use super::to_vec;
use crate::error::Result;
use crate::random::Stream;

/// Convolution with a square kernel of odd size, stride 1 and zero padding.
#[derive(Module, Debug)]
pub struct Convolution {
    /// `[channels_out, channels_in, size, size]`
    weight: Param<Tensor<4>>,
    /// `[channels_out]`
    bias: Param<Tensor<1>>,
    /// Precision of products, only on the CPU and for 3x3 kernels.
    #[module(skip)]
    precision: Precision,
}

impl Convolution {
    /// A convolution with fresh weights; `size` is odd.
    ///
    /// Weights are uniform with variance `gain^2 / fan_in` (He et al. 2015,
    /// <https://arxiv.org/abs/1502.01852>; gain sqrt(2) before a ReLU); biases are 0.
    pub fn new(
        [channels_in, channels_out]: [usize; 2],
        size: usize,
        gain: f32,
        stream: &mut Stream,
        device: &Device,
    ) -> Self {
        let fan_in = channels_in * size * size;
        let bound = gain * (3.0 / fan_in as f32).sqrt();
        let weights: Vec<f32> = (0..channels_out * fan_in).map(|_| bound * (2.0 * stream.unit() - 1.0)).collect();
        let shape = [channels_out, channels_in, size, size];
        Self {
            weight: Param::from_data(TensorData::new(weights, shape), device),
            bias: Param::from_data(TensorData::new(vec![0.0f32; channels_out], [channels_out]), device),
            precision: Precision::F32,
        }
    }

    /// Replaces the precision of the products.
    pub fn with_precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// The convolution whose output is the sum of both.
    pub fn plus(self, other: &Self) -> Self {
        let weight = self.weight.map(|weight| weight + other.weight.val());
        Self { weight, bias: self.bias.map(|bias| bias + other.bias.val()), ..self }
    }

    /// The weights as numbers.
    pub fn kernel(&self) -> Result<Kernel> {
        let [outputs, inputs, size, _] = self.weight.dims();
        let (weight, bias) = (to_vec(self.weight.val())?, to_vec(self.bias.val())?);
        Ok(Kernel { sizes: [outputs, inputs, size], weight, bias, precision: self.precision })
    }

    /// `[batch, rows, columns, channels_in]` to `[batch, rows, columns, channels_out]`.
    pub fn forward(&self, input: Tensor<4>, activation: Activation) -> Tensor<4> {
        convolve_in(input, self.weight.val(), self.bias.val().unsqueeze(), activation, self.precision)
    }

    /// Convolution with `shift`, `[batch, channels_out]`, added to all cells of a board.
    pub fn forward_shifted(&self, input: Tensor<4>, shift: Tensor<2>, activation: Activation) -> Tensor<4> {
        let bias = shift + self.bias.val().unsqueeze();
        convolve_in(input, self.weight.val(), bias, activation, self.precision)
    }
}

/// Convolves `input` by `weight` with zero padding, adds `bias` and activates; has no second
/// derivative.
///
/// `input` is `[batch, rows, columns, channels_in]`, `weight` `[channels_out, channels_in, size,
/// size]` of odd size, `bias` `[1, channels_out]` or `[batch, channels_out]`, the output `[batch,
/// rows, columns, channels_out]`. The batch may be empty.
///
/// # Panics
/// When the sizes do not fit.
pub fn convolve(input: Tensor<4>, weight: Tensor<4>, bias: Tensor<2>, activation: Activation) -> Tensor<4> {
    convolve_in(input, weight, bias, activation, Precision::F32)
}

/// [`convolve`] with a precision of products.
///
/// Kernels other than 3x3, small boards and other devices than the CPU use 32-bit floats.
pub fn convolve_in(
    input: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<2>,
    activation: Activation,
    #[cfg_attr(not(feature = "flex"), allow(unused_variables))] precision: Precision,
) -> Tensor<4> {
    #[cfg(feature = "flex")]
    if input.device() == Device::flex() && [input.dtype(), weight.dtype(), bias.dtype()] == [DType::F32; 3] {
        assert_fits(&input, &weight, &bias, activation);
        return Tensor::from_dispatch(<burn::backend::Dispatch as BoardConvolution>::board_convolution(
            input.into_dispatch(),
            weight.into_dispatch(),
            bias.into_dispatch(),
            activation,
            precision,
        ));
    }
    convolve_by_parts(input, weight, bias, activation)
}

/// [`convolve`] by burn's `conv2d` and elementwise operations, for any device and floats.
pub fn convolve_by_parts(input: Tensor<4>, weight: Tensor<4>, bias: Tensor<2>, activation: Activation) -> Tensor<4> {
    assert_fits(&input, &weight, &bias, activation);
    let padding = weight.dims()[2] / 2;
    let options = ConvOptions::new([1, 1], [padding, padding], [1, 1], 1);
    let [biases, channels] = bias.dims();
    let sums = conv2d(input.clone().permute([0, 3, 1, 2]), weight, None, options).permute([0, 2, 3, 1])
        + bias.reshape([biases, 1, 1, channels]);
    match activation {
        Activation::None => sums,
        Activation::Relu => relu(sums),
        Activation::Residual => input + relu(sums),
    }
}

fn assert_fits(input: &Tensor<4>, weight: &Tensor<4>, bias: &Tensor<2>, activation: Activation) {
    let ([boards, rows, columns, inputs], [outputs, channels, size, width]) = (input.dims(), weight.dims());
    let [biases, shifted] = bias.dims();
    let fits = [rows, columns, inputs, outputs].iter().all(|size| *size > 0)
        && channels == inputs
        && width == size
        && size % 2 == 1
        && shifted == outputs
        && (biases == 1 || biases == boards)
        && (activation != Activation::Residual || inputs == outputs);
    let (input, weight, bias) = (input.dims(), weight.dims(), bias.dims());
    assert!(fits, "{activation:?} of {input:?} by {weight:?} with bias {bias:?} is no convolution of boards");
}
