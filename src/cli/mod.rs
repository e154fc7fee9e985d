//! Command line: flags and help texts.

mod boards;
mod measure;

use std::fmt::Display;
use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::StyledStr;
use clap::{Arg, ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use boards::*;
pub use measure::*;

use crate::named;

/// Trains agents to play tile puzzles, and plays with them.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Cli {
    /// Subcommand.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// The command line of this process; a mistake ends the process.
    pub fn read() -> Self {
        // A negative number is a value out of range, not a flag.
        let allow_negative = |argument: Arg| match argument.get_action().takes_values() {
            true => argument.allow_negative_numbers(true),
            false => argument,
        };
        fn allowed(command: clap::Command, allow: fn(Arg) -> Arg) -> clap::Command {
            command.mut_args(allow).mut_subcommands(|command| allowed(command, allow))
        }
        let command = allowed(Self::of_the_program(), allow_negative);
        Self::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
    }

    /// All commands and flags under the program's name.
    pub fn of_the_program() -> clap::Command {
        let command = Self::command().name(named::name()).version(named::version());
        match named::name() {
            "matchq" => command,
            name => renamed(command, name),
        }
    }
}

/// Help whose commands are those of a program with another name.
fn renamed(mut command: clap::Command, name: &str) -> clap::Command {
    let told = |text: Option<&StyledStr>| {
        let own = |before: &str| format!("{before}{name} ");
        Some(text?.to_string().replace("`matchq ", &own("`")).replace("(matchq ", &own("(")))
    };
    let of_argument = |mut argument: Arg| {
        if let Some(text) = told(argument.get_help()) {
            argument = argument.help(text);
        }
        if let Some(text) = told(argument.get_long_help()) {
            argument = argument.long_help(text);
        }
        argument
    };
    if let Some(text) = told(command.get_about()) {
        command = command.about(text);
    }
    if let Some(text) = told(command.get_long_about()) {
        command = command.long_about(text);
    }
    command.mut_args(of_argument).mut_subcommands(|command| renamed(command, name))
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Train(Train),
    Eval(Eval),
    Compare(Compare),
    Endure(Endure),
    Shard(Shard),
    Merge(Merge),
    Players(Players),
    Replay(Replay),
    Play(Play),
    Advise(Advise),
    Read(Read),
    Export(Export),
    Plot(Plot),
    Serve(Serve),
    Completions(Completions),
    Man(Manual),
    Card(Card),
    Verify(Verify),
    Solve(Solve),
}

/// Train an agent, or resume a training
#[derive(Debug, Args)]
pub struct Train {
    /// Configuration of the training: a file, or a name in configs/, such as dqn
    #[arg(long, value_name = "FILE|NAME", required_unless_present = "resume")]
    pub config: Option<PathBuf>,
    /// Set a key of the configuration, such as learning.batch=128 (any number of times); with
    /// --resume only the number of steps, named as the learner names its steps:
    /// training.steps=200000, or .generations, .sweeps, .policies
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Name of the run's folder [default: the configuration's name, numbered if taken]
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    pub name: Option<String>,
    /// Folder of the runs' folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub runs: PathBuf,
    /// Resume the run in this folder, or of this name
    #[arg(long, value_name = "FOLDER|NAME", conflicts_with = "config")]
    pub resume: Option<PathBuf>,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
    /// Write a line of JSON to standard output when the training has begun, and take a line of standard input as Ctrl-C, for `serve`
    #[arg(long, hide = true)]
    pub events: bool,
    /// Device and threads.
    #[command(flatten)]
    pub compute: Compute,
}

/// Write an agent of match-3 as one Python file that needs NumPy alone, or a network as ONNX
///
/// The Python file plays the moves that the agent plays without search, by the rules of its training.
/// The function choose gives the move on a board, and so does `python FILE.py BOARD.txt`; the file
/// also has the kit's three callbacks. Choices by chance depend on the position alone.
///
/// The ONNX file has the values of a network's one pass, without search and without plans of two moves;
/// it says what goes in and comes out.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("form").required(true)))]
pub struct Export {
    /// An agent: the name of one that ships or of a run in runs/, a file, or a folder with a
    /// best.safetensors
    #[arg(value_name = "AGENT")]
    pub agent: PathBuf,
    /// The file to write, or - for standard output
    #[arg(long, value_name = "FILE.py|-", group = "form")]
    pub python: Option<PathBuf>,
    /// The file to write in ONNX's format, for the network of an agent of any game
    #[arg(long, value_name = "FILE.onnx", group = "form")]
    pub onnx: Option<PathBuf>,
}

