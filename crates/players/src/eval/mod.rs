//! Evaluation: series of seeded games, and statistics of their scores.

mod endurance;
pub mod exponential;
mod figures;
mod games;
pub mod histogram;
pub mod luck;
pub mod splitting;
pub mod statistics;

pub use endurance::{Endurance, Extent, Sequence, endure, levels};
pub use figures::{Difference, Figures};
pub use games::{Moves, PlayedGame, deal, play_bounded, play_scores, play_series, replay, tie_stream};
pub use histogram::Histogram;
pub use statistics::{Ratio, Summary};
