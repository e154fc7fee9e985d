//! Match-3's certain future against the rules written out plainly.

use matchq_games::match3::{Certain, EFFECTIVE, MATCHING, Match3, Move, NO_MATCH, Rules, SETUPS, State};
use matchq_games::random::{Draw, Role, Stream};
use matchq_games::{ActionFeatures, ActionMask, After, Game, Image, Lookahead, Plan, StateFeatures, Text, offered};

use crate::chains::{Rows, action, best, board_with, matching, planes, play, rows, runs, swap, text, wave};

#[test]
fn certain_chains_agree_with_the_rules_written_out_plainly() {
    let mut with_unknown = 0;
    for index in 0..300 {
        let mut stream = Stream::new(7, Role::Game, index);
        let kinds = [0, 1, 2, 5][index as usize % 4];
        let game = Match3::new(&Rules::new(kinds).unwrap(), &mut stream);
        let mut board = Certain::of(&game.state());
        let mut plain = rows(&game.board());
        for _ in 0..12 {
            assert_eq!(board.board(), text(&plain));
            let certain: Vec<usize> = board.matching().iter().collect();
            assert_eq!(certain, matching(&plain));
            with_unknown += usize::from(text(&plain).contains(' ') && !certain.is_empty());
            // Most moves match; some, also with an unknown token, do not.
            let any = stream.below(Match3::ACTIONS as u32) as usize;
            let action = match stream.below(4) {
                1.. if !certain.is_empty() => certain[any % certain.len()],
                _ => any,
            };
            let mut swapped = plain.clone();
            swap(&mut swapped, Move::of_action(action));
            assert_eq!(board.swapped(action).board(), text(&swapped));
            let first: i32 = runs(&swapped).iter().map(|run| (run.len().min(5) as i32).pow(2) - 1).sum();
            assert_eq!(board.first_wave(action), first);
            assert_eq!(board.play(action), play(&mut plain, Move::of_action(action)));
        }
    }
    assert!(with_unknown > 1000, "{with_unknown}");
}

#[test]
fn the_features_are_the_best_of_four_plans_and_the_squares_of_the_gems_counts() {
    let mut with_more_than_four = 0;
    for index in 0..100 {
        let rules = Rules::default();
        let board = Match3::new(&rules, &mut Stream::new(9, Role::Game, index)).board();
        let plain = rows(&board);
        let mut firsts: Vec<(i32, f64)> = matching(&plain)
            .into_iter()
            .map(|action| {
                let mut after = plain.clone();
                let points = play(&mut after, Move::of_action(action));
                (points, f64::from(points) + 0.5 * f64::from(best(&after)))
            })
            .collect();
        firsts.sort_by_key(|(points, _)| -points);
        with_more_than_four += usize::from(firsts.len() > 4);
        let plan = firsts.iter().take(4).map(|(_, plan)| *plan).fold(0.0, f64::max);
        let only = firsts.first().map_or(0.0, |(points, _)| f64::from(*points));
        let squares = "abcd".chars().map(|gem| board.matches(gem).count().pow(2) as f64).sum();
        let features = |left| Match3::features(&Match3::parse(&rules, &board, Some(left)).unwrap());
        assert_eq!(features(25), [plan, squares]);
        assert_eq!(features(2), [plan, squares]);
        assert_eq!(features(1), [only, 0.0]);
    }
    assert!(with_more_than_four > 50, "{with_more_than_four}");
}

#[test]
fn an_actions_features_are_its_points_and_those_of_its_afterstate_that_are_not_0() {
    let state = Match3::new(&Rules::default(), &mut Stream::new(9, Role::Game, 0)).state();
    let mut given = 0;
    Match3::action_features(&state, |action, features| {
        let After { state, points, .. } = Match3::after(&state, action);
        let all = [&[f64::from(points)], &Match3::features(&state)[..]].concat();
        let expected: Vec<_> = all.into_iter().enumerate().filter(|(_, number)| *number != 0.0).collect();
        assert_eq!(features, expected);
        given += 1;
    });
    assert_eq!(given, offered::<Match3>(&state, MATCHING).0.count());
}

#[test]
fn a_chain_goes_on_while_known_tokens_decide_it() {
    // Three b clear in the bottom row, then c and d above fall into rows of three: 8 + 8 + 8.
    let gems = [(5, 9, 'b'), (6, 9, 'b'), (7, 8, 'b'), (5, 8, 'c'), (6, 8, 'c'), (7, 7, 'c')];
    let mut board = board_with(&[&gems[..], &[(5, 7, 'd'), (6, 7, 'd'), (7, 6, 'd')]].concat());
    assert_eq!(board.first_wave(action(7, 8, true)), 8);
    assert_eq!(board.play(action(7, 8, true)), 24);
}

