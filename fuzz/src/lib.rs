//! What the fuzzer calls with bytes from nowhere.

mod targets;
#[cfg(feature = "trainer")]
pub mod trainer;

pub use targets::*;
