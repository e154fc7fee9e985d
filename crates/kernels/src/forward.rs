//! The forward pass of one convolution.

use matchq_core::pool::{self, Spares};

use super::buffers::{MASKS, NUMBERS};
use super::channels::{Batch, Channels, Outputs, activate, pad};
use super::geometry::Shape;
use super::line::{Line, WIDTH, line};
use super::plan::{Plan, Workspace};
use crate::activation::Activation;

struct Block<'a> {
    input: &'a [f32],
    bias: &'a [f32],
    output: &'a mut [f32],
    mask: &'a mut [u16],
}

/// Convolves `input` by `weight`, adds `bias` and activates; returns output and mask.
///
/// `input` is `[boards, rows, columns, inputs]`, the output `[boards, rows, columns, outputs]`,
/// `weight` `[outputs, inputs, kernel, kernel]`, `bias` `[outputs]` or `[boards, outputs]`. With
/// `keep`, the mask for [`backward`] has a bit for each sum that passes the ReLU, in words of 16
/// outputs; else the mask is empty.
///
/// [`backward`]: super::backward::backward
pub fn forward(
    shape: &Shape,
    activation: Activation,
    input: &[f32],
    weight: &[f32],
    bias: &[f32],
    keep: bool,
) -> (Vec<f32>, Vec<u16>) {
    let Shape { boards, inputs, outputs, .. } = *shape;
    let (cells, block) = (shape.cells(), shape.block());
    let mut output = NUMBERS.take(boards * cells * outputs);
    let groups = outputs.div_ceil(WIDTH);
    let mut mask = MASKS.take(if keep { boards * cells * groups } else { 0 });
    let mut kept = mask.chunks_mut(block * cells * groups);
    let blocks = input.chunks(block * cells * inputs).zip(output.chunks_mut(block * cells * outputs)).enumerate().map(
        |(index, (input, output))| {
            let bias = if bias.len() == outputs { bias } else { &bias[index * block * outputs..] };
            Block { input, bias, output, mask: kept.next().unwrap_or_default() }
        },
    );

    let panels = shape.pack(weight, shape.algorithm());
    let lines: Vec<usize> = shape.lines().collect();
    let plans = Plan::of_batch(shape);
    let per_sample_bias = bias.len() != outputs;
    let scratches = Spares::default();
    let scratch = || {
        let lines = |count| vec![Line::default(); count];
        (lines(shape.groups() * shape.padded()), lines(block), Workspace::default())
    };
    pool::each(blocks, |Block { input, bias, output, mask }| {
        scratches.with(scratch, |(padded, starts, workspace)| {
            pad(Batch { numbers: input, channels: inputs, mask: &[] }, &lines, padded);
            let plan = &plans[usize::from(output.len() < block * cells * outputs)];
            let begin = |group: usize, sums: &mut [Line]| {
                let channels = Channels::of_group(outputs, group);
                let (first, width) = (channels.first(), channels.width());
                for (board, start) in starts.iter_mut().enumerate() {
                    let at = first + if per_sample_bias { board * outputs } else { 0 };
                    // Boards behind the last have no biases.
                    start.0 = bias.get(at..at + width).map(line).unwrap_or_default();
                }
                plan.begin(starts, sums);
            };
            let mut written = Outputs { input, numbers: output, mask };
            plan.convolve(padded, &panels, workspace, begin, |group, sums| {
                let channels = Channels::of_group(outputs, group);
                activate(activation, &plan.cells, sums, channels, &mut written);
            });
        });
    });
    (output, mask)
}
