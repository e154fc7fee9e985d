//! Gradients of a Q-network: each block of boards goes through all layers and back in the cache.

use std::ops::Range;
use std::sync::Arc;

use matchq_core::pool::{self, Spares};

use super::Kernel;
use super::backward::{PARTS, sum};
use super::buffers::LINES;
use super::channels::{add_lines, add_up, pass};
use super::geometry::{Rectangle, Shape};
use super::layer::Layer;
use super::line::{Line, WIDTH};
use super::plan::{Plans, WeightPlan, Workspace};
use super::planes::average;
use super::sums::sum as sum_of_numbers;
use super::tower::{Parts, Tower};

/// Gradient of a loss with respect to outputs `[boards, outputs]` of boards from a first one on.
///
/// The function gets the first board's number and the outputs, and writes to a gradient of zeros.
pub type Loss<'a> = &'a (dyn Fn(usize, &[f32], &mut [f32]) + Sync);

/// A network that learns, ready for blocks of boards.
pub struct TrainedTower {
    forward: Tower,
    stem: Backward,
    body: Vec<Backward>,
    exchange: Vec<Backward>,
    summary: Backward,
    hidden: Backward,
    advantage: Backward,
    value: Option<[Backward; 2]>,
    /// Lines of all gradients in a part's sums.
    length: usize,
}

/// The way back through a convolution.
struct Backward {
    /// Shape with the kernel's own size.
    shape: Shape,
    /// Lines of a padded group.
    padded: usize,
    plan: Arc<WeightPlan>,
    /// From the gradients of the outputs to those of the inputs; none for the first convolution.
    inputs: Option<Layer>,
    /// Lines of the weights' gradient in a part's sums, then those of the biases.
    lines: [Range<usize>; 2],
}

/// Padded blocks; zero but at the cells.
struct Scratch<'a> {
    planes: &'a mut [Line],
    /// Features before each layer of the body and behind the last, of each colour.
    features: Vec<Vec<&'a mut [Line]>>,
    /// Mean of the features over the colours.
    means: Vec<&'a mut [Line]>,
    /// Mean of the features over the board, or its gradient, at each board's first cell.
    pooled: [&'a mut [Line]; 2],
    /// Output of `summary`, or the gradient of its input.
    summary: &'a mut [Line],
    hidden: &'a mut [Line],
    /// Values of all cells, then their gradient.
    values: &'a mut [Line],
    /// For a dueling network, at each board's first cell: mean of the last features, output of the
    /// state value's hidden layer, and the state's value, then its gradient.
    state: Vec<&'a mut [Line]>,
    /// Gradient of the features of each colour.
    gradients: Vec<&'a mut [Line]>,
    /// Gradients that passed the ReLU.
    passed: Vec<&'a mut [Line]>,
    /// Sum of these over the colours.
    sum: &'a mut [Line],
    /// Output of `exchange`, or a gradient that all colours share.
    shared: &'a mut [Line],
    next: &'a mut [Line],
    workspace: &'a mut Workspace,
}

/// Boards of a part, from a first one on.
struct Part<'a> {
    first: usize,
    images: &'a [f32],
    scalars: &'a [f32],
    values: &'a mut [f32],
}

/// Blocks of features in a scratch besides those of layers and colours.
const BLOCKS_BESIDE: usize = 7;

/// Fewest blocks of a part: each part's sums are cleared and added.
const BLOCKS: usize = 2;

