//! Reading a board from a picture.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use super::cell::{Look, QUICK, SAMPLES, agreement};
use super::colour::distance;
use super::field::{Candidate, Field, Finder, Places, find, stands_out};
use super::picture::Picture;
use super::theme::{Gems, Prototype, Range, Theme};
use crate::error::{Error, Result};

/// Letter of a cell that is not sure.
pub const UNKNOWN: char = '?';
/// Minimum probability of a letter that is sure.
pub const SURE: f32 = 0.9;

/// Maximum share of a field's gems that lie together.
const TOGETHER: f32 = 0.5;
/// Minimum share of sure cells of a game that needs no further search.
const NEARLY_ALL: f32 = 0.95;

/// Cells of runs from the first one, across and down, and of a square.
const RUNS: [&[(usize, usize)]; 2] = [&[(0, 0), (1, 0), (2, 0)], &[(0, 0), (0, 1), (0, 2)]];
const SQUARE: &[(usize, usize)] = &[(0, 0), (1, 0), (0, 1), (1, 1)];
/// Five cells as on dice, of which a chequerboard consists.
const FIVE: &[(usize, usize)] = &[(0, 0), (2, 0), (1, 1), (0, 2), (2, 2)];

/// Cost, in spreads squared, above which a gem is more likely unknown.
const STRANGE: f32 = 16.0;
/// Cost of a shape's disagreement, and the agreement that costs nothing.
const SHAPE: f32 = 24.0;
const AGREES: f32 = 0.85;
/// Difference of costs at which a gem's probability is lost in rounding.
const NEGLIGIBLE: f32 = 60.0;

/// A cell as it was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The most probable letter.
    pub letter: char,
    /// Probability of the letter among all letters and an unknown gem.
    pub confidence: f32,
}

impl Cell {
    /// Whether the confidence is at least [`SURE`].
    pub fn is_sure(&self) -> bool {
        self.confidence >= SURE
    }
}

/// A board as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Place of the board in the picture.
    pub field: Field,
    /// Cells, row by row.
    pub cells: Vec<Cell>,
}

impl Reading {
    /// The board, a line a row without a last newline; `?` where a cell is not sure.
    pub fn board(&self) -> String {
        let letter = |cell: &Cell| if cell.is_sure() { cell.letter } else { UNKNOWN };
        let rows = self.cells.chunks(self.field.size[0]).map(|row| row.iter().map(letter).collect());
        rows.collect::<Vec<String>>().join("\n")
    }

    /// The board with each cell's most probable letter, sure or not.
    pub fn likeliest(&self) -> String {
        let rows = self.cells.chunks(self.field.size[0]).map(|row| row.iter().map(|cell| cell.letter).collect());
        rows.collect::<Vec<String>>().join("\n")
    }

    /// How much the cells look like a board, from 0 to 1: mean confidence of cells outside of runs,
    /// less if one letter has most cells or many lie together, as on a surface or a large tile.
    fn plausibility(&self) -> f32 {
        let outside = self.cells.iter().zip(self.in_runs()).filter(|(_, in_run)| !in_run);
        let confidence = outside.map(|(cell, _)| cell.confidence).sum::<f32>() / self.cells.len() as f32;
        confidence * (2.0 * (1.0 - self.most_frequent())).min(1.0) * (1.25 - self.together()).min(1.0)
    }

    /// Share of sure cells in threes in line, squares of four or fives as on dice of one gem, rare on a
    /// board at rest.
    fn together(&self) -> f32 {
        let together = self.within(&[&RUNS[..], &[SQUARE, FIVE]].concat());
        let sure = || self.cells.iter().zip(&together).filter(|(cell, _)| cell.is_sure());
        sure().filter(|(_, together)| **together).count() as f32 / sure().count().max(1) as f32
    }

    /// Takes the certainty from sure cells in runs of three, which no board of most games has at
    /// rest; returns column and row of the first.
    ///
    /// A picture of gems that move, or in other colours than the theme's, shows such runs.
    pub fn doubt_runs(&mut self) -> Option<[usize; 2]> {
        let letter = |cell: &Cell| Cell { letter: if cell.is_sure() { cell.letter } else { UNKNOWN }, ..*cell };
        let sure = Self { cells: self.cells.iter().map(letter).collect(), ..*self };
        let runs = sure.in_runs();
        self.cells.iter_mut().zip(&runs).filter(|(_, in_run)| **in_run).for_each(|(cell, _)| cell.confidence = 0.0);
        let first = runs.iter().position(|in_run| *in_run)?;
        Some([first % self.field.size[0], first / self.field.size[0]])
    }

