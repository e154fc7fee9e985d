//! Output: progress, tables, CSV, TensorBoard, charts, animations.

pub mod columns;
pub mod csv;
pub mod plot;
pub mod progress;
mod records;
pub mod run_view;
pub mod tensorboard;

pub use csv::CsvLog;
pub use progress::Progress;
pub use tensorboard::EventLog;
