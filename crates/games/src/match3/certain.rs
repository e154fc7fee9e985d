//! The certain future of a position: how its tokens fall, match and clear.

use super::{Cells, Grid, Move, NO_MATCH, OBSTACLE, State, moves, score, text};
use crate::ActionMask;
use crate::swap;

/// Number of an unknown token, which makes no run, cannot be swapped and never clears.
pub(super) const UNKNOWN: u8 = OBSTACLE + 1;

/// A board on which tokens drawn since a position are unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Certain {
    pub(super) grid: Grid,
}

impl Certain {
    /// Board of a position.
    #[inline]
    pub fn of(state: &State) -> Self {
        Self { grid: state.grid() }
    }

    /// Moves that are certain to match.
    #[inline]
    pub fn matching(&self) -> ActionMask {
        let known = Cells::ALL & !self.grid.of_kind(UNKNOWN);
        let mut swaps = moves::matching(&self.grid);
        swaps.vertical &= known.up();
        swaps.horizontal &= known.left();
        Move::actions(swap::Swaps { vertical: swaps.vertical & known, horizontal: swaps.horizontal & known })
    }

    /// Plays a move and its chain of known tokens; returns the points. A move with an unknown token
    /// changes nothing.
    #[inline]
    pub fn play(&mut self, action: usize) -> i32 {
        self.swap(action);
        let points = std::iter::from_fn(|| self.wave()).sum();
        if points == 0 { NO_MATCH } else { points }
    }

    /// Clears the runs of known tokens and lets all fall; returns points if there was a run.
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

    /// Lets all fall into the empty cells; unknown tokens come in at the top.
    #[inline]
    pub(super) fn refill(&mut self, mut empty: Cells) {
        while !empty.is_empty() {
            let top = self.grid.fall(&mut empty);
            self.grid.put(top, UNKNOWN);
        }
    }

    /// Points of the runs that a move makes at once; 0 for none.
    #[inline]
    pub fn first_wave(mut self, action: usize) -> i32 {
        self.swap(action);
        score(&self.runs())
    }

    /// Board after a move's swap.
    pub fn swapped(mut self, action: usize) -> Self {
        self.swap(action);
        self
    }

    /// Board's text: ten lines of `a b c d #`, a space where unknown.
    pub fn board(&self) -> String {
        text::show(&self.grid, self.grid.of_kind(UNKNOWN))
    }

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

    /// Only gems have no third digit.
    #[inline]
    fn runs(&self) -> super::Runs {
        self.grid.runs(Cells::ALL & !self.grid.planes()[2])
    }
}
