//! The players, on boards made by hand.

use std::time::{Duration, Instant};

use matchq::agents::{
    Agent, Budget, Cascade, Expected, Greedy, Leaf, Matching, NetworkPlayer, NoLeaf, PLAYERS, Plan, Policy, Random,
    Ranked, Rollout, Search, Valued, best, listing, parse, with_policy,
};
use matchq::eval::{Summary, play_series};
use matchq::games::match3::{Certain, Match3, Move, Rules, State, best_plan};
use matchq::games::{Game, MaskKind, Prior};
use matchq::network::{self, Evaluator, device};
use matchq::random::{Draw, Lanes, Role, Stream};
use rayon::ThreadPoolBuilder;

type Gem = (usize, usize, char);

/// A position whose board, all else obstacles, has these gems: (x, y, letter).
fn position(gems: &[Gem], moves_left: i64) -> State {
    let letter = |x, y| gems.iter().find(|gem| (gem.0, gem.1) == (x, y)).map_or('#', |gem| gem.2);
    let line = |y| (0..8).map(|x| letter(x, y)).collect::<String>();
    State::new(&(0..10).map(line).collect::<Vec<_>>().join("\n"), moves_left).unwrap()
}

fn action(x: usize, y: usize, vertical: bool) -> usize {
    Move { x, y, vertical }.action().unwrap()
}

fn ties(index: u64) -> Stream {
    Stream::new(3, Role::Tie, index)
}

/// What a player chooses with one stream after another, without repetition.
fn choices(policy: &impl Policy<Match3>, state: &State) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..20).map(|index| policy.choose(state, &mut ties(index))).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn value_of(values: &[Valued], action: usize) -> f64 {
    values.iter().find(|valued| valued.action == action).unwrap().value
}

/// Three b whose clearing lets three c and then three d fall into rows: 8 + 8 + 8. By swapping (6, 9) right.
const CHAIN: [Gem; 9] = [
    (4, 9, 'b'),
    (5, 9, 'b'),
    (7, 9, 'b'),
    (4, 8, 'c'),
    (5, 8, 'c'),
    (6, 7, 'c'),
    (4, 7, 'd'),
    (5, 7, 'd'),
    (6, 6, 'd'),
];

/// Four a: 15. By swapping (2, 8) down.
const FOUR: [Gem; 4] = [(0, 9, 'a'), (1, 9, 'a'), (2, 8, 'a'), (3, 9, 'a')];

/// Three b that clear the way for an a to stand over the gap in a row of four a: 8, then 24. By swapping (2, 6)
/// right; and four d: 15 at once. By swapping (6, 4) right.
const PREPARATION: [Gem; 13] = [
    (0, 9, 'a'),
    (1, 9, 'a'),
    (2, 9, 'c'),
    (3, 9, 'a'),
    (4, 9, 'a'),
    (2, 8, 'b'),
    (2, 7, 'b'),
    (3, 6, 'b'),
    (2, 5, 'a'),
    (7, 2, 'd'),
    (7, 3, 'd'),
    (6, 4, 'd'),
    (7, 5, 'd'),
];

fn prepares() -> usize {
    action(2, 6, false)
}

fn takes_four() -> usize {
    action(6, 4, false)
}

fn rollout(sims: usize, depth: u32) -> Rollout<Cascade> {
    let search = Search { rules: Rules::default(), budget: Budget::Simulations(sims), depth, prior_visits: 0.0 };
    Rollout { search, guide: Cascade }
}

#[test]
fn the_random_player_weighs_all_legal_moves_alike() {
    let values = Policy::<Match3>::values(&Random, &position(&FOUR, 25), &mut ties(0));
    assert_eq!(values.iter().map(|valued| valued.action).collect::<Vec<_>>(), (0..142).collect::<Vec<_>>());
    assert!(values.iter().all(|valued| valued.value == 0.0));
}

#[test]
fn ties_are_broken_uniformly() {
    let valued = |(action, value)| Valued { action, value };
    let values = [(4, 1.0), (5, 2.0), (6, 0.0), (7, 2.0), (9, 2.0)].map(valued);
    let mut stream = ties(0);
    let mut counts = [0_i32; 10];
    (0..9000).for_each(|_| counts[best(&values, &mut stream)] += 1);
    // Six standard deviations of a count are 270.
    assert!([5, 7, 9].iter().all(|action| (counts[*action] - 3000).abs() < 270), "{counts:?}");
    assert_eq!(counts.iter().sum::<i32>(), counts[5] + counts[7] + counts[9]);
}

#[test]
fn the_matching_player_plays_every_move_that_matches_and_no_other() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let matching: Vec<usize> = Certain::of(&state).matching().iter().collect();
    assert!(matching.len() > 1);
    assert_eq!(choices(&Matching, &state), matching);
}

