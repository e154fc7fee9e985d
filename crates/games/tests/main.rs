//! Match-3 and what all games share, against plain code. A single program links the library only
//! once.

mod board;
mod certain;
mod chains;
mod conformance;
mod golden;
mod match3;
mod plain;
// Other crates test with it, too.
#[allow(dead_code)]
mod row;
// Other crates test with it, too.
#[allow(dead_code)]
mod toy;
mod toy_rules;
mod vector;
