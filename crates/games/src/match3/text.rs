use serde::{Deserialize, Serialize};

use super::{COLUMNS, Cells, Grid, MOVES, Match3, OBSTACLE, ROWS, Rules};
use crate::error::{Error, Result};
use crate::swap;

const LETTERS: [char; 5] = ['a', 'b', 'c', 'd', '#'];

/// Text of a board; an empty cell is a space.
pub(super) fn show(grid: &Grid, empty: Cells) -> String {
    let mut text = String::with_capacity(ROWS * (COLUMNS + 1));
    for y in 0..ROWS {
        if y > 0 {
            text.push('\n');
        }
        for x in 0..COLUMNS {
            let cell = Cells::at(x, y);
            let kind = usize::from(grid.kind(cell));
            text.push(if !(empty & cell).is_empty() { ' ' } else { LETTERS[kind.min(LETTERS.len() - 1)] });
        }
    }
    text
}

pub(super) fn parse(text: &str) -> Result<Grid> {
    Ok(Grid::from_rows(&swap::text::read(text, &LETTERS, "cells")?))
}

#[derive(Serialize, Deserialize)]
pub(super) struct Saved {
    rules: Rules,
    grid: Grid,
    score: i32,
    moves_left: i32,
}

impl From<Match3> for Saved {
    fn from(game: Match3) -> Self {
        let Match3 { rules, grid, score, moves_left } = game;
        Self { rules, grid, score, moves_left }
    }
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

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct GivenRules {
    obstacle_kinds: u32,
}

impl Default for GivenRules {
    fn default() -> Self {
        Rules::default().into()
    }
}

impl TryFrom<GivenRules> for Rules {
    type Error = Error;

    fn try_from(given: GivenRules) -> Result<Self> {
        Self::new(given.obstacle_kinds)
    }
}

impl From<Rules> for GivenRules {
    fn from(rules: Rules) -> Self {
        Self { obstacle_kinds: rules.obstacle_kinds() }
    }
}
