//! The picture of a comparison: how the players' scores are distributed, and strength against time.

use std::path::Path;

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::density::density;
use super::labels::{self, Area};
use super::{Canvas, Drawn, INK, PALE, Picture, SIZE, range, save, tick};
use crate::error::{Error, Result};
use crate::eval::statistics::Summary;

/// A player in a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its scores, at least one.
    pub scores: &'a [i32],
    /// What they say.
    pub summary: &'a Summary,
    /// Mean time of a move.
    pub milliseconds: f64,
}

/// The colours of Okabe and Ito (2008), which those who see few colours can tell apart; without yellow, too pale for a
/// line on white. Neighbours in strength are far apart in colour.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
/// Lengths of the dashes and of what is between them, where the colours have run out.
const DASHES: [Option<(u32, u32)>; 3] = [None, Some((14, 8)), Some((4, 6))];

// The heights of the parts, from above.
const TITLE: u32 = 96;
const ENTRY: u32 = 36;
const CAPTION: u32 = 76;
const DISTRIBUTIONS: u32 = 520;
const STRENGTHS: u32 = 680;
const BOTTOM: u32 = 24;

const LEFT: u32 = 40;
const LEGEND_FONT: u32 = 24;
/// The stroke before the text of a legend's entry, and the room after it.
const STROKE: u32 = 48;
const BETWEEN: u32 = 44;
const DOT: u32 = 7;

/// Draws the players' distributions of scores above their strength against time.
///
/// # Errors
/// When there is no player, or the path ends in neither `.png` nor `.svg` or cannot be written.
pub fn comparison(path: &Path, title: &str, players: &[Contender<'_>]) -> Result<()> {
    if players.is_empty() {
        return Err(Error::user(format!("{}: there is no player of whom to draw a picture", path.display())));
    }
    let mut players = players.to_vec();
    players.sort_by(|one, other| other.summary.mean.total_cmp(&one.summary.mean));
    save(path, &ComparisonPicture { title, players })
}

struct ComparisonPicture<'a> {
    title: &'a str,
    /// The strongest first; at least one.
    players: Vec<Contender<'a>>,
}

/// How a player is drawn.
struct Style {
    colour: RGBColor,
    dashes: Option<(u32, u32)>,
}

impl Style {
    fn of(index: usize) -> Self {
        Self { colour: COLOURS[index % COLOURS.len()], dashes: DASHES[index / COLOURS.len() % DASHES.len()] }
    }
}

impl Contender<'_> {
    fn mean(&self) -> String {
        let half_width = self.summary.half_width.map_or(String::new(), |half| format!(" ± {half:.1}"));
        format!("{:.1}{half_width}", self.summary.mean)
    }

    /// The name and the mean, not wider than a column.
    fn entry(&self, column: u32) -> String {
        let mean = self.mean();
        let most = column - STROKE - BETWEEN - width(&mean, LEGEND_FONT);
        format!("{}  {mean}", shortened(self.name, most, LEGEND_FONT))
    }

    fn bounds(&self) -> [f64; 2] {
        let half_width = self.summary.half_width.unwrap_or(0.0);
        [self.summary.mean - half_width, self.summary.mean + half_width]
    }
}

