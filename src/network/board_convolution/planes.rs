//! Images as the channels of padded blocks.

use super::geometry::Shape;
use super::line::{Line, WIDTH};

/// How the planes of a block of boards are read, and where its places lie.
pub struct Planes {
    /// Planes of an image.
    pub count: usize,
    /// How many of the first are interchangeable; 0 if none.
    pub colours: usize,
    /// Where the places of a block lie in the padded block.
    pub lines: Vec<usize>,
    shape: Shape,
}

impl Planes {
    /// Of images of so many planes, in blocks of a shape.
    pub fn new(count: usize, colours: usize, shape: Shape) -> Self {
        Self { count, colours, lines: shape.lines().collect(), shape }
    }

    /// Writes images and scalars as channels of a padded block.
    ///
    /// Images are `[boards, planes, rows, columns]`, scalars `[boards, scalars]`, of which there may be none. The
    /// channels are all planes, or what one of the colours sees of them, which is its own plane, the sum of the
    /// others', and those of no colour.
    pub fn write(&self, colour: usize, images: &[f32], scalars: &[f32], padded: &mut [Line]) {
        let (places, size) = (self.shape.places(), self.shape.padded());
        let boards = images.chunks_exact(self.count * places);
        let scalars_each = scalars.len() / boards.len();
        for (board, (image, lines)) in boards.zip(self.lines.chunks_exact(places)).enumerate() {
            let scalars = &scalars[board * scalars_each..][..scalars_each];
            for (place, line) in lines.iter().enumerate() {
                let plane = |plane: usize| image[plane * places + place];
                let own = (self.colours > 0).then(|| {
                    let others = (0..self.colours).filter(|other| *other != colour).map(plane).sum();
                    [plane(colour), others]
                });
                let rest = (self.colours..self.count).map(plane).chain(scalars.iter().copied());
                for (channel, number) in own.into_iter().flatten().chain(rest).enumerate() {
                    padded[channel / WIDTH * size + line].0[channel % WIDTH] = number;
                }
            }
        }
    }
}

/// Writes the mean of padded blocks.
pub fn average(blocks: &[Vec<Line>], mean: &mut [Line]) {
    let (first, others) = blocks.split_first().expect("a block");
    mean.copy_from_slice(first);
    if others.is_empty() {
        return;
    }
    for block in others {
        for (Line(sum), Line(numbers)) in mean.iter_mut().zip(block) {
            sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
    }
    let share = 1.0 / blocks.len() as f32;
    mean.iter_mut().for_each(|Line(sum)| *sum = sum.map(|sum| sum * share));
}
