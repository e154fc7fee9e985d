use serde::{Deserialize, Serialize};

use super::{ActionMask, Game, Step};
use crate::random::Draw;

/// An afterstate: all that is certain after an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct After<S> {
    /// Position after the action. Cells may be unknown, so that no game can continue from it.
    pub state: S,
    /// Points of the action.
    pub points: f32,
    /// Next actions that are certain to gain points; none after the end of the game.
    pub actions: ActionMask,
}

/// A wave of a chain as an observer of the move sees it. Tokens drawn since the action are unknown
/// in both positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SeenWave<S> {
    /// Position before the wave.
    pub before: S,
    /// Position after the wave; equal to `before` at the end of the chain.
    pub after: S,
    /// Points of the wave.
    pub points: f32,
}

/// How far [`Lookahead::certain`] plans.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// Actions of a plan, at least 1; the end of the game cuts plans short.
    pub depth: u32,
    /// Factor on the points of each further action.
    pub weight: f64,
    /// First actions that a plan expands: those with the most certain points, and all that equal
    /// the last of them; 0 for all.
    pub breadth: usize,
}

impl Plan {
    /// All plans of `depth` actions, with a weight of 0.5.
    pub const fn of(depth: u32) -> Self {
        Self { depth, weight: 0.5, breadth: 0 }
    }

    /// Points below which a plan does not expand a first action; `points` are those of all first
    /// actions.
    pub fn pruning_threshold(&self, points: impl Iterator<Item = f32>) -> f32 {
        let mut points: Vec<f32> = points.collect();
        if self.breadth == 0 || points.len() <= self.breadth {
            return f32::NEG_INFINITY;
        }
        *points.select_nth_unstable_by(self.breadth - 1, |a, b| b.total_cmp(a)).1
    }
}

/// What follows from an action for certain, before chance decides. The players `greedy`, `cascade`,
/// `plan` and `rollout` need this trait, and so do networks and linear players.
///
/// An action is [done](Self::done); then [waves](Self::wave) follow, one by one, until the position
/// rests. Tokens that chance would draw stay unknown.
pub trait Lookahead: Game {
    /// Position right after an action, before any wave.
    fn done(state: &Self::State, action: usize) -> Self::State;

    /// Position after the next wave, and the wave's points; `None` at rest.
    fn wave(state: &Self::State) -> Option<(Self::State, f32)>;

    /// Actions that are certain to gain points in a position or an afterstate; by default none.
    fn gaining_actions(_state: &Self::State) -> ActionMask {
        ActionMask::empty()
    }

    /// Afterstate of an action: the action done, then all waves.
    fn after(state: &Self::State, action: usize) -> After<Self::State> {
        let (mut state, mut points) = (Self::done(state, action), 0.0);
        while let Some((next, gained)) = Self::wave(&state) {
            (state, points) = (next, points + gained);
        }
        After { actions: Self::gaining_actions(&state), state, points }
    }

    /// Whether nothing in the position is unknown, so that a game can continue from it.
    fn is_whole(_state: &Self::State) -> bool {
        true
    }

    /// Points of the game for each point that [`Lookahead`] gives here; 1 unless the rules multiply
    /// all points by a factor that grows during the game.
    fn unit(_state: &Self::State) -> f64 {
        1.0
    }

    /// Plays an action as [`step`](Game::step) does, and shows its chain to `see`.
    ///
    /// `see` gets each wave, and last the position at rest as a wave to itself: with the action's
    /// points if there was no wave, else with 0. By default only certain waves are shown.
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

    /// Gives each action, in ascending order, and the points of the best certain plan that begins
    /// with it.
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

/// Points of the best certain plan after an action; 0 if no further action is certain to gain
/// points.
fn best_plan<G: Lookahead>(after: &After<G::State>, plan: Plan) -> f64 {
    let mut best = 0.0;
    G::certain(&after.state, &after.actions, Plan { breadth: 0, ..plan }, |_, points| {
        best = f64::from(points).max(best)
    });
    best
}
