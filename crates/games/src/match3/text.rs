use serde::Deserialize;

use super::{COLUMNS, Cells, Grid, MOVES, Match3, OBSTACLE, ROWS, Rules};
use crate::error::Result;
use crate::swap;

const LETTERS: [char; 5] = ['a', 'b', 'c', 'd', '#'];

/// Text of a board; an empty cell is a space.
pub(super) fn show(grid: &Grid, empty: Cells) -> String {
    swap::text::show::<COLUMNS, ROWS>(|x, y| {
        let cell = Cells::at(x, y);
        let kind = usize::from(grid.kind(cell));
        if (empty & cell).is_empty() { LETTERS[kind.min(LETTERS.len() - 1)] } else { ' ' }
    })
}

pub(super) fn parse(text: &str) -> Result<Grid> {
    Ok(Grid::from_rows(&swap::text::read(text, &LETTERS, "cells")?))
}

#[derive(Deserialize)]
pub(super) struct Saved {
    rules: Rules,
    grid: Grid,
    score: i32,
    moves_left: i32,
}

impl TryFrom<Saved> for Match3 {
    type Error = &'static str;

    fn try_from(saved: Saved) -> std::result::Result<Self, Self::Error> {
        let Saved { rules, grid, score, moves_left } = saved;
        let known = (0..=OBSTACLE).fold(Cells::EMPTY, |cells, kind| cells | grid.of_kind(kind));
        if known != Cells::ALL {
            return Err("a saved game of match3 has a token of no known kind on its board");
        }
        if moves_left > MOVES {
            return Err("a saved game of match3 has more moves left than a game has");
        }
        Ok(Self { rules, grid, score, moves_left })
    }
}
