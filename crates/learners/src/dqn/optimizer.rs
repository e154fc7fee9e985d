//! Optimizers of the network: Adam and Muon.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::{Adam, AdamConfig, AdamState, AdaptiveMomentumState, GradientsParams, Optimizer as _};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::config::{Learning, OptimizerKind};
use crate::error::{Error, Result};
use crate::network::to_vec;

/// [Adam](OptimizerKind::Adam) or [Muon](OptimizerKind::Muon) for all parameters of a network.
///
/// Parameters are stepped in groups, because on a GPU a large tensor takes hardly longer than a
/// small one.
pub struct Optimizer {
    adam: Adam,
    /// Whether convolutions with at least [`MUON_OUTPUTS`] outputs have Muon.
    muon: bool,
    /// Limit of the gradient's norm; 0 for none.
    max_gradient_norm: f32,
    /// A state per group; empty before the first step.
    states: Vec<State>,
}

/// Minimum outputs of a convolution for Muon; most heads have fewer.
const MUON_OUTPUTS: usize = 8;

/// Adam's epsilon, as Kingma and Ba 2015 have it; burn's default is 1e-5.
const ADAM_EPSILON: f32 = 1e-8;

/// Share of the last velocity that Muon's velocity keeps; the step looks ahead by as much (Nesterov).
const MUON_MOMENTUM: f32 = 0.95;

/// Moments nearer to zero than this become zero: without gradients they would end as subnormal numbers,
/// with which products take a hundred times as long.
const SMALLEST_MOMENT: f32 = 1e-15;

/// Coefficients of x, x^3 and x^5 of an iteration, of which Muon does five (Jordan et al. 2024).
const NEWTON_SCHULZ: [f32; 3] = [3.4445, -4.775, 2.0315];

