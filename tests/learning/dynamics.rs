//! The dynamics model: applied wave by wave until nothing changes, learns from single waves, and is
//! separate from the values' learning.

use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Tensor, TensorData};
use matchq::games::match3::{Rules, State};
use matchq::games::{Bilging, Game, Image, Lookahead, Match3, SeenWave};
use matchq::learners::TrainConfig;
use matchq::learners::dqn::Config;
use matchq::learners::dqn::QLearner;
use matchq::learners::dqn::optimizer::Optimizer;
use matchq::learners::dqn::replay::{Replay, Transition};
use matchq::network::{Encoder, OnDevice, QNetwork, View, WaveBatch, device, evaluate, evaluator, tensors, to_vec};
use matchq::players::Arrays;
use matchq::players::network::{Backend, NetworkShape};
use matchq::random::{Draw, Role, Stream};

use crate::configuration;

const BOARD: usize = 400;

fn config(overrides: &[&str]) -> TrainConfig<Config> {
    let text = "
        network = { channels = 8, layers = 2, dynamics_waves = 0 }
        learning = { batch = 24, relative = false, symmetry = false, optimizer = 'adam', learning_rate = 1e-3 }
    ";
    configuration(text, overrides)
}

fn network(config: &TrainConfig<Config>) -> QNetwork {
    let stream = &mut Stream::new(config.run.seed, Role::Initialise, 0);
    QNetwork::new::<Match3>(&config.model(), stream, &device::select(None).unwrap().1)
}

/// New positions, each with a matching move.
fn moves(count: usize) -> Vec<(State, usize)> {
    let mut stream = Stream::new(8, Role::Game, 0);
    let games = std::iter::repeat_with(|| Match3::new(&Rules::default(), &mut stream));
    let matching = |(index, game): (usize, Match3)| {
        let moves = game.matching_moves();
        Some((game.state(), moves.get(index % moves.len().max(1))?.action()?))
    };
    games.enumerate().filter_map(matching).take(count).collect()
}

/// Waves of played moves.
fn seen_waves(count: usize) -> Vec<SeenWave<State>> {
    let mut stream = Stream::new(3, Role::Game, 0);
    let mut waves = Vec::new();
    for (state, action) in moves(count) {
        Match3::at(&Rules::default(), &state).step_seen(action, &mut stream, |wave| waves.push(wave));
    }
    waves.truncate(count);
    waves
}

fn boards(network: &QNetwork, symmetry: usize) -> Tensor<4> {
    let seen: Vec<_> = moves(40).into_iter().map(|(state, action)| (state, action, symmetry)).collect();
    tensors::<Match3>(&Encoder::<Match3>::new(network.view()).afterstates(&seen), &device::select(None).unwrap().1).0
}

/// Boards and points after chains of at most `waves` waves.
fn outcome(network: &QNetwork, images: &Tensor<4>, waves: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut boards, mut points) = (to_vec(images.clone()).unwrap(), vec![0.0; images.dims()[0]]);
    if waves > 0 {
        let shape = NetworkShape { waves, ..network.shape().clone() };
        let mut network = OnDevice(images.device()).network(&shape, &network.arrays().unwrap()).unwrap();
        network.outcome(&mut boards, &mut points).unwrap();
    }
    (boards, points)
}

/// Replaces the zeros of fresh biases.
struct WithBiases;

impl ModuleMapper for WithBiases {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if D > 1 {
            return param;
        }
        param.map(|bias| {
            let numbers: Vec<f32> =
                (0..bias.shape().num_elements()).map(|index| (1.0 + index as f32 * 0.7).sin() / 8.0).collect();
            Tensor::from_data(TensorData::new(numbers, bias.shape()), &bias.device())
        })
    }
}