#[test]
fn the_greedy_player_takes_the_most_points_at_once() {
    assert_eq!(choices(&Greedy, &position(&[&FOUR[..], &CHAIN].concat(), 25)), [action(2, 8, true)]);
}

#[test]
fn the_cascade_player_takes_the_most_points_of_the_certain_chain() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    assert_eq!(choices(&Cascade, &state), [action(6, 9, false)]);
    assert_eq!(value_of(&Cascade.values(&state, &mut ties(0)), action(6, 9, false)), 24.0);
}

#[test]
fn the_planning_player_gives_up_points_now_for_more_that_are_certain_later() {
    let state = position(&PREPARATION, 25);
    assert_eq!(choices(&Cascade, &state), [takes_four()]);
    let plan = Plan { depth: 2, weight: 0.5, breadth: 0 };
    assert_eq!(choices(&plan, &state), [prepares()]);
    let values = plan.values(&state, &mut ties(0));
    assert_eq!(value_of(&values, prepares()), 8.0 + 0.5 * 24.0);
    assert_eq!(value_of(&values, takes_four()), 15.0 + 0.5 * 8.0);
}

#[test]
fn a_plan_is_never_longer_than_the_moves_left() {
    let plan = Plan { depth: 3, weight: 1.0, breadth: 0 };
    assert_eq!(choices(&plan, &position(&PREPARATION, 1)), [takes_four()]);
    let two_left = plan.values(&position(&PREPARATION, 2), &mut ties(0));
    assert_eq!(value_of(&two_left, prepares()), 8.0 + 24.0);
    let three_left = plan.values(&position(&PREPARATION, 3), &mut ties(0));
    assert_eq!(value_of(&three_left, prepares()), 8.0 + 24.0 + 15.0);
}

#[test]
fn a_plan_of_little_breadth_looks_further_only_after_the_moves_with_the_most_points() {
    let state = position(&PREPARATION, 25);
    let values = |breadth| Plan { depth: 2, weight: 0.5, breadth }.values(&state, &mut ties(0));
    assert_eq!(value_of(&values(1), takes_four()), 15.0 + 0.5 * 8.0);
    assert_eq!(value_of(&values(1), prepares()), 8.0);
    // Where the last of them has equals, these are looked at as well, and all if there are not so many.
    let eights = values(0).iter().filter(|valued| valued.action != takes_four()).count();
    assert!(eights > 1);
    for breadth in [2, eights, eights + 1, 142] {
        assert_eq!(values(breadth), values(0));
    }
}

#[test]
fn the_best_plan_is_found_by_trying_all_sequences() {
    fn plain(board: Certain, depth: u32) -> f64 {
        let mut most = 0.0;
        for action in 0..if depth > 0 { Match3::ACTIONS } else { 0 } {
            let mut after = board;
            let points = after.play(action);
            if points > 0 && board.swapped(action) != board {
                most = f64::max(most, f64::from(points) + 0.5 * plain(after, depth - 1));
            }
        }
        most
    }
    for index in 0..20 {
        let game = Match3::new(&Rules::default(), &mut Stream::new(5, Role::Game, index));
        let board = Certain::of(&game.state());
        for depth in 0..3 {
            assert_eq!(best_plan(&board, depth, 0.5), plain(board, depth));
        }
    }
}

#[test]
fn the_expecting_player_sees_what_simulated_outcomes_bring() {
    let expected = |depth| Expected { rules: Rules::default(), samples: 300, depth, weight: 0.9 };
    assert_eq!(choices(&expected(0), &position(&[&FOUR[..], &CHAIN].concat(), 25)), [action(6, 9, false)]);
    assert_eq!(choices(&expected(0), &position(&PREPARATION, 25)), [takes_four()]);
    assert_eq!(choices(&expected(1), &position(&PREPARATION, 25)), [prepares()]);
    assert_eq!(choices(&expected(1), &position(&PREPARATION, 1)), [takes_four()]);
}

#[test]
fn the_ranked_player_prefers_the_match_types_in_their_order() {
    // The gem at (4, top) comes down between arms of equal gems at its left, right and below.
    let shape = |top: usize, letter: char, [left, right, below]: [usize; 3]| {
        let mut gems = vec![(4, top, letter)];
        gems.extend((1..=left).map(|step| (4 - step, top + 1, letter)));
        gems.extend((1..=right).map(|step| (4 + step, top + 1, letter)));
        gems.extend((1..=below).map(|step| (4, top + 1 + step, letter)));
        gems
    };
    let [three, four, five] = [[1, 1, 0], [1, 2, 0], [2, 2, 0]];
    let [l, t, three_way] = [[2, 0, 2], [1, 1, 2], [2, 2, 2]];
    let order = [three, four, five, l, t, three_way];
    for (rank, better) in order.iter().enumerate() {
        for worse in &order[..rank] {
            let above = position(&[shape(0, 'a', *better), shape(6, 'b', *worse)].concat(), 25);
            assert_eq!(choices(&Ranked, &above), [action(4, 0, true)], "{better:?} above {worse:?}");
            let below = position(&[shape(0, 'a', *worse), shape(6, 'b', *better)].concat(), 25);
            assert_eq!(choices(&Ranked, &below), [action(4, 6, true)], "{better:?} below {worse:?}");
        }
    }
}