impl ComparisonPicture<'_> {
    /// Rows of the legend and the width of a column: up to three of them, and two where many players have long names.
    fn grid(&self) -> (u32, u32) {
        let (players, whole) = (self.players.len() as u32, SIZE.0 - LEFT);
        let widest = self.players.iter().map(|player| width(&player.entry(whole), LEGEND_FONT)).max().unwrap_or(0);
        let least = if players > 6 { 2 } else { 1 };
        let columns = (whole / (widest + STROKE + BETWEEN)).clamp(least, 3);
        (players.div_ceil(columns), whole / columns)
    }

    fn legend<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B> {
        canvas.area.draw(&Text::new(self.title, point(canvas, LEFT, 28), canvas.font(38)))?;
        let font = canvas.font(LEGEND_FONT).pos(Pos::new(HPos::Left, VPos::Center));
        let (rows, column) = self.grid();
        for (index, player) in self.players.iter().enumerate() {
            let left = LEFT + index as u32 / rows * column;
            let line = TITLE + index as u32 % rows * ENTRY + ENTRY / 2;
            let ends = [point(canvas, left, line), point(canvas, left + STROKE - 12, line)];
            draw_line(canvas.area, canvas, ends, &Style::of(index), 4)?;
            canvas.area.draw(&Text::new(player.entry(column), point(canvas, left + STROKE, line), font.clone()))?;
        }
        Ok(())
    }

    fn distributions<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>, top: u32) -> Drawn<B> {
        let curves: Vec<_> = self.players.iter().map(|player| density(player.scores, player.summary)).collect();
        let mut peaks: Vec<f64> =
            curves.iter().flatten().map(|curve| curve.iter().map(|point| point.1).fold(0.0, f64::max)).collect();
        peaks.sort_by(f64::total_cmp);
        // One narrow curve must not press all others to the ground.
        let usual = peaks.get(peaks.len().saturating_sub(1) / 2).copied().unwrap_or(1.0);
        let highest = peaks.last().copied().unwrap_or(1.0).min(6.0 * usual);
        // Per 1, 10, 100, ... points, so that the axis has whole numbers to show.
        let unit = (0..9).map(|power| 10_f64.powi(power)).find(|unit| highest * unit >= 0.03).unwrap_or(1e9);
        let top_share = highest * 100.0 * unit * 1.06;

        let caption = match peaks.is_empty() {
            true => "Scores",
            false => "Distribution of the scores (Gaussian kernel, Silverman's bandwidth)",
        };
        let area = panel(canvas, caption, top, DISTRIBUTIONS)?;
        let bounds = self.players.iter().flat_map(|player| [player.summary.min, player.summary.max]);
        let ends = curves.iter().flatten().flat_map(|curve| [curve[0].0, curve[curve.len() - 1].0]);
        let scores = range(bounds.chain(ends));
        let mut chart = ChartBuilder::on(&area)
            .x_label_area_size(canvas.px(80))
            .y_label_area_size(canvas.px(110))
            .build_cartesian_2d(scores, 0.0..top_share)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(PALE)
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(canvas.px(8))
            .axis_style(canvas.stroke(INK, 2))
            .label_style(canvas.font(24))
            .axis_desc_style(canvas.font(26))
            .x_desc("score (points)")
            .y_desc(match unit {
                _ if peaks.is_empty() => String::new(),
                1.0 => "% of the games a point".to_owned(),
                unit => format!("% of the games per {} points", tick(unit)),
            })
            .x_labels(12)
            .y_labels(if peaks.is_empty() { 0 } else { 6 })
            .x_label_formatter(&|score| tick(*score))
            .y_label_formatter(&|share| tick(*share))
            .draw()?;

        let plot = chart.plotting_area();
        let shown = |curve: &[(f64, f64)]| -> Vec<(f64, f64)> {
            curve.iter().map(|&(score, share)| (score, (share * 100.0 * unit).min(top_share))).collect()
        };
        // All areas below all lines, the strongest player's on top; many areas must not add up to a dark one.
        let opacity = (0.6 / self.players.len() as f64).clamp(0.04, 0.12);
        for (index, curve) in curves.iter().enumerate().rev() {
            if let Some(curve) = curve {
                let mut area = shown(curve);
                area.extend([(curve[curve.len() - 1].0, 0.0), (curve[0].0, 0.0)]);
                plot.draw(&Polygon::new(area, Style::of(index).colour.mix(opacity)))?;
            }
        }
        for (index, (player, curve)) in self.players.iter().zip(&curves).enumerate().rev() {
            let line = match curve {
                Some(curve) => shown(curve),
                // Where all scores are equal there is one place to show.
                None => vec![(player.summary.mean, 0.0), (player.summary.mean, top_share)],
            };
            let line: Vec<_> = line.iter().map(|place| chart.backend_coord(place)).collect();
            draw_line(canvas.area, canvas, line, &Style::of(index), 3)?;
        }
        Ok(())
    }

    fn strengths<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>, top: u32) -> Drawn<B> {
        let known = self.players.iter().any(|player| player.summary.half_width.is_some());
        let caption = match known {
            true => "Strength against time: mean score with its 95 % interval, where that is larger than the dot",
            false => "Strength against time",
        };
        let area = panel(canvas, caption, top, STRENGTHS)?;
        // No clock measures less, and a logarithm has no place for nothing.
        let time = |player: &Contender| player.milliseconds.max(1e-6);
        let logarithms = range(self.players.iter().map(|player| time(player).log10()));
        let margin = if logarithms.end - logarithms.start < 2.0 { 0.5 } else { 0.1 };
        let times = 10_f64.powf(logarithms.start - margin)..10_f64.powf(logarithms.end + margin);
        let mut scores = range(self.players.iter().flat_map(Contender::bounds));
        // Room for names above and below.
        let room = 0.05 * (scores.end - scores.start);
        scores = scores.start - room..scores.end + room;
        let mut chart = ChartBuilder::on(&area)
            .x_label_area_size(canvas.px(80))
            .y_label_area_size(canvas.px(110))
            .build_cartesian_2d(times.log_scale(), scores)?;
        chart
            .configure_mesh()
            .bold_line_style(PALE)
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(canvas.px(8))
            .axis_style(canvas.stroke(INK, 2))
            .label_style(canvas.font(24))
            .axis_desc_style(canvas.font(26))
            .x_desc("milliseconds a move")
            .y_desc("mean score (points)")
            .x_labels(8)
            .y_labels(8)
            .x_label_formatter(&|time| milliseconds(*time))
            .y_label_formatter(&|score| tick(*score))
            .draw()?;

        let marks: Vec<(i32, i32)> =
            self.players.iter().map(|player| chart.backend_coord(&(time(player), player.summary.mean))).collect();
        let mut drawn = Vec::new();
        let (dot, cap) = (canvas.px(DOT) as i32, canvas.px(DOT + 2) as i32);
        for (index, (player, &(x, y))) in self.players.iter().zip(&marks).enumerate() {
            let colour = Style::of(index).colour;
            drawn.push(Area { left: x - dot, top: y - dot, right: x + dot, bottom: y + dot });
            let [low, high] = player.bounds().map(|score| chart.backend_coord(&(time(player), score)).1);
            if low - high > 2 * dot {
                let bars =
                    [[(x, low), (x, high)], [(x - cap, low), (x + cap, low)], [(x - cap, high), (x + cap, high)]];
                for bar in bars {
                    canvas.area.draw(&PathElement::new(bar, canvas.stroke(colour, 3)))?;
                }
                drawn.push(Area { left: x - cap, top: high, right: x + cap, bottom: low });
            }
            canvas.area.draw(&Circle::new((x, y), dot, colour.filled()))?;
        }
        let (across, down) = chart.plotting_area().get_pixel_range();
        let edge = canvas.px(4) as i32;
        let frame = Area {
            left: across.start + edge,
            top: down.start + edge,
            right: across.end - edge,
            bottom: down.end - edge,
        };
        self.names(canvas, &marks, &drawn, frame)
    }

    /// Writes each name beside its mark, or at the end of a thin line where there is no room.
    fn names<B: DrawingBackend>(
        &self,
        canvas: &Canvas<'_, B>,
        marks: &[(i32, i32)],
        drawn: &[Area],
        frame: Area,
    ) -> Drawn<B> {
        const FONT: u32 = 22;
        const GAP: u32 = 14;
        let font = canvas.font(FONT).pos(Pos::new(HPos::Left, VPos::Center));
        let names: Vec<String> = self.players.iter().map(|player| shortened(player.name, 460, FONT)).collect();
        let size = |name: &String| ((canvas.px(width(name, FONT) + 4)) as i32, canvas.px(FONT + 4) as i32);
        let sizes: Vec<(i32, i32)> = names.iter().map(size).collect();
        let places = labels::place(marks, &sizes, drawn, frame, canvas.px(GAP) as i32);
        for (index, ((&mark, name), place)) in marks.iter().zip(&names).zip(&places).enumerate() {
            if place.distance(mark) > f64::from(canvas.px(2 * GAP)) {
                let line = [mark, place.nearest(mark)];
                canvas.area.draw(&PathElement::new(line, canvas.stroke(Style::of(index).colour, 2)))?;
            }
            let left = (place.left + canvas.px(2) as i32, (place.top + place.bottom) / 2);
            canvas.area.draw(&Text::new(name.as_str(), left, font.clone()))?;
        }
        Ok(())
    }
}

