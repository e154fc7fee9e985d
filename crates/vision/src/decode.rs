//! Decoding of PNG and JPEG.

use std::fmt::Display;
use std::io::Cursor;

use crate::error::{Error, Result};
use crate::picture::Picture;

/// Maximum pixels of a picture: a screen of 5,120 by 2,880 has 14.7 million.
pub const MOST_PIXELS: u64 = 16_777_216;
/// Maximum bytes of a picture's file.
pub const LONGEST: u64 = 48 << 20;
/// Maximum bytes of a decoded picture, with up to 16 bits a channel.
const LARGEST: usize = 96 << 20;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG: &[u8] = b"\xff\xd8\xff";

impl Picture {
    /// Whether bytes begin as a PNG or a JPEG does.
    pub fn is_encoded(bytes: &[u8]) -> bool {
        bytes.starts_with(PNG) || bytes.starts_with(JPEG)
    }

    /// The picture in the bytes of a PNG or JPEG, on white if transparent, turned as its camera was
    /// held. Errors begin with `name`.
    pub fn decode(name: &str, bytes: &[u8]) -> Result<Self> {
        if bytes.len() as u64 > LONGEST {
            return Err(Error::user(format!("{name} is longer than {} MiB, the most for a picture", LONGEST >> 20)));
        }
        let Decoded { width, values, orientation } = match bytes {
            [] => return Err(Error::user(format!("{name} is empty; it must be a PNG or a JPEG"))),
            _ if bytes.starts_with(PNG) => png(name, bytes)?,
            _ if bytes.starts_with(JPEG) => jpeg(name, bytes)?,
            _ => return Err(Error::user(format!("{name} is no picture that can be read; it must be a PNG or a JPEG"))),
        };
        match values.is_empty() {
            true => Err(Error::user(format!("{name} has no pixels"))),
            false => Ok(turned(Self::new(width, values), orientation)),
        }
    }
}

/// A file's pixels as they are stored.
struct Decoded {
    width: usize,
    /// Red, green and blue of each pixel.
    values: Vec<u8>,
    /// Exif's orientation, from 1 to 8.
    orientation: u16,
}

fn broken(name: &str, error: impl Display) -> Error {
    Error::user(format!("{name} is a broken picture: {error}"))
}

fn check_size(name: &str, width: u64, height: u64) -> Result<()> {
    match width * height > MOST_PIXELS {
        true => Err(Error::user(format!(
            "{name} has {width} by {height} pixels; a picture may have {:.1} million: crop it or scale it down",
            MOST_PIXELS as f64 / 1e6
        ))),
        false => Ok(()),
    }
}

fn png(name: &str, bytes: &[u8]) -> Result<Decoded> {
    let broken = |error| broken(name, error);
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: 2 * LARGEST });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    // Colours of palettes and shades of less than 8 bits become bytes.
    decoder.set_transformations(png::Transformations::EXPAND);
    let (width, height) = decoder.read_header_info().map_err(broken)?.size();
    check_size(name, width.into(), height.into())?;
    let mut reader = decoder.read_info().map_err(broken)?;
    let Some(size) = reader.output_buffer_size().filter(|size| *size <= LARGEST) else {
        return Err(Error::user(format!("{name} is too large with its 16 bits a channel: save it with 8 bits")));
    };
    let mut values = vec![0; size];
    reader.next_frame(&mut values).map_err(broken)?;
    let (colour, depth) = reader.output_color_type();
    if depth == png::BitDepth::Sixteen {
        for at in 0..size / 2 {
            let value = u16::from_be_bytes([values[2 * at], values[2 * at + 1]]);
            values[at] = ((u32::from(value) + 128) / 257) as u8;
        }
        values.truncate(size / 2);
    }
    let on_white = |value: u8, alpha: u8| {
        ((u32::from(value) * u32::from(alpha) + 255 * (255 - u32::from(alpha)) + 127) / 255) as u8
    };
    let values = match colour.samples() {
        1 => values.iter().flat_map(|shade| [*shade; 3]).collect(),
        2 => values.chunks_exact(2).flat_map(|pixel| [on_white(pixel[0], pixel[1]); 3]).collect(),
        4 => values.chunks_exact(4).flat_map(|pixel| [0, 1, 2].map(|at| on_white(pixel[at], pixel[3]))).collect(),
        _ => values,
    };
    let orientation = reader.info().exif_metadata.as_ref().and_then(|exif| orientation(exif)).unwrap_or(1);
    Ok(Decoded { width: width as usize, values, orientation })
}

#[cfg(feature = "jpeg")]
fn jpeg(name: &str, bytes: &[u8]) -> Result<Decoded> {
    use zune_jpeg::JpegDecoder;
    use zune_jpeg::zune_core::bytestream::ZCursor;
    use zune_jpeg::zune_core::options::DecoderOptions;

    let broken = |error| broken(name, error);
    let options = DecoderOptions::default().set_strict_mode(false).set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(broken)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    check_size(name, width as u64, height as u64)?;
    // Shades of grey, CMYK and YCCK become red, green and blue too.
    let values = decoder.decode().map_err(broken)?;
    let orientation = decoder.exif().and_then(|exif| orientation(exif)).unwrap_or(1);
    Ok(Decoded { width, values, orientation })
}

