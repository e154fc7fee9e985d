//! The checkpoint of a run, to be resumed from.
//!
//! It holds the run's configuration and everything that moves.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Source;
use super::metrics::Metrics;
use crate::error::{Error, Result};
use crate::instructions::InstructionSet;
use crate::learners::Container;

const CONFIG: &str = "config";
const STATE: &str = "training";
/// By which [instructions](InstructionSet) the run was computed last.
///
/// Older checkpoints do not tell.
const INSTRUCTIONS: &str = "instructions";

/// Everything that moves in a run; `L` is the learner's part.
#[derive(Serialize, Deserialize)]
pub struct State<L> {
    /// Evaluations so far, and how the run began.
    pub record: Record,
    /// Since the last row of the log.
    pub metrics: Metrics,
    /// The learner.
    pub learner: L,
}

/// Evaluations so far, and how the run began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Threads that it began with; 0 where their number decides nothing.
    pub threads: usize,
    /// Step and mean score of the last evaluation.
    ///
    /// The score is less luck where that is estimated.
    pub evaluation: Option<(u64, f64)>,
    /// The highest of these means.
    pub best: Option<f64>,
}

impl Record {
    /// Takes note of an evaluation; says whether it is the best so far.
    pub fn evaluated(&mut self, step: u64, mean: f64) -> bool {
        self.evaluation = Some((step, mean));
        let best = self.best.is_none_or(|best| mean > best);
        if best {
            self.best = Some(mean);
        }
        best
    }
}

/// Writes a checkpoint, atomically.
pub fn save(path: &Path, config: String, state: &State<impl Serialize>) -> Result<()> {
    let state = postcard::to_stdvec(state)
        .map_err(|error| Error::runtime(format!("the training's state cannot be written: {error}")))?;
    let mut container = Container::default();
    container.insert(CONFIG, config.into_bytes());
    container.insert(STATE, state);
    container.insert(INSTRUCTIONS, InstructionSet::used().to_string().into_bytes());
    container.save(path)
}

/// A checkpoint that was read but not taken up yet.
pub struct Checkpoint {
    name: String,
    container: Container,
    config: String,
}

impl Checkpoint {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// A file that is missing, damaged, foreign, or of another version of the program.
    pub fn load(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let container = Container::load(path)?;
        let config = container
            .get(CONFIG)
            .filter(|_| container.get(STATE).is_some())
            .ok_or_else(|| Error::user(format!("{name} holds no state of a run")))?;
        let config = String::from_utf8_lossy(config).into_owned();
        Ok(Self { name, container, config })
    }

    /// The configuration, as TOML.
    pub fn config(&self) -> &str {
        &self.config
    }

    /// The configuration, with some keys set otherwise.
    ///
    /// # Errors
    /// A key that this program does not know, or a `--set` that is none.
    pub fn source(&self, overrides: &[String]) -> Result<Source> {
        Source::parse(&self.config, &self.name, overrides)
    }

    /// The state.
    ///
    /// # Errors
    /// When it is of another version of the program.
    pub fn state<L: DeserializeOwned>(&self) -> Result<State<L>> {
        postcard::from_bytes(self.container.get(STATE).unwrap_or_default()).map_err(|error| {
            Error::user(format!(
                "{} holds a state that this program cannot read ({error}): resume the run with the version of matchq that wrote it",
                self.name
            ))
        })
    }

    /// The name of the instruction set by which it was computed.
    ///
    /// None if that is the one used now, or if the checkpoint does not tell.
    pub fn other_instructions(&self) -> Option<String> {
        let name = String::from_utf8_lossy(self.container.get(INSTRUCTIONS)?).into_owned();
        // Only networks in this precision are computed by all of a set's instructions.
        let pairs = self.config.contains("precision = \"bf16\"");
        InstructionSet::used().differs_from(&name, pairs).then_some(name)
    }

    /// An error of what the checkpoint holds.
    pub fn wrong(&self, error: Error) -> Error {
        error.of(&self.name)
    }
}
