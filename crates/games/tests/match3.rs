//! Match-3 against its plain rules and cases computed by hand.

use crate::plain::{self, Plain};
use matchq_games::conformance;
use matchq_games::match3::{EFFECTIVE, MATCHING};
use matchq_games::match3::{Match3, Move, Rules, State};
use matchq_games::random::{CPythonRandom, Draw, Role, Stream};
use matchq_games::{ActionMask, Game, Image, MaskKind, offered};

/// Draws the largest number: an obstacle.
struct Obstacles;

impl Draw for Obstacles {
    fn below(&mut self, n: u32) -> u32 {
        n - 1
    }
}

/// Draws an obstacle of the other kind wherever the stream draws one.
struct OtherObstacle(Stream);

impl Draw for OtherObstacle {
    fn below(&mut self, n: u32) -> u32 {
        match self.0.below(n) {
            4 => 5,
            5 => 4,
            gem => gem,
        }
    }
}

struct Single(Stream);

impl Draw for Single {
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }
}

/// Board of obstacles with these gems (x, y, letter).
fn board_with(gems: &[(usize, usize, char)]) -> String {
    let letter = |x, y| gems.iter().find(|gem| (gem.0, gem.1) == (x, y)).map_or('#', |gem| gem.2);
    let line = |y| (0..8).map(|x| letter(x, y)).collect::<String>();
    (0..10).map(line).collect::<Vec<_>>().join("\n")
}

fn game_with(gems: &[(usize, usize, char)]) -> Match3 {
    Match3::with_board(Rules::default(), &board_with(gems)).unwrap()
}

/// Positions of games in which most moves match.
fn positions(games: u64) -> Vec<State> {
    let mut states = vec![];
    for index in 0..games {
        let mut stream = Stream::new(11, Role::Game, index);
        let mut choice = Stream::new(11, Role::Explore, index);
        let mut game = Match3::new(&Rules::default(), &mut stream);
        while !game.is_over() {
            states.push(game.state());
            let kind = if choice.below(4) == 0 { MaskKind::LEGAL } else { MATCHING };
            let mask = Match3::mask(&game.state(), kind);
            let action = mask.nth(choice.below(mask.count() as u32) as usize).unwrap();
            game.step(action, &mut stream);
        }
    }
    states
}

#[test]
fn the_game_keeps_what_every_game_promises() {
    conformance::check::<Match3>(&Rules::default(), 1);
    conformance::check::<Match3>(&Rules::new(1).unwrap(), 2);
}

fn follows_the_plain_rules<D: Draw + Clone>(obstacle_kinds: u32, index: u64, draw: D) {
    let (mut draw, mut plain_draw) = (draw.clone(), draw);
    let mut choice = Stream::new(7, Role::Explore, index);
    let mut game = Match3::new(&Rules::new(obstacle_kinds).unwrap(), &mut draw);
    let mut plain = Plain::new(obstacle_kinds, &mut plain_draw);
    for _ in 0..27 {
        assert_eq!(game.board(), plain.text());
        let (x, y, vertical) = if choice.below(2) == 0 {
            let moves = game.matching_moves();
            match moves.get(choice.below(moves.len().max(1) as u32) as usize) {
                Some(Move { x, y, vertical }) => (*x as i64, *y as i64, *vertical),
                None => (0, 0, true),
            }
        } else {
            let (x, y) = (choice.below(10), choice.below(12));
            (i64::from(x) - 1, i64::from(y) - 1, choice.below(2) == 0)
        };
        let expected = plain.play(x, y, vertical, &mut plain_draw);
        let (play, boards) = game.play_watched(x, y, vertical, &mut draw);
        let found = plain::PlainPlay { score_delta: play.reward as i32, game_over: play.terminal, boards };
        assert_eq!(found, expected);
        assert_eq!((game.score(), game.moves_left()), (plain.score, plain.moves_left));
    }
    assert_eq!(game.board(), plain.text());
}

#[test]
fn games_follow_the_plain_rules_whatever_the_number_of_obstacle_kinds() {
    for obstacle_kinds in [0, 1, 2, 3, 28] {
        for index in 0..60 {
            let kinds = obstacle_kinds;
            follows_the_plain_rules(kinds, index, Stream::new(7, Role::Game, index));
            follows_the_plain_rules(kinds, index, CPythonRandom::new(index.into()));
        }
    }
}

