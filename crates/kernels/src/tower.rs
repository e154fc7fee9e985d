//! A Q-network without gradients: each block of boards goes through all layers in the cache.

use matchq_core::pool::{self, Spares};

use super::Kernel;
use super::geometry::{Rectangle, Shape};
use super::layer::{Layer, Starts};
use super::line::{Line, WIDTH};
use super::plan::{Plans, Workspace};
use super::planes::{Planes, average};
use super::sums::sum;
use crate::activation::Activation;

/// Weights of a [`Tower`]: a stem, convolutions with residuals, a summary of the board half-way,
/// and a value for each cell and plane. Colours that share the weights each go through the layers.
pub struct Parts {
    /// Leading planes that share the weights; 0 for none.
    pub colours: usize,
    /// From planes and scalars to features.
    pub stem: Kernel,
    /// From features to features, each added to its input.
    pub body: Vec<Kernel>,
    /// 1x1, from the features' mean over the colours, added before each ReLU of `body`; empty
    /// without shared weights.
    pub exchange: Vec<Kernel>,
    /// 1x1, from the features' mean over the board, added before the middle ReLU of `body`.
    pub summary: Kernel,
    /// 1x1, from the features' mean over the colours to those of `advantage`, with ReLU.
    pub hidden: Kernel,
    /// 1x1, from `hidden` to a value for each cell and plane.
    pub advantage: Kernel,
    /// For a dueling network, 1x1 with ReLU from the features' mean over the board, then 1x1 to the
    /// state's value.
    pub value: Option<[Kernel; 2]>,
    /// Positions of the values in the flattened output, channels last.
    pub places: Vec<i32>,
    /// Number of outputs and factor, if outputs are sums over the values.
    pub sums: Option<(usize, f32)>,
}

/// A network ready for blocks of boards, with reused buffers.
pub struct Tower {
    pub(super) planes: Planes,
    pub(super) stem: Layer,
    pub(super) body: Vec<Layer>,
    pub(super) exchange: Vec<Layer>,
    pub(super) summary: Layer,
    pub(super) hidden: Layer,
    pub(super) advantage: Layer,
    pub(super) value: Option<[Layer; 2]>,
    pub(super) places: Vec<i32>,
    pub(super) sums: Option<(usize, f32)>,
    pub(super) features: Shape,
    pub(super) scalars: usize,
    scratches: Spares<Scratch>,
}

/// Padded blocks, overwritten for each block; zero but at the cells.
struct Scratch {
    planes: Vec<Line>,
    features: Vec<Vec<Line>>,
    /// A layer's output; at the end the values of all cells.
    next: Vec<Line>,
    /// Mean of the features over the colours.
    mean: Vec<Line>,
    /// Output of `exchange`, then of `hidden`.
    exchanged: Vec<Line>,
    /// Output of `summary`, or of the state value's hidden layer.
    pooled: Vec<Line>,
    /// The state's value at the first cell of each board.
    value: Vec<Line>,
    workspace: Workspace,
}

impl Tower {
    /// Network for boards of `planes`, `rows` and `columns` with `scalars` scalars; panics on other
    /// weights.
    pub fn new(parts: &Parts, [planes, rows, columns]: [usize; 3], scalars: usize) -> Self {
        let Parts { colours, .. } = *parts;
        let [_, inputs, kernel] = parts.stem.sizes;
        let stacked = if colours == 0 { planes } else { planes - colours + 2 };
        assert_eq!(stacked + scalars, inputs, "planes and scalars for the network");
        let shape = |convolution: &Kernel| {
            let [outputs, inputs, _] = convolution.sizes;
            // Plans and layers serve any number of boards.
            Shape { boards: 0, rows, columns, inputs, outputs, kernel, precision: convolution.precision }
        };
        let features = shape(&parts.hidden);
        let first = Plans::new(&shape(&parts.stem));
        let plans = Plans::new(&parts.body.first().map_or(features, shape));
        let everywhere = Plans::of_centre(&features, Rectangle { rows: 0..rows, columns: 0..columns });
        let once = Plans::of_centre(&features, Rectangle { rows: 0..1, columns: 0..1 });
        let layer =
            |convolution: &Kernel, plans, activation| Layer::new(shape(convolution), plans, convolution, activation);
        Self {
            planes: Planes::new(planes, colours, features),
            stem: layer(&parts.stem, &first, Activation::Relu),
            body: parts.body.iter().map(|one| layer(one, &plans, Activation::Residual)).collect(),
            exchange: parts.exchange.iter().map(|one| layer(one, &everywhere, Activation::None)).collect(),
            summary: layer(&parts.summary, &once, Activation::None),
            hidden: layer(&parts.hidden, &everywhere, Activation::Relu),
            advantage: layer(&parts.advantage, &everywhere, Activation::None),
            value: parts.value.as_ref().map(|[hidden, output]| {
                [layer(hidden, &once, Activation::Relu), layer(output, &once, Activation::None)]
            }),
            places: parts.places.clone(),
            sums: parts.sums,
            features,
            scalars,
            scratches: Spares::default(),
        }
    }

    /// Planes of an image.
    pub fn planes(&self) -> usize {
        self.planes.count
    }

