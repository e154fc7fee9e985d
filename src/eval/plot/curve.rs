//! The picture of a training: the mean score of its evaluations against steps.

use std::path::Path;

use plotters::prelude::*;

use super::{BLUE, Canvas, Drawn, INK, Key, PALE, Picture, range, save, tick};
use crate::error::{Error, Result};

/// An evaluation during training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Moves played in training before it.
    pub step: u64,
    /// Mean score.
    pub mean: f64,
    /// Half the width of the mean's 95 % confidence interval, where it is known.
    pub half_width: Option<f64>,
}

/// Draws the mean scores of a training's evaluations with their confidence band. Means that are not finite are left out.
///
/// # Errors
/// When there is no point to draw, or the path ends in neither `.png` nor `.svg` or cannot be written.
pub fn curve(path: &Path, title: &str, points: &[CurvePoint]) -> Result<()> {
    let points: Vec<CurvePoint> = points.iter().copied().filter(|point| point.mean.is_finite()).collect();
    if points.is_empty() {
        return Err(Error::user(format!("{}: there is no evaluation yet of which to draw a curve", path.display())));
    }
    save(path, &CurvePicture { title, points })
}

struct CurvePicture<'a> {
    title: &'a str,
    /// At least one, all finite.
    points: Vec<CurvePoint>,
}

impl CurvePoint {
    fn bounds(&self) -> (f64, f64) {
        let half_width = self.half_width.filter(|half_width| half_width.is_finite()).unwrap_or(0.0);
        (self.mean - half_width, self.mean + half_width)
    }
}

impl Picture for CurvePicture<'_> {
    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B> {
        let banded = self.points.iter().any(|point| point.half_width.is_some());
        let text = if banded { "mean score of an evaluation, 95 % confidence" } else { "mean score of an evaluation" };
        let below = canvas.headed(self.title, &[Key { colour: BLUE, text: text.to_owned() }])?;

        let bounds = self.points.iter().map(CurvePoint::bounds);
        let scores = range(bounds.flat_map(|(low, high)| [low, high]));
        let last = self.points.iter().map(|point| point.step).max().unwrap_or(0).max(1) as f64;
        let mut chart = ChartBuilder::on(&below)
            .margin_right(canvas.px(40))
            .x_label_area_size(canvas.px(80))
            .y_label_area_size(canvas.px(110))
            .build_cartesian_2d(0.0..last, scores)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(PALE)
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(canvas.px(8))
            .axis_style(canvas.stroke(INK, 2))
            .label_style(canvas.font(24))
            .axis_desc_style(canvas.font(26))
            .x_desc("training steps (moves)")
            .y_desc("score (points)")
            .x_labels(10)
            .y_labels(8)
            .x_label_formatter(&|step| tick(*step))
            .y_label_formatter(&|score| tick(*score))
            .draw()?;

        let place = |point: &CurvePoint| (point.step as f64, point.mean);
        let upper = self.points.iter().map(|point| (point.step as f64, point.bounds().1));
        let lower = self.points.iter().rev().map(|point| (point.step as f64, point.bounds().0));
        chart.draw_series([Polygon::new(upper.chain(lower).collect::<Vec<_>>(), BLUE.mix(0.25))])?;
        chart.draw_series(LineSeries::new(self.points.iter().map(place), canvas.stroke(BLUE, 4)))?;
        if self.points.len() <= 60 {
            let dot = |point| Circle::new(place(point), canvas.px(6), BLUE.filled());
            chart.draw_series(self.points.iter().map(dot))?;
        }
        Ok(())
    }
}