/// Draw the evaluations of trainings in one picture
///
/// Runs of one configuration by several seeds are one line: their mean, in a band from the lowest
/// to the highest.
#[derive(Debug, Args)]
pub struct Plot {
    /// Runs: names in runs/, or folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// The picture to write
    #[arg(long, value_name = "FILE.svg", default_value = "runs.svg")]
    pub output: PathBuf,
    /// What stands across: steps, seconds, or a column of evaluations.csv, such as updates
    #[arg(long, value_name = "COLUMN", default_value = "steps")]
    pub against: String,
    /// A logarithmic axis across
    #[arg(long)]
    pub log_x: bool,
    /// A logarithmic upright axis
    #[arg(long)]
    pub log_y: bool,
}

/// Watch, play, ask and train in the browser
///
/// The page is for this machine alone unless --listen names another address; then it asks for the
/// token of the printed link.
#[derive(Debug, Args)]
pub struct Serve {
    /// Address or name of this machine, and port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8010", value_parser = listen)]
    pub listen: SocketAddr,
    /// Port on this machine: short for --listen 127.0.0.1:PORT
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    pub port: Option<u16>,
    /// Folder of the runs' folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub runs: PathBuf,
    /// Player of the game that all watch
    #[arg(long, value_name = "NAME", default_value = "best")]
    pub player: String,
    /// Moves a second of that game
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub pace: f64,
    /// Most simulations a move that the page may ask for
    #[arg(long, value_name = "N", default_value_t = 25_600, value_parser = whole(1_usize..=10_000_000))]
    pub simulations: usize,
    /// The game that all watch [default: match3]
    #[arg(long, value_name = "NAME")]
    pub game: Option<String>,
}

/// Print completions of commands and flags for a shell
///
/// In bash: source <(matchq completions bash)
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Write the help as manual pages, one for each command
#[derive(Debug, Args)]
pub struct Manual {
    /// The folder to write to, which is made if it is missing
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

/// Write an agent's folder as hubs of models want it
///
/// The folder has a README.md with a head in YAML, the agent as best.safetensors, its configuration, the
/// curve of its training if that is a run's, and a game as GIF. Each command that takes an agent takes the
/// folder.
#[derive(Debug, Args)]
pub struct Card {
    /// An agent: the name of one that ships or of a run in runs/, a file, or a folder with a
    /// best.safetensors
    #[arg(value_name = "AGENT")]
    pub agent: PathBuf,
    /// The folder to write, empty or not there yet [default: card-NAME]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Games that are played for the mean score
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = whole(2_u64..=1_000_000))]
    pub games: u64,
}

/// List a game's players, or a player's parameters
#[derive(Debug, Args)]
pub struct Players {
    /// The game [default: match3]
    #[arg(long, value_name = "NAME")]
    pub game: Option<String>,
    /// A player whose parameters are listed, such as rollout
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,
}

/// Parser of whole numbers in a range; its error is a sentence.
fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("it must be a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Parser of an address or a name with a port; of a name's addresses one of version 4 comes first.
fn listen(text: &str) -> Result<SocketAddr, String> {
    let all: Vec<SocketAddr> = text.to_socket_addrs().map(Iterator::collect).unwrap_or_default();
    let found = all.iter().find(|address| address.is_ipv4()).or(all.first());
    found.copied().ok_or_else(|| {
        "it must be an address or a name of this machine, and a port, such as 127.0.0.1:8010 or localhost:8010"
            .to_owned()
    })
}

/// Parser of numbers; its error is a sentence.
fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "it must be a number".to_owned())
}

/// Game and rules.
#[derive(Clone, Debug, Default, Args)]
pub struct GameArguments {
    /// The game [default: the agent's, else match3]
    #[arg(long = "game", value_name = "NAME")]
    pub name: Option<String>,
    /// A parameter of the game's rules, such as obstacle_kinds=1 (any number of times) [default:
    /// the game's usual rules; eval: those of the agent's training]
    #[arg(long = "rule", value_name = "KEY=VALUE")]
    pub rules: Vec<String>,
}

/// Device and threads.
#[derive(Debug, Args)]
pub struct Compute {
    /// Device: cuda, wgpu, flex or ndarray, if compiled in [default: MATCHQ_DEVICE, else the first
    /// GPU present, else the CPU]
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=4_096))]
    pub threads: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help_of_all(mut command: clap::Command) -> String {
        command.build();
        let mut text = command.render_long_help().to_string();
        for command in command.get_subcommands() {
            text += &command.clone().render_long_help().to_string();
        }
        text
    }

    #[test]
    fn the_help_of_a_program_with_another_name_names_its_own_commands() {
        let [own, ours] = [renamed(Cli::command(), "mine"), Cli::command()].map(help_of_all);
        assert!(own.contains("`mine players`") && own.contains("`mine serve`") && own.contains("<(mine completions"));
        assert!(ours.contains("`matchq players`") && !own.contains("`matchq "), "{own}");
    }
}