impl TrainedTower {
    /// Network for boards of `planes`, `rows` and `columns` with `scalars` scalars; panics on other
    /// weights.
    pub fn new(parts: &Parts, [planes, rows, columns]: [usize; 3], scalars: usize) -> Self {
        let forward = Tower::new(parts, [planes, rows, columns], scalars);
        let all = Rectangle { rows: 0..rows, columns: 0..columns };
        let features = forward.features;
        let to_hidden = Plans::of_centre(&forward.advantage.shape().transposed(), all.clone());
        let of_cells = Arc::new(WeightPlan::of_centre(&features, &all));
        let first = Rectangle { rows: 0..1, columns: 0..1 };
        let of_first = Arc::new(WeightPlan::of_centre(&features, &first));
        let of_body = Arc::new(WeightPlan::new(forward.body.first().map_or(&features, Layer::shape)));
        let of_stem = Arc::new(WeightPlan::new(forward.stem.shape()));

        // A colour has its share of a mean's gradient.
        let share = 1.0 / forward.planes.colours.max(1) as f32;
        let mut end = 0;
        let mut backward = |layer: &Layer, kernel: &Kernel, plan: &Arc<WeightPlan>, inputs: Option<Layer>| {
            let shape = Shape { kernel: kernel.sizes[2], ..*layer.shape() };
            let groups = shape.outputs.div_ceil(WIDTH);
            let (first, biases) = (end, end + groups * shape.gradient_panel(shape.algorithm()));
            end = biases + groups;
            let (padded, plan) = (layer.shape().padded(), plan.clone());
            Backward { shape, padded, plan, inputs, lines: [first..biases, biases..end] }
        };
        let square = |layer: &Layer, kernel: &Kernel| layer.transposed(layer.plans(), kernel);
        let pairs = |layers: &[Layer], kernels: &[Kernel]| layers.len() == kernels.len();
        assert!(pairs(&forward.body, &parts.body) && pairs(&forward.exchange, &parts.exchange));
        let to_mean = share / features.cells() as f32;
        let mut trained = Self {
            stem: backward(&forward.stem, &parts.stem, &of_stem, None),
            body: (forward.body.iter().zip(&parts.body))
                .map(|(layer, kernel)| backward(layer, kernel, &of_body, Some(square(layer, kernel))))
                .collect(),
            exchange: (forward.exchange.iter().zip(&parts.exchange))
                .map(|(layer, kernel)| backward(layer, kernel, &of_cells, Some(square(layer, kernel).times(share))))
                .collect(),
            summary: {
                let inputs = square(&forward.summary, &parts.summary).times(to_mean);
                backward(&forward.summary, &parts.summary, &of_first, Some(inputs))
            },
            hidden: {
                let inputs = square(&forward.hidden, &parts.hidden).times(share);
                backward(&forward.hidden, &parts.hidden, &of_cells, Some(inputs))
            },
            advantage: {
                let inputs = forward.advantage.transposed(&to_hidden, &parts.advantage);
                backward(&forward.advantage, &parts.advantage, &of_cells, Some(inputs))
            },
            value: forward.value.as_ref().zip(parts.value.as_ref()).map(
                |([hidden, output], [of_hidden, of_output])| {
                    let to_hidden = Plans::of_centre(&output.shape().transposed(), first);
                    let inputs = [square(hidden, of_hidden).times(to_mean), output.transposed(&to_hidden, of_output)];
                    let [to_mean, to_hidden] = inputs.map(Some);
                    [backward(hidden, of_hidden, &of_first, to_mean), backward(output, of_output, &of_first, to_hidden)]
                },
            ),
            length: 0,
            forward,
        };
        trained.length = end;
        trained
    }

    /// Outputs of a board.
    pub fn outputs(&self) -> usize {
        self.forward.outputs()
    }

    /// Outputs `[boards, outputs]` of images and scalars as in [`Tower::forward`], and gradients of
    /// the weights and biases: those of `stem`, `body`, `exchange`, `summary`, `hidden`,
    /// `advantage` and `value`, each kernel's weights before its biases.
    ///
    /// The gradients have equal bits on any number of threads.
    pub fn gradient(&self, images: &[f32], scalars: &[f32], loss: Loss) -> (Vec<f32>, Vec<Vec<f32>>) {
        let Tower { planes, features, places, .. } = &self.forward;
        let image = planes.count * features.cells();
        let (boards, each) = (images.len() / image, self.forward.scalars);
        assert_eq!((boards * image, boards * each), (images.len(), scalars.len()), "boards for the network");
        let block = features.block();
        let part = boards.div_ceil(PARTS).max(BLOCKS * block).next_multiple_of(block);
        let mut values = vec![0.0; boards * places.len()];
        let parts = values.chunks_mut(part * places.len()).enumerate().map(|(index, values)| {
            let first = index * part;
            let count = values.len() / places.len();
            let images = &images[first * image..][..count * image];
            Part { first, images, scalars: &scalars[first * each..][..count * each], values }
        });
        let length = self.length;
        let mut partial = vec![Vec::new(); boards.div_ceil(part)];
        let scratches = Spares::default();
        let memory = || (LINES.take_zeroed(self.scratch_lines()), Workspace::default());
        pool::each(parts.zip(&mut partial), |(part, sums)| {
            *sums = LINES.take_zeroed(length);
            scratches.with(memory, |(lines, workspace)| {
                self.add_part(part, loss, &mut self.scratch(lines, workspace), sums);
            });
        });
        scratches.into_values().into_iter().for_each(|(lines, _)| LINES.give(lines));
        let sums = sum(partial, length);
        let gradients = self.convolutions().flat_map(|convolution| convolution.gradients(&sums)).collect();
        LINES.give(sums);
        (self.forward.summed(values), gradients)
    }