#[test]
fn masks_are_those_found_by_trying_every_swap() {
    let mut boards: Vec<String> = positions(40).iter().map(State::board).collect();
    // Boards without a matching move, the last also without a move that changes anything.
    boards.push(["abcdabcd", "cdabcdab"].repeat(5).join("\n"));
    boards.push(board_with(&[(3, 4, 'a')]));
    boards.push(board_with(&[]));
    for board in boards {
        let plain = Plain::from_text(&board);
        let actions = |swaps: Vec<(usize, usize, bool)>| -> ActionMask {
            let action = |(x, y, vertical)| Move { x, y, vertical }.action().unwrap();
            swaps.into_iter().map(action).collect()
        };
        let or = |mask: ActionMask, other| if mask.is_empty() { other } else { mask };
        let legal = actions(plain.swaps(|_, _| true));
        let effective = or(actions(plain.swaps(|before, after| before.text() != after.text())), legal);
        let matching = plain.swaps(|_, after| !after.runs().is_empty());
        let state = State::new(&board, 25).unwrap();
        assert_eq!(Match3::mask(&state, MaskKind::LEGAL), legal);
        assert_eq!(offered::<Match3>(&state, EFFECTIVE).0, effective, "{board}");
        let expected = or(actions(matching.clone()), effective);
        assert_eq!(offered::<Match3>(&state, MATCHING).0, expected, "{board}");
        // The plain search is in the kit's order: by x, then y, horizontal before vertical.
        let game = Match3::with_board(Rules::default(), &board).unwrap();
        let moves = game.matching_moves().into_iter();
        assert!(moves.map(|Move { x, y, vertical }| (x, y, vertical)).eq(matching));
    }
}

#[test]
fn an_action_number_is_vertical_rows_of_eight_then_horizontal_rows_of_seven() {
    let at = |x, y, vertical| Move { x, y, vertical }.action();
    assert_eq!(at(0, 0, true), Some(0));
    assert_eq!(at(7, 8, true), Some(71));
    assert_eq!(at(0, 0, false), Some(72));
    assert_eq!(at(6, 9, false), Some(141));
    assert_eq!([at(0, 9, true), at(8, 0, true), at(7, 0, false), at(0, 10, false)], [None; 4]);
    for action in 0..142 {
        let there = Move::of_action(action);
        assert_eq!(there.action(), Some(action));
        let plane = if there.vertical { 0 } else { 1 };
        assert_eq!(Match3::place(action), (plane, there.y, there.x));
    }
}

#[test]
fn an_action_number_out_of_range_is_a_move_off_the_board() {
    let mut game = game_with(&[]);
    for action in [142, 255, usize::MAX] {
        let step = game.step(action, &mut Obstacles);
        assert_eq!((step.reward, game.board()), (-5.0, board_with(&[])));
    }
    assert_eq!(game.moves_left(), 22);
}

#[test]
fn a_run_of_three_scores_eight_of_four_fifteen_and_of_five_or_more_twenty_four() {
    for (length, points) in [(3, 8), (4, 15), (5, 24), (6, 24), (7, 24)] {
        // The third gem of a row on the ground lies on top of its gap.
        let gems: Vec<_> = (0..length).map(|x| (x, if x == 2 { 8 } else { 9 }, 'b')).collect();
        let play = game_with(&gems).play(2, 8, true, &mut Obstacles);
        assert_eq!(play.reward as i32, points, "a row of {length}");
        // The third gem of a column lies beside its gap.
        let gems: Vec<_> = (0..length).map(|y| (if y == 2 { 1 } else { 0 }, y, 'c')).collect();
        let play = game_with(&gems).play(0, 2, false, &mut Obstacles);
        assert_eq!(play.reward as i32, points, "a column of {length}");
    }
}

#[test]
fn runs_that_cross_or_lie_side_by_side_score_one_by_one() {
    // The corner of an L comes from its left.
    let mut game = game_with(&[(3, 7, 'a'), (3, 8, 'a'), (2, 9, 'a'), (4, 9, 'a'), (5, 9, 'a')]);
    assert_eq!(game.play(2, 9, false, &mut Obstacles).reward, 16.0);
    // The first move, even one off the board, also clears blocks that lie there from the start.
    for (width, height, points) in [(3, 2, 16), (2, 3, 16), (3, 3, 48), (5, 3, 3 * 24 + 5 * 8)] {
        let gems: Vec<_> = (0..width * height).map(|cell| (2 + cell % width, 4 + cell / width, 'd')).collect();
        let play = game_with(&gems).play(-1, 0, false, &mut Obstacles);
        assert_eq!(play.reward as i32, points, "{width}x{height}");
    }
}

