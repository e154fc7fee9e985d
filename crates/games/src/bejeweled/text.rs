use serde::Deserialize;

use super::board::{self, Move, UNKNOWN};
use super::{Bejeweled, COLUMNS, Cells, Grid, Level, ROWS, Rules};
use crate::error::{Error, Result};
use crate::swap;

/// Letters by gem, then two letters for an unknown gem.
const LETTERS: [char; 9] = ['R', 'W', 'Y', 'B', 'P', 'O', 'G', '.', '?'];

fn letter(gem: u8) -> char {
    LETTERS[usize::from(gem.min(UNKNOWN))]
}

/// Text of a board; a space is an empty cell, a dot an unknown gem.
pub(super) fn show(grid: &Grid, empty: Cells) -> String {
    swap::text::show::<COLUMNS, ROWS>(|x, y| {
        let cell = Cells::at(x, y);
        if (empty & cell).is_empty() { letter(grid.kind(cell)) } else { ' ' }
    })
}

pub(super) fn parse(text: &str) -> Result<Grid> {
    let mut gems = swap::text::read(text, &LETTERS, "gems")?;
    gems.as_flattened_mut().iter_mut().for_each(|gem| *gem = (*gem).min(UNKNOWN));
    let grid = Grid::from_rows(&gems);
    let in_runs = board::runs(&grid).cells();
    swap::text::check_at_rest::<COLUMNS, ROWS>(|x, y| !(in_runs & Cells::at(x, y)).is_empty())?;
    Ok(grid)
}

/// Moves left; 0 means no bound.
pub(super) fn moves_left(given: i64) -> Result<Option<u16>> {
    let most = Rules::MOST_MOVES;
    match u16::try_from(given) {
        Ok(0) => Ok(None),
        Ok(moves) if u32::from(moves) <= most => Ok(Some(moves)),
        _ => Err(Error::user(format!("{given} moves are left, but a game has from 1 to {most}, or 0 for no end"))),
    }
}

pub(super) fn describe(x: usize, y: usize, direction: char) -> String {
    format!("({x},{y}){direction}")
}

/// Action of a move's text; [`ACTIONS`](super::ACTIONS) if the move leaves the board.
pub(super) fn action(text: &str) -> std::result::Result<usize, String> {
    let parts = text.strip_prefix('(').and_then(|rest| rest.split_once(')')).and_then(|(cell, direction)| {
        let (x, y) = cell.split_once(',')?;
        Some((x.trim().parse::<usize>().ok()?, y.trim().parse::<usize>().ok()?, direction))
    });
    let moved = parts.and_then(|(x, y, direction)| {
        Some(match direction {
            "D" => Move { x, y, vertical: true }.action(),
            "U" => y.checked_sub(1).and_then(|y| Move { x, y, vertical: true }.action()),
            "R" => Move { x, y, vertical: false }.action(),
            "L" => x.checked_sub(1).and_then(|x| Move { x, y, vertical: false }.action()),
            _ => return None,
        })
    });
    let moved = moved.ok_or_else(|| {
        format!("{text:?} is no move: a move is a column, a row and one of U D L R, such as \"(2,6)D\"")
    })?;
    Ok(moved.unwrap_or(super::ACTIONS))
}

#[derive(Deserialize)]
pub(super) struct Saved {
    rules: Rules,
    grid: Grid,
    score: i32,
    level: Level,
    moves_left: Option<u16>,
}

impl TryFrom<Saved> for Bejeweled {
    type Error = &'static str;

    fn try_from(Saved { rules, grid, score, level, moves_left }: Saved) -> std::result::Result<Self, Self::Error> {
        if moves_left.is_some_and(|moves| u32::from(moves) > Rules::MOST_MOVES) {
            return Err("a saved game of bejeweled has more moves left than a game has");
        }
        match level.number > 0 && score >= 0 {
            true => Ok(Self::of(rules, grid, score, level, moves_left)),
            false => Err("a saved game of bejeweled has a level or a score that no game has"),
        }
    }
}