    /// Outputs of a board.
    pub fn outputs(&self) -> usize {
        self.sums.map_or(self.places.len(), |(outputs, _)| outputs)
    }

    /// Outputs `[boards, outputs]` of images `[boards, planes, rows, columns]` and scalars
    /// `[boards, scalars]`; panics on other sizes.
    pub fn forward(&self, images: &[f32], scalars: &[f32]) -> Vec<f32> {
        let image = self.planes.count * self.features.cells();
        let boards = images.len() / image;
        assert_eq!((boards * image, boards * self.scalars), (images.len(), scalars.len()), "boards for the network");
        self.summed(self.values(boards, images, scalars))
    }

    /// Outputs from the values of all places.
    pub(super) fn summed(&self, values: Vec<f32>) -> Vec<f32> {
        let Some((outputs, factor)) = self.sums else { return values };
        values.chunks_exact(self.places.len() / outputs).map(|places| sum(places) * factor).collect()
    }

    fn values(&self, boards: usize, images: &[f32], scalars: &[f32]) -> Vec<f32> {
        let block = self.features.block();
        let image = self.planes.count * self.features.cells();
        let mut values = vec![0.0; boards * self.places.len()];
        let blocks = images
            .chunks(block * image)
            .zip(scalars.chunks(block * self.scalars))
            .zip(values.chunks_mut(block * self.places.len()));
        pool::each(blocks, |((images, scalars), values)| {
            self.scratches.with(
                || self.scratch(),
                |scratch| {
                    self.compute(values.len() / self.places.len(), images, scalars, scratch);
                    self.read_values(&scratch.next, &scratch.value, values);
                },
            );
        });
        values
    }

    fn scratch(&self) -> Scratch {
        let lines = |channels: usize| vec![Line::default(); channels.div_ceil(WIDTH) * self.features.padded()];
        let widest = self.features.outputs.max(self.advantage.outputs());
        Scratch {
            planes: lines(self.stem.inputs()),
            features: vec![lines(widest); self.planes.colours.max(1)],
            next: lines(widest),
            mean: lines(widest),
            exchanged: lines(widest),
            pooled: lines(widest),
            value: lines(self.value.as_ref().map_or(0, |_| 1)),
            workspace: Workspace::default(),
        }
    }

    fn compute(&self, boards: usize, images: &[f32], scalars: &[f32], scratch: &mut Scratch) {
        let Scratch { planes, features, next, mean, exchanged, pooled, value, workspace } = scratch;
        let cells = self.features.cells() as f32;
        for (colour, features) in features.iter_mut().enumerate() {
            self.planes.write(colour, images, scalars, planes);
            self.stem.apply(boards, planes, workspace, features);
        }
        for (index, layer) in self.body.iter().enumerate() {
            let middle = index == self.body.len() / 2;
            if middle || !self.exchange.is_empty() {
                average(features, mean);
            }
            let added = self.exchange.get(index).map(|exchange| {
                exchange.apply(boards, mean, workspace, exchanged);
                exchanged.as_slice()
            });
            let with_summary = middle.then(|| {
                self.planes.pool(boards, mean, cells, next);
                self.summary.apply(boards, next, workspace, pooled);
                self.with_summary(pooled, &layer.starts)
            });
            let starts = with_summary.as_ref().unwrap_or(&layer.starts);
            for features in features.iter_mut() {
                layer.apply_with(boards, starts, added, features, workspace, next);
                std::mem::swap(features, next);
            }
        }
        average(features, mean);
        if let Some([hidden, output]) = &self.value {
            self.planes.pool(boards, mean, cells, next);
            hidden.apply(boards, next, workspace, pooled);
            output.apply(boards, pooled, workspace, value);
        }
        self.hidden.apply(boards, mean, workspace, exchanged);
        self.advantage.apply(boards, exchanged, workspace, next);
    }

    /// Initial sums plus the summary at each board's first cell.
    pub(super) fn with_summary(&self, summary: &[Line], starts: &Starts) -> Starts {
        let (cells, size) = (self.features.cells(), self.features.padded());
        let mut sums = starts.clone();
        for (sums, summary) in sums.groups_mut().zip(summary.chunks_exact(size)) {
            for (Line(sum), line) in sums.iter_mut().zip(self.planes.lines.iter().step_by(cells)) {
                sum.iter_mut().zip(&summary[*line].0).for_each(|(sum, number)| *sum += number);
            }
        }
        sums
    }

    /// Reads the values at their places; a dueling network adds the state's value and subtracts the
    /// mean.
    pub(super) fn read_values(&self, advantage: &[Line], state: &[Line], values: &mut [f32]) {
        let cells = self.features.cells();
        let planes = self.advantage.outputs();
        let boards = values.chunks_exact_mut(self.places.len()).zip(self.planes.lines.chunks_exact(cells));
        for (values, lines) in boards {
            for (value, place) in values.iter_mut().zip(&self.places) {
                let (cell, plane) = (*place as usize / planes, *place as usize % planes);
                *value = advantage[plane / WIDTH * self.features.padded() + lines[cell]].0[plane % WIDTH];
            }
            if self.value.is_some() {
                let (mean, state) = (sum(values) / values.len() as f32, state[lines[0]].0[0]);
                values.iter_mut().for_each(|value| *value = *value - mean + state);
            }
        }
    }
}