#[test]
fn the_ranked_player_prefers_a_double_match_to_a_chain_and_a_chain_to_nothing() {
    let three = [(0, 2, 'a'), (1, 1, 'a'), (2, 2, 'a')];
    let chain = position(&[&three[..], &CHAIN].concat(), 25);
    assert_eq!(choices(&Ranked, &chain), [action(6, 9, false)]);
    let other = [(0, 1, 'c'), (1, 2, 'c'), (2, 1, 'c')];
    let double = position(&[&three[..], &other, &CHAIN].concat(), 25);
    assert_eq!(choices(&Ranked, &double), [action(1, 1, true)]);
}

#[test]
fn rollouts_see_what_the_guide_makes_of_a_move() {
    assert_eq!(choices(&rollout(500, 1), &position(&PREPARATION, 25)), [prepares()]);
    assert_eq!(choices(&rollout(500, 0), &position(&PREPARATION, 25)), [takes_four()]);
    assert_eq!(choices(&rollout(500, 3), &position(&PREPARATION, 1)), [takes_four()]);
}

#[test]
fn a_guide_that_plans_gets_more_out_of_the_moves_that_follow() {
    let state = position(&[&PREPARATION[..], &[(0, 1, 'c'), (1, 0, 'c'), (2, 1, 'c')]].concat(), 25);
    let search = Search { rules: Rules::default(), budget: Budget::Simulations(1000), depth: 2, prior_visits: 0.0 };
    let planned = Rollout { search, guide: Plan { depth: 2, weight: 0.5, breadth: 0 } };
    let aside = action(1, 0, true);
    // 8, then 8 + 24 by the plan, but 15 + 8 by the most points at once; what falls in is the same for both.
    let (plan, cascade) = (planned.values(&state, &mut ties(0)), rollout(1000, 2).values(&state, &mut ties(0)));
    assert!(value_of(&plan, aside) > value_of(&cascade, aside) + 4.0, "{plan:?} {cascade:?}");
}

#[test]
fn where_nothing_matches_every_player_plays_any_effective_swap() {
    let state = position(&[(0, 0, 'a'), (4, 4, 'b')], 25);
    let effective: Vec<usize> = Match3::mask(&state, MaskKind::Effective).iter().collect();
    assert_eq!(effective.len(), 6);
    for entry in PLAYERS.iter().filter(|entry| entry.name != "random") {
        let mut player = parse(entry.name, &Rules::default()).unwrap();
        let mut streams: Vec<Stream> = (0..200).map(ties).collect();
        let mut chosen = player.act(&[state; 200], &mut streams).unwrap();
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!(chosen, effective, "{}", entry.name);
    }
}

const ALL: [&str; 12] = [
    "network",
    "network+search:sims=40",
    "random",
    "matching",
    "greedy",
    "ranked",
    "cascade",
    "plan",
    "expected:samples=3:depth=1",
    "rollout:sims=60",
    "rollout:sims=40:depth=1:guide=plan",
    "rollout:sims=40:depth=1:guide=plan:breadth=3",
];

#[test]
fn a_player_acts_by_the_first_of_its_ranked_moves() {
    let rules = Rules::default();
    let positions = (0..6).map(|luck| Match3::new(&rules, &mut Stream::new(4, Role::Game, luck)).state());
    for state in positions.chain([position(&[(0, 0, 'a'), (4, 4, 'b')], 25), position(&FOUR, 1)]) {
        for text in ALL {
            let mut player = parse(text, &rules).unwrap();
            let ranked = player.rank(&state, &mut ties(1)).unwrap();
            assert_eq!(player.act(&[state], &mut [ties(1)]).unwrap(), [ranked[0].action], "{text}");
            let mut actions: Vec<usize> = ranked.iter().map(|valued| valued.action).collect();
            actions.sort_unstable();
            let mask = if text == "random" { MaskKind::Legal } else { MaskKind::Matching };
            let offered: Vec<usize> = Match3::mask(&state, mask).iter().collect();
            // A search leaves out what its budget is too small for, and may value a move that went early, by a few
            // simulations, above one that stayed.
            if text.contains("sims") {
                assert!(actions.iter().all(|action| offered.contains(action)), "{text}");
            } else {
                assert_eq!(actions, offered, "{text}");
                assert!(ranked.is_sorted_by(|a, b| a.value >= b.value), "{text}: {ranked:?}");
            }
        }
    }
}

