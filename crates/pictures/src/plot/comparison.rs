//! Chart of a comparison: a row per player, and strength against time.

use super::{Axis, COLOURS, GRID, around, axes, foot, score, titled};
use crate::apart;
use crate::statistics::Summary;
use crate::svg::{Svg, round};

/// A player in a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'a> {
    /// Name in the chart.
    pub name: &'a str,
    /// Summary of the scores.
    pub summary: Summary,
    /// Mean time of a move; 0 if unknown.
    pub milliseconds: f64,
}

impl Contender<'_> {
    fn interval(&self) -> [f64; 2] {
        let half_width = self.summary.half_width.unwrap_or(0.0);
        [self.summary.mean - half_width, self.summary.mean + half_width]
    }
}

const WIDTH: f64 = 1000.0;
/// Top of the rows; height of each.
const ROWS: f64 = 72.0;
const ROW: f64 = 32.0;
/// Height of an axis below a chart; height of the chart of strength.
const FOOT: f64 = 64.0;
const STRENGTHS: f64 = 400.0;
/// Maximum letters of a name; width of a letter in the widest usual font.
const LETTERS: usize = 44;
const LETTER: f64 = 7.6;

/// Draws scores, strongest player first, and strength against time if several have a time.
///
/// `None` without players.
pub fn comparison(title: &str, players: &[Contender<'_>]) -> Option<String> {
    if players.is_empty() {
        return None;
    }
    let mut players = players.to_vec();
    players.sort_by(|one, other| other.summary.mean.total_cmp(&one.summary.mean));
    let timed = players.iter().filter(|player| player.milliseconds > 0.0).count() > 1;
    let bottom = ROWS + ROW * players.len() as f64;
    let height = bottom + FOOT + if timed { STRENGTHS + FOOT } else { 0.0 };
    let mut svg = titled((WIDTH, height), title);
    rows(&mut svg, &players, bottom);
    if timed {
        strengths(&mut svg, &players, bottom + FOOT);
    }
    Some(svg.finish())
}

/// Draws each player's rank from 1, name, scores and mean.
fn rows(svg: &mut Svg, players: &[Contender<'_>], bottom: f64) {
    let names: Vec<&str> = players.iter().map(|player| player.name).collect();
    let names = apart(&names, LETTERS);
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let left = 64.0 + LETTER * longest as f64;
    // With few games a mean's interval may be wider than all scores.
    let ends = |player: &Contender<'_>| [[player.summary.min, player.summary.max], player.interval()].concat();
    let scores = around(players.iter().flat_map(ends));
    let axis = Axis::new(scores, (left, WIDTH - 150.0));
    svg.text(
        left,
        58.0,
        r#"class="soft" font-size="12""#,
        "line: lowest to highest score · box: quartiles · stroke: median · dot: mean with its 95 % interval",
    );
    for value in axis.ticks() {
        svg.line((axis.place(value), ROWS), (axis.place(value), bottom), GRID);
    }
    foot(svg, &axis, "score (points)", bottom);

    for (index, (player, name)) in players.iter().zip(&names).enumerate() {
        let Summary { mean, half_width, min, lower_quartile, median, upper_quartile, max, .. } = player.summary;
        let (colour, y) = (COLOURS[index % COLOURS.len()], ROWS + ROW * (index as f64 + 0.5));
        svg.text(48.0, y + 5.0, r#"font-size="14""#, name);
        svg.add(format_args!(r#"<g class="{colour}">"#));
        svg.line((axis.place(min), y), (axis.place(max), y), r#"stroke="currentColor""#);
        let box_left = round(axis.place(lower_quartile));
        let width = round(axis.place(upper_quartile) - box_left);
        let top = y - 8.0;
        for fill in [r#"class="page""#, r#"fill="currentColor" fill-opacity=".2" stroke="currentColor""#] {
            svg.add(format_args!(r#"<rect x="{box_left}" y="{top}" width="{width}" height="16" rx="2" {fill}/>"#));
        }
        let middle = axis.place(median);
        svg.line((middle, y - 8.0), (middle, y + 8.0), r#"stroke="currentColor" stroke-width="2""#);
        mark(svg, (axis.place(mean), y), player.interval().map(|score| (axis.place(score), y)), "");
        svg.text(38.0, y + 5.0, r#"font-size="14" font-weight="bold" text-anchor="end""#, &(index + 1).to_string());
        svg.add(format_args!("</g>"));
        let half_width = half_width.map_or(String::new(), |half| format!(" ± {}", score(half)));
        let number = format!("{}{half_width}", score(mean));
        svg.text(WIDTH - 20.0, y + 5.0, r#"font-size="14" text-anchor="end""#, &number);
    }
}

/// Draws mean scores against milliseconds a move, ranks in the dots.
fn strengths(svg: &mut Svg, players: &[Contender<'_>], top: f64) {
    let timed = || players.iter().enumerate().filter(|(_, player)| player.milliseconds > 0.0);
    let x = Axis::logarithmic(timed().map(|(_, player)| player.milliseconds), (80.0, WIDTH - 20.0));
    let y = Axis::new(around(timed().flat_map(|(_, player)| player.interval())), (top + STRENGTHS, top + 20.0));
    axes(svg, (&x, "milliseconds a move"), (&y, "mean score (points)"));
    // The strongest is drawn last, on top.
    for (index, player) in timed().collect::<Vec<_>>().into_iter().rev() {
        let across = x.place(player.milliseconds);
        let ends = player.interval().map(|score| (across, y.place(score)));
        svg.add(format_args!(r#"<g class="{}">"#, COLOURS[index % COLOURS.len()]));
        mark(svg, (across, y.place(player.summary.mean)), ends, &(index + 1).to_string());
        svg.add(format_args!("</g>"));
    }
}

/// Draws a dot, with a number unless empty, and a bar.
fn mark(svg: &mut Svg, dot: (f64, f64), bar: [(f64, f64); 2], number: &str) {
    svg.line(bar[0], bar[1], r#"stroke="currentColor" stroke-width="3" stroke-linecap="round""#);
    let radius = if number.is_empty() { 3.5 } else { 9.0 };
    let (x, y) = (round(dot.0), round(dot.1));
    svg.add(format_args!(r#"<circle cx="{x}" cy="{y}" r="{}" class="page"/>"#, radius + 1.0));
    svg.add(format_args!(r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="currentColor"/>"#));
    if !number.is_empty() {
        svg.text(x, y + 4.0, r#"class="on" font-size="11" font-weight="bold" text-anchor="middle""#, number);
    }
}
