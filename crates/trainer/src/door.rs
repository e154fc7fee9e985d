//! What a training asks of a game without its type.

use std::collections::BTreeMap;
use std::sync::Once;

use matchq_core::error::{Error, Result};
use matchq_learners::checkpoint::Checkpoint;
use matchq_learners::network::device::Device;
use matchq_learners::report::run_view;
use matchq_learners::{Learner, RunFolder, Source, Task, with_learner};
use matchq_players::{AnyGame, Doors, Of, Playable, Register, registry};

use crate::training::{MakeFolder, Resume, ShowProgress, Start, Training};

/// A game that agents are trained for.
pub trait Door: AnyGame {
    /// All keys of a configuration with their values, defaults included.
    fn keys(&self, source: &Source) -> Result<BTreeMap<String, String>>;

    /// Starts the training of a configuration.
    fn start(
        &self,
        source: &Source,
        device: &Device,
        folder: MakeFolder,
        progress: ShowProgress,
    ) -> Result<Box<dyn Training>>;

    /// Goes on with a training; `set` may only lengthen it.
    fn resume(
        &self,
        folder: RunFolder,
        checkpoint: &Checkpoint,
        set: &[String],
        device: &Device,
        progress: ShowProgress,
    ) -> Result<Box<dyn Training>>;
}

static DOORS: Doors<dyn Door> = Doors::new();

/// The game of this name.
pub fn door(name: &str) -> Result<&'static dyn Door> {
    inside();
    DOORS.find(name)
}

impl<G: Playable> Door for Of<G> {
    fn keys(&self, source: &Source) -> Result<BTreeMap<String, String>> {
        let mut keys = BTreeMap::new();
        with_learner::<G>(source, Resolve { source, keys: &mut keys })?;
        Ok(keys)
    }

    fn start(
        &self,
        source: &Source,
        device: &Device,
        folder: MakeFolder,
        progress: ShowProgress,
    ) -> Result<Box<dyn Training>> {
        let mut training = None;
        with_learner::<G>(source, Start { source, device, folder, progress, training: &mut training })?;
        training.ok_or_else(unbegun)
    }

    fn resume(
        &self,
        folder: RunFolder,
        checkpoint: &Checkpoint,
        set: &[String],
        device: &Device,
        progress: ShowProgress,
    ) -> Result<Box<dyn Training>> {
        let mut training = None;
        let source = checkpoint.source(&[])?;
        let resume = Resume { folder, checkpoint, set, device, progress, training: &mut training };
        with_learner::<G>(&source, resume)?;
        training.ok_or_else(unbegun)
    }
}

fn unbegun() -> Error {
    Error::runtime("the training did not begin")
}

/// Finds all keys of a configuration with their values, defaults included.
struct Resolve<'a> {
    source: &'a Source,
    keys: &'a mut BTreeMap<String, String>,
}

impl<G: Playable> Task<G> for Resolve<'_> {
    fn run<L: Learner<G>>(self) -> Result<()> {
        let (config, _) = self.source.resolve::<G, L>()?;
        *self.keys = run_view::keys("", &config.to_toml()?.parse().unwrap_or_default());
        Ok(())
    }
}

/// Adds the games inside, by this crate's doors alone: what other crates ask of them is compiled there.
fn inside() {
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

/// Adds a game that agents can be trained for, and whose players are known.
///
/// A game of another type that has the name already is an error.
pub fn register<G: Playable>() -> Result<()> {
    inside();
    registry::register::<G>()?;
    DOORS.add(Of::<G>::DOOR)
}
