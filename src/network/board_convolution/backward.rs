//! From the gradient of the output to those of input, weights and bias.

use rayon::prelude::*;

use super::buffers::{LINES, NUMBERS};
use super::geometry::Shape;
use super::line::{Line, WIDTH, copy, line};
use super::plan::{Plan, WeightPlan};
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

/// The gradient of the weights is the sum of this many partial sums at the most, so that it is the same whatever the number
/// of threads; no more threads than this work on the backward pass. (Biases have a gradient for each board.)
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
    padded_input: Vec<Line>,
    padded_gradient: Vec<Line>,
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
    let lines: Vec<usize> = shape.lines().collect();
    let plans = Plan::of_batch(&transposed);
    let weight_plan = WeightPlan::new(shape);
    let (size, transposed_size, padded_size) = (shape.taps() * inputs, shape.taps() * outputs, shape.padded());
    let output_panels = outputs.div_ceil(WIDTH);
    let scratch = || Scratch {
        padded_input: vec![Line::default(); inputs.div_ceil(WIDTH) * padded_size],
        padded_gradient: vec![Line::default(); output_panels * padded_size],
        sums: vec![Line::default(); block * places],
    };
    let partial: Vec<Vec<Line>> = parts
        .into_par_iter()
        .map_init(scratch, |scratch, part| {
            let Scratch { padded_input, padded_gradient, sums } = scratch;
            let mut weight_gradient = LINES.take_zeroed(output_panels * size);
            let mut kept = part.positive.chunks(block * places * outputs);
            let mut wanted_blocks = part.input_gradient.chunks_mut(block * places * inputs);
            for ((input, gradient), bias_gradient) in part
                .input
                .chunks(block * places * inputs)
                .zip(part.gradient.chunks(block * places * outputs))
                .zip(part.bias_gradient.chunks_mut(block * outputs))
            {
                let places_here = gradient.len() / outputs;
                shape.pad(input, inputs, &lines, padded_input);
                let masked = Masked { gradient, positive: kept.next().unwrap_or_default(), outputs };
                masked.pad(&lines, padded_size, padded_gradient);
                for (index, panel) in padded_gradient.chunks_exact(padded_size).enumerate() {
                    let sums = bias_gradient.chunks_exact_mut(outputs).map(|sums| &mut sums[index * WIDTH..]);
                    sum_boards(panel, &lines, places, sums);
                    weight_plan.add(padded_input, panel, &mut weight_gradient[index * size..][..size]);
                }

                if let Some(input_gradient) = wanted_blocks.next() {
                    let plan = &plans[usize::from(places_here < block * places)];
                    let sums = &mut sums[..places_here];
                    for (index, panel) in panels.chunks_exact(transposed_size).enumerate() {
                        let first = index * WIDTH;
                        let width = WIDTH.min(inputs - first);
                        match activation {
                            Activation::Residual => {
                                let all = Masked { gradient, positive: &[], outputs };
                                plan.places.iter().for_each(|place| sums[place.sum] = all.at(place.number, first));
                            }
                            _ => sums.fill(Line::default()),
                        }
                        plan.add(padded_gradient, panel, sums);
                        for (place, gradient) in plan.places.iter().zip(input_gradient.chunks_exact_mut(inputs)) {
                            copy(&sums[place.sum].0, &mut gradient[first..first + width]);
                        }
                    }
                }
            }
            weight_gradient
        })
        .collect();
    let sum = sum(partial, output_panels * size);
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
    /// Up to a line's channels of a place.
    #[inline(always)]
    fn at(&self, place: usize, first: usize) -> Line {
        let at = place * self.outputs + first;
        let channels = at..at + WIDTH.min(self.outputs - first);
        let mut numbers = line(&self.gradient[channels.clone()]);
        if let Some(positive) = self.positive.get(channels) {
            for (number, positive) in numbers.iter_mut().zip(line(positive)) {
                // Bits of all ones let the number pass; a branch here would be slow.
                *number = f32::from_bits(number.to_bits() & u32::from(positive).wrapping_neg());
            }
        }
        Line(numbers)
    }

    /// All into padded blocks of [`WIDTH`] channels each and `size` lines, with zeros for the boards beyond the last.
    fn pad(&self, lines: &[usize], size: usize, padded: &mut [Line]) {
        let places = self.gradient.len() / self.outputs;
        for (place, line) in lines[..places].iter().enumerate() {
            for first in (0..self.outputs).step_by(WIDTH) {
                padded[first / WIDTH * size + line] = self.at(place, first);
            }
        }
        for line in &lines[places..] {
            padded.chunks_exact_mut(size).for_each(|padded| padded[*line] = Line::default());
        }
    }
}

/// Sums over every board's places in a padded block.
fn sum_boards<'a>(padded: &[Line], lines: &[usize], places: usize, sums: impl Iterator<Item = &'a mut [f32]>) {
    for (lines, sums) in lines.chunks_exact(places).zip(sums) {
        let mut sum = [0.0; WIDTH];
        for line in lines {
            for (sum, number) in sum.iter_mut().zip(padded[*line].0) {
                *sum += number;
            }
        }
        let width = WIDTH.min(sums.len());
        copy(&sum, &mut sums[..width]);
    }
}

/// The sum, in order; so many zeros if there is nothing to be summed.
fn sum(partial: Vec<Vec<Line>>, length: usize) -> Vec<Line> {
    let mut partial = partial.into_iter();
    let mut sum = partial.next().unwrap_or_else(|| LINES.take_zeroed(length));
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
