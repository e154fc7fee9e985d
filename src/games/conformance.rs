//! What every game must do, whatever its rules: one test for all, called by the tests of each game.

use std::collections::HashSet;

use super::{ActionMask, After, Game, MaskKind, Prior};
use crate::random::{Draw, Role, Stream};

/// The longest game there may be, in moves.
const LONGEST_GAME: usize = 100_000;

/// Plays games of a seed and checks that they keep what [`Game`] promises.
///
/// # Panics
/// If the game breaks a promise.
pub fn check<G: Game>(rules: &G::Rules, seed: u64) {
    check_actions::<G>();
    for (index, kind) in (0..).zip(MaskKind::ALL) {
        let mut stream = Stream::new(seed, Role::Game, index);
        let mut choice = Stream::new(seed, Role::Explore, index);
        let mut game = G::new(rules, &mut stream);
        assert_eq!(game.score(), 0, "a new game has no points");
        let mut score = 0.0;
        for _ in 0..LONGEST_GAME {
            assert!(!game.is_over(), "only a terminal step ends a game");
            check_position::<G>(&game.state());
            check_afterstates::<G>(&game.state());
            let mask = G::mask(&game.state(), kind);
            let number = choice.below(mask.count() as u32) as usize;
            let action = mask.nth(number).expect("a mask is never empty");

            let saved = postcard::to_stdvec(&(&game, &stream)).expect("a game can be saved");
            let (mut twin, mut twin_stream): (G, Stream) =
                postcard::from_bytes(&saved).expect("a saved game can be restored");
            let left = G::actions_left(&game.state());
            let step = game.step(action, &mut stream);
            if !step.terminal {
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
        assert_eq!(G::outlook(&state), 0.0, "nothing is to come after the end");
        let step = game.step(0, &mut stream);
        assert_eq!((step.reward, step.terminal), (0.0, true), "a move after the end gains nothing");
        assert_eq!((game.state(), game.score()), (state, score), "a move after the end changes nothing");
    }
}

/// Actions have places of their own, and symmetries permute them.
fn check_actions<G: Game>() {
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

/// Masks lie within each other; images are of zeros and ones, wholly written, as many ones under every symmetry.
fn check_position<G: Game>(state: &G::State) {
    let [legal, effective, matching, setups] = MaskKind::ALL.map(|kind| G::mask(state, kind));
    assert!(!matching.is_empty() && !setups.is_empty(), "a mask is never empty");
    assert!(matching.without(&effective).is_empty() && setups.without(&effective).is_empty());
    assert!(matching == effective || matching.without(&setups).is_empty());
    assert!(effective.iter().all(|action| legal.contains(action)));
    assert!(legal.iter().all(|action| action < G::ACTIONS));

    let mut ones = None;
    let mut first_scalars = vec![];
    for symmetry in 0..G::SYMMETRIES {
        let mut image = vec![f32::NAN; G::PLANES * G::ROWS * G::COLUMNS];
        let mut scalars = vec![f32::NAN; G::SCALARS];
        G::encode(state, symmetry, &mut image, &mut scalars);
        assert!(image.iter().all(|number| [0.0, 1.0].contains(number)));
        assert!(scalars.iter().all(|number| (0.0..=1.0).contains(number)));
        let sum = image.iter().sum::<f32>();
        assert_eq!(*ones.get_or_insert(sum), sum, "symmetry {symmetry} loses a token");
        if symmetry == 0 {
            first_scalars.clone_from(&scalars);
        }
        assert_eq!(scalars, first_scalars, "symmetry {symmetry} changes a whole-board fact");
    }
}

/// What is certain of actions is written for them alone, and is what the priors say of their afterstates, whose images are
/// wholly written and under every symmetry hold the same numbers.
fn check_afterstates<G: Game>(state: &G::State) {
    let offered = G::mask(state, MaskKind::Matching);
    let setups = G::mask(state, MaskKind::Setups).without(&offered);
    let some: ActionMask = offered.iter().take(2).chain(setups.iter().take(1)).collect();
    check_waves::<G>(state, &some);
    for action in some.iter() {
        check_after::<G>(state, action);
    }
    for prior in [Prior::None, Prior::Chain, Prior::Plan, Prior::Plan3] {
        let mut certain = vec![f32::NAN; G::ACTIONS];
        match prior.depth() {
            0 => some.iter().for_each(|action| certain[action] = 0.0),
            depth => G::certain(state, &some, depth, Prior::LATER, &mut certain),
        }
        let written: ActionMask = (0..G::ACTIONS).filter(|action| !certain[*action].is_nan()).collect();
        assert_eq!(written, some, "what is certain was written for other actions");
        for action in some.iter() {
            let mut sum = None;
            for symmetry in 0..G::SYMMETRIES {
                let planes = G::PLANES + prior.planes_after(G::ACTION_PLANES);
                let mut image = vec![f32::NAN; planes * G::ROWS * G::COLUMNS];
                let mut scalars = vec![f32::NAN; G::SCALARS];
                let known = G::encode_after(state, action, prior, symmetry, &mut image, &mut scalars);
                assert_eq!(known, certain[action], "{prior:?} of action {action} under symmetry {symmetry}");
                assert!(image.iter().chain(&scalars).all(|number| number.is_finite()));
                let found = image.iter().sum::<f32>();
                assert_eq!(*sum.get_or_insert(found), found, "symmetry {symmetry} loses a token");
            }
        }
    }
}

/// What follows from an action for certain has its certain points, leaves one action less where they are counted and none where it
/// was the last, and is a position of whose actions what is certain and the afterstates can be had.
fn check_after<G: Game>(state: &G::State, action: usize) {
    let mut certain = vec![f32::NAN; G::ACTIONS];
    G::certain(state, &std::iter::once(action).collect(), 1, Prior::LATER, &mut certain);
    let left = G::actions_left(state);
    let After { state, points, actions } = G::after(state, action);
    assert_eq!(points, certain[action], "the certain points of action {action}");
    assert!(left != 1 || actions.is_empty(), "there are actions after the last");
    if !actions.is_empty() {
        assert_eq!(G::actions_left(&state), left.saturating_sub(1));
    }
    for next in actions.iter() {
        assert!(next < G::ACTIONS);
        for prior in [Prior::Chain, Prior::Plan, Prior::Plan3] {
            G::certain(&state, &actions, prior.depth(), Prior::LATER, &mut certain);
            let planes = G::PLANES + prior.planes_after(G::ACTION_PLANES);
            let (mut image, mut scalars) = (vec![f32::NAN; planes * G::ROWS * G::COLUMNS], vec![f32::NAN; G::SCALARS]);
            let known = G::encode_after(&state, next, prior, 0, &mut image, &mut scalars);
            assert_eq!(known, certain[next], "{prior:?} of action {next} after action {action}");
            assert!(image.iter().chain(&scalars).all(|number| number.is_finite()));
        }
    }
}

/// The waves of an action begin with its afterstate without a prior, end with the one after all that is certain, and gain its
/// points, under every symmetry.
fn check_waves<G: Game>(state: &G::State, actions: &ActionMask) {
    const ROOM: usize = 64;
    let size = G::PLANES * G::ROWS * G::COLUMNS;
    for action in actions.iter() {
        for symmetry in 0..G::SYMMETRIES {
            let (mut images, mut points) = (vec![f32::NAN; (ROOM + 1) * size], vec![f32::NAN; ROOM]);
            let waves = G::encode_waves(state, action, symmetry, &mut images, &mut points);
            let after = |prior| {
                let (mut image, mut scalars) = (vec![f32::NAN; size], vec![f32::NAN; G::SCALARS]);
                let known = G::encode_after(state, action, prior, symmetry, &mut image, &mut scalars);
                (image, known)
            };
            let (first, _) = after(Prior::None);
            assert!(images[..size] == first, "action {action} is not done in the first board");
            let (last, known) = after(Prior::Chain);
            if waves > 0 {
                assert!(images[waves * size..][..size] == last, "the waves of action {action} end elsewhere");
                assert_eq!(points[..waves].iter().sum::<f32>(), known, "the points of action {action}");
            }
            assert!(images[(waves + 1) * size..].iter().chain(&points[waves..]).all(|number| number.is_nan()));
        }
    }
}
