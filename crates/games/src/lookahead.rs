use serde::{Deserialize, Serialize};

use super::{ActionMask, Game, Pieces, Puzzle, Step, TellByTiles};
use crate::random::Draw;

/// An afterstate: all that is certain after an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct After<S> {
    /// Position after the action, perhaps with unknown cells.
    pub state: S,
    /// Points of the action.
    pub points: f32,
    /// Next actions that are certain to gain points; none after the end.
    pub actions: ActionMask,
}

/// A wave of a chain, as an observer sees it: tokens drawn since the action are unknown.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SeenWave<S> {
    /// Position before the wave.
    pub before: S,
    /// Position after the wave; `before` at the end of the chain.
    pub after: S,
    /// Points of the wave.
    pub points: f32,
}

/// How far [`Lookahead::certain`] plans.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// Actions of a plan, at least 1; a game's end cuts plans short.
    pub depth: u32,
    /// Factor on the points of each further action.
    pub weight: f64,
    /// Number of first actions to expand, those with the most certain points, ties included; 0 for
    /// all.
    pub breadth: usize,
}

impl Plan {
    /// All plans of `depth` actions, with a weight of 0.5.
    pub const fn of(depth: u32) -> Self {
        Self { depth, weight: 0.5, breadth: 0 }
    }

    /// Points below which a plan does not expand a first action, given those of all first actions.
    pub fn pruning_threshold(&self, points: impl Iterator<Item = f32>) -> f32 {
        let mut points: Vec<f32> = points.collect();
        if self.breadth == 0 || points.len() <= self.breadth {
            return f32::NEG_INFINITY;
        }
        *points.select_nth_unstable_by(self.breadth - 1, |a, b| b.total_cmp(a)).1
    }
}

/// What is certain after an action, before chance decides. All players but random ones need this
/// trait.
///
/// An action is [done](Self::done), then [waves](Self::wave) follow until the position rests.
/// Tokens that chance would draw stay unknown.
pub trait Lookahead: Game {
    /// What the game says of pieces that the player places, if there are any.
    const PIECES: Option<&'static dyn Pieces<Self>> = None;

    /// What the game says of its moves if nothing is left to chance after the deal.
    const PUZZLE: Option<&'static dyn Puzzle<Self>> = None;

    /// The game from a position on, told by tiles, for games without chance whose tiles keep their
    /// numbers.
    const BY_TILES: Option<TellByTiles<Self::State>> = None;

    /// Position right after an action, before any wave.
    fn done(state: &Self::State, action: usize) -> Self::State;

    /// Position after the next wave, and the wave's points; `None` at rest, by default always. A
    /// state must show what the action has begun, as this function does not get the action.
    fn wave(_state: &Self::State) -> Option<(Self::State, f32)> {
        None
    }

    /// Actions that are certain to gain points; by default none.
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

    /// Whether the whole position is known, so that a game can continue from it; to be overridden
    /// where afterstates have unknown cells.
    fn is_whole(_state: &Self::State) -> bool {
        true
    }

    /// Points of the game for one point of `wave`, `after` and `certain`; 1 unless a factor on all
    /// points grows during the game.
    fn unit(_state: &Self::State) -> f64 {
        1.0
    }

    /// Plays an action as [`step`](Game::step) does, and shows its chain to `see`.
    ///
    /// `see` gets each wave, by default only certain ones, and last the position at rest as a wave
    /// to itself: with the action's points if there was no wave, else with 0.
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

    /// Gives each action, in ascending order, and the points of its best certain plan.
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

/// Points of the best certain plan after an action; 0 if none gains.
fn best_plan<G: Lookahead>(after: &After<G::State>, plan: Plan) -> f64 {
    let mut best = 0.0;
    G::certain(&after.state, &after.actions, Plan { breadth: 0, ..plan }, |_, points| {
        best = f64::from(points).max(best)
    });
    best
}
