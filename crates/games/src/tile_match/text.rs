use serde::Deserialize as _;
use serde_json::Value;

use super::board::{self, Cells, Grid};
use super::{ACTIONS, COLUMNS, ROWS};
use crate::error::Result;
use crate::swap;

/// Letters by tile, the last for an unknown one.
const LETTERS: [char; 5] = ['G', 'C', 'P', 'R', '.'];

/// Text of a board; a space is an empty cell, a dot an unknown tile.
pub(super) fn show(grid: &Grid, empty: Cells) -> String {
    let tiles = grid.rows();
    swap::text::show::<COLUMNS, ROWS>(|x, y| match empty >> (COLUMNS * y + x) & 1 {
        0 => LETTERS[usize::from(tiles[y][x])],
        _ => ' ',
    })
}

pub(super) fn parse(text: &str) -> Result<Grid> {
    Ok(Grid::from_rows(&swap::text::read(text, &LETTERS, "tiles")?))
}

/// Row and column of both tiles, the upper or left one first.
pub(super) fn cells(action: usize) -> [usize; 4] {
    let (one, other) = board::cells_of(action);
    [one / COLUMNS, one % COLUMNS, other / COLUMNS, other % COLUMNS]
}

/// Action of a swap in either order; [`ACTIONS`] for any other two cells.
pub(super) fn action(value: &Value) -> std::result::Result<usize, String> {
    let numbers = <[i64; 4]>::deserialize(value)
        .map_err(|_| "a move is [row, column, row, column], such as [3, 4, 3, 5]".to_owned())?;
    let cell = |row: i64, column: i64| {
        let on_board = (0..ROWS as i64).contains(&row) && (0..COLUMNS as i64).contains(&column);
        on_board.then(|| row as usize * COLUMNS + column as usize)
    };
    let cells = cell(numbers[0], numbers[1]).zip(cell(numbers[2], numbers[3]));
    Ok(cells.and_then(|(one, other)| board::action_of(one.min(other), one.max(other))).unwrap_or(ACTIONS))
}
