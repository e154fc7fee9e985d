//! Reading a board of gems from a picture.
//!
//! [`find`] finds the [`Field`] in a [`Picture`], [`read`] reads its cells by a [`Theme`],
//! [`overlay`] draws the reading. Columns, rows and letters are the theme's; the only rule of the
//! game in use is that no three gems lie in line at rest.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

use matchq_core::{error, files};

mod cell;
mod colour;
mod decode;
mod field;
mod fold;
mod moves;
mod overlay;
mod picture;
mod read;
mod sums;
mod teach;
mod theme;

pub use decode::{LONGEST, MOST_PIXELS};
pub use field::{Field, find};
pub use moves::moves;
pub use overlay::{mark, overlay};
pub use picture::Picture;
pub use read::{Cell, Reading, SURE, UNKNOWN, read, read_best, read_field, read_games};
pub use teach::{Lesson, teach};
pub use theme::{NAMES, SIZES, Theme};
