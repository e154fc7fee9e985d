//! What conformance finds: a game with one fault each.

use matchq_games::conformance;

use crate::row::{ENDS_EARLY, HASH_IS_A_COUNT, MIRRORED, NO_FAULT, NO_MOVES, NO_TOKEN, Row};

/// Plays games until a promise is broken.
fn check<const FAULT: u8>() {
    for seed in 0..20 {
        conformance::check::<Row<FAULT>>(&(), seed);
        conformance::check_text::<Row<FAULT>>(&(), seed);
    }
}

#[test]
fn a_game_that_keeps_all_promises_passes() {
    check::<NO_FAULT>();
}

#[test]
#[should_panic(expected = "all moves of legal")]
fn a_puzzle_that_gives_no_moves_is_found() {
    check::<NO_MOVES>();
}

#[test]
#[should_panic(expected = "positions have numbers of their own")]
fn a_number_of_a_position_that_is_a_count_is_found() {
    check::<HASH_IS_A_COUNT>();
}

#[test]
#[should_panic(expected = "symmetry 1")]
fn a_symmetry_that_the_rules_lack_is_found() {
    check::<MIRRORED>();
}

#[test]
#[should_panic(expected = "needs MAY_END_EARLY")]
fn a_game_that_ends_early_without_saying_so_is_found() {
    check::<ENDS_EARLY>();
}

#[test]
#[should_panic(expected = "every letter of a board has a token")]
fn a_letter_without_a_token_is_found() {
    check::<NO_TOKEN>();
}
