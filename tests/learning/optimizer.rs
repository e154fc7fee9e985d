//! Clipping by the global norm, optimizer steps, learning rate and target network, by hand.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
use matchq::games::match3::Rules;
use matchq::games::{Game, Match3, offered};
use matchq::learners::TrainConfig;
use matchq::learners::dqn::config::OptimizerKind;
use matchq::learners::dqn::optimizer::{Optimizer, SavedMoments};
use matchq::learners::dqn::replay::{Replay, Transition};
use matchq::learners::dqn::{Config, Learning, QLearner};
use matchq::network::{Encoder, ModelConfig, QNetwork, device, tensors, to_vec};
use matchq::players::Arrays;
use matchq::random::{Role, Stream};

use crate::configuration;
use crate::probe_games::{Delayed, Position, Probe, START};

fn cpu() -> Device {
    device::select(None).unwrap().1
}

fn optimizer(kind: OptimizerKind, max_gradient_norm: f64) -> Optimizer {
    Optimizer::new(&Learning { optimizer: kind, max_gradient_norm, ..Learning::default() })
}

fn adam(max_gradient_norm: f64) -> Optimizer {
    optimizer(OptimizerKind::Adam, max_gradient_norm)
}

fn muon(max_gradient_norm: f64) -> Optimizer {
    optimizer(OptimizerKind::Muon, max_gradient_norm)
}

/// Two parameters: the norm of the whole gradient is neither's own.
#[derive(Module, Debug)]
struct Two {
    first: Param<Tensor<1>>,
    second: Param<Tensor<2>>,
}

impl Two {
    fn new() -> Self {
        let device = cpu().autodiff();
        Self { first: Param::from_data([1.0f32], &device), second: Param::from_data([[2.0f32, 5.0]], &device) }
    }

    /// Gradient of `3 first + 4 second[0]`, with norm 5.
    fn gradients(&self) -> GradientsParams {
        let second = self.second.val().narrow(1, 0, 1).reshape([1]);
        let loss = self.first.val().mul_scalar(3.0) + second.mul_scalar(4.0);
        GradientsParams::from_grads(loss.sum().backward(), self)
    }

    fn numbers(&self) -> Vec<f32> {
        let mut numbers = to_vec(self.first.val().inner()).unwrap();
        numbers.extend(to_vec(self.second.val().inner()).unwrap());
        numbers
    }
}

fn assert_near(found: &[f32], expected: &[f32]) {
    let near = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-5;
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(near), "{found:?} is not {expected:?}");
}

/// Updates, first and second moments of each parameter, as in a checkpoint.
fn moments(saved: &[SavedMoments]) -> Vec<(u64, Vec<f32>, Vec<f32>)> {
    postcard::from_bytes(&postcard::to_stdvec(saved).unwrap()).unwrap()
}

#[test]
fn the_gradient_is_clipped_by_the_norm_of_all_parameters_together() {
    for (limit, clipped) in [(1.0, [0.6, 0.8]), (2.5, [1.5, 2.0]), (5.5, [3.0, 4.0]), (0.0, [3.0, 4.0])] {
        let two = Two::new();
        let mut adam = adam(limit);
        let gradients = two.gradients();
        let (two, norm) = adam.step(0.1, two, gradients);
        assert_near(&to_vec(norm).unwrap(), &[5.0]);
        // After one step: a tenth of the gradient and a thousandth of its square.
        let moments = moments(&adam.save(&two).unwrap());
        assert_eq!((moments[0].0, moments[1].0), (1, 1));
        assert_near(&moments[0].1, &[0.1 * clipped[0]]);
        assert_near(&moments[1].1, &[0.1 * clipped[1], 0.0]);
        assert_near(&moments[0].2, &[0.001 * clipped[0] * clipped[0]]);
    }
}

#[test]
fn adams_first_step_is_the_learning_rate_against_the_gradients_sign() {
    let two = Two::new();
    let gradients = two.gradients();
    let (two, _) = adam(0.0).step(0.25, two, gradients);
    assert_near(&two.numbers(), &[0.75, 1.75, 5.0]);
}

/// A convolution of 2 to 8 channels, whose weight is a matrix of 8 x 8; its bias; a head.
#[derive(Module, Debug)]
struct Convolved {
    weight: Param<Tensor<4>>,
    bias: Param<Tensor<1>>,
    head: Param<Tensor<4>>,
}

