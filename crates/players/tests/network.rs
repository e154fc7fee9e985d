//! Players with a network.

use matchq_players::eval::play_series;
use matchq_players::games::match3::{EFFECTIVE, MATCHING, Match3, Rules, SETUPS, State};
use matchq_players::games::{ActionMask, Game, Image, Lookahead, Plan, offered};
use matchq_players::network::{
    Backend, Evaluator, Input, Model, ModelConfig, NetworkConfig, Precision, Processor, View, by_certain_points,
};
use matchq_players::random::{Role, Stream};
use matchq_players::{Agent, NetworkPlayer, Planner, Player, Policy, Setting, Valued, parse, parse_with, registry};

use super::{CHAIN, FOUR, position, ties, value_of, weights};

fn state(index: u64) -> State {
    Match3::new(&Rules::default(), &mut Stream::new(2, Role::Game, index)).state()
}

/// A small model with random weights.
fn fresh(mask: &str, shape: NetworkConfig) -> Model {
    let network = NetworkConfig { channels: 4, layers: 2, ..shape };
    let (game, rules) = ("match3".into(), Default::default());
    let config = ModelConfig { game, rules, mask: mask.into(), points: 10.0, relative: true, network };
    let mut model = Model { config, weights: Default::default() };
    model.weights = weights::random(&model.shape::<Match3>(), 1);
    model
}

/// A model that is shown plans and values `next_moves`.
fn planning(mask: &str, next_moves: usize) -> Model {
    fresh(mask, NetworkConfig { input: Input::Plans, dynamics_waves: 0, next_moves, ..Default::default() })
}

fn predicting() -> Model {
    fresh("", NetworkConfig { dynamics_waves: 3, ..Default::default() })
}

fn player(model: &Model) -> NetworkPlayer<Match3> {
    NetworkPlayer::of(model, 8, &Processor).unwrap()
}

fn rank(text: &str, model: &Model, state: &State) -> Vec<Valued> {
    let folder = temp_dir::TempDir::new().unwrap();
    let file = folder.path().join("best.safetensors");
    model.to_file().unwrap().save(&file).unwrap();
    let agent = Agent::load(&file).unwrap();
    let setting = Setting { agent: Some(&agent), ..Setting::default() };
    parse_with::<Match3>(text, &Rules::default(), &setting).unwrap().rank(state, &mut ties(0)).unwrap()
}

fn rank_of(agent: &Agent, text: &str, state: &State) -> Vec<Valued> {
    let setting = Setting { agent: Some(agent), ..Setting::default() };
    parse_with::<Match3>(text, &Rules::default(), &setting).unwrap().rank(state, &mut ties(0)).unwrap()
}

fn planned(state: &State) -> Vec<Valued> {
    Policy::<Match3>::rank(&Planner(Plan::of(2)), state, &mut ties(0))
}

#[test]
fn the_network_ranks_by_its_values_in_points() {
    let model = Agent::default_of::<Match3>().unwrap().network::<Match3>().unwrap();
    let mut player = player(&model);
    player.evaluator.plan_share = 0.0;
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let raw = {
        let network = Processor.network(&model.shape::<Match3>(), &model.weights).unwrap();
        Evaluator::<Match3>::new(network, model.shape::<Match3>(), 8).values(&[state]).unwrap().to_vec()
    };
    let ranked = player.rank(&state, &mut ties(0)).unwrap();
    for valued in &ranked {
        assert_eq!(valued.value, f64::from(raw[valued.action]) * model.config.points);
    }
    // A relative value is on average that of the move's points: about forty.
    let best = player.rank(&self::state(0), &mut ties(0)).unwrap()[0].value;
    assert!((25.0..400.0).contains(&best), "{best}");
}

#[test]
fn a_search_tells_a_network_by_the_rules_what_its_dynamics_model_would_predict() {
    let model = predicting();
    let state = state(0);
    let mut exact = player(&model);
    let view = exact.evaluator.shape().exact_view();
    exact.evaluator.see(view);
    let first = |ranked: Vec<Valued>| ranked[0];
    let told = first(exact.rank(&state, &mut ties(0)).unwrap());
    let predicted = first(player(&model).rank(&state, &mut ties(0)).unwrap());
    assert_ne!(told.value, predicted.value, "fresh weights predict nothing right");
    assert_eq!(first(rank("network+search:sims=1:candidates=1", &model, &state)).action, told.action);
    // The certain chain of each move is left without output.
    exact.evaluator.output = 0.0;
    for Valued { action, value, .. } in exact.rank(&state, &mut ties(0)).unwrap() {
        assert!((value - f64::from(Match3::after(&state, action).points)).abs() < 1e-3);
    }
}

