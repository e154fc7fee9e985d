//! The board in a terminal: each token a shape of four by two characters, or a letter.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use super::picture::edge;
use super::session::{Hand, Phase, Session};
use crate::games::{Shape, Token};
use crate::players::Roster;

/// Characters and colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    pub ascii: bool,
    pub colour: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellSize {
    /// Columns, even and at least 6 unless for a letter.
    pub width: u16,
    /// Rows, at least 2 unless for a letter; the shape is in the lower two.
    pub height: u16,
}

/// Rows of coordinates above the board.
const HEAD: u16 = 1;
/// Number of best moves marked on the board.
const MARKED: usize = 3;
const SHAPE: u16 = 4;
/// Stands for the letter in a shape.
const PLACE: char = 'L';

impl CellSize {
    /// The smallest cell: a letter between two columns.
    pub const LETTER: Self = Self { width: 3, height: 1 };

    /// Size of a board with coordinates.
    pub fn board(self, (columns, rows): (usize, usize)) -> (u16, u16) {
        (edge(rows) as u16 + columns as u16 * self.width, HEAD + rows as u16 * self.height)
    }
}

impl Look {
    pub fn token(self, token: Option<&Token>) -> Style {
        let colour = token.map_or(Color::Gray, |token| nearest(token.colour));
        self.coloured(Style::new().fg(colour), Style::new())
    }

    /// The first style with colours, else the second.
    pub fn coloured(self, with: Style, without: Style) -> Style {
        if self.colour { with } else { without }
    }

    fn shape(self, shape: Shape) -> [&'static str; 2] {
        match (shape, self.ascii) {
            (Shape::Triangle, false) => [" ◢◣ ", "◢L█◣"],
            (Shape::Square, false) => ["████", "█L██"],
            (Shape::Pentagon, false) => [" ◢◣ ", "◥L█◤"],
            (Shape::Hexagon, false) => ["◢██◣", "◥L█◤"],
            (Shape::Circle, false) => ["▟██▙", "▜L█▛"],
            (Shape::Diamond, false) => ["▗██▖", "▝L█▘"],
            (Shape::Star, false) => ["◥██◤", "◢L█◣"],
            (Shape::Block, false) => ["┌──┐", "└L─┘"],
            (Shape::Triangle, true) => [" /\\ ", "/L_\\"],
            (Shape::Square, true) => ["+--+", "+L-+"],
            (Shape::Pentagon, true) => [" /\\ ", "\\L_/"],
            (Shape::Hexagon, true) => ["/--\\", "\\L-/"],
            (Shape::Circle, true) => [".--.", "'L-'"],
            (Shape::Diamond, true) => ["/^^\\", "\\Lv/"],
            (Shape::Star, true) => ["\\||/", "/L|\\"],
            (Shape::Block, true) => ["####", "#L##"],
        }
    }
}

/// The token of a letter; none for an empty cell.
pub fn token_of<G: Roster>(letter: char) -> Option<&'static Token> {
    G::TOKENS.iter().find(|token| token.letter == letter)
}

/// Nearest of the terminal's 16 colours, bright except for orange; white or gray without a clear
/// hue.
fn nearest(colour: [u8; 3]) -> Color {
    let [red, green, blue] = colour.map(i32::from);
    let most = red.max(green).max(blue);
    let range = most - red.min(green).min(blue);
    if range * 4 < most || range == 0 {
        return if most < 200 { Color::Gray } else { Color::White };
    }
    // Degrees, from red over green to blue.
    let hue = match most {
        _ if most == red => 60 * (green - blue) / range,
        _ if most == green => 120 + 60 * (blue - red) / range,
        _ => 240 + 60 * (red - green) / range,
    };
    match hue.rem_euclid(360) {
        15..45 => Color::Yellow,
        45..90 => Color::LightYellow,
        90..150 => Color::LightGreen,
        150..210 => Color::LightCyan,
        210..270 => Color::LightBlue,
        270..330 => Color::LightMagenta,
        _ => Color::LightRed,
    }
}

struct Drawing<'a> {
    buffer: &'a mut Buffer,
    /// Corner of the cell in column 0, row 0.
    corner: (u16, u16),
    cell: CellSize,
    look: Look,
}

/// Draws a session's board, coordinates and marks from the corner (left, top).
pub fn draw<G: Roster>(buffer: &mut Buffer, (left, top): (u16, u16), cell: CellSize, session: &Session<G>, look: Look) {
    let board = session.board();
    let (columns, rows) = board.size();
    let corner = (left + edge(rows) as u16, top + HEAD);
    let mut drawing = Drawing { buffer, corner, cell, look };
    for x in 0..columns {
        drawing.buffer.set_string(drawing.corner(x, 0).0 + (cell.width - 1) / 2, top, x.to_string(), Style::new());
    }
    for y in 0..rows {
        let row = drawing.corner(0, y).1 + cell.height - 1;
        drawing.buffer.set_string(left, row, y.to_string(), Style::new());
    }
    for (x, y, letter) in board.cells() {
        if let Some(token) = token_of::<G>(letter) {
            let fading = matches!(session.phase(), Phase::Moving(clip) if clip.is_fading(x, y));
            drawing.token((x, y), token, fading);
        }
    }
    if matches!(session.phase(), Phase::Choosing | Phase::Chosen) {
        // The best is drawn last, on top.
        for (rank, valued) in session.ranking().iter().take(MARKED).enumerate().rev() {
            let cells = G::cells(valued.action);
            let label = label(rank + 1, arrow(&cells, look), valued.value, cell);
            drawing.mark(&cells, &label, marked(rank == 0, look));
        }
    }
    if let Some(action) = session.starting() {
        let cells = G::cells(action);
        drawing.mark(&cells, arrow(&cells, look), marked(true, look));
    }
    if let Some(Hand { cursor, selected, steered: None, .. }) = session.hand()
        && !matches!(session.phase(), Phase::Over)
    {
        let (sides, colour) = if selected { (['>', '<'], Color::LightYellow) } else { (['[', ']'], Color::White) };
        drawing.beside(cursor, sides, colour);
    }
}

