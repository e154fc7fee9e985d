//! `matchq merge`: the shards of a command together, as one process would have reported them.

use std::path::Path;

use super::shard::{self, Games, Sequences, Shards};
use super::{compare, door_of, endure, eval, print, series};
use crate::cli::{Merge, Series};
use crate::error::{Error, Result};
use crate::eval::{Extent, PlayedGame, Report, Sequence, rules_of};
use crate::files;
use crate::games::counted;
use crate::learners::checkpoint::Checkpoint;
use crate::learners::evolution::{Evaluated, Evolution};
use crate::learners::{Run, RunFolder, silent};
use crate::named;
use crate::network::device;
use crate::players::Playable;

/// Merges a folder's shards.
pub fn run(arguments: &Merge) -> Result<()> {
    let shards = Shards::open(&arguments.folder)?;
    let program = named::program();
    if shards.job.program != program {
        return Err(Error::user(format!(
            "{}: these shards are of {:?}, and this program is {program}",
            arguments.folder.display(),
            shards.job.program
        )));
    }
    door_of(&shards.job.game, &arguments.folder.display().to_string())?.merge(arguments, shards)
}

/// Merges shards of a game.
pub(crate) fn merge<G: Playable>(arguments: &Merge, shards: &Shards) -> Result<()> {
    let command = shards.job.command.as_str();
    if arguments.into.is_some() != (command == "generation") {
        return Err(match arguments.into {
            Some(_) => Error::user(format!("--into: these are shards of {command}; only a generation goes into a run")),
            None => Error::user("--into: these are shards of a generation, which goes into a run: name the run"),
        });
    }
    if arguments.moves.is_some() && !["eval", "compare"].contains(&command) {
        return Err(Error::user(format!("--moves: these are shards of {command}, which keeps no moves")));
    }
    let series = series_of(shards, arguments)?;
    series::check_plot(arguments.plot.as_deref(), &series)?;
    match command {
        "eval" => {
            let report = only(reports::<G>(shards, &series)?)?;
            eval::conclude(report, &series, arguments.plot.as_deref(), None, G::IMPORTANCE.is_some())
        }
        "compare" => compare::conclude(&series, arguments.plot.as_deref(), reports::<G>(shards, &series)?),
        "endure" => merge_endured::<G>(shards, &series),
        "generation" => merge_generation::<G>(shards, arguments),
        other => Err(Error::user(format!("{}: there is no command {other:?}", arguments.folder.display()))),
    }
}

/// The whole series of which shards are parts.
fn series_of(shards: &Shards, arguments: &Merge) -> Result<Series> {
    let seed = shards.job.seed.parse();
    let seed =
        seed.map_err(|_| Error::user(format!("the shards' seed is {:?}, which is no number", shards.job.seed)))?;
    if u128::checked_add(seed, u128::from(shards.job.count.saturating_sub(1))).is_none() {
        return Err(Error::user("the seeds of all games must lie below 2^128".to_owned()));
    }
    let (json, moves) = (arguments.json.clone(), arguments.moves.clone());
    let series = Series { games: shards.job.count, seed, game: Default::default(), json, moves };
    series::check_outputs(&series).map(|()| series)
}

fn only(reports: Vec<Report>) -> Result<Report> {
    let count = reports.len();
    match <[Report; 1]>::try_from(reports) {
        Ok([report]) => Ok(report),
        Err(_) => Err(Error::user(format!("an evaluation has one player, and these shards have {count}"))),
    }
}

/// The rules of all shards.
fn rules<G: Playable>(shards: &Shards) -> Result<G::Rules> {
    rules_of::<G>("the shards", shards.job.rules.clone()).map_err(Error::user)
}

/// Each player's part of the results, over all shards in order.
fn by_player<T>(shards: &Shards, results: Vec<Vec<T>>) -> Result<Vec<Vec<T>>> {
    let players = shards.job.players.len();
    let named = |contestant: &shard::Contestant| !contestant.player.chars().any(char::is_control);
    if !shards.job.players.iter().all(named) {
        return Err(Error::user("the names of the shards' players are none that a command writes".to_owned()));
    }
    let mut all: Vec<Vec<T>> = (0..players).map(|_| Vec::new()).collect();
    for of_shard in results {
        if of_shard.len() != players {
            return Err(Error::user(format!(
                "a shard has the results of {}, not {players}",
                counted(of_shard.len(), "players")
            )));
        }
        all.iter_mut().zip(of_shard).for_each(|(all, one)| all.push(one));
    }
    Ok(all)
}

