//! What a run or a comparison shows.
//!
//! That is progress, tables, CSV, TensorBoard, pictures, a moving picture of a game.

pub mod animation;
pub mod columns;
pub mod csv;
pub mod plot;
pub mod progress;
mod records;
mod svg;
pub mod tensorboard;

pub use csv::CsvLog;
pub use progress::Progress;
pub use tensorboard::EventLog;
