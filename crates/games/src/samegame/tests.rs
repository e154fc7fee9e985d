use serde_json::Value;

use super::*;
use crate::StateFeatures;
use crate::conformance;
use crate::random::{Role, SeededDraw as _, Stream};

fn golden() -> impl Iterator<Item = Value> {
    include_str!("../../../../tests/golden/samegame.jsonl").lines().map(|line| serde_json::from_str(line).unwrap())
}

fn strings(rows: &Value) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row.as_str().unwrap().to_owned()).collect()
}

fn standard(number: u128) -> (SameGame, SameRandom) {
    let rules = Rules { boards: Boards::Standard };
    let mut random = SameGame::random(&rules, number);
    (SameGame::new(&rules, &mut random), random)
}

/// A smaller board in the lower left corner.
fn padded(rows: &[String]) -> State {
    let mut lines = vec![".".repeat(COLUMNS); ROWS - rows.len()];
    lines.extend(rows.iter().map(|row| format!("{row:.<COLUMNS$}")));
    SameGame::parse(&Rules::default(), &lines.join("\n"), None).unwrap()
}

/// Rows of a board as the golden file has them.
fn digits(state: &State, rows: usize, columns: usize) -> Vec<String> {
    let digit = |colour: &u8| char::from(b"01234."[usize::from(*colour)]);
    state.colours()[ROWS - rows..].iter().map(|row| row[..columns].iter().map(digit).collect()).collect()
}

/// Board after a move by a flood fill, falls and closing columns on plain rows.
fn plain(rows: &[[u8; COLUMNS]; ROWS], action: usize) -> Option<([[u8; COLUMNS]; ROWS], i32)> {
    let (mut rest, mut open, mut size) = (*rows, vec![(action / COLUMNS, action % COLUMNS)], 0);
    let colour = rows[action / COLUMNS][action % COLUMNS];
    while let Some((row, column)) = open.pop() {
        if colour < 5 && rest[row][column] == colour {
            (rest[row][column], size) = (5, size + 1);
            open.extend((row > 0).then(|| (row - 1, column)));
            open.extend((row + 1 < ROWS).then_some((row + 1, column)));
            open.extend((column > 0).then(|| (row, column - 1)));
            open.extend((column + 1 < COLUMNS).then_some((row, column + 1)));
        }
    }
    let mut columns: Vec<Vec<u8>> = (0..COLUMNS)
        .map(|column| (0..ROWS).rev().map(|row| rest[row][column]).filter(|colour| *colour < 5).collect())
        .collect();
    columns.retain(|column| !column.is_empty());
    let is_cleared = columns.is_empty();
    let mut next = [[5; COLUMNS]; ROWS];
    for (column, tiles) in columns.iter().enumerate() {
        tiles.iter().enumerate().for_each(|(height, colour)| next[ROWS - 1 - height][column] = *colour);
    }
    (size > 1).then(|| (next, (size - 2) * (size - 2) + if is_cleared { 1_000 } else { 0 }))
}

#[test]
fn every_golden_game_is_played_as_its_program_plays_it() {
    for case in golden() {
        let (mut game, rows, columns) = match &case["board"] {
            Value::String(name) => (standard(name[4..].parse().unwrap()).0, ROWS, COLUMNS),
            rows => {
                let rows = strings(rows);
                let (height, width) = (rows.len(), rows[0].len());
                (SameGame::at(&Rules::default(), &padded(&rows)), height, width)
            }
        };
        let id = case["id"].as_str().unwrap();
        if case["kind"] == "start" {
            let (dealt, _) = standard(id[4..].parse().unwrap());
            assert_eq!(dealt.state(), game.state(), "{id}");
        }
        let start = SameGame::mask(&game.state(), GROUPS);
        assert_eq!(start.count() as u64, case["start_moves"].as_u64().unwrap(), "{id}");
        let moves = case["moves"].as_array().unwrap();
        let mut stream = Stream::new(0, Role::Game, 0);
        for (number, at) in moves.iter().enumerate() {
            let [row, column] = <[usize; 2]>::deserialize(at).unwrap();
            let step = game.step((row + ROWS - rows) * COLUMNS + column, &mut stream);
            assert_eq!(f64::from(step.reward), case["points"][number].as_f64().unwrap(), "{id}, move {number}");
            if let Value::Array(_) = &case["after"][number] {
                assert_eq!(
                    digits(&game.state(), rows, columns),
                    strings(&case["after"][number]),
                    "{id}, move {number}"
                );
            }
        }
        assert_eq!(i64::from(game.score()), case["total"].as_i64().unwrap(), "{id}");
        assert_eq!(game.is_over(), case["over"].as_bool().unwrap(), "{id}");
        assert_eq!(game.board.is_empty(), case["cleared"].as_bool().unwrap(), "{id}");
        if !case["final"].is_null() {
            assert_eq!(digits(&game.state(), rows, columns), strings(&case["final"]), "{id}");
        }
        for at in case["refuse"].as_array().into_iter().flatten() {
            let [row, column] = <[i64; 2]>::deserialize(at).unwrap();
            if row >= 0 && column < COLUMNS as i64 {
                let action = (row as usize + ROWS - rows) * COLUMNS + column as usize;
                let before = game.clone();
                assert!(!SameGame::mask(&game.state(), MaskKind::LEGAL).contains(action), "{id}");
                assert_eq!(game.step(action, &mut stream).reward, 0.0);
                assert_eq!(game, before, "{id}");
            }
        }
    }
}

