//! Players of learned weights: linear values of positions, and weighted features of actions.

mod linear;
mod value;
mod weights_file;

pub(crate) use linear::numbers;
pub use linear::{LOST, Linear, Selection, places};
pub use value::{LinearValue, ValueModel, ValuePlayer};
