//! `matchq eval`: scores of a trained agent.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::slice;

use ratatui::crossterm::terminal;

use matchq_trainer::other_rules;

use super::{compute, quoted, series};
use crate::cli::{Eval, Series};
use crate::error::{Error, Result};
use crate::eval::{Histogram, Report, exponential};
use crate::games::{Game, Match3};
use crate::named;
use crate::network::OnDevice;
use crate::players::{Agent, Agents, BoxedPlayer, Playable};
use crate::report::plot as pictures;

/// Columns of a text where standard output is no terminal; most where it is one.
const COLUMNS: (u16, u16) = (80, 120);

/// Columns of a histogram.
fn columns() -> usize {
    let own = Some(io::stdout()).filter(IsTerminal::is_terminal).and_then(|_| terminal::size().ok());
    own.map_or(COLUMNS.0, |(columns, _)| if columns > 0 { columns.min(COLUMNS.1) } else { COLUMNS.0 }).into()
}

/// Plays the games and writes the results.
pub fn run<G: Playable>(arguments: &Eval, agents: &Agents) -> Result<()> {
    super::tell_apart(arguments.checkpoint.as_deref());
    let series = &arguments.series;
    let Evaluated { rules, mut player, text, .. } = evaluated::<G>(arguments, agents)?;
    let report = series::play(player.as_mut(), &rules, series, false)?;
    let watch = quoted(&text);
    let mut watch = if G::NAME == Match3::NAME { watch } else { format!("{watch} --game {}", G::NAME) };
    other_rules::<G>(&rules).iter().for_each(|rule| watch += &format!(" --rule {}", quoted(rule)));
    conclude(report, series, arguments.plot.as_deref(), Some(&watch), G::IMPORTANCE.is_some())
}

/// A player that is evaluated.
pub(super) struct Evaluated<G: Playable> {
    pub(super) rules: G::Rules,
    pub(super) player: BoxedPlayer<G>,
    /// Text that gives the player.
    pub(super) text: String,
    /// Agent of the player, unless `--player` gives the text.
    pub(super) agent: Option<Agent>,
}

/// The player that is asked for, by its own rules unless others are given.
pub(super) fn evaluated<G: Playable>(arguments: &Eval, agents: &Agents) -> Result<Evaluated<G>> {
    let Eval { series, batch, precision, .. } = arguments;
    let agent = arguments.checkpoint.as_deref().map(|path| agents.load(path)).transpose()?;
    let given = series::check::<G>(series)?;
    let rules = match agent.as_ref().filter(|_| series.game.rules.is_empty()) {
        Some(agent) => agent.rules::<G>()?,
        None => given,
    };
    let device = compute(&arguments.compute)?;
    if let Some(text) = &arguments.player {
        let player = super::player::<G>(text, &rules, agents)?;
        return Ok(Evaluated { rules, player, text: text.clone(), agent: None });
    }
    let agent = agent.map_or_else(Agent::default_of::<G>, Ok)?;
    let player = agent.player::<G>(&rules, *batch as usize, *precision, &OnDevice(device))?;
    let precision = precision.map_or(String::new(), |precision| format!(":precision={precision}"));
    let text = format!("{}{precision}", agent.label());
    Ok(Evaluated { rules, player, text, agent: Some(agent) })
}

/// Writes the results, and how the player is watched if given.
pub fn conclude(
    mut report: Report,
    series: &Series,
    plot: Option<&Path>,
    watch: Option<&str>,
    is_exponential: bool,
) -> Result<()> {
    let moves = series::write_moves(series, slice::from_mut(&mut report));
    let histogram =
        Histogram::of(&report.scores).ok_or_else(|| Error::user("--games 0: at least one game is needed"))?;
    let summary = &report.figures.scores;
    let (player, rate) = (&report.player, report.games_per_second);
    let drawn = match is_exponential {
        true => exponential::render(&report.scores, summary, columns()),
        false => histogram.render(summary, columns()),
    };
    let watch = watch.map_or(String::new(), |watch| format!("watch it: {} play --player {watch}\n", named::name()));
    let own: String =
        report.ratios.iter().map(|(about, ratio)| format!("{about} {}\n", series::shown(*ratio))).collect();
    let played = series::games(slice::from_ref(&report));
    let sum = report.scores.iter().map(|score| i64::from(*score)).sum::<i64>();
    // Chosen boards are told by their sum, and have no interval.
    let own = match report.games > 1 && !report.is_estimate() {
        true => format!("together {sum}\n{own}"),
        false => own,
    };
    let text = format!(
        "{player}: {played} ({rate:.0} games/s)\n{summary}\n{own}\n{drawn}\n\
         {watch}"
    );
    let title = format!("{player}: {played}");
    series::write(series, &text, &report, plot, |path| {
        pictures::save(path, Some(pictures::histogram(&title, &histogram, summary, false)), "no game")
    })
    .and(moves)
}
