use serde::{Deserialize, Serialize};

use super::piece::{COLUMNS, FULL, LETTERS, Orientation, PIECES, ROWS, TALLEST, UNKNOWN, turned};
use super::wall::{KEPT, Wall};
use super::{State, Tetris};
use crate::error::{Error, Result};
use crate::text::counted;

pub(super) const SHOWN: usize = 2;
/// Column of the shown piece's left side.
pub(super) const SHOWN_AT: usize = 3;
const FALLS: usize = 3;

fn shown(piece: u8) -> Option<&'static Orientation> {
    PIECES.get(usize::from(piece))?.iter().find(|turned| turned.height <= SHOWN)
}

fn header(piece: u8) -> Vec<String> {
    let is_in =
        |row: usize, column: usize| shown(piece).is_some_and(|turned| turned.rows[row] << SHOWN_AT >> column & 1 == 1);
    let letter = |row, column| if is_in(row, column) { LETTERS[usize::from(piece)] } else { '.' };
    (0..SHOWN).rev().map(|row| (0..COLUMNS).map(|column| letter(row, column)).collect()).collect()
}

/// Two lines of a piece, then `height` rows of a wall from the top; full rows, about
/// to vanish, are spaces.
pub(super) fn show(wall: &Wall, height: usize, piece: u8) -> String {
    let mut lines = header(piece);
    lines.extend(rows(wall, height));
    lines.join("\n")
}

fn rows(wall: &Wall, height: usize) -> Vec<String> {
    let cell = |row: usize, column: usize| match wall.rows[row] {
        FULL => ' ',
        cells if cells >> column & 1 == 1 => '#',
        _ => '.',
    };
    (0..height).rev().map(|row| (0..COLUMNS).map(|column| cell(row, column)).collect()).collect()
}

pub(super) fn board(state: &State) -> String {
    show(&state.wall(), state.height(), state.piece())
}

pub(super) fn falling(state: &State, action: usize) -> Vec<String> {
    let Some((_, column, turned)) = turned(state.piece(), action) else { return Vec::new() };
    let wall = state.wall();
    let (rest, top) = (wall.rest(turned, column), state.height().saturating_sub(turned.height));
    let letter = LETTERS[usize::from(state.piece())];
    let at = |row: usize| {
        let mut lines: Vec<Vec<char>> =
            show(&wall, state.height(), UNKNOWN).lines().map(|line| line.chars().collect()).collect();
        let last = lines.len() - 1;
        for (index, cells) in turned.rows[..turned.height].iter().enumerate() {
            for place in (0..turned.width).filter(|place| cells >> place & 1 == 1) {
                lines[last - row - index][column + place] = letter;
            }
        }
        lines.into_iter().map(String::from_iter).collect::<Vec<String>>().join("\n")
    };
    if rest > top {
        return Vec::new();
    }
    (0..=FALLS).map(|fall| at(top - (top - rest) * fall / FALLS)).collect()
}

/// Names of each piece's orientations, of letters as they are written.
const TURNED: [&[&str]; 7] = [
    &[""],
    &["upright", "flat"],
    &["upright", "turned right", "upside down", "turned left"],
    &["upright", "turned right", "upside down", "turned left"],
    &["turned left", "upright", "turned right", "upside down"],
    &["flat", "upright"],
    &["flat", "upright"],
];

/// A placement in words; empty where the piece is unknown.
pub(super) fn words(state: &State, action: usize, clears: u32) -> String {
    let Some((orientation, column, turned)) = turned(state.piece(), action) else { return String::new() };
    let piece = usize::from(state.piece());
    let name = TURNED[piece][orientation];
    let space = if name.is_empty() { "" } else { " " };
    let columns = match turned.width {
        1 => format!("column {column}"),
        width => format!("columns {column} to {}", column + width - 1),
    };
    let clears = if clears > 0 { format!(", clears {}", counted(clears, "lines")) } else { String::new() };
    format!("{}{space}{name}, {columns}{clears}", LETTERS[piece])
}

