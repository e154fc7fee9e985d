//! Gradient of a minibatch by the program's kernels, without a graph of operations.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};

use super::gradient::{Batch, Gradient};
use super::loss::Loss;
use super::parameters::Untangle;
use crate::error::Result;
use crate::network::{QNetwork, to_vec};

/// [`gradient`](super::gradient::gradient) of a network by its tower; a dynamics model learns by
/// autodiff.
pub fn gradient(network: &QNetwork, batch: &Batch, kind: Loss, device: &Device) -> Result<Gradient> {
    let inner = device.clone().inner();
    let (mut gradients, wave_loss) = wave_gradients(network, batch, device)?;
    let mut sums = vec![0.0; if network.next_moves() > 0 { 4 } else { 3 }];
    let mut errors = Vec::new();
    if !batch.places.is_empty() {
        let tower = network.tower()?;
        let losses = Losses::new(batch, kind, tower.outputs());
        let (outputs, found) = tower.gradient(&batch.images, &batch.scalars, &|first, outputs, gradient| {
            losses.write_gradient(first, outputs, gradient);
        });
        let mut register = Register { gradients, found: apart(network, found).into_iter(), device: &inner };
        network.visit(&mut register);
        gradients = register.gradients;
        sums = losses.sums(&outputs);
        errors.push(column(losses.errors(&outputs, 0).collect(), &inner));
    }
    sums.extend(network.dynamics().map(|_| wave_loss));
    Ok(Gradient { gradients, sums: column(sums, &inner), errors })
}

/// Gradients and weighted loss of the dynamics model, if there are waves.
fn wave_gradients(network: &QNetwork, batch: &Batch, device: &Device) -> Result<(GradientsParams, f32)> {
    if batch.waves.points.is_empty() {
        return Ok((GradientsParams::new(), 0.0));
    }
    // Own parameters for each part, because their autodiff graphs must not meet.
    let network = network.clone().map(&mut Untangle);
    let Some(loss) = batch.wave_loss(&network, device) else { return Ok((GradientsParams::new(), 0.0)) };
    let number = to_vec(loss.clone().inner())?;
    Ok((GradientsParams::from_grads(loss.backward(), &network), number[0]))
}

/// Gradients by parameter: those of two heads stand in one.
fn apart(network: &QNetwork, mut found: Vec<Vec<f32>>) -> Vec<Vec<f32>> {
    if network.heads() == 2 {
        let both = found.split_off(found.len() - 2);
        let halves = |second: bool| both.iter().map(move |both| both.chunks(both.len() / 2).nth(second.into()));
        found.extend([false, true].into_iter().flat_map(halves).flatten().map(<[f32]>::to_vec));
    }
    found
}

fn column(numbers: Vec<f32>, device: &Device) -> Tensor<1> {
    let count = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [count]), device)
}

/// Gives the first parameters their gradients, in order.
struct Register<'a> {
    gradients: GradientsParams,
    found: std::vec::IntoIter<Vec<f32>>,
    device: &'a Device,
}

impl ModuleVisitor for Register<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(numbers) = self.found.next() {
            let gradient = Tensor::<D>::from_data(TensorData::new(numbers, param.dims()), self.device);
            self.gradients.register(param.id, gradient);
        }
    }
}

/// The values' losses as a function of the outputs.
struct Losses<'a> {
    batch: &'a Batch,
    kind: Loss,
    /// Outputs of an image.
    each: usize,
    /// Values in the order of their places.
    order: Vec<usize>,
    /// Numbers added to the output at a value's place, and at the next place.
    priors: Vec<&'a [f32]>,
}

impl<'a> Losses<'a> {
    fn new(batch: &'a Batch, kind: Loss, each: usize) -> Self {
        let mut order: Vec<usize> = (0..batch.places.len()).collect();
        order.sort_by_key(|value| batch.places[*value]);
        let plans = Some(&*batch.plan_priors).filter(|priors| !priors.is_empty());
        Self { batch, kind, each, order, priors: [&*batch.priors].into_iter().chain(plans).collect() }
    }

    /// Adds the loss's gradient with respect to outputs of some images, from a first one on.
    fn write_gradient(&self, first: usize, outputs: &[f32], gradient: &mut [f32]) {
        let Batch { places, targets, weights, .. } = self.batch;
        let before = |output: usize| self.order.partition_point(|value| places[*value] < output);
        let first = first * self.each;
        for value in &self.order[before(first)..before(first + outputs.len())] {
            for (behind, priors) in self.priors.iter().enumerate() {
                let at = places[*value] - first + behind;
                let error = outputs[at] + priors[*value] - targets[*value];
                gradient[at] += weights[*value] * self.kind.slope(error);
            }
        }
    }

    fn values(&self, outputs: &[f32], behind: usize) -> impl Iterator<Item = f32> {
        self.batch.places.iter().zip(self.priors[behind]).map(move |(place, prior)| outputs[place + behind] + prior)
    }

    fn errors(&self, outputs: &[f32], behind: usize) -> impl Iterator<Item = f32> {
        self.values(outputs, behind).zip(&self.batch.targets).map(|(value, target)| value - target)
    }

    /// The batch's part of the figures, without waves.
    fn sums(&self, outputs: &[f32]) -> Vec<f32> {
        let loss = |behind: usize| {
            let errors = self.errors(outputs, behind).zip(&self.batch.weights);
            total(errors.map(|(error, weight)| weight * self.kind.of_number(error)))
        };
        let errors = self.errors(outputs, 0).map(f32::abs);
        let sums = [loss(0), total(self.values(outputs, 0)), total(errors)];
        sums.into_iter().chain((1..self.priors.len()).map(loss)).collect()
    }
}

fn total(numbers: impl Iterator<Item = f32>) -> f32 {
    numbers.map(f64::from).sum::<f64>() as f32
}
