//! Output: progress, tables, CSV, TensorBoard, charts, animations.

pub mod animation;
pub mod columns;
pub mod csv;
pub mod landed;
pub mod plot;
pub mod progress;
mod records;
mod svg;
pub mod tensorboard;

pub use csv::CsvLog;
pub use progress::Progress;
pub use tensorboard::EventLog;
