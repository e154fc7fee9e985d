//! Bejeweled against the plain rules and the cases of an independent program.

mod plain;

use serde_json::{Value, json};

use super::board::Move;
use super::{Bejeweled, Level, Rules, State};
use crate::random::{Draw, Role, Stream};
use crate::{Game, Lookahead, MaskKind, Text, conformance};
use plain::Plain;

/// Cases of an independent program, a board a line.
pub fn golden() -> impl Iterator<Item = Value> {
    let lines = include_str!("../../../../tests/golden/bejeweled.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap())
}

pub fn text(lines: &Value) -> String {
    lines.as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

fn state(board: &str) -> State {
    Bejeweled::parse(&Rules::default(), board, Some(0)).unwrap()
}

fn bounded(moves: u32) -> Rules {
    Rules::new(moves, [10, 5], [50, 15]).unwrap()
}

fn with_unknown(board: &str, stream: &mut Stream) -> String {
    board.chars().map(|letter| if letter != '\n' && stream.below(6) == 0 { '.' } else { letter }).collect()
}

#[test]
fn bejeweled_keeps_what_a_game_promises() {
    conformance::check::<Bejeweled>(&Rules::default(), 1);
    conformance::check::<Bejeweled>(&bounded(30), 2);
    conformance::check::<Bejeweled>(&Rules::new(0, [1, 0], [1000, 0]).unwrap(), 3);
    for seed in 0..10 {
        conformance::check_text_of::<Bejeweled>(&Rules::default(), seed, Bejeweled::as_written);
        conformance::check_text_of::<Bejeweled>(&bounded(20), seed, Bejeweled::as_written);
    }
}

#[test]
fn games_go_as_the_plain_rules_say_gem_by_gem() {
    let (mut ended, mut levels) = (0, 0);
    for index in 0..60 {
        let rules = if index % 3 == 0 { bounded(15) } else { Rules::default() };
        let mut stream = Stream::new(4, Role::Game, index);
        let mut twin_stream = stream.clone();
        let mut choice = Stream::new(4, Role::Explore, index);
        let mut game = Bejeweled::new(&rules, &mut stream);
        let mut plain = Plain::deal(&mut twin_stream);
        plain.moves_left = (index % 3 == 0).then_some(15);
        loop {
            let now = game.state();
            assert_eq!(Bejeweled::board(&now), plain.text());
            let legal: Vec<_> = plain.legal();
            let mask = Bejeweled::mask(&now, MaskKind::LEGAL);
            let mut found: Vec<_> =
                mask.iter().map(Move::of_action).map(|Move { x, y, vertical }| (x, y, vertical)).collect();
            found.sort_by_key(|(x, y, vertical)| (*y, *x, !vertical));
            assert_eq!(found, legal, "{}", plain.text());
            assert_eq!(game.is_over(), legal.is_empty());
            if legal.is_empty() {
                ended += 1;
                break;
            }
            let refused = (0..Bejeweled::ACTIONS).find(|action| !mask.contains(*action)).unwrap();
            let before = (game.clone(), stream.clone());
            assert_eq!(game.step(refused, &mut stream).reward, 0.0);
            assert_eq!((game.clone(), stream.clone()), before, "a refused swap changes nothing and costs nothing");

            let played = legal[choice.below(legal.len() as u32) as usize];
            let (points, steps) = plain.play(played, &mut twin_stream);
            let (x, y, vertical) = played;
            let step = game.step(Move { x, y, vertical }.action().unwrap(), &mut stream);
            assert_eq!((f64::from(step.reward), step.waves), (points as f64, steps));
            assert_eq!(i64::from(game.score()), plain.score);
            let Level { number, points } = game.level();
            assert_eq!((i64::from(number), i64::from(points)), (plain.level, plain.bar));
            levels = levels.max(number);
        }
    }
    assert!(ended == 60 && levels > 2, "{ended} games have ended, the highest level was {levels}");
}

#[test]
fn what_is_certain_of_a_board_is_what_the_plain_rules_leave() {
    let mut stream = Stream::new(5, Role::Explore, 0);
    for case in golden().take(40) {
        let known = text(&case["board"]);
        for board in [known.clone(), with_unknown(&known, &mut stream)] {
            let (now, plain) = (state(&board), Plain::new(&board));
            let legal = plain.legal();
            assert_eq!(Bejeweled::mask(&now, MaskKind::LEGAL).count(), legal.len());
            for (x, y, vertical) in legal {
                let other = if vertical { (x, y + 1) } else { (x + 1, y) };
                let mut left = plain.swapped((x, y), other);
                let (mut points, mut steps) = (0, 0);
                loop {
                    let points_per_step = left.clear_step();
                    if points_per_step == 0 {
                        break;
                    }
                    steps += 1;
                    points += 10 * points_per_step * steps;
                }
                let after = Bejeweled::after(&now, Move { x, y, vertical }.action().unwrap());
                assert_eq!(Bejeweled::board(&after.state), left.text());
                assert_eq!(f64::from(after.points), points as f64);
            }
        }
    }
}

#[test]
fn lines_of_a_step_count_from_the_shortest_and_steps_of_a_cascade_from_the_first() {
    // The swap makes a column of four B and a row of three B: 10 ((3 - 2) 1 + (4 - 2) 2).
    let board = "RWRWRWRW\nWRWRBRWR\nRWRWBWRW\nRWBBYBRP\nOGOGBGOG\nGOGOPOGO\nOGOGOGOG\nGOGOGOGO";
    let swap = Bejeweled::from_json(&json!("(4,3)R")).unwrap();
    let (_, points) = Bejeweled::wave(&Bejeweled::done(&state(board), swap)).unwrap();
    assert_eq!(points, 50.0);
    let mut game = Bejeweled::at(&Rules::default(), &state(board));
    assert!(Bejeweled::mask(&game.state(), MaskKind::LEGAL).contains(swap));
    assert!(game.step(swap, &mut Stream::new(0, Role::Game, 0)).reward >= 50.0);
}

#[test]
fn a_swap_is_read_from_either_of_its_cells_and_other_texts_are_refused() {
    let swap = Bejeweled::from_json(&json!("(2,6)D")).unwrap();
    assert_eq!(Bejeweled::from_json(&json!("(2,7)U")), Ok(swap));
    assert_eq!(Bejeweled::from_json(&json!("(3,1)R")), Bejeweled::from_json(&json!("(4,1)L")));
    assert_eq!(Bejeweled::to_json(swap), json!("(2,6)D"));
    for off_board in ["(2,7)D", "(2,0)U", "(7,3)R", "(0,3)L", "(9,9)D"] {
        assert_eq!(Bejeweled::from_json(&json!(off_board)), Ok(Bejeweled::ACTIONS));
    }
    for wrong in [json!("(2,6)X"), json!("2,6 D"), json!([2, 6]), json!("(-1,6)D")] {
        assert!(Bejeweled::from_json(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn boards_that_are_none_are_refused_by_their_place() {
    let good = text(&golden().next().unwrap()["board"]);
    let rows: Vec<&str> = good.lines().collect();
    let run = ["RRR", &rows[0][3..]].concat();
    for (board, place) in [
        (rows[1..].join("\n"), "must have 8 rows, not 7"),
        (good.replacen('W', "x", 1), "row 0, column 4"),
        ([&[&rows[0][1..]], &rows[1..]].concat().join("\n"), "row 0, column 7"),
        ([&[run.as_str()], &rows[1..]].concat().join("\n"), "row 0, column 0 of the board (both from 0) begins a run"),
    ] {
        let error = Bejeweled::parse(&Rules::default(), &board, Some(0)).unwrap_err().to_string();
        assert!(error.contains(place), "{error}");
    }
    assert!(
        Bejeweled::parse(&Rules::default(), &good, Some(-1)).is_err()
            && Bejeweled::parse(&Rules::default(), &good, Some(10_001)).is_err()
    );
    for rules in [[10_001, 10, 50], [0, 0, 50], [0, 10, 0], [0, 1_001, 50]] {
        assert!(Rules::new(rules[0], [rules[1], 5], [rules[2], 15]).is_err());
    }
    let unknown = state(&good.replace('W', "?"));
    assert_eq!(Bejeweled::board(&unknown), good.replace('W', "."));
    assert!(!Bejeweled::is_whole(&unknown) && Bejeweled::is_whole(&state(&good)));
}

#[test]
fn a_board_whose_moves_left_are_not_given_has_those_of_the_rules() {
    let board = text(&golden().next().unwrap()["board"]);
    let left = |rules: &Rules, given| Bejeweled::parse(rules, &board, given).unwrap().moves_left();
    assert_eq!((left(&bounded(30), None), left(&bounded(30), Some(7))), (Some(30), Some(7)));
    assert_eq!((left(&Rules::default(), None), left(&Rules::default(), Some(7))), (None, Some(7)));
}
