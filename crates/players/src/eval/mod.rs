//! Evaluation: a fixed set of seeded games, and what their scores say.

mod endurance;
pub mod exponential;
mod figures;
mod games;
pub mod histogram;
pub mod luck;
pub mod splitting;
pub mod statistics;

pub use endurance::{Endurance, Extent, Seat, endure, levels};
pub use figures::{Difference, Figures};
pub use games::{Moves, PlayedGame, deal, play_bounded, play_series, tie_stream};
pub use histogram::Histogram;
pub use statistics::{Ratio, Summary};
