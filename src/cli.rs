//! Command line: flags and help texts.

use std::fmt::Display;
use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::StyledStr;
use clap::{Arg, ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::named;
use crate::network::Precision;

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

/// Play seeded games with a trained agent and report its scores
#[derive(Debug, Args)]
pub struct Eval {
    /// An agent: the name of one that ships or of a run in runs/, a file, or a folder with a
    /// best.safetensors; the agent plays by the rules of its training, unless others are given
    /// [default: the game's first agent that ships]
    #[arg(long, value_name = "NAME|PATH")]
    pub checkpoint: Option<PathBuf>,
    /// A player or an agent, in place of --checkpoint: its name, or an agent's run or path, then
    /// :key=value:key=value; `matchq players` lists them
    #[arg(long, value_name = "PLAYER", conflicts_with_all = ["checkpoint", "batch", "precision", "device"])]
    pub player: Option<String>,
    /// Games.
    #[command(flatten)]
    pub series: Series,
    /// Boards in one pass of the network, at most 1024
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = whole(1_u32..=1_024))]
    pub batch: u32,
    /// Precision of a network's products on the CPU [default: as in training]
    #[arg(long, value_name = "PRECISION", value_enum)]
    pub precision: Option<Precision>,
    /// Draw the histogram of the scores, as .svg
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Device and threads.
    #[command(flatten)]
    pub compute: Compute,
}

/// Let several players play the same seeded games
#[derive(Debug, Args)]
pub struct Compare {
    /// Players and agents, separated by commas: each its name, or an agent's run or path, then
    /// :key=value:key=value; `matchq players` lists them
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', required_unless_present_any = ["from", "player"])]
    pub players: Vec<String>,
    /// A player after those of --players; its text may contain commas (any number of times)
    #[arg(long, value_name = "PLAYER")]
    pub player: Vec<String>,
    /// Play nothing: compare the players in these files, written by --json or --moves of compare or
    /// eval, or by another program: {"player": "mine", "game": "match3", "seed": 0, "moves": [[[2, 6,
    /// true], ..], ..]}, the moves of each game from that seed on, in match-3 [x, y, vertical]
    #[arg(
        long, value_name = "FILE,...", value_delimiter = ',',
        conflicts_with_all = ["players", "player", "games", "seed", "rules", "name"]
    )]
    pub from: Vec<PathBuf>,
    /// Also give luck-adjusted means and differences, with N simulations of every move, say 50:
    /// equal on average, with narrower intervals in match-3. All other figures and the pictures use
    /// the scores as played
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=100_000))]
    pub luck: Option<u32>,
    /// Draw each player's scores, and strength against time a move, as .svg
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Games.
    #[command(flatten)]
    pub series: Series,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=4_096))]
    pub threads: Option<u32>,
}

/// Measure the points a game of players whose games are too long to be played to their end
///
/// In each sequence, games are played one after the other for a fixed number of moves. The points a
/// game are all points divided by the number of games that ended.
#[derive(Debug, Args)]
pub struct Endure {
    /// Players and agents, separated by commas: each its name, or an agent's run or path, then
    /// :key=value:key=value; `matchq players` lists them
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', required = true)]
    pub players: Vec<String>,
    /// Sequences of games, played side by side
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = whole(1_u64..=1_000_000))]
    pub sequences: u64,
    /// Moves of each sequence
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = whole(1_u64..=1_000_000_000_000))]
    pub moves: u64,
    /// Split games where their end comes near, so that rare ends are seen often (RESTART): the same
    /// mean by far fewer moves; each sequence should have tens of thousands of moves
    #[arg(long)]
    pub split: bool,
    /// Seed of the first sequence; sequence i has seed S + i
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = whole(0..=u64::MAX))]
    pub seed: u64,
    /// Game and rules.
    #[command(flatten)]
    pub game: GameArguments,
    /// Write all figures as JSON to standard output instead of the text
    #[arg(long)]
    pub json: bool,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=4_096))]
    pub threads: Option<u32>,
}

