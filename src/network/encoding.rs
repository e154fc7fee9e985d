//! From packed states to the network's input tensors.

use std::marker::PhantomData;

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use crate::games::Game;

/// Encodes batches of states into buffers that it keeps.
pub struct Encoder<G: Game> {
    images: Vec<f32>,
    scalars: Vec<f32>,
    game: PhantomData<G>,
}

impl<G: Game> Default for Encoder<G> {
    fn default() -> Self {
        Self { images: Vec::new(), scalars: Vec::new(), game: PhantomData }
    }
}

impl<G: Game> Encoder<G> {
    /// Numbers in one image.
    pub const IMAGE: usize = G::PLANES * G::ROWS * G::COLUMNS;

    /// Writes each state under its symmetry: images `[states, planes, rows, columns]` and scalars `[states, scalars]`, in
    /// row-major order.
    pub fn encode(&mut self, states: &[(G::State, usize)]) -> (&[f32], &[f32]) {
        self.images.resize(states.len() * Self::IMAGE, 0.0);
        self.scalars.resize(states.len() * G::SCALARS, 0.0);
        states
            .par_iter()
            .with_min_len(64)
            .zip(self.images.par_chunks_exact_mut(Self::IMAGE))
            .zip(self.scalars.par_chunks_exact_mut(G::SCALARS))
            .for_each(|(((state, symmetry), image), scalars)| G::encode(state, *symmetry, image, scalars));
        (&self.images, &self.scalars)
    }

    /// The same as tensors on a device.
    pub fn tensors(&mut self, states: &[(G::State, usize)], device: &Device) -> (Tensor<4>, Tensor<2>) {
        let count = states.len();
        let (images, scalars) = self.encode(states);
        let images = TensorData::new(images.to_vec(), [count, G::PLANES, G::ROWS, G::COLUMNS]);
        let scalars = TensorData::new(scalars.to_vec(), [count, G::SCALARS]);
        (Tensor::from_data(images, device), Tensor::from_data(scalars, device))
    }
}
