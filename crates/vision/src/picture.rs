//! Pixels in memory.

use crate::error::{Error, Result};

/// Maximum difference of red, green and blue in a shade of grey.
const TRACE: u8 = 12;

/// Red, green and blue of each pixel, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    values: Vec<u8>,
}

impl Picture {
    /// A picture `width` pixels wide, from three values a pixel, row by row; panics if the rows are
    /// not whole.
    pub fn new(width: usize, values: Vec<u8>) -> Self {
        assert!(width > 0 && !values.is_empty() && values.len().is_multiple_of(3 * width), "the rows must be whole");
        Self { width, height: values.len() / (3 * width), values }
    }

    /// The picture as a PNG.
    pub fn to_png(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Fast);
        encoder.set_filter(png::Filter::Adaptive);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&self.values)?;
            writer.finish()
        });
        written.map_err(|error| Error::runtime(format!("the picture cannot be encoded: {error}")))?;
        Ok(bytes)
    }

    /// Pixels of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All values, row by row, three a pixel.
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    /// The pixel at a column and a row, or the nearest to them.
    pub fn at(&self, x: isize, y: isize) -> [u8; 3] {
        let at = self.index(x.clamp(0, self.width as isize - 1), y.clamp(0, self.height as isize - 1));
        [self.values[at], self.values[at + 1], self.values[at + 2]]
    }

    /// Gives the pixel at a column and a row a colour; nothing happens outside the picture.
    pub fn set(&mut self, x: isize, y: isize, colour: [u8; 3]) {
        if (0..self.width as isize).contains(&x) && (0..self.height as isize).contains(&y) {
            let at = self.index(x, y);
            self.values[at..at + 3].copy_from_slice(&colour);
        }
    }

    /// Whether all pixels of a rectangle (left, top, width, height) are grey, up to traces of
    /// compression.
    pub(super) fn is_grey(&self, [left, top, width, height]: [f64; 4]) -> bool {
        let ends = |start: f64, length: f64| start.round() as isize..(start + length).round() as isize;
        let is_grey = |pixel: [u8; 3]| {
            let [low, high] = [pixel.iter().min(), pixel.iter().max()].map(|end| end.copied().unwrap_or(0));
            high - low <= TRACE
        };
        ends(top, height).all(|y| ends(left, width).all(|x| is_grey(self.at(x, y))))
    }

    fn index(&self, x: isize, y: isize) -> usize {
        3 * (y as usize * self.width + x as usize)
    }

    /// The picture with a pixel for each whole square of `factor` by `factor`.
    pub(super) fn reduced(&self, factor: usize) -> Self {
        let [width, height] = [self.width, self.height].map(|side| (side / factor).max(1));
        let ends = |at: usize, most: usize| [at * factor, ((at + 1) * factor).min(most)];
        let rows = (0..height).map(|y| ends(y, self.height));
        let pixels = rows.flat_map(|y| (0..width).map(move |x| (ends(x, self.width), y)));
        Self { width, height, values: pixels.flat_map(|(x, y)| self.mean(x, y)).collect() }
    }

    /// Mean colour of a rectangle of at least one pixel, without its right and lower ends.
    pub(super) fn mean(&self, x: [usize; 2], y: [usize; 2]) -> [u8; 3] {
        let (mut sums, mut count) = ([0_u32; 3], 0);
        for row in y[0]..y[1] {
            for pixel in self.values[3 * (row * self.width + x[0])..3 * (row * self.width + x[1])].chunks_exact(3) {
                sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u32::from(*value));
                count += 1;
            }
        }
        sums.map(|sum| ((sum + count / 2) / count.max(1)) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Picture {
        Picture::new(20, (0..20 * 12 * 3).map(|at| (at * 7 % 251) as u8).collect())
    }

    #[test]
    fn a_reduced_picture_has_the_means_of_squares() {
        let half = some().reduced(2);
        assert_eq!((half.width(), half.height()), (10, 6));
        let mean = |at: usize| {
            let pixels = [(6, 4), (7, 4), (6, 5), (7, 5)].map(|(x, y)| u32::from(some().at(x, y)[at]));
            ((pixels.iter().sum::<u32>() + 2) / 4) as u8
        };
        assert_eq!(half.at(3, 2), [0, 1, 2].map(mean));
        // Twelve rows make one square of eight.
        assert_eq!((some().reduced(8).width(), some().reduced(8).height()), (2, 1));
    }
}
