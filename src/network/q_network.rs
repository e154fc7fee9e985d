//! The Q-network: fully convolutional from the board to one value per action.
//!
//! The game is the same everywhere on the board, so the value of an action is read off at its place: the network's
//! output is a few planes over the board (for match-3 one of vertical and one of horizontal swaps), from which the
//! actions are selected. A network that sees the afterstate of one action gives one value, the sum of what each place
//! adds. Facts of the whole board are broadcast in: the scalars as constant input planes, and a pooled summary of the
//! features half-way up.

use std::marker::PhantomData;
#[cfg(feature = "flex")]
use std::sync::OnceLock;

use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Int, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::activation::Activation;
#[cfg(feature = "flex")]
use super::board_convolution::{Parts, Tower};
use super::colours;
use super::convolution::Convolution;
use super::dynamics::DynamicsModel;
use super::precision::Precision;
use super::{ModelConfig, View};
use crate::error::{OutOfRange, require};
use crate::games::Image;
use crate::random::Stream;

/// What the user chooses of the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Channels of every convolution between input and head.
    ///
    /// They are counted per colour with `share_colours`.
    pub channels: usize,
    /// Number of 3x3 convolutions.
    pub layers: usize,
    /// One set of weights sees each colour in turn.
    ///
    /// The network is then equivariant under permutations of the colours.
    pub share_colours: bool,
    /// Separate streams of state value and advantages (a dueling network).
    ///
    /// Wang et al. 2016, <https://arxiv.org/abs/1511.06581>.
    pub dueling: bool,
    /// What the network sees.
    pub input: Input,
    /// With afterstates: waves of a chain by a learned dynamics model.
    ///
    /// So many at the most; 0 for no model. The network values the board that they leave; without a model the board as
    /// the action leaves it.
    pub dynamics_waves: usize,
    /// Number of 3x3 convolutions of the dynamics model.
    pub dynamics_layers: usize,
    /// With plans: moves after each move that are valued too; 0 for none.
    ///
    /// These are the moves with the highest prior. The best of them takes the place of the second move of a plan.
    pub next_moves: usize,
    /// What its 3x3 convolutions but the first multiply, on the CPU.
    pub precision: Precision,
}

/// What a network sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    /// The position, for all actions in one pass.
    #[default]
    Position,
    /// The position with one action done, and no more of the rules.
    Afterstate,
    /// What one action leaves for certain, and the certain plans that follow.
    ///
    /// The network learns what is to be added to the best plan of two actions.
    Plans,
}

/// An afterstate's value is the sum of what each place adds, times this.
///
/// It keeps Adam's first steps, which move all places' outputs together, small.
const SHARE: f32 = 1.0 / 16.0;

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            channels: 32,
            layers: 5,
            share_colours: false,
            dueling: false,
            input: Input::Position,
            dynamics_waves: 0,
            dynamics_layers: 5,
            next_moves: 0,
            precision: Precision::F32,
        }
    }
}

impl NetworkConfig {
    /// Whether a network of this shape can be built.
    ///
    /// # Errors
    /// The first setting that is out of its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let Self { channels, layers, dueling, input, dynamics_waves, dynamics_layers, next_moves, .. } = *self;
        for (key, value, range) in [
            ("channels", channels, 1..=1024),
            ("layers", layers, 2..=64),
            ("dynamics_waves", dynamics_waves, 0..=64),
            ("dynamics_layers", dynamics_layers, 2..=64),
            ("next_moves", next_moves, 0..=256),
        ] {
            let allowed = format!("between {} and {}", range.start(), range.end());
            require(range.contains(&value), &format!("network.{key}"), value, allowed)?;
        }
        require(
            !dueling || input == Input::Position,
            "network.dueling",
            dueling,
            "false where network.input is not \"position\": an afterstate has one value",
        )?;
        require(
            dynamics_waves == 0 || input == Input::Afterstate,
            "network.dynamics_waves",
            dynamics_waves,
            "0 where network.input is not \"afterstate\": only there is something to predict",
        )?;
        require(
            next_moves == 0 || input == Input::Plans,
            "network.next_moves",
            next_moves,
            "0 where network.input is not \"plans\": what follows a move must be known",
        )
    }
}

/// The part of the network's shape that follows from the game.
///
/// It also has what the network sees of the game.
#[derive(Clone, Debug)]
struct GameShape {
    view: View,
    /// Leading planes that are interchangeable (colours).
    ///
    /// 0 unless the network shares its weights among them.
    shared_planes: usize,
    /// Where values are read off in the flattened output, channels last.
    ///
    /// That is each action's place, or all places, of one plane after the other.
    places: Vec<i32>,
    /// Waves that its dynamics model predicts at the most.
    waves: usize,
    /// Moves after each move that are valued too.
    next_moves: usize,
}

