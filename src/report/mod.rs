//! Output: progress, tables, CSV, TensorBoard, charts.

pub mod columns;
pub mod progress;

pub use matchq_learners::report::{CsvLog, EventLog, csv, plot, run_view, tensorboard};
