//! A game as a GIF, for places that show no SVG.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::convert::Infallible;

use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::ascii::{FONT_7X13, FONT_8X13_BOLD};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};
use gif::{Encoder, EncodingError, Repeat};
use matchq_core::stop;

use crate::animation::{Frame, Tiles};

/// Side of a cell in pixels, without and with pieces.
const SIDES: [usize; 2] = [32, 22];
/// Pixels left and right of the board, above and below.
const MARGIN: usize = 26;
const HEAD: usize = 50;
const FEET: usize = 34;
const NARROWEST: usize = 220;

const GROUND: [u8; 3] = [0x16, 0x18, 0x21];
const SOFT: Rgb888 = Rgb888::new(0x9a, 0xa0, 0xb4);
const WHITE: [u8; 3] = [0xff; 3];

/// Colours of a GIF.
const COLOURS: usize = 256;

/// Draws a game that repeats forever; frames of 0 ms are dropped.
///
/// An error if there are no frames, or if a side has more than 65,535 pixels.
pub fn gif(title: &str, tiles: Tiles, frames: &[Frame]) -> Result<Vec<u8>, String> {
    let frames: Vec<&Frame> = frames.iter().filter(|frame| frame.milliseconds > 0).collect();
    let drawing = Drawing::new(title, tiles, &frames);
    let sizes = [drawing.width, drawing.height].map(u16::try_from);
    let ([Ok(width), Ok(height)], false) = (sizes, frames.is_empty()) else {
        return Err("a GIF has a frame and at most 65,535 pixels a side".to_owned());
    };
    encode(&drawing, [width, height], &frames).map_err(|error| error.to_string())
}

/// Each picture is drawn twice, since all of them would take too much memory: for the colours, and to be
/// written.
fn encode(drawing: &Drawing, [width, height]: [u16; 2], frames: &[&Frame]) -> Result<Vec<u8>, EncodingError> {
    let mut counts = BTreeMap::new();
    drawing.each(frames, |before, canvas, _| {
        canvas.part(canvas.changed(before)).for_each(|pixel| *counts.entry(*pixel).or_default() += 1);
        Ok(())
    })?;
    let palette = Palette::of(counts);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height, &palette.colours.concat())?;
    encoder.set_repeat(Repeat::Infinite)?;
    // Time is in hundredths of a second; what is rounded off is not lost.
    let (mut now, mut written) = (0, 0);
    drawing.each(frames, |before, canvas, milliseconds| {
        now += u64::from(milliseconds);
        let delay = (now / 10).saturating_sub(written);
        written += delay;
        let changed @ [left, top, right, bottom] = canvas.changed(before);
        encoder.write_frame(&gif::Frame {
            left: left as u16,
            top: top as u16,
            width: (right - left) as u16,
            height: (bottom - top) as u16,
            delay: delay.min(u16::MAX.into()) as u16,
            buffer: Cow::Owned(canvas.part(changed).map(|pixel| palette.number_of(*pixel)).collect()),
            ..gif::Frame::default()
        })
    })?;
    drop(encoder);
    Ok(bytes)
}

/// What all frames share.
struct Drawing<'a> {
    title: &'a str,
    tiles: Tiles<'a>,
    /// Pixels of each tile by its letter.
    pixels: BTreeMap<char, Vec<u8>>,
    side: usize,
    columns: usize,
    rows: usize,
    /// Left edge of the board.
    left: usize,
    width: usize,
    height: usize,
}

impl<'a> Drawing<'a> {
    fn new(title: &'a str, tiles: Tiles<'a>, frames: &[&Frame]) -> Self {
        let side = SIDES[usize::from(tiles.has_pieces())];
        let rows = frames.iter().map(|frame| frame.rows.len()).max().unwrap_or(0);
        let lengths = frames.iter().flat_map(|frame| &frame.rows).map(|row| row.chars().count());
        let columns = lengths.max().unwrap_or(0);
        let width = (columns * side + 2 * MARGIN).max(NARROWEST);
        Self {
            title,
            tiles,
            pixels: tiles.pixels(side).into_iter().collect(),
            side,
            columns,
            rows,
            left: (width - columns * side) / 2,
            width,
            height: HEAD + rows * side + FEET,
        }
    }

    /// Gives each picture with the one before and its milliseconds; equal pictures in a row are one.
    fn each(
        &self,
        frames: &[&Frame],
        mut then: impl FnMut(Option<&Canvas>, &Canvas, u32) -> Result<(), EncodingError>,
    ) -> Result<(), EncodingError> {
        let mut before: Option<Canvas> = None;
        let mut shown: Option<(Canvas, u32)> = None;
        for frame in frames {
            stop::look();
            let canvas = self.frame(frame);
            match &mut shown {
                Some((last, time)) if last.pixels == canvas.pixels => *time += frame.milliseconds,
                _ => {
                    if let Some((last, time)) = shown.replace((canvas, frame.milliseconds)) {
                        then(before.as_ref(), &last, time)?;
                        before = Some(last);
                    }
                }
            }
        }
        shown.map_or(Ok(()), |(last, time)| then(before.as_ref(), &last, time))
    }