impl Convolved {
    fn new() -> Self {
        let device = cpu().autodiff();
        let zeros = |shape| Param::from_tensor(Tensor::<4>::zeros(shape, &device).require_grad());
        Self { weight: zeros([8, 2, 2, 2]), bias: Param::from_data([0.0f32; 8], &device), head: zeros([2, 8, 1, 1]) }
    }

    /// A linear loss, with these gradients: `weight` for the weights, 3 for each bias, -5 for the head.
    fn loss(&self, weight: impl Fn(usize, usize) -> f32) -> Tensor<1> {
        let factors: Vec<f32> = (0..64).map(|index| weight(index / 8, index % 8)).collect();
        let factors = Tensor::<1>::from_data(TensorData::new(factors, [64]), &cpu().autodiff());
        (self.weight.val().reshape([64]) * factors).sum() + self.bias.val().sum().mul_scalar(3.0)
            - self.head.val().sum().mul_scalar(5.0)
    }

    fn gradients(&self, weight: impl Fn(usize, usize) -> f32) -> GradientsParams {
        GradientsParams::from_grads(self.loss(weight).backward(), self)
    }

    /// Weight, bias and head.
    fn numbers(&self) -> [Vec<f32>; 3] {
        let numbers = |tensor: Tensor<4>| to_vec(tensor.inner()).unwrap();
        let bias = to_vec(self.bias.val().inner()).unwrap();
        [numbers(self.weight.val()), bias, numbers(self.head.val())]
    }
}

#[test]
fn muons_first_step_is_nearly_orthogonal_as_large_as_adams_and_leaves_biases_and_heads_to_adam() {
    // Permuted rows with scales, which are the singular values.
    let scales: [f32; 8] = [4.0, 3.0, 2.5, 2.0, 1.5, 1.2, 1.0, 0.8];
    let gradient = |row: usize, column: usize| if column == (row + 3) % 8 { scales[row] } else { 0.0 };
    let network = Convolved::new();
    let gradients = network.gradients(gradient);
    let (network, _) = muon(0.0).step(0.1, network, gradients);

    // Newton-Schulz iteration acts on each singular value of the matrix of norm 1.
    let norm = scales.iter().map(|scale| scale * scale).sum::<f32>().sqrt();
    let iterated = |scale: f32| (0..5).fold(scale / norm, |x, _| 3.4445 * x - 4.775 * x.powi(3) + 2.0315 * x.powi(5));
    let expected: Vec<f32> = (0..64)
        .map(|index| (index / 8, index % 8))
        .map(|(row, column)| match gradient(row, column) {
            0.0 => 0.0,
            scale => -0.1 * 0.2 * 8.0f32.sqrt() * iterated(scale),
        })
        .collect();
    let [weight, bias, head] = network.numbers();
    assert_near(&weight, &expected);
    assert!(scales.iter().all(|scale| (0.6..1.3).contains(&iterated(*scale))), "nearly orthogonal");
    assert_near(&bias, &[-0.1; 8]);
    assert_near(&head, &[0.1; 16]);
}

#[test]
fn muons_velocity_is_the_sum_of_gradients_that_fade_and_gives_the_step_its_direction() {
    let (first, second) = (
        |row, column| if row == column { 1.0 } else { 0.0 },
        |row, column| {
            if row == column && row < 4 { -3.0 } else { 0.0 }
        },
    );
    let mut muon = muon(0.0);
    let network = Convolved::new();
    let gradients = network.gradients(first);
    let (network, _) = muon.step(0.1, network, gradients);
    let before = network.numbers();
    let gradients = network.gradients(second);
    let (network, _) = muon.step(0.1, network, gradients);
    let saved = moments(&muon.save(&network).unwrap());
    let expected: Vec<f32> = (0..64).map(|i| 0.95 * first(i / 8, i % 8) + second(i / 8, i % 8)).collect();
    assert_near(&saved[0].1, &expected);
    assert!(saved[0].2.is_empty());
    // Nesterov momentum counts the new gradient twice, so the first four rows go the other way.
    let [before, after] = [before, network.numbers()].map(|[weight, ..]| weight);
    for row in 0..8 {
        let step = after[9 * row] - before[9 * row];
        assert!(if row < 4 { step > 0.02 } else { step < -0.02 }, "row {row}: {step}");
    }
}