/// Do one of N parts of a command, for many processes or machines
///
/// The result of a part is one file in the folder of --out, which depends on the players, the
/// rules, the seeds and the program alone. A part whose file is there is not done again. Exit code
/// 0: the file is there; 2: the command is wrong, do not try again; 75 or a signal: try again.
#[derive(Debug, Args)]
pub struct Shard {
    /// The part, from 0 [default: the variable SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX]
    #[arg(long, value_name = "I", global = true, value_parser = whole(0..=u64::from(u32::MAX)))]
    pub index: Option<u64>,
    /// Number of parts
    #[arg(long, value_name = "N", global = true, value_parser = whole(1..=u64::from(u32::MAX)))]
    pub of: Option<u64>,
    /// Folder of the parts' files
    #[arg(long, value_name = "FOLDER", global = true)]
    pub out: Option<PathBuf>,
    /// The command.
    #[command(subcommand)]
    pub part: Part,
}

/// Commands that have parts.
#[derive(Debug, Subcommand)]
pub enum Part {
    Eval(Eval),
    Compare(Compare),
    Endure(Endure),
    Generation(Generation),
}

/// Some candidates of a generation of a training by evolution
#[derive(Debug, Args)]
pub struct Generation {
    /// The run: its folder, or its name
    #[arg(long, value_name = "FOLDER|NAME")]
    pub run: PathBuf,
    /// Folder of the runs' folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub runs: PathBuf,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=4_096))]
    pub threads: Option<u32>,
}

/// Put the parts of a command together
///
/// The report is that of the whole command in one process, but for the times by the clock. Missing,
/// damaged and foreign parts are named.
#[derive(Debug, Args)]
pub struct Merge {
    /// Folder of the parts' files
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Write all figures and scores as JSON to a file, or to standard output (-) instead of the text
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Write the moves of each game of eval or compare to a file, a line of JSON for a game
    #[arg(long, value_name = "FILE.jsonl")]
    pub moves: Option<PathBuf>,
    /// Draw the picture of eval or compare, as .svg
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Give a generation's fitness to its run, which goes on to the next generation: the run's
    /// folder, or its name
    #[arg(long, value_name = "FOLDER|NAME", conflicts_with_all = ["json", "moves", "plot"])]
    pub into: Option<PathBuf>,
    /// Folder of the runs' folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub runs: PathBuf,
}

/// A series of seeded games, and the place of its report.
#[derive(Clone, Debug, Args)]
pub struct Series {
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = whole(1_u64..=100_000_000))]
    pub games: u64,
    /// Seed of the first game; game i has seed S + i
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = whole(0..=u128::MAX))]
    pub seed: u128,
    /// Game and rules.
    #[command(flatten)]
    pub game: GameArguments,
    /// Write all figures and scores as JSON to a file, or to standard output (-) instead of the text
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Write each game's moves to a file, a line of JSON for a game, which `compare --from` reads
    #[arg(long, value_name = "FILE.jsonl")]
    pub moves: Option<PathBuf>,
}

