//! Learning a theme from a labelled picture.

use super::cell::{Look, SAMPLES, SIDE, median, middle};
use super::colour::distance;
use super::field::{Field, find};
use super::picture::Picture;
use super::read::{none, read_field};
use super::theme::{Gems, Prototype, Theme};
use crate::error::Result;

/// Minimum distance of a letter's two looks, and the maximum of what is left of the distances from
/// a letter's look when upper and lower rows have looks of their own.
const APART: f32 = 0.05;
const LEFT: f32 = 0.5;

/// What a labelled picture taught.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Theme that reads pictures of the same look.
    pub theme: Theme,
    /// Place of the board in the picture.
    pub field: Field,
    /// The first row, from 0, from which gems look otherwise than above, as under water.
    pub surface: Option<usize>,
}

/// The theme of a picture with a given board of equal rows and at least two letters.
///
/// Colour, spread and shape of a letter come from the middle of its cells; where the lower rows
/// differ throughout, as under water, a letter has a look above and one below.
pub fn teach(name: &str, picture: &Picture, board: &[Vec<char>], field: Option<Field>) -> Result<Lesson> {
    let size = [board.first().map_or(0, Vec::len), board.len()];
    // Mean confidence in cells that the field's own theme reads right.
    let vote = |picture: &Picture, field: &Field| {
        let cells = read_field(picture, &learn(picture, board, field).0, *field).cells;
        let right = cells.iter().zip(board.iter().flatten()).filter(|(cell, letter)| cell.letter == **letter);
        right.map(|(cell, _)| cell.confidence).sum::<f32>() / cells.len() as f32
    };
    let field = field.or_else(|| find(picture, size, vote)).ok_or_else(|| none(name, size))?;
    let (theme, surface) = learn(picture, board, &field);
    Ok(Lesson { theme, field, surface })
}

/// The theme, and the row from which looks differ.
fn learn(picture: &Picture, board: &[Vec<char>], field: &Field) -> (Theme, Option<usize>) {
    let row = |y: usize| {
        board[y].iter().enumerate().map(move |(x, letter)| (*letter, y, Look::new(picture, field, [x, y], SAMPLES)))
    };
    let cells: Vec<(char, usize, Look)> = (0..board.len()).flat_map(row).collect();
    let mut letters: Vec<char> = cells.iter().map(|cell| cell.0).collect();
    letters.sort_unstable();
    letters.dedup();
    let of = |letter: char, rows: std::ops::Range<usize>| -> Vec<&Look> {
        cells.iter().filter(|cell| cell.0 == letter && rows.contains(&cell.1)).map(|cell| &cell.2).collect()
    };
    let surface = surface(&letters, board.len(), of);
    // Without a surface all rows are above it.
    let row = surface.unwrap_or(board.len());
    let parts = [0..row, row..board.len()];
    let looks = letters.iter().flat_map(|letter| parts.iter().map(|rows| (*letter, of(*letter, rows.clone()))));
    let gems = looks.filter(|(_, looks)| !looks.is_empty()).map(|(letter, looks)| gem(letter, &looks)).collect();
    (Theme { size: field.size, gems: Gems::Prototypes(gems) }, surface)
}

/// The row that parts two looks of letters, if one does so clearly.
fn surface<'a>(
    letters: &[char],
    rows: usize,
    of: impl Fn(char, std::ops::Range<usize>) -> Vec<&'a Look>,
) -> Option<usize> {
    let spread = |looks: &[&Look]| {
        let middle = middle(&looks.iter().map(|look| look.colour).collect::<Vec<_>>());
        (middle, looks.iter().map(|look| distance(look.colour, middle)).sum::<f32>())
    };
    let whole: f32 = letters.iter().map(|letter| spread(&of(*letter, 0..rows)).1).sum();
    let parted = (1..rows).map(|row| {
        let (mut left, mut apart) = (0.0, Vec::new());
        for letter in letters {
            let parts = [of(*letter, 0..row), of(*letter, row..rows)];
            let [above, below] = [0, 1].map(|at| spread(&parts[at]));
            left += above.1 + below.1;
            if parts.iter().all(|looks| !looks.is_empty()) {
                apart.push(distance(above.0, below.0));
            }
        }
        (left, median(apart), row)
    });
    let (left, apart, row) = parted.min_by(|one, other| one.0.total_cmp(&other.0))?;
    (left < LEFT * whole && apart > APART).then_some(row)
}

fn gem(letter: char, looks: &[&Look]) -> Prototype {
    let colour = middle(&looks.iter().map(|look| look.colour).collect::<Vec<_>>());
    let far = median(looks.iter().map(|look| distance(look.colour, colour)).collect());
    let shape: [f32; SIDE * SIDE] = std::array::from_fn(|at| median(looks.iter().map(|look| look.shape[at]).collect()));
    Prototype { letter, colour, spread: (1.5 * far).clamp(0.025, 0.08), shape: Some(shape) }
}
