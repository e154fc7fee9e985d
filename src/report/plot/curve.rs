//! Chart of a training: mean score of its evaluations against steps.

use std::path::Path;

use super::{Axis, BLUE, INK, SIZE, around, axes, save, titled};
use crate::error::{Error, Result};
use crate::report::svg::round;

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

impl CurvePoint {
    /// The mean's interval, or the mean twice.
    fn interval(&self) -> [f64; 2] {
        let half_width = self.half_width.filter(|half_width| half_width.is_finite()).unwrap_or(0.0);
        [self.mean - half_width, self.mean + half_width]
    }
}

/// Draws finite mean scores with their intervals; no such score is an error.
///
/// `unit` names the steps, `what` the scores.
pub fn curve(path: &Path, title: &str, unit: &str, what: &str, points: &[CurvePoint]) -> Result<()> {
    let points: Vec<&CurvePoint> = points.iter().filter(|point| point.mean.is_finite()).collect();
    let Some(last) = points.iter().map(|point| point.step).max() else {
        return Err(Error::user(format!("{}: there is no evaluation yet of which to draw a curve", path.display())));
    };
    let mut svg = titled(SIZE, title);
    let banded = points.iter().any(|point| point.half_width.is_some());
    let confidence = if banded { " with its 95 % interval" } else { "" };
    svg.add(format_args!(
        r#"<text x="20" y="60" fill="{INK}" font-size="14"><tspan fill="{BLUE}">━━</tspan> mean {what} of an evaluation{confidence}</text>"#
    ));
    let x = Axis::new((0.0, last.max(1) as f64), (80.0, SIZE.0 - 30.0));
    let y = Axis::new(around(points.iter().flat_map(|point| point.interval())), (SIZE.1 - 60.0, 80.0));
    axes(&mut svg, (&x, unit), (&y, "score (points)"));

    let place = |point: &CurvePoint, score| (round(x.place(point.step as f64)), round(y.place(score)));
    let text = |(x, y): (f64, f64)| format!("{x},{y}");
    if banded {
        let upper = points.iter().map(|point| text(place(point, point.interval()[1])));
        let lower = points.iter().rev().map(|point| text(place(point, point.interval()[0])));
        let outline: Vec<String> = upper.chain(lower).collect();
        svg.add(format_args!(r#"<polygon points="{}" fill="{BLUE}" fill-opacity=".25"/>"#, outline.join(" ")));
    }
    let line: Vec<String> = points.iter().map(|point| text(place(point, point.mean))).collect();
    svg.add(format_args!(r#"<polyline points="{}" fill="none" stroke="{BLUE}" stroke-width="2"/>"#, line.join(" ")));
    if points.len() <= 60 {
        for (x, y) in points.iter().map(|point| place(point, point.mean)) {
            svg.add(format_args!(r#"<circle cx="{x}" cy="{y}" r="3" fill="{BLUE}"/>"#));
        }
    }
    save(path, svg)
}
