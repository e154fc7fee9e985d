//! What the commands ask of a game without its type.

use std::path::Path;

use crate::cli::{Command, Compare, Merge, Shard};
use crate::commands::shard::job::Shards;
use crate::commands::verify::{Proof, Record};
use crate::error::Result;
use crate::eval::Saved;
use crate::learners::checkpoint::Checkpoint;
use crate::players::{Agents, AnyGame, Doors};

/// A game of the program.
pub trait Door: AnyGame {
    /// Does a command for the game.
    fn run(&self, command: &Command, agents: &Agents) -> Result<()>;

    /// Compares the players of files, as `compare --from` does.
    fn compare_again(&self, arguments: &Compare, files: Vec<(&Path, Saved)>) -> Result<()>;

    /// Merges shards.
    fn merge(&self, arguments: &Merge, shards: Shards) -> Result<()>;

    /// Evaluates a part of the generation of a checkpoint, whose file has a digest.
    fn generation(&self, arguments: &Shard, checkpoint: &Checkpoint, digest: String) -> Result<()>;

    /// Plays the games of a record again.
    fn prove(&self, record: &Record) -> Result<Vec<(Record, Proof)>>;
}

pub(crate) static DOORS: Doors<dyn Door> = Doors::new();

/// The game of this name.
pub(crate) fn door(name: &str) -> Result<&'static dyn Door> {
    DOORS.find(name)
}
