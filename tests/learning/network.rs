//! The network: shapes, values that depend on the board alone, symmetry, saved weights.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use matchq::games::match3::{Certain, MATCHING, Rules, State};
use matchq::games::{ActionMask, Game, Games, Image, Lookahead, Match3, Plan, offered};
use matchq::network::{
    Encoder, Input, ModelConfig, NetworkConfig, Precision, QNetwork, device, evaluate, evaluator, tensors, to_vec,
};
use matchq::players::{Array, Arrays};
use matchq::random::{Draw, Role, Stream};

const PLAIN: NetworkConfig = NetworkConfig {
    channels: 8,
    layers: 3,
    share_colours: false,
    dueling: false,
    input: Input::Position,
    dynamics_waves: 0,
    dynamics_layers: 3,
    next_moves: 0,
    precision: Precision::F32,
};
const DUELING: NetworkConfig = NetworkConfig { dueling: true, ..PLAIN };
const SHARED: NetworkConfig = NetworkConfig { share_colours: true, ..PLAIN };
const BOTH: NetworkConfig = NetworkConfig { share_colours: true, ..DUELING };
const AFTERSTATE: NetworkConfig = NetworkConfig { input: Input::Afterstate, ..PLAIN };
const PREDICTING: NetworkConfig = NetworkConfig { share_colours: true, dynamics_waves: 3, ..AFTERSTATE };
const UNSHARED: NetworkConfig = NetworkConfig { share_colours: false, ..PREDICTING };
const WIDE: NetworkConfig = NetworkConfig { channels: 16, ..PREDICTING };
const PLANS: NetworkConfig = NetworkConfig { input: Input::Plans, ..PLAIN };
const SHARED_PLANS: NetworkConfig = NetworkConfig { share_colours: true, ..PLANS };
const NEXT: NetworkConfig = NetworkConfig { next_moves: 3, ..SHARED_PLANS };
const ROUNDED: NetworkConfig = NetworkConfig { precision: Precision::Bf16, ..SHARED_PLANS };
const ALL: [NetworkConfig; 12] =
    [PLAIN, DUELING, SHARED, BOTH, AFTERSTATE, PLANS, SHARED_PLANS, NEXT, PREDICTING, UNSHARED, WIDE, ROUNDED];

fn cpu() -> Device {
    device::select(None).unwrap().1
}

fn model(network: &NetworkConfig) -> ModelConfig {
    let network = network.clone();
    let (game, rules) = (Match3::NAME.to_owned(), Default::default());
    ModelConfig { game, rules, mask: "matching".into(), points: 10.0, relative: true, network }
}

fn network(config: &NetworkConfig, seed: u64) -> QNetwork {
    QNetwork::new::<Match3>(&model(config), &mut Stream::new(seed, Role::Initialise, 0), &cpu())
}

/// Positions after random moves, at different moves.
fn positions(count: usize) -> Vec<State> {
    let mut games = Games::<Match3>::new(Rules::default(), count, 5);
    let mut choice = Stream::new(5, Role::Explore, 0);
    let mut states: Vec<State> = games.states().collect();
    for step in 0..20 {
        let actions: Vec<usize> = (0..count).map(|_| choice.below(Match3::ACTIONS as u32) as usize).collect();
        games.step(&actions, &mut Vec::new());
        for (index, state) in games.states().enumerate().filter(|(index, _)| index % 20 > step) {
            states[index] = state;
        }
    }
    states
}

/// Matching swaps; all if none match.
fn matching(state: &State) -> ActionMask {
    offered::<Match3>(state, MATCHING).0
}

/// The first matching swap.
fn first(state: &State) -> usize {
    matching(state).nth(0).unwrap()
}

fn values(network: &QNetwork, batch: usize, states: &[State]) -> Vec<f32> {
    evaluator::<Match3>(network, batch, &cpu()).values(states).unwrap().to_vec()
}

