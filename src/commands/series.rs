//! A player's series of games for `eval` and `compare`: progress, time and report.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use indicatif::HumanCount;
use serde::Serialize;

use super::{check_file, print, rules, tell};
use crate::cli::Series as Arguments;
use crate::error::{Error, Result};
use crate::eval::{self, PlayedGame, Ratio, Report, deal, play_scores, play_series};
use crate::files;
use crate::named;
use crate::players::roster::OwnFigures;
use crate::players::{Agents, BoxedPlayer, Playable, Player};
use crate::report::progress;

/// Checks that luck can be estimated, if it is to be.
pub fn check_luck<G: Playable>(luck: Option<u32>) -> Result<()> {
    match luck {
        Some(_) if G::PUZZLE.is_some() => {
            Err(Error::user(format!("--luck: nothing is left to chance in {} after the deal: leave it out", G::NAME)))
        }
        _ => Ok(()),
    }
}

/// Estimates the luck of each game, with progress on a terminal.
pub fn estimate_luck<G: Playable>(report: &mut Report, simulations: u32) -> Result<()> {
    let progress = progress::series(&format!("{}, its luck", report.player), report.games);
    let estimated = report.estimate_luck::<G>(simulations, &|| {
        progress.inc(1);
        true
    });
    progress.finish_and_clear();
    estimated.map(|_| ()).map_err(|error| error.of("--luck"))
}

/// Checks that a series can be played and reported; returns the rules.
pub fn check<G: Playable>(arguments: &Arguments) -> Result<G::Rules> {
    check_outputs(arguments)?;
    if arguments.seed.checked_add(u128::from(arguments.games) - 1).is_none() {
        return Err(Error::user(format!("--seed {}: the seeds of all games must lie below 2^128", arguments.seed)));
    }
    rules::<G>(&arguments.game)
}

/// Checks that files of JSON, if wanted, have places of their own.
pub fn check_outputs(arguments: &Arguments) -> Result<()> {
    let (json, moves) = (json_file(arguments), arguments.moves.as_deref());
    json.map_or(Ok(()), |path| files::check_destination("--json", path))?;
    let moves = moves.filter(|path| *path != Path::new("-"));
    moves.map_or(Ok(()), |path| files::check_destination("--moves", path))?;
    json.zip(moves).map_or(Ok(()), |(json, moves)| files::check_apart(("--moves", moves), ("--json", json)))
}

/// Checks that names differ; `flag` is for the error.
pub fn check_names<'a>(flag: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut known = HashSet::new();
    match { names }.find(|name| !known.insert(*name)) {
        Some(twice) => {
            Err(Error::user(format!("{flag}: {twice} is named twice: give one a label, such as {twice}:label=other")))
        }
        None => Ok(()),
    }
}

/// Checks that a picture, if wanted, has a place of its own.
pub fn check_plot(plot: Option<&Path>, arguments: &Arguments) -> Result<()> {
    let Some(path) = plot else { return Ok(()) };
    check_file("--plot", path, "svg")?;
    for (flag, other) in [("--json", &arguments.json), ("--moves", &arguments.moves)] {
        other.as_deref().map_or(Ok(()), |other| files::check_apart(("--plot", path), (flag, other)))?;
    }
    Ok(())
}

/// Players of the texts of `--players`; an error if two have one name.
pub fn players<'a, G: Playable>(
    texts: impl IntoIterator<Item = &'a String>,
    rules: &G::Rules,
    agents: &Agents,
) -> Result<Vec<BoxedPlayer<G>>> {
    let players = texts.into_iter().map(|text| super::player::<G>(text, rules, agents)).collect::<Result<Vec<_>>>()?;
    check_names("--players", players.iter().map(|player| player.name()))?;
    Ok(players)
}

/// The games in words: `100 to 1000 games from seed 0`.
pub fn games(all: &[Report]) -> String {
    let numbers = || all.iter().map(|report| report.games);
    let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
    let seed = all.first().map_or(0, |report| report.seed);
    match most {
        1 => format!("1 game of seed {seed}"),
        _ if least == most => format!("{most} games from seed {seed}"),
        _ => format!("{least} to {most} games from seed {seed}"),
    }
}

