//! Charts, drawn as in files.

use matchq_core::error::{Error, Result};
use matchq_pictures::plot::{self, Line, Lines};
use matchq_players::eval::histogram::Histogram;
use matchq_players::eval::statistics::Summary;
use serde::Deserialize;

/// A chart to draw.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Chart {
    /// Scores of games.
    Histogram {
        /// Words above the chart.
        title: String,
        /// A score a game.
        scores: Vec<i32>,
        /// Whether the chart is for a narrow screen.
        #[serde(default)]
        narrow: bool,
    },
    /// Lines with bands.
    Lines {
        /// Words above the chart.
        title: String,
        /// Words below the title.
        #[serde(default)]
        about: String,
        /// Name of the axis across.
        x: String,
        /// Name of the axis upward.
        y: String,
        /// The lines.
        lines: Vec<Given>,
        /// Names and heights of level lines, such as other players' scores.
        #[serde(default)]
        references: Vec<(String, f64)>,
        /// Whether the axis across is logarithmic.
        #[serde(default)]
        log_x: bool,
        /// Whether the axis upward is logarithmic.
        #[serde(default)]
        log_y: bool,
        /// Lowest and highest value upward, of the data by default.
        range: Option<[f64; 2]>,
        /// Whether the chart is for a narrow screen.
        #[serde(default)]
        narrow: bool,
    },
}

/// A line as given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// Name in the legend.
    pub name: String,
    /// Position across, mean, lower and upper end.
    pub points: Vec<[f64; 4]>,
    /// Position across and value of single measurements.
    #[serde(default)]
    pub raw: Vec<[f64; 2]>,
}

/// Most lines of a chart.
const LINES: usize = 100;

/// Most numbers of a chart.
const MOST: usize = 100_000;

impl Chart {
    /// The chart as SVG.
    pub fn draw(self) -> Result<String> {
        let nothing = || Error::user("there is nothing to draw in this chart".to_owned());
        match self {
            Self::Histogram { title, scores, narrow } => {
                if scores.len() > MOST {
                    return Err(Error::user(format!("a chart has at most {MOST} scores")));
                }
                let (bins, summary) = Histogram::of(&scores).zip(Summary::of(&scores)).ok_or_else(nothing)?;
                Ok(plot::histogram(&title, &bins, &summary, narrow))
            }
            Self::Lines { title, about, x, y, lines, references, log_x, log_y, range, narrow } => {
                if lines.len() + references.len() > LINES {
                    return Err(Error::user(format!("a chart has at most {LINES} lines")));
                }
                if lines.iter().map(|line| line.points.len() + line.raw.len()).sum::<usize>() > MOST {
                    return Err(Error::user(format!("a chart has at most {MOST} points")));
                }
                let line = |Given { name, points, raw }| Line { name, points, raw };
                let lines = lines.into_iter().map(line).collect();
                plot::lines(&Lines { title, about, x, y, lines, references, log_x, log_y, range, narrow })
                    .ok_or_else(nothing)
            }
        }
    }
}
