//! Chart of a training: mean score of its evaluations against steps.

use super::{Axis, COLOURS, SIZE, around, axes, score, titled};
use crate::shortened;
use crate::svg::{Svg, round};

/// An evaluation during training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Steps before the evaluation.
    pub step: u64,
    /// Mean score.
    pub mean: f64,
    /// Half the width of the mean's 95 % confidence interval, if known.
    pub half_width: Option<f64>,
}

/// A player beside a training: its mean score is a line across.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// Name of the player.
    pub name: &'static str,
    /// Mean score of the player.
    pub mean: f64,
}

/// Texts of a curve.
#[derive(Clone, Copy, Debug)]
pub struct CurveTexts<'a> {
    /// Name of the run, for the curve's label.
    pub name: &'a str,
    /// Name of the steps.
    pub unit: &'a str,
    /// Name of the scores.
    pub what: &'a str,
}

impl CurvePoint {
    /// The mean's interval, or the mean twice.
    fn interval(&self) -> [f64; 2] {
        let half_width = self.half_width.filter(|half_width| half_width.is_finite()).unwrap_or(0.0);
        [self.mean - half_width, self.mean + half_width]
    }
}

/// Pixels right of the curve for labels; letters of a name there.
const LABELS: f64 = 130.0;
const LETTERS: usize = 16;
/// Pixels between labels.
const LABEL: f64 = 30.0;

/// Draws finite mean scores with their intervals, and lines of other players; `None` without such a
/// score.
pub fn curve(texts: CurveTexts<'_>, points: &[CurvePoint], references: &[Reference]) -> Option<String> {
    let points: Vec<&CurvePoint> = points.iter().filter(|point| point.mean.is_finite()).collect();
    let last = points.iter().max_by_key(|point| point.step)?;
    let CurveTexts { name, unit, what } = texts;
    let [colour, others @ ..] = COLOURS;
    let mut svg = titled(SIZE, &format!("{name}: evaluations in training"));
    let banded = points.iter().any(|point| point.half_width.is_some());
    let confidence = if banded { " with its 95 % interval" } else { "" };
    svg.text(20.0, 58.0, r#"class="soft" font-size="14""#, &format!("mean {what} of an evaluation{confidence}"));
    let right = SIZE.0 - LABELS;
    let x = Axis::whole((0.0, last.step.max(1) as f64), (80.0, right));
    let scores = points.iter().flat_map(|point| point.interval()).chain(references.iter().map(|player| player.mean));
    let y = Axis::new(around(scores), (SIZE.1 - 60.0, 80.0));
    axes(&mut svg, (&x, unit), (&y, "score (points)"));

    for (player, colour) in references.iter().zip(others) {
        let height = y.place(player.mean);
        let dashed = format!(r#"class="{colour}" stroke="currentColor" stroke-width="1.5" stroke-dasharray="6 4""#);
        svg.line((x.pixels.0, height), (right, height), &dashed);
    }
    let place = |point: &CurvePoint, score| (round(x.place(point.step as f64)), round(y.place(score)));
    let text = |(x, y): (f64, f64)| format!("{x},{y}");
    svg.add(format_args!(r#"<g class="{colour}">"#));
    match points[..] {
        [point] => {
            let [low, high] = point.interval().map(|score| place(point, score));
            svg.line(low, high, r#"stroke="currentColor" stroke-width="3" stroke-opacity=".35""#);
        }
        _ if banded => {
            let upper = points.iter().map(|point| text(place(point, point.interval()[1])));
            let lower = points.iter().rev().map(|point| text(place(point, point.interval()[0])));
            let outline: Vec<String> = upper.chain(lower).collect();
            let outline = outline.join(" ");
            svg.add(format_args!(r#"<polygon points="{outline}" fill="currentColor" fill-opacity=".2"/>"#));
        }
        _ => {}
    }
    let line: Vec<String> = points.iter().map(|point| text(place(point, point.mean))).collect();
    let line = line.join(" ");
    svg.add(format_args!(r#"<polyline points="{line}" fill="none" stroke="currentColor" stroke-width="2.5"/>"#));
    if points.len() <= 60 {
        for (x, y) in points.iter().map(|point| place(point, point.mean)) {
            svg.add(format_args!(r#"<circle cx="{x}" cy="{y}" r="3.5" fill="currentColor"/>"#));
        }
    }
    svg.add(format_args!("</g>"));
    let mut ends = vec![(colour, name, last.mean)];
    ends.extend(others.into_iter().zip(references).map(|(colour, player)| (colour, player.name, player.mean)));
    labels(&mut svg, right + 10.0, &y, ends);
    Some(svg.finish())
}

/// Writes name and score of each line at its right end, apart from each other.
pub(super) fn labels(svg: &mut Svg, left: f64, axis: &Axis, mut ends: Vec<(&str, &str, f64)>) {
    ends.sort_by(|one, other| other.2.total_cmp(&one.2));
    let mut places: Vec<f64> = ends.iter().map(|end| axis.place(end.2)).collect();
    for at in 1..places.len() {
        places[at] = places[at].max(places[at - 1] + LABEL);
    }
    // What was pushed below the axis moves the others up.
    let mut lowest = axis.pixels.0 - LABEL / 3.0;
    for place in places.iter_mut().rev() {
        *place = place.min(lowest);
        lowest = *place - LABEL;
    }
    for ((colour, name, mean), place) in ends.into_iter().zip(places) {
        let name = shortened(name, LETTERS);
        svg.text(left, place - 1.0, &format!(r#"class="{colour}" font-size="13" font-weight="600""#), &name);
        svg.text(left, place + 13.0, &format!(r#"class="{colour}" font-size="13""#), &score(mean));
    }
}
