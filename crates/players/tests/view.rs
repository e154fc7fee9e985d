//! Views of match-3's certain future, against plain rules.

use matchq_players::games::match3::{MATCHING, Match3, Move, Rules, State};
use matchq_players::games::{Game, Image};
use matchq_players::network::{Shown, View};
use matchq_players::random::{Role, Stream};

use chains::{Rows, action, board_with, matching, planes, play, rows, swap, text};

#[allow(dead_code)]
#[path = "../../games/tests/chains.rs"]
mod chains;

/// Encodes an afterstate in points.
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

            // A symmetry moves a plan's points to where it shows the move.
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
fn what_is_shown_of_plans_goes_no_further_than_the_game() {
    // Three separate matches of 8 points each.
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