#[test]
fn a_network_whose_values_are_no_numbers_is_refused_by_a_sentence() {
    for (model, text) in [(fresh("", NetworkConfig::default()), "network"), (predicting(), "network:plan=0.5")] {
        let mut model = model;
        model.weights.values_mut().for_each(|array| array.values.iter_mut().for_each(|weight| *weight *= 1e38));
        let folder = temp_dir::TempDir::new().unwrap();
        let file = folder.path().join("best.safetensors");
        model.to_file().unwrap().save(&file).unwrap();
        let agent = Agent::load(&file).unwrap();
        let setting = Setting { agent: Some(&agent), ..Setting::default() };
        for text in [text.to_owned(), "network+search:sims=8".to_owned()] {
            let mut player = parse_with::<Match3>(&text, &Rules::default(), &setting).unwrap();
            let told = player.act(&[state(0)], &mut [ties(0)]).unwrap_err();
            assert!(told.to_string().contains("its weights are those of no agent that can play"), "{text}: {told}");
            assert_eq!(told.exit_code(), 2);
        }
    }
}

#[test]
fn a_network_that_is_shown_plans_is_without_its_output_the_planning_player() {
    let model = planning("", 0);
    for index in 0..20 {
        let state = state(index);
        let best = planned(&state);
        let ranked = rank("network:output=0", &model, &state);
        assert!((value_of(&best, ranked[0].action) - best[0].value).abs() < 1e-9);
        assert!((ranked[0].value - best[0].value).abs() < 1e-3);
    }
}

#[test]
fn a_player_values_as_many_next_moves_as_its_network_learned_to() {
    let model = planning("", 3);
    let state = state(0);
    let ranked = |next_moves: Option<usize>| {
        let mut player = player(&model);
        player.evaluator.next_moves = next_moves.unwrap_or(player.evaluator.next_moves);
        player.rank(&state, &mut ties(0)).unwrap()
    };
    let three = ranked(None);
    assert_eq!(ranked(Some(3)), three);
    assert_ne!(ranked(Some(1)), three);
    let plain = ranked(Some(0));
    assert_ne!(plain, three);
    assert_eq!(rank("network+search:sims=1:candidates=1", &model, &state)[0].action, three[0].action);
}

#[test]
fn a_network_plays_in_the_precision_that_is_asked_for_else_in_that_of_its_training() {
    let model = Agent::default_of::<Match3>().unwrap().network::<Match3>().unwrap();
    let trained_so = model.clone().with_precision(Precision::Bf16);
    let values = |text: &str, model: &Model| -> Vec<f64> {
        let mut ranked = rank(text, model, &state(0));
        ranked.sort_by_key(|valued| valued.action);
        ranked.iter().map(|valued| valued.value).collect()
    };
    let (floats, rounded) = (values("network", &model), values("network:precision=bf16", &model));
    assert_eq!(values("network", &trained_so), rounded);
    assert_eq!(values("network:precision=f32", &trained_so), floats);
    assert_ne!(floats, rounded);
    assert!(floats.iter().zip(&rounded).all(|(a, b)| (a - b).abs() < 10.0), "{floats:?}, {rounded:?}");
}

#[test]
fn a_network_is_offered_the_moves_of_its_training() {
    let state = state(0);
    let offers =
        |text, model: &Model| -> ActionMask { rank(text, model, &state).iter().map(|valued| valued.action).collect() };
    let [matching, setups] = [MATCHING, SETUPS].map(|kind| Match3::mask(&state, kind));
    assert_ne!(matching, setups);
    for text in ["network", "network+search:sims=800:candidates=142"] {
        assert_eq!(offers(text, &planning("matching", 0)), matching, "{text}");
        assert_eq!(offers(text, &planning("setups", 0)), setups, "{text}");
    }
    // The value of a set-up without output is the points of its plan.
    let mut plans = vec![0.0; Match3::ACTIONS];
    Match3::certain(&state, &setups, Plan::of(2), |action, points| plans[action] = points);
    let ranked = rank("network:output=0", &planning("setups", 0), &state);
    assert!(ranked.iter().all(|valued| (valued.value - f64::from(plans[valued.action])).abs() < 1e-3));
}

