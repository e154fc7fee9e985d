//! Checks, for every game's tests, that a game keeps the promises of the traits.

use std::collections::HashSet;

use super::{ActionFeatures, ActionMask, ByTiles, Image, MaskKind, Plan, Puzzle, Text, offered};
use crate::random::{Draw, Role, Stream};

const LONGEST_GAME: usize = 100_000;

/// Plays games from a seed and checks the promises of [`Image`] and the traits below it.
pub fn check<G: Image>(rules: &G::Rules, seed: u64) {
    check_actions::<G>();
    check_rules::<G>();
    for (index, kind) in (0..).zip(MaskKind::all::<G>()) {
        let mut stream = Stream::new(seed, Role::Game, index);
        let mut choice = Stream::new(seed, Role::Explore, index);
        let mut game = G::new(rules, &mut stream);
        assert_eq!(game.score(), 0, "a new game has no points");
        let mut score = 0.0;
        for _ in 0..LONGEST_GAME {
            assert!(!game.is_over(), "only a terminal step ends a game");
            check_position::<G>(&game.state());
            check_afterstates::<G>(&game.state());
            check_puzzle::<G>(&game.state());
            let (mask, _) = offered::<G>(&game.state(), kind);
            let number = choice.below(mask.count() as u32) as usize;
            let action = mask.nth(number).expect("a mask is never empty");

            let saved = postcard::to_stdvec(&(&game, &stream)).expect("a game can be saved");
            let (mut twin, mut twin_stream): (G, Stream) =
                postcard::from_bytes(&saved).expect("a saved game can be restored");
            check_seen(&game, &stream, action);
            let left = G::actions_left(&game.state());
            let step = game.step(action, &mut stream);
            if step.terminal {
                assert!(
                    left == 1 || G::MAY_END_EARLY,
                    "a game that ends before its last action, or counts none, needs MAY_END_EARLY"
                );
            } else {
                assert_eq!(
                    G::actions_left(&game.state()),
                    left.saturating_sub(1),
                    "an action leaves one less, if they are counted"
                );
                assert_ne!(left, 1, "the last action that is left ends the game");
            }
            assert_eq!(step, twin.step(action, &mut twin_stream), "a restored game goes on the same");
            assert_eq!(game.state(), twin.state(), "a restored game goes on the same");
            assert_eq!(stream, twin_stream, "a restored game goes on the same");

            score += f64::from(step.reward);
            assert_eq!(f64::from(game.score()), score, "the score is the sum of the rewards");
            assert_eq!(step.terminal, game.is_over());
            if step.terminal {
                break;
            }
        }
        assert!(game.is_over(), "a game ends");
        let (state, score) = (game.state(), game.score());
        let step = game.step(0, &mut stream);
        assert_eq!((step.reward, step.terminal), (0.0, true), "a move after the end gains nothing");
        assert_eq!((game.state(), game.score()), (state, score), "a move after the end changes nothing");
    }
}

/// Checks that the waves seen begin with the action and end at rest.
fn check_seen<G: Image>(game: &G, stream: &Stream, action: usize) {
    let (mut watched, mut watched_stream) = (game.clone(), stream.clone());
    let (mut twin, mut twin_stream) = (game.clone(), stream.clone());
    let mut seen = Vec::new();
    let step = watched.step_seen(action, &mut watched_stream, |wave| seen.push(wave));
    assert_eq!(step, twin.step(action, &mut twin_stream), "a step that is watched is a step");
    assert_eq!((watched.state(), watched_stream), (twin.state(), twin_stream), "a step that is watched is a step");
    assert_eq!(seen.first().map(|wave| wave.before), Some(G::done(&game.state(), action)), "the action itself is seen");
    assert!(seen.windows(2).all(|pair| pair[0].after == pair[1].before), "each wave follows the one before");
    let rest = seen.pop().expect("a chain has an end");
    assert_eq!(rest.before, rest.after, "nothing follows at rest");
    assert_eq!(rest.points, if seen.is_empty() { step.reward } else { 0.0 }, "the points of a board at rest");
}

