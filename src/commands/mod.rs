//! The subcommands, one file each.

pub mod advise;
pub mod compare;
pub mod eval;
pub mod play;
pub mod replay;
mod series;
pub mod train;

use std::io::{self, Write};

use crate::cli::Compute;
use crate::error::{Error, Result};
use crate::games::match3::Rules;
use crate::network::device::{self, Device};

/// Sets the number of threads and opens the device that the user asked for.
///
/// # Errors
/// When the device does not exist, is not compiled in or not present, or the threads cannot be started.
fn compute(compute: &Compute) -> Result<Device> {
    threads(compute.threads)?;
    Ok(device::select(compute.device.as_deref())?.1)
}

/// Sets the number of threads.
///
/// # Errors
/// When the threads cannot be started.
fn threads(threads: Option<u32>) -> Result<()> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads as usize)
        .build_global()
        .map_err(|error| Error::runtime(format!("--threads {threads}: they cannot be started: {error}")))
}

/// The rules with a number of obstacle kinds.
///
/// # Errors
/// When there are none with so many.
fn rules(obstacle_kinds: u32) -> Result<Rules> {
    Rules::new(obstacle_kinds).map_err(|error| Error::user(format!("--obstacle-kinds: {error}")))
}

/// Writes to standard output; a reader that has gone away is no failure.
///
/// # Errors
/// When it cannot be written for another reason.
fn print(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::runtime(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}
