//! The toy's rules, and what every game promises.

use crate::toy::{Rules, Toy};
use matchq_games::{Game, Lookahead, Text, conformance};

#[test]
fn the_toy_keeps_what_a_game_promises() {
    for seed in 0..20 {
        conformance::check::<Toy>(&Rules::default(), seed);
        conformance::check_text::<Toy>(&Rules::default(), seed);
    }
}

#[test]
fn more_moves_than_a_game_has_are_refused() {
    let parse = |left| Toy::parse(&Rules { moves: 3 }, "aab\nbba\ncac\nbcb", Some(left));
    assert_eq!(parse(3).unwrap().moves_left, 3);
    for left in [-1, 4, 256] {
        let error = parse(left).unwrap_err();
        assert_eq!(error.to_string(), format!("{left} moves are left, but a game has from 0 to 3"));
    }
}

#[test]
fn a_match_clears_falls_and_scores_as_in_match_3() {
    let state = Toy::parse(&Rules::default(), "aab\nbba\ncac\nbcb", None).unwrap();
    // The a at the right of row 1 goes up.
    let action = (0..Toy::ACTIONS).find(|action| Toy::cells(&state, *action) == [(0, 2), (1, 2)]).unwrap();
    let after = Toy::after(&state, action);
    // The swap lines up three a and three b at once.
    assert_eq!((after.points, Toy::board(&after.state)), (16.0, "   \n   \ncac\nbcb".to_owned()));
    assert_eq!(after.state.moves_left, 3);
    // A swap without a match costs 5 and stays.
    let after =
        Toy::after(&state, (0..Toy::ACTIONS).find(|action| Toy::cells(&state, *action) == [(2, 0), (3, 0)]).unwrap());
    assert_eq!((after.points, Toy::board(&after.state)), (-5.0, "aab\nbba\nbac\nccb".to_owned()));
}