#[test]
fn the_network_ranks_by_its_values_in_points() {
    let (_, device) = device::select(None).unwrap();
    let policy = network::Policy::load::<Match3>(None, &device).unwrap();
    let mut player = NetworkPlayer::<Match3>::of(&policy, 8, &device);
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let raw = Evaluator::<Match3>::new(&policy.network, 8, &device).values(&[state]).unwrap().to_vec();
    let ranked = player.rank(&state, &mut ties(0)).unwrap();
    for valued in &ranked {
        assert_eq!(valued.value, f64::from(raw[valued.action]) * policy.config.points);
    }
    // The shipped network was taught a tenth of the points, and values a move with those to come, four fifths each, in points.
    assert!((100.0..300.0).contains(&ranked[0].value), "{ranked:?}");
    let best = Leaf::values(&mut player, &[state, state]).unwrap();
    assert!(best.iter().all(|value| (f64::from(*value) - ranked[0].value).abs() < 1e-4), "{best:?} {ranked:?}");
}

/// A policy with fresh weights that sees afterstates and has the plan as its prior.
fn planned_policy(device: &device::Device) -> network::Policy {
    let network =
        network::NetworkConfig { channels: 4, layers: 2, prior: Prior::Plan, afterstates: true, ..Default::default() };
    let config = network::PolicyConfig { game: "match3".into(), mask: MaskKind::Matching, points: 10.0, network };
    let network = network::QNetwork::new::<Match3>(&config, &mut Stream::new(1, Role::Initialise, 0), device);
    network::Policy { config, network }
}

#[test]
fn a_network_that_foresees_chains_is_told_what_they_leave_in_a_search_and_where_asked_to_be() {
    let (_, device) = device::select(None).unwrap();
    let rules = Rules::default();
    let policy = |waves, prior| {
        let network =
            network::NetworkConfig { channels: 4, layers: 2, afterstates: true, waves, prior, ..Default::default() };
        let config = network::PolicyConfig { game: "match3".into(), mask: MaskKind::Matching, points: 10.0, network };
        // The values' weights are drawn before the model's, so they are the same in both.
        let network = network::QNetwork::new::<Match3>(&config, &mut Stream::new(1, Role::Initialise, 0), &device);
        network::Policy { config, network }
    };
    let (foreseeing, chain) = (policy(3, Prior::None), policy(0, Prior::Chain));
    let play = |text, policy| {
        let mut player = with_policy(text, &rules, policy, &device).unwrap();
        let scores = play_series(&mut *player, &rules, 0, 3, |_| ()).unwrap();
        scores.iter().map(|game| game.score).collect::<Vec<_>>()
    };
    let expected = play("network", &chain);
    assert_eq!(play("network:told=1", &foreseeing), expected);
    assert_ne!(play("network", &foreseeing), expected);
    let search = "network+search:sims=20:depth=0:candidates=4";
    assert_eq!(play(search, &foreseeing), play(search, &chain));
}

#[test]
fn a_network_with_the_plan_as_its_prior_and_no_output_is_the_planning_player() {
    let (_, device) = device::select(None).unwrap();
    let policy = planned_policy(&device);
    let rules = Rules::default();
    let mut player = with_policy("network:output=0", &rules, &policy, &device).unwrap();
    let mut search = with_policy("network+search:output=0:sims=1:candidates=1", &rules, &policy, &device).unwrap();
    for index in 0..20 {
        let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, index)).state();
        let best = Plan { depth: 2, weight: 0.5, breadth: 0 }.rank(&state, &mut ties(0));
        for ranked in [player.rank(&state, &mut ties(0)).unwrap(), search.rank(&state, &mut ties(0)).unwrap()] {
            let planned = best.iter().find(|valued| valued.action == ranked[0].action).unwrap();
            assert_eq!(planned.value, best[0].value);
        }
    }
}

#[test]
fn as_a_leaf_a_network_values_the_moves_with_the_best_plans_only() {
    let (_, device) = device::select(None).unwrap();
    let policy = planned_policy(&device);
    let player = |leaf_moves| NetworkPlayer::<Match3>::of(&policy, 8, &device).with_leaf_moves(leaf_moves);
    for index in 0..20 {
        let state = Match3::new(&Rules::default(), &mut Stream::new(2, Role::Game, index)).state();
        let all = player(0).rank(&state, &mut ties(0)).unwrap();
        let planned = Plan { depth: 2, weight: 0.5, breadth: 0 }.rank(&state, &mut ties(0));
        for leaf_moves in [0, 1, 3] {
            let last =
                if leaf_moves == 0 { f64::NEG_INFINITY } else { planned[leaf_moves.min(planned.len()) - 1].value };
            let valued = |action: usize| planned.iter().any(|plan| plan.action == action && plan.value >= last);
            let best = all.iter().find(|of_network| valued(of_network.action)).unwrap().value;
            let leaf = Leaf::values(&mut player(leaf_moves), &[state]).unwrap();
            assert!((f64::from(leaf[0]) - best).abs() < 1e-3, "{leaf_moves}: {leaf:?} {best}");
        }
    }
    assert_eq!((Leaf::batch(&player(0)), Leaf::batch(&player(3))), (8, 3));
}