    /// Takes the certainty from rows and columns of one letter: they are surfaces beside the field.
    fn doubt_lines(&mut self) {
        let [columns, rows] = self.field.size;
        let across = (0..rows).map(|row| (0..columns).map(|column| row * columns + column).collect());
        let down = (0..columns).map(|column| (0..rows).map(|row| row * columns + column).collect());
        for line in across.chain(down).collect::<Vec<Vec<usize>>>() {
            let first = self.cells[line[0]].letter;
            if first.is_alphanumeric() && line.iter().all(|at| self.cells[*at].letter == first) {
                line.iter().for_each(|at| self.cells[*at].confidence = 0.0);
            }
        }
    }

    /// Whether each cell is one of three of a gem in line, which no board at rest has.
    fn in_runs(&self) -> Vec<bool> {
        self.within(&RUNS)
    }

    /// Whether each cell lies in one of these forms of equal gems; signs, such as an obstacle's, are
    /// no gems.
    fn within(&self, forms: &[&[(usize, usize)]]) -> Vec<bool> {
        let [columns, rows] = self.field.size;
        let mut within = vec![false; self.cells.len()];
        for (at, form) in (0..self.cells.len()).flat_map(|at| forms.iter().map(move |form| (at, form))) {
            let (column, row) = (at % columns, at / columns);
            if !form.iter().all(|(x, y)| column + x < columns && row + y < rows) {
                continue;
            }
            let places = form.iter().map(|(x, y)| at + x + y * columns);
            let first = self.cells[at].letter;
            if first.is_alphanumeric() && places.clone().all(|at| self.cells[at].letter == first) {
                places.for_each(|at| within[at] = true);
            }
        }
        within
    }

    fn most_frequent(&self) -> f32 {
        let count = |cell: &Cell| self.cells.iter().filter(|other| other.letter == cell.letter).count();
        self.cells.iter().map(count).max().unwrap_or(0) as f32 / self.cells.len() as f32
    }

    /// Share of sure cells.
    fn share_sure(&self) -> f32 {
        1.0 - self.unsure().count() as f32 / self.cells.len() as f32
    }

    /// Column, row and cell of each cell that is not sure.
    pub fn unsure(&self) -> impl Iterator<Item = (usize, usize, &Cell)> {
        let columns = self.field.size[0];
        let placed = self.cells.iter().enumerate().map(move |(at, cell)| (at % columns, at / columns, cell));
        placed.filter(|(_, _, cell)| !cell.is_sure())
    }
}

/// The board of a picture; an error if no field is found.
pub fn read(name: &str, picture: &Picture, theme: &Theme) -> Result<Reading> {
    Ok(read_best(name, picture, std::slice::from_ref(theme), None)?.1)
}

/// The board of a picture by the best of themes of one size, and the theme's index.
///
/// The best theme has the surest cells; only themes without colours are sure in a grey picture. The
/// field is found unless given, and refused if most of its gems lie together.
pub fn read_best(name: &str, picture: &Picture, themes: &[Theme], field: Option<Field>) -> Result<(usize, Reading)> {
    let size = size_of(name, themes)?;
    match field {
        Some(field) => Ok(doubted(picture, themes, by_best(picture, themes, field))),
        None => found_by_best(name, picture, themes, find(picture, size, by_any(themes))),
    }
}