    /// The convolutions in the order of their gradients.
    fn convolutions(&self) -> impl Iterator<Item = &Backward> {
        let ends = [&self.summary, &self.hidden, &self.advantage];
        [&self.stem].into_iter().chain(&self.body).chain(&self.exchange).chain(ends).chain(self.value.iter().flatten())
    }

    /// Lines of a scratch: planes, values, and blocks of features.
    fn scratch_lines(&self) -> usize {
        let Tower { planes, features, advantage, stem, body, .. } = &self.forward;
        let groups = |channels: usize| channels.div_ceil(WIDTH);
        let (colours, layers) = (planes.colours.max(1), body.len() + 1);
        let blocks = layers * (colours + 1) + 2 * colours + BLOCKS_BESIDE + self.state_blocks();
        (groups(stem.inputs()) + groups(advantage.outputs()) + blocks * groups(features.outputs)) * features.padded()
    }

    /// Blocks of features in a scratch for the state's value.
    fn state_blocks(&self) -> usize {
        if self.value.is_some() { 3 } else { 0 }
    }

    /// Blocks in zeroed memory.
    fn scratch<'a>(&self, mut memory: &'a mut [Line], workspace: &'a mut Workspace) -> Scratch<'a> {
        let Tower { planes, features, advantage, stem, body, .. } = &self.forward;
        let mut lines = |channels: usize| {
            let (here, others) = std::mem::take(&mut memory).split_at_mut(channels.div_ceil(WIDTH) * features.padded());
            memory = others;
            here
        };
        let (planes_lines, values) = (lines(stem.inputs()), lines(advantage.outputs()));
        let mut blocks =
            |count: usize| -> Vec<&'a mut [Line]> { (0..count).map(|_| lines(features.outputs)).collect() };
        let (colours, layers) = (planes.colours.max(1), body.len() + 1);
        let features = (0..layers).map(|_| blocks(colours)).collect();
        let (means, gradients, passed) = (blocks(layers), blocks(colours), blocks(colours));
        let state = blocks(self.state_blocks());
        let mut block = || blocks(1).remove(0);
        Scratch {
            planes: planes_lines,
            features,
            means,
            pooled: [block(), block()],
            summary: block(),
            hidden: block(),
            values,
            state,
            gradients,
            passed,
            sum: block(),
            shared: block(),
            next: block(),
            workspace,
        }
    }

    /// Adds a part's gradients block by block, and writes its values.
    fn add_part(&self, part: Part, loss: Loss, scratch: &mut Scratch, sums: &mut [Line]) {
        let Tower { planes, features, places, .. } = &self.forward;
        let (block, image) = (features.block(), planes.count * features.cells());
        let images = part.images.chunks(block * image);
        let scalars = part.scalars.chunks(block * self.forward.scalars);
        let values = part.values.chunks_mut(block * places.len());
        for (index, ((images, scalars), values)) in images.zip(scalars).zip(values).enumerate() {
            let boards = values.len() / places.len();
            if boards < block {
                // Missing boards have neither features nor gradients.
                scratch.clear();
            }
            self.forward(boards, images, scalars, scratch);
            let state = scratch.state.last().map_or(&[][..], |state| state);
            self.forward.read_values(scratch.values, state, values);
            let gradient = self.gradient_of(part.first + index * block, values, loss);
            self.write_gradient(gradient, scratch);
            self.backward(boards, images, scalars, scratch, sums);
        }
    }