#[test]
fn the_searching_network_tries_only_its_best_candidates() {
    let rules = Rules::default();
    let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, 0)).state();
    let ranked = |text: &str| -> Vec<usize> {
        let ranked = parse(text, &rules).unwrap().rank(&state, &mut ties(0)).unwrap();
        ranked.iter().map(|valued| valued.action).collect()
    };
    let network = ranked("network");
    assert_eq!(ranked("network+search:sims=20:candidates=1"), network[..1]);
    let mut three = ranked("network+search:sims=60:candidates=3");
    three.sort_unstable();
    let mut best = network[..3].to_vec();
    best.sort_unstable();
    assert_eq!(three, best);
}

#[test]
fn the_networks_value_of_where_a_simulation_ends_counts_by_its_weight() {
    let rules = Rules::default();
    let value = |text: &str, state: &State| {
        let ranked = parse(text, &rules).unwrap().rank(state, &mut ties(0)).unwrap();
        ranked[0].value
    };
    let search = |weight: f64| format!("network+search:sims=50:depth=0:candidates=1:weight={weight}");
    let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, 0)).state();
    let [none, half, whole] = [0.0, 0.5, 1.0].map(|weight| value(&search(weight), &state));
    assert!(whole > none + 5.0, "{none} {whole}");
    assert!((half - (none + whole) / 2.0).abs() < 1e-3, "{none} {half} {whole}");
    // After the last move there is nothing to value.
    let last = State::new(&state.board(), 1).unwrap();
    assert_eq!(value(&search(0.0), &last), value(&search(1.0), &last));
}

#[test]
fn a_game_is_played_the_same_alone_in_a_batch_and_on_any_number_of_threads() {
    let rules = Rules::default();
    for text in ALL {
        let series = |threads: usize, first: u128, count: u64| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let play = || play_series(&mut *parse(text, &rules).unwrap(), &rules, first, count, |_| ()).unwrap();
            // A player need not be of one thread, so the pool runs the whole series.
            pool.install(play)
        };
        let together = series(1, 0, 4);
        assert_eq!(together, series(3, 0, 4), "{text}");
        let alone: Vec<_> = (0..4).flat_map(|seed| series(2, seed, 1)).collect();
        assert_eq!(together, alone, "{text}");
    }
}

/// Plays the first move of the mask and keeps what it is given to choose by.
#[derive(Default)]
struct Spy(Vec<(State, Stream)>);

impl Agent<Match3> for Spy {
    fn name(&self) -> &str {
        "spy"
    }

    fn act(&mut self, states: &[State], ties: &mut [Stream]) -> matchq::error::Result<Vec<usize>> {
        self.0.extend(states.iter().copied().zip(ties.iter().cloned()));
        Ok(states.iter().map(|state| Match3::mask(state, MaskKind::Matching).nth(0).unwrap()).collect())
    }

    fn rank(&mut self, _: &State, _: &mut Stream) -> matchq::error::Result<Vec<Valued>> {
        unreachable!("a series only asks for actions")
    }
}

#[test]
fn a_player_is_given_the_position_and_a_stream_that_the_games_luck_has_no_part_in() {
    let mut spy = Spy::default();
    play_series(&mut spy, &Rules::default(), 5, 2, |_| ()).unwrap();
    assert_eq!(spy.0.len(), 2 * 25);
    for (index, (_, stream)) in spy.0.iter().enumerate() {
        assert_eq!(stream, &Stream::new(5 + index as u64 % 2, Role::Tie, 0));
    }
}

#[test]
fn the_same_position_gets_the_same_choice_whatever_games_were_played_before() {
    let rules = Rules::default();
    let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, 0)).state();
    for text in ALL {
        let mut fresh = parse(text, &rules).unwrap();
        let mut used = parse(text, &rules).unwrap();
        play_series(&mut *used, &rules, 3, 2, |_| ()).unwrap();
        let choose = |player: &mut dyn Agent<Match3>| player.act(&[state; 3], &mut [0, 1, 2].map(ties)).unwrap();
        assert_eq!(choose(&mut *fresh), choose(&mut *used), "{text}");
    }
}