/// Checks that a parameter of the rules that is left out is that of the usual game.
fn check_rules<G: Image>() {
    let usual = G::Rules::default();
    let written = serde_json::to_value(&usual).expect("rules can be written as JSON");
    for key in written.as_object().into_iter().flat_map(|parameters| parameters.keys()) {
        let mut others = written.clone();
        others.as_object_mut().expect("an object").remove(key);
        let rules = serde_json::from_value::<G::Rules>(others);
        let rules = rules.unwrap_or_else(|error| panic!("rules without {key} need #[serde(default)]: {error}"));
        assert_eq!(rules, usual, "rules without {key} are those of the usual game");
    }
}

/// Checks that moves of a game without chance are its steps, and that something goes with each.
fn check_puzzle<G: Image>(state: &G::State) {
    let Some(puzzle) = G::PUZZLE else { return };
    // All legal actions may be several for one move.
    let usual = MaskKind::default_of::<G>();
    for kind in MaskKind::all::<G>().filter(|kind| *kind != MaskKind::LEGAL || usual == MaskKind::LEGAL) {
        let (mut expanded, mut named) = (ActionMask::empty(), ActionMask::empty());
        let mut numbers: Vec<(u64, G::State)> = Vec::new();
        puzzle.expand(state, kind, &mut |action, points, next| {
            expanded.insert(action);
            let after = G::after(state, action);
            assert_eq!((after.points, after.state), (points, *next), "a move of {}", kind.name::<G>());
            assert!(puzzle.left(next) < puzzle.left(state), "each move takes something away");
            numbers.push((puzzle.hash(next), *next));
        });
        numbers.push((puzzle.hash(state), *state));
        for (index, (number, position)) in numbers.iter().enumerate() {
            let alike = |(other, at): &(u64, G::State)| (other == number) == (at == position);
            assert!(numbers[..index].iter().all(alike), "positions have numbers of their own");
        }
        let mut names = HashSet::new();
        let mut last = None;
        let played = puzzle.play(state, kind, &mut |moves| {
            for (action, name) in moves {
                named.insert(*action);
                assert!(names.insert(*name), "two moves have one name");
            }
            last = moves.last().map(|(action, _)| *action);
            moves.len() - 1
        });
        let after = last.map(|action| G::after(state, action));
        assert_eq!(played, after.map(|after| (after.points, after.state)), "the chosen move is played");
        let mask = G::mask(state, kind);
        assert_eq!((expanded, named), (mask, mask), "all moves of {}", kind.name::<G>());
        if let Some(by_tiles) = G::BY_TILES {
            check_by_tiles::<G>(by_tiles(state), puzzle, state, kind);
        }
    }
}

/// Checks that moves told by tiles are those of the game, to the end of a game, and that slots keep positions.
fn check_by_tiles<G: Image>(mut tiles: Box<dyn ByTiles>, puzzle: &dyn Puzzle<G>, start: &G::State, kind: MaskKind) {
    let (mut state, mut chosen) = (*start, 0);
    tiles.save(0);
    loop {
        let (offered, _) = offered::<G>(&state, MaskKind::default_of::<G>());
        let actions: Vec<Option<usize>> = (0..tiles.count()).map(|tile| tiles.action(tile)).collect();
        assert!(
            actions.iter().flatten().all(|action| offered.contains(*action)),
            "a tile tells a move of the default mask"
        );
        assert_eq!(tiles.left(), puzzle.left(&state));
        tiles.save(1);
        for tile in (0..tiles.count()).filter(|tile| actions[*tile].is_none()) {
            assert_eq!(tiles.play(tile), None, "no move takes tile {tile}");
            assert!(tiles.is_at(1), "nothing changes");
        }
        let Some(tile) = tiles.choose(kind, &mut |count| (count / 3 + chosen) % count) else { break };
        let action = actions[tile].expect("a move takes what is chosen");
        assert!(kind == MaskKind::LEGAL || G::mask(&state, kind).contains(action), "it is one of {}", kind.name::<G>());
        let after = G::after(&state, action);
        assert_eq!(tiles.play(tile), Some(after.points), "a tile's move has the points of its action");
        assert!(!tiles.is_at(1), "positions differ");
        tiles.load(1);
        assert!(tiles.is_at(1), "a slot keeps its position");
        tiles.play(tile);
        (state, chosen) = (after.state, chosen + 1);
    }
    assert!(G::mask(&state, kind).is_empty(), "there is a move to the end");
    tiles.load(0);
    assert_eq!(tiles.left(), puzzle.left(start));
}

