//! Evaluation: series of seeded games, and statistics of their scores.

mod comparison;
mod endurance;
pub mod exponential;
mod figures;
mod games;
/// Histograms of scores.
pub mod histogram;
pub mod luck;
mod report;
pub mod splitting;
/// Means, quantiles and intervals of scores.
pub mod statistics;

pub use comparison::{Comparison, Saved};
pub use endurance::{Endurance, Extent, Sequence, endure, levels};
pub use figures::{Difference, Figures};
pub use games::{Moves, PlayedGame, deal, play_bounded, play_scores, play_series, replay, tie_stream};
pub use histogram::Histogram;
pub use report::{Given, Moves as JsonMoves, Report, rules_json, rules_of};
pub use statistics::{Ratio, Summary};
