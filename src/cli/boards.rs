//! Commands on boards and games one by one.

use std::path::PathBuf;

use clap::Args;

use super::{GameArguments, number, whole};

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