#[test]
fn what_a_network_says_of_a_move_does_not_depend_on_what_else_it_is_offered() {
    let state = state(0);
    for model in [planning("", 0), predicting()] {
        let [mut player, mut more] = [player(&model), player(&model)];
        // Plans by the model are made for the best moves alone.
        (player.evaluator.plan_share, more.evaluator.plan_share) = (0.0, 0.0);
        let without = player.rank(&state, &mut ties(0)).unwrap();
        let view = more.evaluator.view();
        more.evaluator.see(View { mask: SETUPS, ..view });
        let with = more.rank(&state, &mut ties(0)).unwrap();
        assert!(with.len() > without.len());
        assert!(without.iter().all(|valued| (valued.value - value_of(&with, valued.action)).abs() < 1e-4));
    }
}

#[test]
fn a_network_may_value_only_the_moves_with_the_best_plans() {
    let model = planning("", 0);
    let top = |model: &Model, count: usize, state: &State| {
        let mut player = player(model);
        player.top = count;
        player.rank(state, &mut ties(0)).unwrap()
    };
    let mut fewer = 0;
    for index in 0..20 {
        let state = state(index);
        let all = top(&model, 0, &state);
        let plans = planned(&state);
        for count in [1, 3, 5] {
            let last = plans[count.min(plans.len()) - 1].value;
            let expected: Vec<usize> =
                all.iter().map(|valued| valued.action).filter(|action| value_of(&plans, *action) >= last).collect();
            let ranked: Vec<usize> = top(&model, count, &state).iter().map(|valued| valued.action).collect();
            assert_eq!(ranked, expected);
            fewer += usize::from(ranked.len() < all.len());
        }
    }
    assert!(fewer > 30, "moves are left out in most positions");
    // All moves are offered without a match or a prior.
    let text = "abcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab";
    let without = State::new(text, 5).unwrap();
    let plans = by_certain_points::<Match3>(&without, &Match3::mask(&without, EFFECTIVE), Plan::of(2));
    assert!(plans[0].1 > plans[plans.len() - 1].1, "some of them would be left out");
    assert_eq!(top(&model, 1, &without).len(), offered::<Match3>(&without, MATCHING).0.count());
    assert_eq!(top(&predicting(), 1, &state(0)), top(&predicting(), 0, &state(0)));
}

#[test]
fn the_move_that_is_played_is_the_best_of_those_that_are_valued() {
    let model = Agent::shipped(registry::shipped("dqn-setups").unwrap()).unwrap().network::<Match3>().unwrap();
    let state = |index| Match3::new(&Rules::default(), &mut Stream::new(3, Role::Game, index)).state();
    let states: Vec<State> = (0..24).map(state).collect();
    let [mut all, mut three] = [0, 3].map(|top| {
        let mut player = player(&model);
        player.evaluator.next_moves = 0;
        player.top = top;
        player
    });
    let played = three.act(&states, &mut vec![ties(0); states.len()]).unwrap();
    let mut others = 0;
    for (state, played) in states.iter().zip(played) {
        let plans = by_certain_points::<Match3>(state, &Match3::mask(state, SETUPS), Plan::of(2));
        let offered: Vec<usize> =
            plans.iter().filter(|(_, points)| *points >= plans[2].1).map(|(action, _)| *action).collect();
        let ranked = all.rank(state, &mut ties(0)).unwrap();
        let best = ranked.iter().find(|valued| offered.contains(&valued.action)).unwrap();
        assert_eq!(played, best.action);
        others += usize::from(ranked[0].action != played);
    }
    assert!(others > 0, "it would play another move somewhere");
}

#[test]
fn the_searching_network_tries_only_its_best_candidates() {
    let rules = Rules::default();
    let ranked = |text: &str| -> Vec<usize> {
        let ranked = parse::<Match3>(text, &rules).unwrap().rank(&state(0), &mut ties(0)).unwrap();
        ranked.iter().map(|valued| valued.action).collect()
    };
    let network = ranked("network:checkpoint=dqn-setups");
    assert_eq!(ranked("network+search:sims=20:candidates=1"), network[..1]);
    let mut three = ranked("network+search:sims=60:candidates=3");
    three.sort_unstable();
    let mut best = network[..3].to_vec();
    best.sort_unstable();
    assert_eq!(three, best);
}