/// Moves of a game after which a quicker way is suggested.
const LONG: u64 = 200_000;

/// Plays the series and reports it. The moves are kept only for --moves, for the game's own figures,
/// or if `wanted`, for luck.
pub fn play<G: Playable>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    arguments: &Arguments,
    wanted: bool,
) -> Result<Report> {
    let (games, seconds) = play_games(player, rules, arguments, wanted)?;
    let mut report = Report::of::<G>(player.name().to_owned(), arguments.seed, rules, &games, seconds)?;
    report.find_own_figures::<G>();
    Ok(report)
}

/// Plays the series, with progress on a terminal; also returns the seconds.
pub fn play_games<G: Playable>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    arguments: &Arguments,
    wanted: bool,
) -> Result<(Vec<PlayedGame>, f64)> {
    let name = player.name().to_owned();
    let start = Instant::now();
    let (first, ..) = deal::<G>(rules, arguments.seed);
    let progress = progress::series(&name, arguments.games * G::actions_left(&first.state()) as u64);
    let mut suggested = G::IMPORTANCE.is_none();
    let told = |moves: eval::Moves| {
        progress.set_position(moves.all);
        if !suggested && moves.longest >= LONG {
            suggested = true;
            let long = HumanCount(LONG);
            let program = named::name();
            let line =
                format!("{name}: a game has {long} moves already; `{program} endure --split` finds the mean sooner");
            progress.suspend(|| tell(&line));
        }
    };
    let wanted = wanted || arguments.moves.is_some() || G::figures(&mut std::iter::empty()) != OwnFigures::default();
    let games = match wanted {
        true => play_series(player, rules, arguments.seed, arguments.games, told)?,
        false => play_scores(player, rules, arguments.seed, arguments.games, told)?,
    };
    progress.finish_and_clear();
    Ok((games, start.elapsed().as_secs_f64()))
}

/// A ratio for people: `2.141 ± 0.012`.
pub fn shown(ratio: Option<Ratio>) -> String {
    ratio.map_or("-".to_owned(), |Ratio { mean, half_width }| {
        format!("{mean:.3}{}", half_width.map_or(String::new(), |half| format!(" ± {half:.3}")))
    })
}

/// Writes the text, the report of `--json` (for `-` instead of the text) and the picture; each even
/// if another fails.
pub fn write(
    arguments: &Arguments,
    text: &str,
    report: &impl Serialize,
    plot: Option<&Path>,
    draw: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let written = match (&arguments.json, json_file(arguments)) {
        (None, _) => print(text),
        (Some(_), None) => print_json(report),
        (Some(_), Some(path)) => {
            let printed = print(text);
            json(report).and_then(|report| files::write_atomically(path, report.as_bytes())).and(printed)
        }
    };
    let drawn = plot.map_or(Ok(()), draw);
    written.and(drawn)
}

/// Writes the file of `--moves`, and leaves the moves out of the reports.
pub fn write_moves(arguments: &Arguments, reports: &mut [Report]) -> Result<()> {
    let written = arguments.moves.as_deref().map_or(Ok(()), |path| {
        let games: String = reports.iter().map(Report::games).collect();
        match path == Path::new("-") {
            true => print(&games),
            false => files::write_atomically(path, games.as_bytes()),
        }
    });
    reports.iter_mut().for_each(Report::forget_moves);
    written
}

pub fn print_json(report: &impl Serialize) -> Result<()> {
    print(&format!("{}\n", json(report)?))
}

pub fn json(report: &impl Serialize) -> Result<String> {
    serde_json::to_string(report)
        .map_err(|error| Error::runtime(format!("the results cannot be written as JSON: {error}")))
}

fn json_file(arguments: &Arguments) -> Option<&Path> {
    arguments.json.as_deref().filter(|path| *path != Path::new("-"))
}