#[test]
fn obstacles_beside_cleared_gems_are_cleared_but_clear_no_others() {
    let before = "abcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncd##cdab\nabb#abcd\nc##a#dab\nb#aca#cd\ncdb##dab";
    let mut game = Match3::with_board(Rules::default(), before).unwrap();
    let (play, boards) = game.play_watched(3, 7, true, &mut Obstacles);
    assert_eq!(play.reward, 8.0);
    // The a of row 7 and the c below change places. Then three a of row 8 clear with the obstacles
    // above, below and beside them, but not (1, 7), (3, 6) and those of row 5.
    let swapped = before.replace("c##a#dab", "c##c#dab").replace("b#aca#cd", "b#aaa#cd");
    let cleared =
        swapped.replace("c##c#dab", "c# c dab").replace("b#aaa#cd", "b     cd").replace("cdb##dab", "cdb  dab");
    assert_eq!(boards[..2], [swapped, cleared]);
}

#[test]
fn which_kind_an_obstacle_is_shows_nowhere() {
    for index in 0..20 {
        let mut stream = Single(Stream::new(5, Role::Game, index));
        let mut other = OtherObstacle(Stream::new(5, Role::Game, index));
        let mut choice = Stream::new(5, Role::Explore, index);
        let mut game = Match3::new(&Rules::default(), &mut stream);
        let mut twin = Match3::new(&Rules::default(), &mut other);
        while !game.is_over() {
            assert_eq!(game, twin);
            let mask = offered::<Match3>(&game.state(), MATCHING).0;
            let action = mask.nth(choice.below(mask.count() as u32) as usize).unwrap();
            assert_eq!(game.step(action, &mut stream), twin.step(action, &mut other));
        }
        assert_eq!(game, twin);
    }
}

#[test]
fn a_state_is_34_bytes_and_says_its_board_and_the_moves_left() {
    assert_eq!((size_of::<State>(), align_of::<State>()), (34, 1));
    let mut random = CPythonRandom::new(3);
    let mut game = Match3::new(&Rules::default(), &mut random);
    for left in (-2..=24).rev() {
        game.play(i64::from(left), 0, true, &mut random);
        let state = game.state();
        assert_eq!((state.board(), state.moves_left()), (game.board(), left.max(0)));
        assert_eq!(State::new(&game.board(), left.max(0).into()), Ok(state));
    }
}

/// Kinds of an image: for each cell, row by row, the one plane that is 1.
fn kinds(image: &[f32]) -> Vec<usize> {
    let planes = |cell| (0..5).filter(move |plane| image[plane * 80 + cell] == 1.0);
    let kind = |cell| {
        assert_eq!(planes(cell).count(), 1, "one plane is 1 at each cell");
        planes(cell).next().unwrap()
    };
    (0..80).map(kind).collect()
}

fn text(kinds: &[usize]) -> String {
    let letters = |row: &[usize]| row.iter().map(|kind| ['a', 'b', 'c', 'd', '#'][*kind]).collect();
    kinds.chunks(8).map(letters).collect::<Vec<String>>().join("\n")
}

fn encoded(state: &State, symmetry: usize) -> (Vec<f32>, f32) {
    let (mut image, mut scalars) = (vec![f32::NAN; 400], [f32::NAN]);
    Match3::encode(state, symmetry, &mut image, &mut scalars);
    (image, scalars[0])
}

#[test]
fn the_image_shows_the_planes_a_b_c_d_obstacle_and_the_scalar_the_moves_left() {
    for state in positions(4) {
        let (image, moves_left) = encoded(&state, 0);
        assert_eq!(text(&kinds(&image)), state.board());
        assert_eq!(moves_left, state.moves_left() as f32 / 25.0);
    }
}

