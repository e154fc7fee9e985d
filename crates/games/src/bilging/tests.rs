//! Bilging against the plain rules and the cases of an independent program.

use std::collections::BTreeSet;
use std::thread;

use serde_json::Value;

use super::plain::{self, Plain};
use super::potential::nearest;
use super::rows::Rows;
use super::{ACTIONS, Beam, Bilging, Break, Chains, EFFECTIVE, MATCHING, Refill, Rules, State, bingos};
use crate::agents;
use crate::random::{Draw, Role, Stream};
use crate::{Features, Game, Lookahead, MaskKind, Playable, Played, Text, conformance};

/// The cases of an independent program, a board a line.
pub fn golden() -> impl Iterator<Item = Value> {
    let lines = include_str!("../../../../tests/golden/bilge.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap())
}

/// The text of a board that is given as an array of its lines.
pub fn text(lines: &Value) -> String {
    lines.as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

fn state(lines: &Value) -> State {
    Bilging::parse(&text(lines), 50).unwrap()
}

fn action(row: u64, column: u64) -> usize {
    (row * 5 + column) as usize
}

/// Games under every rule, and a stream of choices.
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
            let told = Bilging::about_move(&state, action);
            for key in ["points", "lines", "leaves"] {
                assert_eq!(told[key], one[key]);
            }
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
                // Mostly swaps that clear something.
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
    // In a match-free refill no drawn piece takes part in a chain at once, so the certain points are the points of the
    // first two waves at the least.
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
    // The row of a swap and the two columns beside it decide: every way in which up to five lines could be made is
    // tried, by the pieces that reach furthest on each side.
    let mut types = BTreeSet::new();
    // How far each line reaches: X up and down in one column, O in the other, and X to the left, O to the right.
    let reach = |limit: u8| 0..=limit;
    for (up, down, over, under) in (0..81).map(|n| (n / 27, n / 9 % 3, n / 3 % 3, n % 3)) {
        for (left, right) in reach(2).flat_map(|left| reach(2).map(move |right| (left, right))) {
            let mut cells = vec![vec!['.'; 6]; 12];
            // Fillers that line up with nothing.
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
            let state = Bilging::parse(&board, 50).unwrap();
            types.insert(Bilging::first_break(&state, action(5, 2)).to_string());
        }
    }
    let known = "3 4 5 33 34 35 44 45 55 333 334 335 344 345 355 3333 3334 3344 3335 3345 3355";
    let expected: BTreeSet<String> = known.split(' ').map(str::to_owned).chain([String::new()]).collect();
    assert_eq!(types, expected);

    // And no other on boards as they come.
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
    let refused = |lines: &[&str]| Bilging::parse(&lines.join("\n"), 50).unwrap_err().to_string();
    assert!(refused(&lines[..11]).contains("the board has 11 rows, but must have 12"));
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
    assert!(Bilging::parse(&good, 10_001).unwrap_err().to_string().contains("a game has from 0 to 10000"));
}

#[test]
fn rules_that_cannot_be_are_refused() {
    let refused = |given: &str| toml::from_str::<Rules>(given).unwrap_err().to_string();
    assert!(refused("colours = 4").contains("the number of colours is 4, but must be from 5 to 7"));
    assert!(refused("moves = 0").contains("the number of moves is 0, but must be from 1 to 10000"));
    assert!(refused("chains = \"some\"").contains("none") && refused("refill = \"no\"").contains("match-free"));
    let rules: Rules = toml::from_str("refill = \"plain\"\nchains = \"piece\"\nmoves = 9\ncolours = 6").unwrap();
    assert_eq!(rules, Rules::new(Refill::Plain, Chains::Piece, 9, 6).unwrap());
    assert_eq!(
        Bilging::mask(&Bilging::new(&rules, &mut Stream::new(0, Role::Game, 0)).state(), MaskKind::LEGAL).count(),
        60
    );
}

#[test]
fn every_possible_bingo_of_the_golden_boards_has_its_features() {
    let mut count = 0;
    for case in golden() {
        let told = Bilging::about_board(&state(&case["board"]));
        assert_eq!(told["bingos"], case["bingos"], "{}", text(&case["board"]));
        let found = told["bingos"].as_array().unwrap();
        count += found.len();
    }
    assert_eq!(count, 375);
}

#[test]
fn rows_of_masks_clear_and_rise_as_the_board_does() {
    let mut stream = Stream::new(7, Role::Game, 0);
    let mut waves = 0;
    for _ in 0..300 {
        let state = Bilging::new(&Rules::new(Refill::MatchFree, Chains::Full, 50, 5).unwrap(), &mut stream).state();
        for action in 0..ACTIONS {
            let mut rows = Rows::of(&state);
            let change = rows.change(action);
            let completing = rows.completing(action / 5);
            rows.0[action / 5] ^= change;
            let mut expected = Bilging::done(&state, action);
            let matches = rows.0[action / 5] & completing != 0 || Rows::has_run(rows.0[action / 5]);
            assert_eq!(change != 0, Bilging::mask(&state, EFFECTIVE).contains(action));
            assert_eq!(matches, Bilging::mask(&state, MATCHING).contains(action));
            while let Some((next, points)) = Bilging::wave(&expected) {
                let (lines, pieces) = rows.wave().unwrap();
                assert_eq!((rows, lines.points() as f32), (Rows::of(&next), points));
                assert_eq!(pieces, super::board::runs(&expected.grid()).cells().count());
                expected = next;
                waves += 1;
            }
            assert_eq!((rows.wave(), rows), (None, Rows::of(&expected)));
        }
    }
    assert!(waves > 2000);
}

/// A board of fillers with these pieces: (row, column, letter).
///
/// The fillers line up with nothing.
fn board(given: &[(usize, usize, char)]) -> State {
    let filler = |row: usize, column: usize| ['c', 'd', 'e', 'f'][(column + 2 * (row % 2)) % 4];
    let letter = |row, column| given.iter().find(|one| (one.0, one.1) == (row, column)).map(|one| one.2);
    let line = |row| (0..6).map(|column| letter(row, column).unwrap_or(filler(row, column))).collect::<String>();
    Bilging::parse(&(0..12).map(line).collect::<Vec<_>>().join("\n"), 50).unwrap()
}

/// Pieces of a bingo that one swap, of (5, 2) and (5, 3), makes.
///
/// Its lines are three a in row 5, three a in column 2 and three b in column 3.
const BINGO: [(usize, usize, char); 8] =
    [(5, 0, 'a'), (5, 1, 'a'), (5, 2, 'b'), (5, 3, 'a'), (4, 2, 'a'), (3, 2, 'a'), (4, 3, 'b'), (6, 3, 'b')];

#[test]
fn a_bingo_is_as_many_swaps_away_as_its_pieces_are() {
    assert_eq!(Bilging::first_break(&board(&BINGO), action(5, 2)), Break::new([3, 0, 0]));
    assert_eq!(nearest(&Rows::of(&board(&BINGO)), 5)[0], 0);
    let mut away = BINGO;
    (away[5], away[0]) = ((3, 4, 'a'), (5, 4, 'a'));
    // Two swaps for the a in row 3. In row 5 stand a at 1, 3 and 4: four swaps to 0, 1 and 3, or none to the left of
    // column 2, where both b have two swaps to column 1.
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
        // Whatever was searched before.
        assert_eq!(beam.values(&state), thread::scope(|scope| scope.spawn(|| beam.values(&state)).join().unwrap()));
    }
}

