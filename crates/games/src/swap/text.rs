//! The text of a board: a line a row, a letter a token.

use crate::error::{Error, Result};

/// Lines of a board's letters, given by column and row from the top.
pub fn show<const COLUMNS: usize, const ROWS: usize>(letter: impl Fn(usize, usize) -> char) -> String {
    let mut text = String::with_capacity(ROWS * (COLUMNS + 1));
    for row in 0..ROWS {
        text.extend((row > 0).then_some('\n'));
        text.extend((0..COLUMNS).map(|column| letter(column, row)));
    }
    text
}

/// Kinds of a text's tokens, by place in `letters`, row by row from the top. Errors name the row
/// and column, from 0, and call the tokens `tokens`.
pub fn read<const COLUMNS: usize, const ROWS: usize>(
    text: &str,
    letters: &[char],
    tokens: &str,
) -> Result<[[u8; COLUMNS]; ROWS]> {
    let mut kinds = [[0; COLUMNS]; ROWS];
    let rows = text.lines().count();
    if rows != ROWS {
        return Err(Error::user(format!("the board must have {ROWS} rows, not {rows}")));
    }
    for (row, (line, kinds)) in text.lines().zip(&mut kinds).enumerate() {
        let length = line.chars().count();
        if length != COLUMNS {
            let what = match line.chars().nth(COLUMNS) {
                None => "is missing".to_owned(),
                Some(letter) => format!("is {letter:?}, which is too many"),
            };
            return Err(Error::user(format!(
                "row {row}, column {} of the board (both from 0) {what}: \
                 the row has {length} {tokens}, but must have {COLUMNS}",
                length.min(COLUMNS)
            )));
        }
        for (column, (letter, kind)) in line.chars().zip(kinds).enumerate() {
            let known = letters.iter().position(|known| *known == letter);
            *kind = known.map(|known| known as u8).ok_or_else(|| {
                let letters = letters.iter().map(char::to_string).collect::<Vec<_>>().join(" ");
                Error::user(format!(
                    "row {row}, column {column} of the board (both from 0) is {letter:?}, \
                     but must be one of {letters}"
                ))
            })?;
        }
    }
    Ok(kinds)
}

/// Checks that no cell (column, row) is in a run; errors name the topmost.
pub fn check_at_rest<const COLUMNS: usize, const ROWS: usize>(is_in_run: impl Fn(usize, usize) -> bool) -> Result<()> {
    let mut places = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    match places.find(|(column, row)| is_in_run(*column, *row)) {
        None => Ok(()),
        Some((column, row)) => Err(Error::user(format!(
            "at row {row}, column {column} of the board (both from 0) begins a run of three or more, \
             but a board at rest has none"
        ))),
    }
}
