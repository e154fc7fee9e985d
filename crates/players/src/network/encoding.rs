//! From packed states to a network's input tensors, and the priors of actions.
//!
//! A prior is what is certain of an action beforehand. Afterstates, planes of plans and single waves are made here
//! from [`Lookahead`](crate::games::Lookahead): no game knows a learner.

use std::marker::PhantomData;

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::games::{ActionMask, After, Game, Image, MaskKind, Plan, SeenWave, offered};

/// What a network is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shown {
    /// The position, for all actions at once.
    Position,
    /// The position with one action done, and nothing that follows from it.
    Done,
    /// The afterstate: one action is done and all that follows for certain.
    ///
    /// Its points are the prior.
    After,
    /// The afterstate with planes of the best certain plans that follow.
    ///
    /// These are plans of one and of two actions. The prior is the best certain plan of two actions that begins with
    /// the action.
    Plans,
}

/// What a network sees of a position, and what its output is added to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// What it is shown.
    pub shown: Shown,
    /// The actions that are offered.
    pub mask: MaskKind,
    /// Factor from points to the network's units.
    pub scale: f32,
}

/// Factor of a number that is shown at every place.
///
/// It is small, as so many of them add up in a sum over the board.
const EVERYWHERE: f32 = 1.0 / 16.0;

/// Actions of the longest plans that are shown with an afterstate.
const PLANS: usize = 2;

impl View {
    /// What a network with a dynamics model would see if that made no errors.
    ///
    /// The rules then tell what is certain.
    pub const fn exact(self) -> Self {
        match self.shown {
            Shown::Done => Self { shown: Shown::After, ..self },
            _ => self,
        }
    }

    /// Whether it is shown one action at a time.
    pub const fn afterstates(&self) -> bool {
        !matches!(self.shown, Shown::Position)
    }

    /// The plans whose certain points are the prior, if there is one.
    pub const fn prior(&self) -> Option<Plan> {
        match self.shown {
            Shown::Position | Shown::Done => None,
            Shown::After => Some(Plan::of(1)),
            Shown::Plans => Some(Plan::of(2)),
        }
    }

    /// Planes of an image: the game's own, and those of plans.
    ///
    /// For each length of a plan they are one number for each action, at its place, then for each length the highest
    /// of these, everywhere.
    pub const fn planes<G: Image>(&self) -> usize {
        match self.shown {
            Shown::Plans => G::PLANES + PLANS * (G::ACTION_PLANES + 1),
            _ => G::PLANES,
        }
    }

    /// The actions of a position that may follow, by which it is judged.
    ///
    /// At most `count`, as [`top`](Self::top) chooses them.
    pub fn successors<G: Image>(&self, state: &G::State, count: usize) -> ActionMask {
        let (mask, _) = offered::<G>(state, G::successor_mask(self.mask));
        self.top::<G>(state, mask, count)
    }

    /// Of a mask's actions the `count` with the highest prior.
    ///
    /// Also those that equal the last of them. All, where `count` is 0 and where there is no prior.
    pub fn top<G: Image>(&self, state: &G::State, mask: ActionMask, count: usize) -> ActionMask {
        let Some(plan) = self.prior().filter(|_| count > 0 && mask.count() > count) else { return mask };
        let ranked = by_certain_points::<G>(state, &mask, plan);
        let (_, last) = ranked[count - 1];
        ranked.iter().take_while(|(_, points)| *points >= last).map(|(action, _)| *action).collect()
    }

    /// Writes an afterstate's image and scalars, and gives the action's prior.
    ///
    /// Both slices are wholly overwritten; the prior is in the network's units.
    pub fn afterstate<G: Image>(
        &self,
        (state, action, symmetry): &(G::State, usize, usize),
        image: &mut [f32],
        scalars: &mut [f32],
    ) -> f32 {
        if self.prior().is_none() {
            G::encode(&G::done(state, *action), *symmetry, image, scalars);
            return 0.0;
        }
        let after = G::after(state, *action);
        let (own, planes) = image.split_at_mut(G::PLANES * G::ROWS * G::COLUMNS);
        G::encode(&after.state, *symmetry, own, scalars);
        let best = if planes.is_empty() { 0.0 } else { self.plans::<G>(&after, *symmetry, planes) };
        self.scale * (f64::from(after.points) + Plan::of(2).weight * f64::from(best)) as f32
    }

