//! The trainer of the page as a module for a browser.

use matchq_trainer as _;

fn main() {}
