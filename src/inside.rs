//! The games of the program: those inside, and others.

use std::path::Path;
use std::sync::Once;

use crate::cli::{Command, Compare, Merge, Shard};
use crate::commands::shard::{self, Shards};
use crate::commands::verify::{self, Proof, Record};
use crate::commands::{self, compare, merge};
use crate::door::{DOORS, Door};
use crate::error::Result;
use crate::eval::Saved;
use crate::learners::checkpoint::Checkpoint;
use crate::players::{Agents, Of, Playable, Register, registry};

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

    fn prove(&self, record: &Record) -> Result<Vec<(Record, Proof)>> {
        verify::prove::<G>(record)
    }
}

/// Adds the games inside, by this crate's doors alone: what other crates ask of them is compiled there.
pub(crate) fn inside() {
    struct Inside;

    impl Register for Inside {
        fn game<G: Playable>(&mut self) {
            // Their names differ.
            DOORS.add(Of::<G>::DOOR).ok();
        }
    }

    static ONCE: Once = Once::new();
    ONCE.call_once(|| registry::inside(&mut Inside));
}

/// Adds a game to those of the commands, of the page and of the players.
///
/// A game of another type that has the name already is an error.
pub(crate) fn register<G: Playable>() -> Result<()> {
    inside();
    matchq_page::register::<G>()?;
    matchq_trainer::register::<G>()?;
    DOORS.add(Of::<G>::DOOR)
}