impl Drawing<'_> {
    fn corner(&self, x: usize, y: usize) -> (u16, u16) {
        (self.corner.0 + x as u16 * self.cell.width, self.corner.1 + y as u16 * self.cell.height)
    }

    fn token(&mut self, (x, y): (usize, usize), token: &Token, fading: bool) {
        let style = self.look.token(Some(token));
        let (left, top) = self.corner(x, y);
        if self.cell == CellSize::LETTER {
            let on = Style::new().fg(Color::Black).bg(style.fg.unwrap_or(Color::Reset));
            let style = if token.shape == Shape::Block { style } else { self.look.coloured(on, style) };
            self.buffer.set_string(left, top, format!(" {} ", token.letter), style);
            if fading {
                self.beside((x, y), ['*', '*'], Color::White);
            }
            return;
        }
        let left = left + (self.cell.width - SHAPE) / 2;
        for (row, text) in (top + self.cell.height - 2..).zip(self.look.shape(token.shape)) {
            for (column, part) in (left..).zip(text.chars()) {
                let (shown, style) = match part {
                    // A dark letter on the token's colour.
                    PLACE if token.shape != Shape::Block => {
                        let on = Style::new().fg(Color::Black).bg(style.fg.unwrap_or(Color::Reset));
                        (token.letter, self.look.coloured(on, style).add_modifier(Modifier::BOLD))
                    }
                    PLACE => (token.letter, style),
                    part => (part, style),
                };
                self.buffer.set_string(column, row, shown.to_string(), style);
            }
        }
        if fading {
            self.beside((x, y), ['*', '*'], Color::White);
        }
    }

    /// Draws characters left and right of a cell's shape.
    fn beside(&mut self, (x, y): (usize, usize), sides: [char; 2], colour: Color) {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let style = self.look.coloured(bold.fg(colour).bg(Color::Reset), bold);
        let (left, top) = self.corner(x, y);
        let (left, inner, rows) = match self.cell {
            CellSize::LETTER => (left, 1, 1),
            cell => (left + (cell.width - SHAPE) / 2 - 1, SHAPE, 2),
        };
        for row in top + self.cell.height - rows..top + self.cell.height {
            self.buffer.set_string(left, row, sides[0].to_string(), style);
            self.buffer.set_string(left + inner + 1, row, sides[1].to_string(), style);
        }
    }

    /// Writes a label in the middle of a move's cells.
    fn mark(&mut self, cells: &[(usize, usize)], label: &str, style: Style) {
        let Some([(left, top), (right, bottom)]) = ends(cells) else { return };
        let (x, y) = self.corner(left, top + (bottom - top).div_ceil(2));
        let width = (right - left + 1) as u16 * self.cell.width;
        // Beside a letter, only the rank has room.
        let (label, free) = match self.cell == CellSize::LETTER && left == right {
            true => (&label[..label.chars().next().map_or(0, char::len_utf8)], width - 1),
            false => (label, width.saturating_sub(label.chars().count() as u16) / 2),
        };
        self.buffer.set_string(x + free, y, label, style);
    }
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

fn marked(best: bool, look: Look) -> Style {
    let with = if best {
        Style::new().fg(Color::Black).bg(Color::LightYellow)
    } else {
        Style::new().fg(Color::Black).bg(Color::Gray)
    };
    look.coloured(with, Style::new().add_modifier(Modifier::REVERSED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Match3, Text};

    #[test]
    fn every_shape_is_its_own_and_has_a_letter_in_either_alphabet() {
        use Shape::{Block, Circle, Diamond, Hexagon, Pentagon, Square, Star, Triangle};
        let shapes = [Circle, Square, Triangle, Diamond, Pentagon, Hexagon, Star, Block];
        for ascii in [false, true] {
            let drawn = shapes.map(|shape| Look { ascii, colour: false }.shape(shape));
            for (index, [above, below]) in drawn.iter().enumerate() {
                assert_eq!((above.chars().count(), below.chars().count()), (SHAPE.into(), SHAPE.into()));
                assert_eq!(below.matches(PLACE).count(), 1);
                assert!(!ascii || above.is_ascii() && below.is_ascii());
                assert!(!drawn[..index].contains(&drawn[index]), "{:?}", shapes[index]);
            }
        }
    }

    #[test]
    fn a_colour_is_shown_as_one_of_the_terminals() {
        let colours = Match3::TOKENS.iter().map(|token| nearest(token.colour));
        let before = [Color::LightRed, Color::LightGreen, Color::LightBlue, Color::LightCyan, Color::Gray];
        assert_eq!(colours.collect::<Vec<_>>(), before);
        for (colour, shown) in [
            ([255, 255, 255], Color::White),
            ([0, 0, 0], Color::Gray),
            ([255, 128, 0], Color::Yellow),
            ([250, 220, 0], Color::LightYellow),
            ([160, 0, 200], Color::LightMagenta),
            ([255, 0, 60], Color::LightRed),
        ] {
            assert_eq!(nearest(colour), shown, "{colour:?}");
        }
    }
}
