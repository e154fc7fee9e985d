//! Tiles of a moving picture: gems, or blocks of pieces.

use std::f64::consts::{PI, TAU};

use super::{CELL, Frame};
use crate::games::{Shape, Text, Token};
use crate::svg::{Svg, round};

/// Empty cell of a game with pieces.
const EMPTY: char = '.';
/// Scale of a board with pieces, which are higher than others.
pub(super) const SCALE: f64 = 0.7;

/// What a game's boards are drawn by.
#[derive(Clone, Copy, Debug)]
pub struct Tiles<'a> {
    /// Tokens of the game, in the order of their tiles.
    pub tokens: &'a [Token],
    /// Letters of the pieces, in games with pieces.
    pub pieces: &'a [char],
    /// Rows that show the piece, above the board.
    pub above: usize,
}

impl Tiles<'static> {
    /// Tiles of a game.
    pub fn of<G: Text>() -> Self {
        let (pieces, above) = G::PIECES.map_or((&[][..], 0), |pieces| (pieces.letters(), pieces.rows()));
        Self { tokens: G::TOKENS, pieces, above }
    }
}

impl Tiles<'_> {
    pub(super) fn has_pieces(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Tile of a character; none for an empty cell.
    pub(super) fn of_character(&self, character: char) -> Option<usize> {
        match character {
            EMPTY if self.has_pieces() => None,
            // A row about to vanish.
            ' ' if self.has_pieces() => Some(self.tokens.len()),
            _ => self.tokens.iter().position(|token| token.letter == character),
        }
    }

    /// Colour of the piece of a frame.
    pub(super) fn colour_of_piece(&self, frame: &Frame) -> String {
        let piece = frame.rows.iter().flat_map(|row| row.chars()).find(|letter| self.pieces.contains(letter));
        let token = piece.and_then(|piece| self.tokens.iter().find(|token| token.letter == piece));
        token.map_or("#fff".to_owned(), |token| hex(token.colour))
    }

    /// Defines the tiles, the empty tile and the ground.
    pub(super) fn define(&self, svg: &mut Svg) {
        svg.add(format_args!(r#"<defs><g id="e"/>"#));
        match self.has_pieces() {
            true => self.define_blocks(svg),
            false => self.define_gems(svg),
        }
        svg.add(format_args!("</defs>"));
    }

    fn define_gems(&self, svg: &mut Svg) {
        svg.add(format_args!(
            r##"<linearGradient id="shine" x2="0" y2="1"><stop stop-color="#fff" stop-opacity=".4"/><stop offset=".5" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-opacity=".28"/></linearGradient>
<pattern id="cells" width="{0}" height="{0}" patternUnits="userSpaceOnUse"><path d="M0 0h{CELL}v{CELL}H0zM{CELL} {CELL}h{CELL}v{CELL}h-{CELL}z" fill="#fff" fill-opacity=".035"/></pattern>"##,
            2.0 * CELL
        ));
        for (index, Token { colour, shape, .. }) in self.tokens.iter().enumerate() {
            let (element, colour) = (outline(*shape), hex(*colour));
            svg.add(format_args!(
                r##"<g id="t{index}" stroke-linejoin="round"><{element} fill="{colour}" stroke="{colour}" stroke-width="4"/><{element} fill="url(#shine)" stroke="#000" stroke-opacity=".25" stroke-width="1"/></g>"##
            ));
        }
    }

    /// Defines bevelled blocks, and a white one for full rows.
    fn define_blocks(&self, svg: &mut Svg) {
        svg.add(format_args!(
            r##"<pattern id="cells" width="{CELL}" height="{CELL}" patternUnits="userSpaceOnUse"><path d="M0 0H{CELL}M0 0V{CELL}" stroke="#fff" stroke-opacity=".05" stroke-width="2"/></pattern>"##
        ));
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.letter != EMPTY) {
            let colour = hex(token.colour);
            svg.add(format_args!(
                r##"<g id="t{index}"><rect x="1" y="1" width="38" height="38" rx="5" fill="{colour}"/><path d="M2 38L10 30H30V10L38 2V34a4 4 0 0 1-4 4z" fill-opacity=".2"/><path d="M38 2L30 10H10V30L2 38V6a4 4 0 0 1 4-4z" fill="#fff" fill-opacity=".22"/></g>"##
            ));
        }
        svg.add(format_args!(
            r##"<rect id="t{}" width="{CELL}" height="{CELL}" fill="#fff" fill-opacity=".94"/>"##,
            self.tokens.len()
        ));
    }

    /// Draws the ground of a board, below the rows that show the piece.
    pub(super) fn ground(&self, svg: &mut Svg, (columns, rows): (usize, usize)) {
        let colour = if self.has_pieces() { "#0d0f15" } else { "#20232f" };
        let top = CELL * self.above.min(rows) as f64;
        let (width, height) = (CELL * columns as f64, CELL * rows as f64 - top);
        svg.add(format_args!(
            r##"<rect x="-6" y="{}" width="{}" height="{}" rx="10" fill="{colour}"/>"##,
            top - 6.0,
            width + 12.0,
            height + 12.0
        ));
        let y = if top > 0.0 { format!(r#" y="{top}""#) } else { String::new() };
        svg.add(format_args!(r#"<rect{y} width="{width}" height="{height}" fill="url(#cells)"/>"#));
    }
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Unpainted element of a shape in a cell whose corner is at 0, 0.
pub fn outline(shape: Shape) -> String {
    match shape {
        Shape::Circle => r#"circle cx="20" cy="20" r="12.5""#.to_owned(),
        Shape::Square => r#"rect x="8.5" y="8.5" width="23" height="23" rx="3""#.to_owned(),
        Shape::Block => r#"rect x="4" y="4" width="32" height="32" rx="3""#.to_owned(),
        Shape::Triangle => polygon(3, 22.5, |_| 15.0),
        Shape::Pentagon => polygon(5, 20.7, |_| 13.5),
        Shape::Hexagon => polygon(6, 20.0, |_| 13.5),
        Shape::Diamond => polygon(4, 20.0, |_| 14.5),
        Shape::Star => polygon(10, 20.7, |corner| if corner % 2 == 0 { 15.0 } else { 7.5 }),
    }
}

/// A regular polygon or star with one corner up; middle and radius are in pixels.
fn polygon(corners: usize, middle: f64, radius: impl Fn(usize) -> f64) -> String {
    let point = |corner: usize| {
        let (angle, radius) = (TAU * corner as f64 / corners as f64 - PI / 2.0, radius(corner));
        format!("{},{}", round(CELL / 2.0 + radius * angle.cos()), round(middle + radius * angle.sin()))
    };
    format!(r#"polygon points="{}""#, (0..corners).map(point).collect::<Vec<_>>().join(" "))
}
