//! What is certain of match-3's future, against the rules written out plainly.

use matchq::games::match3::{Certain, EFFECTIVE, MATCHING, Match3, Move, NO_MATCH, Rules, SETUPS, State};
use matchq::games::{ActionMask, After, Game, Image, Lookahead, Plan, offered};
use matchq::network::{Shown, View};
use matchq::random::{Draw, Role, Stream};

/// Rows of `a b c d #`, a space where the token is not known.
type Rows = Vec<Vec<char>>;

fn rows(text: &str) -> Rows {
    text.lines().map(|line| line.chars().collect()).collect()
}

fn text(rows: &Rows) -> String {
    rows.iter().map(|row| row.iter().collect()).collect::<Vec<String>>().join("\n")
}

/// The cells (x, y) of each maximal run of three or more equal gems.
fn runs(rows: &Rows) -> Vec<Vec<(usize, usize)>> {
    let across = (0..10).map(|y| (0..8).map(|x| (x, y)).collect());
    let down = (0..8).map(|x| (0..10).map(|y| (x, y)).collect());
    let mut found = vec![];
    for line in across.chain(down).collect::<Vec<Vec<(usize, usize)>>>() {
        let equal = |a: &(usize, usize), b: &(usize, usize)| rows[a.1][a.0] == rows[b.1][b.0];
        for run in line.chunk_by(equal) {
            if run.len() >= 3 && "abcd".contains(rows[run[0].1][run[0].0]) {
                found.push(run.to_vec());
            }
        }
    }
    found
}

fn swap(rows: &mut Rows, Move { x, y, vertical }: Move) {
    let (other_x, other_y) = if vertical { (x, y + 1) } else { (x + 1, y) };
    let tokens = (rows[y][x], rows[other_y][other_x]);
    if tokens.0 != ' ' && tokens.1 != ' ' {
        (rows[other_y][other_x], rows[y][x]) = tokens;
    }
}

/// Plays a move and its chain; new tokens are spaces.
fn play(rows: &mut Rows, at: Move) -> i32 {
    swap(rows, at);
    let points = std::iter::from_fn(|| wave(rows)).sum();
    if points == 0 { -5 } else { points }
}

/// One wave of a chain and its points, if there is one; new tokens are spaces.
fn wave(rows: &mut Rows) -> Option<i32> {
    let runs = runs(rows);
    if runs.is_empty() {
        return None;
    }
    let points = runs.iter().map(|run| (run.len().min(5) as i32).pow(2) - 1).sum::<i32>();
    let gems: Vec<(usize, usize)> = runs.into_iter().flatten().collect();
    let beside = |x: usize, y: usize| gems.iter().any(|gem| gem.0.abs_diff(x) + gem.1.abs_diff(y) == 1);
    let before = rows.clone();
    for x in 0..8 {
        let goes = |y: &usize| gems.contains(&(x, *y)) || before[*y][x] == '#' && beside(x, *y);
        let kept: Vec<char> = (0..10).filter(|y| !goes(y)).map(|y| before[y][x]).collect();
        let column = std::iter::repeat_n(' ', 10 - kept.len()).chain(kept);
        column.enumerate().for_each(|(y, token)| rows[y][x] = token);
    }
    Some(points)
}

/// The actions that match at once, by trying all.
fn matching(rows: &Rows) -> Vec<usize> {
    let matches = |action: &usize| {
        let mut swapped = rows.clone();
        swap(&mut swapped, Move::of_action(*action));
        swapped != *rows && !runs(&swapped).is_empty()
    };
    (0..Match3::ACTIONS).filter(matches).collect()
}

/// The most points that are certain of one move; 0 where none matches.
fn best(rows: &Rows) -> i32 {
    let points = |action| play(&mut rows.clone(), Move::of_action(action));
    matching(rows).into_iter().map(points).max().unwrap_or(0)
}

/// A board that, all else obstacles, has these gems: (x, y, letter).
fn board_with(gems: &[(usize, usize, char)]) -> Certain {
    let mut rows = vec![vec!['#'; 8]; 10];
    gems.iter().for_each(|(x, y, letter)| rows[*y][*x] = *letter);
    Certain::of(&State::new(&text(&rows), 25).unwrap())
}