fn check_actions<G: Image>() {
    assert!((1..=ActionMask::CAPACITY).contains(&G::ACTIONS));
    let mut places = HashSet::new();
    for action in 0..G::ACTIONS {
        let (plane, row, column) = G::place(action);
        assert!(plane < G::ACTION_PLANES && row < G::ROWS && column < G::COLUMNS);
        assert!(places.insert((plane, row, column)), "two actions are at one place");
        assert_eq!(G::transform_action(action, 0), action, "symmetry 0 is the identity");
    }
    for symmetry in 0..G::SYMMETRIES {
        let shown: ActionMask = (0..G::ACTIONS).map(|a| G::transform_action(a, symmetry)).collect();
        assert_eq!(shown, ActionMask::all(G::ACTIONS), "symmetry {symmetry} loses an action");
    }
}

/// Checks masks and images, whose ones are as many under each symmetry.
fn check_position<G: Image>(state: &G::State) {
    let legal = G::mask(state, MaskKind::LEGAL);
    assert!(!legal.is_empty(), "there is a legal action");
    assert!(legal.iter().all(|action| action < G::ACTIONS));
    for kind in MaskKind::all::<G>() {
        let (mask, other) = offered::<G>(state, kind);
        assert!(!mask.is_empty() && mask.without(&legal).is_empty(), "{} offers legal actions", kind.name::<G>());
        assert_eq!(other, G::mask(state, kind).is_empty(), "another mask is offered where one is empty");
    }

    let mut ones = None;
    let mut first_scalars = vec![];
    for symmetry in 0..G::SYMMETRIES {
        let (image, scalars) = seen::<G>(state, symmetry);
        assert!(image.iter().all(|number| [0.0, 1.0].contains(number)));
        assert!(scalars.iter().all(|number| (0.0..=1.0).contains(number)));
        let sum = image.iter().sum::<f32>();
        assert_eq!(*ones.get_or_insert(sum), sum, "symmetry {symmetry} loses a token");
        if symmetry == 0 {
            first_scalars.clone_from(&scalars);
            let (mut bytes, mut beside) = (vec![u8::MAX; image.len()], vec![f32::NAN; G::SCALARS]);
            G::encode(state, 0, &mut bytes, &mut beside);
            let same = bytes.into_iter().map(f32::from).eq(image.iter().copied());
            assert!(same, "the bytes are not the image");
            assert_eq!(beside, scalars, "beside the bytes are other scalars than beside the image");
        }
        assert_eq!(scalars, first_scalars, "symmetry {symmetry} changes a whole-board fact");
    }
}

/// Checks that [`certain`](crate::Lookahead::certain) gives the asked actions and their best plans.
fn check_afterstates<G: Image>(state: &G::State) {
    let (mask, _) = offered::<G>(state, MaskKind::default_of::<G>());
    let last = MaskKind(G::MASKS.len() - 1);
    let rest = G::mask(state, last).without(&mask);
    let some: ActionMask = mask.iter().take(2).chain(rest.iter().take(1)).collect();
    for action in some.iter() {
        check_after::<G>(state, action);
    }
    for (depth, breadth) in [(1, 0), (2, 0), (2, 1), (3, 2)] {
        let plan = Plan { breadth, ..Plan::of(depth) };
        let mut certain = vec![f32::NAN; G::ACTIONS];
        G::certain(state, &some, plan, |action, points| certain[action] = points);
        let written: ActionMask = (0..G::ACTIONS).filter(|action| !certain[*action].is_nan()).collect();
        assert_eq!(written, some, "what is certain was written for other actions");
        let threshold = plan.pruning_threshold(some.iter().map(|action| G::after(state, action).points));
        for action in some.iter() {
            let after = G::after(state, action);
            let further = depth > 1 && after.points >= threshold && !after.actions.is_empty();
            let later = if further { best::<G>(&after.state, &after.actions, depth - 1) } else { 0.0 };
            let expected = (f64::from(after.points) + plan.weight * later) as f32;
            assert_eq!(certain[action], expected, "a plan of {depth} from action {action}, {breadth} wide");
        }
    }
}

