//! The board of a game with tokens in a terminal: each token a gem with its letter.

use std::sync::LazyLock;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::canvas::{Canvas, CellSize};
use super::look::{CHECKED, CHOSEN, CLEARING, Colours, DARK, GOLD, GREY, GROUND, LIGHT, Look, Rgb, mixed};
use super::session::{Hand, Phase, Session};
use super::shape::{SHAPES, coverage};
use crate::games::{Shape, Token};
use crate::players::Roster;

/// Sizes of cells, largest first.
pub const SIZES: [CellSize; 5] = [
    CellSize { width: 12, height: 5 },
    CellSize { width: 10, height: 4 },
    CellSize { width: 8, height: 3 },
    CellSize { width: 6, height: 2 },
    CellSize::LETTER,
];
/// Share of a pixel that a shape covers, from which on all of it has the shape's colour.
const ENOUGH: f64 = 0.4;
/// Number of best moves marked on the board.
const MARKED: usize = 3;

/// The token of a letter; none for an empty cell.
pub fn token_of<G: Roster>(letter: char) -> Option<&'static Token> {
    G::TOKENS.iter().find(|token| token.letter == letter)
}

/// Draws a session's board, coordinates and marks from the corner (left, top).
pub fn draw<G: Roster>(buffer: &mut Buffer, from: (u16, u16), cell: CellSize, session: &Session<G>, look: Look) {
    let board = session.board();
    let mut canvas = Canvas::new(buffer, from, cell, look, board.size());
    let choosing = matches!(session.phase(), Phase::Choosing | Phase::Chosen);
    let best = match session.starting() {
        Some(action) => G::cells(action),
        None if choosing => session.ranking().first().map_or(Vec::new(), |best| G::cells(best.action)),
        None => Vec::new(),
    };
    for (x, y, letter) in board.cells() {
        let clearing = matches!(session.phase(), Phase::Moving(clip) if clip.is_fading(x, y));
        let ground = match (clearing, best.contains(&(x, y)), (x + y) % 2 == 1) {
            (true, ..) => CLEARING,
            (_, true, _) => CHOSEN,
            (_, _, checked) => {
                if checked {
                    CHECKED
                } else {
                    GROUND
                }
            }
        };
        let token = token_of::<G>(letter);
        draw_cell(&mut canvas, (x, y), token, ground);
        if clearing && token.is_some() && !look.has_colours() {
            canvas.beside((x, y), ["*", "*"], LIGHT);
        }
    }
    if choosing {
        // The best is drawn last, on top.
        for (rank, valued) in session.ranking().iter().take(MARKED).enumerate().rev() {
            let cells = G::cells(valued.action);
            mark(&mut canvas, &cells, &label(rank + 1, arrow(&cells, look), valued.value, cell), rank == 0);
        }
    }
    if let Some(action) = session.starting() {
        let cells = G::cells(action);
        mark(&mut canvas, &cells, arrow(&cells, look), true);
    }
    if let Some(Hand { cursor, selected, steered: None, .. }) = session.hand()
        && !matches!(session.phase(), Phase::Over)
    {
        let (sides, colour) = if selected { ([">", "<"], GOLD) } else { (["[", "]"], LIGHT) };
        canvas.beside(cursor, sides, colour);
    }
}

/// The [coverage] of a gem's pixels.
fn shares(shape: Shape, cell: CellSize) -> &'static [f64] {
    static ALL: LazyLock<Vec<(CellSize, Shape, Vec<f64>)>> = LazyLock::new(|| {
        let all = SIZES.into_iter().flat_map(|cell| SHAPES.map(|shape| (cell, shape)));
        all.map(|(cell, shape)| (cell, shape, coverage(shape, gem(cell)))).collect()
    });
    ALL.iter().find(|known| (known.0, known.1) == (cell, shape)).map_or(&[], |known| &known.2)
}

/// Pixels of a gem: a column of its cell, on the right, and in low cells a row, above, stay free.
fn gem(cell: CellSize) -> (u16, u16) {
    (cell.width - 1, 2 * cell.height - u16::from(cell.height == 2))
}

