//! Themes: the look of the gems of a game's pictures, as data.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::cell::SIDE;
use super::colour::{Oklab, oklab, rgb};
use crate::error::{Error, Result, in_words};
use crate::files;

macro_rules! themes {
    ($($name:literal,)*) => {
        /// The names of the themes in the program.
        pub const NAMES: &[&str] = &[$($name,)*];
        const FILES: &[&str] = &[$(include_str!(concat!("../themes/", $name, ".toml")),)*];
    };
}

themes! {
    "match3", "kit", "bejeweled", "bejeweled-deluxe", "bejeweled-flash", "bejeweled-drawn", "tile-match", "bilging",
    "samegame", "lmgame-bench", "articles", "articles-1",
}

const LONGEST: u64 = 1 << 20;
/// Most gems; each cell of a picture is compared with all.
const MOST_GEMS: usize = 256;

/// Columns or rows that a field may have.
pub const SIZES: std::ops::RangeInclusive<usize> = 3..=20;
/// Minimum spread of a colour, by noise and compression.
const LEAST_SPREAD: f32 = 0.025;

/// Maximum distance of a shade of grey from the axis of greys.
const PALEST: f32 = 0.03;

/// Look of the gems in a game's pictures, and size of the field.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub(super) size: [usize; 2],
    pub(super) gems: Gems,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Gems {
    /// By the nearest prototype.
    Prototypes(Vec<Prototype>),
    /// By the range that holds most pixels, as in the articles.
    Ranges(Vec<Range>),
}

/// The look of a gem; a letter may have several.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prototype {
    pub(super) letter: char,
    pub(super) colour: Oklab,
    /// Usual distance of a cell from this colour.
    pub(super) spread: f32,
    pub(super) shape: Option<[f32; SIDE * SIDE]>,
}

/// Red, green and blue that a gem's pixels may have, both ends included.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) letter: char,
    pub(super) low: [u8; 3],
    pub(super) high: [u8; 3],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    columns: usize,
    rows: usize,
    gem: Vec<WrittenGem>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenGem {
    letter: char,
    #[serde(skip_serializing_if = "Option::is_none")]
    colour: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[[u8; 3]; 2]>,
}

impl Theme {
    /// Columns and rows of a board.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Letters that a cell may have.
    pub fn letters(&self) -> BTreeSet<char> {
        match &self.gems {
            Gems::Prototypes(gems) => gems.iter().map(|gem| gem.letter).collect(),
            Gems::Ranges(gems) => gems.iter().map(|gem| gem.letter).collect(),
        }
    }

    /// Whether any gem has a colour that is not grey.
    pub(super) fn has_colours(&self) -> bool {
        match &self.gems {
            Gems::Prototypes(gems) => gems.iter().any(|gem| gem.colour[1].hypot(gem.colour[2]) > PALEST),
            Gems::Ranges(_) => true,
        }
    }

    /// The theme in the program that has a name; `None` if there is none. [`NAMES`] has the names.
    pub fn named(name: &str) -> Option<Result<Self>> {
        let at = NAMES.iter().position(|known| *known == name)?;
        Some(Self::parse(&format!("the theme {name}"), FILES[at]))
    }

    /// The theme of a name in the program or of a file that ends in `.toml`.
    pub fn load(name: &str) -> Result<Self> {
        if let Some(theme) = Self::named(name) {
            return theme;
        }
        if !name.ends_with(".toml") {
            let names = NAMES.join(", ");
            return Err(Error::user(format!(
                "there is no theme {name:?}: it must be one of {names}, or a file that ends in .toml"
            )));
        }
        Self::parse(name, &files::text(name, files::read_limited(Path::new(name), LONGEST)?)?)
    }

    /// The theme of a TOML file's text; an error names file, gem and key.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let wrong = |what: String| Error::user(format!("{name}: {what}"));
        let written: Written = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(String::new(), |span| {
                format!("line {}: ", 1 + text[..span.start.min(text.len())].matches('\n').count())
            });
            wrong(format!("{line}{}", in_words(error.message())))
        })?;
        for (key, size) in [("columns", written.columns), ("rows", written.rows)] {
            if !SIZES.contains(&size) {
                return Err(wrong(format!("{key} = {size}: it must be from {} to {}", SIZES.start(), SIZES.end())));
            }
        }
        if written.gem.len() > MOST_GEMS {
            return Err(wrong(format!("it has {} gems, and may have {MOST_GEMS}", written.gem.len())));
        }
        let ranges = written.gem.iter().filter(|gem| gem.range.is_some()).count();
        let gems = match ranges {
            0 => {
                let read =
                    |gem: &WrittenGem| prototype(gem).map_err(|what| wrong(format!("gem {:?}: {what}", gem.letter)));
                Gems::Prototypes(written.gem.iter().map(read).collect::<Result<_>>()?)
            }
            _ if ranges < written.gem.len() => {
                return Err(wrong("all gems must have a range, or none".to_owned()));
            }
            _ => {
                let read = |gem: &WrittenGem| range(gem).map_err(|what| wrong(format!("gem {:?}: {what}", gem.letter)));
                Gems::Ranges(written.gem.iter().map(read).collect::<Result<_>>()?)
            }
        };
        let theme = Self { size: [written.columns, written.rows], gems };
        match theme.letters() {
            letters if letters.len() < 2 => Err(wrong("it must have gems of two letters or more".to_owned())),
            letters if letters.iter().any(|letter| letter.is_whitespace() || letter.is_control() || *letter == '?') => {
                Err(wrong("a letter cannot be a space or ?, which stands for a cell that is not sure".to_owned()))
            }
            _ => Ok(theme),
        }
    }

    /// The theme as a TOML file below a comment.
    pub fn to_toml(&self, comment: &str) -> Result<String> {
        let gem = match &self.gems {
            Gems::Prototypes(gems) => gems.iter().map(write_prototype).collect(),
            Gems::Ranges(gems) => gems.iter().map(write_range).collect(),
        };
        let written = Written { columns: self.size[0], rows: self.size[1], gem };
        let text = toml::to_string_pretty(&written)
            .map_err(|error| Error::runtime(format!("the theme cannot be written: {error}")))?;
        Ok(comment.lines().map(|line| format!("# {line}\n")).collect::<String>() + &text)
    }
}