#[expect(clippy::large_enum_variant, reason = "there are a few in all")]
enum State {
    Adam(AdamState<1>),
    /// Velocities `gradient + momentum * previous velocity`: `[parameters, rows, columns]`.
    Muon(Tensor<3>),
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
        Self {
            adam: AdamConfig::new().with_epsilon(ADAM_EPSILON).build(),
            muon: learning.optimizer == OptimizerKind::Muon,
            max_gradient_norm: learning.max_gradient_norm as f32,
            states: Vec::new(),
        }
    }

    /// Takes one step; returns the new network and the gradient's norm before clipping, `[1]`.
    pub fn step<M: Module>(&mut self, learning_rate: f64, network: M, gradients: GradientsParams) -> (M, Tensor<1>) {
        let mut parameters = Parameters { gradients, muon: self.muon, all: Vec::new() };
        network.visit(&mut parameters);
        let groups = groups(parameters.all.iter().map(|parameter| parameter.matrix));
        let joined = |group: &Group, of: fn(&Parameter) -> &Tensor<1>| {
            Tensor::cat(group.members.iter().map(|member| of(&parameters.all[*member]).clone()).collect(), 0)
        };
        let mut gradients: Vec<Tensor<1>> =
            groups.iter().map(|group| joined(group, |parameter| &parameter.gradient)).collect();
        let squares = gradients.iter().map(|gradient| gradient.clone().square().sum());
        let norm = squares.reduce(|one, other| one + other).expect("a network has parameters").sqrt();
        if self.max_gradient_norm > 0.0 {
            let scale = norm.clone().recip().mul_scalar(self.max_gradient_norm).clamp_max(1.0);
            gradients = gradients.into_iter().map(|gradient| gradient * scale.clone()).collect();
        }
        let mut stepped = vec![None; parameters.all.len()];
        let mut states = std::mem::take(&mut self.states).into_iter();
        for (group, gradient) in groups.iter().zip(gradients) {
            let before = joined(group, |parameter| &parameter.value);
            let (after, state) = match group.matrix {
                None => self.step_adam(learning_rate, before, gradient, states.next()),
                Some(matrix) => step_muon(learning_rate, matrix, before, gradient, states.next()),
            };
            self.states.push(state);
            let sizes = group.members.iter().map(|member| parameters.all[*member].gradient.dims()[0]);
            for (member, part) in group.members.iter().zip(split(after, sizes)) {
                stepped[*member] = Some(part);
            }
        }
        (network.map(&mut Replace(stepped.into_iter())), norm)
    }

    fn step_adam(
        &self,
        learning_rate: f64,
        before: Tensor<1>,
        gradient: Tensor<1>,
        state: Option<State>,
    ) -> (Tensor<1>, State) {
        let state = match state {
            Some(State::Adam(state)) => Some(state),
            _ => None,
        };
        let (after, state) = self.adam.step::<1>(learning_rate, before, gradient, state);
        let mut state = state.expect("Adam has a state after a step");
        state.momentum.moment_1 = without_small(state.momentum.moment_1, SMALLEST_MOMENT);
        state.momentum.moment_2 = without_small(state.momentum.moment_2, SMALLEST_MOMENT * SMALLEST_MOMENT);
        (after, State::Adam(state))
    }

    /// State in the order of parameters.
    pub fn save<M: Module>(&self, network: &M) -> Result<Vec<SavedMoments>> {
        if self.states.is_empty() {
            return Ok(Vec::new());
        }
        let kinds = self.kinds(network);
        let mut saved = vec![None; kinds.len()];
        for (group, state) in groups(kinds.iter().map(|(matrix, _)| *matrix)).into_iter().zip(&self.states) {
            let (updates, first, second) = match state {
                State::Adam(AdamState { momentum }) => {
                    (momentum.time as u64, to_vec(momentum.moment_1.clone())?, to_vec(momentum.moment_2.clone())?)
                }
                State::Muon(velocity) => (0, to_vec(velocity.clone())?, Vec::new()),
            };
            let (mut first, mut second) = (first.into_iter(), second.into_iter());
            for member in group.members {
                let (_, size) = kinds[member];
                let first = first.by_ref().take(size).collect();
                let second = second.by_ref().take(size).collect();
                saved[member] = Some(SavedMoments { updates, first, second });
            }
        }
        Ok(saved.into_iter().flatten().collect())
    }

    /// Restores a saved state; an error if of another network or optimizer.
    pub fn restore<M: Module>(&mut self, saved: &[SavedMoments], network: &M, device: &Device) -> Result<()> {
        let kinds = self.kinds(network);
        let fits = |(moments, (matrix, size)): (&SavedMoments, &(Option<[usize; 2]>, usize))| {
            moments.updates <= i32::MAX as u64
                && moments.first.len() == *size
                && moments.second.len() == if matrix.is_some() { 0 } else { *size }
        };
        let groups = if saved.is_empty() { Vec::new() } else { groups(kinds.iter().map(|(matrix, _)| *matrix)) };
        let together = |group: &Group| {
            let mut updates = group.members.iter().map(|member| saved[*member].updates);
            let first = updates.next();
            updates.all(|other| Some(other) == first)
        };
        let whole = saved.len() == kinds.len() && saved.iter().zip(&kinds).all(fits) && groups.iter().all(together);
        if !whole && !saved.is_empty() {
            return Err(Error::user("the optimizer's state is of another optimizer or of a network of another shape"));
        }
        let state = |Group { matrix, members }: Group| {
            let joined = |of: fn(&SavedMoments) -> &[f32]| -> TensorData {
                let numbers: Vec<f32> = members.iter().flat_map(|member| of(&saved[*member])).copied().collect();
                let count = numbers.len();
                TensorData::new(numbers, [count])
            };
            let first = Tensor::<1>::from_data(joined(|moments| &moments.first), device);
            match matrix {
                Some([rows, columns]) => State::Muon(first.reshape([members.len(), rows, columns])),
                None => {
                    let second = Tensor::<1>::from_data(joined(|moments| &moments.second), device);
                    let updates = saved[members[0]].updates as usize;
                    State::Adam(AdamState::new(AdaptiveMomentumState::new(updates, first, second)))
                }
            }
        };
        self.states = groups.into_iter().map(state).collect();
        Ok(())
    }

    /// Rows and columns of each parameter that has Muon, and each one's size.
    fn kinds<M: Module>(&self, network: &M) -> Vec<(Option<[usize; 2]>, usize)> {
        struct Kinds(bool, Vec<(Option<[usize; 2]>, usize)>);
        impl ModuleVisitor for Kinds {
            fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
                let shape = param.shape();
                self.1.push((matrix(self.0, &shape), shape.num_elements()));
            }
        }
        let mut kinds = Kinds(self.muon, Vec::new());
        network.visit(&mut kinds);
        kinds.1
    }
}

