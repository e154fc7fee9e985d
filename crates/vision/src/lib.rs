//! Reading a board of gems from a picture.
//!
//! [`Picture`] holds the pixels; [`find`] finds the [`Field`], [`read`] reads its cells by a
//! [`Theme`], [`overlay`] draws what was read. Columns, rows and letters come from the theme; of
//! the game only one rule is used: at rest, no three gems lie in line.

use matchq_core::{error, files};

mod cell;
mod colour;
mod field;
mod fold;
mod overlay;
mod picture;
mod read;
mod sums;
mod theme;

pub use field::{Field, find};
pub use overlay::{mark, overlay};
pub use picture::{LONGEST, MOST_PIXELS, Picture};
pub use read::{Cell, Reading, SURE, UNKNOWN, read, read_best, read_field, teach};
pub use theme::{NAMES, SIZES, Theme};
