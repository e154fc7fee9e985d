//! The forward pass: from the input to the output.

use rayon::prelude::*;

use super::buffers::{MASKS, NUMBERS};
use super::geometry::Shape;
use super::line::{Line, WIDTH, copy, line};
use super::plan::{Plan, Workspace};
use crate::network::activation::Activation;

/// Boards of a block.
struct Block<'a> {
    input: &'a [f32],
    bias: &'a [f32],
    output: &'a mut [f32],
    mask: &'a mut [u8],
}

/// Convolves `input` by `weight`, adds `bias` and activates.
///
/// `input` is `[boards, rows, columns, inputs]`, the output `[boards, rows, columns, outputs]`; `weight` is
/// `[outputs, inputs, kernel, kernel]`; `bias` is `[outputs]`, or `[boards, outputs]`, one per sample. With `keep`
/// also gives the mask of the [`relu`], for every output whether its sum passes (1) or not (0), which [`backward`]
/// needs for every activation but [`Activation::None`]; otherwise nothing.
///
/// [`backward`]: super::backward::backward
pub fn forward(
    shape: &Shape,
    activation: Activation,
    input: &[f32],
    weight: &[f32],
    bias: &[f32],
    keep: bool,
) -> (Vec<f32>, Vec<u8>) {
    let Shape { boards, inputs, outputs, .. } = *shape;
    let (places, block) = (shape.places(), shape.block());
    let mut output = NUMBERS.take(boards * places * outputs);
    let mut mask = MASKS.take(if keep { output.len() } else { 0 });
    let mut kept = mask.chunks_mut(block * places * outputs);
    let blocks: Vec<Block> = input
        .chunks(block * places * inputs)
        .zip(output.chunks_mut(block * places * outputs))
        .enumerate()
        .map(|(index, (input, output))| {
            let bias = if bias.len() == outputs { bias } else { &bias[index * block * outputs..] };
            Block { input, bias, output, mask: kept.next().unwrap_or_default() }
        })
        .collect();

    let panels = shape.pack(weight, shape.algorithm());
    let lines: Vec<usize> = shape.lines().collect();
    let plans = Plan::of_batch(shape);
    let per_sample_bias = bias.len() != outputs;
    blocks.into_par_iter().for_each_init(
        || {
            let lines = |count| vec![Line::default(); count];
            (lines(shape.groups() * shape.padded()), lines(block), Workspace::default())
        },
        |(padded, starts, workspace), Block { input, bias, output, mask }| {
            shape.pad(input, inputs, &lines, padded);
            let plan = &plans[usize::from(output.len() < block * places * outputs)];
            let begin = |group: usize, sums: &mut [Line]| {
                let first = group * WIDTH;
                let width = WIDTH.min(outputs - first);
                for (board, start) in starts.iter_mut().enumerate() {
                    let at = first + if per_sample_bias { board * outputs } else { 0 };
                    // There are no biases of boards beyond the last.
                    start.0 = bias.get(at..at + width).map(line).unwrap_or_default();
                }
                plan.begin(starts, sums);
            };
            plan.convolve(padded, &panels, workspace, begin, |group, sums| {
                let first = group * WIDTH;
                let channels = Channels { first, width: WIDTH.min(outputs - first), input, outputs };
                match activation {
                    Activation::None => channels.store(plan, sums, output, mask, |sum, _| *sum),
                    Activation::Relu => channels.store(plan, sums, output, mask, |sum, _| sum.map(relu)),
                    Activation::Residual => channels.store(plan, sums, output, mask, |sum, input| {
                        let input = line(input);
                        std::array::from_fn(|channel| input[channel] + relu(sum[channel]))
                    }),
                }
            });
        },
    );
    (output, mask)
}

/// Up to a line's channels of the output.
struct Channels<'a> {
    first: usize,
    width: usize,
    /// The convolution's input, of which an activation may need the same channels.
    input: &'a [f32],
    outputs: usize,
}

impl Channels<'_> {
    /// Writes the activated sums and, unless `mask` is empty, that of the [`relu`].
    #[inline(always)]
    fn store(
        &self,
        plan: &Plan,
        sums: &[Line],
        output: &mut [f32],
        mask: &mut [u8],
        activate: impl Fn(&[f32; WIDTH], &[f32]) -> [f32; WIDTH],
    ) {
        for place in &plan.places {
            let Line(sums) = &sums[place.sum];
            let at = place.number * self.outputs + self.first;
            let channels = at..at + self.width;
            if let Some(mask) = mask.get_mut(channels.clone()) {
                copy(&sums.map(|sum| u8::from(sum > 0.0 || sum.is_nan())), mask);
            }
            let input = self.input.get(channels.clone()).unwrap_or_default();
            copy(&activate(sums, input), &mut output[channels]);
        }
    }
}

/// Zero in place of what is not above zero.
///
/// NaN passes, as through burn's `relu`: it must not go unnoticed.
#[inline(always)]
pub fn relu(sum: f32) -> f32 {
    if sum <= 0.0 { 0.0 } else { sum }
}
