//! The look of a cell: its gem's colour and shape.

use super::colour::{Oklab, distance, oklab};
use super::field::Field;
use super::picture::Picture;

/// Samples on a side of a cell, a multiple of [`SIDE`].
pub(super) const SAMPLES: usize = 24;
/// Samples on a side of a cell for a quick look.
pub(super) const QUICK: usize = 12;
/// Places of a shape on a side of a cell.
pub(super) const SIDE: usize = 12;
/// Radii, in cells, of the ring whose colour is the gem's, between middle and border.
const RING: [f32; 2] = [0.07, 0.29];
/// Distance at which a colour counts as half the gem's.
const HALF: f32 = 0.08;

#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) colour: Oklab,
    /// Share of the gem's colour at each place, from 0 to 1, row by row.
    pub(super) shape: [f32; SIDE * SIDE],
}

impl Look {
    /// The look of a cell by `count` samples on its side, [`SAMPLES`] or [`QUICK`].
    pub(super) fn new(picture: &Picture, field: &Field, at: [usize; 2], count: usize) -> Self {
        let samples = samples(picture, field, at, count);
        let in_ring = |at: &usize| {
            let [u, v] = [at % count, at / count].map(|at| (at as f32 + 0.5) / count as f32 - 0.5);
            (RING[0]..RING[1]).contains(&u.hypot(v))
        };
        let ring: Vec<Oklab> = (0..samples.len()).filter(in_ring).map(|at| samples[at]).collect();
        let colour = middle(&ring);
        let mut shape = [0.0; SIDE * SIDE];
        let each = count / SIDE;
        for (at, sample) in samples.iter().enumerate() {
            let (u, v) = (at % count / each, at / count / each);
            let far = distance(*sample, colour) / HALF;
            shape[v * SIDE + u] += 1.0 / (1.0 + far * far) / (each * each) as f32;
        }
        Self { colour, shape }
    }
}

/// Samples of a cell, row by row: means of the nearest pixels.
fn samples(picture: &Picture, field: &Field, [column, row]: [usize; 2], count: usize) -> Vec<Oklab> {
    let ends = |axis: usize, cell: usize, most: usize| -> Vec<[usize; 2]> {
        let end = |at: usize| {
            let at = cell as f64 + at as f64 / count as f64;
            field.corner[axis] + at * field.cell[axis]
        };
        let range = |at: usize| {
            let from = (end(at).round().max(0.0) as usize).min(most - 1);
            // Small cells have pixels in several samples.
            let to = (end(at + 1).round().max(0.0) as usize).clamp(from + 1, most);
            [from, to]
        };
        (0..count).map(range).collect()
    };
    let (columns, rows) = (ends(0, column, picture.width()), ends(1, row, picture.height()));
    rows.iter().flat_map(|y| columns.iter().map(|x| oklab(picture.mean(*x, *y)))).collect()
}

/// Mean of the half of the colours nearest to their median, without gloss, arrows and noise.
pub(super) fn middle(colours: &[Oklab]) -> Oklab {
    let median = [0, 1, 2].map(|at| median(colours.iter().map(|colour| colour[at]).collect()));
    let mut near = colours.to_vec();
    near.sort_by(|one, other| distance(*one, median).total_cmp(&distance(*other, median)));
    near.truncate(colours.len().div_ceil(2));
    [0, 1, 2].map(|at| near.iter().map(|colour| colour[at]).sum::<f32>() / near.len().max(1) as f32)
}

/// Median; 0 without values.
pub(super) fn median(mut values: Vec<f32>) -> f32 {
    let half = values.len() / 2;
    match values.is_empty() {
        true => 0.0,
        false => *values.select_nth_unstable_by(half, f32::total_cmp).1,
    }
}

/// Correlation of two shapes; 0 if one is flat.
pub(super) fn agreement(one: &[f32], other: &[f32]) -> f32 {
    let mean = |shape: &[f32]| shape.iter().sum::<f32>() / shape.len() as f32;
    let (mean, mean_of_other) = (mean(one), mean(other));
    let (mut both, mut first, mut second) = (0.0, 0.0, 0.0);
    for (one, other) in one.iter().zip(other) {
        let (one, other) = (one - mean, other - mean_of_other);
        both += one * other;
        first += one * one;
        second += other * other;
    }
    match first * second > 1e-6 {
        true => both / (first * second).sqrt(),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(colour: impl Fn(f32, f32) -> [u8; 3]) -> Look {
        let pixel = |at: usize| colour((at % 60) as f32 - 29.5, (at / 60) as f32 - 29.5);
        let picture = Picture::new(60, (0..3_600).flat_map(pixel).collect());
        Look::new(&picture, &Field { corner: [0.0; 2], cell: [60.0; 2], size: [1, 1] }, [0, 0], SAMPLES)
    }

    #[test]
    fn gloss_an_arrow_and_the_border_leave_the_colour_of_the_gem() {
        let look = cell(|x, y| match (x, y) {
            (x, y) if x.hypot(y) > 24.0 => [20, 20, 30],
            (x, y) if (x + 8.0).hypot(y + 10.0) < 7.0 => [255, 255, 255],
            (x, y) if x.abs() < 3.0 && y > -4.0 => [40, 120, 255],
            _ => [200, 40, 50],
        });
        assert!(distance(look.colour, oklab([200, 40, 50])) < 0.01, "{:?}", look.colour);
    }

    #[test]
    fn shapes_of_one_form_agree_and_others_do_not() {
        let disc = |size: f32, colour| cell(move |x, y| if x.hypot(y) < size { colour } else { [20, 20, 30] }).shape;
        let bar = cell(|x, y| if x.abs() < 19.0 && y.abs() < 8.0 { [200, 40, 50] } else { [20, 20, 30] }).shape;
        let same = agreement(&disc(22.0, [200, 40, 50]), &disc(23.0, [40, 160, 60]));
        let other = agreement(&disc(22.0, [200, 40, 50]), &bar);
        assert!(same > 0.9 && other < 0.8, "{same} {other}");
        assert_eq!(agreement(&bar, &[0.5; SIDE * SIDE]), 0.0);
    }
}