/// Muon's step (Jordan et al. 2024, Liu et al. 2025): along the velocity, made nearly orthogonal, as
/// large as Adam's.
fn step_muon(
    learning_rate: f64,
    [rows, columns]: [usize; 2],
    before: Tensor<1>,
    gradient: Tensor<1>,
    state: Option<State>,
) -> (Tensor<1>, State) {
    let size = gradient.dims();
    let gradient = gradient.reshape([size[0] / (rows * columns), rows, columns]);
    let velocity = match state {
        Some(State::Muon(velocity)) => {
            without_small(gradient.clone() + velocity.mul_scalar(MUON_MOMENTUM), SMALLEST_MOMENT)
        }
        _ => gradient.clone(),
    };
    let direction = orthogonal(gradient + velocity.clone().mul_scalar(MUON_MOMENTUM));
    let rate = learning_rate * 0.2 * (rows.max(columns) as f64).sqrt();
    (before - direction.mul_scalar(rate).reshape(size), State::Muon(velocity))
}

/// Zeros in place of numbers between `-limit` and `limit`.
fn without_small<const D: usize>(numbers: Tensor<D>, limit: f32) -> Tensor<D> {
    let small = numbers.clone().abs().lower_elem(limit);
    numbers.mask_fill(small, 0.0)
}

/// Matrices `[count, rows, columns]` with nearly all singular values near 1, by five Newton-Schulz
/// iterations.
fn orthogonal(matrices: Tensor<3>) -> Tensor<3> {
    let [_, rows, columns] = matrices.dims();
    let tall = rows > columns;
    let x = if tall { matrices.swap_dims(1, 2) } else { matrices };
    let norm = x.clone().square().sum_dim(2).sum_dim(1).sqrt().clamp_min(1e-7);
    let mut x = x / norm;
    let [a, b, c] = NEWTON_SCHULZ;
    for _ in 0..5 {
        let square = x.clone().matmul(x.clone().swap_dims(1, 2));
        let factor = square.clone().mul_scalar(b) + square.clone().matmul(square).mul_scalar(c);
        x = x.clone().mul_scalar(a) + factor.matmul(x);
    }
    if tall { x.swap_dims(1, 2) } else { x }
}

/// Parameters that are stepped together: all that have Adam, or all matrices of one shape.
struct Group {
    /// Rows and columns for Muon.
    matrix: Option<[usize; 2]>,
    members: Vec<usize>,
}

/// Groups by the rows and columns of each parameter, in the order of their first members.
fn groups(matrices: impl Iterator<Item = Option<[usize; 2]>>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (member, matrix) in matrices.enumerate() {
        match groups.iter_mut().find(|group| group.matrix == matrix) {
            Some(group) => group.members.push(member),
            None => groups.push(Group { matrix, members: vec![member] }),
        }
    }
    groups
}

/// Rows and columns of a parameter that Muon has: the weight of a convolution, `[outputs, inputs,
/// size, size]`, but no head.
fn matrix(muon: bool, shape: &[usize]) -> Option<[usize; 2]> {
    let has = muon && shape.len() == 4 && shape[0] >= MUON_OUTPUTS;
    has.then(|| [shape[0], shape[1..].iter().product()])
}

/// Consecutive parts of a tensor.
fn split(tensor: Tensor<1>, sizes: impl Iterator<Item = usize>) -> impl Iterator<Item = Tensor<1>> {
    sizes.scan(0, move |start, size| {
        let part = tensor.clone().narrow(0, *start, size);
        *start += size;
        Some(part)
    })
}

/// A flattened parameter.
struct Parameter {
    value: Tensor<1>,
    /// Gradient of the loss, flattened; zeros for a parameter that the loss does not depend on.
    gradient: Tensor<1>,
    matrix: Option<[usize; 2]>,
}

struct Parameters {
    gradients: GradientsParams,
    muon: bool,
    all: Vec<Parameter>,
}

impl ModuleVisitor for Parameters {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.val().inner();
        let matrix = matrix(self.muon, &value.dims());
        let value = value.flatten::<1>(0, D - 1);
        let gradient = match self.gradients.remove::<D>(param.id) {
            Some(gradient) => gradient.flatten::<1>(0, D - 1),
            None => value.zeros_like(),
        };
        self.all.push(Parameter { value, gradient, matrix });
    }
}

/// Replaces each parameter's values.
struct Replace(std::vec::IntoIter<Option<Tensor<1>>>);

impl ModuleMapper for Replace {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(values) = self.0.next().flatten() else { return param };
        let (id, tensor, mapper) = param.consume();
        let values = Tensor::from_inner(values.reshape(tensor.shape())).set_require_grad(tensor.is_require_grad());
        Param::from_mapped_value(id, values, mapper)
    }
}
