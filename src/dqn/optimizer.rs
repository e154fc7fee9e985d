//! Adam with clipping by the global norm of the gradient; its state is plain numbers, in the order of the network's
//! parameters.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::{Adam, AdamConfig, AdamState, AdaptiveMomentumState, GradientsParams, Optimizer};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::network::to_vec;

/// Adam (Kingma and Ba 2015, <https://arxiv.org/abs/1412.6980>), burn's, with a state that can be saved.
pub struct ClippedAdam {
    adam: Adam,
    /// 0: no clipping.
    max_gradient_norm: f32,
    /// One state a parameter, flattened; empty before the first step.
    states: Vec<AdamState<1>>,
}

/// The state of one parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedMoments {
    updates: u64,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl ClippedAdam {
    /// An optimizer without state. A `max_gradient_norm` of 0 leaves gradients as they are.
    pub fn new(epsilon: f64, max_gradient_norm: f64) -> Self {
        let adam = AdamConfig::new().with_epsilon(epsilon as f32).build();
        Self { adam, max_gradient_norm: max_gradient_norm as f32, states: Vec::new() }
    }

    /// Takes one step. Gives the network after it and the norm of the whole gradient before clipping.
    ///
    /// # Errors
    /// When the device fails.
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
        let mut stepper = Stepper { adam: &self.adam, gradients, scale, learning_rate, states, updated: Vec::new() };
        let network = network.map(&mut stepper);
        self.states = stepper.updated;
        Ok((network, norm))
    }

    /// The state as numbers.
    ///
    /// # Errors
    /// When the device fails.
    pub fn save(&self) -> Result<Vec<SavedMoments>> {
        let save = |AdamState { momentum }: &AdamState<1>| {
            Ok(SavedMoments {
                updates: momentum.time as u64,
                first: to_vec(momentum.moment_1.clone())?,
                second: to_vec(momentum.moment_2.clone())?,
            })
        };
        self.states.iter().map(save).collect()
    }

    /// Takes up a saved state of a network's optimizer.
    ///
    /// # Errors
    /// When the state is of another network.
    pub fn restore<M: Module>(&mut self, saved: Vec<SavedMoments>, network: &M, device: &Device) -> Result<()> {
        let mut sizes = Sizes(Vec::new());
        network.visit(&mut sizes);
        let fits = saved.is_empty()
            || saved.len() == sizes.0.len()
                && saved
                    .iter()
                    .zip(sizes.0)
                    .all(|(moments, size)| moments.first.len() == size && moments.second.len() == size);
        if !fits {
            return Err(Error::user("the optimizer's state is of a network of another shape"));
        }
        let tensor = |numbers: Vec<f32>| {
            let count = numbers.len();
            Tensor::<1>::from_data(TensorData::new(numbers, [count]), device)
        };
        self.states = saved
            .into_iter()
            .map(|SavedMoments { updates, first, second }| {
                AdamState::new(AdaptiveMomentumState::new(updates as usize, tensor(first), tensor(second)))
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
    gradients: GradientsParams,
    scale: f32,
    learning_rate: f64,
    states: std::vec::IntoIter<AdamState<1>>,
    updated: Vec<AdamState<1>>,
}

impl ModuleMapper for Stepper<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, tensor, mapper) = param.consume();
        let tensor = tensor.inner();
        let shape = tensor.shape();
        // A parameter that the loss does not depend on has no gradient; a zero keeps the states in order.
        let gradient = match self.gradients.remove::<D>(id) {
            Some(gradient) => gradient.flatten::<1>(0, D - 1),
            None => tensor.zeros_like().flatten::<1>(0, D - 1),
        };
        let gradient = if self.scale == 1.0 { gradient } else { gradient.mul_scalar(self.scale) };
        let (tensor, state) =
            self.adam.step::<1>(self.learning_rate, tensor.flatten::<1>(0, D - 1), gradient, self.states.next());
        self.updated.extend(state);
        let tensor = Tensor::from_inner(tensor.reshape(shape)).require_grad();
        Param::from_mapped_value(id, tensor, mapper)
    }
}

struct Sizes(Vec<usize>);

impl ModuleVisitor for Sizes {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.push(param.shape().num_elements());
    }
}
