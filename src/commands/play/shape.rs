//! Shapes of tokens in few pixels.

use std::f64::consts::PI;

use crate::games::Shape;

/// Points along each side of a pixel at which a shape is looked up.
const POINTS: u16 = 4;

/// Side of the field by that of the largest shape.
const FILLED: f64 = 1.1;

pub const SHAPES: [Shape; 8] = [
    Shape::Circle,
    Shape::Square,
    Shape::Triangle,
    Shape::Diamond,
    Shape::Pentagon,
    Shape::Hexagon,
    Shape::Star,
    Shape::Block,
];

/// Field in which shapes are drawn by hand.
const LOW: (u16, u16) = (5, 3);

/// Share of each pixel that a shape covers, row by row, in a field of `width` by `height` pixels.
pub fn coverage(shape: Shape, (width, height): (u16, u16)) -> Vec<f64> {
    if (width, height) == LOW {
        return by_hand(shape).concat().bytes().map(|pixel| f64::from(u8::from(pixel == b'#'))).collect();
    }
    let place = |pixel: u16, point: u16, side: u16| {
        2.0 * (f64::from(pixel) + (f64::from(point) + 0.5) / f64::from(POINTS)) / f64::from(side) - 1.0
    };
    let covered = |x: u16, y: u16| {
        let points = (0..POINTS).flat_map(|row| (0..POINTS).map(move |column| (column, row)));
        let inside = points.filter(|(column, row)| {
            contains(shape, FILLED * place(x, *column, width), FILLED * place(y, *row, height))
        });
        inside.count() as f64 / f64::from(POINTS * POINTS)
    };
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| covered(x, y)).collect()
}

fn by_hand(shape: Shape) -> [&'static str; 3] {
    match shape {
        Shape::Circle => [".###.", ".###.", ".###."],
        Shape::Square | Shape::Block => ["#####", "#####", "#####"],
        Shape::Triangle => ["..#..", ".###.", "#####"],
        Shape::Diamond => ["#####", ".###.", "..#.."],
        Shape::Pentagon => [".###.", "#####", "#####"],
        Shape::Hexagon => [".###.", "#####", ".###."],
        Shape::Star => ["#.#.#", "#####", ".###."],
    }
}

/// Whether a point, from -1 to 1 rightwards and downwards, is in a shape that fills its cell.
fn contains(shape: Shape, x: f64, y: f64) -> bool {
    let regular = |corners: u32| (PI / f64::from(corners)).cos();
    match shape {
        Shape::Circle => x.hypot(y) < 1.0,
        Shape::Square => x.abs().max(y.abs()) < 0.86,
        Shape::Block => x.abs().max(y.abs()) < 0.94,
        Shape::Triangle => in_polygon(3, regular(3), x / 1.22, (y - 0.36) / 1.32),
        Shape::Diamond => in_polygon(4, regular(4), x / 1.08, y / 1.08),
        Shape::Pentagon => in_polygon(5, regular(5), x / 1.05, (y - 0.08) / 1.08),
        Shape::Hexagon => in_polygon(6, regular(6), x / 1.12, y / 1.02),
        Shape::Star => in_polygon(5, 0.56, x / 1.1, (y - 0.08) / 1.12),
    }
}

/// Whether a point is in a polygon of radius 1 with one corner up; `inner` is the radius halfway
/// between corners.
fn in_polygon(corners: u32, inner: f64, x: f64, y: f64) -> bool {
    let half = PI / f64::from(corners);
    let (angle, radius) = (x.atan2(-y).rem_euclid(2.0 * half), x.hypot(y));
    let angle = angle.min(2.0 * half - angle);
    // The side goes from a corner, at angle 0, to the halfway point; the middle is on its left.
    let side = (inner * half.cos() - 1.0, inner * half.sin());
    side.0 * radius * angle.sin() - side.1 * (radius * angle.cos() - 1.0) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(shape: Shape, size: (u16, u16)) -> Vec<String> {
        let pixel = |share: &f64| if *share >= 0.5 { '#' } else { '.' };
        coverage(shape, size).chunks(size.0.into()).map(|row| row.iter().map(pixel).collect()).collect()
    }

    #[test]
    fn shapes_are_drawn_in_few_pixels() {
        let triangle = [".......", "...#...", "..###..", "..###..", ".#####.", ".#####."];
        assert_eq!(drawn(Shape::Triangle, (7, 6)), triangle);
        let diamond = ["...#...", "..###..", ".#####.", ".#####.", "..###..", "...#..."];
        assert_eq!(drawn(Shape::Diamond, (7, 6)), diamond);
        assert_eq!(drawn(Shape::Star, LOW), ["#.#.#", "#####", ".###."]);
    }

    #[test]
    fn shapes_hold_the_letter_and_differ() {
        for (width, height) in [LOW, (7, 6), (9, 8), (11, 10)] {
            for (index, shape) in SHAPES.into_iter().enumerate() {
                let shares = coverage(shape, (width, height));
                assert!(shares.iter().sum::<f64>() > 0.4 * shares.len() as f64, "{shape:?} {width}");
                // The letter's character has two pixels.
                let at = |row: u16| shares[usize::from(row * width + width / 2)];
                let row = if height == 3 { 1 } else { 2 * (height / 4) };
                assert!(at(row) > 0.5 && at(row + 1) > 0.5, "{shape:?} {width}");
                let row = |row: &[f64]| row.iter().rev().copied().collect::<Vec<_>>();
                assert_eq!(shares, shares.chunks(width.into()).flat_map(row).collect::<Vec<_>>(), "{shape:?} {width}");
                let differs = |other: &Shape| coverage(*other, (width, height)) != shares || shape == Shape::Block;
                assert!(SHAPES[..index].iter().all(differs), "{shape:?} {width}");
            }
        }
    }
}
