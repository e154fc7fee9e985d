//! `matchq endure`: points per game of players whose games hardly end.

use std::time::Instant;

use indicatif::HumanCount;
use serde::Serialize;

use super::{print, rules, series, tell, threads};
use crate::cli::Endure;
use crate::error::{Error, Result};
use crate::eval::splitting::{self, Levels};
use crate::eval::{Endurance, Extent, Sequence, deal, endure, levels};
use crate::games::counted;
use crate::named;
use crate::players::roster::Importance;
use crate::players::{Agents, Playable, Player};
use crate::report::columns::table;

/// Moves of a sequence, or mean games per sequence, above which the beginning of the first game, which
/// cannot end it, counts little.
const FAIR: u64 = 10_000;
const GAMES: f64 = 20.0;

/// A player's sequences.
pub struct Endured {
    pub player: String,
    pub sequences: Vec<Sequence>,
    /// Seconds, including pilot runs.
    pub seconds: f64,
    /// Seconds without pilot runs.
    pub playing: f64,
}

#[derive(Serialize)]
struct Report<R> {
    player: String,
    game: &'static str,
    rules: R,
    seed: u64,
    split: bool,
    #[serde(flatten)]
    all: Sequence,
    mean: Option<f64>,
    half_width: Option<f64>,
    /// Seconds, including pilot runs.
    seconds: f64,
    sequences: Vec<Sequence>,
}

/// Checks that sequences can be played; returns the rules and the extent.
pub fn check<G: Playable>(arguments: &Endure) -> Result<(G::Rules, Extent)> {
    let rules = rules::<G>(&arguments.game)?;
    if !G::MAY_END_EARLY {
        let moves = counted(G::actions_left(&deal::<G>(&rules, 0).0.state()), "moves");
        return Err(Error::user(format!(
            "a game of {} has {moves}: `{} eval` plays it to its end; endure is for games that may go on",
            G::NAME,
            named::name()
        )));
    }
    let seed = arguments.seed;
    if seed.checked_add(arguments.sequences - 1).is_none() {
        return Err(Error::user(format!("--seed {seed}: the seeds of all sequences must lie below 2^64")));
    }
    Ok((rules, Extent { first: seed, sequences: arguments.sequences, moves: arguments.moves }))
}

/// Lets each player play the given moves.
pub fn run<G: Playable>(arguments: &Endure, agents: &Agents) -> Result<()> {
    let (rules, extent) = check::<G>(arguments)?;
    let importance = arguments.split.then(|| splitting::importance("--split")).transpose()?;
    threads(arguments.threads)?;
    let players = series::players::<G>(&arguments.players, &rules, agents)?;
    let mut all = Vec::new();
    for mut player in players {
        all.push(play(player.as_mut(), &rules, extent, extent, importance)?);
    }
    let (text, report) = conclude::<G>(&rules, extent, arguments.split, all);
    match arguments.json {
        false => print(&text),
        true => series::print_json(&report),
    }
}

/// Lets a player play some sequences of the whole, split by the levels of the whole if an importance is
/// given.
pub fn play<G: Playable>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    whole: Extent,
    part: Extent,
    importance: Option<Importance<G>>,
) -> Result<Endured> {
    let begin = Instant::now();
    let levels = match importance {
        None => Levels::none(),
        Some(importance) => levels(player, rules, whole, importance)?,
    };
    let pilots = begin.elapsed();
    let sequences = endure(player, rules, part, &levels)?;
    let seconds = begin.elapsed();
    let (seconds, playing) = (seconds.as_secs_f64(), (seconds - pilots).as_secs_f64());
    Ok(Endured { player: player.name().to_owned(), sequences, seconds, playing })
}

/// The results as text and for JSON.
pub fn conclude<G: Playable>(
    rules: &G::Rules,
    Extent { first: seed, moves, .. }: Extent,
    split: bool,
    all_players: Vec<Endured>,
) -> (String, impl Serialize + use<G>) {
    let mut played = Vec::new();
    let mut rows = Vec::new();
    for Endured { player: name, sequences, seconds, playing } in all_players {
        let Endurance { all, mean, half_width } = Endurance::of(&sequences);
        let shown = match (mean, half_width) {
            (Some(mean), Some(half)) => format!("{} ± {}", figure(mean), figure(half)),
            (Some(mean), None) => figure(mean),
            // A Poisson number of ends with mean 3 = -ln 0.05 is 0 in 1 of 20 series.
            (None, _) if moves >= FAIR && !split && all.score > 0.0 => {
                format!("above {}", figure(all.score / 3.0))
            }
            (None, _) => "no game ended".to_owned(),
        };
        let a_game = all.moves as f64 / all.ends;
        if !split && all.ended > 0 && moves < FAIR && (moves as f64) < GAMES * a_game {
            let few = format!("{moves} moves a sequence are few against a game's: the figure is too high");
            tell(&format!("{name}: {few}; take --moves {FAIR} or more"));
        }
        let count = |number| HumanCount(number).to_string();
        let cells = vec![shown, count(all.ended), count(all.moves), figure(all.moves as f64 / playing)];
        rows.push((name.clone(), cells));
        let (game, rules) = (G::NAME, rules.clone());
        played.push(Report { player: name, game, rules, seed, split, all, mean, half_width, seconds, sequences });
    }
    let columns = ["points a game (95 %)", "ended", "moves", "moves a s"].map(|name| (name, 0));
    (table("player", &columns, &rows), played)
}

/// Two decimals below 100, else a whole number.
fn figure(number: f64) -> String {
    match number < 100.0 {
        true => format!("{number:.2}"),
        false => HumanCount(number.round() as u64).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn figures_have_decimals_where_they_are_small() {
        assert_eq!([0.256, 99.0, 100.5, 184_040_743.1].map(figure), ["0.26", "99.00", "101", "184,040,743"]);
    }
}
