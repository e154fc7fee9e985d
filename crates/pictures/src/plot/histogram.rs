//! Chart of a histogram.

use super::{Axis, NARROW, SIZE, axes, score, titled};
use crate::statistics::Summary;
use crate::statistics::histogram::Histogram;
use crate::svg::round;

/// Draws a histogram of scores, with mean and quartiles; `narrow` for a narrow screen.
pub fn histogram(title: &str, histogram: &Histogram, summary: &Summary, narrow: bool) -> String {
    // Beside each other, or below.
    let (size, left, beside) = if narrow { (NARROW, 68.0, r#"x="20" dy="18""#) } else { (SIZE, 80.0, r#"dx="24""#) };
    let mut svg = titled(size, title);
    let confidence = summary.half_width.map(|half| format!(" ± {} (95 %)", score(half))).unwrap_or_default();
    let quartiles = [summary.lower_quartile, summary.median, summary.upper_quartile];
    let [lower, median, upper] = quartiles.map(|quartile| score(quartile).trim_end_matches(".0").to_owned());
    svg.add(format_args!(
        r#"<text x="20" y="58" font-size="14"><tspan class="b" fill="currentColor">━━</tspan> mean {}{confidence} <tspan {beside} class="f" fill="currentColor">╍╍</tspan> quartiles {lower} / {median} / {upper}</text>"#,
        score(summary.mean)
    ));

    // A bar spans its whole scores and half a point on either side.
    let first = histogram.edges(0).0 as f64 - 0.5;
    let end = first + (histogram.counts.len() as i64 * histogram.width) as f64;
    let margin = (end - first) * 0.02;
    let most = histogram.counts.iter().copied().max().unwrap_or(0) as f64 * 1.06;
    let x = Axis::whole((first - margin, end + margin), (left, size.0 - 20.0));
    let y = Axis::whole((0.0, most), (size.1 - 60.0, if narrow { 96.0 } else { 80.0 }));
    axes(&mut svg, (&x, "score (points)"), (&y, "games"));

    let gap = histogram.width as f64 * 0.03;
    svg.add(format_args!(r#"<g class="a" fill="currentColor">"#));
    for (bin, count) in histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (low, next) = histogram.edges(bin);
        let (mut left, mut right) = (x.place(low as f64 - 0.5 + gap), x.place(next as f64 - 0.5 - gap));
        // A bar alone would fill the chart.
        if right - left > WIDEST {
            (left, right) = ((left + right - WIDEST) / 2.0, (left + right + WIDEST) / 2.0);
        }
        let (top, bottom) = (y.place(*count as f64), y.place(0.0));
        let [left, top, width, height] = [left, top, right - left, bottom - top].map(round);
        svg.add(format_args!(r#"<rect x="{left}" y="{top}" width="{width}" height="{height}"/>"#));
    }
    svg.add(format_args!("</g>"));
    let mut mark = |score: f64, stroke: &str| {
        svg.line((x.place(score), y.place(0.0)), (x.place(score), y.place(most)), stroke);
    };
    const DASHED: &str = r#"class="f" stroke="currentColor" stroke-width="1.5" stroke-dasharray="5 4""#;
    quartiles.into_iter().for_each(|score| mark(score, DASHED));
    mark(summary.mean, r#"class="b" stroke="currentColor" stroke-width="2""#);
    svg.finish()
}

/// Most pixels of a bar's width.
const WIDEST: f64 = 120.0;