#[test]
fn a_symmetry_orders_the_gems_lexicographically_and_from_24_on_mirrors_the_board() {
    let board = board_with(&[(0, 0, 'a'), (1, 0, 'b'), (2, 0, 'c'), (3, 0, 'd'), (6, 9, 'b')]);
    let state = State::new(&board, 25).unwrap();
    let rows = |symmetry| {
        let shown = text(&kinds(&encoded(&state, symmetry).0));
        let rows: Vec<&str> = shown.lines().collect();
        (rows[0].to_owned(), rows[9].to_owned())
    };
    let expect = |first: &str, last: &str| (first.to_owned(), last.to_owned());
    assert_eq!(rows(0), expect("abcd####", "######b#"));
    assert_eq!(rows(1), expect("abdc####", "######b#"));
    assert_eq!(rows(6), expect("bacd####", "######a#"));
    assert_eq!(rows(23), expect("dcba####", "######c#"));
    assert_eq!(rows(24), expect("####dcba", "#b######"));
    assert_eq!(rows(47), expect("####abcd", "#c######"));
}

#[test]
fn masks_and_moves_are_the_same_under_every_symmetry() {
    for state in positions(3).into_iter().step_by(4) {
        for symmetry in 0..48 {
            let shown = text(&kinds_under(&state, symmetry));
            let shown_state = State::new(&shown, state.moves_left().into()).unwrap();
            for kind in [MaskKind::LEGAL, EFFECTIVE, MATCHING] {
                let mask = Match3::mask(&state, kind).iter();
                let moved: ActionMask = mask.map(|action| Match3::transform_action(action, symmetry)).collect();
                assert_eq!(Match3::mask(&shown_state, kind), moved);
            }
            // A move without chance, since each draw is an obstacle.
            for action in offered::<Match3>(&state, MATCHING).0.iter().step_by(3) {
                let mut game = Match3::with_board(Rules::default(), &state.board()).unwrap();
                let mut shown_game = Match3::with_board(Rules::default(), &shown).unwrap();
                let step = game.step(action, &mut Obstacles);
                let shown_action = Match3::transform_action(action, symmetry);
                assert_eq!(shown_game.step(shown_action, &mut Obstacles), step);
                assert_eq!(text(&kinds_under(&game.state(), symmetry)), shown_game.board());
            }
        }
    }
}

fn kinds_under(state: &State, symmetry: usize) -> Vec<usize> {
    kinds(&encoded(state, symmetry).0)
}

#[test]
fn a_text_that_is_no_board_is_refused_by_row_and_column() {
    let board = board_with(&[]);
    let refused = |board: &str, words: &[&str]| {
        let error = State::new(board, 25).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert_eq!(Match3::with_board(Rules::default(), board).unwrap_err().to_string(), error);
    };
    refused("", &["not 0", "10"]);
    refused(&format!("{board}\n########"), &["not 11", "10"]);
    refused(&board.replacen("########\n", "#########\n", 1), &["row 0", "9 cells", "8"]);
    refused(&board_with(&[(3, 7, 'e')]), &["row 7", "column 3", "'e'", "a b c d #"]);
    refused(&board_with(&[(7, 9, ' ')]), &["row 9", "column 7", "' '"]);
    for moves_left in [-1, 26] {
        let error = State::new(&board, moves_left).unwrap_err().to_string();
        assert!(error.contains(&moves_left.to_string()) && error.contains("0 to 25"), "{error}");
    }
}

#[test]
fn a_saved_game_with_an_impossible_board_is_refused() {
    let restore = |rules: u32, planes: Vec<u128>, moves_left: i32| {
        let saved = postcard::to_stdvec(&(rules, planes, 3_i32, moves_left)).unwrap();
        postcard::from_bytes::<Match3>(&saved)
    };
    // An obstacle above a c, a b and a d; all else is a.
    let planes = [0b0011, 0b0101, 0b1000];
    let game = restore(2, planes.to_vec(), 7).unwrap();
    assert_eq!((game.score(), game.moves_left()), (3, 7));
    assert!(game.board().ends_with("\n#aaaaaaa\ncaaaaaaa\nbaaaaaaa\ndaaaaaaa"));
    for (rules, planes, moves_left, what) in [
        (253, planes.to_vec(), 7, "too many obstacle kinds"),
        (2, planes.to_vec(), 26, "more moves than a game has"),
        (2, planes[..2].to_vec(), 7, "a plane too few"),
        (2, vec![0b0011, 0b0101, 0b0001], 7, "a token of kind 7"),
        (2, vec![0, 0, 1 << 10], 7, "a token above the board"),
        (2, vec![0, 0, 1 << 88], 7, "a token beside the board"),
        (2, vec![0, 0, 1 << 127], 7, "a token far beside the board"),
    ] {
        assert!(restore(rules, planes, moves_left).is_err(), "{what}");
    }
}