#[test]
fn a_chain_is_one_wave_after_the_other_until_the_board_stays_or_the_waves_run_out() {
    let mut lengths = std::collections::BTreeSet::new();
    let mut doubtful = 0;
    // With 16 or 32 channels a CPU computes by blocks.
    for (seed, channels) in [8, 16, 32, 8, 16].into_iter().enumerate() {
        let overrides = [
            format!("seed={seed}"),
            format!("network.channels={channels}"),
            format!("network.share_colours={}", seed < 3),
            "network.dynamics_waves=4".to_owned(),
        ];
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let network = network(&config(&overrides)).map(&mut WithBiases);
        let (model, most) = network.dynamics().unwrap();
        assert_eq!(most, 4);
        let images = boards(&network, 0);
        let together = [0, 1, 4, 9].map(|waves| (waves, outcome(&network, &images, waves)));
        for (index, board) in to_vec(images.clone()).unwrap().chunks(BOARD).enumerate() {
            for (waves, (boards, gained)) in &together {
                let (mut board, mut points, mut count, mut certain) = (board.to_vec(), 0.0, 0, true);
                while count < *waves {
                    let seen = TensorData::new(board.clone(), [1, 5, 10, 8]);
                    let wave = model.wave(Tensor::from_data(seen, &images.device()));
                    points += to_vec(wave.points).unwrap()[0];
                    let odds = to_vec(wave.board).unwrap();
                    // Rounding may decide near 0.
                    certain &= odds.iter().all(|odds| odds.abs() > 1e-5);
                    let next: Vec<f32> = odds.iter().map(|odds| if *odds > 0.0 { 1.0 } else { 0.0 }).collect();
                    count += 1;
                    if std::mem::replace(&mut board, next) == board {
                        break;
                    }
                }
                lengths.insert(count);
                if certain {
                    assert!(boards[index * BOARD..][..BOARD] == board, "board {index} after {waves} waves");
                    assert!((gained[index] - points).abs() <= 1e-4 * points.abs().max(1.0));
                } else {
                    doubtful += 1;
                }
            }
        }
    }
    assert!(lengths.len() > 2, "chains of several lengths: {lengths:?}");
    assert!(doubtful < 100, "{doubtful} of 800");
}

#[test]
fn a_game_whose_planes_are_all_colours_has_a_dynamics_model_too() {
    // A CPU computes by blocks with 16 channels, but not with 8.
    for channels in [8, 16] {
        let overrides = ["network.dynamics_waves=1".to_owned(), format!("network.channels={channels}")];
        let config = config(&overrides.each_ref().map(String::as_str));
        let device = device::select(None).unwrap().1;
        let network = QNetwork::new::<Bilging>(&config.model(), &mut Stream::new(0, Role::Initialise, 0), &device);
        let network = network.map(&mut WithBiases);
        let (model, _) = network.dynamics().unwrap();
        let game = Bilging::new(&Default::default(), &mut Stream::new(0, Role::Game, 0));
        let (mut image, mut scalars) = (vec![0.0; 7 * 12 * 6], [0.0]);
        Bilging::encode(&game.state(), 0, &mut image, &mut scalars);
        let images = Tensor::<4>::from_data(TensorData::new(image, [1, 7, 12, 6]), &device);
        let wave = model.wave(images.clone());
        let (boards, points) = outcome(&network, &images, 1);
        let odds = to_vec(wave.board).unwrap();
        let set: Vec<f32> = odds.iter().map(|odds| if *odds > 0.0 { 1.0 } else { 0.0 }).collect();
        assert_eq!(boards, set);
        assert!((points[0] - to_vec(wave.points).unwrap()[0]).abs() < 1e-4);
    }
}

#[test]
fn the_loss_of_a_wave_is_the_cross_entropy_of_its_board_over_40_and_the_squared_error_of_its_points() {
    let network = network(&config(&["network.dynamics_waves=4"]));
    let (model, _) = network.dynamics().unwrap();
    let seen: Vec<_> = seen_waves(10).into_iter().map(|wave| (wave, 0)).collect();
    let waves = Encoder::<Match3>::new(network.view()).waves(&seen);
    let (_, device) = device::select(None).unwrap();
    let before = TensorData::new(waves.before.clone(), [10, 5, 10, 8]);
    let predicted = model.wave(Tensor::from_data(before, &device));
    let probability = |odds: f32| 1.0 / (1.0 + (-f64::from(odds)).exp());
    let odds = to_vec(predicted.board).unwrap();
    let entropy = odds.iter().zip(&waves.after).map(|(odds, set)| {
        let probability = probability(*odds);
        -if *set == 1.0 { probability.ln() } else { (1.0 - probability).ln() }
    });
    let found = to_vec(predicted.points).unwrap();
    let squares = found.iter().zip(&waves.points).map(|(found, points)| f64::from(found - points).powi(2));
    let expected = (entropy.sum::<f64>() / 40.0 + squares.sum::<f64>()) / 10.0;
    let loss = f64::from(to_vec(model.loss(&waves, [5, 10, 8], &device)).unwrap()[0]);
    assert!((loss - expected).abs() < 1e-4 * expected, "{loss} {expected}");
}

