//! A clock; WebAssembly has none, and is told the time.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
pub use told::{Instant, tell};

/// Whether [`Instant`] measures budgets of time: where the clock is told the time, that stands still within a call.
pub const IS_THERE: bool = cfg!(not(target_family = "wasm"));

/// A clock that is told the time.
#[cfg(target_family = "wasm")]
mod told {
    use std::ops::{Add, Sub};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    static MICROSECONDS: AtomicU64 = AtomicU64::new(0);

    /// Tells the time, in microseconds from any start on.
    pub fn tell(microseconds: u64) {
        MICROSECONDS.store(microseconds, Ordering::Relaxed);
    }

    /// A moment that was told.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// The last moment that was told.
        pub fn now() -> Self {
            Self(Duration::from_micros(MICROSECONDS.load(Ordering::Relaxed)))
        }

        /// The time from this moment to the last that was told.
        pub fn elapsed(&self) -> Duration {
            Self::now() - *self
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, time: Duration) -> Self {
            Self(self.0 + time)
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }
}
