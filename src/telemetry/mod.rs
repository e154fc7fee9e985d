//! What a run tells: named scalars for programs (CSV) and for TensorBoard, a progress bar for people.

pub mod csv;
mod pace;
pub mod progress;
mod records;
pub mod tensorboard;

pub use csv::CsvLog;
pub use progress::{Progress, Status};
pub use tensorboard::EventLog;

use crate::error::Result;

/// Takes named scalars at a step.
pub trait Sink {
    /// Writes the values of one step. Steps do not decrease.
    ///
    /// # Errors
    /// When the values cannot be written.
    fn scalars(&mut self, step: u64, values: &[(&'static str, f64)]) -> Result<()>;

    /// Returns once all that was written is on the disk: a checkpoint made after this can rely on it.
    ///
    /// # Errors
    /// When the disk refuses.
    fn flush(&mut self) -> Result<()>;
}