/// Play given moves in a seeded game; print every board as JSON, or draw the game
#[derive(Debug, Args)]
pub struct Replay {
    /// Seed of the game
    #[arg(long, value_name = "N", value_parser = whole(0..=u128::MAX))]
    pub seed: u128,
    /// Game and rules.
    #[command(flatten)]
    pub game: GameArguments,
    /// Moves as JSON, one a line, in match-3 [x, y, vertical] (column and row, as in the kit); without a
    /// file, or with -, standard input
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Let a player or an agent play the game instead of reading moves; `matchq players` lists them
    #[arg(long, value_name = "PLAYER", conflicts_with = "file")]
    pub player: Option<String>,
    /// Limit of moves of the player's game [default: the whole game; with --svg, --gif or --html 200]
    #[arg(long, value_name = "N", requires = "player", value_parser = whole(1_u64..=1_000_000_000_000))]
    pub moves: Option<u64>,
    /// Draw the game as a moving picture in a file that ends in .svg
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Draw the game as a moving picture in a file that ends in .gif, for places that show no SVG
    #[arg(long, value_name = "FILE.gif")]
    pub gif: Option<PathBuf>,
    /// Write the game into one page that ends in .html, with the player's values of every move
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Watch a player's game in the terminal; `matchq serve` lets you play
///
/// The game of a seed is the same in eval, compare, replay and play. The player's moves are the
/// same, too, unless the player has a budget in milliseconds (ms=...): its moves then also depend
/// on the machine's speed at the time. The values shown are the player's values of its moves, each
/// player on its own scale. The environment variable NO_COLOR turns colours off. Where standard
/// input or output is no terminal, the game is written as plain text.
#[derive(Debug, Args)]
pub struct Play {
    /// The player or agent: its name, or an agent's run or path, then :key=value:key=value; `matchq
    /// players` lists them
    #[arg(long, value_name = "PLAYER", default_value = "best:sims=1000")]
    pub player: String,
    /// Seed of the game [default: a random one, which is shown]; the next game has the next seed
    #[arg(long, value_name = "N", value_parser = whole(0..=u128::MAX))]
    pub seed: Option<u128>,
    /// Speed of the boards; 2 is twice as fast
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = number)]
    pub speed: f64,
    /// Limit of moves of a game written as text, where there is no terminal [default: the whole
    /// game]
    #[arg(long, value_name = "N", value_parser = whole(1_u64..=1_000_000_000_000))]
    pub moves: Option<u64>,
    /// Game and rules.
    #[command(flatten)]
    pub game: GameArguments,
}

/// Rank the moves of a board
///
/// The values are the player's values of its moves, each player on its own scale. With a budget in
/// milliseconds (ms=...), the values also depend on the machine's speed at the time.
#[derive(Debug, Args)]
pub struct Advise {
    /// The board, in match-3 ten lines of eight of a b c d #, also as advise and play print it, or a
    /// picture of it, a PNG or a JPEG; without a file, or with -, standard input
    #[arg(value_name = "BOARD.txt|IMAGE")]
    pub file: Option<PathBuf>,
    /// Moves left to play, where the rules count them, in match-3 from 1 to 25 [default: all moves
    /// of a game]
    #[arg(
        long, value_name = "N",
        value_parser = |text: &str| text.parse::<i64>().map_err(|_| "it must be a whole number")
    )]
    pub moves_left: Option<i64>,
    /// The piece to place, where the game has pieces and the board shows none: in Tetris one of O I
    /// L J T S Z
    #[arg(long, value_name = "LETTER")]
    pub piece: Option<String>,
    /// The player or agent: its name, or an agent's run or path, then :key=value:key=value; `matchq
    /// players` lists them
    #[arg(long, value_name = "PLAYER", default_value = "best:ms=200")]
    pub player: String,
    /// Only the best N moves
    #[arg(long, value_name = "N", value_parser = whole(1..=u32::MAX))]
    pub top: Option<u32>,
    /// Write JSON: the moves from the best to the worst with their values, each as cells [row, column],
    /// in words, and as the game writes it, in match-3 [x, y, vertical]
    #[arg(long)]
    pub json: bool,
    /// Draw the best three moves into the picture, numbered, as .png
    #[arg(long, value_name = "OUT.png")]
    pub overlay: Option<PathBuf>,
    /// Look of the gems and place of the field.
    #[command(flatten)]
    pub look: Look,
    /// Game and rules.
    #[command(flatten)]
    pub game: GameArguments,
}

