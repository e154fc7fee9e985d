//! Bilging against the plain rules and the cases of an independent program.

mod plain;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{ACTIONS, Bilging, Break, Chains, EFFECTIVE, MATCHING, Refill, Rules, State, bingos};
use crate::random::{Draw, Role, Stream};
use crate::{Game, Lookahead, MaskKind, StateFeatures, Text, conformance};
use plain::Plain;

/// Cases of an independent program, a board a line.
pub fn golden() -> impl Iterator<Item = Value> {
    let lines = include_str!("../../../../tests/golden/bilge.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap())
}

pub fn text(lines: &Value) -> String {
    lines.as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

fn state(lines: &Value) -> State {
    Bilging::parse(&Rules::default(), &text(lines), Some(50)).unwrap()
}

fn action(row: u64, column: u64) -> usize {
    (row * 5 + column) as usize
}

/// Rules with every `refill` and `chains`, and the name of `chains`.
fn variants() -> Vec<(Rules, &'static str)> {
    let mut variants = vec![];
    for (chains, name) in [(Chains::None, "none"), (Chains::Piece, "piece"), (Chains::Full, "full")] {
        for (refill, colours) in [(Refill::MatchFree, 7), (Refill::MatchFree, 5), (Refill::Plain, 6)] {
            variants.push((Rules::new(refill, chains, 60, colours).unwrap(), name));
        }
    }
    variants
}

#[test]
fn bilging_keeps_what_a_game_promises() {
    for (seed, (rules, _)) in (0..).zip(variants()) {
        conformance::check::<Bilging>(&rules, seed);
    }
    for seed in 0..10 {
        conformance::check_text::<Bilging>(&Rules::default(), seed);
    }
}

#[test]
fn every_clearing_swap_of_the_golden_boards_has_its_lines_points_and_board() {
    let (mut swaps, mut types) = (0, BTreeSet::new());
    for case in golden() {
        let state = state(&case["board"]);
        let matching: Vec<usize> = Bilging::mask(&state, MATCHING).iter().collect();
        let expected = case["matching"].as_array().unwrap();
        let actions: Vec<usize> =
            expected.iter().map(|one| action(one["row"].as_u64().unwrap(), one["column"].as_u64().unwrap())).collect();
        assert_eq!(matching, actions);
        for (action, one) in actions.into_iter().zip(expected) {
            let lines: Vec<u64> = serde_json::from_value(one["lines"].clone()).unwrap();
            let first = Bilging::first_break(&state, action);
            assert_eq!(first.lengths().iter().map(|length| u64::from(*length)).collect::<Vec<_>>(), lines);
            assert_eq!(i64::from(first.points()), one["points"].as_i64().unwrap());
            let (left, points) = Bilging::wave(&Bilging::done(&state, action)).unwrap();
            assert_eq!(
                (Bilging::board(&left), f64::from(points)),
                (text(&one["leaves"]), one["points"].as_f64().unwrap())
            );
            swaps += 1;
            types.insert(first.to_string());
        }
    }
    assert_eq!((swaps, types.len()), (956, 21));
}

#[test]
fn a_game_follows_the_plain_rules_under_every_parameter() {
    for (seed, (rules, chains)) in (0..).zip(variants()) {
        let mut stream = Stream::new(seed, Role::Game, 0);
        let mut choice = Stream::new(seed, Role::Explore, 0);
        for _ in 0..6 {
            let mut game = Bilging::new(&rules, &mut stream);
            let mut plain = Plain::new(&Bilging::board(&game.state()));
            assert!(plain.runs().is_empty(), "a game begins without a run");
            (plain.colours, plain.match_free) = (rules.colours(), rules.refill == Refill::MatchFree);
            plain.chains = chains;
            while !game.is_over() {
                let state = game.state();
                let matching = Bilging::mask(&state, MATCHING);
                let effective = Bilging::mask(&state, EFFECTIVE);
                for action in 0..ACTIONS {
                    let mut swapped = plain.clone();
                    let lines = swapped.swap(action / 5, action % 5);
                    assert_eq!(matching.contains(action), !lines.is_empty());
                    assert_eq!(effective.contains(action), swapped != plain);
                }
                // Most swaps clear something.
                let mask = if choice.below(4) > 0 && !matching.is_empty() { matching } else { effective };
                let action = mask.nth(choice.below(mask.count() as u32) as usize).unwrap();
                let mut twin = stream.clone();
                let step = game.step(action, &mut stream);
                let moved = plain.play(action / 5, action % 5, &mut twin);
                assert_eq!((step.reward, step.waves), (moved.points as f32, moved.waves));
                assert_eq!((Bilging::board(&game.state()), &stream), (plain.text(), &twin));
                let lines: Vec<usize> = moved.lines;
                let first = Bilging::first_break(&state, action).lengths();
                assert_eq!(first.iter().map(|length| *length as usize).collect::<Vec<_>>(), lines);
            }
        }
    }
}

#[test]
fn what_is_certain_of_a_move_is_what_its_known_pieces_do() {
    // A match-free refill adds no piece to a run at once: the certain points are those of at least
    // the first two waves.
    let rules = Rules::new(Refill::MatchFree, Chains::Full, 50, 5).unwrap();
    let mut stream = Stream::new(3, Role::Game, 0);
    let mut chained = 0;
    for _ in 0..40 {
        let mut game = Bilging::new(&rules, &mut stream);
        while !game.is_over() {
            let state = game.state();
            let action = stream.below(60) as usize;
            let after = Bilging::after(&state, action);
            let step = game.step(action, &mut stream);
            chained += u32::from(step.waves > 1);
            assert!(after.points <= step.reward, "what is certain happens");
            assert!(step.waves > 2 || after.points == step.reward);
        }
    }
    assert!(chained > 50, "chains are frequent enough to be seen: {chained}");
}

#[test]
fn exactly_the_twenty_one_types_of_break_arise_from_boards_without_runs() {
    // The swap's row and its two columns decide; all reaches of the lines are tried.
    let mut types = BTreeSet::new();
    // Reach of X up and down in one column, of O in the other, of X to the left, of O to the right.
    let reach = |limit: u8| 0..=limit;
    for (up, down, over, under) in (0..81).map(|n| (n / 27, n / 9 % 3, n / 3 % 3, n % 3)) {
        for (left, right) in reach(2).flat_map(|left| reach(2).map(move |right| (left, right))) {
            let mut cells = vec![vec!['.'; 6]; 12];
            // Fillers that make no line.
            for (row, line) in cells.iter_mut().enumerate() {
                for (column, piece) in line.iter_mut().enumerate() {
                    *piece = ['c', 'd', 'e', 'f'][(column + 2 * (row % 2)) % 4];
                }
            }
            (cells[5][2], cells[5][3]) = ('b', 'a');
            (1..=up).for_each(|far| cells[5 - far][2] = 'a');
            (1..=down).for_each(|far| cells[5 + far][2] = 'a');
            (1..=over).for_each(|far| cells[5 - far][3] = 'b');
            (1..=under).for_each(|far| cells[5 + far][3] = 'b');
            (1..=left).for_each(|far| cells[5][2 - usize::from(far)] = 'a');
            (1..=right).for_each(|far| cells[5][3 + usize::from(far)] = 'b');
            let board = cells.iter().map(|line| line.iter().collect::<String>()).collect::<Vec<_>>().join("\n");
            let state = Bilging::parse(&Rules::default(), &board, Some(50)).unwrap();
            types.insert(Bilging::first_break(&state, action(5, 2)).to_string());
        }
    }
    let known = "3 4 5 33 34 35 44 45 55 333 334 335 344 345 355 3333 3334 3344 3335 3345 3355";
    let expected: BTreeSet<String> = known.split(' ').map(str::to_owned).chain([String::new()]).collect();
    assert_eq!(types, expected);

    // Random boards have no other types.
    let mut stream = Stream::new(5, Role::Game, 0);
    for _ in 0..20_000 {
        let state = Bilging::new(&Rules::default(), &mut stream).state();
        for action in Bilging::mask(&state, MATCHING).iter() {
            assert!(expected.contains(&Bilging::first_break(&state, action).to_string()));
        }
    }
}

#[test]
fn points_are_those_of_the_table() {
    let table = [
        ([1, 0, 0], 3),
        ([0, 1, 0], 5),
        ([0, 0, 1], 7),
        ([2, 0, 0], 12),
        ([1, 1, 0], 16),
        ([1, 0, 1], 20),
        ([0, 2, 0], 20),
        ([0, 1, 1], 24),
        ([0, 0, 2], 28),
        ([3, 0, 0], 27),
        ([2, 1, 0], 33),
        ([2, 0, 1], 39),
        ([1, 2, 0], 39),
        ([1, 1, 1], 45),
        ([1, 0, 2], 51),
        ([4, 0, 0], 48),
        ([3, 1, 0], 56),
        ([2, 2, 0], 64),
        ([3, 0, 1], 96),
        ([2, 1, 1], 108),
        ([2, 0, 2], 120),
    ];
    for (lengths, points) in table {
        let lines = Break::new(lengths);
        assert_eq!(lines.points(), points, "{lines}");
        let lengths: Vec<usize> = lines.lengths().iter().map(|length| *length as usize).collect();
        assert_eq!(plain::points(&lengths), points, "{lines}");
    }
}

#[test]
fn a_board_that_is_none_is_refused_by_its_row_and_column() {
    let good = text(&golden().next().unwrap()["board"]);
    let lines: Vec<&str> = good.lines().collect();
    let refused =
        |lines: &[&str]| Bilging::parse(&Rules::default(), &lines.join("\n"), Some(50)).unwrap_err().to_string();
    assert!(refused(&lines[..11]).contains("the board must have 12 rows, not 11"));
    let with = |row: usize, line: &'static str| {
        let mut lines = lines.clone();
        lines[row] = line;
        refused(&lines)
    };
    assert!(with(3, "abcde").contains("row 3, column 5 of the board (both from 0) is missing"));
    assert!(with(3, "abcdefg").contains("row 3, column 6 of the board (both from 0) is 'g', which is too many"));
    assert!(with(11, "abcdeh").contains("row 11, column 5 of the board (both from 0) is 'h', but must be one of"));
    assert!(with(11, "abc.ef").contains("row 11, column 3 of the board (both from 0) is '.', but must be one of"));
    assert!(with(0, "abcccg").contains("at row 0, column 2 of the board (both from 0) begins a run of three or more"));
    assert!(
        Bilging::parse(&Rules::default(), &good, Some(10_001))
            .unwrap_err()
            .to_string()
            .contains("a game has from 0 to 10000")
    );
}

#[test]
fn rules_that_cannot_be_are_refused() {
    let refused = |given: Value| serde_json::from_value::<Rules>(given).unwrap_err().to_string();
    assert!(refused(json!({"colours": 4})).contains("the number of colours is 4, but must be from 5 to 7"));
    assert!(refused(json!({"moves": 0})).contains("the number of moves is 0, but must be from 1 to 10000"));
    assert!(
        refused(json!({"chains": "some"})).contains("none") && refused(json!({"refill": "no"})).contains("match-free")
    );
    let given = json!({"refill": "plain", "chains": "piece", "moves": 9, "colours": 6});
    let rules: Rules = serde_json::from_value(given).unwrap();
    assert_eq!(rules, Rules::new(Refill::Plain, Chains::Piece, 9, 6).unwrap());
    assert_eq!(
        Bilging::mask(&Bilging::new(&rules, &mut Stream::new(0, Role::Game, 0)).state(), MaskKind::LEGAL).count(),
        60
    );
}

/// A board with these pieces (row, column, letter) among fillers that make no line.
fn board(given: &[(usize, usize, char)]) -> State {
    let filler = |row: usize, column: usize| ['c', 'd', 'e', 'f'][(column + 2 * (row % 2)) % 4];
    let letter = |row, column| given.iter().find(|one| (one.0, one.1) == (row, column)).map(|one| one.2);
    let line = |row| (0..6).map(|column| letter(row, column).unwrap_or(filler(row, column))).collect::<String>();
    Bilging::parse(&Rules::default(), &(0..12).map(line).collect::<Vec<_>>().join("\n"), Some(50)).unwrap()
}

/// Bingo by the swap of (5, 2) and (5, 3): three a in row 5 and in column 2, three b in column 3.
const BINGO: [(usize, usize, char); 8] =
    [(5, 0, 'a'), (5, 1, 'a'), (5, 2, 'b'), (5, 3, 'a'), (4, 2, 'a'), (3, 2, 'a'), (4, 3, 'b'), (6, 3, 'b')];

#[test]
fn values_are_fitted_on_boards_of_which_half_are_one_swap_from_a_bingo() {
    let positions = Bilging::positions(&Rules::default(), 20, &mut Stream::new(0, Role::Sample, 0));
    let made = |state: &State| {
        let breaks = Bilging::mask(state, MATCHING).iter().map(|action| Bilging::first_break(state, action).lines());
        breaks.max().unwrap_or(0)
    };
    let near: Vec<bool> = positions.iter().map(|state| made(state) >= 3).collect();
    assert_eq!(near, [[true; 10], [false; 10]].concat());
}

#[test]
fn a_board_without_a_possible_bingo_has_a_number_of_its_own() {
    let none = Bilging::features(&board(&[]));
    assert_eq!(none, [10.0, 10.0, 15.0, 5.0, 8.0, 1.0]);
    assert_eq!(Bilging::features(&board(&BINGO))[5], 0.0);
}

#[test]
fn a_board_is_described_by_each_of_its_bingos_the_nearest_first() {
    for state in Bilging::positions(&Rules::default(), 20, &mut Stream::new(1, Role::Sample, 0)) {
        let mut found = Vec::new();
        Bilging::descriptions(&state, |description| found.push(description.to_vec()));
        assert_eq!(found[0], Bilging::features(&state));
        assert!(found.iter().map(|one| one.iter().sum::<f64>()).is_sorted());
        if bingos(&state.pieces()).is_empty() {
            assert_eq!(found, [[10.0, 10.0, 15.0, 5.0, 8.0, 1.0]]);
            continue;
        }
        let mut bingos: Vec<_> =
            bingos(&state.pieces()).iter().map(|bingo| [&bingo.features.map(f64::from)[..], &[0.0]].concat()).collect();
        bingos.sort_by(|one, other| one.partial_cmp(other).unwrap());
        found.sort_by(|one, other| one.partial_cmp(other).unwrap());
        assert_eq!(found, bingos);
    }
}

#[test]
fn possible_bingos_are_those_that_their_plain_definition_finds() {
    let mut count = 0;
    for (seed, colours) in (0..400).map(|seed| (seed, 5 + seed as u32 % 3)) {
        let rules = Rules::new(Refill::MatchFree, Chains::None, 50, colours).unwrap();
        let state = Bilging::new(&rules, &mut Stream::new(seed, Role::Game, 0)).state();
        let letter = |colour: u8| (b'a' + colour) as char;
        let found: Vec<_> = bingos(&state.pieces())
            .iter()
            .map(|bingo| {
                let features = bingo.features.map(|feature| feature as usize);
                (bingo.row, letter(bingo.x), letter(bingo.o), bingo.direction, bingo.anchor, features)
            })
            .collect();
        assert_eq!(found, Plain::new(&Bilging::board(&state)).bingos(), "{}", Bilging::board(&state));
        count += found.len();
    }
    assert!(count > 500, "{count}");
}

#[test]
fn a_board_is_read_by_the_rules_which_say_its_colours_and_the_moves_where_none_are_given() {
    let lines: Vec<String> = (0..12).map(|row| ["abcdea", "cdeabc"][row % 2].to_owned()).collect();
    let rules = Rules::new(Refill::MatchFree, Chains::None, 9, 5).unwrap();
    let read = |lines: &[String], left| Bilging::parse(&rules, &lines.join("\n"), left);
    assert_eq!(Bilging::actions_left(&read(&lines, None).unwrap()), 9);
    assert_eq!(Bilging::actions_left(&read(&lines, Some(3)).unwrap()), 3);
    let mut sixth = lines.clone();
    sixth[2].replace_range(4..5, "f");
    assert_eq!(
        read(&sixth, None).unwrap_err().to_string(),
        "row 2, column 4 of the board (both from 0) is 'f', but with 5 colours the last is 'e'"
    );
}
