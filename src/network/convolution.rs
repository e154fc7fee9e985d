//! The convolution of small boards: on a CPU nearly all the time of training is spent in this one function.

use burn::module::{Module, Param};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};

use crate::random::Stream;

/// A convolution with a square kernel of odd size, stride 1 and zero padding that keeps the board's size.
#[derive(Module, Debug)]
pub struct Convolution {
    /// Shape `[channels_out, channels_in, size, size]`.
    weight: Param<Tensor<4>>,
    /// Shape `[channels_out]`.
    bias: Param<Tensor<1>>,
}

impl Convolution {
    /// Weights are uniform with variance `gain^2 / fan_in` (He et al. 2015, <https://arxiv.org/abs/1502.01852>; a gain of
    /// sqrt(2) suits a ReLU behind it), biases are zero. `size` is odd.
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
        }
    }

    /// Convolves `input`, shape `[batch, channels_in, rows, columns]`, to `[batch, channels_out, rows, columns]`.
    pub fn forward(&self, input: Tensor<4>) -> Tensor<4> {
        let padding = self.weight.dims()[2] / 2;
        let options = ConvOptions::new([1, 1], [padding, padding], [1, 1], 1);
        conv2d(input, self.weight.val(), Some(self.bias.val()), options)
    }
}