#[test]
fn unknown_tokens_match_nothing_and_are_neither_cleared_nor_swapped() {
    let mut board = board_with(&[(0, 2, 'a'), (1, 2, 'a'), (2, 1, 'a'), (0, 0, 'b'), (1, 0, 'b'), (3, 0, 'b')]);
    assert_eq!(board.play(action(2, 1, true)), 8);
    // Each a takes obstacles above and below with it, the last also the one at its right.
    let top: Vec<String> = board.board().lines().take(4).map(String::from).collect();
    assert_eq!(top, ["    ####", "   b####", "   #####", "bb######"]);
    let before = board;
    assert_eq!(board.play(action(2, 1, false)), NO_MATCH);
    assert_eq!(board, before);
    assert!(board.matching().is_empty());
}

#[test]
fn a_move_without_a_match_costs_its_points_and_stays() {
    let mut board = board_with(&[(0, 0, 'a')]);
    assert_eq!(board.play(action(0, 0, false)), NO_MATCH);
    assert!(board.board().starts_with("#a"), "{}", board.board());
}

#[test]
fn the_waves_of_a_move_are_the_swapped_board_and_what_each_wave_leaves_and_gains() {
    const BOARD: usize = 400;
    let mut lengths = [0; 4];
    for index in 0..60 {
        let state = Match3::new(&Rules::default(), &mut Stream::new(13, Role::Game, index)).state();
        for action in 0..Match3::ACTIONS {
            let mut board = rows(&state.board());
            swap(&mut board, Move::of_action(action));
            let (mut boards, mut gained) = (planes(&board), vec![]);
            while let Some(points) = wave(&mut board) {
                gained.push(points as f32);
                boards.extend(planes(&board));
            }
            let image = |state: &State| {
                let (mut image, mut scalars) = ([f32::NAN; BOARD], [f32::NAN]);
                Match3::encode(state, 0, &mut image, &mut scalars);
                image
            };
            let mut seen = Match3::done(&state, action);
            let (mut images, mut points) = (image(&seen).to_vec(), vec![]);
            while let Some((next, gained)) = Match3::wave(&seen) {
                points.push(gained);
                images.extend(image(&next));
                seen = next;
            }
            assert_eq!((points, images), (gained.clone(), boards));
            lengths[gained.len().min(3)] += 1;
        }
    }
    assert!(lengths.iter().all(|count| *count > 5), "{lengths:?}");
}

#[test]
fn what_follows_a_move_for_certain_is_a_position_with_unknown_tokens() {
    for index in 0..100 {
        let game = Match3::new(&Rules::default(), &mut Stream::new(9, Role::Game, index));
        for left in [1, 2, 9] {
            let state = State::new(&game.board(), left).unwrap();
            let matching = Match3::mask(&state, MATCHING);
            for action in matching.iter().take(4) {
                let mut board = Certain::of(&state);
                let expected = board.play(action) as f32;
                let After { state: after, points, actions } = Match3::after(&state, action);
                assert_eq!(points, expected);
                assert_eq!((Certain::of(&after), i64::from(after.moves_left())), (board, left - 1));
                assert_eq!(actions, if left > 1 { board.matching() } else { ActionMask::empty() });
                // A plan of two moves is a move and the best one after it.
                let (mut next, mut plan) = ([0.0; Match3::ACTIONS], [0.0; Match3::ACTIONS]);
                Match3::certain(&after, &actions, Plan::of(1), |action, points| next[action] = points);
                Match3::certain(&state, &matching, Plan::of(2), |action, points| plan[action] = points);
                let best = actions.iter().map(|next_action| next[next_action]).fold(0.0, f32::max);
                assert_eq!(plan[action], points + 0.5 * best);
            }
        }
    }
}

#[test]
fn set_ups_are_the_twelve_swaps_after_which_the_best_chain_is_longest() {
    let (mut cut, mut none) = (0, 0);
    for index in 0..60 {
        let mut stream = Stream::new(15, Role::Game, index);
        let mut game = Match3::new(&Rules::default(), &mut stream);
        for _ in 0..index % 5 {
            game.step(Match3::mask(&game.state(), MATCHING).nth(0).unwrap(), &mut stream);
        }
        let before = rows(&game.board());
        let matching = matching(&before);
        let prepared = |action: usize| {
            let mut after = before.clone();
            swap(&mut after, Move::of_action(action));
            (after != before && !matching.contains(&action)).then(|| (best(&after), action))
        };
        let mut setups: Vec<(i32, usize)> =
            (0..Match3::ACTIONS).filter_map(prepared).filter(|(points, _)| *points > best(&before)).collect();
        setups.sort_by_key(|(points, _)| -points);
        let twelfth = setups.get(11).map_or(0, |(points, _)| *points);
        cut += usize::from(setups.last().is_some_and(|(points, _)| *points < twelfth));
        none += usize::from(setups.is_empty());
        setups.retain(|(points, _)| *points >= twelfth);
        let expected: ActionMask = matching.into_iter().chain(setups.into_iter().map(|(_, action)| action)).collect();
        let (mask, _) = offered::<Match3>(&game.state(), SETUPS);
        assert_eq!(mask, expected, "{}", game.board());
    }
    assert!(cut > 20 && none < 60, "{cut} {none}");
}

