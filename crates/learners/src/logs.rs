//! Logs of a run: CSV files, TensorBoard events, the progress shown.

use std::collections::HashMap;

use matchq_core::clock::Instant;

use super::checkpoint::Record;
use super::folder::RunFolder;
use super::metrics::Metrics;
use super::progress::{Length, Progress};
use super::{Learner, LearnerConfig};
use crate::error::Result;
use crate::eval::Summary;
use crate::files;
use crate::players::Measured;
use crate::report::plot::{self, CurvePoint, CurveTexts, Reference};
use crate::report::run_view::REFERENCES;
use crate::report::{CsvLog, EventLog};

/// Columns of `evaluations.csv` after step and counters.
const EVALUATION: &[&str] = &[
    "seconds",
    "mean",
    "half_width",
    "luck_adjusted",
    "luck_adjusted_half_width",
    "standard_deviation",
    "min",
    "median",
    "max",
    "best",
    "games",
    "cut",
];

fn training_columns<G: Measured, L: Learner<G>>() -> Vec<&'static str> {
    [L::COUNTERS, &["seconds"], &L::columns(), &["steps_per_second"]].concat()
}

fn evaluation_columns<G: Measured, L: Learner<G>>() -> Vec<&'static str> {
    [L::COUNTERS, EVALUATION].concat()
}

/// Logs of a run.
pub struct Logs {
    training: CsvLog,
    evaluations: CsvLog,
    events: EventLog,
    progress: Box<dyn Progress>,
    unit: &'static str,
    counters: &'static [&'static str],
    shown: &'static [&'static str],
    began: Instant,
    /// Seconds and step at the start of this process.
    seconds_before: f64,
    step_before: u64,
    /// Players in the curve beside the evaluations.
    references: Vec<Reference>,
}

impl Logs {
    /// Logs of a new run.
    pub fn create<G: Measured, L: Learner<G>>(
        folder: &RunFolder,
        config: &L::Config,
        progress: impl FnOnce(Length) -> Box<dyn Progress>,
    ) -> Result<Self> {
        let path = folder.path();
        let training = CsvLog::create(&path.join("train.csv"), &training_columns::<G, L>())?;
        let evaluations = CsvLog::create(&path.join("evaluations.csv"), &evaluation_columns::<G, L>())?;
        let events = EventLog::create(&path.join("tensorboard"))?;
        Self::new::<G, L>(training, evaluations, events, 0, config, progress)
    }

    /// Logs of a resumed run, without rows after `step`, nor its evaluation where that is due.
    pub fn resume<G: Measured, L: Learner<G>>(
        folder: &RunFolder,
        step: u64,
        evaluation_is_due: bool,
        config: &L::Config,
        progress: impl FnOnce(Length) -> Box<dyn Progress>,
    ) -> Result<Self> {
        let path = folder.path();
        let training = CsvLog::resume(&path.join("train.csv"), &training_columns::<G, L>(), step)?;
        let evaluations = CsvLog::resume(
            &path.join("evaluations.csv"),
            &evaluation_columns::<G, L>(),
            step - u64::from(evaluation_is_due),
        )?;
        let events = EventLog::resume(&path.join("tensorboard"), step)?;
        Self::new::<G, L>(training, evaluations, events, step, config, progress)
    }

    fn new<G: Measured, L: Learner<G>>(
        training: CsvLog,
        evaluations: CsvLog,
        events: EventLog,
        step: u64,
        config: &L::Config,
        progress: impl FnOnce(Length) -> Box<dyn Progress>,
    ) -> Result<Self> {
        let seconds_before = training.column("seconds")?.last().map_or(0.0, |(_, seconds)| *seconds);
        let length = Length { unit: L::Config::unit(), steps: config.steps(), done: step, quick: config.quick_steps() };
        Ok(Self {
            training,
            evaluations,
            events,
            unit: length.unit,
            progress: progress(length),
            counters: L::COUNTERS,
            shown: L::SHOWN,
            began: Instant::now(),
            seconds_before,
            step_before: step,
            references: Vec::new(),
        })
    }

