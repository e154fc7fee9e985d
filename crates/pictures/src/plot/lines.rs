//! Chart of several lines with bands, such as trainings.

use super::curve::labels;
use super::{Axis, COLOURS, NARROW, SIZE, around, axes, titled};
use crate::svg::{escaped, round};

/// A line, with a band around it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Name, at the line's right end.
    pub name: String,
    /// Place across, mean, and the band's lower and upper end.
    pub points: Vec<[f64; 4]>,
    /// Single values, drawn pale below the line.
    pub raw: Vec<[f64; 2]>,
}

/// Lines with the texts and axes of their chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// Title above the chart.
    pub title: String,
    /// What is drawn, below the title.
    pub about: String,
    /// Name of the axis across.
    pub x: String,
    /// Name of the upright axis.
    pub y: String,
    /// Lines, in the order of their colours.
    pub lines: Vec<Line>,
    /// Values that are lines across.
    pub references: Vec<(String, f64)>,
    /// Whether the axis across is logarithmic; points without a positive place are then left out.
    pub log_x: bool,
    /// Whether the upright axis is logarithmic; points without a positive value are then left out.
    pub log_y: bool,
    /// Part of the axis across to draw.
    pub range: Option<[f64; 2]>,
    /// Whether the chart is for a narrow screen, without names at the lines' ends.
    pub narrow: bool,
}

/// Largest number that is drawn: beyond, axes lose their last digits.
const LARGEST: f64 = 1e15;

/// Pixels right of the lines for labels.
const LABELS: f64 = 130.0;