/// Checks that values have the same bits on `flex` and are near on other devices, whose kernels sum
/// in an order that depends on the batch.
fn assert_same(found: &[f32], expected: &[f32], what: &str) {
    let exact = device::select(None).unwrap().0 == "flex";
    let same = |(a, b): (&f32, &f32)| {
        if exact { a.to_bits() == b.to_bits() } else { (a - b).abs() <= 1e-5 * b.abs().max(1.0) }
    };
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(same), "{what}");
}

/// Action values of positions under a symmetry, one row each.
fn seen_under(network: &QNetwork, symmetry: usize, states: &[State]) -> Vec<Vec<f32>> {
    let states: Vec<(State, usize)> = states.iter().map(|state| (*state, symmetry)).collect();
    let (images, scalars) = tensors::<Match3>(&Encoder::<Match3>::new(network.view()).positions(&states), &cpu());
    let values = to_vec(network.forward(images, scalars)).unwrap();
    values.chunks(Match3::ACTIONS).map(<[f32]>::to_vec).collect()
}

#[test]
fn a_batch_of_boards_becomes_a_row_of_142_finite_values_each() {
    let states = positions(3);
    for config in ALL {
        for layers in [1, 2, 5] {
            let network = network(&NetworkConfig { layers, ..config.clone() }, 1);
            let mut evaluator = evaluator::<Match3>(&network, 2, &cpu());
            let values = evaluator.values(&states).unwrap();
            assert_eq!(values.len(), 3 * 142);
            assert!(values.iter().all(|value| value.is_finite()));
        }
    }
}

#[test]
fn an_empty_batch_becomes_no_values() {
    if device::select(None).unwrap().0 != "flex" {
        // burn's `expand`, used on other devices, refuses an empty batch.
        return;
    }
    for config in [PLAIN, PLANS] {
        let network = network(&config, 1);
        assert!(evaluate(&network, &cpu()).outputs(&[], &[]).unwrap().is_empty(), "{config:?}");
    }
}

#[test]
fn a_boards_values_are_the_same_bits_in_a_batch_of_any_size() {
    let states = positions(70);
    let shipped = NetworkConfig { channels: 32, layers: 5, ..PLAIN };
    for config in ALL.into_iter().chain([shipped]) {
        let network = network(&config, 1);
        let together = values(&network, 70, &states);
        for batch in [1, 2, 3, 5, 64] {
            assert_same(&values(&network, batch, &states), &together, &format!("batches of {batch}, {config:?}"));
        }
    }
}

#[test]
fn a_boards_values_are_the_same_bits_at_any_number_of_threads() {
    let states = positions(48);
    let shipped = NetworkConfig { channels: 32, layers: 5, ..PLAIN };
    for config in ALL.into_iter().chain([shipped]) {
        let network = network(&config, 1);
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| values(&network, 48, &states))
        };
        let one = with_threads(1);
        for threads in [2, 5] {
            assert_same(&with_threads(threads), &one, &format!("{threads} threads, {config:?}"));
        }
    }
}

/// Replaces the zeros of fresh biases.
struct WithBiases;

impl ModuleMapper for WithBiases {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let numbers = |count| (0..count).map(|index| (index as f32 * 0.7).sin() / 4.0).collect::<Vec<_>>();
        match D {
            1 => param.map(|bias| {
                let (shape, device) = (bias.shape(), bias.device());
                Tensor::from_data(TensorData::new(numbers(shape.num_elements()), shape), &device)
            }),
            _ => param,
        }
    }
}

