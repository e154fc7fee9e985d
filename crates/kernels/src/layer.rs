//! A convolution between padded blocks, without gradients.

use std::borrow::Cow;

use super::Kernel;
use super::channels::scale_lines;
use super::geometry::Shape;
use super::line::{Line, WIDTH, line};
use super::outputs::Finish;
use super::plan::{Plans, Workspace};
use crate::activation::Activation;

/// Initial sums of a layer's outputs.
#[derive(Clone)]
pub struct Starts {
    /// `[groups, boards]`
    lines: Vec<Line>,
    /// Boards of a block.
    boards: usize,
}

impl Starts {
    fn of(bias: &[f32], boards: usize) -> Self {
        Self { lines: bias.chunks(WIDTH).flat_map(|bias| vec![Line(line(bias)); boards]).collect(), boards }
    }

    /// Line of each board for a group of outputs.
    pub fn group(&self, group: usize) -> &[Line] {
        &self.lines[group * self.boards..][..self.boards]
    }

    /// Lines of all boards, group by group.
    pub fn groups_mut(&mut self) -> impl Iterator<Item = &mut [Line]> {
        self.lines.chunks_exact_mut(self.boards)
    }
}

/// A convolution with its weights, ready for padded blocks.
pub struct Layer {
    shape: Shape,
    plans: Plans,
    activation: Activation,
    /// Weights by [`Shape::pack`].
    panels: Vec<Line>,
    /// Bias as initial sums.
    pub starts: Starts,
}

impl Layer {
    /// Convolution in a `shape`; a larger kernel gets zeros around the weights.
    pub fn new(shape: Shape, plans: &Plans, convolution: &Kernel, activation: Activation) -> Self {
        let panels = shape.pack(&widened(convolution, shape.kernel), plans.algorithm());
        let starts = Starts::of(&convolution.bias, shape.block());
        Self { shape, plans: plans.clone(), activation, panels, starts }
    }

    /// Way from the gradients of the outputs, before the activation, to those of the inputs, by
    /// plans for it and the layer's weights.
    pub fn transposed(&self, plans: &Plans, convolution: &Kernel) -> Self {
        let panels = self.shape.pack_transposed(&widened(convolution, self.shape.kernel), plans.algorithm());
        let shape = self.shape.transposed();
        let starts = Starts::of(&vec![0.0; shape.outputs], shape.block());
        Self { shape, plans: plans.clone(), activation: Activation::None, panels, starts }
    }

    /// A direct convolution without bias whose outputs are scaled.
    pub fn times(mut self, factor: f32) -> Self {
        scale_lines(factor, &mut self.panels);
        self
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub fn plans(&self) -> &Plans {
        &self.plans
    }

    pub fn inputs(&self) -> usize {
        self.shape.inputs
    }

    pub fn outputs(&self) -> usize {
        self.shape.outputs
    }

    /// Convolves one board or more of the padded block `input` to `output`.
    pub fn apply(&self, boards: usize, input: &[Line], workspace: &mut Workspace, output: &mut [Line]) {
        self.apply_with(boards, &self.starts, None, input, workspace, output);
    }

    /// [`apply`](Self::apply) from other initial sums, with a padded block `added` to the sums.
    pub fn apply_with(
        &self,
        boards: usize,
        starts: &Starts,
        added: Option<&[Line]>,
        input: &[Line],
        workspace: &mut Workspace,
        output: &mut [Line],
    ) {
        let size = self.shape.padded();
        let plan = self.plans.for_boards(boards);
        // The input may be wider than the layer.
        let padded = &input[..self.shape.groups() * size];
        let finish = |group: usize| {
            let channels = group * size..(group + 1) * size;
            Finish {
                starts: starts.group(group),
                added: added.map(|added| &added[channels.clone()]),
                activation: self.activation,
                before: if self.activation == Activation::Residual { &input[channels] } else { &[] },
            }
        };
        plan.apply(padded, &self.panels, workspace, finish, output);
    }
}

/// Weights in the middle of zeros, if the kernel is smaller: `[.., size, size]`.
fn widened(Kernel { sizes: [_, _, kernel], weight, .. }: &Kernel, size: usize) -> Cow<'_, [f32]> {
    let kernel = *kernel;
    if kernel == size {
        return Cow::Borrowed(weight);
    }
    let border = (size - kernel) / 2;
    let mut wide = vec![0.0; weight.len() / (kernel * kernel) * size * size];
    for (wide, weight) in wide.chunks_exact_mut(size * size).zip(weight.chunks_exact(kernel * kernel)) {
        for (row, weight) in weight.chunks_exact(kernel).enumerate() {
            wide[(border + row) * size + border..][..kernel].copy_from_slice(weight);
        }
    }
    Cow::Owned(wide)
}