#[cfg(not(feature = "jpeg"))]
fn jpeg(name: &str, _: &[u8]) -> Result<Decoded> {
    Err(Error::user(format!("{name} is a JPEG, which cannot be read here; save it as a PNG")))
}

/// Orientation in an Exif segment: that of the first directory's entry for it.
fn orientation(exif: &[u8]) -> Option<u16> {
    let bytes = |at: usize, count: usize| exif.get(at..)?.get(..count);
    let number = match bytes(0, 4)? {
        b"II\x2a\0" => |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)),
        b"MM\0\x2a" => |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)),
        _ => return None,
    };
    let at = number(bytes(4, 4)?) as usize;
    let entries = exif.get(at.checked_add(2)?..)?.chunks_exact(12);
    // A tag, a type, a count, a value: the type is a 16-bit number.
    let fields = |entry: &[u8]| [0..2, 2..4, 4..8, 8..10].map(|field| number(&entry[field]));
    let mut found =
        entries.take(number(bytes(at, 2)?) as usize).map(fields).filter(|field| field[..3] == [0x112, 3, 1]);
    found.next().map(|field| field[3] as u16)
}

/// A picture as Exif's orientation asks for; upright at 1 and at numbers without a meaning.
fn turned(picture: Picture, orientation: u16) -> Picture {
    let (width, height) = (picture.width() as isize, picture.height() as isize);
    let (right, lower) = (width - 1, height - 1);
    let from = |x: isize, y: isize| match orientation {
        2 => (right - x, y),
        3 => (right - x, lower - y),
        4 => (x, lower - y),
        5 => (y, x),
        6 => (y, lower - x),
        7 => (right - y, lower - x),
        _ => (right - y, x),
    };
    let (columns, rows) = match orientation {
        2..=4 => (width, height),
        5..=8 => (height, width),
        _ => return picture,
    };
    let places = (0..rows).flat_map(|y| (0..columns).map(move |x| from(x, y)));
    Picture::new(columns as usize, places.flat_map(|(x, y)| picture.at(x, y)).collect())
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

    fn png(colour: png::ColorType, depth: png::BitDepth, width: u32, values: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, 1);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if colour == png::ColorType::Indexed {
            encoder.set_palette(&[10, 20, 30, 40, 50, 60, 70, 80, 90]);
            encoder.set_trns(&[255, 0]);
        }
        encoder.write_header().unwrap().write_image_data(values).unwrap();
        bytes
    }

    #[test]
    fn pngs_of_every_kind_become_colours_on_white() {
        use png::BitDepth::{Eight, One, Sixteen, Two};
        use png::ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
        let pixels = |colour, depth, width, values: &[u8]| {
            Picture::decode("x", &png(colour, depth, width, values)).unwrap().values().to_vec()
        };
        let half = [0, 0, 0, 0, 10, 20, 30, 255, 100, 0, 0, 127];
        assert_eq!(pixels(Rgba, Eight, 3, &half), [255, 255, 255, 10, 20, 30, 178, 128, 128]);
        assert_eq!(pixels(GrayscaleAlpha, Eight, 2, &[7, 255, 0, 127]), [7, 7, 7, 128, 128, 128]);
        assert_eq!(pixels(Grayscale, One, 3, &[0b1010_0000]), [255, 255, 255, 0, 0, 0, 255, 255, 255]);
        // Of 16 bits the nearest of 8: 0x0180 is 384 of 65,535, or 1.49 of 255.
        assert_eq!(pixels(Grayscale, Sixteen, 2, &[0x01, 0x80, 0x01, 0x82]), [1, 1, 1, 2, 2, 2]);
        assert_eq!(pixels(Rgb, Sixteen, 1, &[0xff, 0xff, 0, 0x80, 0, 0x81]), [255, 0, 1]);
        let [first, second, third] = [[10, 20, 30], [255; 3], [70, 80, 90]];
        assert_eq!(pixels(Indexed, Two, 3, &[0b0001_1000]), [first, second, third].concat());
    }

    #[test]
    fn each_orientation_puts_the_upper_left_pixel_where_exif_says() {
        let picture = Picture::new(3, (0..3 * 2 * 3).collect());
        for (orientation, x, y) in
            [(1, 0, 0), (2, 2, 0), (3, 2, 1), (4, 0, 1), (5, 0, 0), (6, 1, 0), (7, 1, 2), (8, 0, 2), (9, 0, 0)]
        {
            let turned = turned(picture.clone(), orientation);
            let wide = if (5..=8).contains(&orientation) { 2 } else { 3 };
            assert_eq!((turned.width(), turned.at(x, y)), (wide, [0, 1, 2]), "{orientation}");
        }
    }

    #[test]
    fn an_orientation_is_read_in_both_orders_of_bytes_and_crafted_segments_have_none() {
        let big = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0";
        let little = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0";
        assert_eq!([orientation(big), orientation(little)], [Some(6), Some(8)]);
        assert!((0..big.len()).all(|length| orientation(&big[..length]).is_none()));
        assert_eq!(orientation(b"MM\0\x2a\xff\xff\xff\xff\0\x01"), None);
    }
}