/// A convolutional network from boards to action values.
#[derive(Module, Debug)]
pub struct QNetwork {
    stem: Convolution,
    body: Vec<Convolution>,
    /// A 1x1 convolution a layer of `body`, of the mean over the colours.
    ///
    /// Empty unless colours share weights.
    exchange: Vec<Convolution>,
    summary: Convolution,
    hidden: Convolution,
    advantage: Convolution,
    value: Option<StateValue>,
    /// It values what this leaves of an afterstate.
    dynamics: Option<DynamicsModel>,
    #[module(skip)]
    shape: GameShape,
}

/// The dueling network's stream of the state's value.
#[derive(Module, Debug)]
struct StateValue {
    hidden: Convolution,
    output: Convolution,
}

impl QNetwork {
    /// A model's network with fresh weights drawn from `stream`, on `device`.
    pub fn new<G: Image>(model: &ModelConfig, stream: &mut Stream, device: &Device) -> Self {
        const RELU: f32 = std::f32::consts::SQRT_2;
        let (config, view) = (&model.network, model.view::<G>());
        let width = config.channels;
        let shared_planes = if config.share_colours { G::COLOURS } else { 0 };
        let planes = colours::stacked(view.planes::<G>(), shared_planes);
        let mut convolution = |channels, size, gain| Convolution::new(channels, size, gain, stream, device);
        let stem = convolution([planes + G::SCALARS, width], 3, RELU);
        let body = (1..config.layers).map(|_| convolution([width, width], 3, 1.0)).collect();
        let exchange = match shared_planes {
            0 => Vec::new(),
            _ => (1..config.layers).map(|_| convolution([width, width], 1, 1.0)).collect(),
        };
        let summary = convolution([width, width], 1, 1.0);
        let hidden = convolution([width, width], 1, RELU);
        // Small last layers let the first values start near zero.
        let outputs = match view.afterstates() {
            false => G::ACTION_PLANES,
            true => 1 + usize::from(config.next_moves > 0),
        };
        let advantage = convolution([width, outputs], 1, 0.1);
        let value = config.dueling.then(|| StateValue {
            hidden: convolution([width, width], 1, RELU),
            output: convolution([width, 1], 1, 0.1),
        });
        let board = [G::PLANES, shared_planes];
        let dynamics = (config.dynamics_waves > 0)
            .then(|| DynamicsModel::new(board, width, config.dynamics_layers, stream, device));
        let place = |action| {
            let (plane, row, column) = G::place(action);
            ((row * G::COLUMNS + column) * G::ACTION_PLANES + plane) as i32
        };
        let places = match view.afterstates() {
            false => (0..G::ACTIONS).map(place).collect(),
            true => {
                let planes = (0..outputs).flat_map(|plane| (plane..G::ROWS * G::COLUMNS * outputs).step_by(outputs));
                planes.map(|place| place as i32).collect()
            }
        };
        let NetworkConfig { dynamics_waves: waves, next_moves, .. } = *config;
        let shape = GameShape { view, shared_planes, places, waves, next_moves };
        let network = Self { stem, body, exchange, summary, hidden, advantage, value, dynamics, shape };
        network.number_parameters().with_precision(config.precision)
    }

    /// The same, multiplying in that precision.
    ///
    /// A dynamics model keeps 32-bit floats: its small errors would add up from wave to wave.
    pub fn with_precision(self, precision: Precision) -> Self {
        let body = self.body.into_iter().map(|layer| layer.with_precision(precision)).collect();
        Self { body, ..self }
    }

    /// What the network sees of a position.
    pub fn view(&self) -> View {
        self.shape.view
    }

    /// What it sees if the rules tell what its dynamics model would predict.
    pub fn exact_view(&self) -> View {
        if self.dynamics.is_some() { self.shape.view.exact() } else { self.shape.view }
    }

    /// The dynamics model, if any, and for how many waves it is applied.
    pub fn dynamics(&self) -> Option<(&DynamicsModel, usize)> {
        self.dynamics.as_ref().map(|model| (model, self.shape.waves))
    }

    /// Moves after each move that are valued too, for its plan.
    pub fn next_moves(&self) -> usize {
        self.shape.next_moves
    }

    /// Numbers that the network gives for an image.
    ///
    /// A value for each action; of an afterstate one, and one more if next moves are valued too.
    pub fn outputs(&self) -> usize {
        match self.shape.view.afterstates() {
            false => self.shape.places.len(),
            true => 1 + usize::from(self.shape.next_moves > 0),
        }
    }

    /// What is to be added to the priors of actions: shape `[batch, outputs]`.
    ///
    /// `images` has shape `[batch, planes, rows, columns]`, `scalars` has shape `[batch, scalars]`. If the network
    /// sees afterstates, the first column is to be added to its prior, and a second one to the action's plan with the
    /// network's values of the next moves. Computed layer by layer, with gradients or without; [`Frozen`] is faster
    /// where there are none.
    pub fn forward(&self, images: Tensor<4>, scalars: Tensor<2>) -> Tensor<2> {
        self.outputs_from(self.read_off(images, scalars))
    }

    /// The outputs from what is read off at the places.
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