#[test]
fn a_network_without_gradients_gives_the_values_of_one_with_gradients_within_rounding() {
    let states: Vec<(State, usize)> = positions(64).into_iter().enumerate().map(|(i, state)| (state, i % 48)).collect();
    let shapes = [(8, 3), (20, 2), (32, 5), (48, 4), (33, 1)];
    let shapes = shapes.map(|(channels, layers)| NetworkConfig { channels, layers, ..PLAIN });
    for config in shapes.into_iter().chain([DUELING, SHARED, BOTH, AFTERSTATE, PLANS, SHARED_PLANS, NEXT]) {
        let network = |device: &Device| {
            let mut stream = Stream::new(3, Role::Initialise, 0);
            QNetwork::new::<Match3>(&model(&config), &mut stream, device).map(&mut WithBiases)
        };
        let (trained, mut frozen) = (network(&cpu().autodiff()), evaluate(&network(&cpu()), &cpu()));
        let mut encoder = Encoder::<Match3>::new(trained.view());
        // Smaller batches reuse the buffers of larger ones.
        for batch in [64, 1, 2, 3, 5] {
            let seen = match trained.view().afterstates() {
                false => encoder.positions(&states[..batch]),
                true => {
                    let actions = states[..batch].iter().map(|(state, symmetry)| (*state, first(state), *symmetry));
                    encoder.afterstates(&actions.collect::<Vec<_>>())
                }
            };
            let plain = frozen.outputs(seen.images, seen.scalars).unwrap();
            let (images, scalars) = tensors::<Match3>(&seen, &cpu().autodiff());
            let tracked = to_vec(trained.forward(images, scalars)).unwrap();
            let scale = tracked.iter().map(|value| value.abs()).fold(1.0, f32::max);
            let difference =
                plain.iter().zip(&tracked).map(|(a, b)| (a - b).abs()).max_by(f32::total_cmp).unwrap_or(0.0);
            assert!(difference <= 1e-5 * scale, "{config:?}, {batch} boards: {difference} of {scale}");
        }
    }
}

#[test]
fn a_network_of_bfloat16_gives_nearly_the_values_and_gradients_of_one_of_floats_but_not_the_same() {
    if device::select(None).unwrap().0 != "flex" {
        // Other backends have one precision.
        return;
    }
    let states: Vec<(State, usize)> = positions(64).into_iter().map(|state| (state, 0)).collect();
    for (channels, share_colours) in [(32, false), (17, false), (8, true), (16, true)] {
        let of = |precision: Precision| {
            let config = NetworkConfig { channels, share_colours, layers: 5, precision, ..PLAIN };
            let mut stream = Stream::new(3, Role::Initialise, 0);
            let network = QNetwork::new::<Match3>(&model(&config), &mut stream, &cpu().autodiff());
            let mut encoder = Encoder::<Match3>::new(network.view());
            let seen = encoder.positions(&states);
            let (images, scalars) = tensors::<Match3>(&seen, &cpu().autodiff());
            let tracked = network.forward(images, scalars);
            let gradients = tracked.clone().powi_scalar(2).sum().backward();
            let mut gradients = GradientsOf { gradients: &gradients, numbers: Vec::new() };
            network.visit(&mut gradients);
            let frozen = evaluate(&network, &cpu()).outputs(seen.images, seen.scalars).unwrap();
            [to_vec(tracked).unwrap(), gradients.numbers, frozen]
        };
        let (floats, rounded) = (of(Precision::F32), of(Precision::Bf16));
        for (what, (floats, rounded)) in ["values", "gradients", "frozen"].into_iter().zip(floats.iter().zip(&rounded))
        {
            let squares = |numbers: &mut dyn Iterator<Item = f32>| numbers.map(|number| number * number).sum::<f32>();
            let difference = squares(&mut floats.iter().zip(rounded).map(|(a, b)| a - b)).sqrt();
            let relative = difference / squares(&mut floats.iter().copied()).sqrt();
            assert!((1e-4..2e-2).contains(&relative), "{what}, {channels} channels: a part of {relative}");
        }
    }
}

/// Gradients of all parameters, concatenated.
struct GradientsOf<'a> {
    gradients: &'a Gradients,
    numbers: Vec<f32>,
}

impl ModuleVisitor for GradientsOf<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.numbers.extend(to_vec(param.val().grad(self.gradients).expect("a gradient")).unwrap());
    }
}

