//! `matchq shard`: a part of a command, for many machines, as one file.

pub(crate) mod job;

use std::env;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use job::{Contestant, Job, Shards, digest};

use super::endure::{Endured, play};
use super::eval::{Evaluated, evaluated};
use super::{door_of, series, tell, threads};
use crate::cli::{Compare, Endure, Eval, Generation, Part, Series, Shard};
use crate::error::{Error, Result};
use crate::eval::{Extent, PlayedGame, Report, Sequence, rules_json, splitting};
use crate::files;
use crate::games::counted;
use crate::instructions::InstructionSet;
use crate::learners::checkpoint::Checkpoint;
use crate::learners::evolution::{self, Evolution};
use crate::learners::{Learner, RunFolder, Source};
use crate::named;
use crate::network::device;
use crate::players::{Agents, BoxedPlayer, Playable, Player, agent_in};

/// Variables with the number of a task, of Slurm's arrays and Kubernetes' indexed jobs.
const INDEX: [&str; 2] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];

/// A player's games of a shard.
#[derive(Serialize, Deserialize)]
pub struct Games {
    pub games: Vec<PlayedGame>,
    pub luck: Option<Vec<f64>>,
    pub seconds: f64,
}

/// A player's sequences of a shard.
#[derive(Serialize, Deserialize)]
pub struct Sequences {
    pub sequences: Vec<Sequence>,
    pub seconds: f64,
}

/// Where a shard is among all, and where its file goes.
struct Place<'a> {
    index: u64,
    of: u64,
    folder: &'a Path,
}

impl<'a> Place<'a> {
    fn of(arguments: &'a Shard) -> Result<Self> {
        let needed = |flag| Error::user(format!("{flag}: a shard needs it"));
        let index = match arguments.index {
            Some(index) => index,
            None => index_of_the_task()?.ok_or_else(|| {
                Error::user(format!("--index: a shard needs it, or the variable {} or {}", INDEX[0], INDEX[1]))
            })?,
        };
        let of = arguments.of.ok_or_else(|| needed("--of"))?;
        let folder = arguments.out.as_deref().ok_or_else(|| needed("--out"))?;
        if index >= of {
            return Err(Error::user(format!("--index {index}: it must be from 0 to {}, below --of", of - 1)));
        }
        Ok(Self { index, of, folder })
    }

    /// Writes what `work` makes of this shard's places, unless that is done.
    fn fill<T: Serialize>(&self, job: &Job, work: impl FnOnce(std::ops::Range<u64>) -> Result<T>) -> Result<()> {
        if job.count < self.of {
            return Err(Error::user(format!(
                "--of {}: this work has at most {}",
                self.of,
                counted(job.count, "parts")
            )));
        }
        if self.folder.exists() && !self.folder.is_dir() {
            return Err(Error::user(format!("--out {}: this is no folder", self.folder.display())));
        }
        files::create_folder(self.folder)
            .map_err(|error| Error::runtime(format!("--out {}: it cannot be made: {error}", self.folder.display())))?;
        if job.is_done(self.folder, self.index)? {
            return Ok(());
        }
        let results = work(job.part(self.index))?;
        job.save(self.folder, self.index, &results)
    }
}

fn index_of_the_task() -> Result<Option<u64>> {
    let given = |name: &'static str| Some((name, env::var(name).ok().filter(|text| !text.is_empty())?));
    let Some((name, text)) = INDEX.into_iter().find_map(given) else { return Ok(None) };
    let number = text.trim().parse();
    number.map(Some).map_err(|_| Error::user(format!("{name}={text}: it must be a whole number, or give --index")))
}

/// Runs a part of an evaluation, a comparison or an endurance.
pub fn run<G: Playable>(arguments: &Shard, agents: &Agents) -> Result<()> {
    let place = Place::of(arguments)?;
    match &arguments.part {
        Part::Eval(eval) => run_eval::<G>(&place, eval, agents),
        Part::Compare(compare) => run_compare::<G>(&place, compare, agents),
        Part::Endure(endure) => run_endure::<G>(&place, endure, agents),
        Part::Generation(_) => unreachable!("a generation has its own way"),
    }
}