fn best<G: Image>(state: &G::State, actions: &ActionMask, depth: u32) -> f64 {
    let mut values = vec![0.0; G::ACTIONS];
    G::certain(state, actions, Plan::of(depth), |action, points| values[action] = points);
    actions.iter().map(|action| f64::from(values[action])).fold(0.0, f64::max)
}

/// Checks that an action's waves end in its afterstate, with its points.
fn check_after<G: Image>(state: &G::State, action: usize) {
    let after = G::after(state, action);
    let (mut board, mut points) = (G::done(state, action), None);
    while let Some((next, gained)) = G::wave(&board) {
        board = next;
        points = Some(points.unwrap_or(0.0) + gained);
    }
    assert_eq!(board, after.state, "the waves of action {action} end elsewhere");
    if let Some(points) = points {
        assert_eq!(points, after.points, "the points of action {action}");
    }
    assert_eq!(after.actions, G::gaining_actions(&after.state), "what gains something after action {action}");
    let left = G::actions_left(state);
    assert!(left != 1 || after.actions.is_empty(), "there are actions after the last");
    if !after.actions.is_empty() {
        assert_eq!(G::actions_left(&after.state), left.saturating_sub(1));
    }
    for next in after.actions.iter() {
        assert!(next < G::ACTIONS);
        G::after(&after.state, next);
    }
    let mut ones = None;
    for symmetry in 0..G::SYMMETRIES {
        let (image, scalars) = seen::<G>(&after.state, symmetry);
        assert!(image.iter().chain(&scalars).all(|number| number.is_finite()));
        if symmetry == 0 {
            let other = G::DECODE.map(|decode| decode(&G::done(state, action), &image));
            assert!(other.is_none_or(|other| other == after.state), "the board of action {action}'s image");
        }
        let found = image.iter().sum::<f32>();
        assert_eq!(*ones.get_or_insert(found), found, "symmetry {symmetry} loses a token");
    }
}

/// Plays a game from a seed and checks the promises of [`Text`] and
/// [`StateFeatures`](crate::StateFeatures).
pub fn check_text<G: Text + Image + ActionFeatures>(rules: &G::Rules, seed: u64) {
    check_text_of::<G>(rules, seed, |state| *state);
}

/// [`check_text`] where a board's text leaves something out, without which `as_written` gives a
/// position.
pub fn check_text_of<G: Text + Image + ActionFeatures>(
    rules: &G::Rules,
    seed: u64,
    as_written: fn(&G::State) -> G::State,
) {
    let mut stream = Stream::new(seed, Role::Game, 0);
    let mut choice = Stream::new(seed, Role::Explore, 0);
    let mut game = G::new(rules, &mut stream);
    let mut turns = turns::<G>(rules, &as_written(&game.state()));
    for action in 0..G::ACTIONS {
        assert_eq!(G::from_json(&G::to_json(action)), Ok(action), "an action is read as it was written");
    }
    while !game.is_over() {
        let state = game.state();
        let mut legal = G::mask(&state, MaskKind::LEGAL).iter();
        assert!(legal.all(|action| !G::cells(&state, action).is_empty()), "an action has cells");
        let features = G::features(&state);
        assert!(features.len() == G::NAMES.len() && features.iter().all(|feature| feature.is_finite()));
        let board = G::board(&state);
        let letters = || board.chars().filter(|letter| *letter != '\n');
        let unknown = letters().find(|letter| G::TOKENS.iter().all(|token| token.letter != *letter));
        assert_eq!(unknown, None, "every letter of a board has a token");
        let left = Some(G::actions_left(&state) as i64);
        assert_eq!(G::parse(rules, &board, left), Ok(as_written(&state)), "a position is read as it was written");
        for (symmetry, turns) in &mut turns {
            check_turned::<G>(rules, &as_written(&state), *symmetry, turns);
        }
        let (mask, _) = offered::<G>(&state, MaskKind::default_of::<G>());
        let action = mask.nth(choice.below(mask.count() as u32) as usize).expect("a mask is never empty");
        let (mut twin, mut twin_stream) = (game.clone(), stream.clone());
        let (step, boards) = game.frames(action, &mut stream);
        assert_eq!(step, twin.step(action, &mut twin_stream), "a watched step is a step");
        assert_eq!(game.state(), twin.state(), "a watched step is a step");
        assert!(boards.iter().all(|frame| frame.lines().count() == board.lines().count()));
    }
}

