//! Tile-match against the plain rules and the games and boards of the original.

mod plain;

use serde_json::Value;

use super::{Draws, MATCHING, Rules, State, TileMatch, TileRandom, board as cells, text};
use crate::random::{Draw, NumPyRandom, Role, Stream};
use crate::{Game, Lookahead, MaskKind, StateFeatures, Text, conformance};
use plain::Plain;

const NUMPY: Rules = Rules { draws: Draws::NumPy };

fn golden() -> impl Iterator<Item = Value> {
    let lines = include_str!("../../../../tests/golden/tilematch.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap())
}

fn board(lines: &Value) -> String {
    lines.as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn tile_match_keeps_what_a_game_promises() {
    conformance::check::<TileMatch>(&Rules::default(), 1);
    for seed in 0..5 {
        conformance::check_text::<TileMatch>(&Rules::default(), seed);
    }
}

#[test]
fn games_and_single_moves_are_those_of_the_original() {
    let (mut games, mut moves, mut shuffled, mut spent) = (0, 0, 0, 0);
    for case in golden().filter(|case| !case["moves"].is_null()) {
        let name = format!("{} {}", case["name"], case["seed"]);
        let seed = case["seed"].as_u64().unwrap().into();
        let (mut game, mut random) = match case["built"].as_bool().unwrap() {
            // The seed's numbers begin with the first refill.
            true => {
                let state = TileMatch::parse(&NUMPY, &board(&case["start"]), None).unwrap();
                (TileMatch::at(&NUMPY, &state), TileMatch::random(&NUMPY, seed))
            }
            false => {
                let mut random = TileMatch::random(&NUMPY, seed);
                (TileMatch::new(&NUMPY, &mut random), random)
            }
        };
        assert_eq!(TileMatch::board(&game.state()), board(&case["start"]), "{name}");
        for (number, played) in case["moves"].as_array().unwrap().iter().enumerate() {
            let name = format!("{name}, move {number}");
            let action = TileMatch::from_json(&played["swap"]).unwrap();
            assert_eq!(
                played["action"].as_u64().map_or(TileMatch::ACTIONS, |action| action as usize),
                action,
                "{name}"
            );
            let (mut watched, mut watched_random) = (game.clone(), random.clone());
            let step = game.step(action, &mut random);
            let waves = played["waves"].as_array().unwrap();
            assert_eq!(
                (step.reward as u64, step.waves as usize),
                (played["points"].as_u64().unwrap(), waves.len()),
                "{name}"
            );
            assert_eq!(TileMatch::board(&game.state()), board(&played["after"]), "{name}");
            // The boards on the way: swapped, then of each wave with its holes, fallen and filled.
            let (_, frames) = watched.frames(action, &mut watched_random);
            for (wave, frame) in waves.iter().zip(frames.iter().skip(1).step_by(3)) {
                let holes = frame.lines().collect::<String>();
                let holes: Vec<usize> =
                    holes.chars().enumerate().filter(|(_, letter)| *letter == ' ').map(|(place, _)| place).collect();
                let removed: Vec<usize> = serde_json::from_value(wave["removed"].clone()).unwrap();
                assert_eq!(holes, removed, "{name}");
            }
            moves += 1;
            shuffled += u32::from(played["shuffled"].as_bool().unwrap());
            spent += u32::from(waves.is_empty());
        }
        assert_eq!(i64::from(game.score()), case["score"].as_i64().unwrap(), "{name}");
        games += 1;
    }
    assert!(
        (games, moves) == (40, 650) && shuffled == 8 && spent > 50,
        "{games} games, {moves} moves, {shuffled}, {spent}"
    );
}

#[test]
fn single_waves_and_redraws_are_those_of_the_original() {
    let mut cut = 0;
    let cases: Vec<Value> = golden().filter(|case| case["moves"].is_null()).collect();
    assert_eq!(cases.len(), 60);
    for case in cases {
        let text = board(&case["board"]);
        let grid = text::parse(&text).unwrap();
        let removed = grid.removed();
        let found: Vec<usize> = (0..64).filter(|place| removed >> place & 1 == 1).collect();
        assert_eq!(serde_json::to_value(found).unwrap(), case["removed"], "{text}");
        let rows = grid.runs().redrawn_rows();
        assert_eq!(rows as u64, case["redrawn_rows"].as_u64().unwrap(), "{text}");
        cut += u32::from(case["cut"].as_bool().unwrap());
    }
    assert!(cut > 5, "few runs are cut");
}

#[test]
fn games_go_as_the_plain_rules_say_tile_by_tile() {
    for index in 0..60 {
        let mut stream = Stream::new(4, Role::Game, index);
        let mut twin_stream = stream.clone();
        let mut choice = Stream::new(4, Role::Explore, index);
        let mut game = TileMatch::new(&Rules::default(), &mut stream);
        let mut plain = Plain::deal(&mut twin_stream);
        while !game.is_over() {
            assert_eq!(TileMatch::board(&game.state()), plain.text());
            let mask = TileMatch::mask(&game.state(), MATCHING);
            let found: Vec<_> = mask.iter().map(text::cells).map(|[a, b, c, d]| ((a, b), (c, d))).collect();
            assert_eq!(found, plain.matching(), "{}", plain.text());
            // Now and then any swap.
            let offered = if choice.below(4) == 0 { TileMatch::mask(&game.state(), MaskKind::LEGAL) } else { mask };
            let action = offered.nth(choice.below(offered.count() as u32) as usize).unwrap();
            let [row, column, other_row, other_column] = text::cells(action);
            let (points, waves) = plain.play((row, column), (other_row, other_column), &mut twin_stream);
            let step = game.step(action, &mut stream);
            assert_eq!((step.reward as usize, step.waves as usize), (points, waves));
            assert_eq!(stream, twin_stream);
        }
    }
}

/// Boards of few colours have many runs and side lines, as games seldom do.
#[test]
fn waves_of_crowded_boards_are_those_of_the_plain_rules() {
    let mut stream = Stream::new(5, Role::Game, 0);
    let mut side_lines = 0;
    for _ in 0..5_000 {
        let colours = 2 + stream.below(3);
        let plain = Plain(std::array::from_fn(|_| std::array::from_fn(|_| stream.below(colours) as u8)));
        let grid = text::parse(&plain.text()).unwrap();
        let removed = grid.removed();
        let found: Vec<_> =
            (0..64).map(|place| (place / 8, place % 8)).filter(|(y, x)| removed >> (8 * y + x) & 1 == 1).collect();
        assert_eq!(found, plain.removed(), "{}", plain.text());
        if !found.is_empty() {
            assert_eq!(grid.runs().redrawn_rows(), plain.redrawn_rows(), "{}", plain.text());
        }
        side_lines += u32::from(found.len() > plain.first_lines().concat().len());
    }
    assert!(side_lines > 1_000);
}

#[test]
fn a_board_without_a_matching_swap_is_shuffled_within_the_move() {
    let mut seen = 0;
    for case in golden().filter(|case| !case["moves"].is_null()) {
        for played in case["moves"].as_array().unwrap().iter().filter(|played| played["shuffled"] == true) {
            let before = State::at_rest(&board(&played["before_shuffle"]), 3).unwrap();
            assert!(TileMatch::mask(&before, MATCHING).is_empty());
            seen += 1;
        }
    }
    assert_eq!(seen, 8);
}

#[test]
fn what_is_no_swap_of_two_neighbours_spends_the_move() {
    let mut random = TileRandom::new(Draws::NumPy, 42);
    let mut game = TileMatch::new(&NUMPY, &mut random);
    let before = (TileMatch::board(&game.state()), random.clone());
    for no_swap in ["[0,0,0,0]", "[0,0,0,2]", "[0,0,1,1]", "[0,7,0,8]", "[-1,0,0,0]", "[9,9,9,8]"] {
        let action = TileMatch::from_json(&serde_json::from_str(no_swap).unwrap()).unwrap();
        assert_eq!(action, TileMatch::ACTIONS, "{no_swap}");
        assert_eq!(game.step(action, &mut random).reward, 0.0);
    }
    assert_eq!((TileMatch::board(&game.state()), random), before);
    assert_eq!(game.state().moves_left(), 44);
    let back: Value = serde_json::from_str("[3, 5, 3, 4]").unwrap();
    assert_eq!(TileMatch::from_json(&back), Ok(56 + 3 * 7 + 4));
    assert!(TileMatch::from_json(&Value::from(7)).is_err());
}

#[test]
fn the_seed_of_the_benchmark_deals_its_board() {
    let game = TileMatch::new(&NUMPY, &mut NumPyRandom::new(42));
    let expected = "RCGCPPCR\nPCRRCGPP\nRGCGPRGC\nGRCPCCRG\nPCRGCGCR\nRRGGRGRC\nRCCPGPPR\nPGPPRPCR";
    assert_eq!(TileMatch::board(&game.state()), expected);
}

#[test]
fn a_position_with_unknown_tiles_is_not_whole_and_is_filled_at_the_next_wave() {
    let game = TileMatch::new(&NUMPY, &mut NumPyRandom::new(42));
    let state = game.state();
    let action = TileMatch::mask(&state, MATCHING).nth(0).unwrap();
    let after = TileMatch::after(&state, action).state;
    assert!(TileMatch::is_whole(&state) && !TileMatch::is_whole(&after));
    let mut game = TileMatch::at(&NUMPY, &after);
    let action = TileMatch::mask(&after, MATCHING).nth(0).unwrap();
    game.step(action, &mut Stream::new(1, Role::Game, 0));
    assert!(TileMatch::is_whole(&game.state()));
}

#[test]
fn features_are_the_best_plan_and_the_colours_with_unknown_tiles_in_equal_parts() {
    let text = "GCPRGCPR\nPRGCPRGC\n".repeat(4).replacen('C', "G", 1);
    let state = TileMatch::parse(&Rules::default(), &text, Some(2)).unwrap();
    // 17 G, 15 C, 16 P and 16 R; three G match at once, then three P.
    assert_eq!(TileMatch::features(&state), [3.0 + 0.5 * 3.0, 17.0 * 17.0 + 15.0 * 15.0 + 2.0 * 16.0 * 16.0]);
    let after = TileMatch::after(&state, cells::action_of(2, 10).unwrap()).state;
    // Of the three unknown tiles each colour has three quarters.
    let colours = 14.75_f64.powi(2) + 15.75_f64.powi(2) + 2.0 * 16.75_f64.powi(2);
    assert_eq!(TileMatch::features(&after), [3.0, 0.0]);
    assert_eq!(TileMatch::features(&State { moves_left: 2, ..after }), [4.5, colours]);
}
