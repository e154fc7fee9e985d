//! Commands that play games to measure players, on one machine or many.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Compute, GameArguments, whole};
use crate::network::Precision;

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
    /// equal on average, with narrower intervals in match-3; not in games without chance. All other
    /// figures and the pictures use the scores as played
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