/// How a symmetry turns the board's text: whether rows become columns, rows are reversed, columns are.
type Turn = [bool; 3];

/// Position whose board's text is the turned one; `None` if no position has it.
fn turned<G: Text>(rules: &G::Rules, state: &G::State, [transposes, flips, mirrors]: Turn) -> Option<G::State> {
    let mut rows: Vec<Vec<char>> = G::board(state).lines().map(|line| line.chars().collect()).collect();
    if transposes {
        rows = (0..rows[0].len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
    }
    if flips {
        rows.reverse();
    }
    if mirrors {
        rows.iter_mut().for_each(|row| row.reverse());
    }
    let rows: Vec<String> = rows.into_iter().map(|row| row.into_iter().collect()).collect();
    G::parse(rules, &rows.join("\n"), Some(G::actions_left(state) as i64)).ok()
}

/// Image and scalars of a position under a symmetry.
fn seen<G: Image>(state: &G::State, symmetry: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut image, mut scalars) = (vec![f32::NAN; G::PLANES * G::ROWS * G::COLUMNS], vec![f32::NAN; G::SCALARS]);
    G::encode(state, symmetry, &mut image, &mut scalars);
    (image, scalars)
}

/// Whether the turned position is the one that the symmetry shows.
fn fits<G: Text + Image>(rules: &G::Rules, state: &G::State, symmetry: usize, turn: Turn) -> bool {
    turned::<G>(rules, state, turn).is_some_and(|turned| seen::<G>(&turned, 0) == seen::<G>(state, symmetry))
}

/// Symmetries that turn the board's text, with the turns that they may be; those that exchange colours are
/// left out.
fn turns<G: Text + Image>(rules: &G::Rules, state: &G::State) -> Vec<(usize, Vec<Turn>)> {
    let all = (1..8).map(|bits| [4, 2, 1].map(|bit| bits & bit > 0));
    let fitting = |symmetry| all.clone().filter(move |turn| fits::<G>(rules, state, symmetry, *turn)).collect();
    (1..G::SYMMETRIES)
        .map(|symmetry| (symmetry, fitting(symmetry)))
        .filter(|(_, turns): &(_, Vec<_>)| !turns.is_empty())
        .collect()
}

/// Checks that a turned position has the turned moves, to turned positions for the same points. Turns that
/// the symmetry is not are left out from then on.
fn check_turned<G: Text + Image>(rules: &G::Rules, state: &G::State, symmetry: usize, turns: &mut Vec<Turn>) {
    turns.retain(|turn| fits::<G>(rules, state, symmetry, *turn));
    let Some(other) = turns.first().and_then(|turn| turned::<G>(rules, state, *turn)) else {
        panic!("symmetry {symmetry} turns a board into none of the game, or other than its text");
    };
    // A symmetric board does not tell which turn it is.
    if turns.iter().any(|turn| turned::<G>(rules, state, *turn) != Some(other)) {
        return;
    }
    let legal = G::mask(state, MaskKind::LEGAL);
    let shown: ActionMask = legal.iter().map(|action| G::transform_action(action, symmetry)).collect();
    assert_eq!(G::mask(&other, MaskKind::LEGAL), shown, "symmetry {symmetry}: the legal actions of a turned board");
    for action in legal.iter() {
        let (after, shown) = (G::after(state, action), G::after(&other, G::transform_action(action, symmetry)));
        let same = after.points == shown.points && seen::<G>(&after.state, symmetry) == seen::<G>(&shown.state, 0);
        assert!(same, "symmetry {symmetry} is none of the rules: action {action} leads elsewhere on a turned board");
    }
}