#[test]
fn parameters_of_one_shape_are_stepped_together_as_each_would_be_alone() {
    #[derive(Module, Debug)]
    struct Pair {
        one: Convolved,
        other: Convolved,
    }
    let of_one = |row: usize, column: usize| if column == (row + 3) % 8 { row as f32 + 1.0 } else { 0.1 };
    let of_other = |row: usize, column: usize| (row * column) as f32 - 9.0;
    for make in [adam, muon] {
        let mut pair = Pair { one: Convolved::new(), other: Convolved::new() };
        let (mut one, mut other) = (Convolved::new(), Convolved::new());
        let [mut of_pair, mut alone, mut alone_too] = [make(0.0), make(0.0), make(0.0)];
        for _ in 0..2 {
            let loss = pair.one.loss(of_one) + pair.other.loss(of_other);
            let gradients = GradientsParams::from_grads(loss.backward(), &pair);
            pair = of_pair.step(0.1, pair, gradients).0;
            let (gradients, gradients_too) = (one.gradients(of_one), other.gradients(of_other));
            one = alone.step(0.1, one, gradients).0;
            other = alone_too.step(0.1, other, gradients_too).0;
        }
        for (found, expected) in [(&pair.one, &one), (&pair.other, &other)] {
            found.numbers().iter().zip(expected.numbers()).for_each(|(found, expected)| assert_near(found, &expected));
        }
        assert_ne!(pair.one.numbers(), pair.other.numbers());
        let saved = moments(&of_pair.save(&pair).unwrap());
        let each = [alone.save(&one).unwrap(), alone_too.save(&other).unwrap()].concat();
        for (found, expected) in saved.iter().zip(moments(&each)) {
            assert_near(&found.1, &expected.1);
            assert_near(&found.2, &expected.2);
        }
    }
}

#[test]
fn moments_without_gradients_end_at_zero_and_not_as_subnormal_numbers() {
    let of_row = |own: usize, gradient: f32| move |row: usize, _: usize| if row == own { gradient } else { 0.0 };
    for make in [adam, muon] {
        let mut optimizer = make(0.0);
        let mut network = Convolved::new();
        for step in 0..400 {
            let gradients = network.gradients(of_row(0, if step == 0 { 1e-9 } else { 0.0 }));
            network = optimizer.step(0.0, network, gradients).0;
            let first = &moments(&optimizer.save(&network).unwrap())[0].1;
            match step {
                100 => assert!(first[..8].iter().all(|first| *first > 1e-15), "gone too early: {first:?}"),
                300.. => assert!(first.iter().all(|first| *first == 0.0), "step {step}: {first:?}"),
                _ => {}
            }
        }
        // Its square is subnormal, in a row that had none before.
        let gradients = network.gradients(of_row(1, 1e-20));
        network = optimizer.step(0.0, network, gradients).0;
        let saved = moments(&optimizer.save(&network).unwrap());
        assert!(saved[0].1.iter().chain(&saved[0].2).all(|moment| !moment.is_subnormal()));
    }
}

#[test]
fn an_optimizer_taken_up_again_steps_as_the_one_that_was_saved() {
    for make in [adam, muon] {
        let mut network = Convolved::new();
        let gradient = |step: i32| move |row: usize, column: usize| ((row * column) as f32 - 9.0).powi(step);
        let mut optimizer = make(1.0);
        for step in 1..4 {
            let gradients = network.gradients(gradient(step));
            network = optimizer.step(0.1, network, gradients).0;
        }
        let mut restored = make(1.0);
        restored.restore(&optimizer.save(&network).unwrap(), &network, &cpu()).unwrap();
        let next = |optimizer: &mut Optimizer| {
            let gradients = network.gradients(gradient(1));
            optimizer.step(0.1, network.clone(), gradients).0.numbers()
        };
        assert_eq!(next(&mut restored), next(&mut optimizer));
        assert_eq!(restored.save(&network).unwrap(), optimizer.save(&network).unwrap());
        let fresh = next(&mut make(1.0));
        assert_ne!(next(&mut optimizer), fresh, "the state matters here");
    }
}

#[test]
fn the_optimizers_state_of_another_network_or_another_optimizer_is_refused() {
    let network = Convolved::new();
    let mut adam_before = adam(1.0);
    let gradients = network.gradients(|_, _| 1.0);
    let (network, _) = adam_before.step(0.1, network, gradients);
    let saved = adam_before.save(&network).unwrap();
    for (mut optimizer, saved) in [(adam(1.0), saved[..1].to_vec()), (muon(1.0), saved.clone())] {
        let error = optimizer.restore(&saved, &network, &cpu()).unwrap_err();
        assert!(error.to_string().contains("another shape"), "{error}");
    }
    assert!(adam(1.0).restore(&saved, &network, &cpu()).is_ok());
    // burn counts updates in 32 bits.
    let mut damaged = saved;
    damaged.iter_mut().for_each(|moments| moments.updates = 1 << 40);
    assert!(adam(1.0).restore(&damaged, &network, &cpu()).is_err());
}