/// Read a board from a picture of it
///
/// Prints the board in the format of `matchq advise`. An uncertain cell is printed as ? and named
/// on standard error.
#[derive(Debug, Args)]
pub struct Read {
    /// The picture, a PNG or a JPEG; without a file, or with -, standard input
    #[arg(value_name = "IMAGE")]
    pub image: Option<PathBuf>,
    /// The game, whose columns, rows and letters the theme must have [default: match3, with --theme
    /// any]
    #[arg(long, value_name = "NAME")]
    pub game: Option<String>,
    /// Look of the gems and place of the field.
    #[command(flatten)]
    pub look: Look,
    /// Learn a theme from the picture of this board, and write it to --theme FILE.toml
    #[arg(long, value_name = "BOARD.txt", requires = "theme")]
    pub teach: Option<PathBuf>,
    /// Draw each cell's letter and its confidence in percent over the picture, as .png
    #[arg(long, value_name = "OUT.png")]
    pub overlay: Option<PathBuf>,
    /// Accept a board with uncertain cells: the exit code is 0
    #[arg(long)]
    pub partial: bool,
}

/// How a picture of a board is read.
#[derive(Debug, Args)]
pub struct Look {
    /// The look of the gems in a picture: a theme of the program, match3, kit, bejeweled,
    /// bejeweled-deluxe, bejeweled-flash, bejeweled-drawn, tile-match, bilging, samegame, lmgame-bench,
    /// articles or articles-1, or a file that ends in .toml [default: the themes of the game, else of match3]
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub theme: Option<String>,
    /// Place of the field of gems in pixels: left, top, width and height [default: found in the
    /// picture]
    #[arg(
        long, value_name = "X,Y,WIDTH,HEIGHT", value_delimiter = ',', value_parser = number, allow_hyphen_values = true
    )]
    pub field: Vec<f64>,
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

/// Play the games of a file again, and tell their scores: a record is a file
///
/// Each line is a game as JSON: {"game": "samegame", "rules": {"boards": "standard"}, "seed": 4, "moves": [[[2, 11],
/// ...]]}, as --moves of eval and compare writes it; "board" may stand in place of "seed" in games without chance.
/// A "score" in a line is checked. A line that proves nothing ends the work with exit code 2. A digest
/// stands for a game: the same moves from the same deal have the same one, however a file writes them.
#[derive(Debug, Args)]
pub struct Verify {
    /// Files of games, a line of JSON each; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Write the best game of each deal, with its score, to this file
    #[arg(long, value_name = "FILE")]
    pub best: Option<PathBuf>,
    /// Print the games' scores as JSON
    #[arg(long)]
    pub json: bool,
}

/// Search the best games of deals without chance, in one start after another, for as long as one likes
///
/// Each start is a game of the player with random numbers of its own. The file of --best keeps the best
/// game of each deal, also at Ctrl-C, which cuts a start short; `verify` reads it, and the same command
/// goes on from there. Machines take part by --index and --of, each with a file of its own; of all files
/// `verify --best` makes one with the best games.
#[derive(Debug, Args)]
pub struct Solve {
    /// File of the best games, a line of JSON each
    #[arg(long, value_name = "FILE")]
    pub best: PathBuf,
    /// Player of each start; `matchq players` lists them
    #[arg(long, value_name = "PLAYER", default_value = "best:ms=60000")]
    pub player: String,
    /// Starts of each deal on this machine, with those that the file counts [default: without end]
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::from(u32::MAX)))]
    pub starts: Option<u64>,
    /// Seed of the first deal
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = whole(0..=u128::MAX))]
    pub seed: u128,
    /// Number of deals
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1_u64..=10_000))]
    pub games: u64,
    /// Game and rules.
    #[command(flatten)]
    pub game: GameArguments,
    /// Number of this machine, from 0
    #[arg(long, value_name = "I", default_value_t = 0, value_parser = whole(0..=u64::from(u32::MAX)))]
    pub index: u64,
    /// Number of machines
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1..=u64::from(u32::MAX)))]
    pub of: u64,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=4_096))]
    pub threads: Option<u32>,
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