#[test]
fn without_the_networks_output_the_prior_alone_is_left() {
    let states = positions(20);
    // With exact views, a network with a dynamics model sees the certain outcomes.
    for (config, depth) in [(PLANS, 2), (PREDICTING, 1), (AFTERSTATE, 0), (PLAIN, 0)] {
        let network = network(&config, 1);
        let mut evaluator = evaluator::<Match3>(&network, 16, &cpu());
        evaluator.see(network.shape().exact_view());
        evaluator.output = 0.0;
        let values = evaluator.values(&states).unwrap();
        for (state, values) in states.iter().zip(values.chunks(Match3::ACTIONS)) {
            let mut certain = [0.0; Match3::ACTIONS];
            if depth > 0 {
                Match3::certain(state, &matching(state), Plan::of(depth), |action, points| certain[action] = points);
            }
            let points = certain.map(|points| points / 10.0);
            assert!(values.iter().zip(&points).all(|(a, b)| (a - b).abs() < 1e-5), "{config:?}");
        }
    }
}

#[test]
fn a_plans_value_is_its_certain_points_half_the_best_next_value_and_what_the_network_adds() {
    let states = positions(20);
    let network = network(&NEXT, 1);
    // The network's corrections of an action's value and plan, and the prior.
    let seen = |state: &State, action: usize| {
        let mut encoder = Encoder::<Match3>::new(network.view());
        let seen = encoder.afterstates(&[(*state, action, 0)]);
        let (images, scalars) = tensors::<Match3>(&seen, &cpu());
        let added = to_vec(network.forward(images, scalars)).unwrap();
        (added[0], added[1], seen.priors[0])
    };
    let with_points = |output: f32| {
        let plan = |state: &State, action: usize| {
            let mut board = Certain::of(state);
            let points = board.play(action) as f32 / 10.0;
            let after = Match3::after(state, action).state;
            let mut next: Vec<(f32, f32)> = match state.moves_left() {
                1 => vec![],
                _ => board
                    .matching()
                    .iter()
                    .map(|next| seen(&after, next))
                    .map(|(added, _, prior)| (prior, added))
                    .collect(),
            };
            next.sort_by(|(one, _), (other, _)| other.total_cmp(one));
            let values = next.iter().take(3).map(|(prior, added)| prior + output * added);
            points + 0.5 * values.reduce(f32::max).unwrap_or(0.0) + output * seen(state, action).1
        };
        let mut evaluator = evaluator::<Match3>(&network, 16, &cpu());
        evaluator.output = output;
        let values = evaluator.values(&states).unwrap().to_vec();
        let mut more = 0;
        for (state, values) in states.iter().zip(values.chunks(Match3::ACTIONS)) {
            let mask = matching(state);
            let mut ranked: Vec<(usize, f32)> = mask
                .iter()
                .map(|action| (action, seen(state, action)))
                .map(|(action, (added, _, prior))| (action, prior + output * added))
                .collect();
            ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
            let (chosen, others) = ranked.split_at(ranked.len().min(6));
            for (action, _) in chosen {
                let (found, expected) = (values[*action], plan(state, *action));
                assert!((found - expected).abs() < 1e-4, "{output}: {found} is not {expected}");
            }
            // Other actions are below the plans, all lowered by one number.
            let lowest = chosen.iter().map(|(action, _)| values[*action]).fold(f32::INFINITY, f32::min);
            let lower = others.first().map_or(0.0, |(_, highest)| highest - lowest).max(0.0);
            for (action, value) in others {
                let found = values[*action];
                assert!(
                    found < lowest && (found - value + lower).abs() < 1e-4,
                    "{output}: {found} of {value}, {lower} lower"
                );
            }
            more += others.len();
        }
        assert!(more > 20, "{more}");
        evaluator.next_moves = 0;
        (values, evaluator.values(&states).unwrap().to_vec())
    };
    let (planned, plain) = with_points(1.0);
    assert_ne!(planned, plain);
    let (_, without) = with_points(0.0);
    let mut prior = evaluator::<Match3>(&self::network(&SHARED_PLANS, 1), 16, &cpu());
    prior.output = 0.0;
    assert_eq!(without, prior.values(&states).unwrap(), "without next moves and output the prior is left");
}

