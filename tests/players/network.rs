//! Players with a network.

use matchq::agents::{Agent, Leaf, NetworkPlayer, Plan, Policy, Valued, parse, with_policy};
use matchq::eval::play_series;
use matchq::games::match3::{Match3, Rules, State};
use matchq::games::{ActionMask, Game, MaskKind, Prior, by_certain_points};
use matchq::network::{self, Evaluator, device};
use matchq::random::{Role, Stream};

use super::{CHAIN, FOUR, position, ties, value_of};

#[test]
fn the_network_ranks_by_its_values_in_points() {
    let (_, device) = device::select(None).unwrap();
    let policy = network::Model::load::<Match3>(None, &device).unwrap();
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

/// A policy with fresh weights, the same each time, that sees afterstates; the shape but for its size.
fn fresh_policy(mask: MaskKind, shape: network::NetworkConfig, device: &device::Device) -> network::Model {
    let network = network::NetworkConfig { channels: 4, layers: 2, afterstates: true, ..shape };
    let (game, rules) = ("match3".into(), Default::default());
    let config = network::ModelConfig { game, rules, mask, points: 10.0, network };
    let network = network::QNetwork::new::<Match3>(&config, &mut Stream::new(1, Role::Initialise, 0), device);
    network::Model { config, network }
}

/// One that has the plan as its prior.
fn planned_policy(device: &device::Device) -> network::Model {
    policy_with_next_moves(0, device)
}

/// The same, which values so many moves after each move too.
fn policy_with_next_moves(next_moves: usize, device: &device::Device) -> network::Model {
    let shape = network::NetworkConfig { prior: Prior::Plan, next_moves, ..Default::default() };
    fresh_policy(MaskKind::Matching, shape, device)
}

/// One that foresees three waves.
fn foreseeing_policy(device: &device::Device) -> network::Model {
    fresh_policy(MaskKind::Matching, network::NetworkConfig { waves: 3, ..Default::default() }, device)
}

#[test]
fn a_network_that_foresees_chains_is_told_what_they_leave_in_a_search_and_where_asked_to_be() {
    let (_, device) = device::select(None).unwrap();
    let rules = Rules::default();
    // The values' weights are drawn before the model's, so they are the same in both.
    let told = network::NetworkConfig { prior: Prior::Chain, ..Default::default() };
    let (foreseeing, chain) = (foreseeing_policy(&device), fresh_policy(MaskKind::Matching, told, &device));
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
fn a_player_values_as_many_next_moves_as_its_network_learned_to_or_as_it_is_told() {
    let (_, device) = device::select(None).unwrap();
    let rules = Rules::default();
    let policy = policy_with_next_moves(3, &device);
    let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, 0)).state();
    let rank = |text| with_policy(text, &rules, &policy, &device).unwrap().rank(&state, &mut ties(0)).unwrap();
    let three = rank("network");
    assert_eq!(rank("network:next_moves=3"), three);
    assert_ne!(rank("network:next_moves=1"), three);
    let plain = rank("network:next_moves=0");
    assert_ne!(plain, three);
    let leaf = Leaf::values(&mut NetworkPlayer::<Match3>::of(&policy, 8, &device), &[state]).unwrap();
    assert!((f64::from(leaf[0]) - plain[0].value).abs() < 1e-4, "a leaf is valued by one forward pass");
    let alone = "network+search:sims=1:candidates=1:weight=0";
    assert_eq!(rank(alone)[0].action, three[0].action);
    assert_eq!(rank(&format!("{alone}:next_moves=0"))[0].action, plain[0].action);

    let untaught = planned_policy(&device);
    let refused = with_policy("network:next_moves=2", &rules, &untaught, &device).err().unwrap().to_string();
    let sentence =
        "next_moves=2 in 'network:next_moves=2': next_moves must be 0 with a network that has been trained without";
    assert!(refused.starts_with(sentence), "{refused}");
    assert!(with_policy("network:next_moves=0", &rules, &untaught, &device).is_ok());
}

#[test]
fn a_network_is_offered_set_ups_as_in_its_training_or_as_it_is_told() {
    let (_, device) = device::select(None).unwrap();
    let rules = Rules::default();
    let shape = network::NetworkConfig { prior: Prior::Plan, ..Default::default() };
    let trained = fresh_policy(MaskKind::Setups, shape, &device);
    let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, 0)).state();
    let offered = |text, policy: &network::Model| -> ActionMask {
        let ranked = with_policy(text, &rules, policy, &device).unwrap().rank(&state, &mut ties(0)).unwrap();
        ranked.iter().map(|valued| valued.action).collect()
    };
    let [matching, setups] = [MaskKind::Matching, MaskKind::Setups].map(|kind| Match3::mask(&state, kind));
    assert_ne!(matching, setups);
    for (text, plain, with) in [
        ("network", matching, setups),
        ("network:setups=1", setups, setups),
        ("network:setups=0", matching, matching),
        ("network+search:sims=500:candidates=142:setups=1", setups, setups),
        ("network+search:sims=500:candidates=142:setups=0", matching, matching),
    ] {
        assert_eq!((offered(text, &planned_policy(&device)), offered(text, &trained)), (plain, with), "{text}");
    }
    // Its value of a set-up is that of what it leaves: with no output the points of the plan.
    let ranked =
        with_policy("network:output=0", &rules, &trained, &device).unwrap().rank(&state, &mut ties(0)).unwrap();
    let mut plans = vec![0.0; Match3::ACTIONS];
    Match3::certain(&state, &setups, 2, 0.5, &mut plans);
    assert!(ranked.iter().all(|valued| (valued.value - f64::from(plans[valued.action])).abs() < 1e-3));
}