    /// The forward pass of a block, which keeps the features of all layers.
    fn forward(&self, boards: usize, images: &[f32], scalars: &[f32], scratch: &mut Scratch) {
        let Scratch { planes, features, means, pooled, summary, hidden, values, state, shared, workspace, .. } =
            scratch;
        let Tower { stem, body, exchange, value, .. } = &self.forward;
        let cells = self.forward.features.cells() as f32;
        for (colour, features) in features[0].iter_mut().enumerate() {
            self.forward.planes.write(colour, images, scalars, planes);
            stem.apply(boards, planes, workspace, features);
        }
        for (index, layer) in body.iter().enumerate() {
            let (before, after) = features.split_at_mut(index + 1);
            average(&before[index], means[index]);
            let added = exchange.get(index).map(|exchange| {
                exchange.apply(boards, means[index], workspace, shared);
                &**shared
            });
            let with_summary = (index == body.len() / 2).then(|| {
                self.forward.planes.pool(boards, means[index], cells, pooled[0]);
                self.forward.summary.apply(boards, pooled[0], workspace, summary);
                self.forward.with_summary(summary, &layer.starts)
            });
            let starts = with_summary.as_ref().unwrap_or(&layer.starts);
            for (before, after) in before[index].iter().zip(&mut after[0]) {
                layer.apply_with(boards, starts, added, before, workspace, after);
            }
        }
        average(&features[body.len()], means[body.len()]);
        if let (Some([hidden, output]), [mean, passed, state]) = (value, &mut state[..]) {
            self.forward.planes.pool(boards, means[body.len()], cells, mean);
            hidden.apply(boards, mean, workspace, passed);
            output.apply(boards, passed, workspace, state);
        }
        self.forward.hidden.apply(boards, means[body.len()], workspace, hidden);
        self.forward.advantage.apply(boards, hidden, workspace, values);
    }

    /// Gradient of a block's values at their places.
    fn gradient_of(&self, first: usize, values: &[f32], loss: Loss) -> Vec<f32> {
        let outputs = self.forward.summed(values.to_vec());
        let mut gradient = vec![0.0; outputs.len()];
        loss(first, &outputs, &mut gradient);
        let Some((outputs, factor)) = self.forward.sums else { return gradient };
        let each = self.forward.places.len() / outputs;
        gradient.iter().flat_map(|gradient| std::iter::repeat_n(gradient * factor, each)).collect()
    }

    /// Writes the gradient of values at their places, and that of the state's value.
    fn write_gradient(&self, mut gradient: Vec<f32>, scratch: &mut Scratch) {
        let Tower { planes, features, places, advantage, .. } = &self.forward;
        let Scratch { values, state, .. } = scratch;
        values.fill(Line::default());
        let boards = gradient.chunks_exact_mut(places.len()).zip(planes.lines.chunks_exact(features.cells()));
        for (gradient, lines) in boards {
            if let Some(state) = state.last_mut() {
                // A value is the state's, plus what it is ahead of the mean.
                let total = sum_of_numbers(gradient);
                state[lines[0]].0[0] = total;
                let mean = total / gradient.len() as f32;
                gradient.iter_mut().for_each(|gradient| *gradient -= mean);
            }
            for (number, place) in gradient.iter().zip(places) {
                let (cell, plane) = (*place as usize / advantage.outputs(), *place as usize % advantage.outputs());
                values[plane / WIDTH * features.padded() + lines[cell]].0[plane % WIDTH] += number;
            }
        }
    }

    /// The backward pass of a block, from the gradient of its values.
    fn backward(&self, boards: usize, images: &[f32], scalars: &[f32], scratch: &mut Scratch, sums: &mut [Line]) {
        self.backward_to_features(boards, scratch, sums);
        for index in (0..self.body.len()).rev() {
            self.backward_to_layer(index, boards, scratch, sums);
        }
        let Scratch { planes, features, gradients, passed, sum, workspace, .. } = scratch;
        sum.fill(Line::default());
        for (colour, (features, (gradient, passed))) in features[0].iter().zip(gradients.iter().zip(passed)).enumerate()
        {
            pass(features, None, gradient, passed, sum);
            self.forward.planes.write(colour, images, scalars, planes);
            self.stem.add_weights(planes, passed, workspace, sums);
        }
        self.stem.add_biases(sum, sums);
    }

    /// From the gradient of the values to that of the last features.
    fn backward_to_features(&self, boards: usize, scratch: &mut Scratch, sums: &mut [Line]) {
        let Scratch { means, hidden, values, state, gradients, passed, sum, summary, shared, workspace, .. } = scratch;
        let passed = &mut passed[0];
        self.advantage.add_weights(hidden, values, workspace, sums);
        self.advantage.add_biases(values, sums);
        self.advantage.to_inputs(boards, values, workspace, shared);
        sum.fill(Line::default());
        pass(hidden, None, shared, passed, sum);
        self.hidden.add_weights(means[self.body.len()], passed, workspace, sums);
        self.hidden.add_biases(sum, sums);
        self.hidden.to_inputs(boards, passed, workspace, shared);
        if let (Some([hidden, output]), [mean, after, state]) = (&self.value, &mut state[..]) {
            output.add_weights(after, state, workspace, sums);
            output.add_biases(state, sums);
            output.to_inputs(boards, state, workspace, summary);
            sum.fill(Line::default());
            pass(after, None, summary, passed, sum);
            hidden.add_weights(mean, passed, workspace, sums);
            hidden.add_biases(sum, sums);
            hidden.to_inputs(boards, passed, workspace, summary);
            self.forward.planes.spread(boards, summary, shared);
        }
        gradients.iter_mut().for_each(|gradient| gradient.copy_from_slice(shared));
    }

