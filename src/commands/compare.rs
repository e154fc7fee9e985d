//! `matchq compare`: several players in the same games, and `matchq players`, the list of them.

use std::fmt::Write as _;

use serde::Serialize;

use super::series::{self, Report, Series};
use super::{print, threads};
use crate::agents;
use crate::cli::Compare;
use crate::error::{Error, Result};
use crate::eval::Difference;

#[derive(Serialize)]
struct Comparison<'a> {
    players: Vec<Report<'a>>,
    pairs: Vec<Pair<'a>>,
}

/// How much better `player` did than `than`.
#[derive(Serialize)]
struct Pair<'a> {
    player: &'a str,
    than: &'a str,
    #[serde(flatten)]
    difference: Difference,
}

/// Plays the games with every player and writes what was asked for.
///
/// # Errors
/// Anything wrong with the flags or the players' texts, and any failure of a player or the disk.
pub fn run(arguments: &Compare) -> Result<()> {
    let rules = series::check(&arguments.series)?;
    let mut players = Vec::new();
    for text in &arguments.players {
        players.push(agents::parse(text, &rules)?);
    }
    if let Some(twice) =
        (1..players.len()).find(|last| players[..*last].iter().any(|known| known.name() == players[*last].name()))
    {
        return Err(Error::user(format!("--players: {} is named twice", players[twice].name())));
    }
    threads(arguments.threads)?;
    let mut all = Vec::new();
    for player in &mut players {
        all.push(series::play(player.as_mut(), &rules, &arguments.series)?);
    }
    let pairs = pairs(&all);
    let report = Comparison { players: all.iter().map(|series| series.report(&arguments.series)).collect(), pairs };
    series::write(&arguments.series, &text(arguments, &all, &report.pairs), &report)
}

/// Prints every player that can be named, with its parameters.
///
/// # Errors
/// When standard output cannot be written.
pub fn list() -> Result<()> {
    print(&agents::listing())
}

fn pairs(all: &[Series]) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    for (index, than) in all.iter().enumerate() {
        for player in &all[index + 1..] {
            if let Some(difference) = Difference::between(&player.games, &than.games) {
                pairs.push(Pair { player: &player.player, than: &than.player, difference });
            }
        }
    }
    pairs
}

fn text(arguments: &Compare, all: &[Series], pairs: &[Pair<'_>]) -> String {
    let width = all.iter().map(|series| series.player.chars().count()).max().unwrap_or(0).max("player".len());
    let (games, seed) = (arguments.series.games, arguments.series.seed);
    let mut text = format!("{games} games from seed {seed}, the same for every player\n\n");
    let mut line = |line: std::fmt::Arguments| writeln!(text, "{line}").unwrap_or_default();
    line(format_args!(
        "{:width$}  {:>16}  {:>7}  {:>8}  {:>9}  {:>10}",
        "player", "mean (95 %)", "median", "no match", "clearings", "ms a move"
    ));
    for Series { player, figures, .. } in all {
        let mean = format!("{:.1}{}", figures.scores.mean, around(figures.scores.half_width));
        let clearings = figures.clearings_per_match.map_or("-".to_owned(), |mean| format!("{mean:.2}"));
        line(format_args!(
            "{player:width$}  {mean:>16}  {:>7}  {:>6.1} %  {clearings:>9}  {:>10.4}",
            figures.scores.median,
            100.0 * figures.moves_without_match,
            figures.milliseconds_per_move
        ));
    }
    if !pairs.is_empty() {
        line(format_args!("\n{:width$}  {:width$}  {:>16}", "player", "less", "mean (95 %)"));
    }
    for Pair { player, than, difference } in pairs {
        let mean = format!("{:+.1}{}", difference.mean, around(difference.half_width));
        let verdict = if difference.significant { "significant" } else { "not significant" };
        line(format_args!("{player:width$}  {than:width$}  {mean:>16}  {verdict}"));
    }
    text
}

fn around(half_width: Option<f64>) -> String {
    half_width.map_or(String::new(), |half| format!(" ± {half:.1}"))
}
