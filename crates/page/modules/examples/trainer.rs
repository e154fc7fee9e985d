//! The trainer of the page as a module for a browser.

pub use matchq_trainer;
