//! A game of one's own with all of matchq, step by step in docs/own-game.md.
//!
//!     cargo run --release -- play --game groups

#![forbid(unsafe_code)]

mod roster;
mod rules;
mod views;

use std::process::ExitCode;

use rules::Groups;

fn main() -> ExitCode {
    matchq::Program::new()
        .named(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
        .game::<Groups>()
        .configuration("groups", include_str!("../configs/groups.toml"))
        .configuration("groups-fitted", include_str!("../configs/groups-fitted.toml"))
        .run()
}

#[cfg(test)]
mod tests {
    use matchq::games::{Lookahead, Text, conformance};

    use super::rules::Groups;

    #[test]
    fn the_game_keeps_what_a_game_promises() {
        for seed in 0..5 {
            conformance::check::<Groups>(&(), seed);
            conformance::check_text::<Groups>(&(), seed);
        }
    }

    #[test]
    fn a_group_goes_and_the_tiles_above_it_fall() {
        let state = Groups::parse(&(), "abcda\nbcdab\ncdabc\ndaacd\naacda\nbbcdb", None).unwrap();
        // The five a around row 4, column 0.
        let after = Groups::after(&state, 20);
        assert_eq!((after.points, after.state.moves_left), (20.0, 19));
        assert_eq!(Groups::board(&after.state), "   da\na  ab\nbbcbc\nccdcd\nddcda\nbbcdb");
    }
}