impl Picture for ComparisonPicture<'_> {
    fn height(&self) -> u32 {
        TITLE + self.grid().0 * ENTRY + 2 * CAPTION + DISTRIBUTIONS + STRENGTHS + BOTTOM
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B> {
        self.legend(canvas)?;
        let top = TITLE + self.grid().0 * ENTRY;
        self.distributions(canvas, top)?;
        self.strengths(canvas, top + CAPTION + DISTRIBUTIONS)
    }
}

/// Draws a caption; returns the area below it.
fn panel<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    caption: &str,
    top: u32,
    height: u32,
) -> std::result::Result<DrawingArea<B, plotters::coord::Shift>, DrawingAreaErrorKind<B::ErrorType>> {
    canvas.area.draw(&Text::new(caption, point(canvas, LEFT, top + CAPTION - 44), canvas.font(28)))?;
    let corner = point(canvas, 24, top + CAPTION);
    Ok(canvas.area.clone().shrink(corner, (canvas.px(SIZE.0 - 24 - LEFT), canvas.px(height))))
}

fn draw_line<B: DrawingBackend>(
    area: &DrawingArea<B, plotters::coord::Shift>,
    canvas: &Canvas<'_, B>,
    points: impl IntoIterator<Item = (i32, i32)>,
    style: &Style,
    width: u32,
) -> Drawn<B> {
    let points: Vec<(i32, i32)> = points.into_iter().collect();
    let stroke = canvas.stroke(style.colour, width);
    match style.dashes {
        None => area.draw(&PathElement::new(points, stroke)),
        Some((dash, space)) => area.draw(&DashedPathElement::new(points, canvas.px(dash), canvas.px(space), stroke)),
    }
}

fn point<B: DrawingBackend>(canvas: &Canvas<'_, B>, x: u32, y: u32) -> (i32, i32) {
    (canvas.px(x) as i32, canvas.px(y) as i32)
}

/// Width of a text in pixels of a picture.
fn width(text: &str, size: u32) -> u32 {
    ("sans-serif", f64::from(size)).into_font().box_size(text).map_or(0, |(width, _)| width)
}

/// A text without its middle where the whole is wider than `most`.
fn shortened(text: &str, most: u32, size: u32) -> String {
    let letters: Vec<char> = text.chars().collect();
    let without = |gone: usize| -> String {
        let kept = letters.len() - gone;
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        letters[..head]
            .iter()
            .chain(['…'].iter().filter(|_| gone > 0))
            .chain(&letters[letters.len() - tail..])
            .collect()
    };
    (0..letters.len()).map(without).find(|text| width(text, size) <= most).unwrap_or_default()
}

/// Milliseconds of an axis, in the digits that they need.
fn milliseconds(time: f64) -> String {
    let digits = (-time.log10().floor()).max(0.0) as usize;
    format!("{time:.digits$}")
}
