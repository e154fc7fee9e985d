//! From packed states to the network's input tensors, and what is known of their action values beforehand.

use std::marker::PhantomData;

use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;

use crate::games::{ActionMask, Game, MaskKind, Prior, by_certain_points};

/// What a network sees of a position, and what its output is added to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// What is known of the actions of the mask.
    pub prior: Prior,
    /// Whether it sees the afterstate of one action at a time instead of the position.
    pub afterstates: bool,
    /// The actions that are offered.
    pub mask: MaskKind,
    /// Factor from points to the network's units.
    pub scale: f32,
}

impl View {
    /// What a network that foresees chains would see if it foresaw them without error and to their end: the rules tell what is
    /// certain.
    pub const fn told(self) -> Self {
        Self { prior: Prior::Chain, ..self }
    }

    /// Planes of an image: the game's own, and those of the prior. A position's are, for each depth of a plan up to the prior's, the
    /// points of the best certain plans that begin with each action, at the action's place.
    pub const fn planes<G: Game>(&self) -> usize {
        let known = match self.afterstates {
            false => self.prior.depth() as usize * G::ACTION_PLANES,
            true => self.prior.planes_after(G::ACTION_PLANES),
        };
        G::PLANES + known
    }

    /// The actions of the mask by which a position that may follow is judged. Set-ups are not among them: to find them in so many
    /// positions takes longer than a forward pass, and they are seldom the best.
    pub fn quick_mask<G: Game>(&self, state: &G::State) -> ActionMask {
        G::mask(state, if self.mask == MaskKind::Setups { MaskKind::Matching } else { self.mask })
    }

    /// Those actions of the [quick mask](Self::quick_mask) that are worth a forward pass each, as [`promising`](Self::promising)
    /// chooses them.
    pub fn candidates<G: Game>(&self, state: &G::State, count: usize) -> ActionMask {
        self.promising::<G>(state, self.quick_mask::<G>(state), count)
    }

    /// Of the actions of a mask the `count` with the highest prior and those that equal the last of them. All, where `count` is 0,
    /// where nothing is known, and where one pass values all actions anyway.
    pub fn promising<G: Game>(&self, state: &G::State, mask: ActionMask, count: usize) -> ActionMask {
        if !self.afterstates || self.prior == Prior::None || count == 0 || mask.count() <= count {
            return mask;
        }
        let ranked = by_certain_points::<G>(state, &mask, self.prior.depth());
        let (_, last) = ranked[count - 1];
        ranked.iter().take_while(|(_, points)| *points >= last).map(|(action, _)| *action).collect()
    }

    /// What is known of an action, in the network's units.
    fn known<G: Game>(&self, state: &G::State, action: usize) -> f32 {
        let mut points = [0.0; ActionMask::CAPACITY];
        G::certain(state, &std::iter::once(action).collect(), self.prior.depth(), Prior::LATER, &mut points);
        self.scale * points[action]
    }

    /// Writes a position: its image, its scalars and what is known of its actions, 0 outside of the mask.
    fn position<G: Game>(
        &self,
        (state, symmetry): &(G::State, usize),
        image: &mut [f32],
        scalars: &mut [f32],
        known: &mut [f32],
    ) {
        let plane = G::ROWS * G::COLUMNS;
        let (image, planes) = image.split_at_mut(G::PLANES * plane);
        G::encode(state, *symmetry, image, scalars);
        planes.fill(0.0);
        known.fill(0.0);
        let actions = G::mask(state, self.mask);
        for (depth, planes) in (1..).zip(planes.chunks_exact_mut(G::ACTION_PLANES * plane)) {
            G::certain(state, &actions, depth, Prior::LATER, known);
            for action in actions.iter() {
                known[action] *= self.scale;
                let (group, row, column) = G::place(G::transform_action(action, *symmetry));
                planes[group * plane + row * G::COLUMNS + column] = known[action];
            }
        }
    }

    /// Writes an afterstate: its image, its scalars and what is known of its action.
    fn afterstate<G: Game>(
        &self,
        (state, action, symmetry): &(G::State, usize, usize),
        image: &mut [f32],
        scalars: &mut [f32],
        known: &mut f32,
    ) {
        *known = self.scale * G::encode_after(state, *action, self.prior, *symmetry, image, scalars);
        let own = G::PLANES * G::ROWS * G::COLUMNS;
        image[own..].iter_mut().for_each(|points| *points *= self.scale);
    }
}

/// Encodes batches of states into buffers that it keeps.
pub struct Encoder<G: Game> {
    view: View,
    images: Vec<f32>,
    scalars: Vec<f32>,
    known: Vec<f32>,
    game: PhantomData<G>,
}

/// A batch as a network takes it.
pub struct Encoded<'a> {
    /// Shape `[batch, planes, rows, columns]`.
    pub images: Tensor<4>,
    /// Shape `[batch, scalars]`.
    pub scalars: Tensor<2>,
    /// What is known beforehand, in the network's units and without symmetries, to which its output is to be added: shape
    /// `[batch, actions]` of positions, `[batch]` of afterstates.
    pub known: &'a mut [f32],
}

