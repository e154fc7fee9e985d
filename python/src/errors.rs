//! matchq's errors as Python's exceptions, with the same sentences.

use std::any::Any;
use std::fs::File;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use matchq_players::BEST;
use matchq_players::error::Error;
use pyo3::exceptions::{PyFileNotFoundError, PyPermissionError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// A `ValueError` for what the user gave, a `RuntimeError` for what failed while running.
pub fn exception(error: Error) -> PyErr {
    match error {
        Error::User(sentence) => PyValueError::new_err(sentence),
        Error::Runtime(sentence) => PyRuntimeError::new_err(sentence),
    }
}

/// Exception of an agent that cannot be read, Python's own for a missing or forbidden file.
pub fn of_file(error: Error, path: &Path) -> PyErr {
    let (sentence, missing) = (error.to_string(), format!("{} is not there", path.display()));
    let file = if path.is_dir() { path.join(BEST) } else { path.to_owned() };
    match File::open(file).map_err(|error| error.kind()) {
        Err(ErrorKind::PermissionDenied) => PyPermissionError::new_err(sentence),
        Err(ErrorKind::NotFound) if path.is_dir() || sentence.starts_with(&missing) => {
            PyFileNotFoundError::new_err(sentence)
        }
        _ => exception(error),
    }
}

/// Does some work; a panic, which is a mistake of matchq, becomes a `RuntimeError`.
pub fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(panic.as_ref())))
}

/// [`caught`] without Python's lock.
pub fn unlocked<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    py.detach(|| caught(work))
}

/// Whether this process, or the one it was forked from, has used threads.
static USED: AtomicBool = AtomicBool::new(false);
/// Whether this process lacks the threads, since it was forked after their first use.
static FORKED: AtomicBool = AtomicBool::new(false);

/// [`unlocked`] work on the thread pool, which a forked process lacks: there the work is an error.
pub fn on_threads<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(PyRuntimeError::new_err(
            "this process was forked from one that had used matchq's threads, which it lacks: start processes by \
             \"spawn\" or \"forkserver\", or fork before agents and 65 games or more are used",
        ));
    }
    USED.store(true, Ordering::Relaxed);
    unlocked(py, work)
}

/// To be called in a forked process.
#[pyfunction]
pub fn after_fork() {
    FORKED.store(USED.load(Ordering::Relaxed), Ordering::Relaxed);
}

fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    let message = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("matchq failed by a mistake of its own: {}", message.unwrap_or("no message")))
}