#[test]
fn a_wave_is_learned_as_it_was_seen_under_its_symmetry() {
    let network = network(&config(&["network.dynamics_waves=3"]));
    let image = |board: &State, symmetry| {
        let mut image = [0.0; BOARD];
        Match3::encode(board, symmetry, &mut image, &mut [0.0]);
        image
    };
    let waves: Vec<_> = seen_waves(60).into_iter().enumerate().map(|(index, wave)| (wave, index % 48)).collect();
    let WaveBatch { before, after, points } = Encoder::<Match3>::new(network.view()).waves(&waves);
    for (index, (wave, symmetry)) in waves.iter().enumerate() {
        let part = index * BOARD..(index + 1) * BOARD;
        assert!(before[part.clone()] == image(&wave.before, *symmetry));
        assert!(after[part] == image(&wave.after, *symmetry));
        assert_eq!(points[index], 0.1 * wave.points);
    }
}

#[test]
fn what_is_predicted_does_not_depend_on_how_the_colours_are_permuted_if_they_share_weights() {
    const PERMUTATIONS: usize = Match3::SYMMETRIES / 2;
    let points = |overrides: &[&str], symmetry| {
        let network = network(&config(overrides));
        let (model, _) = network.dynamics().unwrap();
        to_vec(model.wave(boards(&network, symmetry)).points).unwrap()
    };
    let difference = |overrides: &[&str], symmetry| {
        let (plain, seen) = (points(overrides, 0), points(overrides, symmetry));
        plain.iter().zip(seen).map(|(plain, seen)| (plain - seen).abs()).max_by(f32::total_cmp).unwrap_or(0.0)
    };
    for symmetry in [1, 7, PERMUTATIONS - 1] {
        let shared = difference(&["network.dynamics_waves=3"], symmetry);
        assert!(shared < 1e-4, "symmetry {symmetry}: {shared}");
        assert!(difference(&["network.dynamics_waves=3", "network.share_colours=false"], symmetry) > 1e-3);
    }
}

#[test]
fn a_value_is_the_predicted_points_and_what_the_network_adds_for_the_board_that_is_left() {
    let network = network(&config(&["network.dynamics_waves=3"]));
    let device = device::select(None).unwrap().1;
    for (state, action) in moves(12) {
        let mut encoder = Encoder::<Match3>::new(network.view());
        let seen = encoder.afterstates(&[(state, action, 0)]);
        evaluate(&network, &device).outcome(seen.images, seen.priors).unwrap();
        let points = seen.priors[0];
        let (left, scalars) = tensors::<Match3>(&seen, &device);
        let added = to_vec(network.forward(left, scalars)).unwrap()[0];
        for output in [0.0, 1.0] {
            let mut evaluator = evaluator::<Match3>(&network, 64, &device);
            evaluator.output = output;
            let value = evaluator.values(&[state]).unwrap()[action];
            let expected = points + output * added;
            assert!((value - expected).abs() < 1e-5 * expected.abs().max(1.0), "{value} {expected}");
        }
    }
}

/// A memory of moves with a reward.
fn replay(config: &TrainConfig<Config>, reward: f32) -> Replay<State> {
    let mut replay = Replay::new(&config.learner.replay);
    let discount = config.learner.learning.discount as f32;
    for (state, action) in moves(40) {
        replay.push(Transition { state, next: state, action: action as u16, reward, discount });
    }
    replay
}

