//! Output: progress, tables, standard output; CSV, TensorBoard and charts of the learners.

pub mod columns;
pub mod output;
pub mod progress;

pub use matchq_learners::report::{CsvLog, EventLog, csv, plot, run_view, tensorboard};
