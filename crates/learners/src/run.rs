//! Training of any learner: logs, evaluations, checkpoints and resuming.

use std::sync::atomic::{AtomicBool, Ordering};

use super::checkpoint::{self, Checkpoint, Record, State};
use super::config::{Evaluation, key_and_value};
use super::evaluation::evaluated;
use super::folder::RunFolder;
use super::logs::{Logged, Logs};
use super::metrics::Metrics;
use super::progress::{Length, Progress};
use super::{Learner, LearnerConfig, TrainConfig};
use crate::error::{Error, Result};
use crate::games::Lookahead;
use crate::network::device::Device;
use crate::players::{Measured, Player};
use crate::report::plot::Reference;
use matchq_core::pool;

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All steps are done.
    Finished,
    /// Stopped on request; can be resumed.
    Stopped,
}

/// A training in its folder.
pub struct Run<G: Measured, L: Learner<G>> {
    /// Configuration of the run.
    pub config: TrainConfig<L::Config>,
    /// Rules of the game.
    pub rules: G::Rules,
    /// The learner.
    pub learner: L,
    /// Evaluations and number of threads.
    pub record: Record,
    metrics: Metrics,
    /// Folder of the run.
    pub folder: RunFolder,
    /// Logs of the run.
    pub logs: Logs,
}

impl<G: Measured + Lookahead, L: Learner<G>> Run<G, L> {
    /// Starts a training, which can be resumed at once.
    ///
    /// `folder` is called after the learner has accepted the configuration.
    pub fn start(
        config: TrainConfig<L::Config>,
        rules: G::Rules,
        device: &Device,
        folder: impl FnOnce(&str) -> Result<RunFolder>,
        progress: impl FnOnce(Length) -> Box<dyn Progress>,
    ) -> Result<Self> {
        let learner = L::new(&config, &rules, device)?;
        let folder = folder(&config.to_toml()?)?;
        let threads = if L::DEPENDS_ON_THREADS { pool::threads() } else { 0 };
        let record = Record { threads, ..Record::default() };
        // A checkpoint can be resumed without logs, but not the reverse.
        save(&folder, &config, &record, &Metrics::default(), &learner)?;
        let logs = Logs::create(&folder, Logged::of::<G, L>(&config.learner), progress)?;
        Ok(Self { config, rules, learner, record, metrics: Metrics::default(), folder, logs })
    }

    /// Resumes a training; `sets` may only lengthen it.
    pub fn resume(
        folder: RunFolder,
        checkpoint: &Checkpoint,
        sets: &[String],
        device: &Device,
        progress: impl FnOnce(Length) -> Box<dyn Progress>,
    ) -> Result<Self> {
        folder.check_config(&checkpoint.config, L::Config::STEPS)?;
        let (before, rules) = checkpoint.source(&[])?.resolve::<G, L>()?;
        let config = lengthened::<G, L>(&before, checkpoint, sets)?;
        let State { record, metrics, learner: saved } = checkpoint.state::<L::Saved>()?;
        let learner = L::resume(&config, &rules, device, saved).map_err(|error| checkpoint.wrong(error))?;
        let (step, steps) = (learner.step(), config.learner.steps());
        if !record.fits(step) {
            return Err(checkpoint.wrong(Error::user("its evaluations are none of this run")));
        }
        if config != before {
            let (key, planned) = (L::Config::STEPS, before.learner.steps());
            if steps < planned {
                return Err(Error::user(format!(
                    "--set {key}={steps}: it must be above {planned}, the {} that the run has",
                    L::Config::unit()
                )));
            }
            save(&folder, &config, &record, &metrics, &learner)?;
            folder.write_config(&config.to_toml()?)?;
        }
        if !learner.is_at_rest() {
            folder.note_rest(None)?;
        }
        let logged = Logged::of::<G, L>(&config.learner);
        let logs = Logs::resume(&folder, step, record.evaluation_is_due, logged, progress)?;
        Ok(Self { config, rules, learner, record, metrics, folder, logs })
    }

    /// Trains to the end, or to the end of the round in which `stop` is set; an evaluation is
    /// broken off, and done again when the run is resumed.
    pub fn train(&mut self, stop: &AtomicBool) -> Result<Ending> {
        self.train_for(u64::MAX, stop)
    }

    /// Trains for so many rounds at most, and saves.
    pub fn advance(&mut self, rounds: u64) -> Result<Ending> {
        let ending = self.rounds(rounds)?;
        self.save()?;
        Ok(ending)
    }

    /// Trains for so many rounds at most, and saves where the configuration says so.
    pub fn rounds(&mut self, rounds: u64) -> Result<Ending> {
        self.train_for(rounds, &AtomicBool::new(false))
    }

    /// Whether all steps are done, or the learner's own criterion is met.
    pub fn is_done(&self) -> bool {
        self.learner.step() >= self.steps() || self.learner.is_at_rest()
    }

    fn train_for(&mut self, mut rounds: u64, stop: &AtomicBool) -> Result<Ending> {
        if !self.evaluate_if_due(stop)? {
            return Ok(Ending::Stopped);
        }
        let mut last = self.is_done();
        while !last {
            let before = self.step();
            self.learner.round(&mut self.metrics)?;
            let step = self.step();
            rounds -= 1;

            last = self.is_done();
            let due = |every: u64| step / every != before / every || last;
            if due(self.config.run.logging.every) {
                self.learner.report(&mut self.metrics)?;
                self.logs.training(step, &self.metrics)?;
                self.metrics.reset();
            }
            if due(self.config.run.evaluation.every) {
                // What has been learned is safe before an evaluation, which may take long.
                self.record.evaluation_is_due = true;
                self.save()?;
                if !self.evaluate_if_due(stop)? {
                    return Ok(Ending::Stopped);
                }
            }
            self.logs.show(step, &self.metrics, &self.record);
            let stopping = stop.load(Ordering::Relaxed);
            if stopping || due(self.config.run.checkpoint.every) {
                self.save()?;
            }
            if (stopping || rounds == 0) && !last {
                return Ok(Ending::Stopped);
            }
        }
        if self.step() < self.steps() {
            self.folder.note_rest(Some(&self.done()))?;
        }
        Ok(Ending::Finished)
    }

