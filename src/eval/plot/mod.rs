//! Pictures in files: a histogram of scores, players side by side, and the curve of a training, as PNG or SVG.

mod comparison;
mod curve;
mod density;
mod histogram;
mod labels;

pub use comparison::{Contender, comparison};
pub use curve::{CurvePoint, curve};
pub use histogram::histogram;

use std::fmt::Display;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::{Error, Result};
use crate::store::files;

/// Width and height in pixels of a picture that asks for nothing else.
const SIZE: (u32, u32) = (1600, 1000);
/// A PNG is drawn this many times larger and averaged down, which smooths all edges.
const OVERSAMPLING: u32 = 2;

const INK: RGBColor = RGBColor(40, 44, 52);
const PALE: RGBColor = RGBColor(222, 225, 230);
const BLUE: RGBColor = RGBColor(76, 120, 168);
const RED: RGBColor = RGBColor(200, 62, 77);
const GOLD: RGBColor = RGBColor(214, 137, 16);

/// What can be drawn, at a scale of pixels per unit of `SIZE`.
trait Picture {
    /// Height in pixels, once the font is known.
    fn height(&self) -> u32 {
        SIZE.1
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B>;
}

type Drawn<B> = std::result::Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

struct Canvas<'a, B: DrawingBackend> {
    area: &'a DrawingArea<B, Shift>,
    scale: u32,
}

/// An entry of the line below the title: a stroke in a colour and what it stands for.
struct Key {
    colour: RGBColor,
    text: String,
}

#[derive(Clone, Copy)]
enum Format {
    Png,
    Svg,
}

/// Checks that a picture can be drawn to a file of that name, to be asked before the work that it shows.
///
/// # Errors
/// When the ending is neither `.png` nor `.svg`.
pub fn check(path: &Path) -> Result<()> {
    format_of(path).map(|_| ())
}

fn format_of(path: &Path) -> Result<Format> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    match ending.to_str() {
        Some("png") => Ok(Format::Png),
        Some("svg") => Ok(Format::Svg),
        _ => Err(Error::user(format!(
            "--plot: {} must end in .png or .svg, which says what kind of picture it is to be",
            path.display()
        ))),
    }
}

/// Draws a picture into a file, in the format of its ending.
fn save(path: &Path, picture: &impl Picture) -> Result<()> {
    let undrawable = |error: &dyn Display| Error::runtime(format!("{} cannot be drawn: {error}", path.display()));
    plotters::style::register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular())
        .map_err(|_| undrawable(&"the font that is built in cannot be read"))?;
    let content = match format_of(path)? {
        Format::Png => png_of(picture).map_err(|error| undrawable(&error))?,
        Format::Svg => svg_of(picture).map_err(|error| undrawable(&error))?.into_bytes(),
    };
    files::write_atomically(path, &content)
}

fn svg_of(picture: &impl Picture) -> std::result::Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (SIZE.0, picture.height())).into_drawing_area();
        area.fill(&WHITE)?;
        picture.draw(&Canvas { area: &area, scale: 1 })?;
        area.present()?;
    }
    Ok(text)
}

fn png_of(picture: &impl Picture) -> std::result::Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (width, height) = (SIZE.0 * OVERSAMPLING, picture.height() * OVERSAMPLING);
    let mut large = vec![0; (width * height * 3) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut large, (width, height)).into_drawing_area();
        area.fill(&WHITE)?;
        picture.draw(&Canvas { area: &area, scale: OVERSAMPLING })?;
        area.present()?;
    }
    let mut content = Vec::new();
    let mut encoder = png::Encoder::new(&mut content, SIZE.0, height / OVERSAMPLING);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&averaged(&large))?;
    writer.finish()?;
    Ok(content)
}

/// The image [height, width, 3] of the width of `SIZE`, each pixel the mean of a square of the large one.
fn averaged(large: &[u8]) -> Vec<u8> {
    let (width, factor) = (SIZE.0 as usize, OVERSAMPLING as usize);
    let mut small = Vec::with_capacity(large.len() / (factor * factor));
    for rows in large.chunks_exact(width * factor * 3 * factor) {
        for column in 0..width {
            for channel in 0..3 {
                let sum: usize = (0..factor * factor)
                    .map(|i| ((i / factor) * width + column) * factor + i % factor)
                    .map(|pixel| usize::from(rows[pixel * 3 + channel]))
                    .sum();
                small.push((sum / (factor * factor)) as u8);
            }
        }
    }
    small
}

