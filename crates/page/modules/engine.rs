//! The engine of the page as a module for a browser.

use matchq_page as _;

fn main() {}