#[test]
fn groups_fall_and_close_as_on_plain_rows() {
    let mut stream = Stream::new(3, Role::Game, 0);
    for _ in 0..60 {
        let mut game = SameGame::new(&Rules::default(), &mut stream);
        while !game.is_over() {
            let rows = game.state().colours();
            let legal = SameGame::mask(&game.state(), MaskKind::LEGAL);
            for action in 0..SameGame::ACTIONS {
                let next = plain(&rows, action);
                assert_eq!(legal.contains(action), next.is_some());
                if let Some((next, points)) = next {
                    let after = SameGame::after(&game.state(), action);
                    assert_eq!((after.state.colours(), after.points), (next, points as f32));
                }
            }
            // One cell of each group, the first row by row.
            let mut seen = [false; CELLS];
            let mut firsts = ActionMask::empty();
            for action in legal.iter().filter(|action| !seen[*action]).collect::<Vec<_>>() {
                let state = game.state();
                let groups = state.board.groups();
                let group = state.board.group_at(&groups, action);
                if !seen[action] {
                    firsts.insert(action);
                    state.board.cells(&groups, |one| Some(one) == group).iter().for_each(|cell| seen[cell] = true);
                }
            }
            assert_eq!(SameGame::mask(&game.state(), GROUPS), firsts);
            let tabu = SameGame::mask(&game.state(), TABU);
            assert!(!tabu.is_empty() && tabu.without(&firsts).is_empty());
            game.step(
                legal.nth(stream.below(legal.count() as u32) as usize).unwrap(),
                &mut Stream::new(0, Role::Game, 0),
            );
        }
    }
}

#[test]
fn the_commonest_colour_waits_until_nothing_else_can_be_taken() {
    let mask = |rows: &[&str]| {
        let rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
        SameGame::mask(&padded(&rows), TABU).iter().collect::<Vec<_>>()
    };
    let at = |row: usize, column: usize| row * COLUMNS + column;
    assert_eq!(mask(&["RRR", "GGB"]), [at(14, 0)]);
    assert_eq!(mask(&["RRR", "GBG"]), [at(13, 0)]);
}

#[test]
fn the_game_keeps_what_a_game_promises() {
    for seed in 0..4 {
        conformance::check::<SameGame>(&Rules::default(), seed);
        conformance::check_text::<SameGame>(&Rules::default(), seed);
        conformance::check_text::<SameGame>(&Rules { boards: Boards::Standard }, seed);
    }
}

#[test]
fn seeds_deal_the_standard_boards_again_after_twenty_or_random_ones() {
    assert_eq!(standard(1).0, standard(21).0);
    assert_eq!(standard(20).0, standard(0).0);
    let boards: std::collections::HashSet<String> =
        (1..=20).map(|seed| SameGame::board(&standard(seed).0.state())).collect();
    assert_eq!(boards.len(), 20);
    let random = |seed| SameGame::new(&Rules::default(), &mut SameRandom::from_seed(seed));
    assert_ne!(random(1), standard(1).0);
    assert_ne!(random(1), random(21));
}

#[test]
fn a_board_that_hangs_in_the_air_is_refused_by_row_and_column() {
    let refused = |rows: [&str; 2]| {
        let mut lines = vec![".".repeat(COLUMNS); ROWS - 2];
        lines.extend(rows.iter().map(|row| format!("{row:.<COLUMNS$}")));
        SameGame::parse(&Rules::default(), &lines.join("\n"), None).unwrap_err().to_string()
    };
    assert!(refused(["RR", "R."]).starts_with("row 13, column 1 "), "{}", refused(["RR", "R."]));
    assert!(refused(["R.R", "R.R"]).starts_with("row 13, column 1 "), "{}", refused(["R.R", "R.R"]));
    assert!(refused(["R", "x"]).starts_with("row 14, column 0 "));
}

#[test]
fn a_saved_board_that_no_game_has_is_refused() {
    let saved = serde_json::to_value(standard(1).0).unwrap();
    assert!(serde_json::from_value::<SameGame>(saved.clone()).is_ok());
    for tiles in [0x10_u64, 0x7, 0x1000_0000_0000_0000] {
        let mut wrong = saved.clone();
        wrong["board"]["columns"][3] = tiles.into();
        assert!(serde_json::from_value::<SameGame>(wrong).is_err());
    }
}

#[test]
fn features_are_those_counted_by_hand() {
    // Three reds in an angle, two blues, a green and a yellow.
    let rows = ["G..", "R.B", "RRB", "YYV"].map(str::to_owned);
    let features = SameGame::features(&padded(&rows));
    let named = |name: &str| features[SameGame::NAMES.iter().position(|known| *known == name).unwrap()];
    // Red comes first; of the pairs, and of the single tiles, those with more points, groups or singles.
    assert_eq!((named("tiles 1"), named("tiles squared 1"), named("largest squared 1")), (3.0, 0.9, 0.9));
    assert_eq!((named("points 1"), named("groups 1"), named("singles 1")), (0.1, 1.0, 0.0));
    assert_eq!((named("tiles 2"), named("groups 2"), named("points 2")), (2.0, 1.0, 0.0));
    assert_eq!((named("tiles 5"), named("groups 5"), named("singles 5")), (1.0, 1.0, 1.0));
    assert_eq!((named("columns"), named("moves"), named("steps")), (3.0, 3.0, 3.0));
    assert!(SameGame::features(&padded(&["RGR".to_owned()])).iter().all(|number| *number == 0.0));
}
