//! Q-network: fully convolutional from the board to one value per action.
//!
//! Each action has a place in a few output planes (match-3: vertical and horizontal swaps); an
//! afterstate has one value, a sum over the board. Facts of the whole board enter as constant
//! planes (scalars) and, half-way up, as a pooled summary.

use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Int, Tensor, TensorData};
use matchq_kernels::{Activation, Parts, Precision, TrainedTower};
use matchq_players::network::{ModelConfig, NetworkShape, SHARE, View};

use super::colours;
use super::convolution::Convolution;
use super::dynamics::DynamicsModel;
use crate::error::Result;
use crate::games::Image;
use crate::random::Stream;

/// Convolutional network from boards to action values.
#[derive(Module, Debug)]
pub struct QNetwork {
    stem: Convolution,
    body: Vec<Convolution>,
    /// 1x1 convolution of the colours' mean, one per layer of `body`; empty unless colours share
    /// weights.
    exchange: Vec<Convolution>,
    summary: Convolution,
    hidden: Convolution,
    advantage: Convolution,
    value: Option<StateValue>,
    /// Head of what follows an action's points, while that is learned apart; its values are added.
    future: Option<Convolution>,
    /// Predicts the board after an afterstate's chain, which is the network's input.
    dynamics: Option<DynamicsModel>,
    #[module(skip)]
    shape: NetworkShape,
}

/// State value of a dueling network.
#[derive(Module, Debug)]
struct StateValue {
    hidden: Convolution,
    output: Convolution,
}

impl QNetwork {
    /// A model's network with fresh weights.
    pub fn new<G: Image>(model: &ModelConfig, stream: &mut Stream, device: &Device) -> Self {
        Self::of(NetworkShape::of::<G>(model), stream, device)
    }

    /// A network of a shape with fresh weights.
    pub fn of(shape: NetworkShape, stream: &mut Stream, device: &Device) -> Self {
        const RELU: f32 = std::f32::consts::SQRT_2;
        let NetworkShape { config, colours, .. } = &shape;
        let width = config.channels;
        let planes = shape.stacked(shape.planes) + shape.scalars;
        let mut convolution = |channels, size, gain| Convolution::new(channels, size, gain, stream, device);
        let stem = convolution([planes, width], 3, RELU);
        let body = (1..config.layers).map(|_| convolution([width, width], 3, 1.0)).collect();
        let exchange = match colours {
            0 => Vec::new(),
            _ => (1..config.layers).map(|_| convolution([width, width], 1, 1.0)).collect(),
        };
        let summary = convolution([width, width], 1, 1.0);
        let hidden = convolution([width, width], 1, RELU);
        // Small last layers start values near 0.
        let advantage = convolution([width, shape.output_planes], 1, 0.1);
        let value = config.dueling.then(|| StateValue {
            hidden: convolution([width, width], 1, RELU),
            output: convolution([width, 1], 1, 0.1),
        });
        let board = [shape.board_planes, *colours];
        let dynamics = (config.dynamics_waves > 0)
            .then(|| DynamicsModel::new(board, width, config.dynamics_layers, stream, device));
        let precision = config.precision;
        let network = Self { stem, body, exchange, summary, hidden, advantage, value, future: None, dynamics, shape };
        network.number_parameters().with_precision(precision)
    }

    /// Adds a head of what follows an action's points, beside which the other learns the points alone;
    /// not for dueling networks.
    pub fn with_future(self, stream: &mut Stream, device: &Device) -> Self {
        let NetworkShape { config, output_planes, .. } = &self.shape;
        let future = Some(Convolution::new([config.channels, *output_planes], 1, 0.1, stream, device));
        Self { future, ..self }.number_parameters()
    }

    /// The network that plays: without gradients, and with one head, whose values are the sums of both.
    pub fn playing(&self) -> Self {
        let Self { advantage, future, .. } = self.valid();
        let advantage = match &future {
            Some(future) => advantage.plus(future),
            None => advantage,
        };
        Self { advantage, future: None, ..self.valid() }
    }

    /// Heads of actions' values: 1, or 2 where what follows is learned apart.
    pub fn heads(&self) -> usize {
        1 + usize::from(self.future.is_some())
    }

    /// Replaces the precision of products.
    ///
    /// A dynamics model keeps 32-bit floats, because small errors add up from wave to wave.
    pub fn with_precision(self, precision: Precision) -> Self {
        let body = self.body.into_iter().map(|layer| layer.with_precision(precision)).collect();
        Self { body, ..self }
    }

    /// The network's view of a position.
    pub fn view(&self) -> View {
        self.shape.view
    }

    /// The network's shape.
    pub fn shape(&self) -> &NetworkShape {
        &self.shape
    }

    /// The dynamics model and its number of waves, if any.
    pub fn dynamics(&self) -> Option<(&DynamicsModel, usize)> {
        self.dynamics.as_ref().map(|model| (model, self.shape.waves))
    }

    /// Number of next moves valued for each action's plan.
    pub fn next_moves(&self) -> usize {
        self.shape.next_moves
    }

    /// Outputs per image: one per action; with afterstates one, or two if next moves are valued.
    pub fn outputs(&self) -> usize {
        self.shape.outputs
    }