#[test]
fn an_afterstate_shows_the_plans_that_follow_at_the_actions_places_under_any_symmetry() {
    const PLANE: usize = Match3::ROWS * Match3::COLUMNS;
    let view = network(&PLANS, 1).view();
    let mut found = 0;
    for state in &positions(5) {
        let action = first(state);
        let after = Match3::after(state, action);
        for symmetry in [0, 7, 40] {
            let mut encoder = Encoder::<Match3>::new(view);
            let image = encoder.afterstates(&[(*state, action, symmetry)]).images.to_vec();
            assert_eq!(image.len(), (5 + 2 * 2 + 2) * PLANE);
            let (own, plans) = image.split_at(5 * PLANE);
            let mut plain = [0.0; 5 * PLANE];
            Match3::encode(&after.state, symmetry, &mut plain, &mut [0.0]);
            assert_eq!(own, plain);
            // For plans of one and of two actions: each action's plan, then the best of each
            // everywhere, on a smaller scale.
            let (plans, best) = plans.split_at(2 * 2 * PLANE);
            for (depth, (plans, best)) in [1, 2].into_iter().zip(plans.chunks(2 * PLANE).zip(best.chunks(PLANE))) {
                let (mut certain, mut shown) = ([0.0; Match3::ACTIONS], [0.0; 2 * PLANE]);
                Match3::certain(&after.state, &after.actions, Plan::of(depth), |action, points| {
                    certain[action] = points
                });
                for action in after.actions.iter() {
                    let (plane, row, column) = Match3::place(Match3::transform_action(action, symmetry));
                    shown[plane * PLANE + row * Match3::COLUMNS + column] = certain[action] / 10.0;
                }
                assert!(plans.iter().zip(&shown).all(|(a, b)| (a - b).abs() < 1e-5), "depth {depth}");
                let highest = after.actions.iter().map(|action| certain[action] / 10.0).fold(0.0, f32::max);
                assert!(best.iter().all(|number| (number - highest / 16.0).abs() < 1e-5), "depth {depth}");
                found += usize::from(highest > 0.0);
            }
        }
    }
    assert!(found > 0, "plans follow");
}

#[test]
fn the_candidates_of_a_position_are_the_actions_with_the_best_plans_and_their_equals() {
    for state in &positions(20) {
        let mask = matching(state);
        let candidates = |config, count| network(config, 1).view().successors::<Match3>(state, count);
        assert_eq!(candidates(&PLANS, 0), mask);
        assert_eq!(candidates(&PLAIN, 1), mask, "one pass values all actions");
        assert_eq!(candidates(&AFTERSTATE, 1), mask, "there is no prior");
        let mut certain = [0.0; Match3::ACTIONS];
        Match3::certain(state, &mask, Plan::of(2), |action, points| certain[action] = points);
        let mut points: Vec<f32> = mask.iter().map(|action| certain[action]).collect();
        points.sort_by(|a, b| b.total_cmp(a));
        for count in [1, 3] {
            let least = points[count.min(points.len()) - 1];
            let expected = mask.iter().filter(|action| certain[*action] >= least).collect();
            assert_eq!(candidates(&PLANS, count), expected);
        }
    }
}

#[test]
fn values_within_a_mask_are_those_of_all_actions() {
    let states = positions(8);
    let first: Vec<_> = states.iter().map(|state| matching(state).iter().take(2).collect()).collect();
    for config in [PLAIN, PLANS, PREDICTING] {
        let mut evaluator = evaluator::<Match3>(&network(&config, 1), 5, &cpu());
        let all = evaluator.values(&states).unwrap().to_vec();
        let within = evaluator.values_within(&states, &first).unwrap();
        for (row, mask) in first.iter().enumerate() {
            let mask: &ActionMask = mask;
            for place in mask.iter().map(|action| row * Match3::ACTIONS + action) {
                assert_same(&within[place..=place], &all[place..=place], &format!("place {place}, {config:?}"));
            }
        }
    }
}

