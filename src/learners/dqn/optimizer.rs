use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::momentum::{MomentumConfig, MomentumState};
use burn::optim::{
    Adam, AdamConfig, AdamState, AdaptiveMomentumState, AdjustLrFn, GradientsParams, Muon, MuonConfig, MuonState,
    Optimizer as _,
};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::config::{Learning, OptimizerKind};
use crate::error::{Error, Result};
use crate::network::to_vec;

/// burn's [Adam](OptimizerKind::Adam) or [Muon](OptimizerKind::Muon), with a state that can be
/// saved.
pub struct Optimizer {
    adam: Adam,
    /// Muon for convolutions with at least [`MUON_OUTPUTS`] outputs.
    muon: Option<Muon>,
    /// Limit of the gradient's norm; 0 for none.
    max_gradient_norm: f32,
    /// A state per parameter, flattened; empty before the first step.
    states: Vec<State>,
}

/// Minimum outputs of a convolution for Muon; most heads have fewer.
const MUON_OUTPUTS: usize = 8;

/// By Kingma and Ba 2015; burn's default is 1e-5.
const ADAM_EPSILON: f32 = 1e-8;

/// With Nesterov momentum.
const MUON_MOMENTUM: f64 = 0.95;

#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one a parameter, a few dozen in all")]
enum State {
    Adam(AdamState<1>),
    /// Velocity: `gradient + momentum * previous velocity`.
    Muon(Tensor<1>),
}

/// Saved state of one parameter: Adam's moments or Muon's velocity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedMoments {
    /// Adam's updates; 0 for Muon.
    pub updates: u64,
    /// First moments, or the velocity.
    pub first: Vec<f32>,
    /// Second moments; empty for Muon.
    pub second: Vec<f32>,
}

impl Optimizer {
    /// An optimizer without state.
    pub fn new(learning: &Learning) -> Self {
        let momentum = MomentumConfig { momentum: MUON_MOMENTUM, dampening: 0.0, nesterov: true };
        let muon = MuonConfig::new().with_momentum(momentum).with_adjust_lr_fn(AdjustLrFn::MatchRmsAdamW);
        Self {
            adam: AdamConfig::new().with_epsilon(ADAM_EPSILON).build(),
            muon: (learning.optimizer == OptimizerKind::Muon).then(|| muon.build()),
            max_gradient_norm: learning.max_gradient_norm as f32,
            states: Vec::new(),
        }
    }

    /// Takes one step; returns the new network and the gradient's norm before clipping.
    pub fn step<M: Module>(&mut self, learning_rate: f64, network: M, gradients: GradientsParams) -> Result<(M, f32)> {
        let mut squares = SumOfSquares { gradients: &gradients, sum: None };
        network.visit(&mut squares);
        let norm = match squares.sum {
            Some(sum) => to_vec(sum.sqrt())?[0],
            None => 0.0,
        };
        let clip = self.max_gradient_norm > 0.0 && norm > self.max_gradient_norm;
        let scale = if clip { self.max_gradient_norm / norm } else { 1.0 };
        let states = std::mem::take(&mut self.states).into_iter();
        let mut stepper = Stepper {
            adam: &self.adam,
            muon: self.muon.as_ref(),
            gradients,
            scale,
            learning_rate,
            states,
            updated: Vec::new(),
        };
        let network = network.map(&mut stepper);
        self.states = stepper.updated;
        Ok((network, norm))
    }

    /// State in the order of parameters.
    pub fn save(&self) -> Result<Vec<SavedMoments>> {
        let save = |state: &State| {
            Ok(match state {
                State::Adam(AdamState { momentum }) => SavedMoments {
                    updates: momentum.time as u64,
                    first: to_vec(momentum.moment_1.clone())?,
                    second: to_vec(momentum.moment_2.clone())?,
                },
                State::Muon(velocity) => {
                    SavedMoments { updates: 0, first: to_vec(velocity.clone())?, second: Vec::new() }
                }
            })
        };
        self.states.iter().map(save).collect()
    }

