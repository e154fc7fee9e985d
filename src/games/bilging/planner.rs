//! The planner: the swap after which the best possible bingo is worth the most.

use super::{Bilging, Bingo, State, bingos};
use crate::games::{Game, Lookahead};

/// What a swap is worth: points that the player makes on average.
const MEAN: f64 = 5.5;
/// Points of a bingo.
const BINGO: f64 = 27.0;
/// Swaps that it takes to walk around what is in the way of a piece.
const AROUND: f64 = 1.5;

/// The values of all swaps, by their points and by the bingo that is the best to build then.
pub(super) fn values(state: &State) -> Vec<(usize, f64)> {
    let value = |action| {
        let after = Bilging::after(state, action);
        let left = after.state.moves_left() as f64;
        let pieces = after.state.pieces();
        let worth = |bingo: &Bingo| {
            let swaps = bingo.swaps(&pieces) + AROUND * f64::from(bingo.features[4]);
            if swaps > left { 0.0 } else { BINGO - MEAN * swaps }
        };
        let promise = bingos(&pieces).iter().map(worth).fold(0.0, f64::max);
        (action, f64::from(after.points) - MEAN + promise)
    };
    Bilging::mask(state, super::EFFECTIVE).iter().map(value).collect()
}