    /// The network with its gradients by the program's kernels.
    ///
    /// A second head has planes and places of its own behind those of the first.
    pub fn tower(&self) -> Result<TrainedTower> {
        let network = self.valid();
        let NetworkShape { colours, planes, rows, columns, scalars, places, output_planes, .. } = &self.shape;
        let kernels = |layers: &[Convolution]| layers.iter().map(Convolution::kernel).collect::<Result<_>>();
        let (mut advantage, mut places) = (network.advantage.kernel()?, places.clone());
        if let Some(future) = &network.future {
            let future = future.kernel()?;
            advantage.sizes[0] *= 2;
            advantage.weight.extend(future.weight);
            advantage.bias.extend(future.bias);
            let each = *output_planes as i32;
            let of_head = |head: i32| move |place: &i32| place / each * 2 * each + head * each + place % each;
            places = places.iter().map(of_head(0)).chain(places.iter().map(of_head(1))).collect();
        }
        let parts = Parts {
            colours: *colours,
            stem: network.stem.kernel()?,
            body: kernels(&network.body)?,
            exchange: kernels(&network.exchange)?,
            summary: network.summary.kernel()?,
            hidden: network.hidden.kernel()?,
            advantage,
            value: match &network.value {
                Some(StateValue { hidden, output }) => Some([hidden.kernel()?, output.kernel()?]),
                None => None,
            },
            places,
            sums: self.shape.view.afterstates().then_some((self.shape.outputs, SHARE)),
        };
        Ok(TrainedTower::new(&parts, [*planes, *rows, *columns], *scalars))
    }

    /// Numbers to add to the priors of actions: `[batch, outputs]`.
    ///
    /// `images` is `[batch, planes, rows, columns]`, `scalars` `[batch, scalars]`. With
    /// afterstates, column 0 is for the action's prior, column 1 for the plan's value by values of
    /// next moves. With two heads the second one's values follow: `[batch, 2 * outputs]`. An
    /// [evaluator](super::evaluate) is faster without gradients.
    pub fn forward(&self, images: Tensor<4>, scalars: Tensor<2>) -> Tensor<2> {
        self.outputs_from(self.read_off(images, scalars))
    }

    /// Outputs from values at places.
    fn outputs_from(&self, values: Tensor<2>) -> Tensor<2> {
        let [batch, places] = values.dims();
        match (self.shape.view.afterstates(), self.outputs()) {
            (false, _) => values,
            (true, 1) => values.sum_dim(1).mul_scalar(SHARE),
            (true, outputs) => {
                let sums = values.reshape([batch, outputs, places / outputs]).sum_dim(2).mul_scalar(SHARE);
                sums.reshape([batch, outputs])
            }
        }
    }

    /// Values at the actions' places, or at all places with afterstates.
    fn read_off(&self, images: Tensor<4>, scalars: Tensor<2>) -> Tensor<2> {
        let [batch, _, rows, columns] = images.dims();
        let features = self.features(images, scalars);

        let hidden = self.hidden.forward(features.clone(), Activation::Relu);
        let places = TensorData::new(self.shape.places.clone(), [self.shape.places.len()]);
        let places = Tensor::<1, Int>::from_data(places, &hidden.device());
        let read = |head: &Convolution| {
            let planes = head.forward(hidden.clone(), Activation::None);
            planes.reshape([batch, rows * columns * self.shape.output_planes]).select(1, places.clone())
        };
        let advantage = read(&self.advantage);
        let values = match &self.value {
            None => advantage,
            Some(value) => {
                let hidden = value.hidden.forward(mean_over_board(features), Activation::Relu);
                let value = value.output.forward(hidden, Activation::None);
                advantage.clone() - advantage.mean_dim(1) + value.reshape([batch, 1])
            }
        };
        match &self.future {
            None => values,
            Some(future) => Tensor::cat(vec![values, read(future)], 1),
        }
    }

    /// Features: `[batch, rows, columns, channels]`.
    fn features(&self, images: Tensor<4>, scalars: Tensor<2>) -> Tensor<4> {
        let colours = self.shape.colours.max(1);
        let mut x = self.stem.forward(self.input(images, scalars), Activation::Relu);
        let half = self.body.len() / 2;
        for (index, layer) in self.body.iter().enumerate() {
            let summary = (index == half).then(|| {
                let pooled = mean_over_board(colours::mean(x.clone(), colours));
                self.summary.forward(pooled, Activation::None)
            });
            x = match (summary, self.exchange.get(index)) {
                (None, None) => layer.forward(x, Activation::Residual),
                (Some(summary), None) => layer.forward_shifted(x, summary.flatten(1, 3), Activation::Residual),
                (summary, Some(exchange)) => {
                    let mean = colours::mean(x.clone(), colours);
                    let mut y = layer.forward(x.clone(), Activation::None);
                    y = colours::add(y, exchange.forward(mean, Activation::None), colours);
                    if let Some(summary) = summary {
                        y = colours::add(y, summary, colours);
                    }
                    x + relu(y)
                }
            };
        }
        colours::mean(x, colours)
    }

    /// Input of the first layer: the planes, and the scalars as planes.
    ///
    /// Colours with shared weights have a stack each: `[batch * colours, rows, columns, 2 + other
    /// planes + scalars]`.
    fn input(&self, images: Tensor<4>, scalars: Tensor<2>) -> Tensor<4> {
        let [batch, _, rows, columns] = images.dims();
        let [_, count] = scalars.dims();
        let scalars = scalars.reshape([batch, count, 1, 1]).expand([batch, count, rows, columns]);
        colours::stack(Tensor::cat(vec![images, scalars], 1), self.shape.colours)
    }
}

/// `[batch, rows, columns, channels]` to `[batch, 1, 1, channels]`.
fn mean_over_board(x: Tensor<4>) -> Tensor<4> {
    let [batch, rows, columns, channels] = x.dims();
    x.reshape([batch, rows * columns, channels]).mean_dim(1).reshape([batch, 1, 1, channels])
}
