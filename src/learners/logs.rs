//! What a training tells: two CSV files, TensorBoard events, and the progress bar.

use std::collections::HashMap;
use std::time::Instant;

use super::checkpoint::Meters;
use super::folder::RunFolder;
use crate::error::Result;
use crate::eval::Summary;
use crate::report::plot::{self, CurvePoint};
use crate::report::{CsvLog, EventLog, Progress};

/// Columns of `train.csv`; `docs/dqn.md` explains each.
const TRAINING: [&str; 14] = [
    "updates",
    "seconds",
    "epsilon",
    "learning_rate",
    "replay",
    "loss",
    "value",
    "error",
    "gradient_norm",
    "plan_loss",
    "wave_loss",
    "games",
    "score",
    "steps_per_second",
];

/// Columns of `evaluations.csv`.
const EVALUATION: [&str; 10] =
    ["updates", "seconds", "mean", "half_width", "standard_deviation", "min", "median", "max", "best", "games"];

/// The sinks of one run.
pub struct Logs {
    training: CsvLog,
    evaluations: CsvLog,
    events: EventLog,
    progress: Progress,
    began: Instant,
    /// Seconds and step at which this process took the run up.
    seconds_before: f64,
    step_before: u64,
}

impl Logs {
    /// The logs of a new run.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn create(folder: &RunFolder, steps: u64, quiet: bool) -> Result<Self> {
        let path = folder.path();
        Ok(Self {
            training: CsvLog::create(&path.join("train.csv"), &TRAINING)?,
            evaluations: CsvLog::create(&path.join("evaluations.csv"), &EVALUATION)?,
            events: EventLog::create(&path.join("tensorboard"))?,
            progress: Progress::new(steps, 0, quiet),
            began: Instant::now(),
            seconds_before: 0.0,
            step_before: 0,
        })
    }

    /// The logs of a run as they were at a step: what was written after it is taken back.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn resume(folder: &RunFolder, step: u64, steps: u64, quiet: bool) -> Result<Self> {
        let path = folder.path();
        let training = CsvLog::resume(&path.join("train.csv"), &TRAINING, step)?;
        let seconds_before = training.column("seconds")?.last().map_or(0.0, |(_, seconds)| *seconds);
        Ok(Self {
            training,
            evaluations: CsvLog::resume(&path.join("evaluations.csv"), &EVALUATION, step)?,
            events: EventLog::resume(&path.join("tensorboard"), step)?,
            progress: Progress::new(steps, step, quiet),
            began: Instant::now(),
            seconds_before,
            step_before: step,
        })
    }

    /// Moves the progress bar.
    pub fn progress(&mut self, step: u64, updates: u64, epsilon: f64, meters: &Meters) {
        let mean = meters.evaluation.map(|(_, mean)| mean);
        let optional = [("loss", meters.loss()), ("evaluation", mean), ("best", meters.best)];
        let mut metrics = vec![("updates", updates as f64), ("epsilon", epsilon)];
        metrics.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?))));
        self.progress.update(step, &metrics);
        if meters.evaluation.is_some_and(|(at, _)| at == step) {
            self.progress.line();
        }
    }

    /// Writes a row of the training log.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn training(
        &mut self,
        step: u64,
        updates: u64,
        epsilon: f64,
        learning_rate: f64,
        replay: usize,
        meters: &Meters,
    ) -> Result<()> {
        let elapsed = self.began.elapsed().as_secs_f64();
        let mut values = vec![
            ("train/updates", updates as f64),
            ("train/seconds", self.seconds_before + elapsed),
            ("train/steps_per_second", (step - self.step_before) as f64 / elapsed),
            ("train/epsilon", epsilon),
            ("train/learning_rate", learning_rate),
            ("train/replay", replay as f64),
        ];
        values.extend(meters.means());
        self.training.scalars(step, &columns(&values))?;
        self.events.scalars(step, &values)
    }

    /// Writes a row of the evaluation log.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn evaluation(&mut self, step: u64, updates: u64, summary: &Summary, meters: &Meters) -> Result<()> {
        let seconds = self.seconds_before + self.began.elapsed().as_secs_f64();
        let optional = [
            ("evaluation/half_width", summary.half_width),
            ("evaluation/standard_deviation", summary.standard_deviation),
            ("evaluation/best", meters.best),
        ];
        let mut values = vec![
            ("evaluation/updates", updates as f64),
            ("evaluation/seconds", seconds),
            ("evaluation/mean", summary.mean),
            ("evaluation/min", summary.min),
            ("evaluation/median", summary.median),
            ("evaluation/max", summary.max),
            ("evaluation/games", summary.n as f64),
        ];
        values.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?))));
        self.evaluations.scalars(step, &columns(&values))?;
        self.events.scalars(step, &values)
    }

    /// Waits until all is on the disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn flush(&mut self) -> Result<()> {
        self.training.flush()?;
        self.evaluations.flush()?;
        self.events.flush()
    }

    /// Draws the evaluations so far as `curve.svg` in the run's folder; nothing before the first.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn draw_curve(&self, folder: &RunFolder) -> Result<()> {
        let means = self.evaluations.column("mean")?;
        if means.is_empty() {
            return Ok(());
        }
        let widths: HashMap<u64, f64> = self.evaluations.column("half_width")?.into_iter().collect();
        let point = |(step, mean)| CurvePoint { step, mean, half_width: widths.get(&step).copied() };
        let points: Vec<CurvePoint> = means.into_iter().map(point).collect();
        let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
        plot::curve(&folder.path().join("curve.svg"), &format!("{name}: greedy evaluation in training"), &points)
    }

    /// Prints a line beside the bar.
    pub fn message(&self, line: &str) {
        self.progress.message(line);
    }

    /// Leaves the bar as it stands.
    pub fn finish(&self) {
        self.progress.finish();
    }
}

/// TensorBoard's tags without their group, as the CSV columns are called.
fn columns(values: &[(&'static str, f64)]) -> Vec<(&'static str, f64)> {
    values.iter().map(|(tag, value)| (tag.rsplit('/').next().unwrap_or(tag), *value)).collect()
}
