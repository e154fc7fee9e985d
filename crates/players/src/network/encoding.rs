use std::marker::PhantomData;

use matchq_core::pool;
use serde::{Deserialize, Serialize};

use super::{TASK, View};
use matchq_games::{Game, Image, SeenWave};

/// Encodes positions and afterstates as images, in memory that is used again.
pub struct Encoder<G: Game> {
    view: View,
    images: Vec<f32>,
    scalars: Vec<f32>,
    priors: Vec<f32>,
    game: PhantomData<G>,
}

/// A batch of images with their scalars.
pub struct Encoded<'a> {
    /// Shape `[batch, planes, rows, columns]`.
    pub images: &'a mut [f32],
    /// Shape `[batch, scalars]`.
    pub scalars: &'a [f32],
    /// Priors of afterstates, shape `[batch]`, to which the network's output is added; empty for
    /// positions.
    pub priors: &'a mut [f32],
}

/// Single waves of chains, for a dynamics model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaveBatch {
    /// Boards before, `[batch, planes, rows, columns]`.
    pub before: Vec<f32>,
    /// Boards after, of the same shape.
    pub after: Vec<f32>,
    /// Points in the network's units, `[batch]`.
    pub points: Vec<f32>,
}

impl<G: Image> Encoder<G> {
    /// An encoder of a view.
    pub fn new(view: View) -> Self {
        Self { view, images: Vec::new(), scalars: Vec::new(), priors: Vec::new(), game: PhantomData }
    }

    /// Encodes states, each under its symmetry.
    pub fn positions(&mut self, states: &[(G::State, usize)]) -> Encoded<'_> {
        self.write(states, |(state, symmetry), image, scalars| {
            G::encode(state, *symmetry, image, scalars);
            0.0
        });
        self.priors.clear();
        self.encoded()
    }

    /// Encodes afterstates by states, actions and symmetries.
    pub fn afterstates(&mut self, states: &[(G::State, usize, usize)]) -> Encoded<'_> {
        let view = self.view;
        self.write(states, |state, image, scalars| view.afterstate::<G>(state, image, scalars));
        self.encoded()
    }

    /// Makes room for an image of each state; `write` writes one with its scalars and returns its prior.
    fn write<T: Sync>(&mut self, states: &[T], write: impl Fn(&T, &mut [f32], &mut [f32]) -> f32 + Sync) {
        let image = self.view.planes::<G>() * G::ROWS * G::COLUMNS;
        self.images.resize(states.len() * image, 0.0);
        self.scalars.resize(states.len() * G::SCALARS, 0.0);
        self.priors.resize(states.len(), 0.0);
        let images = self.images.chunks_mut(TASK * image);
        let parts = states.chunks(TASK).zip(images).zip(self.scalars.chunks_mut(TASK * G::SCALARS));
        pool::each(parts.zip(self.priors.chunks_mut(TASK)), |(((states, images), scalars), priors)| {
            let written = images.chunks_exact_mut(image).zip(scalars.chunks_exact_mut(G::SCALARS));
            for ((state, (image, scalars)), prior) in states.iter().zip(written).zip(priors) {
                *prior = write(state, image, scalars);
            }
        });
    }

    /// Encodes waves, each under its symmetry, for a dynamics model.
    pub fn waves(&self, waves: &[(SeenWave<G::State>, usize)]) -> WaveBatch {
        let image = G::PLANES * G::ROWS * G::COLUMNS;
        let (mut before, mut after) = (vec![0.0; waves.len() * image], vec![0.0; waves.len() * image]);
        let parts = waves.chunks(TASK).zip(before.chunks_mut(TASK * image)).zip(after.chunks_mut(TASK * image));
        pool::each(parts, |((waves, before), after)| {
            let mut scalars = vec![0.0; G::SCALARS];
            let written = before.chunks_exact_mut(image).zip(after.chunks_exact_mut(image));
            for ((wave, symmetry), (before, after)) in waves.iter().zip(written) {
                G::encode(&wave.before, *symmetry, before, &mut scalars);
                G::encode(&wave.after, *symmetry, after, &mut scalars);
            }
        });
        let points = waves.iter().map(|(wave, _)| self.view.scale * wave.points).collect();
        WaveBatch { before, after, points }
    }

    fn encoded(&mut self) -> Encoded<'_> {
        Encoded { images: &mut self.images, scalars: &self.scalars, priors: &mut self.priors }
    }
}
