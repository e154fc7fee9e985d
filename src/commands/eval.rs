//! `matchq eval`: what a trained agent scores.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::compute;
use crate::agents::{Agent, NetworkPlayer};
use crate::cli::Eval;
use crate::error::{Error, Result};
use crate::eval::{Histogram, PlayedGame, Summary, play_series, plot};
use crate::files;
use crate::games::match3::{Match3, Move, Rules};
use crate::network::{Evaluator, Policy};

/// The figures of an evaluation, as JSON.
#[derive(Serialize)]
struct Report<'a> {
    player: &'a str,
    seed: u128,
    games: u64,
    obstacle_kinds: u32,
    #[serde(flatten)]
    summary: &'a Summary,
    seconds: f64,
    games_per_second: f64,
    scores: Vec<i32>,
    /// Each game's moves as `[x, y, vertical]`.
    moves: Vec<Vec<(usize, usize, bool)>>,
}

/// Plays the games and writes what was asked for.
///
/// # Errors
/// Anything wrong with the flags or the checkpoint, and any failure of the device or the disk.
pub fn run(arguments: &Eval) -> Result<()> {
    if let Some(path) = &arguments.plot {
        plot::check(path)?;
        files::check_destination("--plot", path)?;
    }
    if let Some(path) = arguments.json.as_deref().filter(|path| *path != Path::new("-")) {
        files::check_destination("--json", path)?;
    }
    if arguments.seed.checked_add(arguments.games.into()).is_none() {
        return Err(Error::user(format!("--seed {}: the seeds of all games must lie below 2^128", arguments.seed)));
    }
    let rules =
        Rules::new(arguments.obstacle_kinds).map_err(|error| Error::user(format!("--obstacle-kinds: {error}")))?;
    let device = compute(&arguments.compute)?;
    let policy = Policy::load::<Match3>(arguments.checkpoint.as_deref(), &device)?;
    let evaluator = Evaluator::new(&policy.network, arguments.batch as usize, &device);
    let mut player = NetworkPlayer::<Match3>::new(evaluator, policy.config.mask);

    let start = Instant::now();
    let watched = io::stderr().is_terminal();
    let progress = |done| {
        if watched {
            eprint!("\r{done} of {} games", arguments.games);
        }
    };
    let played = play_series(&mut player, &rules, arguments.seed, arguments.games, progress)?;
    if watched {
        eprint!("\r\x1b[K");
    }
    let seconds = start.elapsed().as_secs_f64();
    let scores: Vec<i32> = played.iter().map(|game| game.score).collect();
    let (Some(summary), Some(histogram)) = (Summary::of(&scores), Histogram::of(&scores)) else {
        return Err(Error::user("--games 0: at least one game is needed"));
    };

    if let Some(path) = &arguments.plot {
        let title = format!("{}: {} games from seed {}", player.name(), arguments.games, arguments.seed);
        plot::histogram(path, &title, &histogram, &summary)?;
    }
    let report = || report(arguments, player.name(), &summary, &played, scores.clone(), seconds);
    match &arguments.json {
        Some(path) if path == Path::new("-") => print(&format!("{}\n", report()?)),
        Some(path) => {
            files::write_atomically(path, report()?.as_bytes())?;
            print(&text(arguments, player.name(), &summary, &histogram, seconds))
        }
        None => print(&text(arguments, player.name(), &summary, &histogram, seconds)),
    }
}

fn text(arguments: &Eval, player: &str, summary: &Summary, histogram: &Histogram, seconds: f64) -> String {
    let (games, seed) = (arguments.games, arguments.seed);
    let rate = games as f64 / seconds;
    format!(
        "{player}: {games} games from seed {seed} ({rate:.0} games/s)\n{summary}\n\n{}\n",
        histogram.render(summary)
    )
}

fn report(
    arguments: &Eval,
    player: &str,
    summary: &Summary,
    played: &[PlayedGame],
    scores: Vec<i32>,
    seconds: f64,
) -> Result<String> {
    let moves = |game: &PlayedGame| {
        let triple = |action: &usize| {
            let Move { x, y, vertical } = Move::of_action(*action);
            (x, y, vertical)
        };
        game.actions.iter().map(triple).collect()
    };
    let report = Report {
        player,
        seed: arguments.seed,
        games: arguments.games,
        obstacle_kinds: arguments.obstacle_kinds,
        summary,
        seconds,
        games_per_second: arguments.games as f64 / seconds,
        scores,
        moves: played.iter().map(moves).collect(),
    };
    serde_json::to_string(&report)
        .map_err(|error| Error::runtime(format!("the report cannot be written as JSON: {error}")))
}

/// Writes to standard output; a reader that has gone away is no failure.
fn print(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::runtime(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}