    /// Restores a saved state; an error if of another network or optimizer.
    pub fn restore<M: Module>(&mut self, saved: Vec<SavedMoments>, network: &M, device: &Device) -> Result<()> {
        let mut kinds = Kinds { muon: self.muon.is_some(), sizes: Vec::new() };
        network.visit(&mut kinds);
        let fits = saved.is_empty()
            || saved.len() == kinds.sizes.len()
                && saved.iter().zip(kinds.sizes).all(|(moments, (muon, size))| {
                    moments.first.len() == size && moments.second.len() == if muon { 0 } else { size }
                });
        if !fits {
            return Err(Error::user("the optimizer's state is of another optimizer or of a network of another shape"));
        }
        let tensor = |numbers: Vec<f32>| {
            let count = numbers.len();
            Tensor::<1>::from_data(TensorData::new(numbers, [count]), device)
        };
        self.states = saved
            .into_iter()
            .map(|SavedMoments { updates, first, second }| match second.is_empty() {
                true => State::Muon(tensor(first)),
                false => {
                    let moments = AdaptiveMomentumState::new(updates as usize, tensor(first), tensor(second));
                    State::Adam(AdamState::new(moments))
                }
            })
            .collect();
        Ok(())
    }
}

struct SumOfSquares<'a> {
    gradients: &'a GradientsParams,
    sum: Option<Tensor<1>>,
}

impl ModuleVisitor for SumOfSquares<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Some(gradient) = self.gradients.get::<D>(param.id) else {
            return;
        };
        let sum = gradient.square().sum();
        self.sum = Some(match self.sum.take() {
            Some(before) => before + sum,
            None => sum,
        });
    }
}

struct Stepper<'a> {
    adam: &'a Adam,
    muon: Option<&'a Muon>,
    gradients: GradientsParams,
    scale: f32,
    learning_rate: f64,
    states: std::vec::IntoIter<State>,
    updated: Vec<State>,
}

impl Stepper<'_> {
    fn step_adam(&mut self, tensor: Tensor<1>, gradient: Tensor<1>) -> Tensor<1> {
        let state = match self.states.next() {
            Some(State::Adam(state)) => Some(state),
            _ => None,
        };
        let (tensor, state) = self.adam.step::<1>(self.learning_rate, tensor, gradient, state);
        self.updated.extend(state.map(State::Adam));
        tensor
    }

    fn step_muon(&mut self, muon: &Muon, rows: usize, tensor: Tensor<1>, gradient: Tensor<1>) -> Tensor<1> {
        let size = gradient.dims()[0];
        let matrix = |numbers: Tensor<1>| numbers.reshape([rows, size / rows]);
        let before = match self.states.next() {
            Some(State::Muon(velocity)) => Some(velocity),
            _ => None,
        };
        // burn's own velocity cannot be read.
        let velocity = match &before {
            Some(velocity) => gradient.clone() + velocity.clone().mul_scalar(MUON_MOMENTUM),
            None => gradient.clone(),
        };
        let state = before.map(|velocity| MuonState::new(MomentumState::new(matrix(velocity))));
        let (tensor, _) = muon.step::<2>(self.learning_rate, matrix(tensor), matrix(gradient), state);
        self.updated.push(State::Muon(velocity));
        tensor.reshape([size])
    }
}

impl ModuleMapper for Stepper<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, tensor, mapper) = param.consume();
        let tensor = tensor.inner();
        let shape = tensor.shape();
        // A parameter without a gradient gets zeros, which keeps the states in order.
        let gradient = match self.gradients.remove::<D>(id) {
            Some(gradient) => gradient.flatten::<1>(0, D - 1),
            None => tensor.zeros_like().flatten::<1>(0, D - 1),
        };
        let gradient = if self.scale == 1.0 { gradient } else { gradient.mul_scalar(self.scale) };
        let tensor = tensor.flatten::<1>(0, D - 1);
        let tensor = match self.muon {
            Some(muon) if is_matrix::<D>(&shape) => self.step_muon(muon, shape[0], tensor, gradient),
            _ => self.step_adam(tensor, gradient),
        };
        let tensor = Tensor::from_inner(tensor.reshape(shape)).require_grad();
        Param::from_mapped_value(id, tensor, mapper)
    }
}

/// Whether Muon has a parameter: the weight of a convolution, `[outputs, inputs, size, size]`, but
/// no head.
fn is_matrix<const D: usize>(shape: &[usize]) -> bool {
    D == 4 && shape[0] >= MUON_OUTPUTS
}

/// Whether Muon has each parameter, and its size.
struct Kinds {
    muon: bool,
    sizes: Vec<(bool, usize)>,
}

impl ModuleVisitor for Kinds {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let shape = param.shape();
        self.sizes.push((self.muon && is_matrix::<D>(&shape), shape.num_elements()));
    }
}
