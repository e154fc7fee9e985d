use serde::Deserialize;

use super::board::{self, UNKNOWN, cell};
use super::{Bilging, COLUMNS, Cells, Grid, ROWS, Rules};
use crate::error::{Error, Result};
use crate::swap;

/// Letters by colour, then that of an unknown piece.
const LETTERS: [char; 8] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', '.'];

pub(super) fn letter(piece: u8) -> char {
    LETTERS[usize::from(piece.min(UNKNOWN))]
}

/// Text of a board; a space is an empty cell, a dot an unknown piece.
pub(super) fn show(grid: &Grid, empty: Cells) -> String {
    swap::text::show::<COLUMNS, ROWS>(|column, row| {
        let cell = cell(column, row);
        if (empty & cell).is_empty() { letter(grid.kind(cell)) } else { ' ' }
    })
}

pub(super) fn parse(text: &str) -> Result<Grid> {
    let pieces = swap::text::read(text, &LETTERS[..usize::from(UNKNOWN)], "pieces")?;
    let grid = board::from_rows(pieces);
    let in_runs = board::runs(&grid).cells();
    swap::text::check_at_rest::<COLUMNS, ROWS>(|column, row| !(in_runs & cell(column, row)).is_empty())?;
    Ok(grid)
}

pub(super) fn check_colours(pieces: &[[u8; COLUMNS]; ROWS], colours: u8) -> Result<()> {
    let all = pieces.iter().enumerate().flat_map(|(row, pieces)| pieces.iter().enumerate().map(move |at| (row, at)));
    match { all }.find(|(_, (_, piece))| **piece >= colours && **piece != UNKNOWN) {
        None => Ok(()),
        Some((row, (column, piece))) => Err(Error::user(format!(
            "row {row}, column {column} of the board (both from 0) is {:?}, but with {colours} colours the last is {:?}",
            letter(*piece),
            letter(colours - 1)
        ))),
    }
}

pub(super) fn moves_left(given: i64) -> Result<u16> {
    let most = Rules::MOST_MOVES;
    u16::try_from(given)
        .ok()
        .filter(|moves| u32::from(*moves) <= most)
        .ok_or_else(|| Error::user(format!("{given} moves are left, but a game has from 0 to {most}")))
}

#[derive(Deserialize)]
pub(super) struct Saved {
    rules: Rules,
    grid: Grid,
    score: i32,
    moves_left: u16,
}

impl TryFrom<Saved> for Bilging {
    type Error = &'static str;

    fn try_from(Saved { rules, grid, score, moves_left }: Saved) -> std::result::Result<Self, Self::Error> {
        match u32::from(moves_left) <= Rules::MOST_MOVES {
            true => Ok(Self { rules, grid, score, moves_left }),
            false => Err("a saved game of bilging has more moves left than a game has"),
        }
    }
}
