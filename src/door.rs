//! What the commands ask of a game without its type.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::{Command, Compare, Merge};
use crate::commands::shard::{OneGeneration, Shards};
use crate::commands::train::{Resume, Start};
use crate::commands::{self, compare, merge};
use crate::error::Result;
use crate::eval::Saved;
use crate::learners::{Source, with_learner};
use crate::players::{Agents, AnyGame, Doors, Of, Playable, doors};
use crate::serve::Resolve;

/// A game of the program.
pub trait Door: AnyGame {
    /// Does a command for the game.
    fn run(&self, command: &Command, agents: &Agents) -> Result<()>;

    /// Compares the players of files, as `compare --from` does.
    fn compare_again(&self, arguments: &Compare, files: Vec<(&Path, Saved)>) -> Result<()>;

    /// Merges shards.
    fn merge(&self, arguments: &Merge, shards: Shards) -> Result<()>;

    /// Evaluates a part of a generation.
    fn generation(&self, generation: OneGeneration) -> Result<()>;

    /// Starts a training.
    fn start(&self, start: Start) -> Result<()>;

    /// Goes on with a training.
    fn resume(&self, resume: Resume) -> Result<()>;

    /// All keys of a configuration with their values, defaults included.
    fn keys(&self, source: &Source) -> Result<BTreeMap<String, String>>;
}

impl<G: Playable> Door for Of<G> {
    fn run(&self, command: &Command, agents: &Agents) -> Result<()> {
        commands::run_for::<G>(command, agents)
    }

    fn compare_again(&self, arguments: &Compare, files: Vec<(&Path, Saved)>) -> Result<()> {
        compare::again::<G>(arguments, files)
    }

    fn merge(&self, arguments: &Merge, shards: Shards) -> Result<()> {
        merge::merge::<G>(arguments, &shards)
    }

    fn generation(&self, generation: OneGeneration) -> Result<()> {
        generation.run::<G>()
    }

    fn start(&self, start: Start) -> Result<()> {
        with_learner::<G>(start.source, start)
    }

    fn resume(&self, resume: Resume) -> Result<()> {
        with_learner::<G>(resume.source, resume)
    }

    fn keys(&self, source: &Source) -> Result<BTreeMap<String, String>> {
        let mut keys = BTreeMap::new();
        with_learner::<G>(source, Resolve { source, keys: &mut keys })?;
        Ok(keys)
    }
}

static DOORS: Doors<dyn Door> = doors!(Door);

/// Adds a game to those of the commands, of the page and of the players.
///
/// A game of another type that has the name already is an error.
pub fn register<G: Playable>() -> Result<()> {
    matchq_page::register::<G>()?;
    DOORS.add(Of::<G>::DOOR)
}

/// The game of this name.
pub fn door(name: &str) -> Result<&'static dyn Door> {
    DOORS.find(name)
}
