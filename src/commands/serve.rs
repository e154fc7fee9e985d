//! `matchq serve`: the page with trainings.

use crate::cli::Serve;
use crate::error::{Error, Result};
use crate::serve;

/// Serves the page until Ctrl-C.
pub fn run(arguments: &Serve) -> Result<()> {
    if !(0.01..=100.0).contains(&arguments.pace) {
        return Err(Error::user(format!("--pace {}: it must be from 0.01 to 100 moves a second", arguments.pace)));
    }
    serve::run(arguments)
}
