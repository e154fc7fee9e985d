//! The subcommands, one file each.

pub mod advise;
mod board_input;
pub mod card;
pub mod compare;
pub mod endure;
pub mod eval;
pub mod export;
mod interrupt;
pub mod merge;
pub mod play;
pub mod plot;
pub mod read;
pub mod replay;
mod series;
pub mod serve;
pub mod shard;
pub mod shells;
pub mod solve;
pub mod train;
pub mod verify;

use std::path::Path;

use serde::Deserialize;

use crate::cli::{Command, Compute, GameArguments, Part, Shard};
use crate::door::{Door, door};
use crate::error::{Error, Result, escaped, in_words};
use crate::files;
use crate::games::{Game, Match3};
use crate::instructions::InstructionSet;
use crate::learners::config::toml_value;
use crate::network::OnDevice;
use crate::network::device::{self, Device};
use crate::players::network::{Backend, Evaluate, NetworkShape};
use crate::players::{self, Agents, Arrays, BoxedPlayer, Playable, Setting, agent_in, registry, run_of};
use crate::report::output::{print, tell, written};

/// Does a command for the game that it names, or for all.
pub(crate) fn run(command: Command) -> Result<()> {
    InstructionSet::chosen()?;
    let agents = Agents::default();
    let (given, agent) = match &command {
        Command::Compare(arguments) if !arguments.from.is_empty() => return compare::run_again(arguments),
        Command::Eval(arguments) | Command::Shard(Shard { part: Part::Eval(arguments), .. }) => {
            let agent = arguments.checkpoint.as_deref().or(arguments.player.as_deref().and_then(agent_in));
            (&arguments.series.game, agent)
        }
        Command::Compare(arguments) | Command::Shard(Shard { part: Part::Compare(arguments), .. }) => {
            let mut players = arguments.players.iter().chain(&arguments.player);
            (&arguments.series.game, players.find_map(|player| agent_in(player)))
        }
        Command::Endure(arguments) | Command::Shard(Shard { part: Part::Endure(arguments), .. }) => {
            (&arguments.game, arguments.players.iter().find_map(|player| agent_in(player)))
        }
        Command::Card(arguments) => {
            let agent = agents.load(&arguments.agent)?;
            return door_of(agent.game(), agent.name())?.run(&command, &agents);
        }
        Command::Replay(arguments) => (&arguments.game, arguments.player.as_deref().and_then(agent_in)),
        Command::Play(arguments) => (&arguments.game, agent_in(&arguments.player)),
        Command::Solve(arguments) => (&arguments.game, agent_in(&arguments.player)),
        Command::Advise(arguments) => match arguments.look.theme.as_deref().and_then(game_of_theme) {
            Some(game) if arguments.game.name.is_none() => return door(game)?.run(&command, &agents),
            _ => (&arguments.game, agent_in(&arguments.player)),
        },
        _ => return run_without_game(&command, &agents),
    };
    if let Command::Eval(arguments) = &command {
        series::check_plot(arguments.plot.as_deref(), &arguments.series)?;
    }
    game_of(given, agent, &agents)?.run(&command, &agents)
}

/// Does a command for one game; `agents` are those read so far.
pub(crate) fn run_for<G: Playable>(command: &Command, agents: &Agents) -> Result<()> {
    match command {
        Command::Eval(arguments) => eval::run::<G>(arguments, agents),
        Command::Compare(arguments) => compare::run::<G>(arguments, agents),
        Command::Endure(arguments) => endure::run::<G>(arguments, agents),
        Command::Replay(arguments) => replay::run::<G>(arguments, agents),
        Command::Play(arguments) => play::run::<G>(arguments, agents),
        Command::Advise(arguments) => advise::run::<G>(arguments, agents),
        Command::Card(arguments) => card::run::<G>(arguments, agents),
        Command::Solve(arguments) => solve::run::<G>(arguments, agents),
        Command::Shard(arguments) => shard::run::<G>(arguments, agents),
        Command::Export(arguments) if arguments.onnx.is_some() => export::write_onnx::<G>(arguments, agents),
        _ => run_without_game(command, agents),
    }
}

/// Does a command that finds its game by itself, or needs none.
fn run_without_game(command: &Command, agents: &Agents) -> Result<()> {
    match command {
        Command::Train(arguments) => train::run(arguments),
        Command::Players(arguments) => {
            let game = registry::game(arguments.game.as_deref().unwrap_or(Match3::NAME))?;
            print(&game.listing(arguments.player.as_deref())?)
        }
        Command::Read(arguments) => read::run(arguments),
        Command::Export(arguments) => export::run(command, arguments, agents),
        Command::Plot(arguments) => plot::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Completions(arguments) => shells::completions(arguments),
        Command::Man(arguments) => shells::manual(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Shard(arguments @ Shard { part: Part::Generation(generation), .. }) => {
            shard::run_generation(arguments, generation)
        }
        _ => unreachable!("the command has a game"),
    }
}

/// The game: the given one, else the agent's, else match-3.
fn game_of(given: &GameArguments, agent: Option<&Path>, agents: &Agents) -> Result<&'static dyn Door> {
    if let Some(name) = &given.name {
        return door(name);
    }
    // An error about a name of neither a player nor an agent comes later, with the names of all players.
    match agent.map(|path| Ok((path, agents.find(path)?))).transpose()? {
        Some((path, Some(agent))) => door_of(agent.game(), &path.display().to_string()),
        _ => door(Match3::NAME),
    }
}