#[test]
fn with_one_move_left_a_beam_plays_for_the_points_of_this_move() {
    for case in golden() {
        let state = Bilging::parse(&text(&case["board"]), 1).unwrap();
        let beam = Beam::default();
        let values = beam.values(&state);
        for action in Bilging::mask(&state, MATCHING).iter() {
            let value = values.iter().find(|(valued, _)| *valued == action).unwrap().1;
            assert_eq!(value, f64::from(Bilging::first_break(&state, action).points()) - f64::from(beam.mean));
        }
    }
}

#[test]
fn a_beam_builds_the_bingo_that_is_two_swaps_away() {
    let mut away = BINGO;
    away[5] = (3, 3, 'a');
    let state = Bilging::parse(&Bilging::board(&board(&away)), 2).unwrap();
    let best = |state: &State| {
        let values = Beam { width: 100, ..Beam::default() }.values(state);
        values.into_iter().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap().0
    };
    assert_eq!(best(&state), action(3, 2));
    assert_eq!(best(&Bilging::done(&state, action(3, 2))), action(5, 2));
}

#[test]
fn the_figures_of_games_count_their_breaks_and_the_bingos_that_were_tracked() {
    let mut lines = 0;
    for case in golden() {
        let state = state(&case["board"]);
        let possible = bingos(&state.pieces());
        let Some(best) = possible.iter().min_by_key(|bingo| bingo.sum()) else { continue };
        let alone = possible.iter().filter(|bingo| bingo.sum() == best.sum()).count() == 1;
        for swap in Bilging::mask(&state, MATCHING).iter().filter(|_| alone) {
            let game = Bilging::at(&Rules::default(), &state);
            let played = Played { game, random: Stream::new(0, Role::Game, 0), actions: vec![swap] };
            let figures = Bilging::figures(&mut [played].into_iter());
            let first = Bilging::first_break(&state, swap);
            let bingo = u32::from(first.lines() >= 3);
            let mut plain = Plain::new(&text(&case["board"]));
            let row = swap / 5;
            plain.cells[row].swap(swap % 5, swap % 5 + 1);
            let through = plain.runs().iter().flatten().any(|cell| cell.0 == best.row);
            let completed = if through { f64::from(bingo) } else { 0.0 };
            let points = f64::from(first.points());
            let expected = [(points, 1.0), (points, 1.0), (bingo.into(), 1.0), (completed, 1.0)];
            let found: Vec<(f64, f64)> = figures.ratios.iter().map(|figure| figure.games[0]).collect();
            assert_eq!(found, expected);
            assert_eq!(figures.counts, [("breaks", vec![(first.to_string(), 1)])]);
            lines += first.lines();
        }
    }
    assert!(lines > 500);
}

