//! From the gradient of the output to those of input, weights and bias.

use rayon::prelude::*;

use super::buffers::{LINES, NUMBERS};
use super::geometry::Shape;
use super::product::{Line, WIDTH, add_product, copy, line};
use crate::network::convolution::Activation;

/// What the loss changes with.
pub struct Gradients {
    /// `[boards, rows, columns, inputs]`; empty if it was not asked for.
    pub input: Vec<f32>,
    /// `[outputs, inputs, kernel, kernel]`.
    pub weight: Vec<f32>,
    /// Of every board's bias, `[boards, outputs]`.
    pub bias: Vec<f32>,
}

/// Sums over all boards are made of this many partial sums at the most, so that the gradient is the same whatever the
/// number of threads.
const PARTS: usize = 32;

/// Boards whose gradients are summed together.
struct Part<'a> {
    input: &'a [f32],
    positive: &'a [u8],
    gradient: &'a [f32],
    input_gradient: &'a mut [f32],
    bias_gradient: &'a mut [f32],
}

/// What is filled anew for every block.
struct Scratch {
    padded_input: Vec<f32>,
    padded_gradient: Vec<f32>,
    gradient_panels: Vec<Line>,
    sums: Vec<Line>,
}

/// Gradients of a convolution of `input` by `weight`, given that of its output and, unless the activation is
/// [`Activation::None`], what [`forward`](super::forward::forward) kept. That of the input is left out unless `wanted`.
pub fn backward(
    shape: &Shape,
    activation: Activation,
    input: &[f32],
    weight: &[f32],
    positive: &[u8],
    gradient: &[f32],
    wanted: bool,
) -> Gradients {
    let Shape { boards, inputs, outputs, .. } = *shape;
    let (places, block) = (shape.places(), shape.block());
    let part = boards.div_ceil(PARTS).max(1).next_multiple_of(block);
    let mut input_gradient = NUMBERS.take(if wanted { boards * places * inputs } else { 0 });
    let mut bias_gradient = vec![0.0; boards * outputs];
    let mut kept = positive.chunks(part * places * outputs);
    let mut wanted_parts = input_gradient.chunks_mut(part * places * inputs);
    let parts: Vec<Part> = input
        .chunks(part * places * inputs)
        .zip(gradient.chunks(part * places * outputs))
        .zip(bias_gradient.chunks_mut(part * outputs))
        .map(|((input, gradient), bias_gradient)| Part {
            input,
            positive: kept.next().unwrap_or_default(),
            gradient,
            input_gradient: wanted_parts.next().unwrap_or_default(),
            bias_gradient,
        })
        .collect();

    let transposed = shape.transposed();
    let panels = if wanted { shape.pack_transposed(weight) } else { Vec::new() };
    let (from_outputs, output_steps) = (transposed.neighbourhoods(outputs), transposed.steps(outputs));
    let (from_inputs, input_steps) = (shape.neighbourhoods(inputs), shape.steps(inputs));
    let output_panels = outputs.div_ceil(WIDTH);
    let scratch = || Scratch {
        padded_input: vec![0.0; shape.padded(inputs)],
        padded_gradient: vec![0.0; if wanted { transposed.padded(outputs) } else { 0 }],
        gradient_panels: vec![Line::default(); output_panels * block * places],
        sums: vec![Line::default(); block * places],
    };
    let partial: Vec<Vec<Line>> = parts
        .into_par_iter()
        .map_init(scratch, |scratch, part| {
            let Scratch { padded_input, padded_gradient, gradient_panels, sums } = scratch;
            let mut weight_gradient = LINES.take_zeroed(output_panels * input_steps.len());
            let mut kept = part.positive.chunks(block * places * outputs);
            let mut wanted_blocks = part.input_gradient.chunks_mut(block * places * inputs);
            for ((input, gradient), bias_gradient) in part
                .input
                .chunks(block * places * inputs)
                .zip(part.gradient.chunks(block * places * outputs))
                .zip(part.bias_gradient.chunks_mut(block * outputs))
            {
                let places_here = gradient.len() / outputs;
                shape.pad(input, inputs, padded_input);
                let masked = Masked { gradient, positive: kept.next().unwrap_or_default(), outputs };
                for index in 0..output_panels {
                    let panel = &mut gradient_panels[index * block * places..][..places_here];
                    masked.load(index * WIDTH, panel);
                    sum_boards(panel, places, index * WIDTH, bias_gradient, outputs);
                    let sums = &mut weight_gradient[index * input_steps.len()..][..input_steps.len()];
                    add_product(padded_input, &input_steps, &from_inputs, panel, sums);
                    if wanted {
                        transposed.pad_panel(panel, index * WIDTH, outputs, padded_gradient);
                    }
                }

                if let Some(input_gradient) = wanted_blocks.next() {
                    let sums = &mut sums[..places_here];
                    for (index, panel) in panels.chunks_exact(output_steps.len()).enumerate() {
                        let first = index * WIDTH;
                        let width = WIDTH.min(inputs - first);
                        match activation {
                            Activation::Residual => Masked { gradient, positive: &[], outputs }.load(first, sums),
                            _ => sums.fill(Line::default()),
                        }
                        add_product(padded_gradient, &from_outputs, &output_steps, panel, sums);
                        for (Line(sums), gradient) in sums.iter().zip(input_gradient.chunks_exact_mut(inputs)) {
                            copy(sums, &mut gradient[first..first + width]);
                        }
                    }
                }
            }
            weight_gradient
        })
        .collect();
    let sum = sum(partial);
    let weight_gradient = shape.unpack(&sum);
    LINES.give(sum);
    Gradients { input: input_gradient, weight: weight_gradient, bias: bias_gradient }
}

/// The gradient before the activation.
struct Masked<'a> {
    gradient: &'a [f32],
    /// Empty: all of it passes.
    positive: &'a [u8],
    outputs: usize,
}

impl Masked<'_> {
    /// The channels from `first` on as a panel, with zeros beyond the last.
    fn load(&self, first: usize, panel: &mut [Line]) {
        let width = WIDTH.min(self.outputs - first);
        for (place, sums) in panel.iter_mut().enumerate() {
            let at = place * self.outputs + first;
            sums.0 = line(&self.gradient[at..at + width]);
            if let Some(positive) = self.positive.get(at..at + width) {
                for (sum, positive) in sums.0.iter_mut().zip(line(positive)) {
                    // Bits of all ones let the number pass; a branch here would be slow.
                    *sum = f32::from_bits(sum.to_bits() & u32::from(positive).wrapping_neg());
                }
            }
        }
    }
}

/// Sums over every board's places.
fn sum_boards(panel: &[Line], places: usize, first: usize, sums: &mut [f32], channels: usize) {
    let width = WIDTH.min(channels - first);
    for (board, sums) in panel.chunks(places).zip(sums.chunks_mut(channels)) {
        let mut sum = [0.0; WIDTH];
        for Line(numbers) in board {
            for (sum, number) in sum.iter_mut().zip(numbers) {
                *sum += number;
            }
        }
        copy(&sum, &mut sums[first..first + width]);
    }
}

/// The sum, in order.
fn sum(partial: Vec<Vec<Line>>) -> Vec<Line> {
    let mut partial = partial.into_iter();
    let mut sum = partial.next().unwrap_or_default();
    for part in partial {
        for (Line(sum), Line(part)) in sum.iter_mut().zip(&part) {
            for (sum, part) in sum.iter_mut().zip(part) {
                *sum += part;
            }
        }
        LINES.give(part);
    }
    sum
}