/// Refuses flags that say where a whole command's report goes.
fn refuse_outputs(given: &[(&str, bool)]) -> Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            let program = named::name();
            Err(Error::user(format!("{flag}: a shard writes to --out; give {flag} to `{program} merge`")))
        }
        None => Ok(()),
    }
}

fn run_eval<G: Playable>(place: &Place, arguments: &Eval, agents: &Agents) -> Result<()> {
    let series = &arguments.series;
    let (json, moves) = (series.json.is_some(), series.moves.is_some());
    refuse_outputs(&[("--json", json), ("--moves", moves), ("--plot", arguments.plot.is_some())])?;
    let Evaluated { rules, mut player, text, agent } = evaluated::<G>(arguments, agents)?;
    let digest = match agent {
        Some(agent) => Some(digest(&agent.file.to_bytes()?)),
        None => of_text(&text, agents)?,
    };
    tell_if_timed(player.as_ref());
    let job = Job {
        instructions: instructions(std::slice::from_ref(&player)),
        players: vec![Contestant { player: player.name().to_owned(), text, agent: digest }],
        ..job::<G>("eval", &rules, series.seed, series.games, place.of)?
    };
    place.fill(&job, |part| Ok(vec![games::<G>(player.as_mut(), &rules, series, part, None)?]))
}

fn run_compare<G: Playable>(place: &Place, arguments: &Compare, agents: &Agents) -> Result<()> {
    let series = &arguments.series;
    refuse_outputs(&[
        ("--json", series.json.is_some()),
        ("--moves", series.moves.is_some()),
        ("--plot", arguments.plot.is_some()),
        ("--from", !arguments.from.is_empty()),
    ])?;
    let rules = series::check::<G>(series)?;
    series::check_luck::<G>(arguments.luck)?;
    threads(arguments.threads)?;
    let texts: Vec<&String> = arguments.players.iter().chain(&arguments.player).collect();
    let mut players = series::players::<G>(texts.iter().copied(), &rules, agents)?;
    let job = Job {
        instructions: instructions(&players),
        players: contestants(&texts, &players, agents)?,
        luck: arguments.luck,
        ..job::<G>("compare", &rules, series.seed, series.games, place.of)?
    };
    place.fill(&job, |part| {
        let games =
            |player: &mut BoxedPlayer<G>| games::<G>(player.as_mut(), &rules, series, part.clone(), arguments.luck);
        players.iter_mut().map(games).collect::<Result<Vec<_>>>()
    })
}

fn run_endure<G: Playable>(place: &Place, arguments: &Endure, agents: &Agents) -> Result<()> {
    refuse_outputs(&[("--json", arguments.json)])?;
    let (rules, extent) = super::endure::check::<G>(arguments)?;
    let importance = arguments.split.then(|| splitting::importance("--split")).transpose()?;
    threads(arguments.threads)?;
    let texts: Vec<&String> = arguments.players.iter().collect();
    let players = series::players::<G>(texts.iter().copied(), &rules, agents)?;
    let job = Job {
        instructions: instructions(&players),
        players: contestants(&texts, &players, agents)?,
        moves: Some(arguments.moves),
        split: Some(arguments.split),
        ..job::<G>("endure", &rules, arguments.seed.into(), arguments.sequences, place.of)?
    };
    place.fill(&job, |part| {
        // All shards find the levels of the whole, whichever sequences are theirs.
        let part = Extent { first: extent.first + part.start, sequences: part.end - part.start, ..extent };
        let sequences = |mut player: BoxedPlayer<G>| {
            let Endured { sequences, seconds, .. } = play(player.as_mut(), &rules, extent, part, importance)?;
            Ok(Sequences { sequences, seconds })
        };
        players.into_iter().map(sequences).collect::<Result<Vec<_>>>()
    })
}