#[test]
fn moves_left_and_every_part_of_the_board_reach_the_values() {
    let (empty, cells) = ("########\n".repeat(10), (0..9 * 10).filter(|at| at % 9 < 8));
    let mut states = vec![State::new(&empty, 20).unwrap(), State::new(&empty, 3).unwrap()];
    states.extend(cells.map(|at| State::new(&format!("{}a{}", &empty[..at], &empty[at + 1..]), 20).unwrap()));
    let values = seen_under(&network(&PLAIN, 1), 0, &states);
    let (plain, moved) = (&values[0], &values[2..]);
    assert_ne!(*plain, values[1], "moves left");
    assert_eq!(moved.len(), 80);
    for (cell, values) in moved.iter().enumerate() {
        // The pooled summary carries a gem to both ends.
        assert!(values[0] != plain[0] && values[141] != plain[141], "a gem in cell {cell}");
    }
}

#[test]
fn a_network_that_shares_its_weights_values_a_board_the_same_however_its_colours_are_permuted() {
    const PERMUTATIONS: usize = Match3::SYMMETRIES / 2;
    let states = positions(6);
    let difference = |config: &NetworkConfig, symmetry: usize| {
        let network = network(config, 2);
        let (plain, seen) = (seen_under(&network, 0, &states), seen_under(&network, symmetry, &states));
        let rows = plain.iter().zip(&seen);
        let differences = rows.flat_map(|(plain, seen)| {
            (0..Match3::ACTIONS).map(|action| {
                let shown = Match3::transform_action(action, symmetry);
                (plain[action] - seen[shown]).abs()
            })
        });
        differences.max_by(f32::total_cmp).unwrap_or(0.0)
    };
    for symmetry in 1..PERMUTATIONS {
        for config in [SHARED, BOTH] {
            let difference = difference(&config, symmetry);
            assert!(difference < 1e-4, "symmetry {symmetry}: {difference}");
        }
        assert!(difference(&PLAIN, symmetry) > 1e-3, "without sharing the colours matter");
    }
}

#[test]
fn weights_that_are_read_again_give_the_same_bits() {
    let states = positions(16);
    for config in ALL {
        let (saved, other) = (network(&config, 1), network(&config, 2));
        let read = other.clone().with_arrays(&saved.arrays().unwrap()).unwrap();
        assert_eq!(values(&read, 16, &states), values(&saved, 16, &states));
        assert_ne!(values(&other, 16, &states), values(&saved, 16, &states));
        assert_eq!(read.arrays().unwrap(), saved.arrays().unwrap());
    }
}

#[test]
fn a_tensor_is_called_by_its_path_in_the_network_and_has_its_shape_there() {
    let named = |config: &NetworkConfig| {
        let arrays = network(config, 1).arrays().unwrap();
        let shapes = arrays.into_iter().map(|(name, array)| (name, array.shape));
        shapes.collect::<BTreeMap<String, Vec<usize>>>()
    };
    let shared = named(&NetworkConfig { channels: 6, layers: 3, ..SHARED });
    let convolutions = [
        ("advantage", [2, 6, 1, 1]),
        ("body.0", [6, 6, 3, 3]),
        ("body.1", [6, 6, 3, 3]),
        ("exchange.0", [6, 6, 1, 1]),
        ("exchange.1", [6, 6, 1, 1]),
        ("hidden", [6, 6, 1, 1]),
        // The colour's own plane, the other colours', the obstacles, the moves left.
        ("stem", [6, 4, 3, 3]),
        ("summary", [6, 6, 1, 1]),
    ];
    let expected = convolutions.iter().flat_map(|(name, shape)| {
        [(format!("{name}.weight"), shape.to_vec()), (format!("{name}.bias"), vec![shape[0]])]
    });
    assert_eq!(shared, expected.collect());
    let dueling = named(&DUELING);
    assert!(dueling.contains_key("value.hidden.weight") && dueling.contains_key("value.output.bias"), "{dueling:?}");
}

