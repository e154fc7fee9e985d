//! The engine of the page as a module for a browser.

pub use matchq_page;