#[test]
fn the_learning_rate_goes_from_the_first_to_the_last_value_in_a_straight_line() {
    for (last, expected) in [(0.9, [0.9, 0.9, 0.9, 0.9]), (0.1, [0.9, 0.7, 0.5, 0.1])] {
        let learning = Learning { learning_rate: 0.9, final_learning_rate: last, ..Learning::default() };
        for (progress, expected) in [0.0, 0.25, 0.5, 1.0].into_iter().zip(expected) {
            let rate = learning.learning_rate_at(progress);
            assert!((rate - expected).abs() < 1e-6, "to {last} at {progress}: {rate}");
        }
    }
}

/// All weights of both networks, as in a checkpoint, and of the one that plays.
fn networks(learner: &QLearner<Probe<Delayed>>, config: &ModelConfig) -> [Vec<f32>; 3] {
    struct Numbers(Vec<f32>);
    impl ModuleVisitor for Numbers {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.0.extend(to_vec(param.val()).unwrap());
        }
    }
    let saved = postcard::to_stdvec(&learner.save().unwrap()).unwrap();
    let ((online, target), _) = postcard::take_from_bytes::<(Arrays, Arrays)>(&saved).unwrap();
    [online, target, learner.trained().arrays().unwrap()].map(|arrays| {
        let fresh = QNetwork::new::<Probe<Delayed>>(config, &mut Stream::new(9, Role::Initialise, 0), &cpu());
        let mut numbers = Numbers(Vec::new());
        fresh.with_arrays(&arrays).unwrap().visit(&mut numbers);
        numbers.0
    })
}

/// A learner, and a replay memory of one transition.
fn of_one_transition(overrides: &[&str]) -> (TrainConfig<Config>, QLearner<Probe<Delayed>>, Replay<Position>) {
    let text = "network = { channels = 4, layers = 2, input = 'position', dynamics_waves = 0 }\n\
                learning = { batch = 4, learning_rate = 0.1 }";
    let config = configuration(text, overrides);
    let learner = QLearner::new(&config, &(), &cpu());
    let mut replay = Replay::new(&config.learner.replay);
    let state = Position { at: 1, ..START };
    replay.push(Transition { state, next: Position { at: 2, ..state }, action: 0, reward: 3.0, discount: 0.5 });
    (config, learner, replay)
}

/// Weights of [`networks`] after each of the first updates.
fn follow(overrides: &[&str], updates: usize) -> Vec<[Vec<f32>; 3]> {
    let (config, mut learner, mut replay) = of_one_transition(overrides);
    let mut seen = vec![networks(&learner, &config.model())];
    for _ in 0..updates {
        learner.update(&mut replay, &[], 1.0, 0.0).unwrap();
        seen.push(networks(&learner, &config.model()));
    }
    seen
}

#[test]
fn a_network_that_learned_is_in_no_graph_of_autodiff_which_would_stay_in_memory() {
    struct Tracked(bool);
    impl ModuleVisitor for Tracked {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.0 |= param.val().is_require_grad();
        }
    }
    for dueling in ["network.dueling=false", "network.dueling=true"] {
        let (_, mut learner, mut replay) = of_one_transition(&[dueling]);
        let before = learner.trained().arrays().unwrap();
        learner.update(&mut replay, &[], 1.0, 0.0).unwrap();
        let mut tracked = Tracked(false);
        learner.trained().visit(&mut tracked);
        assert!(!tracked.0, "{dueling}");
        assert!(learner.trained().arrays().unwrap() != before, "it learned");
    }
}

#[test]
fn the_soft_target_moves_by_its_rate_towards_the_online_network_with_each_update() {
    let seen = follow(&["target.update=soft", "target.rate=0.25"], 3);
    assert_eq!(seen[0][0], seen[0][1], "both start the same");
    for pair in seen.windows(2) {
        let ([_, before, _], [online, after, plays]) = (&pair[0], &pair[1]);
        assert_eq!(plays, after, "the average plays");
        let expected: Vec<f32> =
            before.iter().zip(online).map(|(before, online)| 0.75 * before + 0.25 * online).collect();
        assert_near(after, &expected);
        assert_ne!(after, before);
    }
}

