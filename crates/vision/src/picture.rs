//! Pixels of a PNG or a JPEG.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use crate::error::{Error, Result};

/// Maximum pixels of a picture: a screen of 5,120 by 2,880 has 14.7 million.
pub const MOST_PIXELS: u64 = 16_777_216;
pub const LONGEST: u64 = 48 << 20;
/// Maximum bytes of a decoded picture, with up to 16 bits a channel.
const LARGEST: u64 = 96 << 20;

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

    /// Whether bytes begin as a PNG or a JPEG does.
    pub fn is_encoded(bytes: &[u8]) -> bool {
        matches!(image::guess_format(bytes), Ok(ImageFormat::Png | ImageFormat::Jpeg))
    }

    /// The picture in the bytes of a PNG or JPEG, on white if transparent.
    pub fn decode(name: &str, bytes: &[u8]) -> Result<Self> {
        let broken = |error| Error::user(format!("{name} is a broken picture: {error}"));
        if bytes.len() as u64 > LONGEST {
            return Err(Error::user(format!("{name} is longer than {} MiB, the most for a picture", LONGEST >> 20)));
        }
        let mut reader = ImageReader::new(Cursor::new(bytes));
        match image::guess_format(bytes) {
            Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg)) => reader.set_format(format),
            _ if bytes.is_empty() => return Err(Error::user(format!("{name} is empty; it must be a PNG or a JPEG"))),
            _ => return Err(Error::user(format!("{name} is no picture that can be read; it must be a PNG or a JPEG"))),
        }
        let mut limits = Limits::default();
        limits.max_alloc = Some(2 * LARGEST);
        reader.limits(limits);
        let mut decoder = reader.into_decoder().map_err(broken)?;
        let (width, height) = decoder.dimensions();
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            let most = MOST_PIXELS as f64 / 1e6;
            return Err(Error::user(format!(
                "{name} has {width} by {height} pixels; a picture may have {most:.1} million: crop it or scale it down"
            )));
        }
        if decoder.total_bytes() > LARGEST {
            return Err(Error::user(format!("{name} is too large with its 16 bits a channel: save it with 8 bits")));
        }
        // Cameras store how they were held.
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let mut decoded = DynamicImage::from_decoder(decoder).map_err(broken)?;
        decoded.apply_orientation(orientation);
        let width = decoded.width();
        let values = match decoded {
            DynamicImage::ImageRgb8(rgb) => rgb.into_raw(),
            decoded if decoded.color().has_alpha() => {
                let rgba = decoded.into_rgba8().into_raw();
                let on_white = |pixel: &[u8]| {
                    let alpha = u32::from(pixel[3]);
                    [0, 1, 2].map(|at| ((u32::from(pixel[at]) * alpha + 255 * (255 - alpha) + 127) / 255) as u8)
                };
                rgba.chunks_exact(4).flat_map(on_white).collect()
            }
            decoded => decoded.into_rgb8().into_raw(),
        };
        match values.is_empty() {
            true => Err(Error::user(format!("{name} has no pixels"))),
            false => Ok(Self::new(width as usize, values)),
        }
    }

    /// The picture as a PNG.
    pub fn to_png(&self) -> Result<Vec<u8>> {
        let mut bytes = Cursor::new(Vec::new());
        let (width, height) = (self.width as u32, self.height as u32);
        image::write_buffer_with_format(
            &mut bytes,
            &self.values,
            width,
            height,
            image::ExtendedColorType::Rgb8,
            ImageFormat::Png,
        )
        .map_err(|error| Error::runtime(format!("the picture cannot be encoded: {error}")))?;
        Ok(bytes.into_inner())
    }

    pub fn width(&self) -> usize {
        self.width
    }

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

    fn refused(bytes: &[u8]) -> String {
        match Picture::decode("x.png", bytes) {
            Err(Error::User(sentence)) => sentence,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_png_comes_back_as_it_was() {
        assert_eq!(Picture::decode("x", &some().to_png().unwrap()), Ok(some()));
    }

    #[test]
    fn what_is_no_whole_picture_is_refused_with_its_name() {
        let png = some().to_png().unwrap();
        for (bytes, what) in [
            (&b""[..], "is empty"),
            (b"dda#cbdc\n", "is no picture that can be read"),
            (b"GIF89a..........", "is no picture that can be read"),
            (&png[..20], "is a broken picture"),
            (&png[..png.len() / 2], "is a broken picture"),
            (b"\xff\xd8\xff\xe0\x00\x10JFIF", "is a broken picture"),
        ] {
            let sentence = refused(bytes);
            assert!(sentence.starts_with("x.png ") && sentence.contains(what), "{sentence}");
        }
        let mut wrong = png.clone();
        wrong[60] ^= 0x55;
        assert!(refused(&wrong).contains("is a broken picture"));
    }

    #[test]
    fn a_picture_of_a_hundred_megapixels_is_refused_by_its_head() {
        // The file has a size, but no pixels, which a reader would call broken.
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 0x27, 0x10, 0, 0, 0x27, 0x10, 8, 2, 0, 0, 0]);
        png.extend(crc(&png[12..]).to_be_bytes());
        png.extend(b"\0\0\0\0IDAT");
        png.extend(crc(b"IDAT").to_be_bytes());
        let sentence = refused(&png);
        assert!(sentence.contains("has 10000 by 10000 pixels"), "{sentence}");
    }

    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| match crc & 1 {
                1 => (crc >> 1) ^ 0xedb8_8320,
                _ => crc >> 1,
            })
        })
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

    #[test]
    fn what_shines_through_lies_on_white() {
        let mut png = Cursor::new(Vec::new());
        let pixels = [0, 0, 0, 0, 10, 20, 30, 255, 100, 0, 0, 127];
        image::write_buffer_with_format(&mut png, &pixels, 3, 1, image::ExtendedColorType::Rgba8, ImageFormat::Png)
            .unwrap();
        let picture = Picture::decode("x", png.get_ref()).unwrap();
        assert_eq!(picture.values(), [255, 255, 255, 10, 20, 30, 178, 128, 128]);
    }
}