fn draw_cell(canvas: &mut Canvas, (x, y): (usize, usize), token: Option<&Token>, ground: Rgb) {
    let (look, cell) = (canvas.look, canvas.cell);
    let bare = look.coloured(Style::new().bg(look.colour(ground)), Style::new());
    let Some(token) = token else {
        let blank = " ".repeat(cell.width.into());
        return canvas.write((x, y), &[&blank], bare);
    };
    let on = match token.shape {
        Shape::Block => look.on(LIGHT, token.colour),
        _ => look.on(DARK, token.colour).add_modifier(Modifier::BOLD),
    };
    if cell == CellSize::LETTER {
        let on = if token.shape == Shape::Block { look.on(GREY, ground) } else { on };
        return canvas.write((x, y), &[&format!(" {} ", token.letter)], on);
    }
    let (left, top) = canvas.corner(x, y);
    let letter = token.letter.to_string();
    if look.ascii {
        let blank = " ".repeat(cell.width.into());
        canvas.write((x, y), &[&blank], bare);
        let (left, top) = (left + (cell.width - 1 - 4) / 2, top + (cell.height - 1) / 2);
        let drawn = look.coloured(bare.fg(look.colour(token.colour)), Style::new());
        for (row, text) in (top..).zip(in_ascii(token.shape)) {
            canvas.buffer.set_string(left, row, text, drawn);
        }
        return canvas.buffer.set_string(left + 1, top + 1, letter, on);
    }
    if token.shape == Shape::Block && !look.has_colours() {
        canvas.write((x, y), &[&"░".repeat(usize::from(cell.width) - 1)], bare);
        return canvas.buffer.set_string(left + (cell.width - 1) / 2, top + cell.height / 2, letter, on);
    }
    let (width, height) = gem(cell);
    let shares = shares(token.shape, cell);
    let free = 2 * cell.height - height;
    let is_lit = look.colours == Colours::True && token.shape != Shape::Block;
    let smooth = look.colours == Colours::True && cell.height > 2;
    canvas.fill((x, y), |column, row| {
        let pixel = row.checked_sub(free).filter(|_| column < width).map(|row| row * width + column);
        let share = pixel.map_or(0.0, |pixel| shares[usize::from(pixel)]);
        let colour = if is_lit { lit(token.colour, row, 2 * cell.height) } else { token.colour };
        match (smooth, share >= ENOUGH) {
            (true, _) => Some(mixed(ground, colour, share)),
            (false, true) => Some(colour),
            (false, false) => Some(ground).filter(|_| look.has_colours()),
        }
    });
    canvas.buffer.set_string(left + (cell.width - 1) / 2, top + cell.height / 2, letter, on);
}

/// A colour that is lighter above and darker below.
fn lit(colour: Rgb, row: u16, height: u16) -> Rgb {
    let place = (f64::from(row) + 0.5) / f64::from(height);
    match place < 0.5 {
        true => mixed(colour, LIGHT, 0.5 * (0.5 - place)),
        false => mixed(colour, DARK, 0.6 * (place - 0.5)),
    }
}

/// Four by two characters with room for a letter in the second column of the second row.
fn in_ascii(shape: Shape) -> [&'static str; 2] {
    match shape {
        Shape::Triangle => [" /\\ ", "/__\\"],
        Shape::Square => ["+--+", "+--+"],
        Shape::Pentagon => [" /\\ ", "\\__/"],
        Shape::Hexagon => ["/--\\", "\\--/"],
        Shape::Circle => [".--.", "'--'"],
        Shape::Diamond => ["/^^\\", "\\vv/"],
        Shape::Star => ["\\||/", "/||\\"],
        Shape::Block => ["####", "####"],
    }
}

/// Writes a label in the middle of a move's cells.
fn mark(canvas: &mut Canvas, cells: &[(usize, usize)], label: &str, best: bool) {
    let Some([(left, top), (right, bottom)]) = ends(cells) else { return };
    let (x, y) = canvas.corner(left, top + (bottom - top).div_ceil(2));
    let width = (right - left + 1) as u16 * canvas.cell.width;
    // Beside a letter, only the rank has room.
    let (label, free) = match canvas.cell == CellSize::LETTER && left == right {
        true => (&label[..label.chars().next().map_or(0, char::len_utf8)], width - 1),
        false => (label, (width - u16::from(!canvas.cell.is_low())).saturating_sub(label.chars().count() as u16) / 2),
    };
    let (with, without) = (canvas.look.on(DARK, if best { GOLD } else { GREY }), Style::new());
    let style = canvas.look.coloured(with, without.add_modifier(Modifier::REVERSED));
    canvas.buffer.set_string(x + free, y, label, style);
}

/// Rank, direction and, if it fits into a cell, value.
fn label(rank: usize, arrow: &str, value: f64, cell: CellSize) -> String {
    let value = match value {
        value if value > -9.95 && value < 99.95 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    };
    let short = format!("{rank}{arrow}");
    let whole = format!("{short}{value}");
    if whole.chars().count() <= cell.width.into() { whole } else { short }
}

/// Upper left and lower right cell of the rectangle around cells.
fn ends(cells: &[(usize, usize)]) -> Option<[(usize, usize); 2]> {
    let columns = || cells.iter().map(|cell| cell.0);
    let rows = || cells.iter().map(|cell| cell.1);
    Some([(columns().min()?, rows().min()?), (columns().max()?, rows().max()?)])
}

/// Direction of a move's cells, or a dot.
fn arrow(cells: &[(usize, usize)], look: Look) -> &'static str {
    let (wide, high) = ends(cells).map_or((false, false), |[from, to]| (from.0 < to.0, from.1 < to.1));
    match (wide, high, look.ascii) {
        (false, true, false) => "↕",
        (true, false, false) => "↔",
        (false, true, true) => "|",
        (true, false, true) => "=",
        (_, _, false) => "•",
        (_, _, true) => "o",
    }
}