impl<B: DrawingBackend> Canvas<'_, B> {
    fn px(&self, length: u32) -> u32 {
        length * self.scale
    }

    fn font(&self, size: u32) -> TextStyle<'static> {
        ("sans-serif", f64::from(self.px(size))).into_font().color(&INK)
    }

    fn stroke(&self, colour: RGBColor, width: u32) -> ShapeStyle {
        colour.stroke_width(self.px(width))
    }

    /// Width of a text in pixels of this canvas.
    fn text_width(
        &self,
        text: &str,
        font: &TextStyle<'_>,
    ) -> std::result::Result<u32, DrawingAreaErrorKind<B::ErrorType>> {
        Ok(self.area.estimate_text_size(text, font)?.0)
    }

    /// Draws the title and below it what the strokes stand for; returns the area below them.
    fn headed(
        &self,
        title: &str,
        keys: &[Key],
    ) -> std::result::Result<DrawingArea<B, Shift>, DrawingAreaErrorKind<B::ErrorType>> {
        let (left, line) = (self.px(40) as i32, self.px(96) as i32);
        self.area.draw(&Text::new(title, (left, self.px(28) as i32), self.font(38)))?;
        let font = self.font(26).pos(Pos::new(HPos::Left, VPos::Center));
        let mut x = left;
        for key in keys {
            let end = x + self.px(36) as i32;
            self.area.draw(&PathElement::new(vec![(x, line), (end, line)], self.stroke(key.colour, 6)))?;
            let text = end + self.px(12) as i32;
            self.area.draw(&Text::new(key.text.as_str(), (text, line), font.clone()))?;
            x = text + (self.text_width(&key.text, &font)? + self.px(40)) as i32;
        }
        Ok(self.area.margin(self.px(130), self.px(24), self.px(24), self.px(40)))
    }
}

/// A range around values that is never empty, so that an axis can be made of it.
fn range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let margin = if high > low { (high - low) * 0.05 } else { 1.0 };
    low - margin..high + margin
}

