//! Characters and colours of a terminal.

use std::ffi::OsString;

use ratatui::style::{Color, Style};

use crate::games::Token;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// Colours that the terminal shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colours {
    /// Only the terminal's own two.
    None,
    /// The usual palette of 256 colours.
    Indexed,
    /// All of 24 bits.
    True,
}

/// Characters and colours of a drawing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    pub ascii: bool,
    pub colours: Colours,
}

/// Ground of a board; of its every other cell; of the cells of the best move or under the cursor;
/// of cells about to be cleared.
pub const GROUND: Rgb = [0x20, 0x23, 0x2f];
pub const CHECKED: Rgb = [0x28, 0x2b, 0x38];
pub const CHOSEN: Rgb = [0x56, 0x5c, 0x7a];
pub const CLEARING: Rgb = [0xa8, 0xac, 0xbc];
/// Letters on a token, and what stands out on dark ground.
pub const DARK: Rgb = [0x10, 0x12, 0x18];
pub const LIGHT: Rgb = [0xff, 0xff, 0xff];
pub const GOLD: Rgb = [0xff, 0xe0, 0x66];
pub const GREY: Rgb = [0xa0, 0xa6, 0xb8];

/// Steps of red, green and blue in the palette's cube, which begins at 16.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl Look {
    /// The look that environment variables ask for.
    pub fn of(ascii: bool, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let has = |name, words: &[&str]| {
            let value = variable(name).unwrap_or_default();
            words.iter().any(|word| value.to_string_lossy().contains(word))
        };
        let colours = match variable("NO_COLOR").is_some_and(|set| !set.is_empty()) {
            true => Colours::None,
            false if has("COLORTERM", &["truecolor", "24bit"]) || has("TERM", &["-direct"]) => Colours::True,
            false => Colours::Indexed,
        };
        Self { ascii, colours }
    }

    pub fn has_colours(self) -> bool {
        self.colours != Colours::None
    }

    /// The first style with colours, else the second.
    pub fn coloured(self, with: Style, without: Style) -> Style {
        if self.has_colours() { with } else { without }
    }

    /// A colour as the terminal shows it.
    pub fn colour(self, colour: Rgb) -> Color {
        let [red, green, blue] = colour;
        match self.colours {
            Colours::None => Color::Reset,
            Colours::Indexed => Color::Indexed(nearest(colour)),
            Colours::True => Color::Rgb(red, green, blue),
        }
    }

    pub fn fg(self, colour: Rgb) -> Style {
        self.coloured(Style::new().fg(self.colour(colour)), Style::new())
    }

    pub fn on(self, colour: Rgb, ground: Rgb) -> Style {
        self.coloured(Style::new().fg(self.colour(colour)).bg(self.colour(ground)), Style::new())
    }

    /// A token's letter in a board's text.
    pub fn token(self, token: Option<&Token>) -> Style {
        self.on(token.map_or(GREY, |token| token.colour), GROUND)
    }
}

/// Between two colours; `share` of the second is from 0 to 1.
pub fn mixed(from: Rgb, to: Rgb, share: f64) -> Rgb {
    let part = |from: u8, to: u8| (f64::from(from) + share * (f64::from(to) - f64::from(from))).round() as u8;
    [part(from[0], to[0]), part(from[1], to[1]), part(from[2], to[2])]
}

/// The nearest colour of the palette's cube and greys; the first 16 colours are the user's own.
fn nearest(colour: Rgb) -> u8 {
    let cube = (0..216_u8).map(|place| {
        let step = |place: u8| CUBE[usize::from(place % 6)];
        (16 + place, [step(place / 36), step(place / 6), step(place)])
    });
    let greys = (0..24_u8).map(|step| (232 + step, [8 + 10 * step; 3]));
    let distance = |(_, other): &(u8, Rgb)| distance(colour, *other);
    cube.chain(greys).min_by_key(distance).map_or(16, |(index, _)| index)
}

/// Squared distance of two colours as the eye sees it, by the mean red ("redmean").
fn distance(a: Rgb, b: Rgb) -> i32 {
    let mean = (i32::from(a[0]) + i32::from(b[0])) / 2;
    let [red, green, blue] = [0, 1, 2].map(|part| (i32::from(a[part]) - i32::from(b[part])).pow(2));
    ((512 + mean) * red + 1024 * green + (767 - mean) * blue) >> 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Bejeweled, Bilging, Match3, Tetris, Text, TileMatch};

    fn colours(variables: &[(&str, &str)]) -> Colours {
        let value = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        Look::of(false, value).colours
    }

    #[test]
    fn the_environment_says_which_colours_there_are() {
        assert_eq!(colours(&[("TERM", "xterm-256color")]), Colours::Indexed);
        assert_eq!(colours(&[("COLORTERM", "truecolor")]), Colours::True);
        assert_eq!(colours(&[("COLORTERM", "24bit"), ("NO_COLOR", "")]), Colours::True);
        assert_eq!(colours(&[("TERM", "xterm-direct")]), Colours::True);
        assert_eq!(colours(&[("COLORTERM", "truecolor"), ("NO_COLOR", "1")]), Colours::None);
    }

    #[test]
    fn a_colour_is_shown_as_the_nearest_of_the_palette() {
        let known = [
            ([0, 0, 0], 16),
            ([255, 255, 255], 231),
            ([255, 0, 0], 196),
            ([0, 255, 95], 47),
            ([95, 0, 255], 57),
            ([128, 128, 128], 244),
        ];
        for (colour, index) in known {
            assert_eq!(nearest(colour), index, "{colour:?}");
        }
        let look = Look { ascii: false, colours: Colours::Indexed };
        assert_eq!(look.colour([254, 1, 2]), Color::Indexed(196));
        assert_eq!(Look { colours: Colours::True, ..look }.colour([254, 1, 2]), Color::Rgb(254, 1, 2));
        assert_eq!(Look { colours: Colours::None, ..look }.fg([254, 1, 2]), Style::new());
    }

    #[test]
    fn tokens_of_a_game_differ_in_256_colours_and_gems_by_shape_also_without_colours() {
        for tokens in [Match3::TOKENS, Bilging::TOKENS, Bejeweled::TOKENS, TileMatch::TOKENS, Tetris::TOKENS] {
            for (index, token) in tokens.iter().enumerate() {
                for other in &tokens[..index] {
                    assert_ne!(nearest(token.colour), nearest(other.colour), "{token:?} {other:?}");
                    assert!(token.shape != other.shape || tokens == Tetris::TOKENS, "{token:?} {other:?}");
                }
            }
        }
        // Orange is unlike yellow.
        let colour = |letter| Bejeweled::TOKENS.iter().find(|token| token.letter == letter).unwrap().colour;
        assert!(distance(colour('O'), colour('Y')) > 20_000, "{}", distance(colour('O'), colour('Y')));
    }
}
