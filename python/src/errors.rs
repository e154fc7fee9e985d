//! matchq's errors as Python's exceptions, with the same sentences.

use std::any::Any;
use std::fs::File;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError, mpsc};
use std::time::Duration;

use matchq_players::BEST;
use matchq_players::error::Error;
use matchq_players::stop;
use pyo3::exceptions::{PyFileNotFoundError, PyPermissionError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::ThreadPool;

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

/// Threads of this process, made at their first use and never ended. An atomic pointer in place of a
/// lock, which a fork could leave locked for ever.
static POOL: AtomicPtr<ThreadPool> = AtomicPtr::new(ptr::null_mut());

fn pool() -> PyResult<&'static ThreadPool> {
    let known = POOL.load(Ordering::Acquire);
    if !known.is_null() {
        // SAFETY: the pointer is of a pool that was leaked below.
        return Ok(unsafe { &*known });
    }
    let made = rayon::ThreadPoolBuilder::new()
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("threads cannot be started: {error}")))?;
    let made: &'static ThreadPool = Box::leak(Box::new(made));
    // Another thread may have been first; its pool is as good.
    POOL.compare_exchange(ptr::null_mut(), ptr::from_ref(made).cast_mut(), Ordering::AcqRel, Ordering::Acquire).ok();
    Ok(made)
}

/// Work on the process's threads without Python's lock; Ctrl-C [stops](stop) it.
pub fn on_threads<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    watched(py, |_| Ok(()), work)
}

/// Work [on the process's threads](on_threads) on what a lock holds.
pub fn on_threads_with<S: Send, T: Send>(
    py: Python<'_>,
    state: &Mutex<S>,
    work: impl FnOnce(&mut S) -> PyResult<T> + Send,
) -> PyResult<T> {
    let mut held = locked(py, state)?;
    let state = &mut *held;
    on_threads(py, || work(state))
}

/// To be called in a forked process, which lacks its parent's threads: the next use makes others.
#[pyfunction]
pub fn after_fork() {
    POOL.store(ptr::null_mut(), Ordering::Release);
}

/// Time between two looks for signals, such as Ctrl-C, during long work.
const LOOK: Duration = Duration::from_millis(100);

/// Work [on the process's threads](on_threads) while `look` is called several times a second; its exception, like that of
/// a signal, stops the work.
pub fn watched<T: Send>(
    py: Python<'_>,
    mut look: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    let (flag, mut stopped) = (stop::Flag::default(), None);
    let (sender, mut receiver) = mpsc::channel();
    pool()?.in_place_scope(|scope| {
        let work = || caught(work);
        let of_work = flag.clone();
        scope.spawn(move |_| drop(sender.send(stop::under(Some(of_work), work))));
        loop {
            let receiver = &mut receiver;
            match py.detach(move || receiver.recv_timeout(LOOK)) {
                // What work that was stopped returns is nobody's.
                Ok(done) => return stopped.map_or(done, Err),
                Err(_) if stopped.is_some() => {}
                Err(_) => {
                    stopped = py.check_signals().and_then(|()| look(py)).err();
                    flag.store(stopped.is_some(), Ordering::Relaxed);
                }
            }
        }
    })
}

/// What a lock holds, once no other thread does.
///
/// The calling thread takes the lock: one of the pool's, which waits for others by doing other work, could come upon work
/// that wants the same lock. Python's lock is free meanwhile, since whoever holds the other may wait for it.
pub fn locked<'a, S>(py: Python<'_>, state: &'a Mutex<S>) -> PyResult<MutexGuard<'a, S>> {
    loop {
        match state.try_lock() {
            Ok(held) => return Ok(held),
            Err(TryLockError::Poisoned(held)) => return Ok(held.into_inner()),
            Err(TryLockError::WouldBlock) => {
                py.detach(|| std::thread::sleep(TURN));
                py.check_signals()?;
            }
        }
    }
}

/// Time between two tries to take a lock that another thread holds.
const TURN: Duration = Duration::from_millis(1);

fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    let message = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("matchq failed by a mistake of its own: {}", message.unwrap_or("no message")))
}