/// A number of an axis in the fewest characters: 0, 250, 12.5k, 2M. Steps, games and scores are whole: what is not is
/// left out, as happens where an axis spans only a few.
fn tick(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    // Ticks come with the rounding of their computation.
    if (value - value.round()).abs() > 1e-6 * value.abs().max(1.0) {
        return String::new();
    }
    format!("{}{unit}", (scaled * 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::histogram::Histogram;
    use crate::eval::statistics::Summary;

    const SCORES: [i32; 6] = [-5, 120, 130, 250, 260, 400];

    fn draw(path: &Path) -> Result<()> {
        histogram(path, "Games of <a & b>", &Histogram::of(&SCORES).unwrap(), &Summary::of(&SCORES).unwrap())
    }

    fn point(step: u64, mean: f64) -> CurvePoint {
        CurvePoint { step, mean, half_width: Some(10.0) }
    }

    #[test]
    fn a_png_has_its_size_and_shows_the_colours_of_bars_mean_and_quartiles() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.PNG");
        draw(&path).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), SIZE);
        for RGBColor(r, g, b) in [WHITE, BLUE, RED, GOLD] {
            assert!(pixels.chunks_exact(3).any(|pixel| pixel == [r, g, b]), "no pixel is {r}, {g}, {b}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_svg_has_the_title_escaped_and_the_numbers_of_the_summary() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.svg");
        draw(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for part in ["Games of &lt;a &amp; b&gt;", "mean 192.5 ±", "quartiles 122.5 / 190 / 257.5", "score (points)"] {
            assert!(text.contains(part), "{part} is missing");
        }
        assert!(text.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn a_curve_leaves_out_what_is_not_finite() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("curve.svg");
        let points = [point(0, 100.0), point(10, f64::NAN), CurvePoint { half_width: None, ..point(2_000_000, 500.0) }];
        curve(&path, "Training", &points).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("2M"));
        assert_eq!(text.matches("<circle").count(), 2);
    }

    #[test]
    fn a_single_point_and_a_single_score_can_be_drawn() {
        let folder = tempfile::tempdir().unwrap();
        curve(&folder.path().join("one.png"), "", &[CurvePoint { half_width: None, ..point(0, 3.0) }]).unwrap();
        let (one, summary) = (Histogram::of(&[3]).unwrap(), Summary::of(&[3]).unwrap());
        histogram(&folder.path().join("one.svg"), "", &one, &summary).unwrap();
    }

    fn compared(players: &[(&str, &[i32], f64)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let summaries: Vec<Summary> = players.iter().map(|(_, scores, _)| Summary::of(scores).unwrap()).collect();
        let contenders: Vec<Contender> = players
            .iter()
            .zip(&summaries)
            .map(|(&(name, scores, milliseconds), summary)| Contender { name, scores, summary, milliseconds })
            .collect();
        for name in ["players.svg", "players.png"] {
            comparison(&folder.path().join(name), "Players of <a & b>", &contenders).unwrap();
        }
        std::fs::read_to_string(folder.path().join("players.svg")).unwrap()
    }

    /// Whether every element is closed by its own name, and no text holds what only markup may.
    fn is_well_formed(svg: &str) -> bool {
        let mut open = Vec::new();
        let mut parts = svg.split('<');
        let all = parts.next() == Some("")
            && parts.all(|part| {
                let Some((tag, text)) = part.split_once('>') else { return false };
                let known = |rest: &str| ["amp;", "lt;", "gt;", "quot;", "apos;"].iter().any(|e| rest.starts_with(e));
                let name = tag.split_whitespace().next().unwrap_or_default();
                let matches = match name.strip_prefix('/') {
                    Some(name) => open.pop() == Some(name),
                    None if tag.ends_with('/') || tag.starts_with(['?', '!']) => true,
                    None => {
                        open.push(name);
                        true
                    }
                };
                matches && text.split('&').skip(1).all(known)
            });
        all && open.is_empty()
    }

    #[test]
    fn a_comparison_names_every_player_twice_and_its_mean() {
        let names: Vec<String> = (0..14).map(|index| format!("player{index:02}:sims=400")).collect();
        let players: Vec<(&str, &[i32], f64)> = names.iter().map(|name| (name.as_str(), &SCORES[..], 0.5)).collect();
        let svg = compared(&players);
        assert!(is_well_formed(&svg));
        assert!(svg.contains("Players of &lt;a &amp; b&gt;") && svg.contains("milliseconds a move"));
        for name in names {
            assert_eq!(svg.matches(&name).count(), 2, "{name}");
            assert!(svg.contains(&format!("{name}  192.5 ± ")), "{name}");
        }
    }

    #[test]
    fn one_game_equal_scores_and_no_time_can_be_compared() {
        for scores in [&[7][..], &[7; 9]] {
            let svg = compared(&[("one", scores, 0.0), ("other", scores, 20.0)]);
            assert!(is_well_formed(&svg));
            assert!(svg.contains("one  7.0") && svg.contains("other  7.0") && !svg.contains("NaN"));
            assert_eq!(svg.matches("<circle").count(), 2);
            assert!(is_well_formed(&compared(&[("alone", scores, 1.0)])));
            assert!(is_well_formed(&compared(&[("alone", scores, 1.0), ("spread", &SCORES, 1.0)])));
        }
    }

    #[test]
    fn a_name_wider_than_the_picture_loses_its_middle() {
        let name = format!("network:checkpoint={}/best.ckpt", "folder/".repeat(60));
        let svg = compared(&[(&name, &SCORES, 1.0), ("<&>", &SCORES, 1.0)]);
        assert!(is_well_formed(&svg) && svg.contains("&lt;&amp;&gt;"));
        assert!(svg.contains("network:checkpoint=folder") && svg.contains("…") && svg.contains("/best.ckpt  192.5"));
    }

    #[test]
    fn a_comparison_of_nobody_is_refused() {
        let error = comparison(Path::new("players.svg"), "", &[]).unwrap_err();
        assert!(matches!(&error, Error::User(text) if text.contains("no player")), "{error}");
    }

    #[test]
    fn a_curve_without_points_is_refused() {
        let error = curve(Path::new("curve.svg"), "", &[point(1, f64::NAN)]).unwrap_err();
        assert!(matches!(&error, Error::User(text) if text.contains("no evaluation yet")), "{error}");
    }

    #[test]
    fn other_endings_are_refused_by_the_flags_name() {
        for name in ["scores.jpg", "scores", ".png"] {
            let error = check(Path::new(name)).unwrap_err();
            assert!(matches!(&error, Error::User(text) if text.starts_with("--plot: ")), "{error}");
            assert_eq!(draw(Path::new(name)).unwrap_err(), error);
        }
        check(Path::new("folder.d/scores.Svg")).unwrap();
    }

    #[test]
    fn an_unwritable_path_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = draw(&folder.path().join("missing").join("scores.svg")).unwrap_err().to_string();
        assert!(error.contains("scores.svg cannot be written"), "{error}");
    }

    #[test]
    fn averaging_takes_the_mean_of_squares() {
        let (width, height) = (SIZE.0 as usize * 2, SIZE.1 as usize * 2);
        let mut large = vec![0; width * height * 3];
        // The green of the second pixel of the first row comes from columns 2 and 3 of rows 0 and 1.
        for (row, column, value) in [(0, 2, 10), (0, 3, 20), (1, 2, 30), (1, 3, 60)] {
            large[(row * width + column) * 3 + 1] = value;
        }
        let small = averaged(&large);
        assert_eq!(small.len(), (SIZE.0 * SIZE.1 * 3) as usize);
        assert_eq!(small[..9], [0, 0, 0, 0, 30, 0, 0, 0, 0]);
        assert!(small[9..].iter().all(|&value| value == 0));
    }

    #[test]
    fn ticks_are_short_and_whole() {
        let values = [0.0, -50.0, 9_000.0, 12_500.0, 2e6, 1.25e9, 0.2, 300.0000000004];
        assert_eq!(values.map(tick), ["0", "-50", "9000", "12.5k", "2M", "1.25G", "", "300"]);
    }
}