#[test]
fn the_same_games_are_played_again_with_the_same_choices_among_ties() {
    let rules = Rules::default();
    let play = |first| play_series(&mut *parse("matching", &rules).unwrap(), &rules, first, 3, |_| ()).unwrap();
    assert_eq!(play(7), play(7));
    // Seeds that differ in their upper half only have other ties.
    assert_ne!(play(7)[0].actions, play(7 + (1 << 64))[0].actions);
}

#[test]
fn luck_column_by_column_takes_noise_from_the_difference_of_two_moves() {
    let rules = Rules::default();
    /// The points of a move and of the guide's next.
    fn points(rules: &Rules, state: &State, action: usize, luck: &mut impl Draw) -> f32 {
        let mut game = Match3::at(rules, state);
        let first = game.step(action, luck).reward;
        let next = Cascade.choose(&game.state(), &mut ties(0));
        first + game.step(next, luck).reward
    }
    let (mut lanes, mut one_stream) = (0.0, 0.0);
    for deal in 0..60 {
        let state = Match3::new(&rules, &mut Stream::new(6, Role::Game, deal)).state();
        let ranked = Cascade.rank(&state, &mut ties(0));
        let [one, other] = [ranked[0].action, ranked[1].action];
        let variance = |difference: &dyn Fn(u64) -> f32| {
            let differences: Vec<f32> = (0..200).map(difference).collect();
            Summary::of(&differences).unwrap().standard_deviation.unwrap().powi(2)
        };
        let lane = |index| Lanes::new(1, Role::Simulate, index);
        let stream = |index| Stream::new(1, Role::Simulate, index);
        let of_lanes = |index, action| points(&rules, &state, action, &mut lane(index));
        let of_stream = |index, action| points(&rules, &state, action, &mut stream(index));
        lanes += variance(&|index| of_lanes(index, one) - of_lanes(index, other));
        one_stream += variance(&|index| of_stream(index, one) - of_stream(index, other));
    }
    assert!(lanes < 0.95 * one_stream, "{lanes} {one_stream}");
}

/// A leaf that values a position by its obstacles, and keeps count of what it is asked.
#[derive(Default)]
struct Obstacles {
    calls: usize,
    states: usize,
}

impl Leaf<Match3> for Obstacles {
    type Error = String;

    fn values(&mut self, states: &[State]) -> Result<Vec<f32>, String> {
        self.calls += 1;
        self.states += states.len();
        Ok(states.iter().map(|state| 100.0 * state.board().matches('#').count() as f32).collect())
    }
}

/// A leaf whose device is gone.
struct Broken;

impl Leaf<Match3> for Broken {
    type Error = String;

    fn values(&mut self, _: &[State]) -> Result<Vec<f32>, String> {
        Err("the device is gone".into())
    }
}

fn search(sims: usize, depth: u32) -> Search<Match3> {
    Search { rules: Rules::default(), budget: Budget::Simulations(sims), depth, prior_visits: 0.0 }
}

/// Candidates that come with no value.
fn promising(actions: impl IntoIterator<Item = usize>) -> Vec<Valued> {
    actions.into_iter().map(|action| Valued { action, value: 0.0 }).collect()
}

#[test]
fn the_value_a_candidate_comes_with_counts_for_as_many_simulations_as_it_is_trusted() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    // Swaps without a match are worth -5 in each of their 10 simulations, whatever chance brings; the values with which they
    // come are 20 on average, 25 above that.
    let candidates = [(action(4, 0, true), 15.0), (action(0, 0, true), 25.0)];
    let candidates = candidates.map(|(action, value)| Valued { action, value });
    for (prior_visits, means) in [(0.0, [-5.0, -5.0]), (10.0, [-2.5, -7.5]), (30.0, [-1.25, -8.75])] {
        let search = Search { prior_visits, ..search(20, 0) };
        let Ok(ranked) = search.rank(&state, &candidates, &Cascade, &mut NoLeaf, &mut ties(0), Instant::now());
        let found: Vec<(usize, f64)> = ranked.iter().map(|valued| (valued.action, valued.value)).collect();
        let order = if prior_visits > 0.0 { [1, 0] } else { [0, 1] };
        assert_eq!(found, [(candidates[order[0]].action, means[0]), (candidates[order[1]].action, means[1])]);
    }
}

#[test]
fn a_value_that_is_no_number_does_no_harm_where_values_do_not_count() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let candidates = [action(4, 0, true), action(0, 0, true)].map(|action| Valued { action, value: f64::NAN });
    let Ok(ranked) = search(20, 0).rank(&state, &candidates, &Cascade, &mut NoLeaf, &mut ties(0), Instant::now());
    assert!(ranked.iter().all(|valued| valued.value == -5.0), "{ranked:?}");
}