/// A command's job of `count` parts in `of` shards.
fn job<G: Playable>(command: &str, rules: &G::Rules, seed: u128, count: u64, of: u64) -> Result<Job> {
    Ok(Job {
        program: named::program(),
        command: command.to_owned(),
        game: G::NAME.to_owned(),
        rules: rules_json::<G>(rules)?,
        seed: seed.to_string(),
        count,
        of,
        ..Job::default()
    })
}

/// The instructions by which networks compute, if a player has one.
fn instructions<G: Playable>(players: &[BoxedPlayer<G>]) -> Option<String> {
    players.iter().any(|player| player.has_network()).then(|| InstructionSet::used().to_string())
}

fn contestants<G: Playable>(texts: &[&String], players: &[BoxedPlayer<G>], agents: &Agents) -> Result<Vec<Contestant>> {
    let contestant = |(text, player): (&&String, &BoxedPlayer<G>)| {
        tell_if_timed(player.as_ref());
        Ok(Contestant { player: player.name().to_owned(), text: (*text).clone(), agent: of_text(text, agents)? })
    };
    texts.iter().zip(players).map(contestant).collect()
}

fn tell_if_timed<G: Playable>(player: &dyn Player<G>) {
    if player.is_timed() {
        tell(&format!("{}: its moves depend on the machine's speed: another run differs", player.name()));
    }
}

/// Digest of the agent that a player's text names.
fn of_text(text: &str, agents: &Agents) -> Result<Option<String>> {
    let agent = agent_in(text).map_or(Ok(None), |path| agents.find(path))?;
    agent.map(|agent| Ok(digest(&agent.file.to_bytes()?))).transpose()
}

/// A player's games in places of the series.
fn games<G: Playable>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    series: &Series,
    part: std::ops::Range<u64>,
    luck: Option<u32>,
) -> Result<Games> {
    let series = Series { seed: series.seed + u128::from(part.start), games: part.end - part.start, ..series.clone() };
    let (games, seconds) = series::play_games(player, rules, &series, true)?;
    let luck = match luck {
        None => None,
        Some(simulations) => {
            let mut report = Report::of::<G>(player.name().to_owned(), series.seed, rules, &games, seconds)?;
            series::estimate_luck::<G>(&mut report, simulations)?;
            report.luck
        }
    };
    Ok(Games { games, luck, seconds })
}

/// Runs a part of a generation of a training by evolution.
pub fn run_generation(arguments: &Shard, generation: &Generation) -> Result<()> {
    threads(generation.threads)?;
    let path = RunFolder::checkpoint("--run", &generation.run, &generation.runs)?;
    let digest = digest(&files::read(&path)?);
    let checkpoint = Checkpoint::load(&path)?;
    let game = door_of(checkpoint.source(&[])?.game()?, &path.display().to_string())?;
    game.generation(arguments, &checkpoint, digest)
}

/// Evaluates a part of the generation of a checkpoint, whose file has a digest.
pub(crate) fn generation<G: Playable>(arguments: &Shard, checkpoint: &Checkpoint, digest: String) -> Result<()> {
    let (place, source) = (Place::of(arguments)?, checkpoint.source(&[])?);
    check_learner::<G>(&source)?;
    let (config, rules) = source.resolve::<G, Evolution<G>>()?;
    let (_, device) = device::select(None)?;
    let saved = checkpoint.state()?.learner;
    let mut learner =
        Evolution::<G>::resume(&config, &rules, &device, saved).map_err(|error| checkpoint.wrong(error))?;
    let (seed, candidates) = (config.run.seed.into(), learner.candidates() as u64);
    let job = Job { checkpoint: Some(digest), ..job::<G>("generation", &rules, seed, candidates, place.of)? };
    place.fill(&job, |part| -> Result<Vec<evolution::Evaluated>> {
        learner.evaluate(part.start as usize..part.end as usize)
    })
}

/// Refuses a run of another learner than evolution.
pub fn check_learner<G: Playable>(source: &Source) -> Result<()> {
    match source.learner()? {
        name if name == <Evolution<G> as Learner<G>>::NAME => Ok(()),
        other => Err(Error::user(format!("--run: only evolution has generations, and this run's learner is {other}"))),
    }
}