#[test]
fn where_nothing_matches_set_ups_alone_are_offered_and_none_for_the_last_move() {
    // The third a is three columns away: its first step prepares a match.
    let mut board = vec![vec!['#'; 8]; 10];
    [0, 1, 4].iter().for_each(|x| board[9][*x] = 'a');
    let mask = |left, kind| offered::<Match3>(&State::new(&text(&board), left).unwrap(), kind).0;
    let action = |x, y, vertical| Move { x, y, vertical }.action().unwrap();
    let setups: ActionMask = [action(3, 9, false)].into_iter().collect();
    assert_eq!(mask(2, SETUPS), setups);
    assert_eq!(mask(1, SETUPS), mask(1, EFFECTIVE));
    board[9][3] = 'b';
    let mask = |left, kind| offered::<Match3>(&State::new(&text(&board), left).unwrap(), kind).0;
    assert_eq!(mask(2, MATCHING), mask(2, EFFECTIVE));
    assert_eq!(mask(2, SETUPS), setups);
}

/// Waves as an observer sees them: the boards before and after, drawn tokens as spaces, and the
/// points.
fn observed(before: &str, at: Move, on_the_way: &[String], last: &str) -> Vec<(String, String, i32)> {
    let mut known = rows(before);
    swap(&mut known, at);
    let boards: Vec<&str> = on_the_way.iter().map(String::as_str).chain([last]).collect();
    let mut waves = vec![];
    for pair in boards.windows(2) {
        // Only a clearing turns a full board into one with empty cells.
        if pair[0].contains(' ') || !pair[1].contains(' ') {
            continue;
        }
        let points = runs(&rows(pair[0])).iter().map(|run| (run.len().min(5) as i32).pow(2) - 1).sum();
        let (empty, before) = (rows(pair[1]), known.clone());
        for x in 0..8 {
            let kept: Vec<char> = (0..10).filter(|y| empty[*y][x] != ' ').map(|y| before[y][x]).collect();
            let column = std::iter::repeat_n(' ', 10 - kept.len()).chain(kept);
            column.enumerate().for_each(|(y, token)| known[y][x] = token);
        }
        waves.push((text(&before), text(&known), points));
    }
    waves
}

#[test]
fn what_is_seen_of_a_move_is_what_its_boards_on_the_way_show() {
    let (mut lengths, mut by_chance) = ([0; 12], 0);
    for seed in 0..40 {
        let mut stream = Stream::new(seed, Role::Game, 0);
        let mut choice = Stream::new(seed, Role::Explore, 0);
        let mut game = Match3::new(&Rules::default(), &mut stream);
        while !game.is_over() {
            let (state, before) = (game.state(), game.board());
            let (mask, _) = offered::<Match3>(&state, MATCHING);
            // Some moves match nothing.
            let any = choice.below(8) == 0;
            let action = match any {
                true => choice.below(142) as usize,
                false => mask.nth(choice.below(mask.count() as u32) as usize).unwrap(),
            };
            let at = Move::of_action(action);
            let (mut watched, mut watched_stream) = (game.clone(), stream.clone());
            let mut seen = vec![];
            let step = watched.step_seen(action, &mut watched_stream, |wave| seen.push(wave));
            let (play, boards) = game.play_watched(at.x as i64, at.y as i64, at.vertical, &mut stream);
            assert_eq!((watched.board(), watched_stream), (game.board(), stream.clone()));

            let rest = seen.pop().unwrap();
            let shown = |state: &State| Certain::of(state).board();
            let found: Vec<_> =
                seen.iter().map(|wave| (shown(&wave.before), shown(&wave.after), wave.points as i32)).collect();
            let expected = observed(&before, at, &boards, &game.board());
            assert_eq!(found, expected);
            assert_eq!(rest.before, rest.after);
            assert_eq!(rest.points, if seen.is_empty() { step.reward } else { 0.0 });
            assert_eq!(seen.len(), play.waves as usize);
            lengths[seen.len()] += 1;
            let mut certain = rows(&before);
            by_chance += u32::from(play_certain(&mut certain, at) != seen.len());
        }
    }
    assert!(lengths[..4].iter().all(|count| *count > 0), "{lengths:?}");
    assert!(by_chance > 50, "chains that drawn tokens made longer: {by_chance}");
}

/// Plays a move; returns the number of its certain waves.
fn play_certain(rows: &mut Rows, at: Move) -> usize {
    swap(rows, at);
    std::iter::from_fn(|| wave(rows)).count()
}
