//! Golden traces of an independent implementation of the rules.

use matchq_games::Game;
use matchq_games::match3::{Match3, Move, Rules};
use matchq_games::random::CPythonRandom;
use serde_json::Value;

fn traces(name: &str) -> Vec<Value> {
    let path = format!("{}/../../tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A number, or its decimal text where it may exceed 64 bits.
fn seed(value: &Value) -> u128 {
    match value.as_str() {
        Some(text) => text.parse().unwrap(),
        None => value.as_u64().unwrap().into(),
    }
}

fn deal(seed: u128, obstacle_kinds: u32) -> (Match3, CPythonRandom) {
    let mut random = CPythonRandom::new(seed);
    (Match3::new(&Rules::new(obstacle_kinds).unwrap(), &mut random), random)
}

fn check_games(name: &str, obstacle_kinds: u32) {
    let games = traces(name);
    assert!(!games.is_empty());
    for trace in games {
        let seed = seed(&trace["seed"]);
        let (mut game, mut random) = deal(seed, obstacle_kinds);
        assert_eq!(trace["start"], game.board(), "start of seed {seed}");
        let moves = trace["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 25);
        let mut score = 0;
        for (number, expected) in moves.iter().enumerate() {
            let (x, y) = (expected[0].as_u64().unwrap(), expected[1].as_u64().unwrap());
            let at = Move { x: x as usize, y: y as usize, vertical: expected[2].as_bool().unwrap() };
            let step = game.step(at.action().unwrap(), &mut random);
            let context = format!("move {number} of seed {seed}");
            assert_eq!(expected[3].as_f64(), Some(step.reward.into()), "{context}");
            assert_eq!(expected[4], game.board(), "{context}");
            score += step.reward as i32;
            assert_eq!(game.score(), score, "{context}");
            assert_eq!(step.terminal, number == 24, "{context}");
        }
        assert!(game.is_over());
    }
}

#[test]
fn games_with_two_obstacle_kinds_follow_the_traces() {
    check_games("match3.jsonl", 2);
}

#[test]
fn games_with_one_obstacle_kind_follow_the_traces() {
    check_games("match3_one_obstacle_kind.jsonl", 1);
}

#[test]
fn large_seeds_moves_off_the_board_and_after_the_end_and_boards_on_the_way_follow_the_traces() {
    let games = traces("match3_edge_cases.jsonl");
    assert!(!games.is_empty());
    for trace in games {
        let seed = seed(&trace["seed"]);
        let (mut game, mut random) = deal(seed, trace["obstacle_kinds"].as_u64().unwrap() as u32);
        assert_eq!(trace["start"], game.board(), "start of seed {seed}");
        let matching: Vec<_> =
            game.matching_moves().into_iter().map(|Move { x, y, vertical }| (x, y, vertical)).collect();
        assert_eq!(trace["matching_moves"], serde_json::json!(matching), "seed {seed}");
        for (number, expected) in trace["plays"].as_array().unwrap().iter().enumerate() {
            let at = &expected["move"];
            let (x, y) = (at[0].as_i64().unwrap(), at[1].as_i64().unwrap());
            let vertical = at[2].as_bool().unwrap();
            let (mut unwatched, mut same_random) = (game.clone(), random.clone());
            let (play, boards) = game.play_watched(x, y, vertical, &mut random);
            let found = serde_json::json!({
                "move": [x, y, vertical],
                "board": game.board(),
                "score_delta": play.reward as i32,
                "game_over": play.terminal,
                "intermediate": boards,
                "score": game.score(),
                "moves_left": game.moves_left(),
            });
            assert_eq!(*expected, found, "move {number} of seed {seed}");
            assert_eq!(unwatched.play(x, y, vertical, &mut same_random), play);
            assert_eq!((unwatched, same_random), (game.clone(), random.clone()));
        }
    }
}

#[test]
fn the_games_of_a_session_of_the_kit_follow_the_traces() {
    let sessions = traces("kit_sessions.jsonl");
    assert!(!sessions.is_empty());
    for session in sessions {
        let mut random = CPythonRandom::new(seed(&session["session_seed"]));
        for expected in session["games"].as_array().unwrap() {
            let drawn = random.getrandbits128();
            assert_eq!(drawn, seed(&expected["seed"]));
            assert_eq!(expected["start"], deal(drawn, 2).0.board());
        }
    }
}