/// First moment of each parameter after one update, proportional to its gradient, and the losses.
fn gradients(overrides: &[&str], reward: f32) -> (Vec<Vec<f32>>, f32, Option<f32>) {
    let config = config(&[&["learning.max_gradient_norm=0"], overrides].concat());
    let (_, device) = device::select(None).unwrap();
    let mut learner = QLearner::<Match3>::new(&config, &Rules::default(), &device);
    let update = learner.update(&mut replay(&config, reward), &seen_waves(24), 1.0, 1.0).unwrap().read().unwrap();
    let saved = postcard::to_stdvec(&learner.save().unwrap()).unwrap();
    type Parts = (Arrays, Arrays, Vec<(u64, Vec<f32>, Vec<f32>)>);
    let ((_, _, moments), _) = postcard::take_from_bytes::<Parts>(&saved).unwrap();
    (moments.into_iter().map(|(_, first, _)| first).collect(), update.loss, update.wave_loss)
}

/// Parameters of the model: weight and bias of a first layer, four layers, their exchanges, four
/// heads.
const MODEL: usize = 2 * (1 + 4 + 4 + 4);

/// First moment of each parameter after one optimizer step by a loss.
fn moments_of(loss: &Tensor<1>, network: &QNetwork, config: &TrainConfig<Config>) -> Vec<Vec<f32>> {
    let mut adam = Optimizer::new(&config.learner.learning);
    let gradients = GradientsParams::from_grads(loss.backward(), network);
    let (network, _) = adam.step(0.0, network.clone(), gradients);
    let saved = postcard::to_stdvec(&adam.save(&network).unwrap()).unwrap();
    let moments: Vec<(u64, Vec<f32>, Vec<f32>)> = postcard::from_bytes(&saved).unwrap();
    moments.into_iter().map(|(_, first, _)| first).collect()
}

fn assert_near(found: &[Vec<f32>], expected: &[Vec<f32>]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(expected.iter().any(|number| *number != 0.0));
        let scale = expected.iter().map(|number| number.abs()).fold(0.0, f32::max);
        assert!(expected.iter().zip(found).all(|(a, b)| (a - b).abs() <= 1e-4 * scale), "{expected:?} {found:?}");
    }
}

/// The network before the first update, with gradients, and that update's transitions.
fn first_batch(config: &TrainConfig<Config>) -> (QNetwork, Vec<Transition<State>>) {
    let tracked = device::select(None).unwrap().1.autodiff();
    let stream = |role| Stream::new(config.run.seed, role, 0);
    let network = QNetwork::new::<Match3>(&config.model(), &mut stream(Role::Initialise), &tracked);
    let replay = replay(config, 1.0);
    let sample = replay.sample(24, 1.0, &mut stream(Role::Sample));
    (network, sample.slots.iter().map(|slot| *replay.get(*slot)).collect())
}