#[test]
fn what_a_network_says_of_a_move_does_not_depend_on_the_set_ups_it_is_offered_too() {
    let (_, device) = device::select(None).unwrap();
    let rules = Rules::default();
    let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, 0)).state();
    for policy in [planned_policy(&device), foreseeing_policy(&device)] {
        let rank = |text| with_policy(text, &rules, &policy, &device).unwrap().rank(&state, &mut ties(0)).unwrap();
        for (text, without) in [("network:setups=1", "network"), ("network:setups=1:told=1", "network:told=1")] {
            let with = rank(text);
            let without = rank(without);
            assert!(with.len() > without.len());
            let same = |valued: &Valued| (valued.value - value_of(&with, valued.action)).abs() < 1e-4;
            assert!(without.iter().all(same), "{text}: {with:?} {without:?}");
        }
        // In a search, which tells it, set-ups have values of their own too.
        let evaluator = Evaluator::<Match3>::new(&policy.network, 8, &device).with_mask(MaskKind::Setups).told();
        assert_eq!(evaluator.view().mask, MaskKind::Setups);
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
fn a_network_values_only_as_many_moves_with_the_best_plans_as_it_is_told_to() {
    let (_, device) = device::select(None).unwrap();
    let (rules, policy) = (Rules::default(), planned_policy(&device));
    let rank = |text: &str, state: &State| {
        with_policy(text, &rules, &policy, &device).unwrap().rank(state, &mut ties(0)).unwrap()
    };
    let mut fewer = 0;
    for index in 0..20 {
        let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, index)).state();
        let all = rank("network", &state);
        let planned = Plan { depth: 2, weight: 0.5, breadth: 0 }.rank(&state, &mut ties(0));
        for moves in [1, 3, 5] {
            let last = planned[moves.min(planned.len()) - 1].value;
            let offered = |valued: &&Valued| value_of(&planned, valued.action) >= last;
            // Those of all moves, in the same order and with the same values.
            let expected: Vec<Valued> = all.iter().filter(offered).copied().collect();
            let text = format!("network:moves={moves}");
            let ranked = rank(&text, &state);
            let close =
                |(one, other): (&Valued, &Valued)| one.action == other.action && (one.value - other.value).abs() < 1e-3;
            assert!(
                ranked.len() == expected.len() && ranked.iter().zip(&expected).all(close),
                "{ranked:?} {expected:?}"
            );
            // A search tries no others.
            let tried = rank(&format!("network+search:sims=400:moves={moves}"), &state);
            assert!(
                tried.iter().all(|valued| value_of(&ranked, valued.action).is_finite()) && tried.len() == ranked.len()
            );
            fewer += usize::from(ranked.len() < all.len());
        }
        assert_eq!(rank("network:moves=0", &state), all);
    }
    assert!(fewer > 30, "moves are left out in most positions");
    // Where no move matches, and where nothing is known beforehand, all are offered.
    let text = "abcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab";
    let without = State::new(text, 5).unwrap();
    let effective = Match3::mask(&without, MaskKind::Effective);
    let plans = by_certain_points::<Match3>(&without, &effective, 2);
    assert!(plans[0].1 > plans[plans.len() - 1].1, "some of them would be left out");
    assert_eq!(rank("network:moves=1", &without).len(), rank("network", &without).len());
    let state = Match3::new(&rules, &mut Stream::new(2, Role::Game, 0)).state();
    let foreseeing = foreseeing_policy(&device);
    let rank =
        |text: &str| with_policy(text, &rules, &foreseeing, &device).unwrap().rank(&state, &mut ties(0)).unwrap();
    assert_eq!(rank("network:moves=1"), rank("network"));
    assert!(rank("network:told=1:moves=2").len() < rank("network:told=1").len());
}

#[test]
fn the_move_that_is_played_is_the_best_of_those_that_are_valued() {
    let rules = Rules::default();
    let states: Vec<State> =
        (0..24).map(|index| Match3::new(&rules, &mut Stream::new(3, Role::Game, index)).state()).collect();
    let player = |given: &str| parse(&format!("network:{given}checkpoint=checkpoints/dqn-setups"), &rules).unwrap();
    let (mut all, mut three) = (player("next_moves=0:"), player("next_moves=0:moves=3:"));
    let (mut planned, mut three_planned) = (player(""), player("moves=3:"));
    let played = three.act(&states, &mut vec![ties(0); states.len()]).unwrap();
    let mut others = 0;
    for (state, played) in states.iter().zip(played) {
        let plans = by_certain_points::<Match3>(state, &Match3::mask(state, MaskKind::Setups), 2);
        let offered: Vec<usize> =
            plans.iter().filter(|(_, points)| *points >= plans[2].1).map(|(action, _)| *action).collect();
        let ranked = all.rank(state, &mut ties(0)).unwrap();
        let best = ranked.iter().find(|valued| offered.contains(&valued.action)).unwrap();
        assert_eq!(played, best.action);
        others += usize::from(ranked[0].action != played);
        // Next moves are valued of all of the three, and of six of all moves, which then stand first.
        let first: Vec<Valued> = planned.rank(state, &mut ties(0)).unwrap().into_iter().take(6).collect();
        for Valued { action, value } in three_planned.rank(state, &mut ties(0)).unwrap() {
            assert!(offered.contains(&action));
            let same = first.iter().find(|valued| valued.action == action);
            assert!(same.is_none_or(|valued| (valued.value - value).abs() < 1e-3), "{value} {same:?}");
        }
    }
    assert!(others > 0, "it would play another move somewhere");
    assert!(parse("network:moves=143", &rules).is_err());
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
