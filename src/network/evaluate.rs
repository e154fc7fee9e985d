//! Networks without gradients: the program's kernels on the processor, burn elsewhere.

use burn::module::Module as _;
use burn::tensor::{Device, Tensor, TensorData};
use matchq_players::network::{Backend, Evaluate, Evaluator, NetworkShape, Processor};

use super::device::is_processor;
use super::{Encoded, QNetwork};
use crate::error::{Error, Result};
use crate::games::Image;
use crate::players::Arrays;
use crate::random::{Role, Stream};

/// A device of burn; the program's kernels replace `flex`.
pub struct OnDevice(pub Device);

impl Backend for OnDevice {
    fn network(&self, shape: &NetworkShape, weights: &Arrays) -> Result<Box<dyn Evaluate>> {
        let Self(device) = self;
        if has_kernels(device) {
            return Processor.network(shape, weights);
        }
        // The fresh weights are replaced at once.
        let network = QNetwork::of(shape.clone(), &mut Stream::new(0, Role::Initialise, 0), device);
        Ok(Box::new(Network { network: network.with_arrays(weights)?, device: device.clone() }))
    }
}

/// A network with its present weights, without gradients.
pub fn evaluate(network: &QNetwork, device: &Device) -> Box<dyn Evaluate> {
    if has_kernels(device) {
        let ready = network.arrays().and_then(|weights| Processor.network(network.shape(), &weights));
        return ready.expect("the processor reads its own memory");
    }
    Box::new(Network { network: network.valid(), device: device.clone() })
}

/// An evaluator of a network's present weights, of at most `batch` images a pass; `batch` is at
/// least 1.
pub fn evaluator<G: Image>(network: &QNetwork, batch: usize, device: &Device) -> Evaluator<G> {
    Evaluator::new(evaluate(network, device), network.shape().clone(), batch)
}

/// A batch as tensors: images `[batch, planes, rows, columns]`, scalars `[batch, scalars]`.
pub fn tensors<G: Image>(encoded: &Encoded, device: &Device) -> (Tensor<4>, Tensor<2>) {
    let count = encoded.scalars.len() / G::SCALARS;
    let planes = encoded.images.len() / (count.max(1) * G::ROWS * G::COLUMNS);
    let images = TensorData::new(encoded.images.to_vec(), [count, planes, G::ROWS, G::COLUMNS]);
    let scalars = TensorData::new(encoded.scalars.to_vec(), [count, G::SCALARS]);
    (Tensor::from_data(images, device), Tensor::from_data(scalars, device))
}

/// A tensor's numbers, row-major.
pub fn to_vec<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    tensor
        .try_into_vec_as::<f32>()
        .map_err(|error| Error::runtime(format!("the device failed while computing: {error:?}")))
}

/// Whether the program's kernels replace the device.
#[allow(unused_variables)]
fn has_kernels(device: &Device) -> bool {
    #[cfg(feature = "flex")]
    return device.clone().inner() == Device::flex();
    #[cfg(not(feature = "flex"))]
    false
}

/// A network on a device of burn.
struct Network {
    network: QNetwork,
    device: Device,
}

/// Boards followed together on a processor.
const BOARDS: usize = 16;

impl Evaluate for Network {
    fn outputs(&mut self, images: &[f32], scalars: &[f32]) -> Result<Vec<f32>> {
        let NetworkShape { planes, rows, columns, scalars: each, .. } = *self.network.shape();
        let count = scalars.len() / each;
        let images = TensorData::new(images.to_vec(), [count, planes, rows, columns]);
        let scalars = TensorData::new(scalars.to_vec(), [count, each]);
        let (images, scalars) = (Tensor::from_data(images, &self.device), Tensor::from_data(scalars, &self.device));
        to_vec(self.network.forward(images, scalars))
    }

    fn outcome(&mut self, boards: &mut [f32], points: &mut [f32]) -> Result<()> {
        let Some((model, waves)) = self.network.dynamics() else { return Ok(()) };
        let NetworkShape { board_planes, rows, columns, .. } = *self.network.shape();
        let shape = [board_planes, rows, columns];
        let size: usize = shape.iter().product();
        let share = if is_processor(&self.device) { BOARDS } else { points.len().max(1) };
        let parts = boards.chunks_mut(share * size).zip(points.chunks_mut(share));
        for (boards, points) in parts {
            model.follow(boards, points, shape, waves, &self.device)?;
        }
        Ok(())
    }
}
