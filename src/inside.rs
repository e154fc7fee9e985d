//! The games of the program: those inside, and others.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::AtomicBool;

use crate::cli::{Command, Compare, Merge, Shard, Train};
use crate::commands::shard::{self, Shards};
use crate::commands::train::{Resume, Start};
use crate::commands::{self, compare, merge};
use crate::door::{DOORS, Door};
use crate::error::Result;
use crate::eval::Saved;
use crate::learners::checkpoint::Checkpoint;
use crate::learners::{RunFolder, Source, with_learner};
use crate::players::{Agents, Of, Playable, Register, registry};
use crate::serve::Resolve;

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

    fn generation(&self, arguments: &Shard, checkpoint: &Checkpoint, digest: String) -> Result<()> {
        shard::generation::<G>(arguments, checkpoint, digest)
    }

    fn start(&self, arguments: &Train, path: &Path, source: &Source, stop: &AtomicBool) -> Result<()> {
        with_learner::<G>(source, Start { arguments, path, source, stop })
    }

    fn resume(&self, arguments: &Train, folder: RunFolder, checkpoint: Checkpoint, stop: &AtomicBool) -> Result<()> {
        let source = checkpoint.source(&[])?;
        with_learner::<G>(&source, Resume { arguments, folder, checkpoint, stop })
    }

    fn keys(&self, source: &Source) -> Result<BTreeMap<String, String>> {
        let mut keys = BTreeMap::new();
        with_learner::<G>(source, Resolve { source, keys: &mut keys })?;
        Ok(keys)
    }
}

/// Adds the games inside, by the same call as others.
pub(crate) fn inside() {
    struct Inside;

    impl Register for Inside {
        fn game<G: Playable>(&mut self) {
            // Their names differ.
            register::<G>().ok();
        }
    }

    static ONCE: Once = Once::new();
    ONCE.call_once(|| registry::inside(&mut Inside));
}

/// Adds a game to those of the commands, of the page and of the players.
///
/// A game of another type that has the name already is an error.
pub(crate) fn register<G: Playable>() -> Result<()> {
    matchq_page::register::<G>()?;
    DOORS.add(Of::<G>::DOOR)
}
