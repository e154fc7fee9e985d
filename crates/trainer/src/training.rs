//! A training without the types of its game and learner.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use matchq_core::error::Result;
use matchq_learners::checkpoint::Checkpoint;
use matchq_learners::network::device::Device;
use matchq_learners::progress::{Length, Progress};
use matchq_learners::{Ending, Learner, Run, RunFolder, Source, Task};
use matchq_pictures::plot::Reference;
use matchq_players::{Playable, Setting};
use serde_json::Value;

use crate::moment;

/// A training under way.
pub trait Training: Send {
    /// Folder of the run.
    fn folder(&self) -> &Path;

    /// Steps so far.
    fn step(&self) -> u64;

    /// Steps of the whole training.
    fn steps(&self) -> u64;

    /// Name of the steps: `generations`.
    fn unit(&self) -> &'static str;

    /// Steps so far with their name: `1 generation`.
    fn done(&self) -> String;

    /// Highest mean score of an evaluation.
    fn best(&self) -> Option<f64>;

    /// The rules that are not the game's usual ones, as `key=value`.
    fn other_rules(&self) -> Vec<String>;

    /// Number of threads at the start, if the last bits depend on it.
    fn threads(&self) -> Option<usize>;

    /// Players beside the evaluations.
    fn references(&self) -> &[Reference];

    /// Display of the progress.
    fn progress(&self) -> &dyn Progress;

    /// Lets the quick players play the evaluation's games, unless `stop` is set.
    fn compare(&mut self, stop: &AtomicBool) -> Result<()>;

    /// Trains to the end, or to the end of the round in which `stop` is set, and saves.
    fn train(&mut self, stop: &AtomicBool) -> Result<Ending>;

    /// Trains for so many rounds at most, and saves where the configuration says so.
    fn rounds(&mut self, rounds: u64) -> Result<Ending>;

    /// Saves agent and checkpoint.
    fn save(&mut self) -> Result<()>;

    /// Whether all steps are done, or the learner's own criterion is met.
    fn is_done(&self) -> bool;

    /// The training between two rounds, with transitions in slots of its memory, then with so many of
    /// the last update's; null of a learner without a memory.
    fn look(&self, slots: &[usize], most: usize) -> Result<Value>;

    /// Draws the evaluations, if any.
    fn draw_curve(&self) -> Result<()>;
}

/// Quick players beside the evaluations, so that one sees the agent pass them.
const REFERENCES: [&str; 2] = ["random", "greedy"];

impl<G: Playable, L: Learner<G>> Training for Run<G, L> {
    fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn step(&self) -> u64 {
        Run::step(self)
    }

    fn steps(&self) -> u64 {
        Run::steps(self)
    }

    fn unit(&self) -> &'static str {
        Run::unit(self)
    }

    fn done(&self) -> String {
        Run::done(self)
    }

    fn best(&self) -> Option<f64> {
        self.record.best
    }

    fn other_rules(&self) -> Vec<String> {
        other_rules::<G>(&self.rules)
    }

    fn threads(&self) -> Option<usize> {
        L::DEPENDS_ON_THREADS.then_some(self.record.threads)
    }

    fn references(&self) -> &[Reference] {
        &self.logs.references
    }

    fn progress(&self) -> &dyn Progress {
        self.logs.progress.as_ref()
    }

    fn compare(&mut self, stop: &AtomicBool) -> Result<()> {
        for name in REFERENCES {
            let mut player = G::player(name, &self.rules, &Setting::default())?;
            self.compare_with(name, player.as_mut(), stop)?;
        }
        Ok(())
    }

    fn train(&mut self, stop: &AtomicBool) -> Result<Ending> {
        Run::train(self, stop)
    }

    fn rounds(&mut self, rounds: u64) -> Result<Ending> {
        Run::rounds(self, rounds)
    }

    fn save(&mut self) -> Result<()> {
        Run::save(self)
    }

    fn is_done(&self) -> bool {
        Run::is_done(self)
    }

    fn look(&self, slots: &[usize], most: usize) -> Result<Value> {
        let look = |slots: &[usize]| self.learner.look(slots);
        let Some(mut moment) = look(slots)? else { return Ok(Value::Null) };
        let first = moment.sampled.iter().copied().filter(|slot| !slots.contains(slot)).take(most);
        let slots: Vec<usize> = slots.iter().copied().chain(first).collect();
        if slots.len() > moment.transitions.len() {
            moment = look(&slots)?.unwrap_or(moment);
        }
        Ok(moment::as_json::<G>(&moment))
    }

    fn draw_curve(&self) -> Result<()> {
        self.logs.draw_curve(&self.folder)
    }
}

/// Rules that are not a game's usual ones, as `key=value`.
pub fn other_rules<G: Playable>(rules: &G::Rules) -> Vec<String> {
    let rules = toml::Table::try_from(rules).unwrap_or_default();
    let known = toml::Table::try_from(G::Rules::default()).unwrap_or_default();
    let other = rules.iter().filter(|(key, value)| known.get(*key) != Some(*value));
    let text = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    other.map(|(key, value)| format!("{key}={}", text(value))).collect()
}

/// Makes the folder of a run with a configuration.
pub type MakeFolder<'a> = &'a dyn Fn(&str) -> Result<RunFolder>;

/// Display of the progress of a run of a length.
pub type ShowProgress<'a> = &'a dyn Fn(Length) -> Box<dyn Progress>;

/// A training that begins.
pub(crate) struct Start<'a> {
    pub(crate) source: &'a Source,
    pub(crate) device: &'a Device,
    pub(crate) folder: MakeFolder<'a>,
    pub(crate) progress: ShowProgress<'a>,
    pub(crate) training: &'a mut Option<Box<dyn Training>>,
}

impl<G: Playable> Task<G> for Start<'_> {
    fn run<L: Learner<G>>(self) -> Result<()> {
        let (config, rules) = self.source.resolve::<G, L>()?;
        let run = Run::<G, L>::start(config, rules, self.device, self.folder, self.progress)?;
        *self.training = Some(Box::new(run));
        Ok(())
    }
}

/// A training that goes on.
pub(crate) struct Resume<'a> {
    pub(crate) folder: RunFolder,
    pub(crate) checkpoint: &'a Checkpoint,
    pub(crate) set: &'a [String],
    pub(crate) device: &'a Device,
    pub(crate) progress: ShowProgress<'a>,
    pub(crate) training: &'a mut Option<Box<dyn Training>>,
}

impl<G: Playable> Task<G> for Resume<'_> {
    fn run<L: Learner<G>>(self) -> Result<()> {
        let Self { folder, checkpoint, set, device, progress, training } = self;
        *training = Some(Box::new(Run::<G, L>::resume(folder, checkpoint, set, device, progress)?));
        Ok(())
    }
}
