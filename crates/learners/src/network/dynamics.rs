//! Dynamics model: predicts the board after the next wave, and the wave's points.
//!
//! Applied repeatedly, the model follows a chain to its end.

use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use matchq_kernels::{Activation, set_by_odds};
use matchq_players::network::{BELOW, SHARE};

use super::colours;
use super::convolution::Convolution;
use super::{WaveBatch, to_vec};
use crate::error::Result;
use crate::random::Stream;

/// Network of one wave: residual convolutions that also see the sums of the cells below.
#[derive(Module, Debug)]
pub struct DynamicsModel {
    stem: Convolution,
    body: Vec<Convolution>,
    /// 1x1 convolution of the colours' mean and its sums below, one per layer of `body`.
    exchange: Vec<Convolution>,
    /// 1x1, to each colour's plane; none without colours.
    own: Option<Convolution>,
    /// 1x1, to the other planes; none if all planes are colours.
    rest: Option<Convolution>,
    hidden: Convolution,
    /// 1x1, to each cell's share of the points.
    points: Convolution,
    /// Number of planes, and of colours, which come first.
    #[module(skip)]
    planes: [usize; 2],
}

/// Prediction of a wave.
pub struct Wave {
    /// Log-odds of the next board's planes, `[batch, planes, rows, columns]`.
    pub board: Tensor<4>,
    /// Points in the network's units, `[batch]`.
    pub points: Tensor<1>,
}

/// Weight of a cell's cross-entropy relative to the squared error of the points.
const CELLS: f32 = 1.0 / 40.0;

impl DynamicsModel {
    /// A model with fresh weights for boards of `planes` planes, of which `colours` are
    /// interchangeable.
    pub fn new(
        [planes, colours]: [usize; 2],
        width: usize,
        layers: usize,
        stream: &mut Stream,
        device: &Device,
    ) -> Self {
        // Residuals start small, because a wave changes little of the board.
        const GAIN: f32 = 0.3;
        let mut convolution = |channels, size, gain| Convolution::new(channels, size, gain, stream, device);
        Self {
            stem: convolution([colours::stacked(planes, colours), width], 3, std::f32::consts::SQRT_2),
            body: (1..layers).map(|_| convolution([width, width], 3, GAIN)).collect(),
            exchange: (1..layers).map(|_| convolution([2 * width, width], 1, GAIN)).collect(),
            own: (colours > 0).then(|| convolution([width, 1], 1, GAIN)),
            rest: (planes > colours).then(|| convolution([width, planes - colours], 1, GAIN)),
            hidden: convolution([width, width], 1, GAIN),
            points: convolution([width, 1], 1, 0.1),
            planes: [planes, colours],
        }
    }

    /// The next wave of boards `[batch, planes, rows, columns]`; a board at rest should stay
    /// unchanged.
    pub fn wave(&self, boards: Tensor<4>) -> Wave {
        let [batch, _, rows, columns] = boards.dims();
        let [_, colours] = self.planes;
        let mut x = self.stem.forward(colours::stack(boards, colours), Activation::Relu);
        let below = below(rows, &x.device());
        for (layer, exchange) in self.body.iter().zip(&self.exchange) {
            let mean = colours::mean(x.clone(), colours);
            let sums = sums_by(&below, mean.clone());
            let exchanged = exchange.forward(Tensor::cat(vec![mean, sums], 3), Activation::None);
            let y = colours::add(layer.forward(x.clone(), Activation::None), exchanged, colours);
            x = x + relu(y);
        }
        let own = self
            .own
            .iter()
            .map(|own| own.forward(x.clone(), Activation::None).reshape([batch, colours, rows, columns]));
        let rest = self
            .rest
            .iter()
            .map(|rest| rest.forward(colours::mean(x.clone(), colours), Activation::None).permute([0, 3, 1, 2]));
        let board = Tensor::cat(own.chain(rest).collect(), 1);
        let hidden = self.hidden.forward(x, Activation::Relu);
        let points = self.points.forward(hidden, Activation::None);
        let places = colours.max(1) * rows * columns;
        let points = points.reshape([batch, places]).sum_dim(1).reshape([batch]).mul_scalar(SHARE);
        Wave { board, points }
    }

    /// Mean loss of waves: squared error of the points plus `CELLS` times the cross-entropy of
    /// every number of the next board.
    pub fn loss(&self, waves: &WaveBatch, [planes, rows, columns]: [usize; 3], device: &Device) -> Tensor<1> {
        let count = waves.points.len();
        let boards = |boards: &[f32]| {
            Tensor::<4>::from_data(TensorData::new(boards.to_vec(), [count, planes, rows, columns]), device)
        };
        let (before, after) = (boards(&waves.before), boards(&waves.after));
        let points = Tensor::<1>::from_data(TensorData::new(waves.points.clone(), [count]), device);
        let predicted = self.wave(before);
        let odds = predicted.board;
        // log(1 + e^x) - x y without overflow.
        let entropy = relu(odds.clone()) - odds.clone() * after + odds.abs().neg().exp().log1p();
        let errors = predicted.points - points;
        (entropy.sum().mul_scalar(CELLS) + errors.square().sum()).div_scalar(count as f32)
    }

    /// Follows chains for at most `waves` waves, or until nothing changes; replaces `boards` and
    /// adds to `points`.
    ///
    /// `boards` is `[batch, planes, rows, columns]`.
    pub fn follow(
        &self,
        boards: &mut [f32],
        points: &mut [f32],
        [planes, rows, columns]: [usize; 3],
        waves: usize,
        device: &Device,
    ) -> Result<()> {
        let size = planes * rows * columns;
        let mut open: Vec<usize> = (0..points.len()).collect();
        for _ in 0..waves {
            if open.is_empty() {
                break;
            }
            let seen: Vec<f32> = open.iter().flat_map(|index| &boards[index * size..][..size]).copied().collect();
            let seen = TensorData::new(seen, [open.len(), planes, rows, columns]);
            let wave = self.wave(Tensor::from_data(seen, device));
            let (next, gained) = (to_vec(wave.board)?, to_vec(wave.points)?);
            let mut rows = next.chunks_exact(size).zip(gained);
            open.retain(|index| {
                let Some((next, gained)) = rows.next() else { return false };
                points[*index] += gained;
                set_by_odds(&mut boards[index * size..][..size], next)
            });
        }
        Ok(())
    }
}

/// Matrix that sums over the rows below each row, times `BELOW`: `[1, rows, rows]`.
fn below(rows: usize, device: &Device) -> Tensor<3> {
    let sums = (0..rows * rows).map(|place| if place % rows > place / rows { BELOW } else { 0.0 });
    Tensor::from_data(TensorData::new(sums.collect::<Vec<f32>>(), [1, rows, rows]), device)
}

/// Multiplies the rows of `x`, `[batch, rows, columns, channels]`, by a matrix.
fn sums_by(matrix: &Tensor<3>, x: Tensor<4>) -> Tensor<4> {
    let [batch, rows, columns, channels] = x.dims();
    let lines = x.reshape([batch, rows, columns * channels]);
    matrix.clone().expand([batch, rows, rows]).matmul(lines).reshape([batch, rows, columns, channels])
}
