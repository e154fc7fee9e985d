use std::marker::PhantomData;

use rayon::prelude::*;
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
        let image = self.make_room(states.len(), 0);
        states
            .par_iter()
            .with_min_len(TASK)
            .zip(self.images.par_chunks_exact_mut(image))
            .zip(self.scalars.par_chunks_exact_mut(G::SCALARS))
            .for_each(|(((state, symmetry), image), scalars)| G::encode(state, *symmetry, image, scalars));
        self.encoded()
    }

    /// Encodes afterstates by states, actions and symmetries.
    pub fn afterstates(&mut self, states: &[(G::State, usize, usize)]) -> Encoded<'_> {
        let image = self.make_room(states.len(), states.len());
        let view = self.view;
        states
            .par_iter()
            .with_min_len(TASK)
            .zip(self.images.par_chunks_exact_mut(image))
            .zip(self.scalars.par_chunks_exact_mut(G::SCALARS))
            .zip(&mut self.priors)
            .for_each(|(((state, image), scalars), prior)| *prior = view.afterstate::<G>(state, image, scalars));
        self.encoded()
    }

    /// Encodes waves, each under its symmetry, for a dynamics model.
    pub fn waves(&self, waves: &[(SeenWave<G::State>, usize)]) -> WaveBatch {
        let image = G::PLANES * G::ROWS * G::COLUMNS;
        let (mut before, mut after) = (vec![0.0; waves.len() * image], vec![0.0; waves.len() * image]);
        waves
            .par_iter()
            .with_min_len(TASK)
            .zip(before.par_chunks_exact_mut(image))
            .zip(after.par_chunks_exact_mut(image))
            .for_each(|(((wave, symmetry), before), after)| {
                let mut scalars = vec![0.0; G::SCALARS];
                G::encode(&wave.before, *symmetry, before, &mut scalars);
                G::encode(&wave.after, *symmetry, after, &mut scalars);
            });
        let points = waves.iter().map(|(wave, _)| self.view.scale * wave.points).collect();
        WaveBatch { before, after, points }
    }

    /// Makes room for `count` images; returns the size of each.
    fn make_room(&mut self, count: usize, priors: usize) -> usize {
        let image = self.view.planes::<G>() * G::ROWS * G::COLUMNS;
        self.images.resize(count * image, 0.0);
        self.scalars.resize(count * G::SCALARS, 0.0);
        self.priors.resize(priors, 0.0);
        image
    }

    fn encoded(&mut self) -> Encoded<'_> {
        Encoded { images: &mut self.images, scalars: &self.scalars, priors: &mut self.priors }
    }
}
