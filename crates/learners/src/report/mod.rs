//! Logs of runs as files, runs read from their folders, and charts as files.

pub mod csv;
pub mod plot;
mod records;
pub mod run_view;
pub mod tensorboard;

pub use csv::CsvLog;
pub use tensorboard::EventLog;