/// The board of a picture that shows one of several games, each with its themes: the game's index, the
/// theme's, and the reading; an error if no game's field is found.
///
/// The game is the one whose reading looks most like a board. The slower search for fields without
/// borders is left out if a field with borders looks like a board in nearly all cells.
pub fn read_games(name: &str, picture: &Picture, games: &[Vec<Theme>]) -> Result<(usize, usize, Reading)> {
    let sizes: Vec<[usize; 2]> = games.iter().map(|themes| size_of(name, themes)).collect::<Result<_>>()?;
    let finder = Finder::new(picture);
    // Games of one size have their fields in the same places.
    let each: BTreeSet<[usize; 2]> = sizes.iter().copied().collect();
    let places: BTreeMap<[usize; 2], Places> = each.into_iter().map(|size| (size, finder.places(size))).collect();
    let all = || games.iter().zip(&sizes).map(|(themes, size)| (&places[size], by_any(themes)));
    let mut found: Vec<Option<Candidate>> = all().map(|(places, vote)| finder.by_borders(places, vote)).collect();
    let standing_out: Vec<Option<Candidate>> = found.iter().map(|found| found.filter(stands_out)).collect();
    if let Ok(best) = best_game(name, picture, games, &standing_out)
        && best.2.share_sure() >= NEARLY_ALL
    {
        return Ok(best);
    }
    let (open, searched): (Vec<usize>, Vec<_>) =
        all().enumerate().filter(|(game, _)| standing_out[*game].is_none()).unzip();
    if let Some((at, candidate)) = finder.by_votes(&searched) {
        found[open[at]] = Some(candidate);
    }
    best_game(name, picture, games, &found)
}

/// The game whose field reads most like a board.
fn best_game(
    name: &str,
    picture: &Picture,
    games: &[Vec<Theme>],
    found: &[Option<Candidate>],
) -> Result<(usize, usize, Reading)> {
    let mut best: Result<(usize, usize, Reading)> = Err(Error::user(format!("{name}: there is no game to read it as")));
    let mut votes = 0.0;
    for (game, (themes, candidate)) in games.iter().zip(found).enumerate() {
        match found_by_best(name, picture, themes, candidate.map(|(_, field)| field)) {
            Ok((theme, reading)) => {
                let own = vote(&themes[theme], &reading);
                if best.is_err() || own > votes {
                    votes = own;
                    best = Ok((game, theme, reading));
                }
            }
            Err(error) if best.is_err() => best = Err(error),
            Err(_) => {}
        }
    }
    best
}

/// Columns and rows of the boards of themes.
fn size_of(name: &str, themes: &[Theme]) -> Result<[usize; 2]> {
    let size = themes.first().ok_or_else(|| Error::user(format!("{name}: there is no theme to read it by")))?.size;
    match themes.iter().any(|theme| theme.size != size) {
        true => Err(Error::user(format!("{name}: the themes to read it by have boards of several sizes"))),
        false => Ok(size),
    }
}

/// Votes of a field: those of the theme that reads it best, by a quick look at the cells.
fn by_any(themes: &[Theme]) -> impl Fn(&Picture, &Field) -> f32 {
    |picture, field| {
        let readings = read_all(picture, themes, *field, QUICK);
        themes.iter().zip(&readings).map(|(theme, reading)| vote(theme, reading)).fold(0.0, f32::max)
    }
}

/// The reading of a field that was found, if one was and its gems do not lie together.
fn found_by_best(name: &str, picture: &Picture, themes: &[Theme], found: Option<Field>) -> Result<(usize, Reading)> {
    let none = || none(name, themes[0].size);
    let (best, reading) = by_best(picture, themes, found.ok_or_else(none)?);
    // A few sure cells prove nothing.
    match reading.share_sure() > 0.25 && reading.together() > TOGETHER {
        true => Err(none()),
        false => Ok(doubted(picture, themes, (best, reading))),
    }
}

/// The reading of a field by the best of themes, and the theme's index.
fn by_best(picture: &Picture, themes: &[Theme], field: Field) -> (usize, Reading) {
    let mut readings = read_all(picture, themes, field, SAMPLES);
    let votes: Vec<f32> = themes.iter().zip(&readings).map(|(theme, reading)| vote(theme, reading)).collect();
    // The first of equal themes.
    let best = (0..votes.len()).rev().max_by(|one, other| votes[*one].total_cmp(&votes[*other])).unwrap_or(0);
    (best, readings.swap_remove(best))
}

/// The reading without certainty where a theme cannot have any: in grey pictures and in lines of one
/// letter.
fn doubted(picture: &Picture, themes: &[Theme], (best, mut reading): (usize, Reading)) -> (usize, Reading) {
    if themes[best].has_colours() && picture.is_grey(reading.field.rectangle()) {
        // Lightness alone does not tell gems apart.
        reading.cells.iter_mut().for_each(|cell| cell.confidence = 0.0);
    }
    reading.doubt_lines();
    (best, reading)
}

fn vote(theme: &Theme, reading: &Reading) -> f32 {
    // A range is sure of any cell with one pixel in it.
    if matches!(theme.gems, Gems::Ranges(_)) { reading.plausibility() / 2.0 } else { reading.plausibility() }
}