#[test]
fn the_value_of_the_position_a_simulation_ends_in_counts() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    // All obstacles on this board are worth keeping, so the swap that clears nothing wins by far.
    let candidates = promising([action(2, 8, true), action(6, 9, false), action(4, 0, true)]);
    let mut leaf = Obstacles::default();
    let ranked = search(60, 0).rank(&state, &candidates, &Cascade, &mut leaf, &mut ties(0), Instant::now()).unwrap();
    assert_eq!(ranked[0], Valued { action: action(4, 0, true), value: 67.0 * 100.0 - 5.0 });
    let Ok(without) = search(60, 0).rank(&state, &candidates, &Cascade, &mut NoLeaf, &mut ties(0), Instant::now());
    assert_eq!(without[0].action, action(6, 9, false));
}

#[test]
fn leaves_are_valued_in_one_batch_a_round_within_the_budget() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let candidates = promising(0..9);
    for (sims, spent) in [(1000, 990..=1000), (36, 35..=36), (20, 15..=20), (1, 1..=1)] {
        let mut leaf = Obstacles::default();
        let ranked =
            search(sims, 1).rank(&state, &candidates, &Cascade, &mut leaf, &mut ties(0), Instant::now()).unwrap();
        assert!(spent.contains(&leaf.states), "{} of {sims}", leaf.states);
        assert!((1..=4).contains(&leaf.calls));
        assert_eq!(ranked.len() == 9, sims >= 36);
    }
}

#[test]
fn the_end_of_the_game_is_worth_nothing_more() {
    let mut leaf = Obstacles::default();
    let ranked = search(10, 3)
        .rank(&position(&FOUR, 1), &promising([action(4, 0, true)]), &Cascade, &mut leaf, &mut ties(0), Instant::now())
        .unwrap();
    assert_eq!((ranked[0].value, leaf.states), (-5.0, 0));
}

#[test]
fn a_leaf_that_fails_fails_the_search_and_no_candidates_have_no_ranking() {
    let state = position(&FOUR, 25);
    let failed = search(10, 0).rank(&state, &promising([0, 1]), &Cascade, &mut Broken, &mut ties(0), Instant::now());
    assert_eq!(failed.unwrap_err(), "the device is gone");
    assert_eq!(search(10, 0).rank(&state, &[], &Cascade, &mut Broken, &mut ties(0), Instant::now()), Ok(vec![]));
}

/// A leaf that could take many at once, and keeps count of how many it is given.
struct Wide(Vec<usize>);

impl Leaf<Match3> for Wide {
    type Error = String;

    fn values(&mut self, states: &[State]) -> Result<Vec<f32>, String> {
        self.0.push(states.len());
        Ok(vec![0.0; states.len()])
    }

    fn batch(&self) -> usize {
        256
    }
}

#[test]
fn a_search_for_a_time_begins_with_one_simulation_of_each_and_ends_there_if_the_time_is_over() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let candidates: Vec<Valued> =
        promising(0..9).into_iter().map(|valued| Valued { value: -(valued.action as f64), ..valued }).collect();
    let search = |milliseconds, prior_visits| {
        let budget = Budget::Time(Duration::from_millis(milliseconds));
        let mut leaf = Wide(vec![]);
        let search = Search { budget, prior_visits, ..search(1, 0) };
        let begin = Instant::now() - Duration::from_millis(5);
        let ranked = search.rank(&state, &candidates, &Cascade, &mut leaf, &mut ties(0), begin).unwrap();
        assert_eq!(ranked.len(), 9);
        (leaf.0, ranked)
    };
    assert_eq!(search(5, 0.0).0, [9]);
    // Unless the candidates come with values that count.
    assert_eq!(search(5, 1.0), (vec![], candidates.clone()));
    let (long, _) = search(60, 0.0);
    assert!(long[0] == 9 && long.len() > 1 && long.iter().all(|states| *states <= 9 * 29), "{long:?}");
}

#[test]
fn a_search_for_a_time_ends_with_a_move_and_not_before() {
    let mut player = parse("rollout:ms=20", &Rules::default()).unwrap();
    assert!(player.is_timed());
    let begin = Instant::now();
    let chosen = player.act(&[position(&PREPARATION, 25)], &mut [ties(0)]).unwrap();
    assert!(begin.elapsed() >= Duration::from_millis(20));
    assert!(Certain::of(&position(&PREPARATION, 25)).matching().contains(chosen[0]));
    assert!(ALL.iter().all(|text| !parse(text, &Rules::default()).unwrap().is_timed()));
}

#[test]
fn a_player_is_called_as_it_was_asked_for() {
    for text in ALL {
        assert_eq!(parse(text, &Rules::default()).unwrap().name(), text);
    }
}

#[test]
fn a_checkpoint_in_a_players_text_may_be_called_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a:b=c:sims=3.ckpt");
    std::fs::copy(format!("{}/checkpoints/dqn/best.ckpt", env!("CARGO_MANIFEST_DIR")), &path).unwrap();
    for text in ["network", "network+search:sims=30:depth=0"] {
        let text = format!("{text}:checkpoint={}", path.display());
        assert_eq!(parse(&text, &Rules::default()).unwrap().name(), text);
    }
}

