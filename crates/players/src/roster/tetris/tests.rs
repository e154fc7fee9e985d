//! Known weights against an independent program's moves, and game by game.

use serde_json::Value;

use super::*;
use crate::Policy;
use matchq_games::{Game, Run, Text, weighed};
use matchq_core::random::{Role, Stream};

/// A position of the golden cases: rows of bits from below, and a piece.
fn state(case: &Value) -> State {
    let rows: Vec<u64> = case["rows"].as_array().unwrap().iter().map(|row| row.as_u64().unwrap()).collect();
    let cells = |row: &u64| (0..10).map(|column| if row >> column & 1 == 1 { '#' } else { '.' }).collect::<String>();
    let lines: Vec<String> = rows.iter().take(20).rev().map(cells).collect();
    let wall = Tetris::parse(&Rules::default(), &lines.join("\n"), None).unwrap();
    let mut letters = Tetris::PIECES.unwrap().letters().iter();
    let piece = letters.position(|letter| letter.to_string() == case["piece"].as_str().unwrap());
    Tetris::with_piece(&wall, piece.unwrap())
}

#[test]
fn the_reports_player_plays_its_moves() {
    let player = Linear::named::<Tetris>("report").unwrap().player::<Tetris>(1);
    let mut cases = 0;
    for line in include_str!("../../../../../tests/golden/tetris_seed_player.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let chosen = player.choose(&state(&case), &mut Stream::new(0, Role::Tie, 0));
        assert_eq!(Tetris::to_json(chosen), case["best"], "{case}");
        cases += 1;
    }
    assert!(cases > 100, "{cases}");
}

#[test]
fn a_game_by_a_linear_agent_is_the_game_of_its_moves() {
    let rules = Rules::new(8).unwrap();
    for (name, seed) in
        ["dellacherie", "dt-10", "shapes"].into_iter().flat_map(|name| (0..5).map(move |seed| (name, seed)))
    {
        let agent = Linear::named::<Tetris>(name).unwrap();
        let (terms, player) = (agent.terms(), agent.player::<Tetris>(1));
        let fast = weighed::play::<Tetris>(&rules, terms, &mut Stream::new(seed, Role::Game, 0), 300);
        let mut stream = Stream::new(seed, Role::Game, 0);
        let mut game = Tetris::new(&rules, &mut stream);
        let mut moves = 0;
        while moves < 300 && !game.is_over() {
            let chosen = player.choose(&game.state(), &mut Stream::new(0, Role::Tie, 0));
            assert_eq!(player.rank(&game.state(), &mut Stream::new(0, Role::Tie, 0))[0].action, chosen);
            let mut ranked = Vec::new();
            weighed::each::<Tetris>(&[game.state()], terms, |_, action, value| ranked.push((action, value)));
            let most = ranked.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(ranked.iter().find(|(_, value)| *value == most).unwrap().0, chosen);
            game.step(chosen, &mut stream);
            moves += 1;
        }
        assert_eq!(fast, Run { score: f64::from(game.score()), moves, is_over: game.is_over() });
    }
}
