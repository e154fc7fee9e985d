//! A dynamics model without gradients: each block of boards goes through all waves in its own
//! buffers.

use matchq_core::pool::{self, Spares};

use super::Kernel;
use super::geometry::{Rectangle, Shape};
use super::layer::Layer;
use super::line::{Line, WIDTH};
use super::plan::{Plans, Workspace};
use super::planes::{Planes, average};
use crate::activation::{Activation, set_by_odds};
use crate::precision::Precision;

/// Weights of a model of one wave: a stem, convolutions with residuals that exchange the features'
/// mean over the colours and its sums over the cells below, and outputs for the next board and the
/// points.
pub struct WaveParts {
    /// Leading planes that share the weights; 0 for none.
    pub colours: usize,
    /// From planes to features.
    pub stem: Kernel,
    /// From features to features, each added to its input.
    pub body: Vec<Kernel>,
    /// 1x1, from mean and sums, `2 * features` channels, added before each ReLU of `body`.
    pub exchange: Vec<Kernel>,
    /// Factor of the sums over the cells below.
    pub below: f32,
    /// 1x1, to the log-odds of each colour's own plane.
    pub own: Option<Kernel>,
    /// 1x1, from the colours' mean to the log-odds of the planes of no colour.
    pub rest: Option<Kernel>,
    /// 1x1, from the features to those of `points`, with ReLU.
    pub hidden: Kernel,
    /// 1x1, from `hidden` to a cell's share of the wave's points.
    pub points: Kernel,
    /// Factor of the sum of all points.
    pub share: f32,
}

const BOARDS: usize = 24;

/// A model ready for blocks of boards.
pub struct WaveTower(Layers);

impl WaveTower {
    /// Model for boards of `planes`, `rows` and `columns`.
    pub fn new(parts: &WaveParts, [planes, rows, columns]: [usize; 3]) -> Self {
        let [_, _, kernel] = parts.stem.sizes;
        let shape = |convolution: &Kernel| {
            let [outputs, inputs, _] = convolution.sizes;
            // Plans and layers serve any number of boards.
            Shape { boards: 0, rows, columns, inputs, outputs, kernel, precision: Precision::F32 }
        };
        let all = Rectangle { rows: 0..rows, columns: 0..columns };
        let features = shape(&parts.hidden);
        let exchange: Vec<Kernel> = parts.exchange.iter().map(|one| in_whole_lines(one, features.inputs)).collect();
        let (first, plans) = (Plans::new(&shape(&parts.stem)), Plans::new(&features));
        let centre = Plans::of_centre(&features, all.clone());
        let doubled = exchange.first().map(|exchange| Plans::of_centre(&shape(exchange), all));
        let layer =
            |convolution: &Kernel, plans, activation| Layer::new(shape(convolution), plans, convolution, activation);
        Self(Layers {
            planes: Planes::new(planes, parts.colours, features),
            stem: layer(&parts.stem, &first, Activation::Relu),
            body: parts.body.iter().map(|one| layer(one, &plans, Activation::Residual)).collect(),
            exchange: doubled
                .iter()
                .flat_map(|plans| exchange.iter().map(|one| layer(one, plans, Activation::None)))
                .collect(),
            own: parts.own.as_ref().map(|own| layer(own, &centre, Activation::None)),
            rest: parts.rest.as_ref().map(|rest| layer(rest, &centre, Activation::None)),
            hidden: layer(&parts.hidden, &centre, Activation::Relu),
            points: layer(&parts.points, &centre, Activation::None),
            below: parts.below,
            share: parts.share,
            features,
        })
    }

    /// Follows the chains of boards `[batch, planes, rows, columns]` until nothing changes, for up
    /// to `waves` waves; overwrites the boards and adds their points.
    pub fn outcome(&self, boards: &mut [f32], points: &mut [f32], waves: usize) {
        let Self(layers) = self;
        let size = layers.planes.count * layers.features.cells();
        let scratches = Spares::default();
        pool::each(boards.chunks_mut(BOARDS * size).zip(points.chunks_mut(BOARDS)), |(boards, points)| {
            scratches.with(|| layers.scratch(), |scratch| layers.follow(boards, points, waves, scratch));
        });
    }
}

/// Exchange whose features and sums each begin with a new line, after zeros.
fn in_whole_lines(exchange: &Kernel, features: usize) -> Kernel {
    let [outputs, _, size] = exchange.sizes;
    let whole = features.next_multiple_of(WIDTH);
    let mut weight = vec![0.0; outputs * 2 * whole * size * size];
    let halves = exchange.weight.chunks_exact(features * size * size);
    for (to, from) in weight.chunks_exact_mut(whole * size * size).zip(halves) {
        to[..from.len()].copy_from_slice(from);
    }
    Kernel { sizes: [outputs, 2 * whole, size], weight, bias: exchange.bias.clone(), precision: exchange.precision }
}

struct Layers {
    planes: Planes,
    stem: Layer,
    body: Vec<Layer>,
    exchange: Vec<Layer>,
    own: Option<Layer>,
    rest: Option<Layer>,
    hidden: Layer,
    points: Layer,
    below: f32,
    share: f32,
    features: Shape,
}

