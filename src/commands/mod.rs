//! The subcommands, one file each.

pub mod eval;
pub mod replay;
pub mod train;

use burn::tensor::Device;

use crate::cli::Compute;
use crate::error::{Error, Result};
use crate::network::device;

/// Sets the number of threads and opens the device that the user asked for.
///
/// # Errors
/// When the device does not exist, is not compiled in or not present, or the threads cannot be started.
fn compute(compute: &Compute) -> Result<Device> {
    if let Some(threads) = compute.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads as usize)
            .build_global()
            .map_err(|error| Error::runtime(format!("--threads {threads}: they cannot be started: {error}")))?;
    }
    Ok(device::select(compute.device.as_deref())?.1)
}
