//! Sums over any upright rectangle of a picture: a summed-area table (Crow 1984, "Summed-area
//! tables for texture mapping").

use super::colour::{Oklab, oklab};
use super::picture::Picture;

/// A scaled-down picture: its colours and their sums.
pub(super) struct Sums {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Pixels of the picture on a side of one here.
    pub(super) factor: usize,
    pub(super) colours: Vec<Oklab>,
    /// Sums of colours and of their squared lengths over all pixels to the left and above.
    sums: Vec<[f64; 4]>,
}

#[derive(Clone, Copy)]
pub(super) struct Patch {
    pub(super) sums: [f64; 4],
    pub(super) area: f64,
}

impl Sums {
    /// A rectangle (left, top, width, height) of a picture, scaled down by `factor`; pixels left
    /// over are cut off.
    pub(super) fn new(picture: &Picture, [left, top, width, height]: [usize; 4], factor: usize) -> Self {
        let (width, height) = (width / factor, height / factor);
        let mut colours = Vec::with_capacity(width * height);
        for y in (0..height).map(|y| top + y * factor) {
            for x in (0..width).map(|x| left + x * factor) {
                colours.push(oklab(picture.mean([x, x + factor], [y, y + factor])));
            }
        }
        let mut sums = vec![[0.0; 4]; (width + 1) * (height + 1)];
        for y in 0..height {
            let mut row = [0.0; 4];
            for x in 0..width {
                let colour = colours[y * width + x].map(f64::from);
                let square = colour.iter().map(|value| value * value).sum();
                for (at, value) in [colour[0], colour[1], colour[2], square].into_iter().enumerate() {
                    row[at] += value;
                    sums[(y + 1) * (width + 1) + x + 1][at] = sums[y * (width + 1) + x + 1][at] + row[at];
                }
            }
        }
        Self { width, height, factor, colours, sums }
    }

    /// The patch between ends, which may lie within pixels.
    pub(super) fn patch(&self, [left, right]: [f64; 2], [top, bottom]: [f64; 2]) -> Patch {
        let [left, right] = [left, right].map(|x| x.clamp(0.0, self.width as f64));
        let [top, bottom] = [top, bottom].map(|y| y.clamp(0.0, self.height as f64));
        let corners = [self.corner(left, top), self.corner(right, top), self.corner(left, bottom)];
        let last = self.corner(right, bottom);
        let sums = std::array::from_fn(|at| last[at] - corners[1][at] - corners[2][at] + corners[0][at]);
        Patch { sums, area: (right - left) * (bottom - top) }
    }

    fn corner(&self, x: f64, y: f64) -> [f64; 4] {
        let (column, row) = ((x as usize).min(self.width.max(1) - 1), (y as usize).min(self.height.max(1) - 1));
        let (right, down) = (x - column as f64, y - row as f64);
        let at = row * (self.width + 1) + column;
        let [one, two] = [&self.sums[at], &self.sums[at + 1]];
        let [three, four] = [&self.sums[at + self.width + 1], &self.sums[at + self.width + 2]];
        std::array::from_fn(|at| {
            (one[at] * (1.0 - right) + two[at] * right) * (1.0 - down)
                + (three[at] * (1.0 - right) + four[at] * right) * down
        })
    }
}

impl Patch {
    pub(super) fn without(self, part: Self) -> Self {
        let sums = std::array::from_fn(|at| self.sums[at] - part.sums[at]);
        Self { sums, area: self.area - part.area }
    }

    pub(super) fn mean(&self) -> Oklab {
        let area = self.area.max(1e-9);
        [0, 1, 2].map(|at| (self.sums[at] / area) as f32)
    }

    pub(super) fn variance(&self) -> f32 {
        let area = self.area.max(1e-9);
        let squares = self.mean().iter().map(|value| value * value).sum::<f32>();
        ((self.sums[3] / area) as f32 - squares).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::colour::distance;
    use super::*;

    #[test]
    fn a_patch_has_the_mean_and_the_variance_of_its_pixels() {
        let picture = Picture::new(9, (0..9 * 7 * 3).map(|at| (at * at * 31 % 256) as u8).collect());
        let sums = Sums::new(&picture, [1, 2, 8, 5], 1);
        let patch = sums.patch([2.0, 6.0], [1.0, 4.0]);
        let pixels: Vec<Oklab> =
            (3..6).flat_map(|y| (3..7).map(move |x| (x, y))).map(|(x, y)| oklab(picture.at(x, y))).collect();
        let mean = [0, 1, 2].map(|at| pixels.iter().map(|pixel| pixel[at]).sum::<f32>() / 12.0);
        assert!(distance(patch.mean(), mean) < 1e-5);
        let variance = pixels.iter().map(|pixel| distance(*pixel, mean).powi(2)).sum::<f32>() / 12.0;
        assert!((patch.variance() - variance).abs() < 1e-5);
        // Half of a pixel counts half.
        let half = sums.patch([2.5, 3.0], [1.0, 2.0]);
        assert!(distance(half.mean(), oklab(picture.at(3, 3))) < 1e-5 && (half.area - 0.5).abs() < 1e-9);
    }
}
