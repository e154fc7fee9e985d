//! What a network sees of a position, and the priors of actions.
//!
//! A prior is what is certain of an action beforehand. Afterstates and planes of plans are made here from
//! [`Lookahead`](crate::games::Lookahead): no game knows a learner.

use serde::{Deserialize, Serialize};

use crate::games::{ActionMask, After, Image, MaskKind, Plan, offered};

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