/// Single waves: boards before and after them, `[batch, planes, rows, columns]`, and their points in the network's units,
/// `[batch]`.
pub struct Waves {
    /// Boards before.
    pub before: Tensor<4>,
    /// Boards after.
    pub after: Tensor<4>,
    /// Points.
    pub points: Tensor<1>,
}

/// States, or actions, that are worth a task for another thread.
pub(super) const TASK: usize = 4;

impl<G: Game> Encoder<G> {
    /// An encoder for a network that sees positions in a way.
    pub fn new(view: View) -> Self {
        Self { view, images: Vec::new(), scalars: Vec::new(), known: Vec::new(), game: PhantomData }
    }

    /// States, each under its symmetry.
    pub fn positions(&mut self, states: &[(G::State, usize)], device: &Device) -> Encoded<'_> {
        let image = self.make_room(states.len(), G::ACTIONS);
        let view = self.view;
        states
            .par_iter()
            .with_min_len(TASK)
            .zip(self.images.par_chunks_exact_mut(image))
            .zip(self.scalars.par_chunks_exact_mut(G::SCALARS))
            .zip(self.known.par_chunks_exact_mut(G::ACTIONS))
            .for_each(|(((state, image), scalars), known)| view.position::<G>(state, image, scalars, known));
        self.encoded(states.len(), device)
    }

    /// Afterstates, given as state, action and symmetry.
    pub fn afterstates(&mut self, states: &[(G::State, usize, usize)], device: &Device) -> Encoded<'_> {
        let image = self.make_room(states.len(), 1);
        let view = self.view;
        states
            .par_iter()
            .with_min_len(TASK)
            .zip(self.images.par_chunks_exact_mut(image))
            .zip(self.scalars.par_chunks_exact_mut(G::SCALARS))
            .zip(&mut self.known)
            .for_each(|(((state, image), scalars), known)| view.afterstate::<G>(state, image, scalars, known));
        self.encoded(states.len(), device)
    }

    /// One wave of what follows from each action, for a model of waves to learn: of a chain of K waves by its draw the board
    /// before one of these and that after it, or the board that is left, which stays; K is `waves`, at least 1, at the most. A
    /// board from which nothing follows has the points that are certain of its action, all other boards at rest have none.
    ///
    /// # Panics
    /// Without a draw for each state.
    pub fn waves(&self, states: &[(G::State, usize, usize)], draws: &[u32], waves: usize, device: &Device) -> Waves {
        assert_eq!(states.len(), draws.len(), "a draw for each state");
        let (count, image) = (states.len(), G::PLANES * G::ROWS * G::COLUMNS);
        let (mut before, mut after, mut points) =
            (vec![0.0; count * image], vec![0.0; count * image], vec![0.0; count]);
        states
            .par_iter()
            .zip(draws)
            .with_min_len(TASK)
            .zip(before.par_chunks_exact_mut(image))
            .zip(after.par_chunks_exact_mut(image))
            .zip(&mut points)
            .for_each_init(
                || (vec![0.0; (waves + 1) * image], vec![0.0; waves]),
                |(boards, gained), ((((seen, draw), before), after), points)| {
                    let (state, action, symmetry) = seen;
                    let count = G::encode_waves(state, *action, *symmetry, boards, gained);
                    let wave = *draw as usize % (count + 1).min(waves);
                    let next = (wave + 1).min(count);
                    before.copy_from_slice(&boards[wave * image..][..image]);
                    after.copy_from_slice(&boards[next * image..][..image]);
                    *points = match count {
                        0 => self.view.told().known::<G>(state, *action),
                        _ if wave < count => self.view.scale * gained[wave],
                        _ => 0.0,
                    };
                },
            );
        let board =
            |boards| Tensor::from_data(TensorData::new(boards, [count, G::PLANES, G::ROWS, G::COLUMNS]), device);
        let points = Tensor::from_data(TensorData::new(points, [count]), device);
        Waves { before: board(before), after: board(after), points }
    }

    /// Makes room for a number of images; gives the numbers in each.
    fn make_room(&mut self, count: usize, values: usize) -> usize {
        let image = self.view.planes::<G>() * G::ROWS * G::COLUMNS;
        self.images.resize(count * image, 0.0);
        self.scalars.resize(count * G::SCALARS, 0.0);
        self.known.resize(count * values, 0.0);
        image
    }

    fn encoded(&mut self, count: usize, device: &Device) -> Encoded<'_> {
        let images = TensorData::new(self.images.clone(), [count, self.view.planes::<G>(), G::ROWS, G::COLUMNS]);
        let scalars = TensorData::new(self.scalars.clone(), [count, G::SCALARS]);
        let (images, scalars) = (Tensor::from_data(images, device), Tensor::from_data(scalars, device));
        Encoded { images, scalars, known: &mut self.known }
    }
}