#[test]
fn a_bingo_is_tracked_from_move_to_move_until_it_is_completed() {
    let mut away = BINGO;
    away[5] = (3, 3, 'a');
    let state = board(&away);
    // A swap of fillers far away, the swap that brings the last piece, and the one that makes the bingo.
    let actions = vec![action(11, 0), action(3, 2), action(5, 2)];
    assert!(actions[..2].iter().all(|swap| Bilging::first_break(&state, *swap).lines() == 0));
    let completion = |actions: Vec<usize>| {
        let game = Bilging::at(&Rules::default(), &state);
        let played = Played { game, random: Stream::new(0, Role::Game, 0), actions };
        let figures = Bilging::figures(&mut [played].into_iter());
        figures.ratios.iter().map(|figure| figure.games[0]).collect::<Vec<_>>()
    };
    // Three lines of three count 3 each, and three times: 27 points.
    assert_eq!(completion(actions.clone()), [(27.0, 3.0), (27.0, 1.0), (1.0, 3.0), (1.0, 1.0)]);
    assert_eq!(completion(actions[..2].to_vec()), [(0.0, 2.0), (0.0, 0.0), (0.0, 2.0), (0.0, 1.0)]);
}

#[test]
fn no_swap_is_advised_twice() {
    let mut told = 0;
    for case in golden() {
        for text in [Bilging::advice(&state(&case["board"]), ACTIONS)] {
            let Some(line) = text.lines().find(|line| line.starts_with("swaps for it")) else { continue };
            let mut swaps: Vec<&str> = line.split_once(": ").unwrap().1.split(") (").collect();
            let all = swaps.len();
            swaps = swaps.iter().map(|swap| swap.trim_matches(['(', ')'])).collect();
            swaps.sort_unstable();
            swaps.dedup();
            assert_eq!(swaps.len(), all, "{text}");
            told += 1;
        }
    }
    assert!(told > 30, "{told}");
}

#[test]
fn advice_names_the_nearest_bingo_what_blocks_it_and_its_next_swaps() {
    let mut away = BINGO.to_vec();
    away[5] = (3, 3, 'a');
    let told = Bilging::advice(&board(&away), action(3, 2));
    for part in [
        "the bingo that the best move serves: a in row 5 and in column 2, b in column 3",
        "\n  5  A A B A ",
        "a at (3, 3) goes to column 2: 1 swap\n",
        "a at (4, 2) is in its place\n",
        "swaps for it that make no run now: (3, 2)-(3, 3)\n",
        "the best move is one of them",
    ] {
        assert!(told.contains(part), "{part:?}: {told}");
    }
    let told = Bilging::advice(&board(&BINGO), action(5, 2));
    assert!(told.ends_with("one swap makes it: (5, 2)-(5, 3)\nthe best move makes it\n"), "{told}");
    // Two g in column 3 wait for the one that the walking a pushes there.
    away.extend([(3, 2, 'g'), (1, 3, 'g'), (2, 3, 'g')]);
    let told = Bilging::advice(&board(&away), action(0, 0));
    assert!(
        told.contains("a at (3, 3) goes to column 2: 1 swap, but is blocked: (3, 2)-(3, 3) makes a run\n"),
        "{told}"
    );
    assert!(told.contains("the best move serves something else"), "{told}");
}

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
fn a_board_without_a_possible_bingo_is_told_by_a_number_of_its_own() {
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
fn with_one_move_left_the_players_that_count_points_make_the_largest_break() {
    let mut found = 0;
    for case in golden() {
        let state = Bilging::parse(&text(&case["board"]), 1).unwrap();
        let points = |action| Bilging::first_break(&state, action).points();
        let most = Bilging::mask(&state, MATCHING).iter().map(points).max().unwrap_or(0);
        if most < 27 {
            continue;
        }
        found += 1;
        for player in ["planner", "fitted", "beam:sims=100"] {
            let mut player = agents::parse::<Bilging>(player, &Rules::default()).unwrap();
            let ranked = player.rank(&state, &mut Stream::new(0, Role::Tie, 0)).unwrap();
            assert_eq!(points(ranked[0].action), most, "{}: {}", player.name(), text(&case["board"]));
        }
    }
    assert!(found > 20, "{found}");
}