#[test]
fn what_is_recommended_is_the_search_with_the_agent_that_ships_for_it() {
    let rules = Rules::default();
    let play = |text: &str| {
        let games = play_series(&mut *parse::<Match3>(text, &rules).unwrap(), &rules, 0, 1, |_| ()).unwrap();
        games[0].actions.clone()
    };
    assert_eq!(play("best:sims=30"), play("network+search:sims=30:checkpoint=dqn-setups"));
    assert!(parse::<Match3>("best", &rules).unwrap().is_timed());
}

#[test]
fn a_plan_by_the_learned_model_is_its_points_and_the_best_move_on_the_board_that_it_predicts() {
    let agent = &Agent::default_of::<Match3>().unwrap();
    let model = agent.network::<Match3>().unwrap();
    let shape = model.shape::<Match3>();
    let network = || Processor.network(&shape, &model.weights).unwrap();
    let mut evaluator = Evaluator::<Match3>::new(network(), shape.clone(), 8);
    // The second position has one move left: nothing can be planned.
    let (mut alone, mut known, mut all) = (0, 0, 0);
    for state in (3..15).flat_map(|seed| [state(seed), State::new(&state(seed).board(), 1).unwrap()]) {
        let mask = evaluator.masks(&[state])[0];
        let values = evaluator.values(&[state]).unwrap().to_vec();
        let mut best: Vec<usize> = mask.iter().collect();
        best.sort_by(|one, other| values[*other].total_cmp(&values[*one]));
        let near = best.iter().filter(|action| values[**action] >= values[best[0]] - 12.0 * evaluator.view().scale);
        let near = near.count().min(6);
        if near == 1 {
            evaluator.plan_share = 0.25;
            assert_eq!(evaluator.values(&[state]).unwrap(), values, "the best action has no rival");
            evaluator.plan_share = 0.0;
            alone += 1;
            continue;
        }
        let (best, others) = best.split_at(near);
        all += best.len();
        let expected = best
            .iter()
            .map(|action| {
                let (mut image, mut scalars, mut points) = ([0.0; 400], [0.0], [0.0]);
                let done = Match3::done(&state, *action);
                Match3::encode(&done, 0, &mut image, &mut scalars);
                network().outcome(&mut image, &mut points).unwrap();
                let after = Match3::DECODE.unwrap()(&done, &image);
                known += usize::from(after == Match3::after(&state, *action).state);
                let next = Match3::gaining_actions(&after);
                let values_after = evaluator.values_within(&[after], &[next]).unwrap();
                let highest = next.iter().map(|action| values_after[action]).reduce(f32::max);
                highest.map(|highest| points[0] + 0.9 * highest - values[*action])
            })
            .collect::<Vec<Option<f32>>>();
        let planned: Vec<f32> = expected.iter().flatten().copied().collect();
        let mean = planned.iter().sum::<f32>() / planned.len() as f32;
        let mixed =
            |(action, gain): (&usize, &Option<f32>)| values[*action] + gain.map_or(0.0, |gain| 0.25 * (gain - mean));
        let expected: Vec<f32> = best.iter().zip(&expected).map(mixed).collect();
        evaluator.plan_share = 0.25;
        let found = evaluator.values(&[state]).unwrap().to_vec();
        evaluator.plan_share = 0.0;
        for (action, expected) in best.iter().zip(&expected) {
            assert!((found[*action] - expected).abs() < 1e-4, "{action}: {} is not {expected}", found[*action]);
            assert_eq!(state.moves_left() > 1, found[*action] != values[*action]);
        }
        let lowest = expected.iter().copied().fold(f32::INFINITY, f32::min);
        assert!(others.iter().all(|action| found[*action] < lowest), "the others are below");
        let [planned, plain] = ["network:plan=0.25", "network:plan=0"].map(|text| rank_of(agent, text, &state));
        for (ranked, values) in [(&planned, &found), (&plain, &values)] {
            assert_eq!(ranked.len(), mask.count());
            for Valued { action, value, .. } in ranked {
                assert!((value / model.config.points - f64::from(values[*action])).abs() < 1e-4);
            }
        }
        // A player plans unless it is told otherwise.
        assert_eq!(rank_of(agent, "network", &state), rank_of(agent, "network:plan=0.5", &state));
    }
    assert!(2 * known > all, "the model mostly knows what is certain: {known} of {all}");
    assert!((2..22).contains(&alone), "{alone} positions have one good action alone");
}