/// Seconds of all parts of a player's games.
fn time(player: &str, parts: impl Iterator<Item = f64>) -> Result<f64> {
    let seconds: f64 = parts.sum();
    match (0.0..=1e12).contains(&seconds) {
        true => Ok(seconds),
        false => Err(Error::user(format!("the games of {player} took {seconds} seconds, which no games do"))),
    }
}

/// Each player's report of all games.
fn reports<G: Playable>(shards: &Shards, series: &Series) -> Result<Vec<Report>> {
    let rules = rules::<G>(shards)?;
    let report = |(contestant, parts): (&shard::Contestant, Vec<Games>)| {
        let seconds = time(&contestant.player, parts.iter().map(|part| part.seconds))?;
        let has_luck = parts.iter().all(|part| part.luck.is_some());
        let (mut games, mut luck) = (Vec::new(), Vec::new());
        for part in parts {
            games.extend(part.games);
            luck.extend(part.luck.unwrap_or_default());
        }
        if !games.iter().all(|game: &PlayedGame| game.is_sound::<G>()) {
            return Err(Error::user(format!("the games of {} are none that were played", contestant.player)));
        }
        let in_order = (0..).zip(&games).all(|(place, game)| game.seed.wrapping_sub(series.seed) == place);
        if !in_order || games.len() as u64 != series.games {
            return Err(Error::user(format!("the games of {} are not those of the seeds in order", contestant.player)));
        }
        let mut report = Report::of::<G>(contestant.player.clone(), series.seed, &rules, &games, seconds)?;
        report.find_own_figures::<G>();
        if let Some(simulations) = shards.job.luck.filter(|_| has_luck) {
            report.give_luck(simulations, luck).map_err(Error::user)?;
        }
        Ok(report)
    };
    let players = by_player(shards, shards.results::<Vec<Games>>()?)?;
    shards.job.players.iter().zip(players).map(report).collect()
}

fn merge_endured<G: Playable>(shards: &Shards, series: &Series) -> Result<()> {
    let rules = rules::<G>(shards)?;
    let job = &shards.job;
    let extent = Extent { first: series.seed as u64, sequences: series.games, moves: job.moves.unwrap_or_default() };
    let endured = |(contestant, parts): (&shard::Contestant, Vec<Sequences>)| {
        let seconds = time(&contestant.player, parts.iter().map(|part| part.seconds))?;
        let sequences: Vec<_> = parts.into_iter().flat_map(|part| part.sequences).collect();
        let sound = |sequence: &Sequence| {
            let Sequence { score, ends, ended, .. } = *sequence;
            (0.0..=1e300).contains(&score) && (0.0..=1e300).contains(&ends) && (ends > 0.0) == (ended > 0)
        };
        if !sequences.iter().all(sound) {
            return Err(Error::user(format!("the sequences of {} are none that were played", contestant.player)));
        }
        if sequences.len() as u64 != series.games {
            return Err(Error::user(format!(
                "the shards hold {} sequences of {}, not the {} of the command",
                sequences.len(),
                contestant.player,
                series.games
            )));
        }
        Ok(endure::Endured { player: contestant.player.clone(), sequences, seconds, playing: seconds })
    };
    let players = by_player(shards, shards.results::<Vec<Sequences>>()?)?;
    let all = job.players.iter().zip(players).map(endured).collect::<Result<_>>()?;
    let (text, report) = endure::conclude::<G>(&rules, extent, job.split.unwrap_or_default(), all);
    series::write(series, &text, &report, None, |_| Ok(()))
}

fn merge_generation<G: Playable>(shards: &Shards, arguments: &Merge) -> Result<()> {
    let into = arguments.into.as_deref().unwrap_or(Path::new(""));
    let folder = RunFolder::open_as("--into", into, &arguments.runs)?;
    let path = folder.last();
    if Some(shard::digest(&files::read(&path)?)) != shards.job.checkpoint {
        return Err(Error::user(format!(
            "--into {}: the shards are of another state of the run, whose checkpoint has changed since",
            into.display()
        )));
    }
    let checkpoint = Checkpoint::load(&path)?;
    shard::check_learner::<G>(&checkpoint.source(&[])?)?;
    let (_, device) = device::select(None)?;
    let mut run = Run::<G, Evolution<G>>::resume(folder, &checkpoint, &[], &device, silent)?;
    let evaluated: Vec<Evaluated> = shards.results::<Vec<Evaluated>>()?.into_iter().flatten().collect();
    run.learner.take(evaluated)?;
    run.advance(1)?;
    let state = if run.is_done() { "the run is finished" } else { "the run goes on" };
    print(&format!("{} of {}; {state}\n", run.done(), run.steps()))
}