    /// Does the evaluation that is due, if one is: plays seeded games, saves the best agent so far
    /// and the checkpoint. Returns false if `stop` was set meanwhile; the evaluation is then still
    /// due.
    pub fn evaluate_if_due(&mut self, stop: &AtomicBool) -> Result<bool> {
        if !self.record.evaluation_is_due {
            return Ok(true);
        }
        let mut player = self.learner.player();
        let evaluated = evaluated(&mut player, &self.rules, &self.config.run.evaluation, stop);
        // What fails here is the training's own doing.
        let evaluated = evaluated.map_err(|error| Error::runtime(error.to_string()))?;
        drop(player);
        let Some(evaluated) = evaluated else { return Ok(false) };
        let step = self.step();
        let best = self.record.evaluated(step, evaluated.mean());
        self.logs.evaluation(step, &evaluated, &self.metrics, self.record.best)?;
        if best {
            self.learner.agent()?.save(&self.folder.best())?;
        }
        self.record.evaluation_is_due = false;
        self.save()?;
        self.logs.draw_curve(&self.folder)?;
        Ok(true)
    }

    /// Lets a quick player play the evaluation's games, whose mean stands beside the evaluations,
    /// unless it plays for longer than they may or `stop` was set.
    pub fn compare_with(&mut self, name: &'static str, player: &mut dyn Player<G>, stop: &AtomicBool) -> Result<()> {
        let whole = &self.config.run.evaluation;
        let moves = if whole.moves == 0 { LONGEST } else { whole.moves.min(LONGEST) };
        let games = whole.games.min(MOST_GAMES);
        let evaluated = evaluated(player, &self.rules, &Evaluation { moves, games, ..whole.clone() }, stop)?;
        if let Some(evaluated) = evaluated.filter(|evaluated| evaluated.cut == 0 || moves == whole.moves) {
            self.logs.references.push(Reference { name, mean: evaluated.mean() });
        }
        Ok(())
    }

    /// Writes agent and checkpoint, each atomically.
    pub fn save(&mut self) -> Result<()> {
        self.logs.flush()?;
        self.learner.report(&mut self.metrics)?;
        save(&self.folder, &self.config, &self.record, &self.metrics, &self.learner)
    }

    /// Steps so far.
    pub fn step(&self) -> u64 {
        self.learner.step()
    }

    /// Steps of the whole training.
    pub fn steps(&self) -> u64 {
        self.config.learner.steps()
    }

    /// Name of the steps: `generations`.
    pub fn unit(&self) -> &'static str {
        L::Config::unit()
    }

    /// Steps so far with their name: `1 generation`.
    pub fn done(&self) -> String {
        counted(self.step(), self.unit())
    }
}

/// Count with its unit; `unit` is a plural.
fn counted(count: u64, unit: &str) -> String {
    match (count, unit.strip_suffix("ies"), unit.strip_suffix('s')) {
        (1, Some(stem), _) => format!("1 {stem}y"),
        (1, None, Some(one)) => format!("1 {one}"),
        _ => format!("{count} {unit}"),
    }
}

/// Most moves and games of a player beside the evaluations.
const LONGEST: u64 = 2_000;
const MOST_GAMES: u64 = 1_000;

/// A checkpoint's configuration, lengthened by `--set`.
///
/// Only the number of steps may be set, and only if the steps already done stay the same.
fn lengthened<G: Measured, L: Learner<G>>(
    before: &TrainConfig<L::Config>,
    checkpoint: &Checkpoint,
    sets: &[String],
) -> Result<TrainConfig<L::Config>> {
    let key = L::Config::STEPS;
    for text in sets {
        if key_and_value(text)?.0 != key {
            return Err(Error::user(format!(
                "--set {text}: a run that is resumed keeps its configuration; only {key}=N can be set, which makes it longer"
            )));
        }
    }
    let (config, _) = checkpoint.source(sets)?.resolve::<G, L>()?;
    if config != *before {
        config.learner.check_lengthening().map_err(|why| {
            Error::user(format!(
                "--set {key}: the length of this run cannot be changed: {why}; start a new run instead"
            ))
        })?;
    }
    Ok(config)
}

fn save<G: Measured, L: Learner<G>>(
    folder: &RunFolder,
    config: &TrainConfig<L::Config>,
    record: &Record,
    metrics: &Metrics,
    learner: &L,
) -> Result<()> {
    let state = State { record: record.clone(), metrics: metrics.clone(), learner: learner.save()? };
    learner.agent()?.save(&folder.last_agent())?;
    checkpoint::save(&folder.last(), config.to_toml()?, &state)
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_step_is_named_as_one() {
        assert_eq!(
            ["steps", "generations", "policies"].map(|unit| counted(1, unit)),
            ["1 step", "1 generation", "1 policy"]
        );
        assert_eq!([counted(0, "sweeps"), counted(12, "policies")], ["0 sweeps", "12 policies"]);
    }
}