#[test]
fn the_hard_target_is_copied_after_every_few_updates_and_stays_in_between() {
    let seen = follow(&["target.update=hard", "target.every=2"], 4);
    let online = |update: usize| &seen[update][0];
    assert!((0..4).all(|update| online(update) != online(update + 1)), "the online network learns");
    assert!(seen.iter().all(|[online, _, plays]| plays == online), "the online network plays");
    for (update, copied) in [0, 0, 2, 2, 4].into_iter().enumerate() {
        assert_eq!(&seen[update][1], online(copied), "after update {update}");
    }
}

#[test]
fn a_batch_of_more_boards_than_a_threads_share_teaches_the_gradient_of_its_mean_loss() {
    for (input, batch) in [("position", 50), ("afterstate", 50), ("position", 1)] {
        let overrides = [
            format!("network.input={input}"),
            format!("learning.batch={batch}"),
            "learning.loss=squared".to_owned(),
            "learning.symmetry=false".to_owned(),
            "learning.max_gradient_norm=0".to_owned(),
        ];
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let text = "network = { channels = 4, layers = 2, dynamics_waves = 0 }\nlearning.optimizer = 'adam'";
        let config = configuration(text, &overrides);
        let rules = Rules::default();
        let mut replay = Replay::new(&config.learner.replay);
        let mut stream = Stream::new(5, Role::Game, 0);
        for index in 0..70 {
            let state = Match3::new(&rules, &mut stream).state();
            let (mask, _) = offered::<Match3>(&state, config.model().view::<Match3>().mask);
            let action = mask.nth(index % 3).unwrap_or(0) as u16;
            replay.push(Transition { state, next: state, action, reward: index as f32 / 7.0, discount: 0.0 });
        }

        let mut network = QNetwork::new::<Match3>(
            &config.model(),
            &mut Stream::new(config.run.seed, Role::Initialise, 0),
            &cpu().autodiff(),
        );
        let sample = replay.sample(batch, 1.0, &mut Stream::new(config.run.seed, Role::Sample, 0));
        let seen: Vec<_> = sample.slots.iter().map(|slot| *replay.get(*slot)).collect();
        let mut encoder = Encoder::<Match3>::new(network.view());
        let device = cpu().autodiff();
        let added = match network.view().afterstates() {
            true => {
                let afterstates: Vec<_> = seen.iter().map(|seen| (seen.state, seen.action.into(), 0)).collect();
                let (images, scalars) = tensors::<Match3>(&encoder.afterstates(&afterstates), &device);
                network.forward(images, scalars).reshape([batch])
            }
            false => {
                let states: Vec<_> = seen.iter().map(|seen| (seen.state, 0)).collect();
                let (images, scalars) = tensors::<Match3>(&encoder.positions(&states), &device);
                let place =
                    |(row, seen): (usize, &Transition<_>)| (row * Match3::ACTIONS + usize::from(seen.action)) as i32;
                let places: Vec<i32> = seen.iter().enumerate().map(place).collect();
                let places = Tensor::<1, Int>::from_data(TensorData::new(places, [batch]), &device);
                network.forward(images, scalars).reshape([batch * Match3::ACTIONS]).select(0, places)
            }
        };
        let rewards: Vec<f32> = seen.iter().map(|seen| seen.reward).collect();
        let rewards = Tensor::<1>::from_data(TensorData::new(rewards, [batch]), &device);
        let loss = (added - rewards).square().mean().mul_scalar(0.5);
        let mut by_hand = adam(0.0);
        let gradients = GradientsParams::from_grads(loss.clone().backward(), &network);
        (network, _) = by_hand.step(0.0, network, gradients);
        let expected = moments(&by_hand.save(&network).unwrap());

        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut learner = QLearner::<Match3>::new(&config, &rules, &cpu());
            let update = pool.install(|| learner.update(&mut replay, &[], 1.0, 0.0)).unwrap().read().unwrap();
            assert_near(&[update.loss], &to_vec(loss.clone().inner()).unwrap());
            let saved = postcard::to_stdvec(&learner.save().unwrap()).unwrap();
            type Parts = (Arrays, Arrays, Vec<(u64, Vec<f32>, Vec<f32>)>);
            let ((_, _, found), _) = postcard::take_from_bytes::<Parts>(&saved).unwrap();
            assert_eq!(found.len(), expected.len());
            for ((_, found, _), (_, expected, _)) in found.iter().zip(&expected) {
                assert_near(found, expected);
            }
            assert!(expected.iter().any(|(_, first, _)| first.iter().any(|moment| moment.abs() > 1e-2)));
        }
    }
}
