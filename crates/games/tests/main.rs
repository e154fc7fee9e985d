//! Match-3 and what all games share, against plain code. One program, because each test program links the whole library.

mod board;
mod certain;
mod chains;
mod golden;
mod match3;
mod plain;
mod vector;
