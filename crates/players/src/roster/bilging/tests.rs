//! Advice and figures against an independent program and the plain rules.

use super::*;
use crate::bilging::tests::{BINGO, action, board, golden, state, text};
use crate::parse;
use matchq_core::random::{Role, Stream};
use matchq_games::bilging::{ACTIONS, MATCHING, Rules, bingos};
use matchq_games::{Game, Text};
use plain::Plain;

#[allow(dead_code)]
#[path = "../../../../games/src/bilging/tests/plain.rs"]
mod plain;

#[test]
fn what_is_reported_of_every_clearing_swap_of_the_golden_boards_is_its_lines_points_and_board() {
    let mut swaps = 0;
    for case in golden() {
        for one in case["matching"].as_array().unwrap() {
            let swap = action(one["row"].as_u64().unwrap(), one["column"].as_u64().unwrap());
            let told = Bilging::about_move(&state(&case["board"]), swap);
            for key in ["points", "lines", "leaves"] {
                assert_eq!(told[key], one[key]);
            }
            swaps += 1;
        }
    }
    assert_eq!(swaps, 956);
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
    // A swap of fillers far away, the swap that brings the last piece, and the one that makes the
    // bingo.
    let actions = vec![action(11, 0), action(3, 2), action(5, 2)];
    assert!(actions[..2].iter().all(|swap| Bilging::first_break(&state, *swap).lines() == 0));
    let completion = |actions: Vec<usize>| {
        let game = Bilging::at(&Rules::default(), &state);
        let played = Played { game, random: Stream::new(0, Role::Game, 0), actions };
        let figures = Bilging::figures(&mut [played].into_iter());
        figures.ratios.iter().map(|figure| figure.games[0]).collect::<Vec<_>>()
    };
    // Three lines of 3 pieces count 3 each, times three.
    assert_eq!(completion(actions.clone()), [(27.0, 3.0), (27.0, 1.0), (1.0, 3.0), (1.0, 1.0)]);
    assert_eq!(completion(actions[..2].to_vec()), [(0.0, 2.0), (0.0, 0.0), (0.0, 2.0), (0.0, 1.0)]);
}

#[test]
fn no_swap_is_advised_twice() {
    let mut told = 0;
    for case in golden() {
        for text in [Bilging::advice(&state(&case["board"]), ACTIONS)] {
            let Some(line) = text.lines().find(|line| line.starts_with("swaps for it")) else { continue };
            let mut swaps: Vec<&str> = line.split_once(": ").unwrap().1.split("; ").collect();
            let all = swaps.len();
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
        "a in row 3, column 3 goes to column 2: 1 swap\n",
        "a in row 4, column 2 is in its place\n",
        "swaps for it that make no run now: row 3, columns 2 and 3\n",
        "the best move is one of them",
    ] {
        assert!(told.contains(part), "{part:?}: {told}");
    }
    let told = Bilging::advice(&board(&BINGO), action(5, 2));
    assert!(told.ends_with("one swap makes it: row 5, columns 2 and 3\nthe best move makes it\n"), "{told}");
    // The walking a pushes a third g between two in column 3.
    away.extend([(3, 2, 'g'), (1, 3, 'g'), (2, 3, 'g')]);
    let told = Bilging::advice(&board(&away), action(0, 0));
    assert!(
        told.contains(
            "a in row 3, column 3 goes to column 2: 1 swap, but is blocked: swap row 3, columns 2 and 3 makes a run\n"
        ),
        "{told}"
    );
    assert!(told.contains("the best move serves something else"), "{told}");
}

#[test]
fn with_one_move_left_the_players_that_count_points_make_the_largest_break() {
    let mut found = 0;
    for case in golden() {
        let state = Bilging::parse(&Rules::default(), &text(&case["board"]), Some(1)).unwrap();
        let points = |action| Bilging::first_break(&state, action).points();
        let most = Bilging::mask(&state, MATCHING).iter().map(points).max().unwrap_or(0);
        if most < 27 {
            continue;
        }
        found += 1;
        for player in ["planner", "value", "beam:sims=100"] {
            let mut player = parse::<Bilging>(player, &Rules::default()).unwrap();
            let ranked = player.rank(&state, &mut Stream::new(0, Role::Tie, 0)).unwrap();
            assert_eq!(points(ranked[0].action), most, "{}: {}", player.name(), text(&case["board"]));
        }
    }
    assert!(found > 20, "{found}");
}