fn action(x: usize, y: usize, vertical: bool) -> usize {
    Move { x, y, vertical }.action().unwrap()
}

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
            // Mostly a move that matches, now and then any, one with an unknown token too.
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
fn a_chain_goes_on_while_known_tokens_decide_it() {
    // Three b in the bottom row; the c above them fall on it, the d on those, into two rows at once: 8 + 8 + 8.
    let gems = [(5, 9, 'b'), (6, 9, 'b'), (7, 8, 'b'), (5, 8, 'c'), (6, 8, 'c'), (7, 7, 'c')];
    let mut board = board_with(&[&gems[..], &[(5, 7, 'd'), (6, 7, 'd'), (7, 6, 'd')]].concat());
    assert_eq!(board.first_wave(action(7, 8, true)), 8);
    assert_eq!(board.play(action(7, 8, true)), 24);
}

#[test]
fn unknown_tokens_match_nothing_and_are_neither_cleared_nor_swapped() {
    let mut board = board_with(&[(0, 2, 'a'), (1, 2, 'a'), (2, 1, 'a'), (0, 0, 'b'), (1, 0, 'b'), (3, 0, 'b')]);
    assert_eq!(board.play(action(2, 1, true)), 8);
    // With each a went the obstacles above and below it, and with the last one that at its right.
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

/// The planes of a board's letters, row by row; a space is in none.
fn planes(rows: &Rows) -> Vec<f32> {
    let ones = |letter| rows.iter().flatten().map(move |token| if *token == letter { 1.0 } else { 0.0 });
    "abcd#".chars().flat_map(ones).collect()
}

/// Writes an afterstate as a network is shown it, in points.
fn encode_after(
    state: &State,
    action: usize,
    shown: Shown,
    symmetry: usize,
    image: &mut [f32],
    scalars: &mut [f32],
) -> f32 {
    View { shown, mask: MATCHING, scale: 1.0 }.afterstate::<Match3>(&(*state, action, symmetry), image, scalars)
}

#[test]
fn an_afterstate_is_the_swapped_board_or_the_board_after_the_certain_chain_and_what_is_certain_there() {
    const PLANE: usize = 80;
    let mut stream = Stream::new(11, Role::Game, 0);
    for _ in 0..20 {
        let mut game = Match3::new(&Rules::default(), &mut stream);
        let Some(first) = game.matching_moves().first().copied() else { continue };
        game.step(first.action().unwrap(), &mut stream);
        let state = game.state();
        let before = rows(&state.board());
        for action in matching(&before) {
            let mut image = [f32::NAN; 5 * PLANE];
            let mut scalars = [f32::NAN];
            let mut after = before.clone();
            swap(&mut after, Move::of_action(action));
            let known = encode_after(&state, action, Shown::Done, 0, &mut image, &mut scalars);
            assert_eq!((known, scalars), (0.0, [23.0 / 25.0]));
            assert_eq!(image[..], planes(&after));

            let mut after = before.clone();
            let points = play(&mut after, Move::of_action(action));
            let known = encode_after(&state, action, Shown::After, 0, &mut image, &mut scalars);
            assert_eq!(known, points as f32);
            assert_eq!(image[..5 * PLANE], planes(&after));

            let mut image = [f32::NAN; 11 * PLANE];
            let known = encode_after(&state, action, Shown::Plans, 0, &mut image, &mut scalars);
            let (mut chains, mut plans) = ([0.0; 2 * PLANE], [0.0; 2 * PLANE]);
            for next in matching(&after) {
                let mut board = after.clone();
                let points = play(&mut board, Move::of_action(next)) as f32;
                let last = matching(&board).into_iter().map(|last| play(&mut board.clone(), Move::of_action(last)));
                let Move { x, y, vertical } = Move::of_action(next);
                let place = if vertical { 0 } else { PLANE } + y * 8 + x;
                chains[place] = points;
                plans[place] = points + last.max().unwrap_or(0) as f32 / 2.0;
            }
            assert_eq!(image[..5 * PLANE], planes(&after));
            assert_eq!(image[5 * PLANE..7 * PLANE], chains);
            assert_eq!(image[7 * PLANE..9 * PLANE], plans);
            assert_eq!(known, points as f32 + chains.iter().copied().fold(0.0, f32::max) / 2.0);
            for (plane, of) in [(9, chains), (10, plans)] {
                let highest = of.iter().copied().fold(0.0, f32::max);
                assert_eq!(image[plane * PLANE..][..PLANE], [highest / 16.0; PLANE]);
            }

            // A symmetry moves what is certain to where it shows the move.
            for symmetry in [7, 24, 40] {
                let mut seen = [f32::NAN; 11 * PLANE];
                encode_after(&state, action, Shown::Plans, symmetry, &mut seen, &mut scalars);
                let mut moved = [0.0; 2 * PLANE];
                for next in matching(&after) {
                    let place = |action| {
                        let (plane, row, column) = Match3::place(action);
                        plane * PLANE + row * 8 + column
                    };
                    moved[place(Match3::transform_action(next, symmetry))] = chains[place(next)];
                }
                assert_eq!(seen[5 * PLANE..7 * PLANE], moved, "symmetry {symmetry}");
            }
        }
    }
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
fn the_last_move_has_nothing_certain_after_it() {
    let rows: Rows =
        rows(&board_with(&[(0, 9, 'a'), (1, 9, 'a'), (2, 8, 'a'), (5, 9, 'b'), (6, 9, 'b'), (7, 8, 'b')]).board());
    for (left, known) in [(0, 8.0), (1, 8.0), (2, 8.0 + 4.0)] {
        let state = State::new(&text(&rows), left).unwrap();
        let (mut image, mut scalars) = ([0.0; 880], [0.0]);
        let found = encode_after(&state, action(2, 8, true), Shown::Plans, 0, &mut image, &mut scalars);
        assert_eq!(found, known, "{left} moves left");
        assert_eq!(image[400..720].iter().sum::<f32>(), 4.0 * (known - 8.0));
        assert_eq!(image[720..], [2.0 * (known - 8.0) / 16.0; 160]);
    }
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
fn what_is_shown_of_plans_goes_no_further_than_the_game() {
    // Three matches that have nothing to do with each other, worth 8 points each.
    let threes = [(0, 'a'), (4, 'b')].map(|(x, gem)| [(x, 9, gem), (x + 1, 9, gem), (x + 2, 8, gem)]);
    let third = [(0, 4, 'c'), (1, 4, 'c'), (2, 3, 'c')];
    let gems = [threes.concat(), third.to_vec()].concat();
    let board = board_with(&gems).board();
    for (left, highest) in [(1, [0.0, 0.0]), (2, [8.0, 8.0]), (3, [8.0, 12.0]), (4, [8.0, 12.0])] {
        let state = State::new(&board, left).unwrap();
        let (mut image, mut scalars) = ([0.0; 880], [0.0]);
        encode_after(&state, action(2, 8, true), Shown::Plans, 0, &mut image, &mut scalars);
        for (plane, highest) in [(9, highest[0]), (10, highest[1])] {
            assert_eq!(image[plane * 80..][..80], [highest / 16.0; 80], "plane {plane}, {left} moves left");
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
    // Two side by side and the third three columns further: one step prepares, the next matches.
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

/// What an observer of the boards on the way makes of a move: the boards before and after each wave, with a space for every
/// token that was drawn since the move, and the wave's points.
fn observed(before: &str, at: Move, on_the_way: &[String], last: &str) -> Vec<(String, String, i32)> {
    let mut known = rows(before);
    swap(&mut known, at);
    let boards: Vec<&str> = on_the_way.iter().map(String::as_str).chain([last]).collect();
    let mut waves = vec![];
    for pair in boards.windows(2) {
        // Only a clearing makes a full board one with empty cells.
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
            // Now and then a move that matches nothing.
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

/// Plays a move; the waves that are certain of it.
fn play_certain(rows: &mut Rows, at: Move) -> usize {
    swap(rows, at);
    std::iter::from_fn(|| wave(rows)).count()
}
