//! Drawing of a board's cells by half blocks, two pixels in each character.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::look::{Colours, GREY, GROUND, Look, Rgb};
use super::picture::edge;

/// Size of a cell in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellSize {
    pub width: u16,
    pub height: u16,
}

/// Rows of coordinates above the board.
const HEAD: u16 = 1;

impl CellSize {
    /// The smallest cell of a token: a letter between two columns.
    pub const LETTER: Self = Self { width: 3, height: 1 };

    /// Size of a board with coordinates.
    pub fn board(self, (columns, rows): (usize, usize)) -> (u16, u16) {
        (edge(rows) as u16 + columns as u16 * self.width, HEAD + rows as u16 * self.height)
    }

    /// Whether the board leaves no room around it.
    pub fn is_low(self) -> bool {
        self.height == 1
    }
}

/// A board's place in a buffer.
pub struct Canvas<'a> {
    pub buffer: &'a mut Buffer,
    /// Corner of the cell in column 0, row 0.
    corner: (u16, u16),
    pub cell: CellSize,
    pub look: Look,
}

impl<'a> Canvas<'a> {
    /// A canvas with coordinates for a board of `columns` by `rows`, from the corner (left, top).
    pub fn new(
        buffer: &'a mut Buffer,
        (left, top): (u16, u16),
        cell: CellSize,
        look: Look,
        (columns, rows): (usize, usize),
    ) -> Self {
        let canvas = Self { buffer, corner: (left + edge(rows) as u16, top + HEAD), cell, look };
        let style = look.fg(GREY);
        for x in 0..columns {
            let column = canvas.corner(x, 0).0 + (cell.width - 1) / 2;
            // A narrow cell has room for one digit.
            let number = if cell.width > 2 { x } else { x % 10 };
            canvas.buffer.set_string(column, top, number.to_string(), style);
        }
        for y in 0..rows {
            let row = canvas.corner(0, y).1 + cell.height / 2;
            canvas.buffer.set_string(left, row, y.to_string(), style);
        }
        canvas
    }

    pub fn corner(&self, x: usize, y: usize) -> (u16, u16) {
        (self.corner.0 + x as u16 * self.cell.width, self.corner.1 + y as u16 * self.cell.height)
    }

    /// Fills a cell with pixels by column and row, of which it has two for each row of characters;
    /// without colours, a pixel that is none is left out.
    pub fn fill(&mut self, (x, y): (usize, usize), pixel: impl Fn(u16, u16) -> Option<Rgb>) {
        let (left, top) = self.corner(x, y);
        for (row, column) in (0..self.cell.height).flat_map(|row| (0..self.cell.width).map(move |column| (row, column)))
        {
            let (upper, lower) = (pixel(column, 2 * row), pixel(column, 2 * row + 1));
            let plain = self.look.colours == Colours::None;
            let (character, style) = match (upper, lower) {
                (None, None) => (" ", Style::new()),
                (Some(_), Some(_)) if plain => ("█", Style::new()),
                (Some(_), None) if plain => ("▀", Style::new()),
                (None, Some(_)) if plain => ("▄", Style::new()),
                (Some(upper), Some(lower)) if self.look.colour(upper) == self.look.colour(lower) => {
                    (" ", Style::new().bg(self.look.colour(lower)))
                }
                (Some(upper), Some(lower)) => ("▄", self.look.on(lower, upper)),
                (Some(upper), None) => ("▀", self.look.fg(upper)),
                (None, Some(lower)) => ("▄", self.look.fg(lower)),
            };
            self.buffer.set_string(left + column, top + row, character, style);
        }
    }

    /// Fills a cell with rows of characters, the last again and again.
    pub fn write(&mut self, (x, y): (usize, usize), rows: &[&str], style: Style) {
        let (left, top) = self.corner(x, y);
        for row in 0..self.cell.height {
            let Some(text) = rows.get(usize::from(row)).or(rows.last()) else { return };
            self.buffer.set_string(left, top + row, text, style);
        }
    }

    /// Writes characters left and right of a cell over the ground there.
    pub fn beside(&mut self, (x, y): (usize, usize), sides: [&str; 2], colour: Rgb) {
        let (left, top) = self.corner(x, y);
        let (left, right, style) = match self.cell {
            CellSize::LETTER => (left, left + 2, self.look.on(colour, GROUND)),
            cell => (left.saturating_sub(1), left + cell.width - 1, self.look.fg(colour)),
        };
        let style = style.add_modifier(Modifier::BOLD);
        for row in top..top + self.cell.height {
            self.buffer.set_string(left, row, sides[0], style);
            self.buffer.set_string(right, row, sides[1], style);
        }
    }
}
