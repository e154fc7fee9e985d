//! Views of a position for networks, and priors: what is certain of an action.

use serde::{Deserialize, Serialize};

use matchq_games::{ActionMask, After, Image, MaskKind, Plan, offered};

/// Part of a position that a network sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shown {
    /// The position, for all actions at once.
    Position,
    /// The position with one action done, and nothing that follows.
    Done,
    /// The position after one action and all that is certain to follow, whose points are the prior.
    After,
    /// The afterstate with planes of the best certain plans of one and of two following actions.
    /// The prior is the best certain plan of two actions, this one first.
    Plans,
}

/// What a network sees, of which actions, in which unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Part of a position that the network sees.
    pub shown: Shown,
    /// Mask of the valued actions.
    pub mask: MaskKind,
    /// Factor from points to the network's units.
    pub scale: f32,
}

/// Factor of a number that is shown at every place; small, since sums over the board add it up.
const EVERYWHERE: f32 = 1.0 / 16.0;

/// Actions of the longest plans shown.
const PLANS: usize = 2;

impl View {
    /// View with the rules in place of a dynamics model.
    pub const fn exact(self) -> Self {
        match self.shown {
            Shown::Done => Self { shown: Shown::After, ..self },
            _ => self,
        }
    }

    /// Whether the network is shown one action at a time.
    pub const fn afterstates(&self) -> bool {
        !matches!(self.shown, Shown::Position)
    }

    /// Plans whose certain points are the prior.
    pub const fn prior(&self) -> Option<Plan> {
        match self.shown {
            Shown::Position | Shown::Done => None,
            Shown::After => Some(Plan::of(1)),
            Shown::Plans => Some(Plan::of(2)),
        }
    }

    /// Planes of an image: the game's, then for each plan length a number at each action's place,
    /// then for each length the highest number everywhere.
    pub const fn planes<G: Image>(&self) -> usize {
        match self.shown {
            Shown::Plans => G::PLANES + PLANS * (G::ACTION_PLANES + 1),
            _ => G::PLANES,
        }
    }

    /// Following actions that decide a position's value, the [`top`](Self::top) ones.
    pub fn successors<G: Image>(&self, state: &G::State, count: usize) -> ActionMask {
        let (mask, _) = offered::<G>(state, self.mask.successor::<G>());
        self.top::<G>(state, mask, count)
    }

    /// Actions with the `count` highest priors and those equal to the last; all if `count` is 0 or
    /// there is no prior.
    pub fn top<G: Image>(&self, state: &G::State, mask: ActionMask, count: usize) -> ActionMask {
        let Some(plan) = self.prior().filter(|_| count > 0 && mask.count() > count) else { return mask };
        let ranked = by_certain_points::<G>(state, &mask, plan);
        let (_, last) = ranked[count - 1];
        ranked.iter().take_while(|(_, points)| *points >= last).map(|(action, _)| *action).collect()
    }

    /// Overwrites image `[planes, rows, columns]` and scalars by the action done or its afterstate;
    /// returns the prior in the network's units, 0 without one.
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

    /// Writes the planes of plans after an afterstate; returns the best plan's points of one
    /// action.
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

/// A mask's actions with the certain points of the best plan from each, by descending points, then
/// ascending action.
pub fn by_certain_points<G: Image>(state: &G::State, mask: &ActionMask, plan: Plan) -> Vec<(usize, f32)> {
    let mut ranked: Vec<(usize, f32)> = Vec::with_capacity(mask.count());
    G::certain(state, mask, plan, |action, points| ranked.push((action, points)));
    sort(&mut ranked);
    ranked
}

fn sort(ranked: &mut [(usize, f32)]) {
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
}
