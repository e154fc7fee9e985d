//! Evaluation: series of seeded games, and statistics of their scores.

mod comparison;
mod endurance;
mod figures;
mod games;
pub mod luck;
mod report;
pub mod splitting;

pub use comparison::{Comparison, Saved};
pub use endurance::{Endurance, Extent, Sequence, endure, levels};
pub use figures::{Difference, Figures};
pub use games::{Moves, PlayedGame, deal, play_bounded, play_scores, play_series, replay, tie_stream};
pub use matchq_core::statistics::histogram::{self, Histogram};
pub use matchq_core::statistics::{self, Ratio, Summary, exponential};
pub use report::{Given, Moves as JsonMoves, Report, rules_json, rules_of};
