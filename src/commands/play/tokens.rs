//! The board in a terminal: every token a shape of four by two characters, with its letter, and what is marked on it.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use super::session::{Hand, Phase, Session};
use crate::agents::ActionValue;
use crate::games::match3::{COLUMNS, Move, ROWS};

/// How things are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Only ASCII characters.
    pub ascii: bool,
    /// Colours.
    pub colour: bool,
}

/// A cell's size in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellSize {
    /// Columns, even and at least 6.
    pub width: u16,
    /// Rows, at least 2: the lower two hold the shape.
    pub height: u16,
}

/// Columns at the left of the board, and rows above it, for coordinates.
pub const EDGE: (u16, u16) = (2, 1);
/// The best moves that are marked on the board.
const MARKED: usize = 3;
/// Columns of a shape.
const SHAPE: u16 = 4;
/// Where the letter stands in a shape.
const LETTER: char = 'L';

impl CellSize {
    /// The size of the board with its coordinates.
    pub fn board(self) -> (u16, u16) {
        (EDGE.0 + COLUMNS as u16 * self.width, EDGE.1 + ROWS as u16 * self.height)
    }
}

impl Look {
    /// The style of a token's letter or shape.
    pub fn token(self, letter: char) -> Style {
        let colour = match letter {
            'a' => Color::LightRed,
            'b' => Color::LightGreen,
            'c' => Color::LightBlue,
            'd' => Color::LightCyan,
            _ => Color::Gray,
        };
        self.coloured(Style::new().fg(colour), Style::new())
    }

    /// A style with colours, or the one without.
    pub fn coloured(self, with: Style, without: Style) -> Style {
        if self.colour { with } else { without }
    }

    fn shape(self, letter: char) -> [&'static str; 2] {
        match (letter, self.ascii) {
            ('a', false) => [" ◢◣ ", "◢L█◣"],
            ('b', false) => ["████", "█L██"],
            ('c', false) => [" ◢◣ ", "◥L█◤"],
            ('d', false) => ["◢██◣", "◥L█◤"],
            ('#', false) => ["┌──┐", "└L─┘"],
            ('a', true) => [" /\\ ", "/L_\\"],
            ('b', true) => ["+--+", "+L-+"],
            ('c', true) => [" /\\ ", "\\L_/"],
            ('d', true) => ["/--\\", "\\L-/"],
            ('#', true) => ["####", "#L##"],
            _ => ["    ", "    "],
        }
    }
}

/// Draws a session's board with its coordinates and marks; (left, top) is the corner of the coordinates.
pub fn draw(buffer: &mut Buffer, (left, top): (u16, u16), cell: CellSize, session: &Session, look: Look) {
    let corner = |x: usize, y: usize| (left + EDGE.0 + x as u16 * cell.width, top + EDGE.1 + y as u16 * cell.height);
    let board = session.board();
    let middle = cell.height - 1;
    for x in 0..COLUMNS {
        buffer.set_string(corner(x, 0).0 + cell.width / 2 - 1, top, x.to_string(), Style::new());
    }
    for (y, row) in board.iter().enumerate() {
        buffer.set_string(left, corner(0, y).1 + middle, y.to_string(), Style::new());
        for (x, letter) in row.iter().enumerate() {
            let fading = matches!(session.phase(), Phase::Moving(clip) if clip.is_fading(x, y));
            token(buffer, corner(x, y), cell, *letter, fading, look);
        }
    }
    let mut mark = |at: Move, label: &str, style: Style| {
        let (x, y) = match at.vertical {
            true => corner(at.x, at.y + 1),
            false => (corner(at.x + 1, at.y).0 - cell.width / 2, corner(at.x, at.y).1),
        };
        let around = cell.width.saturating_sub(label.chars().count() as u16);
        buffer.set_string(x + around / 2, y, label, style);
    };
    if matches!(session.phase(), Phase::Choosing | Phase::Chosen) {
        // The best last, so that it is seen whole.
        for (rank, valued) in session.view().iter().take(MARKED).enumerate().rev() {
            let at = Move::of_action(valued.action);
            mark(at, &label(rank + 1, at, valued, cell, look), marked(rank == 0, look));
        }
    }
    if let Some(at) = session.swap() {
        mark(at, arrow(at, look), marked(true, look));
    }
    if let Some(Hand { cursor, selected, .. }) = session.hand()
        && !matches!(session.phase(), Phase::Over)
    {
        let bold = Modifier::BOLD;
        let (sides, colour) = if selected { (['>', '<'], Color::LightYellow) } else { (['[', ']'], Color::White) };
        let style = look.coloured(Style::new().fg(colour).add_modifier(bold), Style::new().add_modifier(bold));
        beside(buffer, corner(cursor.0, cursor.1), cell, sides, style);
    }
}

/// Draws a token into the lower two rows of its cell.
fn token(buffer: &mut Buffer, (x, y): (u16, u16), cell: CellSize, letter: char, fading: bool, look: Look) {
    let style = look.token(letter);
    let left = x + (cell.width - SHAPE) / 2;
    for (row, text) in (y + cell.height - 2..).zip(look.shape(letter)) {
        for (column, part) in (left..).zip(text.chars()) {
            let (shown, style) = match part {
                // A dark letter on the gem's colour.
                LETTER if letter != '#' => {
                    let on = Style::new().fg(Color::Black).bg(style.fg.unwrap_or(Color::Reset));
                    (letter, look.coloured(on, style).add_modifier(Modifier::BOLD))
                }
                LETTER => (letter, style),
                part => (part, style),
            };
            buffer.set_string(column, row, shown.to_string(), style);
        }
    }
    if fading {
        let bold = Modifier::BOLD;
        let style = look.coloured(Style::new().fg(Color::White).add_modifier(bold), Style::new().add_modifier(bold));
        beside(buffer, (x, y), cell, ['*', '*'], style);
    }
}

/// Draws a character at the left and one at the right of a shape.
fn beside(buffer: &mut Buffer, (x, y): (u16, u16), cell: CellSize, sides: [char; 2], style: Style) {
    let left = x + (cell.width - SHAPE) / 2 - 1;
    for row in y + cell.height - 2..y + cell.height {
        buffer.set_string(left, row, sides[0].to_string(), style);
        buffer.set_string(left + SHAPE + 1, row, sides[1].to_string(), style);
    }
}

/// Rank, direction and value; without the value where it does not fit into a cell.
fn label(rank: usize, at: Move, valued: &ActionValue, cell: CellSize, look: Look) -> String {
    let value = match valued.value {
        value if value > -9.95 && value < 99.95 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    };
    let short = format!("{rank}{}", arrow(at, look));
    let whole = format!("{short}{value}");
    if whole.chars().count() <= cell.width.into() { whole } else { short }
}

fn arrow(at: Move, look: Look) -> &'static str {
    match (at.vertical, look.ascii) {
        (true, false) => "↕",
        (false, false) => "↔",
        (true, true) => "|",
        (false, true) => "=",
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