    /// The network as it is computed block by block.
    ///
    /// This is on the CPU, without gradients and without the state's own value. It must give what
    /// [`read_off`](Self::read_off) does.
    #[cfg(feature = "flex")]
    fn tower<G: Image>(&self) -> Option<Tower> {
        let Self { stem, body, exchange, summary, hidden, advantage, value, shape, .. } = self;
        let device = stem.device();
        let fits = device == Device::flex() && !device.is_autodiff() && value.is_none();
        let kernels = |layers: &[Convolution]| layers.iter().map(Convolution::kernel).collect();
        let parts = || Parts {
            colours: shape.shared_planes,
            stem: stem.kernel(),
            body: kernels(body),
            exchange: kernels(exchange),
            summary: summary.kernel(),
            hidden: hidden.kernel(),
            advantage: advantage.kernel(),
            places: shape.places.clone(),
        };
        fits.then(|| Tower::new(&parts(), [shape.view.planes::<G>(), G::ROWS, G::COLUMNS], G::SCALARS))
    }

    /// The values read off at the places of the actions.
    ///
    /// They are those of all places if the network sees afterstates. Computed on any device, layer by layer.
    fn read_off(&self, images: Tensor<4>, scalars: Tensor<2>) -> Tensor<2> {
        let [batch, _, rows, columns] = images.dims();
        let features = self.features(images, scalars);

        let hidden = self.hidden.forward(features.clone(), Activation::Relu);
        let advantage = self.advantage.forward(hidden, Activation::None);
        let [_, _, _, planes] = advantage.dims();
        let places = TensorData::new(self.shape.places.clone(), [self.shape.places.len()]);
        let places = Tensor::<1, Int>::from_data(places, &advantage.device());
        let advantage = advantage.reshape([batch, rows * columns * planes]).select(1, places);

        match &self.value {
            None => advantage,
            Some(value) => {
                let hidden = value.hidden.forward(mean_over_board(features), Activation::Relu);
                let value = value.output.forward(hidden, Activation::None);
                advantage.clone() - advantage.mean_dim(1) + value.reshape([batch, 1])
            }
        }
    }

    /// Features, shape `[batch, rows, columns, channels]`.
    fn features(&self, images: Tensor<4>, scalars: Tensor<2>) -> Tensor<4> {
        let colours = self.shape.shared_planes.max(1);
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

    /// The first layer's input: the board's planes, and the scalars as planes.
    ///
    /// With shared weights it is one such stack a colour, shape
    /// `[batch * colours, rows, columns, 2 + other planes + scalars]`.
    fn input(&self, images: Tensor<4>, scalars: Tensor<2>) -> Tensor<4> {
        let [batch, _, rows, columns] = images.dims();
        let [_, count] = scalars.dims();
        let scalars = scalars.reshape([batch, count, 1, 1]).expand([batch, count, rows, columns]);
        colours::stack(Tensor::cat(vec![images, scalars], 1), self.shape.shared_planes)
    }
}

/// A network whose weights change no more, for passes without gradients.
///
/// All but its dynamics model is made ready once, at the first of many passes.
pub struct Frozen<G> {
    network: QNetwork,
    #[cfg(feature = "flex")]
    tower: OnceLock<Option<Tower>>,
    game: PhantomData<G>,
}

impl<G: Image> Frozen<G> {
    /// The network as it is now.
    pub fn new(network: &QNetwork) -> Self {
        Self {
            network: network.valid(),
            #[cfg(feature = "flex")]
            tower: OnceLock::new(),
            game: PhantomData,
        }
    }

    /// The network.
    pub fn network(&self) -> &QNetwork {
        &self.network
    }

    /// As [`QNetwork::forward`], of images and scalars on the network's device.
    pub fn forward(&self, images: Tensor<4>, scalars: Tensor<2>) -> Tensor<2> {
        #[cfg(feature = "flex")]
        if let Some(tower) = self.tower.get_or_init(|| self.network.tower::<G>()) {
            return self.network.outputs_from(tower.forward(images, scalars));
        }
        self.network.forward(images, scalars)
    }
}

/// `[batch, rows, columns, channels]` to `[batch, 1, 1, channels]`.
fn mean_over_board(x: Tensor<4>) -> Tensor<4> {
    let [batch, rows, columns, channels] = x.dims();
    x.reshape([batch, rows * columns, channels]).mean_dim(1).reshape([batch, 1, 1, channels])
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    use super::*;
    use crate::games::{Game, Match3};
    use crate::random::Role;

    #[test]
    fn a_frozen_network_on_the_processor_goes_block_by_block_unless_it_is_dueling() {
        let processor = Device::flex();
        for (device, dueling) in [(&processor, false), (&processor.clone().autodiff(), false), (&processor, true)] {
            let network = NetworkConfig { channels: 8, dueling, ..NetworkConfig::default() };
            let (game, rules) = (Match3::NAME.to_owned(), Default::default());
            let model = ModelConfig { game, rules, mask: String::new(), points: 10.0, network };
            let network = QNetwork::new::<Match3>(&model, &mut Stream::new(1, Role::Initialise, 0), device);
            assert_eq!(Frozen::<Match3>::new(&network).network().tower::<Match3>().is_some(), !dueling);
        }
    }
}
