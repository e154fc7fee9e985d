//! Action values of many states by batched forward passes.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};

use super::{Chain, Encoded, Encoder, QNetwork, View};
use crate::error::{Error, Result};
use crate::games::{ActionMask, Game};

/// A network that is asked for action values.
pub struct Evaluator<G: Game> {
    network: QNetwork,
    view: View,
    device: Device,
    /// Images in one forward pass at the most.
    batch: usize,
    encoder: Encoder<G>,
    values: Vec<f32>,
    /// Factor of the network's output, which is added to what is known beforehand.
    output: f32,
}

impl<G: Game> Evaluator<G> {
    /// An evaluator of a network, without gradients; at most `batch` images, at least one, go through it at once.
    pub fn new(network: &QNetwork, batch: usize, device: &Device) -> Self {
        Self {
            network: network.valid(),
            view: network.view(),
            device: device.clone(),
            batch: batch.max(1),
            encoder: Encoder::new(network.view()),
            values: Vec::new(),
            output: 1.0,
        }
    }

    /// The same with a factor of the network's output: with 0 the prior, or the foreseen points, alone are left.
    pub fn with_output(self, output: f32) -> Self {
        Self { output, ..self }
    }

    /// The same; if the network foresees chains, it is told by the rules what they leave instead.
    pub fn told(self) -> Self {
        let view = self.network.told_view();
        Self { view, encoder: Encoder::new(view), ..self }
    }

    /// What the network is shown of a position.
    pub fn view(&self) -> View {
        self.view
    }

    /// The network.
    pub fn network(&self) -> &QNetwork {
        &self.network
    }

    /// Images that go through the network at once at the most.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Action values of each state, shape `[states, actions]` in row-major order. A network that sees afterstates values the
    /// actions of its mask alone; the others are 0.
    ///
    /// # Errors
    /// When the device fails.
    pub fn values(&mut self, states: &[G::State]) -> Result<&[f32]> {
        let mask = self.view.mask;
        let masks: Vec<ActionMask> = states.iter().map(|state| G::mask(state, mask)).collect();
        self.values_within(states, &masks)
    }

    /// The same with a mask for each state: values outside of it may be left out and are then 0.
    ///
    /// # Errors
    /// When the device fails.
    pub fn values_within(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<&[f32]> {
        self.values.clear();
        match self.view.afterstates {
            false => self.value_positions(states)?,
            true => self.value_afterstates(states, masks)?,
        }
        Ok(&self.values)
    }

    fn value_positions(&mut self, states: &[G::State]) -> Result<()> {
        for chunk in states.chunks(self.batch) {
            let chunk: Vec<_> = chunk.iter().map(|state| (*state, 0)).collect();
            let Encoded { images, scalars, known } = self.encoder.positions(&chunk, &self.device);
            let added = to_vec(self.network.forward(images, scalars))?;
            self.values.extend(added.iter().zip(known.iter()).map(|(added, known)| self.output * added + known));
        }
        Ok(())
    }

    fn value_afterstates(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<()> {
        self.values.resize(states.len() * G::ACTIONS, 0.0);
        let rows = states.iter().zip(masks).enumerate();
        let (afterstates, places): (Vec<_>, Vec<_>) = rows
            .flat_map(|(row, (state, mask))| {
                mask.iter().map(move |action| ((*state, action, 0), row * G::ACTIONS + action))
            })
            .unzip();
        for (chunk, places) in afterstates.chunks(self.batch).zip(places.chunks(self.batch)) {
            let Encoded { mut images, scalars, known } = self.encoder.afterstates(chunk, &self.device);
            let foresight = self.network.foresight().filter(|_| self.view == self.network.view());
            if let Some((model, waves)) = foresight {
                let shape = images.dims();
                let Chain { boards, points } = model.chain(images, waves)?;
                images = Tensor::from_data(TensorData::new(boards, shape), &self.device);
                known.iter_mut().zip(points).for_each(|(known, points)| *known += points);
            }
            let added = to_vec(self.network.forward(images, scalars))?;
            for (place, (added, known)) in places.iter().zip(added.iter().zip(known)) {
                self.values[*place] = self.output * added + *known;
            }
        }
        Ok(())
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
