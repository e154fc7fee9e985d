//! Observers of a move: nobody, a list of boards, a follower of tokens.

use super::certain::Certain;
use super::{Cells, Grid, State, text};
use crate::SeenWave;

pub(super) trait Observer {
    /// Runs were cleared for some points and left `empty` cells.
    fn cleared(&mut self, grid: &Grid, empty: Cells, points: i32);

    /// The swap was made, or tokens fell by one; `empty` cells remain.
    fn fallen(&mut self, grid: &Grid, empty: Cells);
}

pub(super) struct Nobody;

impl Observer for Nobody {
    #[inline]
    fn cleared(&mut self, _: &Grid, _: Cells, _: i32) {}

    #[inline]
    fn fallen(&mut self, _: &Grid, _: Cells) {}
}

impl Observer for Vec<String> {
    fn cleared(&mut self, grid: &Grid, empty: Cells, _: i32) {
        self.push(text::show(grid, empty));
    }

    fn fallen(&mut self, grid: &Grid, empty: Cells) {
        self.push(text::show(grid, empty));
    }
}

pub(super) struct Follower<F> {
    pub board: Certain,
    pub moves_left: i32,
    pub waves: u32,
    pub see: F,
}

impl<F: FnMut(SeenWave<State>)> Observer for Follower<F> {
    fn cleared(&mut self, _: &Grid, empty: Cells, points: i32) {
        let before = self.board.state(self.moves_left);
        self.board.refill(empty);
        let after = self.board.state(self.moves_left);
        self.waves += 1;
        (self.see)(SeenWave { before, after, points: points as f32 });
    }

    fn fallen(&mut self, _: &Grid, _: Cells) {}
}
