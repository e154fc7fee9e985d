//! What is certain of a position's future.
//!
//! That is how the tokens now on the board fall, match and are cleared.

use super::{Cells, Grid, Move, NO_MATCH, OBSTACLE, State, moves, score, text};
use crate::ActionMask;
use crate::swap;

/// How a token that is not known is held.
///
/// It matches nothing, cannot be swapped and is not cleared.
pub(super) const UNKNOWN: u8 = OBSTACLE + 1;

/// A board on which some tokens are not known.
///
/// They are those drawn since a known position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Certain {
    pub(super) grid: Grid,
}

impl Certain {
    /// The board of a position.
    #[inline]
    pub fn of(state: &State) -> Self {
        Self { grid: state.grid() }
    }

    /// The moves that are certain to match; none where there is none.
    #[inline]
    pub fn matching(&self) -> ActionMask {
        let known = Cells::ALL & !self.grid.of_kind(UNKNOWN);
        let mut swaps = moves::matching(&self.grid);
        swaps.vertical &= known.up();
        swaps.horizontal &= known.left();
        Move::actions(swap::Swaps { vertical: swaps.vertical & known, horizontal: swaps.horizontal & known })
    }

    /// Plays a move and the whole chain that follows from the known tokens.
    ///
    /// Gives its points, or those of a move without a match. A move with an unknown token changes nothing.
    #[inline]
    pub fn play(&mut self, action: usize) -> i32 {
        self.swap(action);
        let points = std::iter::from_fn(|| self.wave()).sum();
        if points == 0 { NO_MATCH } else { points }
    }

    /// Clears the runs of known tokens and lets everything fall.
    ///
    /// Gives their points, or `None` where there is no run.
    #[inline]
    pub fn wave(&mut self) -> Option<i32> {
        let runs = self.runs();
        if runs.is_empty() {
            return None;
        }
        let gems = runs.cells();
        self.refill(gems | swap::neighbours(gems) & self.grid.of_kind(OBSTACLE));
        Some(score(&runs))
    }

    /// Lets all fall into empty cells; what comes in from the top is unknown.
    #[inline]
    pub(super) fn refill(&mut self, mut empty: Cells) {
        while !empty.is_empty() {
            let top = self.grid.fall(&mut empty);
            self.grid.put(top, UNKNOWN);
        }
    }

    /// The points of the matches that a move makes at once; 0 for none.
    ///
    /// Nothing is cleared yet.
    #[inline]
    pub fn first_wave(mut self, action: usize) -> i32 {
        self.swap(action);
        score(&self.runs())
    }

    /// The board after a move's swap, before anything is cleared.
    pub fn swapped(mut self, action: usize) -> Self {
        self.swap(action);
        self
    }

    /// The board's text: ten lines of `a b c d #`, a space where not known.
    ///
    /// There is no newline at the end.
    pub fn board(&self) -> String {
        text::show(&self.grid, self.grid.of_kind(UNKNOWN))
    }

    /// The board as a position with so many moves left.
    ///
    /// Its unknown tokens are unknown to [`of`](Self::of) too.
    pub(super) fn state(&self, moves_left: i32) -> State {
        State::pack(&self.grid, moves_left)
    }

    #[inline]
    fn swap(&mut self, action: usize) {
        if let Some((a, b)) = Move::cells_of(action)
            && ((a | b) & self.grid.of_kind(UNKNOWN)).is_empty()
        {
            self.grid.swap(a, b);
        }
    }

    /// The runs of known gems: alone among the kinds they have no third digit.
    #[inline]
    fn runs(&self) -> super::Runs {
        self.grid.runs(Cells::ALL & !self.grid.planes()[2])
    }
}
