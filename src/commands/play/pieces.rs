//! The board of a game with pieces in a terminal: flat, with the ghost of the place of landing.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::canvas::{Canvas, CellSize};
use super::look::{Colours, DARK, GREY, LIGHT, Look, Rgb, mixed};
use super::session::Session;
use super::tokens::token_of;
use crate::players::Roster;

/// Sizes of cells, largest first; each cell is a square.
pub const SIZES: [CellSize; 3] =
    [CellSize { width: 6, height: 3 }, CellSize { width: 4, height: 2 }, CellSize { width: 2, height: 1 }];

const EMPTY: Rgb = [0x1a, 0x1c, 0x25];
const EMPTY_LETTER: char = '.';

/// Draws a session's board and coordinates from the corner (left, top).
pub fn draw<G: Roster>(buffer: &mut Buffer, from: (u16, u16), cell: CellSize, session: &Session<G>, look: Look) {
    let board = session.board();
    let mut canvas = Canvas::new(buffer, from, cell, look, board.size());
    let ghost = session.ghost();
    let colour = |letter: char| token_of::<G>(letter).map_or(GREY, |token| token.colour);
    for (x, y, letter) in board.cells() {
        let at = (x, y);
        match (letter, &ghost) {
            (EMPTY_LETTER, Some((piece, ghost))) if ghost.contains(&(y, x)) => {
                let beside = |dx: isize, dy: isize| {
                    let to = x.checked_add_signed(dx).zip(y.checked_add_signed(dy));
                    to.is_some_and(|(x, y)| ghost.contains(&(y, x)))
                };
                let [left, right] = [beside(-1, 0), beside(1, 0)];
                let [above, below] = [beside(0, -1), beside(0, 1)];
                outline(&mut canvas, at, colour(*piece), [left, right, above, below]);
            }
            // Nothing is empty above the wall.
            (EMPTY_LETTER, _) if y < G::ROWS_OF_PIECE => {}
            (EMPTY_LETTER, _) => empty(&mut canvas, at),
            // A row that is about to vanish.
            (' ', _) => block(&mut canvas, at, ' ', LIGHT),
            (letter, _) => block(&mut canvas, at, letter, colour(letter)),
        }
    }
}

fn empty(canvas: &mut Canvas, at: (usize, usize)) {
    let look = canvas.look;
    if look.has_colours() && !look.ascii {
        return canvas.fill(at, |_, _| Some(EMPTY));
    }
    let width = usize::from(canvas.cell.width);
    let (blank, dot) = (" ".repeat(width), if look.ascii { "." } else { "·" });
    let last = format!("{}{dot}", " ".repeat(width - 1));
    let mut rows = vec![&*blank; usize::from(canvas.cell.height) - 1];
    rows.push(&last);
    canvas.write(at, &rows, look.on(GREY, EMPTY));
}

/// Draws a filled cell: bright above, dark below.
fn block(canvas: &mut Canvas, at: (usize, usize), letter: char, colour: Rgb) {
    let (look, cell) = (canvas.look, canvas.cell);
    let width = usize::from(cell.width);
    if look.ascii || !look.has_colours() {
        let character = match (letter, look.ascii) {
            (' ', true) => "=",
            (' ', false) => "▒",
            ('#', true) => "#",
            (_, true) => &letter.to_string(),
            (_, false) => "█",
        };
        let style = look.coloured(Style::new().fg(look.colour(DARK)).bg(look.colour(colour)), Style::new());
        return canvas.write(at, &[&character.repeat(width)], style);
    }
    let last = (cell.width - 1, 2 * cell.height - 1);
    let bevelled = look.colours == Colours::True;
    canvas.fill(at, |column, row| {
        Some(match (column, row) {
            (_, 1) if bevelled && cell.is_low() => mixed(colour, DARK, 0.2),
            _ if !bevelled || cell.is_low() => colour,
            (column, row) if row == 0 || column == 0 => mixed(colour, LIGHT, 0.2),
            (column, row) if row == last.1 || column == last.0 => mixed(colour, DARK, 0.25),
            _ => colour,
        })
    });
}

/// Draws a cell of the ghost, whose sides left, right, above and below may be inner ones.
fn outline(canvas: &mut Canvas, at: (usize, usize), colour: Rgb, inner: [bool; 4]) {
    let (look, cell) = (canvas.look, canvas.cell);
    let [left, right, above, below] = inner;
    if cell.is_low() || look.ascii || !look.has_colours() {
        let middle = " ".repeat(usize::from(cell.width) - 2);
        let style = look.on(colour, EMPTY).add_modifier(Modifier::BOLD);
        return canvas.write(at, &[&format!("[{middle}]")], style);
    }
    let last = (cell.width - 1, 2 * cell.height - 1);
    canvas.fill(at, |column, row| {
        let side = !left && column == 0 || !right && column == last.0;
        let edge = side || !above && row == 0 || !below && row == last.1;
        Some(if edge { mixed(EMPTY, colour, 0.8) } else { mixed(EMPTY, colour, 0.12) })
    });
}
