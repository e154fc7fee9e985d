//! Images as channels of padded blocks.

use super::channels::sum_of_blocks;
use super::geometry::Shape;
use super::line::{Line, WIDTH};

pub struct Planes {
    pub count: usize,
    /// Leading planes that are interchangeable; 0 for none.
    pub colours: usize,
    /// Lines of a block's cells in the padded block.
    pub lines: Vec<usize>,
    shape: Shape,
}

impl Planes {
    pub fn new(count: usize, colours: usize, shape: Shape) -> Self {
        Self { count, colours, lines: shape.lines().collect(), shape }
    }

    /// Writes images `[boards, planes, rows, columns]` and scalars, `[boards, scalars]` or empty,
    /// as channels of a padded block.
    ///
    /// With interchangeable colours, the channels are a colour's own plane, the sum of the others'
    /// planes, and the planes of no colour. Colour 0 comes first; the others skip the channels that
    /// all share.
    pub fn write(&self, colour: usize, images: &[f32], scalars: &[f32], padded: &mut [Line]) {
        let (cells, size) = (self.shape.cells(), self.shape.padded());
        let boards = images.chunks_exact(self.count * cells);
        let scalars_each = scalars.len() / boards.len();
        let own = if self.colours > 0 { 2 } else { 0 };
        for (board, (image, lines)) in boards.zip(self.lines.chunks_exact(cells)).enumerate() {
            let plane = |plane: usize| &image[plane * cells..][..cells];
            if self.colours > 0 {
                for (cell, (line, number)) in lines.iter().zip(plane(colour)).enumerate() {
                    let others = (0..self.colours).filter(|other| *other != colour);
                    let others = others.map(|other| image[other * cells + cell]).sum();
                    padded[*line].0[..2].copy_from_slice(&[*number, others]);
                }
            }
            if colour > 0 {
                continue;
            }
            for (channel, plane) in (own..).zip((self.colours..self.count).map(plane)) {
                let padded = &mut padded[channel / WIDTH * size..][..size];
                for (line, number) in lines.iter().zip(plane) {
                    padded[*line].0[channel % WIDTH] = *number;
                }
            }
            let scalars = &scalars[board * scalars_each..][..scalars_each];
            for (channel, number) in (own + self.count - self.colours..).zip(scalars) {
                let padded = &mut padded[channel / WIDTH * size..][..size];
                lines.iter().for_each(|line| padded[*line].0[channel % WIDTH] = *number);
            }
        }
    }
}

impl Planes {
    /// Writes each board's sum over its cells, divided, at its first cell.
    pub fn pool(&self, boards: usize, features: &[Line], divisor: f32, pooled: &mut [Line]) {
        let (cells, size) = (self.shape.cells(), self.shape.padded());
        for (features, pooled) in features.chunks_exact(size).zip(pooled.chunks_exact_mut(size)) {
            for lines in self.lines.chunks_exact(cells).take(boards) {
                let mut sum = [0.0; WIDTH];
                for line in lines {
                    sum.iter_mut().zip(&features[*line].0).for_each(|(sum, number)| *sum += number);
                }
                pooled[lines[0]] = Line(sum.map(|sum| sum / divisor));
            }
        }
    }

    /// Adds the numbers of each board's first cell to all of its cells.
    pub fn spread(&self, boards: usize, pooled: &[Line], features: &mut [Line]) {
        let (cells, size) = (self.shape.cells(), self.shape.padded());
        for (pooled, features) in pooled.chunks_exact(size).zip(features.chunks_exact_mut(size)) {
            for lines in self.lines.chunks_exact(cells).take(boards) {
                let added = &pooled[lines[0]].0;
                for line in lines {
                    features[*line].0.iter_mut().zip(added).for_each(|(number, added)| *number += added);
                }
            }
        }
    }
}

/// Writes the mean of blocks of equal size.
pub fn average(blocks: &[impl AsRef<[Line]>], mean: &mut [Line]) {
    let blocks: Vec<&[Line]> = blocks.iter().map(AsRef::as_ref).collect();
    sum_of_blocks(&blocks, 1.0 / blocks.len() as f32, mean);
}