fn prototype(gem: &WrittenGem) -> std::result::Result<Prototype, String> {
    let colour = gem.colour.as_deref().ok_or("colour is missing, such as colour = \"#e5484d\"")?;
    let digits = colour.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii());
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let number = number.ok_or(format!("colour = {colour:?}: it must be six digits such as \"#e5484d\""))?;
    let [_, red, green, blue] = number.to_be_bytes();
    let spread = gem.spread.unwrap_or(LEAST_SPREAD);
    if !(0.001..=0.5).contains(&spread) {
        return Err(format!("spread = {spread}: it must be from 0.001 to 0.5"));
    }
    let shape = gem.shape.as_ref().map(|rows| {
        let digits: Option<Vec<f32>> =
            rows.concat().chars().map(|digit| Some(digit.to_digit(10)? as f32 / 9.0)).collect();
        let whole = rows.len() == SIDE && rows.iter().all(|row| row.len() == SIDE);
        let shape = digits.filter(|_| whole).and_then(|digits| digits.try_into().ok());
        shape.ok_or(format!("shape must be {SIDE} texts of {SIDE} digits"))
    });
    Ok(Prototype {
        letter: gem.letter,
        colour: oklab([red, green, blue]),
        spread: spread.max(LEAST_SPREAD),
        shape: shape.transpose()?,
    })
}

fn write_prototype(gem: &Prototype) -> WrittenGem {
    let [red, green, blue] = rgb(gem.colour);
    let digit = |value: &f32| char::from(b'0' + (9.0 * value).round().clamp(0.0, 9.0) as u8);
    WrittenGem {
        letter: gem.letter,
        colour: Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        spread: Some((gem.spread * 1e3).round() / 1e3),
        shape: gem.shape.map(|shape| shape.chunks(SIDE).map(|row| row.iter().map(digit).collect()).collect()),
        range: None,
    }
}

fn range(gem: &WrittenGem) -> std::result::Result<Range, String> {
    match gem {
        WrittenGem { range: Some([low, high]), colour: None, spread: None, shape: None, .. } => {
            match low.iter().zip(high).all(|(low, high)| low <= high) {
                true => Ok(Range { letter: gem.letter, low: *low, high: *high }),
                false => Err("range must be the least red, green and blue, then the most".to_owned()),
            }
        }
        _ => Err("with a range it cannot have colour, spread or shape".to_owned()),
    }
}

fn write_range(gem: &Range) -> WrittenGem {
    let range = Some([gem.low, gem.high]);
    WrittenGem { letter: gem.letter, colour: None, spread: None, shape: None, range }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theme_in_the_program_can_be_read_and_comes_back_from_its_text() {
        for name in NAMES {
            let theme = Theme::named(name).unwrap().unwrap();
            let text = theme.to_toml("two\nlines").unwrap();
            assert!(text.starts_with("# two\n# lines\ncolumns = "), "{text}");
            let again = Theme::parse("x", &text).unwrap();
            assert_eq!(again.to_toml("two\nlines").unwrap(), text, "{name}");
        }
        assert!(Theme::named("chess").is_none());
    }

    #[test]
    fn what_is_wrong_with_a_theme_is_said_by_file_gem_and_key() {
        let head = "columns = 8\nrows = 8\n";
        let red = "[[gem]]\nletter = \"R\"\ncolour = \"#ff0000\"\n";
        let blue = "[[gem]]\nletter = \"B\"\ncolour = \"#0000ff\"\n";
        assert!(Theme::parse("t.toml", &format!("{head}{red}{blue}")).is_ok());
        for (text, what) in [
            (format!("columns = 8\n{red}{blue}"), "rows"),
            (format!("columns = 2\nrows = 8\n{red}{blue}"), "columns = 2: it must be from 3 to 20"),
            (format!("{head}{red}"), "two letters or more"),
            (format!("{head}{red}{blue}size = 3\n"), "line 9: unknown field `size`"),
            (format!("{head}{red}{}", blue.replace("#0000ff", "blue")), "gem 'B': colour = \"blue\""),
            (format!("{head}{red}{}", blue.replace("#0000ff", "#0000é")), "gem 'B': colour"),
            (format!("{head}{red}{blue}spread = 0.0\n"), "gem 'B': spread = 0"),
            (format!("{head}{red}{blue}spread = nan\n"), "gem 'B': spread = NaN"),
            (format!("{head}{red}{blue}shape = [\"01\"]\n"), "gem 'B': shape must be 12 texts"),
            (format!("{head}{red}{blue}range = [[0, 0, 0], [1, 1, 1]]\n"), "all gems must have a range"),
            (format!("{head}{red}{}", blue.replace('B', "?")), "a letter cannot be a space or ?"),
            ("\u{fffd}".to_owned(), "line 1"),
        ] {
            match Theme::parse("t.toml", &text) {
                Err(Error::User(sentence)) => {
                    assert!(sentence.starts_with("t.toml: ") && sentence.contains(what), "{sentence}");
                }
                other => panic!("{text}\n{other:?}"),
            }
        }
    }
}
