use serde_json::Value;

use super::features::{COUNT, DELLACHERIE, DT, REPORT, of_wall};
use super::piece::{LETTERS, Orientation, PIECES, action, placement, placements};
use super::wall::{KEPT, Rest, Wall};
use super::*;
use crate::conformance;
use crate::instructions::InstructionSet;
use crate::random::Role;
use crate::weighed;

fn golden(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn wall(rows: &Value) -> Wall {
    let mut all = [0; KEPT];
    for (to, row) in all.iter_mut().zip(rows.as_array().unwrap()) {
        *to = row.as_u64().unwrap() as u16;
    }
    Wall::of(all)
}

fn piece(letter: &Value) -> u8 {
    LETTERS.iter().position(|known| known.to_string() == letter.as_str().unwrap()).unwrap() as u8
}

fn move_of(pair: &Value) -> usize {
    action(pair[0].as_u64().unwrap() as usize, pair[1].as_u64().unwrap() as usize)
}

#[test]
fn tetris_keeps_what_a_game_promises() {
    for (seed, rows) in [(0, 20), (1, 10), (2, 4)] {
        let rules = Rules::new(rows).unwrap();
        conformance::check::<Tetris>(&rules, seed);
        conformance::check_text::<Tetris>(&rules, seed);
    }
}

#[test]
fn a_piece_is_steered_by_columns_within_the_borders_and_turned_all_the_way_round() {
    for piece in 0..7 {
        let state = State::pack(&Wall::of([0; KEPT]), piece, ROWS as u8, false);
        let pieces = PIECES[usize::from(piece)];
        let steered = |action, columns, turns| placement(AllPieces.steer(&state, action, columns, turns).unwrap());
        let begin = steered(None, 0, 0);
        assert_eq!(begin, placement(text::SHOWN_AT));
        for (orientation, Orientation { width, .. }) in pieces.iter().enumerate() {
            let last = COLUMNS - width;
            let at = |column: usize| Some(action(orientation, column));
            assert_eq!(steered(at(0), -1, 0), (orientation, 0));
            assert_eq!(steered(at(2), -1, 0), (orientation, 1));
            assert_eq!(steered(at(2), 3, 0), (orientation, 5));
            assert_eq!(steered(at(last), 1, 0), (orientation, last));
            assert_eq!(steered(at(0), 0, 1).0, (orientation + 1) % pieces.len());
            assert_eq!(steered(at(0), 0, pieces.len()), (orientation, 0));
            // A turned piece may be wider, and stays within the borders.
            let (turned, column) = steered(at(last), 0, 1);
            assert!(column + pieces[turned].width <= COLUMNS);
        }
    }
    assert_eq!(AllPieces.steer(&State::pack(&Wall::of([0; KEPT]), UNKNOWN, 20, false), None, 0, 0), None);
}

#[test]
fn a_network_tells_a_lost_wall_from_the_one_before() {
    // A single cell in the lower left corner of four rows.
    let mut rows = [0; KEPT];
    rows[0] = 1;
    let encoded = |lost| {
        let state = State::pack(&Wall::of(rows), UNKNOWN, 4, lost);
        let (mut image, mut scalars) = (vec![f32::NAN; Tetris::PLANES * ROWS * COLUMNS], [f32::NAN]);
        Tetris::encode(&state, 0, &mut image, &mut scalars);
        assert_eq!(scalars, [0.2]);
        image.iter().enumerate().filter(|(_, number)| **number == 1.0).map(|(at, _)| at).collect::<Vec<_>>()
    };
    assert_eq!(encoded(false), [(ROWS - 1) * COLUMNS]);
    assert_eq!(encoded(true), (0..ROWS * COLUMNS).collect::<Vec<_>>());
}

#[test]
fn every_golden_placement_has_its_wall_its_lines_and_its_features() {
    let mut count = 0;
    for case in golden(include_str!("../../../../tests/golden/tetris_features.jsonl")) {
        let (before, piece) = (wall(&case["rows"]), piece(&case["piece"]));
        let height = case["height"].as_u64().unwrap() as usize;
        let placed = action(case["orientation"].as_u64().unwrap() as usize, case["column"].as_u64().unwrap() as usize);
        let state = State::pack(&before, piece, height as u8, false);
        let after = Tetris::after(&state, placed);
        assert_eq!(after.state.is_lost(), case["lost"].as_bool().unwrap());
        if after.state.is_lost() {
            continue;
        }
        assert_eq!(f64::from(after.points), case["lines"].as_f64().unwrap());
        assert_eq!(after.state.wall(), wall(&case["after"]));
        Batch::with(|batch| {
            batch.features(&before, piece, height, |action, _, found| {
                for (name, expected) in case["features"].as_object().unwrap().iter().filter(|_| action == placed) {
                    assert_eq!(Some(found[Feature::of(name).unwrap() as usize]), expected.as_f64(), "{name}");
                    count += 1;
                }
            });
        });
    }
    assert_eq!(count, 577 * 10);
}

#[test]
fn the_features_of_the_reports_player_are_those_that_it_saw() {
    let mut lost = 0;
    for case in golden(include_str!("../../../../tests/golden/tetris_seed_player.jsonl")) {
        let (before, piece) = (wall(&case["rows"]), piece(&case["piece"]));
        Batch::with(|batch| {
            batch.features(&before, piece, 20, |action, loses, found| {
                if action == move_of(&case["move"]) {
                    let found = REPORT.map(|feature| found[feature as usize]);
                    let expected: Vec<f64> =
                        case["features"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
                    assert_eq!((found.to_vec(), loses), (expected, case["lost"].as_bool().unwrap()));
                    lost += u32::from(loses);
                }
            });
        });
    }
    assert!(lost > 0);
}

/// A batch for every instruction set, on the heap, where a false access is seen.
fn batches() -> impl Iterator<Item = Box<Batch>> {
    InstructionSet::present().into_iter().map(|set| Box::new(Batch::by(set)))
}

/// All features of a placement in the order of [`Feature::ALL`], cell by cell; for one that loses,
/// of the wall before.
fn plain(before: &Wall, turned: &Orientation, column: usize, height: usize) -> [f64; COUNT] {
    let mut wall = *before;
    let fits = before.rest(turned, column) + turned.height <= height;
    let rest = fits.then(|| wall.put(turned, column));
    wall.clear();
    let Rest { row, lines, cells } = rest.unwrap_or(Rest { row: before.rest(turned, column), lines: 0, cells: 0 });
    let mut numbers = of_wall(&wall, height);
    let landing = |index: usize| f64::from(before.tops[column + index]) + f64::from(turned.upper[index]) / 2.0;
    let mut set = |feature: Feature, number: f64| numbers[feature as usize] = number;
    set(Feature::LandingHeight, row as f64 + (turned.height as f64 - 1.0) / 2.0);
    set(Feature::ErodedPieceCells, f64::from(lines * cells));
    set(Feature::RowsRemoved, f64::from(lines));
    set(Feature::ReportLandingHeight, (0..turned.width).map(landing).fold(0.0, f64::max));
    set(Feature::HasLost, if rest.is_none() { -10_000.0 } else { 100.0 });
    numbers
}

/// Walls of random games.
fn walls(count: u64) -> impl Iterator<Item = (Wall, u8, usize)> {
    (0..count).flat_map(|seed| {
        let rules = Rules::new(4 + seed as u32 % 17).unwrap();
        let mut stream = Stream::new(seed, Role::Game, 0);
        let mut game = Tetris::new(&rules, &mut stream);
        let mut found = Vec::new();
        while !game.is_over() {
            found.push((game.wall, game.piece, rules.rows()));
            let mask = Tetris::mask(&game.state(), MaskKind::LEGAL);
            let action = mask.nth(stream.below(mask.count() as u32) as usize).unwrap();
            game.step(action, &mut stream);
        }
        found
    })
}

#[test]
fn all_placements_at_once_have_the_features_that_are_counted_cell_by_cell() {
    for mut batch in batches() {
        for (wall, piece, height) in walls(200) {
            let mut all = placements(piece);
            batch.features(&wall, piece, height, |action, _, found| {
                let (orientation, column, turned) = all.next().unwrap();
                assert_eq!(action, piece::action(orientation, column));
                let expected = plain(&wall, turned, column, height);
                for (index, feature) in Feature::ALL.iter().enumerate() {
                    assert_eq!(found[index], expected[index], "{feature:?} of {action} on {wall:?}");
                }
            });
            assert!(all.next().is_none());
        }
    }
}

#[test]
fn wells_of_any_depth_are_summed() {
    let each = InstructionSet::present().into_iter().flat_map(|set| (1..=19).map(move |depth| (set, depth)));
    for (set, depth) in each {
        let mut batch = Batch::by(set);
        let mut rows = [0; KEPT];
        // A well in the middle and one at the side.
        rows[..depth].fill(0b01_1110_1111);
        let wall = Wall::of(rows);
        for piece in 0..7 {
            let mut all = placements(piece);
            batch.features(&wall, piece, 20, |_, _, found| {
                let (_, column, turned) = all.next().unwrap();
                let expected = plain(&wall, turned, column, 20);
                for feature in [Feature::WellSums, Feature::WellSumsTriangular] {
                    assert_eq!(found[feature as usize], expected[feature as usize], "{feature:?}, {depth} deep");
                }
            });
        }
    }
}

#[test]
fn the_first_of_the_best_placements_is_taken_whatever_features_are_weighed() {
    let weights: [f64; COUNT] = std::array::from_fn(|index| [3.0, -1.0, 2.0, -2.0, 1.0][index % 5]);
    let mut batches: Vec<_> = batches().collect();
    for (wall, piece, height) in walls(60) {
        for set in [&DELLACHERIE[..], &DT, &REPORT, Feature::ALL, &[Feature::Bumpiness, Feature::HoleDepth]] {
            let terms: Vec<(Feature, f64)> = set.iter().map(|feature| (*feature, weights[*feature as usize])).collect();
            let says_lost = set.contains(&Feature::HasLost);
            let (mut best, mut most) = (None, f64::NEG_INFINITY);
            for (orientation, column, turned) in placements(piece) {
                let numbers = plain(&wall, turned, column, height);
                let lost = wall.rest(turned, column) + turned.height > height;
                let value: f64 = terms.iter().map(|(feature, weight)| weight * numbers[*feature as usize]).sum();
                let value = if lost && !says_lost { f64::NEG_INFINITY } else { value };
                if best.is_none() || value > most {
                    (best, most) = (Some((action(orientation, column), lost)), value);
                }
            }
            let terms: Vec<_> = terms.iter().map(|(feature, weight)| (*feature as usize, *weight)).collect();
            for batch in &mut batches {
                assert_eq!(Some(batch.best(&wall, piece, height, &Weighing::new(&terms))), best);
            }
        }
    }
}

#[test]
fn heights_and_shapes_of_surfaces_are_those_that_are_seen_column_by_column() {
    let names = Tetris::action_names();
    // Odd weights: none is 0, and sums are exact in any order.
    let weights: Vec<f64> = (0..names.len()).map(|place| (2 * ((place * 7919) % 23)) as f64 - 23.0).collect();
    let terms: Vec<(usize, f64)> = weights.iter().copied().enumerate().collect();
    // Features of the agent that ships.
    let is_small = |feature: usize| feature >= COUNT + 19 || DT.iter().any(|of| *of as usize == feature);
    let small: Vec<(usize, f64)> = terms.iter().copied().filter(|(feature, _)| is_small(*feature)).collect();
    for (wall, piece, height) in walls(40) {
        let state = State::pack(&wall, piece, height as u8, false);
        let (mut sums, mut small_sums) = (Vec::new(), Vec::new());
        Tetris::action_features(&state, |action, features| {
            let after = Tetris::after(&state, action).state;
            let left = if after.is_lost() { wall } else { after.wall() };
            let tops = left.tops.map(i32::from);
            let apart = |place: usize| (tops[place + 1] - tops[place]).clamp(-3, 3);
            let number = |name: &str| -> f64 {
                let place = names.iter().position(|known| *known == name).unwrap();
                features.iter().filter(|(of, _)| *of == place).map(|(_, number)| number).sum()
            };
            for (column, top) in tops.into_iter().enumerate() {
                assert_eq!(number(&format!("height_{column}")), f64::from(top));
            }
            for column in 1..10 {
                let difference = (tops[column] - tops[column - 1]).abs();
                assert_eq!(number(&format!("height_difference_{column}")), f64::from(difference));
            }
            let mut seen = std::collections::BTreeMap::<String, f64>::new();
            for place in 0..7 {
                let (here, mirrored) = (
                    [apart(place), apart(place + 1), apart(place + 2)],
                    [-apart(place + 2), -apart(place + 1), -apart(place)],
                );
                let [one, two, three] = here.min(mirrored);
                *seen.entry(format!("shape_{one}_{two}_{three}")).or_default() += 1.0;
            }
            for [one, two, three] in [[apart(0), apart(1), apart(2)], [-apart(8), -apart(7), -apart(6)]] {
                *seen.entry(format!("side_{one}_{two}_{three}")).or_default() += 1.0;
            }
            let told = features.iter().filter(|(feature, _)| *feature >= COUNT + 19);
            let told: std::collections::BTreeMap<String, f64> =
                told.map(|(feature, number)| (names[*feature].to_owned(), *number)).collect();
            assert_eq!(told, seen);
            let sum = |of: &dyn Fn(usize) -> bool| -> f64 {
                features
                    .iter()
                    .filter(|(feature, _)| of(*feature))
                    .map(|(feature, number)| weights[*feature] * number)
                    .sum()
            };
            sums.push((0, action, sum(&|_| true)));
            let lost = Tetris::after(&state, action).state.is_lost();
            small_sums.push((0, action, if lost { f64::NEG_INFINITY } else { sum(&is_small) }));
        });
        let mut weighed = Vec::new();
        weighed::each::<Tetris>(&[state], &terms, |place, action, value| weighed.push((place, action, value)));
        assert_eq!(weighed, sums);
        weighed.clear();
        weighed::each::<Tetris>(&[state], &small, |place, action, value| weighed.push((place, action, value)));
        assert_eq!(weighed, small_sums);
    }
}

#[test]
fn a_feature_without_a_weight_changes_no_choice() {
    let terms: Vec<(usize, f64)> = (1..)
        .map(|number| f64::from(number) - 4.5)
        .zip(DT)
        .map(|(weight, feature)| (feature as usize, weight))
        .collect();
    let with = [&terms[..], &[(Feature::HasLost as usize, 0.0)]].concat();
    for (wall, piece, height) in walls(30) {
        Batch::with(|batch| {
            let chosen = batch.best(&wall, piece, height, &Weighing::new(&with));
            assert_eq!(chosen, batch.best(&wall, piece, height, &Weighing::new(&terms)));
        });
    }
}

#[test]
fn pieces_have_the_cells_and_the_placements_that_they_should() {
    let counts: Vec<usize> = (0..7).map(|piece| placements(piece).count()).collect();
    assert_eq!(counts, [9, 17, 34, 34, 34, 17, 17]);
    for turned in PIECES.iter().flat_map(|turned| turned.iter()) {
        assert_eq!(turned.rows.iter().map(|row| row.count_ones()).sum::<u32>(), 4);
    }
    assert_eq!(placement(action(3, 7)), (3, 7));
}

#[test]
fn a_piece_that_reaches_above_the_last_row_loses_before_anything_is_cleared() {
    // The I in column 0 would fill rows of the wall of four, but its top cell lies above.
    let rules = Rules::new(4).unwrap();
    let mut rows = [0; KEPT];
    rows[..4].fill(0b1111111110);
    rows[0] = 0b1011111111;
    let state = State::pack(&Wall::of(rows), 1, 4, false);
    let mut game = Tetris::at(&rules, &state);
    assert_eq!(
        game.step(action(0, 0), &mut Stream::new(0, Role::Game, 0)),
        Step { reward: 0.0, terminal: true, waves: 0 }
    );
    assert_eq!(game.state().wall(), Wall::of(rows));
}

#[test]
fn a_wall_that_is_none_is_refused_by_its_row_and_column() {
    for (text, expected) in [
        ("..........\n.........", "row 1 of the board (from 0) has 9 cells, but must have 10"),
        ("##########", "row 0 of the board (from 0) is full, but full rows are removed"),
        ("...x......", "row 0, column 3 of the board (both from 0) is 'x', but must be . or #"),
        (
            "..........\n..OO......\n..........\n..........\n..........\n..........",
            "row 0 of the board (from 0) is \"..........\", but the piece O stands there as \"...OO.....\"",
        ),
    ] {
        assert_eq!(Tetris::parse(&Rules::default(), text, None).unwrap_err().to_string(), expected);
    }
    let lines = vec![".........."; 21].join("\n");
    assert!(
        Tetris::parse(&Rules::default(), &lines, None).unwrap_err().to_string().starts_with("the wall has 21 rows")
    );
}

#[test]
fn a_wall_has_the_rows_of_the_rules_and_is_refused_if_it_is_higher() {
    let rules = Rules::new(6).unwrap();
    let wall = ["#########."; 6].join("\n");
    let state = Tetris::parse(&rules, &wall, None).unwrap();
    assert_eq!((state.height(), state.wall().height()), (6, 6));
    let board = Tetris::board(&Tetris::at(&Rules::default(), &Tetris::with_piece(&state, 1)).state());
    assert_eq!(Tetris::parse(&rules, &board, None).unwrap().height(), 6, "empty rows above are no more rows");
    let higher = ["#########."; 7].join("\n");
    assert_eq!(
        Tetris::parse(&rules, &higher, None).unwrap_err().to_string(),
        "the wall is 7 rows high, but by these rules it has 6"
    );
}