/// Draws the lines; `None` without a point.
///
/// Scripts find a line's name and points in `data-name` and `data-points`, and the axes in
/// `data-x` and `data-y`: both ends in pixels, both ends in values or their decimal logarithms, and
/// whether these are logarithms.
pub fn lines(chart: &Lines) -> Option<String> {
    let Lines { title, about, x, y, references, log_x, log_y, range, narrow, .. } = chart;
    let inside = |across: f64| range.is_none_or(|[low, high]| (low..=high).contains(&across));
    let drawn = |across: f64, values: &[f64]| {
        across.is_finite()
            && values.iter().chain([&across]).all(|value| value.abs() <= LARGEST)
            && values.iter().all(|value| !log_y || *value > 0.0)
            && (!log_x || across > 0.0)
            && inside(across)
    };
    let kept = |line: &Line| Line {
        name: line.name.clone(),
        points: line.points.iter().filter(|[across, values @ ..]| drawn(*across, values)).copied().collect(),
        raw: line.raw.iter().filter(|[across, value]| drawn(*across, &[*value])).copied().collect(),
    };
    let lines: Vec<Line> = chart.lines.iter().map(kept).collect();
    let references: Vec<&(String, f64)> =
        references.iter().filter(|(_, value)| value.abs() <= LARGEST && (!log_y || *value > 0.0)).collect();
    let across = || {
        lines.iter().flat_map(|line| line.points.iter().map(|point| point[0]).chain(line.raw.iter().map(|raw| raw[0])))
    };
    across().next()?;
    let up = || {
        let points = lines.iter().flat_map(|line| line.points.iter().flat_map(|[_, _, low, high]| [*low, *high]));
        let raw = lines.iter().flat_map(|line| line.raw.iter().map(|raw| raw[1]));
        points.chain(raw).chain(references.iter().map(|(_, value)| *value))
    };
    let (size, left, labelled) = if *narrow { (NARROW, 68.0, 16.0) } else { (SIZE, 80.0, LABELS) };
    let right = size.0 - labelled;
    let (pixels_x, pixels_y) = ((left, right), (size.1 - 60.0, 80.0));
    let x_axis = match log_x {
        true => Axis::logarithmic(across(), pixels_x),
        false => {
            let (low, high) =
                across().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
            let low = if range.is_none() { low.min(0.0) } else { low };
            // Between whole numbers, such as moves, there is none.
            let unit = if across().all(|at| at.fract() == 0.0) { 1.0 } else { 0.0 };
            Axis { unit, ..Axis::new((low, if high > low { high } else { low + 1.0 }), pixels_x) }
        }
    };
    let y_axis = if *log_y { Axis::logarithmic(up(), pixels_y) } else { Axis::new(around(up()), pixels_y) };
    let mut svg = titled(size, title);
    svg.text(20.0, 58.0, r#"class="soft" font-size="14""#, about);
    let data = |axis: &Axis| {
        let Axis { ends, pixels, logarithmic, .. } = axis;
        format!("{} {} {} {} {}", pixels.0, pixels.1, ends.0, ends.1, u8::from(*logarithmic))
    };
    svg.add(format_args!(r#"<g class="axes" data-x="{}" data-y="{}">"#, data(&x_axis), data(&y_axis)));
    axes(&mut svg, (&x_axis, x), (&y_axis, y));
    svg.add(format_args!("</g>"));
    let mut colours = COLOURS.iter().cycle();
    let mut ends = Vec::new();
    for line in &lines {
        let colour = colours.next().unwrap_or(&COLOURS[0]);
        let place = |across: f64, value: f64| format!("{},{}", round(x_axis.place(across)), round(y_axis.place(value)));
        let points: Vec<String> =
            line.points.iter().map(|point| point.map(|value| value.to_string()).join(" ")).collect();
        svg.add(format_args!(
            r#"<g class="{colour} line" data-name="{}" data-points="{}">"#,
            escaped(&line.name),
            points.join(" ")
        ));
        let raw: String = line.raw.iter().map(|[across, value]| format!("M{}h.1", place(*across, *value))).collect();
        if !raw.is_empty() {
            svg.add(format_args!(
                r#"<path d="{raw}" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-opacity=".25"/>"#
            ));
        }
        if line.points.iter().any(|[_, _, low, high]| high > low) {
            let upper = line.points.iter().map(|[across, _, _, high]| place(*across, *high));
            let lower = line.points.iter().rev().map(|[across, _, low, _]| place(*across, *low));
            let outline: Vec<String> = upper.chain(lower).collect();
            svg.add(format_args!(
                r#"<polygon points="{}" fill="currentColor" fill-opacity=".18"/>"#,
                outline.join(" ")
            ));
        }
        let means: Vec<String> = line.points.iter().map(|[across, mean, ..]| place(*across, *mean)).collect();
        svg.add(format_args!(
            r#"<polyline points="{}" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linejoin="round"/>"#,
            means.join(" ")
        ));
        if line.points.len() <= 40 {
            for [across, mean, ..] in &line.points {
                let (x, y) = (round(x_axis.place(*across)), round(y_axis.place(*mean)));
                svg.add(format_args!(r#"<circle cx="{x}" cy="{y}" r="3" fill="currentColor"/>"#));
            }
        }
        svg.add(format_args!("</g>"));
        ends.extend(line.points.last().map(|point| (*colour, line.name.as_str(), point[1])));
    }
    for (name, value) in &references {
        let height = y_axis.place(*value);
        let dashed = r#"class="soft" stroke="currentColor" stroke-width="1.5" stroke-dasharray="6 4""#;
        svg.line((x_axis.pixels.0, height), (right, height), dashed);
        if *narrow {
            svg.text(right, height - 5.0, r#"class="soft" font-size="12" text-anchor="end""#, name);
        }
        ends.push(("soft", name.as_str(), *value));
    }
    if !narrow {
        labels(&mut svg, right + 10.0, &y_axis, ends);
    }
    Some(svg.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::tests::is_well_formed;

    fn chart(points: &[[f64; 4]]) -> Lines {
        let line = |name: &str| Line { name: name.to_owned(), points: points.to_vec(), raw: vec![[1.0, 5.0]] };
        Lines {
            title: "Two <runs>".to_owned(),
            y: "score".to_owned(),
            lines: vec![line("one"), line("a \"b\"")],
            references: vec![("greedy".to_owned(), 7.0)],
            ..Lines::default()
        }
    }

    #[test]
    fn every_line_has_its_name_its_points_and_its_band_and_references_are_dashed() {
        let svg = lines(&chart(&[[0.0, 1.0, 0.5, 1.5], [10.0, 20.0, 18.0, 25.0]])).unwrap();
        assert!(is_well_formed(&svg) && !svg.contains("NaN"), "{svg}");
        for part in [
            r#"<g class="a line" data-name="one" data-points="0 1 0.5 1.5 10 20 18 25">"#,
            r#"<g class="b line" data-name="a &quot;b&quot;""#,
            r#"data-x="80 670 0 10 0""#,
            ">greedy</text>",
            "Two &lt;runs&gt;",
        ] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert_eq!((svg.matches("<polygon").count(), svg.matches("stroke-dasharray").count()), (2, 1));
    }

    #[test]
    fn a_narrow_chart_has_its_names_within_and_ticks_of_one_unit() {
        let points = [[0.0, 1.0, 0.5, 1.5], [20_000.0, 20.0, 18.0, 25.0]];
        let svg = lines(&Lines { narrow: true, ..chart(&points) }).unwrap();
        assert!(is_well_formed(&svg) && svg.contains(r#"viewBox="0 0 400 400""#), "{svg}");
        let place = |text: &str| svg.lines().find(|line| line.ends_with(&format!(">{text}</text>")));
        assert!(place("greedy").unwrap().contains(r#"text-anchor="end""#) && place("one").is_none());
        assert!(lines(&chart(&[[0.0; 4], [3.0; 4]])).unwrap().contains(">3<"));
        assert!(!lines(&chart(&[[0.0; 4], [3.0; 4]])).unwrap().contains(">0.5<"));
        assert!(place("0").is_some() && place("5k").is_some() && place("20k").is_some(), "{svg}");
    }

    #[test]
    fn a_range_leaves_the_others_out_and_logarithms_what_is_not_positive() {
        let all = chart(&[[0.0, 1.0, 1.0, 1.0], [10.0, 20.0, 20.0, 20.0], [100.0, 30.0, 30.0, 30.0]]);
        let svg = lines(&Lines { range: Some([5.0, 50.0]), ..all.clone() }).unwrap();
        assert!(svg.contains(r#"data-points="10 20 20 20""#), "{svg}");
        let svg = lines(&Lines { log_x: true, log_y: true, ..all.clone() }).unwrap();
        assert!(svg.contains(r#"data-points="10 20 20 20 100 30 30 30""#) && !svg.contains("NaN"), "{svg}");
        assert_eq!(lines(&Lines { range: Some([500.0, 501.0]), ..all }), None);
        assert_eq!(lines(&Lines::default()), None);
    }
}