    fn frame(&self, frame: &Frame) -> Canvas {
        let Self { side, left, .. } = *self;
        let mut canvas = Canvas::new(self.width, self.height);
        let middle = self.width / 2;
        canvas.text(self.title, middle, 16, false);
        for column in 0..self.columns {
            canvas.text(&column.to_string(), left + column * side + side / 2, HEAD - 9, false);
        }
        for row in 0..self.rows {
            canvas.text(&row.to_string(), left - 12, HEAD + row * side + side / 2, false);
        }
        // The rows that show the piece have no ground.
        let above = self.tiles.above.min(self.rows);
        let ground = self.tiles.ground_colour();
        let of_board = [left, HEAD + above * side, self.columns * side, (self.rows - above) * side];
        canvas.fill(of_board, ground);
        for (row, line) in frame.rows.iter().enumerate() {
            for (column, letter) in line.chars().enumerate() {
                let corner = [left + column * side, HEAD + row * side];
                match (self.tiles.of_character(letter), self.pixels.get(&letter)) {
                    (Some(_), Some(pixels)) => canvas.tile(corner, side, pixels),
                    // A row about to vanish.
                    (Some(_), None) => canvas.fill([corner[0], corner[1], side, side], WHITE),
                    (None, _) => {}
                }
            }
        }
        for (row, column) in &frame.marked {
            canvas.frame([left + column * side, HEAD + row * side, side, side]);
        }
        canvas.text(&frame.caption, middle, self.height - FEET / 2, true);
        canvas
    }
}

/// A picture in red, green and blue.
struct Canvas {
    width: usize,
    pixels: Vec<[u8; 3]>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self { width, pixels: vec![GROUND; width * height] }
    }

    fn text(&mut self, text: &str, x: usize, y: usize, strong: bool) {
        let style = match strong {
            true => MonoTextStyle::new(&FONT_8X13_BOLD, Rgb888::WHITE),
            false => MonoTextStyle::new(&FONT_7X13, SOFT),
        };
        let placed = TextStyleBuilder::new().alignment(Alignment::Center).baseline(Baseline::Middle).build();
        let Ok(_) = Text::with_text_style(text, Point::new(x as i32, y as i32), style, placed).draw(self);
    }

    fn fill(&mut self, [left, top, width, height]: [usize; 4], colour: [u8; 3]) {
        for y in top..top + height {
            self.pixels[y * self.width + left..][..width].fill(colour);
        }
    }

    fn tile(&mut self, [left, top]: [usize; 2], side: usize, pixels: &[u8]) {
        let (pixels, _) = pixels.as_chunks::<3>();
        for (row, pixels) in pixels.chunks_exact(side).enumerate() {
            self.pixels[(top + row) * self.width + left..][..side].copy_from_slice(pixels);
        }
    }

    /// Frames a cell.
    fn frame(&mut self, [left, top, width, height]: [usize; 4]) {
        let size = Size::new(width as u32 - 2, height as u32 - 2);
        let cell = Rectangle::new(Point::new(left as i32 + 1, top as i32 + 1), size);
        let Ok(()) = cell.into_styled(PrimitiveStyle::with_stroke(Rgb888::WHITE, 2)).draw(self);
    }

    /// Pixels of a rectangle: left, top, right and bottom behind.
    fn part(&self, [left, top, right, bottom]: [usize; 4]) -> impl Iterator<Item = &[u8; 3]> {
        (top..bottom).flat_map(move |y| &self.pixels[y * self.width..][left..right])
    }

    /// The rectangle that differs from the picture before: left, top, right and bottom behind; a pixel
    /// where nothing does.
    fn changed(&self, before: Option<&Self>) -> [usize; 4] {
        let Some(before) = before else { return [0, 0, self.width, self.pixels.len() / self.width] };
        let differs = |index: &usize| self.pixels[*index] != before.pixels[*index];
        let places = (0..self.pixels.len()).filter(differs).map(|index| [index % self.width, index / self.width]);
        let all = places.map(|[x, y]| [x, y, x + 1, y + 1]);
        all.reduce(|one, other| {
            [one[0].min(other[0]), one[1].min(other[1]), one[2].max(other[2]), one[3].max(other[3])]
        })
        .unwrap_or([0, 0, 1, 1])
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(self.width as u32, (self.pixels.len() / self.width) as u32)
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        let height = self.pixels.len() / self.width;
        for Pixel(Point { x, y }, colour) in pixels {
            if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y))
                && x < self.width
                && y < height
            {
                self.pixels[y * self.width + x] = [colour.r(), colour.g(), colour.b()];
            }
        }
        Ok(())
    }
}

/// The most frequent colours of pictures.
struct Palette {
    colours: Vec<[u8; 3]>,
    numbers: BTreeMap<[u8; 3], u8>,
}