    /// Shows the progress.
    pub fn progress(&mut self, step: u64, metrics: &Metrics, record: &Record) {
        let mut shown: Vec<(&str, f64)> =
            self.shown.iter().filter_map(|name| Some((*name, metrics.get(name)?))).collect();
        shown.extend(record.evaluation.map(|(_, mean)| ("evaluation", mean)));
        shown.extend(record.best.map(|best| ("best evaluation", best)));
        self.progress.update(step, &shown);
        if record.evaluation.is_some_and(|(at, _)| at == step) {
            self.progress.line();
        }
    }

    /// Writes a row of the training log.
    pub fn training(&mut self, step: u64, metrics: &Metrics) -> Result<()> {
        let elapsed = self.began.elapsed().as_secs_f64();
        let mut values = vec![
            ("seconds", self.seconds_before + elapsed),
            ("steps_per_second", (step - self.step_before) as f64 / elapsed),
        ];
        values.extend(metrics.values());
        self.training.scalars(step, &values)?;
        self.events("train", step, &values)
    }

    /// Writes a row of the evaluation log.
    pub fn evaluation(
        &mut self,
        step: u64,
        summary: &Summary,
        luck_adjusted: Option<&Summary>,
        cut: usize,
        metrics: &Metrics,
        best: Option<f64>,
    ) -> Result<()> {
        let mut values: Vec<(&str, f64)> =
            self.counters.iter().filter_map(|name| Some((*name, metrics.get(name)?))).collect();
        values.extend([
            ("seconds", self.seconds_before + self.began.elapsed().as_secs_f64()),
            ("mean", summary.mean),
            ("min", summary.min),
            ("median", summary.median),
            ("max", summary.max),
            ("games", summary.n as f64),
            ("cut", cut as f64),
        ]);
        let optional = [
            ("half_width", summary.half_width),
            ("luck_adjusted", luck_adjusted.map(|scores| scores.mean)),
            ("luck_adjusted_half_width", luck_adjusted.and_then(|scores| scores.half_width)),
            ("standard_deviation", summary.standard_deviation),
            ("best", best),
        ];
        values.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?))));
        self.evaluations.scalars(step, &values)?;
        self.events("evaluation", step, &values)
    }

    /// Waits until everything is on disk.
    pub fn flush(&mut self) -> Result<()> {
        self.training.flush()?;
        self.evaluations.flush()?;
        self.events.flush()
    }

    /// Draws the evaluations, if any, and the players beside them as `curve.svg`.
    pub fn draw_curve(&self, folder: &RunFolder) -> Result<()> {
        let (mut means, mut widths) = (self.evaluations.column("luck_adjusted")?, "luck_adjusted_half_width");
        let mut what = "luck-adjusted score";
        if means.is_empty() {
            (means, widths, what) = (self.evaluations.column("mean")?, "half_width", "score");
        }
        if means.is_empty() {
            return Ok(());
        }
        let widths: HashMap<u64, f64> = self.evaluations.column(widths)?.into_iter().collect();
        let point = |(step, mean)| CurvePoint { step, mean, half_width: widths.get(&step).copied() };
        let points: Vec<CurvePoint> = means.into_iter().map(point).collect();
        let references = self.references.iter().map(|Reference { name, mean }| format!("{name},{mean}\n"));
        let references: String = std::iter::once("player,mean\n".to_owned()).chain(references).collect();
        files::write_atomically(&folder.path().join(REFERENCES), references.as_bytes())?;
        let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
        let texts = CurveTexts { name: &name, unit: self.unit, what };
        let curve = plot::curve(texts, &points, &self.references);
        plot::save(&folder.path().join("curve.svg"), curve, "no evaluation yet")
    }

    /// Adds a player to the curve.
    pub fn compare_with(&mut self, player: Reference) {
        self.references.push(player);
    }

    /// Players in the curve beside the evaluations.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Shows a line of text.
    pub fn message(&self, line: &str) {
        self.progress.message(line);
    }

    /// Ends the showing of the progress.
    pub fn finish(&self) {
        self.progress.finish();
    }

    fn events(&mut self, group: &str, step: u64, values: &[(&str, f64)]) -> Result<()> {
        let tags: Vec<String> = values.iter().map(|(name, _)| format!("{group}/{name}")).collect();
        let values: Vec<(&str, f64)> =
            tags.iter().map(String::as_str).zip(values.iter().map(|(_, value)| *value)).collect();
        self.events.scalars(step, &values)
    }
}