#[test]
fn weights_of_a_network_of_another_shape_are_refused_with_a_sentence() {
    let others = [
        NetworkConfig { channels: 4, ..PLAIN },
        NetworkConfig { layers: 2, ..PLAIN },
        NetworkConfig { layers: 4, ..PLAIN },
        DUELING,
        SHARED,
        UNSHARED,
    ];
    for config in others {
        for (from, to) in [(&config, &PLAIN), (&PLAIN, &config)] {
            let arrays = network(from, 1).arrays().unwrap();
            let sentence = match network(to, 1).with_arrays(&arrays) {
                Err(error) => error.to_string(),
                Ok(_) => panic!("weights of {from:?} were taken for {to:?}"),
            };
            assert!(sentence.contains("the weights do not fit the network"), "{sentence}");
        }
    }
    let refusal = |change: fn(&mut Arrays)| {
        let mut arrays = network(&PLAIN, 1).arrays().unwrap();
        change(&mut arrays);
        network(&PLAIN, 2).with_arrays(&arrays).unwrap_err().to_string()
    };
    let refused = refusal(|arrays| drop(arrays.remove("hidden.bias")));
    assert!(refused.ends_with("there is no hidden.bias"), "{refused}");
    let refused = refusal(|arrays| drop(arrays.insert("more".into(), Array { shape: vec![0], values: vec![] })));
    assert!(refused.ends_with("'more' is no tensor of it"), "{refused}");
}

/// Sets the numbers of parameters `from..to`.
fn set_parameters(network: QNetwork, from: usize, to: usize, number: f32) -> QNetwork {
    struct Setter {
        next: usize,
        range: std::ops::Range<usize>,
        number: f32,
    }
    impl ModuleMapper for Setter {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            self.next += 1;
            match self.range.contains(&(self.next - 1)) {
                true => param.map(|tensor| tensor.zeros_like().add_scalar(self.number)),
                false => param,
            }
        }
    }
    network.map(&mut Setter { next: 0, range: from..to, number })
}

#[test]
fn the_dueling_networks_advantages_have_mean_zero_around_the_states_value() {
    let states = positions(4);
    // Weights and biases of stem, two layers, summary, hidden and advantage; then the state value's
    // hidden and last layer.
    let (advantage, value, end) = (10, 14, 16);
    let network = network(&DUELING, 1);
    assert_eq!(network.num_params(), set_parameters(network.clone(), 0, end, 0.0).num_params());

    // Last weights of 0 and bias 3 make the state value 3 everywhere.
    let flat = set_parameters(set_parameters(network.clone(), value, end, 0.0), value + 1, end, 3.0);
    for row in seen_under(&flat, 0, &states) {
        let mean = row.iter().sum::<f32>() / row.len() as f32;
        assert!((mean - 3.0).abs() < 1e-4, "{mean}");
        assert!(row.iter().any(|value| (value - 3.0).abs() > 1e-3), "the advantages differ");
    }
    // Without advantages all actions have the state's value; an offset to all advantages changes
    // nothing.
    let (none, offset) = (set_parameters(network.clone(), advantage, advantage + 2, 0.0), |network| {
        set_parameters(network, advantage + 1, advantage + 2, 7.0)
    });
    let values = seen_under(&none, 0, &states);
    for (row, moved) in values.iter().zip(seen_under(&offset(none), 0, &states)) {
        assert!(row.iter().chain(&moved).all(|value| (value - row[0]).abs() < 1e-5), "{row:?}");
    }
    assert_ne!(values[0][0], values[1][0], "the value depends on the state");
}
