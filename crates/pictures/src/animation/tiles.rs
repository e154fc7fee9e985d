//! Tiles of a moving picture: gems, or blocks of pieces.

use super::Frame;
use crate::games::{Shape, Text, Token};
use crate::outline::{CELL, Outline};
use crate::svg::Svg;

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
    pub(crate) fn has_pieces(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Tile of a character; none for an empty cell.
    pub(crate) fn of_character(&self, character: char) -> Option<usize> {
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

    /// Each token's tile as pixels [side, side, 3], red, green and blue, on the ground.
    pub fn pixels(&self, side: usize) -> Vec<(char, Vec<u8>)> {
        let scale = CELL / side as f64;
        let tile = |token: &Token| {
            let outline = match self.has_pieces() {
                true => Outline::Rectangle { side: 38.0, corner: 5.0 },
                false => Outline::of(token.shape),
            };
            // Gems have a stroke of their own colour.
            let stroke = if self.has_pieces() { 0.0 } else { 2.0 };
            let pixel = |index: usize| {
                let [x, y] = [index % side, index / side].map(|at| (at as f64 + 0.5) * scale);
                let covered = ((stroke - outline.distance(x, y)) / scale + 0.5).clamp(0.0, 1.0);
                let covered = if token.letter == EMPTY && self.has_pieces() { 0.0 } else { covered };
                // Light falls from above.
                let light = 1.0 - 2.0 * y / CELL;
                std::array::from_fn::<u8, 3, _>(|channel| {
                    let (ground, own) = (f64::from(self.ground_colour()[channel]), f64::from(token.colour[channel]));
                    let lit = if light > 0.0 { own + 0.4 * light * (255.0 - own) } else { own + 0.28 * light * own };
                    (ground + covered * (lit - ground)).round() as u8
                })
            };
            (token.letter, (0..side * side).flat_map(pixel).collect())
        };
        self.tokens.iter().map(tile).collect()
    }

    pub(crate) fn ground_colour(&self) -> [u8; 3] {
        if self.has_pieces() { [0x0d, 0x0f, 0x15] } else { [0x20, 0x23, 0x2f] }
    }

    /// Draws the ground of a board, below the rows that show the piece.
    pub(super) fn ground(&self, svg: &mut Svg, (columns, rows): (usize, usize)) {
        let colour = hex(self.ground_colour());
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
    Outline::of(shape).to_string()
}
