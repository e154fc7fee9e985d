//! The checkpoint of a run: its configuration and everything that changes.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Source;
use super::metrics::Metrics;
use crate::Container;
use crate::error::{Error, Result};
use crate::instructions::InstructionSet;

const CONFIG: &str = "config";
const STATE: &str = "training";
/// Section with the [instruction set](InstructionSet) last used; missing in older checkpoints.
const INSTRUCTIONS: &str = "instructions";

/// Everything that changes in a run.
#[derive(Serialize, Deserialize)]
pub struct State<L> {
    /// Evaluations and number of threads.
    pub record: Record,
    /// Figures since the last row of the log.
    pub metrics: Metrics,
    /// The learner's part.
    pub learner: L,
}

/// Evaluations and number of threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Threads at the start; 0 if their number changes nothing.
    pub threads: usize,
    /// Step and mean score of the last evaluation, luck-adjusted if possible.
    pub evaluation: Option<(u64, f64)>,
    /// Highest mean score of an evaluation.
    pub best: Option<f64>,
    /// Whether the evaluation of the last step is not done yet.
    pub evaluation_is_due: bool,
}

impl Record {
    /// Whether the record can be that of a run at a step.
    pub fn fits(&self, step: u64) -> bool {
        let means = self.evaluation.map(|(_, mean)| mean).into_iter().chain(self.best);
        means.into_iter().all(f64::is_finite) && (step > 0 || !self.evaluation_is_due)
    }

    /// Records an evaluation; true if the best so far.
    pub fn evaluated(&mut self, step: u64, mean: f64) -> bool {
        self.evaluation = Some((step, mean));
        let best = self.best.is_none_or(|best| mean > best);
        if best {
            self.best = Some(mean);
        }
        best
    }
}

/// Writes a checkpoint atomically.
pub fn save(path: &Path, config: String, state: &State<impl Serialize>) -> Result<()> {
    let state = postcard::to_stdvec(state)
        .map_err(|error| Error::runtime(format!("the training's state cannot be written: {error}")))?;
    let mut container = Container::default();
    container.insert(CONFIG, config.into_bytes());
    container.insert(STATE, state);
    container.insert(INSTRUCTIONS, InstructionSet::used().to_string().into_bytes());
    container.save(path)
}

/// A checkpoint's file, not yet resumed.
pub struct Checkpoint {
    name: String,
    container: Container,
    /// Configuration as TOML.
    pub config: String,
}

impl Checkpoint {
    /// Reads a checkpoint; an error if damaged, foreign or incompatible.
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

    /// Configuration with overrides.
    pub fn source(&self, overrides: &[String]) -> Result<Source> {
        Source::parse(&self.config, &self.name, overrides)
    }

    /// State; an error if incompatible.
    pub fn state<L: DeserializeOwned>(&self) -> Result<State<L>> {
        postcard::from_bytes(self.container.get(STATE).unwrap_or_default()).map_err(|error| {
            Error::user(format!(
                "{} holds a state that this program cannot read ({error}): resume the run with the version of matchq that wrote it",
                self.name
            ))
        })
    }

    /// Instruction set last used, if not the present one.
    pub fn other_instructions(&self) -> Option<String> {
        let name = String::from_utf8_lossy(self.container.get(INSTRUCTIONS)?).into_owned();
        // Only networks of this precision use all instructions of a set.
        let pairs = self.config.contains("precision = \"bf16\"");
        InstructionSet::used().differs_from(&name, pairs).then_some(name)
    }

    /// An error about the checkpoint's content.
    pub fn wrong(&self, error: Error) -> Error {
        error.of(&self.name)
    }
}
