//! The picture of a histogram of scores.

use std::path::Path;

use plotters::prelude::*;

use super::{BLUE, Canvas, Drawn, GOLD, INK, Key, PALE, Picture, RED, save, tick};
use crate::error::Result;
use crate::eval::histogram::Histogram;
use crate::eval::statistics::Summary;

/// Draws a histogram of scores with their mean and quartiles marked.
///
/// # Errors
/// When the path ends in neither `.png` nor `.svg` or cannot be written.
pub fn histogram(path: &Path, title: &str, histogram: &Histogram, summary: &Summary) -> Result<()> {
    save(path, &HistogramPicture { title, histogram, summary })
}

struct HistogramPicture<'a> {
    title: &'a str,
    histogram: &'a Histogram,
    summary: &'a Summary,
}

impl Picture for HistogramPicture<'_> {
    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B> {
        let Self { title, histogram, summary } = self;
        let confidence = summary.half_width.map(|half| format!(" ± {half:.1} (95 %)")).unwrap_or_default();
        let quartiles = (summary.lower_quartile, summary.median, summary.upper_quartile);
        let keys = [
            Key { colour: RED, text: format!("mean {:.1}{confidence}", summary.mean) },
            Key { colour: GOLD, text: format!("quartiles {} / {} / {}", quartiles.0, quartiles.1, quartiles.2) },
        ];
        let below = canvas.headed(title, &keys)?;

        // A bar spans its whole scores and half a point to either side.
        let first = histogram.edges(0).0 as f64 - 0.5;
        let end = first + (histogram.counts.len() as i64 * histogram.width) as f64;
        let margin = (end - first) * 0.02;
        let most = histogram.counts.iter().copied().max().unwrap_or(0) as f64 * 1.06;
        let mut chart = ChartBuilder::on(&below)
            .x_label_area_size(canvas.px(80))
            .y_label_area_size(canvas.px(110))
            .build_cartesian_2d(first - margin..end + margin, 0.0..most)?;
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
            .y_desc("games")
            .x_labels(12)
            .y_labels(8)
            .x_label_formatter(&|score| tick(*score))
            .y_label_formatter(&|games| tick(*games))
            .draw()?;

        let gap = histogram.width as f64 * 0.03;
        chart.draw_series(histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(
            |(bin, &count)| {
                let (low, next) = histogram.edges(bin);
                Rectangle::new([(low as f64 - 0.5 + gap, 0.0), (next as f64 - 0.5 - gap, count as f64)], BLUE.filled())
            },
        ))?;
        for score in [quartiles.0, quartiles.1, quartiles.2] {
            let line = [(score, 0.0), (score, most)];
            let (dash, space) = (canvas.px(10), canvas.px(8));
            chart.draw_series(DashedLineSeries::new(line, dash, space, canvas.stroke(GOLD, 3)))?;
        }
        chart.draw_series([PathElement::new([(summary.mean, 0.0), (summary.mean, most)], canvas.stroke(RED, 4))])?;
        Ok(())
    }
}
