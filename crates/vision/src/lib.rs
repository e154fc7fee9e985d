//! Reading a board of gems from a picture of it.
//!
//! [`Picture`] holds the pixels, [`find`] its field, [`Theme`] what each gem looks like, [`read`] the cells and
//! [`overlay`] what was seen. It knows no game, but that gems do not lie in line by threes:
//! columns, rows and letters come from the theme.

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
