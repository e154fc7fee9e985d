//! What follows from an action for certain, before chance decides anything.

use serde::{Deserialize, Serialize};

use super::{ActionMask, Game, Step};
use crate::random::Draw;

/// An afterstate: what follows from an action for certain.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct After<S> {
    /// The position that it leaves, parts of which may be unknown.
    ///
    /// Only what is certain, and its image, may be asked of it; no game stands in it.
    pub state: S,
    /// The points that it gains.
    pub points: f32,
    /// The actions that are certain to gain something there.
    ///
    /// None where the game has ended.
    pub actions: ActionMask,
}

/// A wave of a chain as an observer of the move sees it.
///
/// What was drawn since the action is unknown in both positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SeenWave<S> {
    /// The position before the wave.
    pub before: S,
    /// The position that it leaves; the same where the chain has ended.
    pub after: S,
    /// Its points.
    pub points: f32,
}

/// Which plans of certain points are looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// Actions of a plan, at least 1.
    ///
    /// No plan is longer than the game.
    pub depth: u32,
    /// The discount per action: what a point is worth an action later.
    pub weight: f64,
    /// First actions after which a plan looks further; 0 for all.
    ///
    /// Those with the most certain points, and those that equal the last of them.
    pub breadth: usize,
}

impl Plan {
    /// All plans of so many actions, at half weight an action later.
    pub const fn of(depth: u32) -> Self {
        Self { depth, weight: 0.5, breadth: 0 }
    }

    /// Points below which a plan does not expand a first action.
    ///
    /// `points` are those of all first actions.
    pub fn pruning_threshold(&self, points: impl Iterator<Item = f32>) -> f32 {
        let mut points: Vec<f32> = points.collect();
        if self.breadth == 0 || points.len() <= self.breadth {
            return f32::NEG_INFINITY;
        }
        *points.select_nth_unstable_by(self.breadth - 1, |a, b| b.total_cmp(a)).1
    }
}

/// What follows in a game for certain, before chance decides anything.
pub trait Lookahead: Game {
    /// The position with an action done and nothing that follows from it.
    fn done(state: &Self::State, action: usize) -> Self::State;

    /// What follows at once in a position, and its points; `None` if nothing.
    fn wave(state: &Self::State) -> Option<(Self::State, f32)>;

    /// The actions that are certain to gain something in an afterstate; by default none is known.
    fn gaining(_state: &Self::State) -> ActionMask {
        ActionMask::empty()
    }

    /// The afterstate of an action: what follows from it for certain.
    ///
    /// It is [done](Self::done), then [waves](Self::wave) until none is left.
    fn after(state: &Self::State, action: usize) -> After<Self::State> {
        let (mut state, mut points) = (Self::done(state, action), 0.0);
        while let Some((next, gained)) = Self::wave(&state) {
            (state, points) = (next, points + gained);
        }
        After { actions: Self::gaining(&state), state, points }
    }

    /// Whether a game can stand in a position: nothing of it is unknown.
    fn is_whole(_state: &Self::State) -> bool {
        true
    }

    /// What the points of a position are in the units of its [`Lookahead`].
    ///
    /// It is 1 by default, and another number where a game scales all of them alike.
    fn unit(_state: &Self::State) -> f64 {
        1.0
    }

    /// Plays an action as [`step`](Game::step) does, and shows its chain.
    ///
    /// What is seen of it is every wave, then the position at rest after the last as a wave that changes nothing. Its
    /// points are those of the action where nothing followed from it, else 0. This default shows the waves that are
    /// certain; a game that can watch its own chains shows all.
    fn step_seen(&mut self, action: usize, draw: &mut impl Draw, mut see: impl FnMut(SeenWave<Self::State>)) -> Step {
        let (mut before, mut seen) = (Self::done(&self.state(), action), false);
        while let Some((after, points)) = Self::wave(&before) {
            see(SeenWave { before, after, points });
            (before, seen) = (after, true);
        }
        let step = self.step(action, draw);
        see(SeenWave { before, after: before, points: if seen { 0.0 } else { step.reward } });
        step
    }

    /// Gives each of the actions the points of the best certain plan from it.
    ///
    /// It gives them in the actions' order.
    fn certain(state: &Self::State, actions: &ActionMask, plan: Plan, mut give: impl FnMut(usize, f32)) {
        let afters: Vec<(usize, After<Self::State>)> =
            actions.iter().map(|action| (action, Self::after(state, action))).collect();
        let threshold = plan.pruning_threshold(afters.iter().map(|(_, after)| after.points));
        for (action, after) in &afters {
            let further = plan.depth > 1 && after.points >= threshold;
            let later = if further { best_plan::<Self>(after, Plan { depth: plan.depth - 1, ..plan }) } else { 0.0 };
            give(*action, (f64::from(after.points) + plan.weight * later) as f32);
        }
    }
}

/// The points of the best certain plan after an action.
///
/// 0 where no action is certain to gain any.
fn best_plan<G: Lookahead>(after: &After<G::State>, plan: Plan) -> f64 {
    let mut best = 0.0;
    G::certain(&after.state, &after.actions, Plan { breadth: 0, ..plan }, |_, points| {
        best = f64::from(points).max(best)
    });
    best
}
