//! Logs of a run: CSV files, TensorBoard events, the progress shown.

use matchq_core::clock::{self, Instant};

use super::checkpoint::Record;
use super::evaluation::Evaluated;
use super::folder::RunFolder;
use super::metrics::Metrics;
use super::progress::{Length, Progress};
use super::{Learner, LearnerConfig};
use crate::error::{Error, Result};
use crate::files;
use crate::players::Measured;
use crate::report::plot::{self, CurvePoint, CurveTexts, Reference};
use crate::report::run_view::{REFERENCES, Rows};
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

/// What a learner logs.
pub struct Logged {
    counters: &'static [&'static str],
    shown: &'static [&'static str],
    columns: Vec<&'static str>,
    length: Length,
}

impl Logged {
    /// What a learner logs with a configuration.
    pub fn of<G: Measured, L: Learner<G>>(config: &L::Config) -> Self {
        let length = Length { unit: L::Config::unit(), steps: config.steps(), done: 0, quick: config.quick_steps() };
        Self { counters: L::COUNTERS, shown: L::SHOWN, columns: L::columns(), length }
    }

    fn training_columns(&self) -> Vec<&'static str> {
        [self.counters, &["seconds"], &self.columns, &["steps_per_second"]].concat()
    }

    fn evaluation_columns(&self) -> Vec<&'static str> {
        [self.counters, EVALUATION].concat()
    }
}

/// Logs of a run.
pub struct Logs {
    training: CsvLog,
    evaluations: CsvLog,
    /// TensorBoard's events have times of a clock.
    events: Option<EventLog>,
    /// Display of the progress.
    pub progress: Box<dyn Progress>,
    logged: Logged,
    began: Instant,
    /// Seconds and step at the start of this process.
    seconds_before: f64,
    step_before: u64,
    /// Players in the curve beside the evaluations.
    pub references: Vec<Reference>,
}

impl Logs {
    /// Logs of a new run.
    pub fn create(
        folder: &RunFolder,
        logged: Logged,
        progress: impl FnOnce(Length) -> Box<dyn Progress>,
    ) -> Result<Self> {
        let path = folder.path();
        Ok(Self {
            training: CsvLog::create(&path.join("train.csv"), &logged.training_columns())?,
            evaluations: CsvLog::create(&path.join("evaluations.csv"), &logged.evaluation_columns())?,
            events: clock::IS_THERE.then(|| EventLog::create(&path.join("tensorboard"))).transpose()?,
            progress: progress(logged.length),
            logged,
            began: Instant::now(),
            seconds_before: 0.0,
            step_before: 0,
            references: Vec::new(),
        })
    }

    /// Logs of a resumed run, without rows after `step`, nor its evaluation where that is due.
    pub fn resume(
        folder: &RunFolder,
        step: u64,
        evaluation_is_due: bool,
        logged: Logged,
        progress: impl FnOnce(Length) -> Box<dyn Progress>,
    ) -> Result<Self> {
        let path = folder.path();
        let (training, evaluations) = (path.join("train.csv"), path.join("evaluations.csv"));
        let evaluated = step - u64::from(evaluation_is_due);
        Ok(Self {
            training: CsvLog::resume(&training, &logged.training_columns(), step)?,
            evaluations: CsvLog::resume(&evaluations, &logged.evaluation_columns(), evaluated)?,
            events: clock::IS_THERE.then(|| EventLog::resume(&path.join("tensorboard"), step)).transpose()?,
            progress: progress(Length { done: step, ..logged.length }),
            logged,
            began: Instant::now(),
            seconds_before: Rows::read_end(&training)?.last("seconds").unwrap_or(0.0),
            step_before: step,
            references: Vec::new(),
        })
    }

    /// Shows the progress.
    pub fn show(&mut self, step: u64, metrics: &Metrics, record: &Record) {
        let mut shown = metrics.named(self.logged.shown);
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
    pub(super) fn evaluation(
        &mut self,
        step: u64,
        evaluated: &Evaluated,
        metrics: &Metrics,
        best: Option<f64>,
    ) -> Result<()> {
        let Evaluated { summary, luck_adjusted, cut } = evaluated;
        let mut values = metrics.named(self.logged.counters);
        values.extend([
            ("seconds", self.seconds_before + self.began.elapsed().as_secs_f64()),
            ("mean", summary.mean),
            ("min", summary.min),
            ("median", summary.median),
            ("max", summary.max),
            ("games", summary.n as f64),
            ("cut", *cut as f64),
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
        self.events.as_mut().map_or(Ok(()), EventLog::flush)
    }

    /// Draws the evaluations, if any, and the players beside them as `curve.svg`.
    pub fn draw_curve(&self, folder: &RunFolder) -> Result<()> {
        let evaluations = Rows::read(&folder.path().join("evaluations.csv"));
        let evaluations = evaluations.map_err(|error| Error::runtime(error.to_string()))?;
        let (means, widths, what) = evaluations.scores();
        let point = |row: &Vec<Option<f64>>| {
            let cell = |column| evaluations.cell(row, column);
            Some(CurvePoint { step: cell("step")? as u64, mean: cell(means)?, half_width: cell(widths) })
        };
        let points: Vec<CurvePoint> = evaluations.rows.iter().filter_map(point).collect();
        if points.is_empty() {
            return Ok(());
        }
        let references = self.references.iter().map(|Reference { name, mean }| format!("{name},{mean}\n"));
        let references: String = std::iter::once("player,mean\n".to_owned()).chain(references).collect();
        files::write_atomically(&folder.path().join(REFERENCES), references.as_bytes())?;
        let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
        let texts = CurveTexts { name: &name, unit: self.logged.length.unit, what };
        let curve = plot::curve(texts, &points, &self.references);
        plot::save(&folder.path().join("curve.svg"), curve, "no evaluation yet")
    }

    fn events(&mut self, group: &str, step: u64, values: &[(&str, f64)]) -> Result<()> {
        let Some(events) = &mut self.events else { return Ok(()) };
        let tags: Vec<String> = values.iter().map(|(name, _)| format!("{group}/{name}")).collect();
        let values: Vec<(&str, f64)> =
            tags.iter().map(String::as_str).zip(values.iter().map(|(_, value)| *value)).collect();
        events.scalars(step, &values)
    }
}
