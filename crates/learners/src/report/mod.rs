//! Logs of runs as files, runs read from their folders, and charts as files.

pub mod csv;
pub mod plot;
mod records;
pub mod run_view;
pub mod tensorboard;

use std::io;
use std::path::Path;

use crate::error::Error;
pub use csv::CsvLog;
pub use tensorboard::EventLog;

fn exists_already(path: &Path) -> Error {
    Error::user(format!("{} exists already; resume its run or give the new run another name", path.display()))
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::runtime(format!("{} cannot be written: {error}", path.display()))
}