impl Palette {
    fn of(counts: BTreeMap<[u8; 3], u64>) -> Self {
        let mut ranked: Vec<([u8; 3], u64)> = counts.into_iter().collect();
        ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let colours: Vec<[u8; 3]> = ranked.iter().take(COLOURS).map(|(colour, _)| *colour).collect();
        let apart = |one: &[u8; 3], other: &[u8; 3]| -> u32 {
            one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(*other)).pow(2)).sum()
        };
        // Others become the nearest one.
        let nearest = |colour: &[u8; 3]| (0..colours.len()).min_by_key(|number| apart(colour, &colours[*number]));
        let numbers = ranked.iter().map(|(colour, _)| (*colour, nearest(colour).unwrap_or(0) as u8)).collect();
        Self { colours, numbers }
    }

    fn number_of(&self, colour: [u8; 3]) -> u8 {
        self.numbers[&colour]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Match3, Tetris};

    fn frame(rows: &[&str], milliseconds: u32, caption: &str, marked: &[(usize, usize)]) -> Frame {
        let rows = rows.iter().map(|row| (*row).to_owned()).collect();
        Frame { rows, milliseconds, caption: caption.to_owned(), marked: marked.to_vec() }
    }

    /// A picture and its time in hundredths of a second.
    type Shown = (Vec<[u8; 3]>, u16);

    /// Width and pictures of a file.
    fn decoded(bytes: &[u8]) -> (usize, Vec<Shown>) {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
        let mut picture = vec![[0; 3]; width * height];
        let mut all = Vec::new();
        while let Some(part) = decoder.read_next_frame().unwrap() {
            let (pixels, _) = part.buffer.as_chunks::<4>();
            for (row, pixels) in pixels.chunks(usize::from(part.width)).enumerate() {
                let from = (usize::from(part.top) + row) * width + usize::from(part.left);
                for (to, [red, green, blue, _]) in picture[from..].iter_mut().zip(pixels) {
                    *to = [*red, *green, *blue];
                }
            }
            all.push((picture.clone(), part.delay));
        }
        (width, all)
    }

    #[test]
    fn every_frame_is_shown_for_its_time_with_its_tokens() {
        let frames = [
            frame(&["ab", "# "], 505, "0 points", &[(0, 0), (0, 1)]),
            frame(&["ba", "# "], 255, "0 points", &[]),
            frame(&["ba", "# "], 240, "0 points", &[]),
            frame(&["ba", "#d"], 1_000, "8 points", &[]),
            frame(&["aa", "aa"], 0, "never", &[]),
        ];
        let (width, shown) = decoded(&gif("seed 0", Tiles::of::<Match3>(), &frames).unwrap());
        assert_eq!(shown.iter().map(|(_, time)| *time).collect::<Vec<_>>(), [50, 50, 100]);
        assert_eq!(width, NARROWEST);
        let left = (NARROWEST - 2 * SIDES[0]) / 2;
        let middle = |picture: &[[u8; 3]], column: usize, row: usize| {
            picture[(HEAD + row * SIDES[0] + SIDES[0] / 2) * width + left + column * SIDES[0] + SIDES[0] / 2]
        };
        let of = |letter: char| {
            let tiles = Tiles::of::<Match3>().pixels(SIDES[0]);
            let (_, pixels) = tiles.iter().find(|(other, _)| *other == letter).unwrap();
            <[u8; 3]>::try_from(&pixels[3 * (SIDES[0] / 2 * SIDES[0] + SIDES[0] / 2)..][..3]).unwrap()
        };
        let near = |one: [u8; 3], other: [u8; 3]| one.iter().zip(other).all(|(one, other)| one.abs_diff(other) < 12);
        for (picture, tokens) in shown.iter().map(|(picture, _)| picture).zip(["ab", "ba", "ba"]) {
            for (column, letter) in tokens.chars().enumerate() {
                assert!(near(middle(picture, column, 0), of(letter)), "{letter} in column {column}");
            }
        }
        assert!(near(middle(&shown[2].0, 1, 1), of('d')) && !near(middle(&shown[1].0, 1, 1), of('d')));
        // The swap is framed in the first picture alone.
        let corner = (HEAD + 1) * width + left + 1;
        assert_eq!((shown[0].0[corner], shown[1].0[corner] == WHITE), (WHITE, false));
    }

    #[test]
    fn pieces_and_full_rows_are_drawn_and_a_game_without_frames_is_refused() {
        let frames =
            [frame(&["OO", "OO", "..", "  "], 100, "", &[(2, 0)]), frame(&["..", "..", "OO", "#I"], 100, "", &[])];
        let (width, shown) = decoded(&gif("tetris", Tiles::of::<Tetris>(), &frames).unwrap());
        let left = (width - 2 * SIDES[1]) / 2;
        assert_eq!(shown[0].0[(HEAD + 3 * SIDES[1] + 4) * width + left + 4], WHITE);
        assert_ne!(shown[1].0[(HEAD + 3 * SIDES[1] + 4) * width + left + 4], WHITE);
        assert!(gif("", Tiles::of::<Match3>(), &[]).is_err());
    }
}