    /// Writes the planes of the certain plans that follow an afterstate.
    ///
    /// Gives the points of the best plan of one action.
    fn plans<G: Image>(&self, after: &After<G::State>, symmetry: usize, planes: &mut [f32]) -> f32 {
        planes.fill(0.0);
        let plane = G::ROWS * G::COLUMNS;
        let mut best = [0.0; PLANS];
        for (length, best) in best.iter_mut().enumerate() {
            G::certain(&after.state, &after.actions, Plan::of(length as u32 + 1), |action, points| {
                let (group, row, column) = G::place(G::transform_action(action, symmetry));
                let place = (length * G::ACTION_PLANES + group) * plane + row * G::COLUMNS + column;
                planes[place] = self.scale * points;
                *best = points.max(*best);
            });
        }
        let everywhere = planes.chunks_exact_mut(plane).skip(PLANS * G::ACTION_PLANES);
        everywhere.zip(best).for_each(|(plane, best)| plane.fill(self.scale * (best * EVERYWHERE)));
        best[0]
    }
}

/// The actions of a mask with the points of the best certain plans.
///
/// A plan begins with its action. The most points come first, of equal ones the lower action.
pub fn by_certain_points<G: Image>(state: &G::State, mask: &ActionMask, plan: Plan) -> Vec<(usize, f32)> {
    let mut ranked: Vec<(usize, f32)> = Vec::with_capacity(mask.count());
    G::certain(state, mask, plan, |action, points| ranked.push((action, points)));
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    ranked
}

/// Encodes batches of states into buffers that it keeps.
pub struct Encoder<G: Game> {
    view: View,
    images: Vec<f32>,
    scalars: Vec<f32>,
    priors: Vec<f32>,
    game: PhantomData<G>,
}

/// A batch as a network takes it.
pub struct Encoded<'a> {
    /// Shape `[batch, planes, rows, columns]`.
    pub images: Tensor<4>,
    /// Shape `[batch, scalars]`.
    pub scalars: Tensor<2>,
    /// The priors of afterstates, shape `[batch]`; none of positions.
    ///
    /// The network's output is added to them.
    pub priors: &'a mut [f32],
}

/// Single waves of chains, for a dynamics model to learn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaveBatch {
    /// Boards before, `[batch, planes, rows, columns]`.
    pub before: Vec<f32>,
    /// Boards after, of the same shape.
    pub after: Vec<f32>,
    /// Points in the network's units, `[batch]`.
    pub points: Vec<f32>,
}

/// States, or actions, that are worth a task for another thread.
pub(super) const TASK: usize = 4;

impl<G: Image> Encoder<G> {
    /// An encoder for a network that sees positions in a way.
    pub fn new(view: View) -> Self {
        Self { view, images: Vec::new(), scalars: Vec::new(), priors: Vec::new(), game: PhantomData }
    }

    /// States, each under its symmetry.
    pub fn positions(&mut self, states: &[(G::State, usize)], device: &Device) -> Encoded<'_> {
        let image = self.make_room(states.len(), 0);
        states
            .par_iter()
            .with_min_len(TASK)
            .zip(self.images.par_chunks_exact_mut(image))
            .zip(self.scalars.par_chunks_exact_mut(G::SCALARS))
            .for_each(|(((state, symmetry), image), scalars)| G::encode(state, *symmetry, image, scalars));
        self.encoded(states.len(), device)
    }

    /// Afterstates, given as state, action and symmetry.
    pub fn afterstates(&mut self, states: &[(G::State, usize, usize)], device: &Device) -> Encoded<'_> {
        let image = self.make_room(states.len(), states.len());
        let view = self.view;
        states
            .par_iter()
            .with_min_len(TASK)
            .zip(self.images.par_chunks_exact_mut(image))
            .zip(self.scalars.par_chunks_exact_mut(G::SCALARS))
            .zip(&mut self.priors)
            .for_each(|(((state, image), scalars), prior)| *prior = view.afterstate::<G>(state, image, scalars));
        self.encoded(states.len(), device)
    }

    /// Waves that were seen, each under its symmetry, for a dynamics model.
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

    /// Makes room for a number of images; gives the numbers in each.
    fn make_room(&mut self, count: usize, priors: usize) -> usize {
        let image = self.view.planes::<G>() * G::ROWS * G::COLUMNS;
        self.images.resize(count * image, 0.0);
        self.scalars.resize(count * G::SCALARS, 0.0);
        self.priors.resize(priors, 0.0);
        image
    }

    fn encoded(&mut self, count: usize, device: &Device) -> Encoded<'_> {
        let images = TensorData::new(self.images.clone(), [count, self.view.planes::<G>(), G::ROWS, G::COLUMNS]);
        let scalars = TensorData::new(self.scalars.clone(), [count, G::SCALARS]);
        let (images, scalars) = (Tensor::from_data(images, device), Tensor::from_data(scalars, device));
        Encoded { images, scalars, priors: &mut self.priors }
    }
}
