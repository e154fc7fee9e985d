//! Charts: a histogram, a comparison, a training's curve.

mod comparison;
mod curve;
mod histogram;
mod lines;

pub use comparison::{Contender, comparison};
pub use curve::{CurvePoint, CurveTexts, Reference, curve};
pub use histogram::histogram;
pub use lines::{Line, Lines, lines};

use crate::shortened;
use crate::svg::Svg;

/// Default width and height in pixels, and those for a narrow screen.
const SIZE: (f64, f64) = (800.0, 500.0);
const NARROW: (f64, f64) = (400.0, 400.0);

/// Classes of the colours of several players or lines.
const COLOURS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
/// Attributes of lines that help to read values off.
const GRID: &str = r#"class="grid""#;

fn titled(size: (f64, f64), title: &str) -> Svg {
    let mut svg = Svg::on_page(size.0, size.1, title);
    // Width of a letter in the widest usual font.
    let letters = ((size.0 - 40.0) / 11.0) as usize;
    svg.text(20.0, 32.0, r#"font-size="17" font-weight="600""#, &shortened(title, letters));
    svg
}

/// Scale from values to pixels.
struct Axis {
    /// Values at both ends, or their decimal logarithms.
    ends: (f64, f64),
    /// Pixels of both ends.
    pixels: (f64, f64),
    logarithmic: bool,
    /// Smallest distance of ticks.
    unit: f64,
}

impl Axis {
    /// Fewest pixels between ticks.
    const APART: f64 = 45.0;

    fn new(ends: (f64, f64), pixels: (f64, f64)) -> Self {
        Self { ends, pixels, logarithmic: false, unit: 0.0 }
    }

    /// An axis of whole numbers.
    fn whole(ends: (f64, f64), pixels: (f64, f64)) -> Self {
        Self { unit: 1.0, ..Self::new(ends, pixels) }
    }

    /// A logarithmic axis around positive values.
    fn logarithmic(values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        Self { logarithmic: true, ..Self::new(around(values.map(f64::log10)), pixels) }
    }

    fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        let share = (value - self.ends.0) / (self.ends.1 - self.ends.0);
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    /// The ticks with their numbers as texts: in one unit, of the largest, where the axis is linear.
    fn named_ticks(&self) -> Vec<(f64, String)> {
        let ticks = self.ticks();
        let largest = ticks.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let size = |value: f64| if self.logarithmic { value.abs() } else { largest };
        ticks.into_iter().map(|value| (value, tick(value, size(value)))).collect()
    }

    /// Up to about ten round values: 1, 2 or 5 times powers of ten; on long logarithmic axes only
    /// powers of ten.
    fn ticks(&self) -> Vec<f64> {
        let (low, high) = self.ends;
        if self.logarithmic {
            let digits: &[f64] = if high - low < 4.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let all =
                (low.floor() as i32..=high as i32).flat_map(|power| digits.iter().map(move |d| d * 10_f64.powi(power)));
            let round: Vec<f64> = all.filter(|value| (low..=high).contains(&value.log10())).collect();
            if round.len() > 1 {
                return round;
            }
            // A range this short is nearly linear.
            return Self::new((10_f64.powf(low), 10_f64.powf(high)), self.pixels).ticks();
        }
        let most = ((self.pixels.1 - self.pixels.0).abs() / Self::APART).clamp(1.0, 11.0);
        let power = 10_f64.powf(((high - low) / most).log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| (high - low) / step <= most);
        let step = step.unwrap_or(high - low).max(self.unit);
        ((low / step).ceil() as i64..=(high / step).floor() as i64).map(|count| count as f64 * step).collect()
    }
}

/// Draws two named axes, and lines across at the upright axis's ticks.
fn axes(svg: &mut Svg, across: (&Axis, &str), up: (&Axis, &str)) {
    let ((x, x_name), (y, y_name)) = (across, up);
    let ((left, right), (bottom, top)) = (x.pixels, y.pixels);
    for (value, text) in y.named_ticks() {
        let place = y.place(value);
        svg.line((left, place), (right, place), GRID);
        svg.text(left - 8.0, place + 4.0, r#"class="soft" font-size="12" text-anchor="end""#, &text);
    }
    foot(svg, x, x_name, bottom);
    let middle = (bottom + top) / 2.0;
    let turned = format!(r#"class="soft" font-size="13" text-anchor="middle" transform="rotate(-90 20 {middle})""#);
    svg.text(20.0, middle, &turned, y_name);
}

/// Draws the axis at the foot of a chart.
fn foot(svg: &mut Svg, axis: &Axis, name: &str, bottom: f64) {
    const STROKE: &str = r#"class="soft" stroke="currentColor""#;
    svg.line((axis.pixels.0, bottom), (axis.pixels.1, bottom), STROKE);
    let centred = |size| format!(r#"class="soft" font-size="{size}" text-anchor="middle""#);
    for (value, text) in axis.named_ticks() {
        let place = axis.place(value);
        svg.line((place, bottom), (place, bottom + 5.0), STROKE);
        svg.text(place, bottom + 19.0, &centred(12), &text);
    }
    svg.text((axis.pixels.0 + axis.pixels.1) / 2.0, bottom + 40.0, &centred(13), name);
}

/// Lowest and highest value with a margin, never equal.
fn around(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let margin = if ends.1 > ends.0 { (ends.1 - ends.0) * 0.05 } else { 1.0 };
    (ends.0 - margin, ends.1 + margin)
}

/// A tick's number, short, in the unit of a size: 0, 0.05, 9,000, 12.5k, 2M.
fn tick(value: f64, size: f64) -> String {
    let (scaled, unit) = match size {
        1e9.. => (value / 1e9, "G"),
        1e6.. => (value / 1e6, "M"),
        1e4.. => (value / 1e3, "k"),
        _ => (value, ""),
    };
    // Removes rounding errors.
    let text = grouped(&format!("{}", (scaled * 1e6).round() / 1e6));
    if value == 0.0 { text } else { text + unit }
}

/// A score or a mean: 633.0, 1,303.9, 178.4M.
fn score(value: f64) -> String {
    let digits = |value: f64, unit| {
        let decimals = 3_i32.saturating_sub(value.abs().log10() as i32).max(0) as usize;
        format!("{value:.decimals$}{unit}")
    };
    match value.abs() {
        size if size >= 1e9 => digits(value / 1e9, "G"),
        size if size >= 1e6 => digits(value / 1e6, "M"),
        _ => grouped(&format!("{value:.1}")),
    }
}

/// A number's text with commas between thousands.
fn grouped(text: &str) -> String {
    let (sign, digits) = text.split_at(usize::from(text.starts_with('-')));
    let whole = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let mut grouped = sign.to_owned();
    for (at, letter) in digits.char_indices() {
        if at > 0 && at < whole && (whole - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(letter);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Summary;
    use crate::statistics::histogram::Histogram;
    use crate::svg::tests::is_well_formed;

    const WIDTH_OF_ROWS: f64 = 1000.0;
    const SCORES: [i32; 6] = [-5, 120, 130, 250, 260, 400];

    fn drawn(svg: String) -> String {
        assert!(is_well_formed(&svg) && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        svg
    }

    fn histogram_of(scores: &[i32]) -> String {
        let (bins, summary) = (Histogram::of(scores).unwrap(), Summary::of(scores).unwrap());
        drawn(histogram("Games of <a & b>", &bins, &summary, false))
    }

    fn curve_of(points: &[(u64, f64, Option<f64>)], references: &[Reference]) -> String {
        let point = |&(step, mean, half_width)| CurvePoint { step, mean, half_width };
        let points: Vec<CurvePoint> = points.iter().map(point).collect();
        let texts = CurveTexts { name: "mine", unit: "sweeps", what: "score" };
        drawn(curve(texts, &points, references).unwrap())
    }

    /// Height of a text's baseline.
    fn height_of(svg: &str, text: &str) -> f64 {
        let line = svg.lines().find(|line| line.ends_with(&format!(">{text}</text>"))).expect(text);
        line.split(r#" y=""#).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    }

    fn compared(players: &[(&str, &[i32], f64)]) -> String {
        let contenders: Vec<Contender> = players
            .iter()
            .map(|&(name, scores, milliseconds)| Contender {
                name,
                summary: Summary::of(scores).unwrap(),
                milliseconds,
            })
            .collect();
        drawn(comparison("Players of <a & b>", &contenders).unwrap())
    }

    #[test]
    fn a_histogram_has_a_bar_for_each_bin_and_the_numbers_of_the_summary() {
        let svg = histogram_of(&SCORES);
        for part in ["Games of &lt;a &amp; b&gt;", "mean 192.5 ±", "quartiles 122.5 / 190 / 257.5", "score (points)"] {
            assert!(svg.contains(part), "{part} is missing");
        }
        let bins = Histogram::of(&SCORES).unwrap().counts.iter().filter(|count| **count > 0).count();
        // One more rectangle is the page.
        assert_eq!(svg.matches("<rect ").count(), bins + 1);
        // A single bar is no wall, and no tick is half a game.
        let svg = histogram_of(&[3]);
        assert!(svg.contains(r#"width="120""#) && svg.contains(">1<") && !svg.contains(">0.5<"), "{svg}");
    }

    #[test]
    fn a_curve_has_a_dot_for_each_finite_mean_and_a_band() {
        let svg = curve_of(&[(0, 100.0, Some(10.0)), (10, f64::NAN, Some(1.0)), (2_000_000, 500.0, None)], &[]);
        assert!(svg.contains(">2M<") && svg.contains("<polygon") && svg.contains(">sweeps<"));
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(!curve_of(&[(0, 3.0, None)], &[]).contains("<polygon"));
    }

    #[test]
    fn a_curve_and_the_players_beside_it_are_named_at_their_right_ends_from_the_highest_score_down() {
        let references = [("random", 12.0), ("greedy", 1_500.0)].map(|(name, mean)| Reference { name, mean });
        let svg = curve_of(&[(1, 14.0, None), (2, 15.5, Some(1.0))], &references);
        assert_eq!(svg.matches("stroke-dasharray").count(), 2);
        let heights = ["greedy", "1,500.0", "mine", "15.5", "random", "12.0"].map(|text| height_of(&svg, text));
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] > 13.0), "{heights:?}");
        // The last texts end above the axis.
        assert!(heights[5] < SIZE.1 - 55.0, "{heights:?}");
    }

    #[test]
    fn players_are_compared_row_by_row_the_strongest_first() {
        let svg = compared(&[("weak<1>", &SCORES, 0.5), ("strong", &[500, 510, 520], 20.0)]);
        for part in ["Players of &lt;a &amp; b&gt;", "weak&lt;1&gt;", "192.5 ± ", "510.0 ± ", "milliseconds a move"] {
            assert!(svg.contains(part), "{part} is missing");
        }
        assert!(svg.find("strong").unwrap() < svg.find("weak").unwrap());
        // One dot per row, one in the chart below, each on a rim.
        assert_eq!(svg.matches("<circle").count(), 8);
    }

    #[test]
    fn the_interval_of_few_games_lies_within_the_chart() {
        let svg = compared(&[("one", &[100, 300], 1.0), ("other", &[10, 20], 1.01)]);
        let places: Vec<f64> = svg
            .split(r#" x1=""#)
            .chain(svg.split(r#" x2=""#))
            .filter_map(|rest| rest.split('"').next()?.parse().ok())
            .collect();
        assert!(places.len() > 8 && places.iter().all(|x| (64.0..=WIDTH_OF_ROWS).contains(x)), "{places:?}");
        // Nearly equal times have ticks, too.
        let axis = Axis::logarithmic([1.0, 1.01].into_iter(), (0.0, 100.0));
        assert!(axis.ticks().len() > 1 && axis.ticks().iter().all(|tick| (0.0..=100.0).contains(&axis.place(*tick))));
    }

    #[test]
    fn time_is_drawn_only_where_several_players_have_one() {
        for scores in [&[7][..], &[7; 9]] {
            for players in [&[("one", scores, 0.0), ("other", scores, 20.0)][..], &[("alone", scores, 1.0)]] {
                let svg = compared(players);
                assert!(svg.contains("7.0") && !svg.contains("milliseconds a move"));
                assert_eq!(svg.matches("<circle").count(), 2 * players.len());
            }
        }
    }

    #[test]
    fn a_long_name_loses_its_middle() {
        let name = format!("network:checkpoint={}/best.ckpt", "folder/".repeat(60));
        let svg = compared(&[(&name, &SCORES, 1.0)]);
        assert!(svg.contains("network:checkpoint=f") && svg.contains("…") && svg.contains("/best.ckpt<"));
    }

    #[test]
    fn where_there_is_nothing_to_draw_there_is_no_picture() {
        let texts = CurveTexts { name: "", unit: "steps", what: "score" };
        assert_eq!((comparison("", &[]), curve(texts, &[], &[])), (None, None));
    }

    #[test]
    fn an_axis_has_round_ticks_at_their_places() {
        let axis = Axis::new((-3.0, 27.0), (0.0, 300.0));
        assert_eq!(axis.ticks(), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]);
        assert_eq!(axis.place(0.0), 30.0);
        let axis = Axis::logarithmic([1.0, 100.0].into_iter(), (210.0, 0.0));
        assert_eq!(axis.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert!((axis.place(10.0) - 105.0).abs() < 1e-9 && axis.place(100.0) < axis.place(1.0));
        assert!(Axis::new((0.0, 0.03), (0.0, 300.0)).ticks().len() > 3);
        // Labels of 45 pixels have room.
        assert_eq!(Axis::new((-3.0, 27.0), (0.0, 100.0)).ticks(), [0.0, 20.0]);
        assert_eq!(Axis::whole((0.0, 2.0), (0.0, 300.0)).ticks(), [0.0, 1.0, 2.0]);
    }

    #[test]
    fn ticks_are_short() {
        let values = [0.0, -50.0, 9_000.0, 12_500.0, 2e6, 1.25e9, 0.2, 300.0000000004];
        assert_eq!(
            values.map(|value: f64| tick(value, value.abs())),
            ["0", "-50", "9,000", "12.5k", "2M", "1.25G", "0.2", "300"]
        );
    }

    #[test]
    fn scores_have_a_decimal_and_commas_and_large_ones_four_digits() {
        let values = [0.0, -5.04, 633.0, -1_303.94, 999_999.0, 24_697_887.9, 1.784e8, 2.5e9];
        let texts = ["0.0", "-5.0", "633.0", "-1,303.9", "999,999.0", "24.70M", "178.4M", "2.500G"];
        assert_eq!(values.map(score), texts);
    }
}