    /// From the gradient of a layer's outputs to that of its inputs.
    fn backward_to_layer(&self, index: usize, boards: usize, scratch: &mut Scratch, sums: &mut [Line]) {
        let Scratch { features, means, gradients, passed, sum, shared, next, workspace, .. } = scratch;
        let layer = &self.body[index];
        sum.fill(Line::default());
        let colours = features[index].iter().zip(&features[index + 1]).zip(gradients.iter().zip(&mut *passed));
        for ((before, after), (gradient, passed)) in colours {
            pass(after, Some(before), gradient, passed, sum);
            layer.add_weights(before, passed, workspace, sums);
        }
        layer.add_biases(sum, sums);
        let exchange = self.exchange.get(index);
        if let Some(exchange) = exchange {
            exchange.add_weights(means[index], sum, workspace, sums);
            exchange.add_biases(sum, sums);
            exchange.to_inputs(boards, sum, workspace, shared);
        }
        let middle = index == self.body.len() / 2;
        if middle {
            if exchange.is_none() {
                shared.fill(Line::default());
            }
            self.backward_to_mean(boards, &mut scratch.pooled, sum, scratch.summary, workspace, sums);
            self.forward.planes.spread(boards, scratch.summary, shared);
        }
        for (gradient, passed) in gradients.iter_mut().zip(passed) {
            if middle || exchange.is_some() {
                add_lines(shared, gradient);
            }
            let inputs = layer.inputs();
            inputs.apply_with(boards, &inputs.starts, Some(gradient), passed, workspace, next);
            std::mem::swap(gradient, next);
        }
    }

    /// From the gradient of the middle layer's sums to that of a cell's features by way of `summary`,
    /// at each board's first cell.
    fn backward_to_mean(
        &self,
        boards: usize,
        [pooled, gradient]: &mut [&mut [Line]; 2],
        sum: &[Line],
        to_cell: &mut [Line],
        workspace: &mut Workspace,
        sums: &mut [Line],
    ) {
        self.forward.planes.pool(boards, sum, 1.0, gradient);
        self.summary.add_weights(pooled, gradient, workspace, sums);
        self.summary.add_biases(gradient, sums);
        self.summary.to_inputs(boards, gradient, workspace, to_cell);
    }
}

impl Scratch<'_> {
    fn clear(&mut self) {
        let Self {
            planes,
            features,
            means,
            pooled,
            summary,
            hidden,
            values,
            state,
            gradients,
            passed,
            sum,
            shared,
            next,
            ..
        } = self;
        let several =
            features.iter_mut().flatten().chain(means).chain(pooled).chain(state).chain(gradients).chain(passed);
        let others = [planes, summary, hidden, values, sum, shared, next];
        several.chain(others).for_each(|lines| lines.fill(Line::default()));
    }
}

impl Backward {
    fn inputs(&self) -> &Layer {
        self.inputs.as_ref().expect("a convolution behind the first")
    }

    /// Writes the gradients of a block's inputs.
    fn to_inputs(&self, boards: usize, gradient: &[Line], workspace: &mut Workspace, inputs: &mut [Line]) {
        self.inputs().apply(boards, gradient, workspace, inputs);
    }

    /// Adds the gradient of the weights for a padded block of inputs and of gradients.
    fn add_weights(&self, input: &[Line], gradient: &[Line], workspace: &mut Workspace, sums: &mut [Line]) {
        self.plan.add(input, gradient, workspace, &mut sums[self.lines[0].clone()]);
    }

    /// Adds the gradient of the biases for a padded block of gradients.
    fn add_biases(&self, gradient: &[Line], sums: &mut [Line]) {
        let groups = gradient.chunks_exact(self.padded);
        groups.zip(&mut sums[self.lines[1].clone()]).for_each(|(gradient, sum)| add_up(gradient, sum));
    }

    /// Gradients of weights and biases.
    fn gradients(&self, sums: &[Line]) -> [Vec<f32>; 2] {
        let [weights, biases] = self.lines.clone().map(|lines| &sums[lines]);
        let weights = self.shape.unpack(weights, self.shape.algorithm());
        [weights, biases.iter().flat_map(|line| line.0).take(self.shape.outputs).collect()]
    }
}