#[test]
fn a_player_of_a_policy_that_is_loaded_is_that_of_its_checkpoint() {
    let rules = Rules::default();
    let (_, device) = device::select(None).unwrap();
    let policy = network::Policy::load::<Match3>(None, &device).unwrap();
    for text in ALL {
        let series =
            |mut player: Box<dyn Agent<Match3> + Send>| play_series(&mut *player, &rules, 3, 1, |_| ()).unwrap();
        let player = with_policy(text, &rules, &policy, &device).unwrap();
        assert_eq!(player.name(), text);
        assert_eq!(series(player), series(parse(text, &rules).unwrap()), "{text}");
    }
    let error = with_policy("network:checkpoint=a", &rules, &policy, &device).err().unwrap();
    assert_eq!(error.to_string(), "'network:checkpoint=a' names a checkpoint, but there is one already");
}

#[test]
fn every_default_is_one_that_can_be_given() {
    for entry in PLAYERS {
        let mut text = entry.name.to_string();
        for parameter in entry.parameters {
            text += &parameter.default.map_or(String::new(), |default| format!(":{}={default}", parameter.key));
            assert!(listing().contains(parameter.about));
        }
        assert!(parse(&text, &Rules::default()).is_ok(), "{text}");
        assert!(listing().contains(entry.about));
    }
}

#[test]
fn a_text_that_is_no_player_gets_a_sentence_that_lists_what_exists() {
    let missing = std::fs::read("none.ckpt").unwrap_err();
    let players =
        "the players are network, network+search, random, matching, greedy, ranked, cascade, plan, expected, rollout";
    for (text, sentence) in [
        ("alphazero", format!("there is no player 'alphazero': {players}")),
        ("", format!("there is no player '': {players}")),
        ("plan:deep=2", "'plan' has no parameter 'deep': its parameters are depth, weight, breadth".into()),
        ("greedy:depth=2", "'greedy' has no parameter 'depth': 'greedy' has no parameters".into()),
        ("plan:depth", "'depth' in 'plan:depth' must be key=value: its parameters are depth, weight, breadth".into()),
        ("plan:depth=2:depth=3", "'depth' is given twice in 'plan:depth=2:depth=3': once is enough".into()),
        ("plan:depth=0", "depth=0 in 'plan:depth=0': depth must be a whole number from 1 to 6".into()),
        ("plan:weight=NaN", "weight=NaN in 'plan:weight=NaN': weight must be a number from 0 to 1".into()),
        ("plan:weight=", "weight= in 'plan:weight=': weight must be a number from 0 to 1".into()),
        (
            "expected:samples=0",
            "samples=0 in 'expected:samples=0': samples must be a whole number from 1 to 1000000".into(),
        ),
        ("rollout:sims=0", "sims=0 in 'rollout:sims=0': sims must be a whole number from 1 to 10000000".into()),
        ("rollout:ms=0", "ms=0 in 'rollout:ms=0': ms must be a whole number of milliseconds from 1 to 3600000".into()),
        ("rollout:sims=5:ms=5", "'rollout:sims=5:ms=5' has both sims and ms: a search has one budget".into()),
        (
            "network+search:candidates=0",
            "candidates=0 in 'network+search:candidates=0': candidates must be a whole number from 1 to 142".into(),
        ),
        (
            "network+search:weight=nan",
            "weight=nan in 'network+search:weight=nan': weight must be a number from 0 to 10".into(),
        ),
        ("network:checkpoint=none.ckpt", format!("none.ckpt cannot be read: {missing}")),
        ("network+search:checkpoint=none.ckpt", format!("none.ckpt cannot be read: {missing}")),
        (r"network:checkpoint=C:\x", format!(r"C:\x cannot be read: {missing}")),
        ("network:checkpoint=a:b:checkpoint=c", format!("a:b:checkpoint=c cannot be read: {missing}")),
        (
            "network+search:depth=2:checkpoint=a:sims=5",
            format!("a:sims=5 cannot be read: {missing}; sims must come before checkpoint, the last"),
        ),
        ("greedy:checkpoint=a:b", "'greedy' has no parameter 'checkpoint': 'greedy' has no parameters".into()),
        ("rollout:breadth=3", "breadth=3 in 'rollout:breadth=3': breadth must be 0 where guide is not plan".into()),
        ("rollout:guide=me", "guide=me in 'rollout:guide=me': guide must be cascade or plan".into()),
    ] {
        let error = parse(text, &Rules::default()).err().unwrap();
        assert_eq!((error.exit_code(), error.to_string()), (2, sentence));
    }
}
