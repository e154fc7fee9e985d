//! A position's moves for people: what each is worth, what it costs against the best, what it gains
//! for certain and what it prepares.

use crate::contract::{Meaning, Player, Valued};
use crate::texts::Roster;
use matchq_core::error::Result;
use matchq_core::random::Stream;

/// A player's advice on a position.
pub struct Advice {
    /// What the values are.
    pub meaning: Meaning,
    /// Moves, best first; those that a search gave up early come last.
    pub moves: Vec<Advised>,
}

/// A move with what it is worth and what is certain of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Advised {
    /// Number of the action.
    pub action: usize,
    /// Points of the game where the [meaning](Advice::meaning) says so.
    pub value: f64,
    /// The best move's value less this one's.
    pub cost: f64,
    /// Half of the cost's 95 % interval, if it is known.
    pub half_width: Option<f64>,
    /// Whether a search gave the move up early, after few simulations.
    pub dropped: bool,
    /// Points of the move that are certain.
    pub gains: f64,
    /// The move that gains most for certain after this one, if any does.
    pub next: Option<Next>,
}

/// A next move and what it gains.
#[derive(Clone, PartialEq, Debug)]
pub struct Next {
    /// Number of the action, in the position after the first move.
    pub action: usize,
    /// The move in words.
    pub words: String,
    /// Cells (row, column) of the move.
    pub cells: Vec<(usize, usize)>,
    /// Points that are certain.
    pub gains: f64,
}

/// The player's advice on a position that has not ended.
pub fn advise<G: Roster>(player: &mut dyn Player<G>, state: &G::State, ties: &mut Stream) -> Result<Advice> {
    let ranked = player.rank(state, ties)?;
    let meaning = player.meaning();
    let best = ranked.first().map_or(0.0, |best| best.value);
    // Values count a point of the lookahead as one.
    let unit = if meaning.in_points() { G::unit(state) } else { 1.0 };
    let advised = |Valued { action, value, half_width, dropped }: &Valued| {
        let (gains, next) = certain::<G>(state, *action);
        Advised {
            action: *action,
            value: value * unit,
            cost: (best - value) * unit,
            half_width: half_width.map(|half| half * unit),
            dropped: *dropped,
            gains,
            next,
        }
    };
    Ok(Advice { moves: ranked.iter().map(advised).collect(), meaning })
}

/// What an action gains for certain, and the next action that then gains most for certain.
fn certain<G: Roster>(state: &G::State, action: usize) -> (f64, Option<Next>) {
    let after = G::after(state, action);
    let gains = |state: &G::State, points: f32| f64::from(points) * G::unit(state);
    let next = |action| Next {
        action,
        words: G::words(&after.state, action),
        cells: G::cells(&after.state, action),
        gains: gains(&after.state, G::after(&after.state, action).points),
    };
    let better = |best: Next, other: Next| if other.gains > best.gains { other } else { best };
    let next = after.actions.iter().map(next).reduce(better).filter(|next| next.gains > 0.0);
    (gains(state, after.points), next)
}
