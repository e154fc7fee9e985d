//! What is certain of a position's future: how the tokens now on the board fall, match and are cleared.

use super::chains::Chains;
use super::{Cells, Grid, NO_MATCH, OBSTACLE, State, moves, score, text};
use crate::games::ActionMask;
use crate::games::swap::{self, LANES};

/// How a token that is not known is held. It matches nothing, cannot be swapped and is not cleared.
pub(super) const UNKNOWN: u8 = OBSTACLE + 1;

/// A board on which some tokens, those drawn since a known position, are not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Certain {
    pub(super) grid: Grid,
}

/// What a move is certain to bring, one of several that were played at once.
#[derive(Clone, Copy)]
pub struct Chain<'a> {
    /// The move.
    pub action: usize,
    /// The points of its chain, or those of a move without a match.
    pub points: i32,
    chains: &'a Chains,
    lane: usize,
}

impl Chain<'_> {
    /// The board that it leaves.
    #[inline]
    pub fn board(&self) -> Certain {
        self.chains.board(self.lane)
    }
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
        moves::actions(swap::Swaps { vertical: swaps.vertical & known, horizontal: swaps.horizontal & known })
    }

    /// Plays a move and the whole chain that follows from the known tokens; gives its points, or those of
    /// a move without a match. A move with an unknown token changes nothing.
    #[inline]
    pub fn play(&mut self, action: usize) -> i32 {
        self.swap(action);
        let points = std::iter::from_fn(|| self.wave()).sum();
        if points == 0 { NO_MATCH } else { points }
    }

    /// Plays each of the moves by itself, as [`play`](Self::play) does, several at once.
    #[inline]
    pub fn play_each(&self, actions: &ActionMask, mut then: impl FnMut(Chain)) {
        let mut actions = actions.iter();
        loop {
            let (mut moves, mut count) = ([0; LANES], 0);
            for (place, action) in moves.iter_mut().zip(actions.by_ref()) {
                *place = action;
                count += 1;
            }
            if count == 0 {
                return;
            }
            let chains = Chains::of(self, &moves[..count]);
            for (lane, action) in moves[..count].iter().enumerate() {
                let points = if chains.points[lane] == 0 { NO_MATCH } else { chains.points[lane] };
                then(Chain { action: *action, points, chains: &chains, lane });
            }
        }
    }

    /// Clears the runs of known tokens and lets everything fall; gives their points, or `None` where there is no run.
    #[inline]
    pub fn wave(&mut self) -> Option<i32> {
        let runs = self.runs();
        if runs.is_empty() {
            return None;
        }
        let gems = runs.cells();
        let mut empty = gems | swap::neighbours(gems) & self.grid.of_kind(OBSTACLE);
        while !empty.is_empty() {
            let top = self.grid.fall(&mut empty);
            self.grid.put(top, UNKNOWN);
        }
        Some(score(&runs))
    }

    /// The points of the matches that a move makes at once, before anything is cleared; 0 for none.
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

    /// The board's text: ten lines of `a b c d #` with a space for an unknown token, without a newline at the end.
    pub fn board(&self) -> String {
        text::show(&self.grid, self.grid.of_kind(UNKNOWN))
    }

    /// The board as a position with so many moves left, whose unknown tokens are unknown to [`of`](Self::of) too.
    pub(super) fn state(&self, moves_left: i32) -> State {
        State::pack(&self.grid, moves_left)
    }

    #[inline]
    fn swap(&mut self, action: usize) {
        if let Some((a, b)) = moves::cells_of_action(action)
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

/// The value of the best certain plan of at most `depth` moves: the certain points of its first move, and `weight`
/// times the best plan of one move less on the board that it leaves. 0 where no move is certain to match.
pub fn best_plan(board: &Certain, depth: u32, weight: f64) -> f64 {
    if depth == 0 {
        return 0.0;
    }
    let mut best = 0.0;
    board.play_each(&board.matching(), |chain| {
        let later = if depth > 1 { weight * best_plan(&chain.board(), depth - 1, weight) } else { 0.0 };
        best = f64::max(best, f64::from(chain.points) + later);
    });
    best
}
