//! A convolution between padded blocks, without a backward pass.

use super::Kernel;
use super::forward::relu;
use super::geometry::Shape;
use super::line::{Line, WIDTH, line};
use super::plan::Plans;
use crate::network::activation::Activation;

/// A convolution that is ready to be applied to blocks of boards.
pub struct Layer {
    shape: Shape,
    plans: Plans,
    activation: Activation,
    /// As [`Shape::pack`] gives them.
    panels: Vec<Line>,
    /// The lines with which the sums begin, the bias: `[panels, boards]`.
    ///
    /// One for every panel and board of a block.
    pub starts: Vec<Line>,
}

impl Layer {
    /// The convolution as one of `shape`, which may have a larger kernel.
    ///
    /// What that kernel has more is zero.
    pub fn new(shape: Shape, plans: &Plans, convolution: &Kernel, activation: Activation) -> Self {
        let [_, _, kernel] = convolution.sizes;
        let panels = match kernel < shape.kernel {
            true => shape.pack(&widened(&convolution.weight, kernel, shape.kernel)),
            false => shape.pack(&convolution.weight),
        };
        let starts = convolution.bias.chunks(WIDTH).flat_map(|bias| vec![Line(line(bias)); shape.block()]).collect();
        Self { shape, plans: plans.clone(), activation, panels, starts }
    }

    /// Channels of the input.
    pub fn inputs(&self) -> usize {
        self.shape.inputs
    }

    /// Channels of the output.
    pub fn outputs(&self) -> usize {
        self.shape.outputs
    }

    /// Convolves boards of the padded block `input` to the padded block `output`.
    ///
    /// There is at least one board. The sums begin with `starts`, which are [`self.starts`](Self::starts) or others
    /// like them; the buffer `sums` has room for a block.
    pub fn apply(&self, boards: usize, starts: &[Line], input: &[Line], sums: &mut [Line], output: &mut [Line]) {
        self.apply_with(boards, starts, None, input, sums, output);
    }

    /// The same with a padded block `added` to the sums.
    pub fn apply_with(
        &self,
        boards: usize,
        starts: &[Line],
        added: Option<&[Line]>,
        input: &[Line],
        sums: &mut [Line],
        output: &mut [Line],
    ) {
        let (block, size) = (self.shape.block(), self.shape.padded());
        let plan = self.plans.of(boards);
        let panels = self.panels.chunks_exact(self.shape.taps() * self.shape.inputs);
        let panels = panels.zip(starts.chunks_exact(block)).zip(output.chunks_exact_mut(size));
        for (group, ((panel, starts), output)) in panels.enumerate() {
            let count = plan.convolve(starts, input, panel, sums).len();
            let sums = &mut sums[..count];
            if let Some(added) = added {
                let added = &added[group * size..][..size];
                for place in &plan.places {
                    let numbers = sums[place.sum].0.iter_mut().zip(&added[place.line].0);
                    numbers.for_each(|(sum, number)| *sum += number);
                }
            }
            let sums = plan.places.iter().map(|place| (&sums[place.sum].0, place.line));
            match self.activation {
                Activation::None => sums.for_each(|(sum, line)| output[line].0 = *sum),
                Activation::Relu => sums.for_each(|(sum, line)| output[line].0 = sum.map(relu)),
                Activation::Residual => {
                    let input = &input[group * size..][..size];
                    for (sum, line) in sums {
                        let numbers = output[line].0.iter_mut().zip(&input[line].0).zip(sum);
                        numbers.for_each(|((output, input), sum)| *output = input + relu(*sum));
                    }
                }
            }
        }
    }
}

/// Weights `[.., kernel, kernel]` in the middle of zeros: `[.., size, size]`.
fn widened(weight: &[f32], kernel: usize, size: usize) -> Vec<f32> {
    let border = (size - kernel) / 2;
    let mut wide = vec![0.0; weight.len() / (kernel * kernel) * size * size];
    for (wide, weight) in wide.chunks_exact_mut(size * size).zip(weight.chunks_exact(kernel * kernel)) {
        for (row, weight) in weight.chunks_exact(kernel).enumerate() {
            wide[(border + row) * size + border..][..kernel].copy_from_slice(weight);
        }
    }
    wide
}
