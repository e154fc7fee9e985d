//! A clock for budgets of time; WebAssembly has none.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

/// Whether [`Instant`] measures time.
pub const IS_THERE: bool = cfg!(not(target_family = "wasm"));

/// A moment where there is no clock: no time ever passes.
#[cfg(target_family = "wasm")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instant;

#[cfg(target_family = "wasm")]
impl Instant {
    /// The only moment there is.
    pub fn now() -> Self {
        Self
    }

    /// No time, whatever happened since.
    pub fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

#[cfg(target_family = "wasm")]
impl std::ops::Add<std::time::Duration> for Instant {
    type Output = Self;

    fn add(self, _: std::time::Duration) -> Self {
        self
    }
}

#[cfg(target_family = "wasm")]
impl std::ops::Sub for Instant {
    type Output = std::time::Duration;

    fn sub(self, _: Self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}
