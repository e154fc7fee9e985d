//! `matchq endure`: points a game of players whose games are too long to be played to their end.

use std::time::Instant;

use serde::Serialize;

use super::{print, rules, threads};
use crate::agents;
use crate::cli::Endure;
use crate::error::{Error, Result};
use crate::eval::{Endurance, Seat, endure};
use crate::games::Playable;

/// What a player did, as JSON.
#[derive(Serialize)]
struct Endured<R> {
    player: String,
    game: &'static str,
    rules: R,
    seed: u64,
    score: f64,
    ended: u64,
    moves: u64,
    mean: Option<f64>,
    half_width: Option<f64>,
    seconds: f64,
    seats: Vec<Seat>,
}

/// Has each player play for as many moves as were asked for.
///
/// # Errors
/// A player that there is not, and a player that fails.
pub fn run<G: Playable>(arguments: &Endure) -> Result<()> {
    let rules = rules::<G>(&arguments.game)?;
    threads(arguments.threads)?;
    let mut all = Vec::new();
    let mut text =
        format!("{:<30} {:>26} {:>9} {:>14} {:>12}\n", "player", "points a game (95 %)", "ended", "moves", "moves a s");
    for player in &arguments.players {
        let mut player = agents::parse::<G>(player, &rules)?;
        let begin = Instant::now();
        let seats = endure(player.as_mut(), &rules, arguments.seed, arguments.seats, arguments.moves)?;
        let seconds = begin.elapsed().as_secs_f64();
        let Endurance { score, ended, moves, mean, half_width } = Endurance::of(&seats);
        let shown = match (mean, half_width) {
            (Some(mean), Some(half)) => format!("{mean:.0} ± {half:.0}"),
            (Some(mean), None) => format!("{mean:.0}"),
            (None, _) => format!("above {score:.0}"),
        };
        let name = player.name().to_owned();
        text += &format!("{name:<30} {shown:>26} {ended:>9} {moves:>14} {:>12.0}\n", moves as f64 / seconds);
        let (game, seed, rules) = (G::NAME, arguments.seed, rules.clone());
        all.push(Endured { player: name, game, rules, seed, score, ended, moves, mean, half_width, seconds, seats });
    }
    match arguments.json {
        false => print(&text),
        true => {
            let json = serde_json::to_string(&all)
                .map_err(|error| Error::runtime(format!("the figures cannot be written as JSON: {error}")))?;
            print(&format!("{json}\n"))
        }
    }
}
