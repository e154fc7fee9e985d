//! `matchq endure`: points a game of players whose games hardly end.

use std::io::{self, Write};
use std::time::Instant;

use indicatif::HumanCount;
use serde::Serialize;

use super::series::check_names;
use super::{print, rules, threads};
use crate::agents;
use crate::cli::Endure;
use crate::error::{Error, Result};
use crate::eval::splitting::{self, Levels};
use crate::eval::{Endurance, Extent, Seat, deal, endure, levels};
use crate::games::Playable;

/// So many moves of a seat, or games, are enough that the first game's beginning, which cannot end it, counts little.
const FAIR: u64 = 10_000;
const GAMES: f64 = 20.0;

/// What a player did, as JSON.
#[derive(Serialize)]
struct Endured<R> {
    player: String,
    game: &'static str,
    rules: R,
    seed: u64,
    split: bool,
    #[serde(flatten)]
    all: Seat,
    mean: Option<f64>,
    half_width: Option<f64>,
    /// Pilot runs of split games included.
    seconds: f64,
    seats: Vec<Seat>,
}

/// Has each player play for as many moves as were asked for.
///
/// # Errors
/// A player that there is not, and a player that fails.
pub fn run<G: Playable>(arguments: &Endure) -> Result<()> {
    let rules = rules::<G>(&arguments.game)?;
    if !G::MAY_END_EARLY {
        let moves = G::actions_left(&deal::<G>(&rules, 0).0.state());
        return Err(Error::user(format!(
            "a game of {} has {moves} moves: `matchq eval` plays it to its end; endure is for --game tetris or bejeweled",
            G::NAME
        )));
    }
    let seed = arguments.seed;
    if seed.checked_add(arguments.seats - 1).is_none() {
        return Err(Error::user(format!("--seed {seed}: the seeds of all seats must lie below 2^64")));
    }
    let danger = arguments.split.then(|| splitting::danger("--split")).transpose()?;
    let extent = Extent { first: seed, seats: arguments.seats, moves: arguments.moves };
    threads(arguments.threads)?;
    let mut players = Vec::new();
    for player in &arguments.players {
        players.push(agents::parse::<G>(player, &rules)?);
    }
    check_names("--players", players.iter().map(|player| player.name()))?;
    let mut played = Vec::new();
    let mut rows = vec![["player", "points a game (95 %)", "ended", "moves", "moves a s"].map(str::to_owned)];
    for mut player in players {
        let begin = Instant::now();
        let levels = match danger {
            None => Levels::none(),
            Some(danger) => levels(player.as_mut(), &rules, extent, danger)?,
        };
        let pilots = begin.elapsed();
        let seats = endure(player.as_mut(), &rules, extent, &levels)?;
        let all_seconds = begin.elapsed();
        let (seconds, playing) = (all_seconds.as_secs_f64(), (all_seconds - pilots).as_secs_f64());
        let Endurance { all, mean, half_width } = Endurance::of(&seats);
        let shown = match (mean, half_width) {
            (Some(mean), Some(half)) => format!("{} ± {}", figure(mean), figure(half)),
            (Some(mean), None) => figure(mean),
            // Of so many points at a mean as low as this one in 20 would see no end: 3 = -ln 0.05. The first moves of a
            // game cannot end it.
            (None, _) if arguments.moves >= FAIR && !arguments.split && all.score > 0.0 => {
                format!("above {}", figure(all.score / 3.0))
            }
            (None, _) => "no game ended".to_owned(),
        };
        let name = player.name().to_owned();
        let few = |moves: u64| moves < FAIR && (moves as f64) < GAMES * all.moves as f64 / all.ends;
        if !arguments.split && all.ended > 0 && few(arguments.moves) {
            writeln!(
                io::stderr(),
                "{name}: {} moves a seat are few against a game's: the figure is too high; take --moves {FAIR} or more",
                arguments.moves
            )
            .ok();
        }
        let count = |number| HumanCount(number).to_string();
        rows.push([name.clone(), shown, count(all.ended), count(all.moves), figure(all.moves as f64 / playing)]);
        let (game, rules) = (G::NAME, rules.clone());
        let split = arguments.split;
        played.push(Endured { player: name, game, rules, seed, split, all, mean, half_width, seconds, seats });
    }
    match arguments.json {
        false => print(&table(&rows)),
        true => {
            let json = serde_json::to_string(&played)
                .map_err(|error| Error::runtime(format!("the figures cannot be written as JSON: {error}")))?;
            print(&format!("{json}\n"))
        }
    }
}

/// A figure with as many decimals as are of use: none from 100 on.
fn figure(number: f64) -> String {
    match number < 100.0 {
        true => format!("{number:.2}"),
        false => HumanCount(number.round() as u64).to_string(),
    }
}

/// Rows as text: the first column to the left, the others to the right.
fn table(rows: &[[String; 5]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let line = |[name, rest @ ..]: &[String; 5]| {
        let cells = rest.iter().zip(1..).map(|(cell, column)| format!("  {cell:>0$}", width(column)));
        format!("{name:<0$}{1}\n", width(0), cells.collect::<String>())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{figure, table};

    #[test]
    fn figures_have_decimals_where_they_are_small() {
        assert_eq!([0.256, 99.0, 100.5, 184_040_743.1].map(figure), ["0.26", "99.00", "101", "184,040,743"]);
    }

    #[test]
    fn columns_are_as_wide_as_what_stands_in_them() {
        let row = |name: &str, mean: &str| [name, mean, "1", "2", "3"].map(str::to_owned);
        assert_eq!(
            table(&[row("a", "10 ± 2"), row("linear", "7")]),
            "a       10 ± 2  1  2  3\nlinear       7  1  2  3\n"
        );
    }
}
