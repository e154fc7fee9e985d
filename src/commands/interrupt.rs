//! Ctrl-C: once for an orderly end, again to exit at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::report::output::tell;

/// Time within which a repeated signal counts as one.
const AGAIN: Duration = Duration::from_secs(1);

/// Asks for an end, with a sentence for the user; a later ask ends the process.
pub fn ask(stop: &AtomicBool, first: &OnceLock<Instant>, told: &str) {
    let first = first.get_or_init(Instant::now);
    if !stop.swap(true, Ordering::Relaxed) {
        tell(told);
    } else if first.elapsed() > AGAIN {
        // Some programs send a signal both to a process and to its group.
        std::process::exit(130);
    }
}

/// Calls a function at each Ctrl-C; the first call of a process counts.
pub fn catch(ask: impl FnMut() + Send + 'static) -> Result<()> {
    match ctrlc::set_handler(ask) {
        // A handler is enough for several trainings in a process.
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(Error::runtime(format!("Ctrl-C cannot be caught: {error}"))),
    }
}