#[test]
fn values_are_learned_from_what_the_model_predicts_and_the_model_from_waves_alone() {
    for bootstrapping in [false, true] {
        let discount = format!("learning.discount={}", if bootstrapping { 0.5 } else { 0.0 });
        let overrides =
            ["network.dynamics_waves=3", "learning.loss=squared", "learning.max_gradient_norm=0", discount.as_str()];
        let (found, loss, wave_loss) = gradients(&overrides, 1.0);
        let values = found.len() - MODEL;

        // By hand, from predicted boards or from exact ones.
        let config = config(&overrides);
        let (network, batch) = first_batch(&config);
        let (_, device) = device::select(None).unwrap();
        let by_hand = |view: View| {
            let mut targets: Vec<f32> = batch.iter().map(|seen| seen.reward).collect();
            if bootstrapping {
                let states: Vec<State> = batch.iter().map(|seen| seen.next).collect();
                let mut evaluator = evaluator::<Match3>(&network, 64, &device);
                evaluator.see(view);
                let masks = evaluator.masks(&states);
                let next = evaluator.values(&states).unwrap().chunks(Match3::ACTIONS).zip(&masks);
                let best =
                    next.map(|(values, mask)| mask.iter().map(|action| values[action]).reduce(f32::max).unwrap());
                targets.iter_mut().zip(best).for_each(|(target, best)| *target += 0.5 * best);
            }
            let tracked = device.clone().autodiff();
            let column = |numbers: Vec<f32>| Tensor::<1>::from_data(TensorData::new(numbers, [24]), &tracked);
            let seen: Vec<_> = batch.iter().map(|seen| (seen.state, seen.action.into(), 0)).collect();
            let mut encoder = Encoder::<Match3>::new(view);
            let seen = encoder.afterstates(&seen);
            if view == network.view() {
                evaluate(&network, &device).outcome(seen.images, seen.priors).unwrap();
            }
            let (images, scalars) = tensors::<Match3>(&seen, &tracked);
            let values = network.forward(images, scalars).reshape([24]) + column(seen.priors.to_vec());
            (values - column(targets)).square().mean().mul_scalar(0.5)
        };
        let predicted = by_hand(network.view());
        let number = |loss: &Tensor<1>| to_vec(loss.clone().inner()).unwrap()[0];
        assert!((loss - number(&predicted)).abs() < 1e-5 * loss, "{loss} {}", number(&predicted));
        assert!((loss - number(&by_hand(network.view().exact()))).abs() > 1e-2 * loss);
        assert_near(&found[..values], &moments_of(&predicted, &network, &config)[..values]);

        // Without a dynamics model, none is learned.
        let (without, _, none) = gradients(&["learning.loss=squared", "learning.max_gradient_norm=0", &discount], 1.0);
        assert!(wave_loss.is_some_and(|loss| loss > 0.0) && none.is_none());
        assert_eq!(without.len(), values);

        let (other, other_loss, other_wave_loss) = gradients(&overrides, 2.0);
        assert!(other_loss != loss && other_wave_loss == wave_loss);
        assert!(other[values..] == found[values..] && other[..values] != found[..values]);
        assert!(found[values..].iter().all(|gradient| gradient.iter().any(|number| *number != 0.0)));
    }
}

#[test]
fn a_batch_in_shards_teaches_the_model_the_gradient_of_its_mean_loss() {
    let overrides = ["network.dynamics_waves=3", "learning.max_gradient_norm=0"];
    let (found, _, wave_loss) = gradients(&overrides, 1.0);
    let config = config(&overrides);
    let (network, _) = first_batch(&config);
    let (model, _) = network.dynamics().unwrap();
    let tracked = device::select(None).unwrap().1.autodiff();
    let waves: Vec<_> = seen_waves(24).into_iter().map(|wave| (wave, 0)).collect();
    let loss = model.loss(&Encoder::<Match3>::new(network.view()).waves(&waves), [5, 10, 8], &tracked);
    assert!((to_vec(loss.clone().inner()).unwrap()[0] - wave_loss.unwrap()).abs() < 1e-4);
    // The values' parameters do not contribute.
    let expected = moments_of(&loss, &network, &config);
    assert_eq!(expected.len(), found.len());
    let values = found.len() - MODEL;
    assert_near(&found[values..], &expected[values..]);
}

#[test]
fn a_model_learns_what_waves_leave() {
    let config = config(&[
        "network.dynamics_waves=3",
        "network.dynamics_layers=4",
        "learning.optimizer=muon",
        "learning.learning_rate=1e-2",
    ]);
    let (_, device) = device::select(None).unwrap();
    let mut learner = QLearner::<Match3>::new(&config, &Rules::default(), &device);
    let mut replay = replay(&config, 1.0);
    let mut losses: Vec<f32> = vec![];
    let (seen, mut stream) = (seen_waves(100), Stream::new(1, Role::Wave, 0));
    for _ in 0..150 {
        let waves: Vec<_> = (0..24).map(|_| seen[stream.below(seen.len() as u32) as usize]).collect();
        losses.extend(learner.update(&mut replay, &waves, 1.0, 0.0).unwrap().read().unwrap().wave_loss);
    }
    let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
    let (first, last) = (mean(&losses[..5]), mean(&losses[140..]));
    assert!(last < first / 3.0, "{first} to {last}");
}
