//! From the input to the output.

use rayon::prelude::*;

use super::buffers::{FLAGS, NUMBERS};
use super::geometry::Shape;
use super::product::{Line, Rows, Steps, WIDTH, add_product, copy, line};
use crate::network::convolution::Activation;

/// Boards of a block.
struct Block<'a> {
    input: &'a [f32],
    bias: &'a [f32],
    output: &'a mut [f32],
    positive: &'a mut [u8],
}

/// Convolves `input`, `[boards, rows, columns, inputs]`, to `[boards, rows, columns, outputs]`.
///
/// `weight` is `[outputs, inputs, kernel, kernel]`; `bias` is `[outputs]`, or `[boards, outputs]` if every board has its own.
/// With `keep` also gives for every output whether its sum is above zero (1) or not (0), which [`backward`] needs for
/// every activation but [`Activation::None`]; otherwise nothing.
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
    let mut positive = FLAGS.take(if keep { output.len() } else { 0 });
    let mut kept = positive.chunks_mut(block * places * outputs);
    let blocks: Vec<Block> = input
        .chunks(block * places * inputs)
        .zip(output.chunks_mut(block * places * outputs))
        .enumerate()
        .map(|(index, (input, output))| {
            let bias = if bias.len() == outputs { bias } else { &bias[index * block * outputs..] };
            Block { input, bias, output, positive: kept.next().unwrap_or_default() }
        })
        .collect();

    let panels = shape.pack(weight);
    let lines: Vec<usize> = shape.lines().collect();
    let (rows, steps): (Rows, Steps<1>) = (shape.neighbourhoods().collect(), shape.neighbours().zip(0..).collect());
    let size = shape.taps() * inputs;
    let own_bias = bias.len() != outputs;
    blocks.into_par_iter().for_each_init(
        || (vec![Line::default(); inputs.div_ceil(WIDTH) * shape.padded()], vec![Line::default(); block * places]),
        |(padded, sums), Block { input, bias, output, positive }| {
            shape.pad(input, inputs, &lines, padded);
            let sums = &mut sums[..output.len() / outputs];
            for (index, panel) in panels.chunks_exact(size).enumerate() {
                let first = index * WIDTH;
                let width = WIDTH.min(outputs - first);
                for (board, sums) in sums.chunks_exact_mut(places).enumerate() {
                    let mut line = Line::default();
                    line.0[..width].copy_from_slice(&bias[usize::from(own_bias) * board * outputs + first..][..width]);
                    sums.fill(line);
                }
                add_product(padded, &rows, &steps, panel, sums);
                store(sums, activation, first, input, outputs, output, positive);
            }
        },
    );
    (output, positive)
}

/// Writes the outputs from `first` on, and which are above zero.
fn store(
    sums: &[Line],
    activation: Activation,
    first: usize,
    input: &[f32],
    outputs: usize,
    output: &mut [f32],
    positive: &mut [u8],
) {
    let width = WIDTH.min(outputs - first);
    for (place, Line(sums)) in sums.iter().enumerate() {
        let at = place * outputs + first;
        if let Some(positive) = positive.get_mut(at..at + width) {
            let bits = sums.map(|sum| u8::from(sum > 0.0));
            copy(&bits, positive);
        }
        let rectified = sums.map(|sum| sum.max(0.0));
        let output = &mut output[at..at + width];
        match activation {
            Activation::None => copy(sums, output),
            Activation::Relu => copy(&rectified, output),
            Activation::Residual => {
                let input = line(&input[at..at + width]);
                copy(&std::array::from_fn(|channel| input[channel] + rectified[channel]), output);
            }
        }
    }
}