/// Cells (row, column) of the board's text, which shows the piece in its first rows, in which a
/// piece lands; none where it does not fit.
pub(super) fn cells(state: &State, action: usize) -> Vec<(usize, usize)> {
    let Some((_, column, turned)) = turned(state.piece(), action) else { return Vec::new() };
    let rest = state.wall().rest(turned, column);
    let last = SHOWN + state.height() - 1;
    let rows = turned.rows[..turned.height].iter().enumerate().rev();
    let cells = rows.flat_map(|(row, cells)| {
        let columns = (0..turned.width).filter(move |place| cells >> place & 1 == 1);
        columns.filter_map(move |place| Some((last.checked_sub(rest + row)?, column + place)))
    });
    cells.collect()
}

/// Position of a text: two lines that show the piece, then all rows of the wall.
///
/// Without a piece in them, or without the two lines, the piece is unknown and the wall has twenty
/// rows, of which upper ones may be left out with the lines.
pub(super) fn parse(text: &str) -> Result<State> {
    let lines: Vec<&str> = text.lines().collect();
    let wrong = |what: String| Err(Error::user(what));
    let has_piece =
        lines.len() > SHOWN && lines[..SHOWN].iter().any(|line| line.chars().any(|letter| LETTERS.contains(&letter)));
    // A board without a piece is written with two empty lines.
    let has_room = lines.len() == SHOWN + ROWS && lines[..SHOWN].iter().all(|line| *line == header(UNKNOWN)[0]);
    let (piece, above) = match has_piece {
        false => (UNKNOWN, if has_room { SHOWN } else { 0 }),
        true => {
            let letter = lines[..SHOWN].iter().flat_map(|line| line.chars()).find(|letter| LETTERS.contains(letter));
            let piece = LETTERS.iter().position(|known| Some(*known) == letter).unwrap_or_default() as u8;
            let header = header(piece);
            if let Some(row) = (0..SHOWN).find(|row| header[*row] != lines[*row]) {
                return wrong(format!(
                    "row {row} of the board (from 0) is {:?}, but the piece {} stands there as {:?}",
                    lines[row],
                    LETTERS[usize::from(piece)],
                    header[row]
                ));
            }
            (piece, SHOWN)
        }
    };
    let wall = &lines[above..];
    let height = if has_piece { wall.len() } else { ROWS };
    if wall.len() > ROWS || has_piece && wall.len() < 4 {
        return wrong(format!(
            "the wall has {}, but must have up to {ROWS}, and at least 4 below a piece",
            counted(wall.len(), "rows")
        ));
    }
    let mut rows = [0; KEPT];
    for (index, line) in wall.iter().enumerate() {
        let row = index + above;
        let cells: Vec<char> = line.chars().collect();
        if cells.len() != COLUMNS {
            return wrong(format!(
                "row {row} of the board (from 0) has {}, but must have {COLUMNS}",
                counted(cells.len(), "cells")
            ));
        }
        let to = &mut rows[wall.len() - 1 - index];
        for (column, cell) in cells.into_iter().enumerate() {
            match cell {
                '.' => {}
                '#' => *to |= 1 << column,
                other => {
                    return wrong(format!(
                        "row {row}, column {column} of the board (both from 0) is {other:?}, but must be . or #"
                    ));
                }
            }
        }
        if *to == FULL {
            return wrong(format!("row {row} of the board (from 0) is full, but full rows are removed"));
        }
    }
    Ok(State::pack(&Wall::of(rows), piece, height as u8, false))
}

#[derive(Serialize, Deserialize)]
pub(super) struct Saved {
    state: State,
    score: i32,
}

impl From<Tetris> for Saved {
    fn from(Tetris { wall, height, piece, lost, score }: Tetris) -> Self {
        Self { state: State::pack(&wall, piece, height, lost), score }
    }
}

impl TryFrom<Saved> for Tetris {
    type Error = &'static str;

    fn try_from(Saved { state, score }: Saved) -> std::result::Result<Self, Self::Error> {
        match state.piece() == UNKNOWN {
            true => Err("a saved game of Tetris has no piece"),
            false => {
                let (wall, height) = (state.wall(), state.height() as u8);
                Ok(Self { wall, height, piece: state.piece(), lost: state.is_lost(), score })
            }
        }
    }
}

/// No piece is higher than the room above the wall.
const _: () = assert!(KEPT >= ROWS + TALLEST);