pub(super) fn none(name: &str, [columns, rows]: [usize; 2]) -> Error {
    Error::user(format!(
        "{name} shows no field of {columns} by {rows} gems that can be found: crop it, or say where the field is by \
         --field X,Y,WIDTH,HEIGHT"
    ))
}

/// The board of a field whose place is known.
pub fn read_field(picture: &Picture, theme: &Theme, field: Field) -> Reading {
    read_all(picture, std::slice::from_ref(theme), field, SAMPLES).remove(0)
}

/// Boards in a field by each theme, with one look at each cell by so many samples on its side.
fn read_all(picture: &Picture, themes: &[Theme], field: Field, samples: usize) -> Vec<Reading> {
    let [columns, rows] = field.size;
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    let mut cells = vec![Vec::with_capacity(columns * rows); themes.len()];
    for (column, row) in places {
        let look = LazyCell::new(|| Look::new(picture, &field, [column, row], samples));
        for (theme, cells) in themes.iter().zip(&mut cells) {
            cells.push(match &theme.gems {
                Gems::Prototypes(gems) => nearest(gems, &look),
                Gems::Ranges(gems) => most_in_range(gems, picture, &field, column, row),
            });
        }
    }
    cells.into_iter().map(|cells| Reading { field, cells }).collect()
}

/// The most probable letter of a look.
///
/// Each gem, and an unknown one, has a probability proportional to exp(-cost / 2). The cost is the
/// squared distance of the colours in spreads, plus the disagreement of the shapes.
fn nearest(gems: &[Prototype], look: &Look) -> Cell {
    let colour = |gem: &Prototype| (distance(look.colour, gem.colour) / gem.spread).powi(2);
    let shape = |gem: &Prototype| match &gem.shape {
        Some(shape) => SHAPE * (AGREES - agreement(&look.shape, shape)).max(0.0),
        None => 0.0,
    };
    let colours: Vec<f32> = gems.iter().map(colour).collect();
    let nearest = colours.iter().zip(gems).min_by(|one, other| one.0.total_cmp(other.0));
    // Shapes take long to compare, and save no gem whose colour alone is this far off.
    let hopeless = nearest.map_or(0.0, |(colour, gem)| colour + shape(gem) + NEGLIGIBLE);
    let cost =
        |(gem, colour): (&Prototype, f32)| (gem.letter, if colour > hopeless { colour } else { colour + shape(gem) });
    let costs: Vec<(char, f32)> = gems.iter().zip(colours).map(cost).collect();
    let lowest = costs.iter().map(|(_, cost)| *cost).fold(STRANGE, f32::min);
    let weight = |cost: f32| ((lowest - cost) / 2.0).exp();
    let total = weight(STRANGE) + costs.iter().map(|(_, cost)| weight(*cost)).sum::<f32>();
    let best = costs.iter().min_by(|one, other| one.1.total_cmp(&other.1));
    let letter = best.map_or(UNKNOWN, |(letter, _)| *letter);
    let own = costs.iter().filter(|(other, _)| *other == letter).map(|(_, cost)| weight(*cost)).sum::<f32>();
    Cell { letter, confidence: own / total }
}

/// The letter whose range holds most of the cell's pixels, the first of equals; a pixel makes the
/// letter sure, as in the articles.
fn most_in_range(gems: &[Range], picture: &Picture, field: &Field, column: usize, row: usize) -> Cell {
    let pixels = |axis: usize, at: usize| {
        let end = |at: usize| (field.corner[axis] + at as f64 * field.cell[axis]).round() as isize;
        end(at)..end(at + 1)
    };
    let mut counts = vec![0_u32; gems.len()];
    for y in pixels(1, row) {
        for x in pixels(0, column) {
            let pixel = picture.at(x, y);
            for (gem, count) in gems.iter().zip(&mut counts) {
                *count += u32::from((0..3).all(|at| (gem.low[at]..=gem.high[at]).contains(&pixel[at])));
            }
        }
    }
    let best = (0..gems.len()).rev().max_by_key(|at| counts[*at]);
    match best.filter(|best| counts[*best] > 0) {
        Some(best) => Cell { letter: gems[best].letter, confidence: 1.0 },
        None => Cell { letter: UNKNOWN, confidence: 0.0 },
    }
}