/// The game that a theme of the program is for.
fn game_of_theme(theme: &str) -> Option<&'static str> {
    let is_for = |game: &&str| registry::game(game).is_ok_and(|game| game.themes().contains(&theme));
    players::names().into_iter().find(is_for)
}

/// The game that a file names.
fn door_of(name: &str, file: &str) -> Result<&'static dyn Door> {
    door(name).map_err(|error| error.of(file))
}

fn compute(compute: &Compute) -> Result<Device> {
    threads(compute.threads)?;
    Ok(device::select(compute.device.as_deref())?.1)
}

/// Tells, where an agent's name is also that of a run, which one plays.
fn tell_apart(name: Option<&Path>) {
    let Some(name) = name.filter(|name| !name.exists()) else { return };
    if let (Some(shipped), Some(run)) = (name.to_str().and_then(registry::shipped), run_of(name)) {
        tell(&format!("{} is the agent that ships; that of your run is {}", shipped.name, files::name(&run)));
    }
}

/// The player of a text, with its network on the preferred device.
fn player<G: Playable>(text: &str, rules: &G::Rules, agents: &Agents) -> Result<BoxedPlayer<G>> {
    tell_apart(agent_in(text));
    players::parse_with(text, rules, &Setting { backend: &Preferred, agents: agents.clone(), ..Setting::default() })
}

/// The preferred device, opened for the first network: other players need none.
struct Preferred;

impl Backend for Preferred {
    fn network(&self, shape: &NetworkShape, weights: &Arrays) -> Result<Box<dyn Evaluate>> {
        OnDevice(device::select(None)?.1).network(shape, weights)
    }
}

fn threads(threads: Option<u32>) -> Result<()> {
    // Usual stack of the main thread, because trainings run in these threads.
    const STACK: usize = 8 << 20;
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK);
    let Some(threads) = threads else {
        // An existing pool is used as is.
        pool.build_global().ok();
        return Ok(());
    };
    pool.num_threads(threads as usize)
        .build_global()
        .map_err(|error| Error::runtime(format!("--threads {threads}: they cannot be started: {error}")))
}

fn rules<G: Playable>(given: &GameArguments) -> Result<G::Rules> {
    let mut table = toml::Table::new();
    for rule in &given.rules {
        let wrong = |what: &str| Error::user(format!("--rule {rule}: {what}"));
        let parts = rule.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        let (key, value) = parts.ok_or_else(|| wrong("it must be key=value, such as obstacle_kinds=1"))?;
        // A word that is no TOML value is text.
        let value = toml_value(value).unwrap_or_else(|| value.into());
        if table.insert(key.to_owned(), value).is_some() {
            return Err(wrong("this rule is given twice"));
        }
        G::Rules::deserialize(table.clone())
            .map_err(|error| wrong(&format!("{} has no such rules: {}", G::NAME, in_words(error.message()))))?;
    }
    Ok(G::Rules::deserialize(table).unwrap_or_default())
}

/// Checks that a flag's file has an ending and can be written.
fn check_file(flag: &str, path: &Path, ending: &str) -> Result<()> {
    if path.extension().is_none_or(|own| !own.eq_ignore_ascii_case(ending)) {
        return Err(Error::user(format!("{flag} {}: it must end in .{ending}", path.display())));
    }
    files::check_destination(flag, path)
}

/// The keys that end standard input at a terminal.
const END: &str = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };

/// A word of a suggested command, quoted where a shell would split it.
fn quoted(word: &str) -> String {
    let word = &escaped(word);
    let plain = |letter: char| letter.is_alphanumeric() || "_-./:=,+@%".contains(letter);
    let plain = |letter: char| plain(letter) || cfg!(windows) && letter == '\\';
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        // Both shells of Windows know these quotes; one inside is doubled.
        false if cfg!(windows) => format!("\"{}\"", word.replace('"', "\"\"")),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_suggested_word_is_quoted_where_a_shell_would_take_it_apart() {
        for plain in ["runs/dqn-2", "network:checkpoint=a,b", "läufe/ä"] {
            assert_eq!(quoted(plain), plain);
        }
        let words = ["a b", "it's", "", "$x", r"runs\dqn"];
        match cfg!(windows) {
            true => assert_eq!(words.map(quoted), [r#""a b""#, r#""it's""#, r#""""#, r#""$x""#, r"runs\dqn"]),
            false => assert_eq!(words.map(quoted), ["'a b'", r"'it'\''s'", "''", "'$x'", r"'runs\dqn'"]),
        }
    }
}