/// Padded blocks, overwritten for each block; zero but at the cells.
struct Scratch {
    images: Vec<f32>,
    planes: Vec<Line>,
    features: Vec<Vec<Line>>,
    next: Vec<Line>,
    /// Mean of the features over the colours, then its sums over the cells below.
    mean: Vec<Line>,
    exchanged: Vec<Line>,
    read: Vec<Line>,
    workspace: Workspace,
    odds: Vec<f32>,
    points: Vec<f32>,
}

impl Layers {
    fn scratch(&self) -> Scratch {
        let lines = |channels: usize| vec![Line::default(); channels.div_ceil(WIDTH) * self.features.padded()];
        let width = self.features.outputs;
        Scratch {
            images: Vec::new(),
            planes: lines(self.stem.inputs()),
            features: vec![lines(width); self.planes.colours.max(1)],
            next: lines(width),
            mean: [lines(width), lines(width)].concat(),
            exchanged: lines(width),
            read: lines(self.rest.as_ref().map_or(1, Layer::outputs)),
            workspace: Workspace::default(),
            odds: Vec::new(),
            points: Vec::new(),
        }
    }

    fn follow(&self, boards: &mut [f32], points: &mut [f32], waves: usize, scratch: &mut Scratch) {
        let size = self.planes.count * self.features.cells();
        let block = self.features.block();
        let mut open: Vec<usize> = (0..points.len()).collect();
        for _ in 0..waves {
            let mut changing = Vec::with_capacity(open.len());
            for indices in open.chunks(block) {
                scratch.images.clear();
                indices.iter().for_each(|index| scratch.images.extend(&boards[index * size..][..size]));
                self.compute(indices.len(), scratch);
                let found = scratch.odds.chunks_exact(size).zip(&scratch.points);
                for (index, (odds, gained)) in indices.iter().zip(found) {
                    points[*index] += gained;
                    if set_by_odds(&mut boards[index * size..][..size], odds) {
                        changing.push(*index);
                    }
                }
            }
            open = changing;
        }
    }

    /// From a block's images to the log-odds of the next boards and the points.
    fn compute(&self, boards: usize, scratch: &mut Scratch) {
        let Scratch { images, planes, features, next, mean, exchanged, read, workspace, odds, points } = scratch;
        odds.resize(boards * self.planes.count * self.features.cells(), 0.0);
        points.clear();
        points.resize(boards, 0.0);
        for (colour, features) in features.iter_mut().enumerate() {
            self.planes.write(colour, images, &[], planes);
            self.stem.apply(boards, planes, workspace, features);
        }
        let width = next.len();
        average(features, &mut mean[..width]);
        for (layer, exchange) in self.body.iter().zip(&self.exchange) {
            let (features_mean, below) = mean.split_at_mut(width);
            self.sum_below(boards, features_mean, below);
            exchange.apply(boards, mean, workspace, exchanged);
            for features in features.iter_mut() {
                layer.apply_with(boards, &layer.starts, Some(exchanged), features, workspace, next);
                std::mem::swap(features, next);
            }
            average(features, &mut mean[..width]);
        }
        if let Some(rest) = &self.rest {
            rest.apply(boards, &mean[..width], workspace, read);
            for plane in self.planes.colours..self.planes.count {
                self.read(boards, read, plane - self.planes.colours, plane, odds);
            }
        }
        for (colour, features) in features.iter().enumerate() {
            if let Some(own) = &self.own {
                own.apply(boards, features, workspace, read);
                self.read(boards, read, 0, colour, odds);
            }
            self.hidden.apply(boards, features, workspace, next);
            self.points.apply(boards, next, workspace, read);
            let cells = self.planes.lines.chunks_exact(self.features.cells());
            for (points, lines) in points.iter_mut().zip(cells) {
                *points += self.share * lines.iter().map(|line| read[*line].0[0]).sum::<f32>();
            }
        }
    }

    /// Writes for each cell the sum over the cells below, times the factor.
    fn sum_below(&self, boards: usize, features: &[Line], below: &mut [Line]) {
        let (size, columns) = (self.features.padded(), self.features.columns);
        for (features, below) in features.chunks_exact(size).zip(below.chunks_exact_mut(size)) {
            for lines in self.planes.lines.chunks_exact(self.features.cells()).take(boards) {
                for column in 0..columns {
                    let mut sum = [0.0; WIDTH];
                    for line in lines[column..].iter().step_by(columns).rev() {
                        below[*line] = Line(sum.map(|sum| sum * self.below));
                        sum.iter_mut().zip(&features[*line].0).for_each(|(sum, number)| *sum += number);
                    }
                }
            }
        }
    }

    /// Copies a channel of a padded block to a plane of each board.
    fn read(&self, boards: usize, padded: &[Line], channel: usize, plane: usize, images: &mut [f32]) {
        let (cells, size) = (self.features.cells(), self.features.padded());
        let images = images.chunks_exact_mut(self.planes.count * cells).take(boards);
        for (image, lines) in images.zip(self.planes.lines.chunks_exact(cells)) {
            for (number, line) in image[plane * cells..][..cells].iter_mut().zip(lines) {
                *number = padded[channel / WIDTH * size + line].0[channel % WIDTH];
            }
        }
    }
}
