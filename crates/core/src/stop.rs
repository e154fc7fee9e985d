//! Work that another thread can stop, wherever the work is.
//!
//! A stop unwinds the work, as rust-analyzer's library salsa cancels its queries, so that nothing between has to pass it on. What
//! unwinding leaves half done must not be relied on: players and buffers begin each move anew.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that asks work to stop once it is true.
pub type Flag = Arc<AtomicBool>;

thread_local! {
    static FLAG: RefCell<Option<Flag>> = const { RefCell::new(None) };
}

/// Payload of the unwinding that a stop begins.
#[derive(Debug)]
pub struct Stopped;

/// The flag of the work that this thread does, if any.
pub(crate) fn flag() -> Option<Flag> {
    FLAG.with_borrow(Clone::clone)
}

/// Does work that unwinds with [`Stopped`] at its next [`look`] once the flag is true; the
/// [pool](crate::pool)'s tasks carry the flag to other threads.
pub fn under<R>(flag: Option<Flag>, work: impl FnOnce() -> R) -> R {
    struct Outer(Option<Flag>);

    impl Drop for Outer {
        fn drop(&mut self) {
            FLAG.set(self.0.take());
        }
    }

    // The thread may do this work while other work of its own waits.
    let _outer = Outer(FLAG.replace(flag));
    work()
}

/// Whether the work is asked to stop, for work that then has something to give back.
#[inline]
pub fn is_asked() -> bool {
    FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

/// Unwinds if the work is asked to stop. A look takes about a nanosecond: searches look once a simulation.
#[inline]
pub fn look() {
    if is_asked() {
        unwind();
    }
}

#[cold]
fn unwind() -> ! {
    // No message is printed, as a panic's would be.
    resume_unwind(Box::new(Stopped))
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::pool;

    /// Whether work under a flag is stopped.
    fn stops(flag: &Flag, work: impl FnOnce()) -> bool {
        let done = catch_unwind(AssertUnwindSafe(|| under(Some(flag.clone()), work)));
        done.is_err_and(|payload| payload.is::<Stopped>())
    }

    #[test]
    fn work_stops_at_the_next_look_after_its_flag_is_set() {
        let flag = Flag::default();
        let mut looks = 0;
        let work = |_| {
            look();
            looks += 1;
            flag.store(looks == 3, Ordering::Relaxed);
        };
        assert!(stops(&flag, || (0..10).for_each(work)));
        assert_eq!(looks, 3);
        assert!(under(Some(flag.clone()), is_asked) && !is_asked());
        // Without a flag nothing stops.
        look();
    }

    #[test]
    fn tasks_on_all_threads_of_the_pool_stop_and_those_of_other_work_do_not() {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        threads.install(|| {
            let flag = Flag::default();
            // Only a look ends this work.
            let endless = |_: usize| {
                flag.store(true, Ordering::Relaxed);
                loop {
                    look();
                }
            };
            assert!(stops(&flag, || drop(pool::map(100, 1, endless))));
            let other = Flag::default();
            assert!(!stops(&other, || drop(pool::map(100, 1, |_| look()))));
            // Work inside of stopped work is its own.
            let inner = || under(None, || drop(pool::map(100, 1, |_| look())));
            assert!(!stops(&flag, inner));
        });
    }
}
