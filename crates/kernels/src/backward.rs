//! The backward pass of one convolution.

use matchq_core::pool::{self, Spares};

use super::buffers::{LINES, NUMBERS};
use super::channels::{Batch, Channels, Outputs, activate, add_lines, pad, sum_cells, to_sums};
use super::geometry::Shape;
use super::line::{Line, WIDTH};
use super::plan::{Plan, WeightPlan, Workspace};
use crate::activation::Activation;

/// Gradients of a convolution.
pub struct Gradients {
    /// `[boards, rows, columns, inputs]`, or empty.
    pub input: Vec<f32>,
    /// `[outputs, inputs, kernel, kernel]`.
    pub weight: Vec<f32>,
    /// `[boards, outputs]`
    pub bias: Vec<f32>,
}

/// Most partial sums of the weights' gradient, and so most threads: fixed for equal bits at any
/// number of threads.
pub const PARTS: usize = 24;

const TOGETHER: usize = 256;

struct Boards<'a> {
    input: &'a [f32],
    /// Mask of the ReLU; an empty one lets the whole gradient pass.
    mask: &'a [u16],
    gradient: &'a [f32],
    input_gradient: &'a mut [f32],
    bias_gradient: &'a mut [f32],
}

impl<'a> Boards<'a> {
    fn split(self, boards: usize, shape: &Shape) -> impl Iterator<Item = Boards<'a>> {
        let [inputs, outputs] = [shape.inputs, shape.outputs].map(|channels| boards * shape.cells() * channels);
        let mut mask = self.mask.chunks(boards * shape.cells() * shape.outputs.div_ceil(WIDTH));
        let mut input_gradient = self.input_gradient.chunks_mut(inputs);
        self.input
            .chunks(inputs)
            .zip(self.gradient.chunks(outputs))
            .zip(self.bias_gradient.chunks_mut(boards * shape.outputs))
            .map(move |((input, gradient), bias_gradient)| Boards {
                input,
                mask: mask.next().unwrap_or_default(),
                gradient,
                input_gradient: input_gradient.next().unwrap_or_default(),
                bias_gradient,
            })
    }
}

/// Gradients of a convolution of `input` by `weight`, from the gradient of its output.
///
/// `mask` comes from [`forward`](super::forward::forward), empty for [`Activation::None`]; the
/// gradient of the input is computed if `wanted`.
pub fn backward(
    shape: &Shape,
    activation: Activation,
    input: &[f32],
    weight: &[f32],
    mask: &[u16],
    gradient: &[f32],
    wanted: bool,
) -> Gradients {
    let Shape { boards, outputs, .. } = *shape;
    let mut input_gradient = NUMBERS.take(if wanted { input.len() } else { 0 });
    let mut bias_gradient = vec![0.0; boards * outputs];
    let all = Boards { input, mask, gradient, input_gradient: &mut input_gradient, bias_gradient: &mut bias_gradient };
    let part = boards.div_ceil(PARTS).max(1).next_multiple_of(shape.block());
    let parts: Vec<Boards> = all.split(part, shape).collect();

    let work = Work {
        shape,
        activation,
        lines: shape.lines().collect(),
        weight_plan: WeightPlan::new(shape),
        plans: Plan::of_batch(&shape.transposed()),
        panels: if wanted { shape.pack_transposed(weight, shape.algorithm()) } else { Vec::new() },
    };
    let length = outputs.div_ceil(WIDTH) * shape.gradient_panel(shape.algorithm());
    let mut partial: Vec<Vec<Line>> = parts.iter().map(|_| Vec::new()).collect();
    let scratches = Spares::default();
    pool::each(parts.into_iter().zip(&mut partial), |(part, sums)| {
        *sums = LINES.take_zeroed(length);
        scratches.with(
            || work.scratch(),
            |scratch| {
                part.split(shape.block(), shape).for_each(|block| work.add_block(block, scratch, sums));
            },
        );
    });
    let sum = sum(partial, length);
    let weight_gradient = shape.unpack(&sum, shape.algorithm());
    LINES.give(sum);
    Gradients { input: input_gradient, weight: weight_gradient, bias: bias_gradient }
}

struct Work<'a> {
    shape: &'a Shape,
    activation: Activation,
    lines: Vec<usize>,
    weight_plan: WeightPlan,
    plans: [Plan; 2],
    panels: Vec<Line>,
}

struct Scratch {
    padded_input: Vec<Line>,
    padded_gradient: Vec<Line>,
    workspace: Workspace,
}

impl Work<'_> {
    fn scratch(&self) -> Scratch {
        let lines = |count: usize| vec![Line::default(); count];
        let padded = |channels: usize| lines(channels.div_ceil(WIDTH) * self.shape.padded());
        Scratch {
            padded_input: padded(self.shape.inputs),
            padded_gradient: padded(self.shape.outputs),
            workspace: Workspace::default(),
        }
    }

    /// Adds a block's gradient of the weights; writes those of biases and input.
    fn add_block(&self, block: Boards, scratch: &mut Scratch, weight_gradient: &mut [Line]) {
        let Self { shape, lines, .. } = self;
        let Shape { inputs, outputs, .. } = **shape;
        let Scratch { padded_input, padded_gradient, workspace } = scratch;
        pad(Batch { numbers: block.input, channels: inputs, mask: &[] }, lines, padded_input);
        pad(Batch { numbers: block.gradient, channels: outputs, mask: block.mask }, lines, padded_gradient);
        for (channels, padded) in Channels::groups(outputs).zip(padded_gradient.chunks_exact(shape.padded())) {
            sum_cells(padded, lines, shape.cells(), channels, block.bias_gradient);
        }
        self.weight_plan.add(padded_input, padded_gradient, workspace, weight_gradient);
        if !block.input_gradient.is_empty() {
            self.write_input_gradient(block.gradient, padded_gradient, workspace, block.input_gradient);
        }
    }

    /// Writes the gradient of a block's input; `padded` is the gradient that passed the ReLU.
    fn write_input_gradient(
        &self,
        gradient: &[f32],
        padded: &[Line],
        workspace: &mut Workspace,
        input_gradient: &mut [f32],
    ) {
        let Shape { inputs, outputs, .. } = *self.shape;
        let cells = gradient.len() / outputs;
        let plan = &self.plans[usize::from(cells < self.lines.len())];
        let begin = |group: usize, sums: &mut [Line]| match self.activation {
            Activation::Residual => to_sums(gradient, Channels::of_group(outputs, group), &plan.cells, sums),
            _ => sums.fill(Line::default()),
        };
        let mut written = Outputs { input: &[], numbers: input_gradient, mask: &mut [] };
        plan.convolve(padded, &self.panels, workspace, begin, |group, sums| {
            let channels = Channels::of_group(inputs, group);
            activate(Activation::None, &plan.cells, sums, channels, &mut written);
        });
    }
}

/// Sum in a fixed order: `length` zeros without parts.
pub fn sum(partial: Vec<Vec<Line>>, length: usize) -> Vec<Line> {
    let mut partial = partial.into_iter();
    let mut sum = partial.next().unwrap_or_else(|| LINES.take_zeroed(length));
    let others: Vec<Vec<Line>> = partial.collect();
    pool::each(sum.chunks_mut(TOGETHER).enumerate(), |(index, sum)| {
        for part in &others {
            add_lines(&part[index * TOGETHER..][..sum.len()], sum);
        }
    });
    others.into_iter().for_each(|part| LINES.give(part));
    sum
}
