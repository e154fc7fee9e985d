//! Trainings by requests in JSON: a [`Trainer`] turns a [`Request`] into an answer.
//!
//! A browser runs the trainer as WebAssembly, which keeps the run's files in memory; the page saves
//! them. `matchq serve` shows the runs of its folder by the same [`view`].

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod door;
mod moment;
mod training;
pub mod view;
// A browser calls a few functions by their names.
#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod wasm;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use matchq_core::disk;
use matchq_core::error::{Error, Result};
use matchq_learners::checkpoint::Checkpoint;
use matchq_learners::network::device;
use matchq_learners::report::run_view::RunView;
use matchq_learners::{Ending, RunFolder, Source, silent};
use serde::Deserialize;
use serde_json::{Value, json};

pub use door::{Door, door, register};
pub use training::{MakeFolder, ShowProgress, Training, other_rules};

/// What a page asks of a training.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// The configurations that ship.
    Configurations {},
    /// Begins the training of a configuration, under a name.
    Start {
        /// The configuration, as TOML.
        config: String,
        /// Keys and values that replace the configuration's, such as `seed=2`.
        #[serde(default)]
        set: Vec<String>,
        /// Name of the run.
        name: String,
    },
    /// Goes on with a run whose files are there.
    Resume {
        /// Name of the run.
        name: String,
    },
    /// Trains.
    Advance {
        /// Most rounds.
        rounds: u64,
    },
    /// Saves agent and checkpoint.
    Save {},
    /// The run with its curves.
    Show {},
    /// What the training holds between two rounds.
    Look {
        /// Places in the replay memory, shown before a few from which the last update learned.
        #[serde(default)]
        slots: Vec<usize>,
    },
    /// The source of deep Q-learning.
    Source {},
}

/// Transitions of an update that are shown.
const SHOWN: usize = 6;

/// Folder of the runs.
pub const RUNS: &str = "runs";

/// A training, once one was begun.
#[derive(Default)]
pub struct Trainer(Option<Box<dyn Training>>);

impl Trainer {
    /// The answer to a request in JSON; an error's sentence is in `error`.
    pub fn answer(&mut self, request: &str) -> String {
        let request = serde_json::from_str(request).map_err(|error| Error::user(format!("no request: {error}")));
        let answer = request.and_then(|request| self.respond(request));
        answer.unwrap_or_else(|error| json!({"error": error.to_string()})).to_string()
    }

    fn respond(&mut self, request: Request) -> Result<Value> {
        match request {
            Request::Configurations {} => return Ok(view::configurations()),
            Request::Start { config, set, name } => {
                let source = Source::parse(&config, "the configuration", &set)?;
                let game = door(source.game()?).map_err(|error| source.wrong("game.name", &error.to_string()))?;
                let folder = |config: &str| RunFolder::create(Path::new(RUNS), Some(&name), &name, config);
                let (_, device) = device::select(None)?;
                self.begin(game.start(&source, &device, &folder, &silent)?)?;
            }
            Request::Resume { name } => {
                let folder = RunFolder::open(Path::new(&name), Path::new(RUNS))?;
                let checkpoint = Checkpoint::load(&folder.last())?;
                let (_, device) = device::select(None)?;
                let game = door(checkpoint.source(&[])?.game()?)?;
                self.begin(game.resume(folder, &checkpoint, &[], &device, &silent)?)?;
            }
            Request::Advance { rounds } => {
                let training = self.training()?;
                let is_done = training.rounds(rounds)? == Ending::Finished;
                return Ok(json!({"step": training.step(), "done": is_done}));
            }
            Request::Save {} => self.training()?.save()?,
            Request::Show {} => {}
            Request::Look { slots } => return self.training()?.look(&slots, SHOWN),
            Request::Source {} => return Ok(json!({"source": moment::SOURCE})),
        }
        let training = self.training()?;
        let run = RunView::open(training.folder())?;
        let mut summary = view::summary(&run);
        summary["done"] = training.is_done().into();
        Ok(json!({"step": training.step(), "summary": summary, "detail": view::detail(&run)}))
    }

    fn begin(&mut self, mut training: Box<dyn Training>) -> Result<()> {
        training.compare(&AtomicBool::new(false))?;
        self.0 = Some(training);
        Ok(())
    }

    fn training(&mut self) -> Result<&mut dyn Training> {
        match &mut self.0 {
            Some(training) => Ok(training.as_mut()),
            None => Err(Error::user("no training was begun")),
        }
    }

    /// Names and contents of the files in the run's folder.
    pub fn files(&mut self) -> Result<Vec<(String, Vec<u8>)>> {
        let folder = self.training()?.folder().to_owned();
        let read = |path: std::path::PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let content = disk::read(&path);
            content.map(|content| (name, content)).map_err(|error| Error::runtime(error.to_string()))
        };
        disk::files_in(&folder).into_iter().map(read).collect()
    }
}
