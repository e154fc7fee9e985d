//! The beam search and its parts against the rules.

use std::thread;

use serde_json::Value;

use super::Beam;
use super::potential::nearest;
use super::rows::Rows;
use matchq_core::random::{Role, Stream};
use matchq_games::bilging::board::runs;
use matchq_games::bilging::{ACTIONS, Bilging, Break, Chains, EFFECTIVE, MATCHING, Refill, Rules, State};
use matchq_games::{Game, Lookahead, Text};

/// Cases of an independent program, a board a line.
pub fn golden() -> impl Iterator<Item = Value> {
    let lines = include_str!("../../../../tests/golden/bilge.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap())
}

/// Text of a board from an array of its lines.
pub fn text(lines: &Value) -> String {
    lines.as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

pub fn state(lines: &Value) -> State {
    Bilging::parse(&Rules::default(), &text(lines), Some(50)).unwrap()
}

pub fn action(row: u64, column: u64) -> usize {
    (row * 5 + column) as usize
}

/// A board of these pieces, (row, column, letter), among fillers that line up with nothing.
pub fn board(given: &[(usize, usize, char)]) -> State {
    let filler = |row: usize, column: usize| ['c', 'd', 'e', 'f'][(column + 2 * (row % 2)) % 4];
    let letter = |row, column| given.iter().find(|one| (one.0, one.1) == (row, column)).map(|one| one.2);
    let line = |row| (0..6).map(|column| letter(row, column).unwrap_or(filler(row, column))).collect::<String>();
    Bilging::parse(&Rules::default(), &(0..12).map(line).collect::<Vec<_>>().join("\n"), Some(50)).unwrap()
}

/// Pieces of a bingo by the swap of (5, 2) and (5, 3): three a in row 5, three a in column 2, three
/// b in column 3.
pub const BINGO: [(usize, usize, char); 8] =
    [(5, 0, 'a'), (5, 1, 'a'), (5, 2, 'b'), (5, 3, 'a'), (4, 2, 'a'), (3, 2, 'a'), (4, 3, 'b'), (6, 3, 'b')];

#[test]
fn rows_of_masks_clear_and_rise_as_the_board_does() {
    let mut stream = Stream::new(7, Role::Game, 0);
    let mut waves = 0;
    for _ in 0..300 {
        let state = Bilging::new(&Rules::new(Refill::MatchFree, Chains::Full, 50, 5).unwrap(), &mut stream).state();
        for action in 0..ACTIONS {
            let mut rows = Rows::of(&state);
            let change = rows.swap_mask(action);
            let completing = rows.completing(action / 5);
            rows.0[action / 5] ^= change;
            let mut expected = Bilging::done(&state, action);
            let matches = rows.0[action / 5] & completing != 0 || Rows::has_run(rows.0[action / 5]);
            assert_eq!(change != 0, Bilging::mask(&state, EFFECTIVE).contains(action));
            assert_eq!(matches, Bilging::mask(&state, MATCHING).contains(action));
            while let Some((next, points)) = Bilging::wave(&expected) {
                let (lines, pieces) = rows.wave().unwrap();
                assert_eq!((rows, lines.points() as f32), (Rows::of(&next), points));
                assert_eq!(pieces, runs(&expected.grid()).cells().count());
                expected = next;
                waves += 1;
            }
            assert_eq!((rows.wave(), rows), (None, Rows::of(&expected)));
        }
    }
    assert!(waves > 2000);
}

#[test]
fn a_bingo_is_as_many_swaps_away_as_its_pieces_are() {
    assert_eq!(Bilging::first_break(&board(&BINGO), action(5, 2)), Break::new([3, 0, 0]));
    assert_eq!(nearest(&Rows::of(&board(&BINGO)), 5)[0], 0);
    let mut away = BINGO;
    (away[5], away[0]) = ((3, 4, 'a'), (5, 4, 'a'));
    // The a in row 3 needs two swaps. The a at 1, 3 and 4 of row 5 need four swaps to 0, 1 and 3,
    // or none on the left of column 2, where both b need two.
    assert_eq!(nearest(&Rows::of(&board(&away)), 5)[0], 2 * (2 + 4));
    away[0] = BINGO[0];
    assert_eq!(nearest(&Rows::of(&board(&away)), 5)[0], 2 * 2);
}

#[test]
fn distances_that_are_remembered_are_those_that_are_found() {
    let mut stream = Stream::new(9, Role::Game, 0);
    let beam = Beam { width: 40, depth: 5, ..Beam::default() };
    for _ in 0..20 {
        let state = Bilging::new(&Rules::default(), &mut stream).state();
        // The memory of a new thread is empty.
        assert_eq!(beam.values(&state), thread::scope(|scope| scope.spawn(|| beam.values(&state)).join().unwrap()));
    }
}

#[test]
fn with_one_move_left_a_beam_plays_for_the_points_of_this_move() {
    for case in golden() {
        let state = Bilging::parse(&Rules::default(), &text(&case["board"]), Some(1)).unwrap();
        let beam = Beam::default();
        let values = beam.values(&state);
        for action in Bilging::mask(&state, MATCHING).iter() {
            let value = values.iter().find(|valued| valued.action == action).unwrap().value;
            assert_eq!(value, f64::from(Bilging::first_break(&state, action).points()) - f64::from(beam.mean));
        }
    }
}

#[test]
fn a_beam_builds_the_bingo_that_is_two_swaps_away() {
    let mut away = BINGO;
    away[5] = (3, 3, 'a');
    let state = Bilging::parse(&Rules::default(), &Bilging::board(&board(&away)), Some(2)).unwrap();
    let best = |state: &State| {
        let values = Beam { width: 100, ..Beam::default() }.values(state);
        values.into_iter().max_by(|one, other| one.value.total_cmp(&other.value)).unwrap().action
    };
    assert_eq!(best(&state), action(3, 2));
    assert_eq!(best(&Bilging::done(&state, action(3, 2))), action(5, 2));
}
