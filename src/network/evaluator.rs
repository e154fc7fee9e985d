//! Action values of many states by batched forward passes.

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::{Encoder, QNetwork};
use crate::error::{Error, Result};
use crate::games::Game;

/// A network that is asked for action values.
pub struct Evaluator<G: Game> {
    network: QNetwork,
    device: Device,
    /// Boards in one forward pass at the most.
    batch: usize,
    encoder: Encoder<G>,
    states: Vec<(G::State, usize)>,
    values: Vec<f32>,
}

impl<G: Game> Evaluator<G> {
    /// An evaluator of a network, without gradients; at most `batch` boards, at least one, go through it at once.
    pub fn new(network: &QNetwork, batch: usize, device: &Device) -> Self {
        Self {
            network: network.valid(),
            device: device.clone(),
            batch: batch.max(1),
            encoder: Encoder::default(),
            states: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Boards that go through the network at once at the most.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Action values of each state, shape `[states, actions]` in row-major order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn values(&mut self, states: &[G::State]) -> Result<&[f32]> {
        self.values.clear();
        for chunk in states.chunks(self.batch) {
            self.states.clear();
            self.states.extend(chunk.iter().map(|state| (*state, 0)));
            let (images, scalars) = self.encoder.tensors(&self.states, &self.device);
            self.values.extend(to_vec(self.network.forward(images, scalars))?);
        }
        Ok(&self.values)
    }
}

/// A tensor's numbers in row-major order.
///
/// # Errors
/// When the device fails.
pub fn to_vec<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    tensor
        .try_into_vec_as::<f32>()
        .map_err(|error| Error::runtime(format!("the device failed while computing: {error:?}")))
}
