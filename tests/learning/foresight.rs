//! What the learned model of chains promises: it is applied wave by wave until nothing changes, learns from single waves, and
//! stands apart from what the values learn.

use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Tensor, TensorData};
use matchq::games::match3::{Rules, State};
use matchq::games::{Game, Match3};
use matchq::learners::TrainConfig;
use matchq::learners::dqn::Config;
use matchq::learners::dqn::QLearner;
use matchq::learners::dqn::optimizer::Optimizer;
use matchq::learners::dqn::replay::{Replay, Transition};
use matchq::network::{Encoded, Encoder, Evaluator, QNetwork, Waves, device, to_vec};
use matchq::random::{Draw, Role, Stream};
use matchq::store::Arrays;

use crate::configuration;

const BOARD: usize = 400;

fn config(overrides: &[&str]) -> TrainConfig<Config> {
    let common = ["network.afterstates=true", "learning.batch=24", "learning.symmetry=false"];
    configuration("network = { channels = 8, layers = 2, share_colours = true }", &[&common[..], overrides].concat())
}

fn network(config: &TrainConfig<Config>) -> QNetwork {
    let stream = &mut Stream::new(config.run.seed, Role::Initialise, 0);
    QNetwork::new::<Match3>(&config.model(), stream, &device::select(None).unwrap().1)
}

/// New games' positions, each with one of its matching moves.
fn moves(count: usize) -> Vec<(State, usize)> {
    let mut stream = Stream::new(8, Role::Game, 0);
    let games = std::iter::repeat_with(|| Match3::new(&Rules::default(), &mut stream));
    let matching = |(index, game): (usize, Match3)| {
        let moves = game.matching_moves();
        Some((game.state(), moves.get(index % moves.len().max(1))?.action()?))
    };
    games.enumerate().filter_map(matching).take(count).collect()
}

fn boards(network: &QNetwork, symmetry: usize) -> Tensor<4> {
    let seen: Vec<_> = moves(40).into_iter().map(|(state, action)| (state, action, symmetry)).collect();
    let Encoded { images, .. } =
        Encoder::<Match3>::new(network.view()).afterstates(&seen, &device::select(None).unwrap().1);
    images
}

/// Gives the biases, which begin as zeros, other numbers.
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
    // With 16 or 32 channels a CPU computes block by block.
    for (seed, channels) in [8, 16, 32, 8, 16].into_iter().enumerate() {
        let overrides = [
            format!("seed={seed}"),
            format!("network.channels={channels}"),
            format!("network.share_colours={}", seed < 3),
            "network.waves=4".to_owned(),
        ];
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let network = network(&config(&overrides)).map(&mut WithBiases);
        let (model, most) = network.foresight().unwrap();
        assert_eq!(most, 4);
        let images = boards(&network, 0);
        let together = [0, 1, 4, 9].map(|waves| (waves, model.chain(images.clone(), waves).unwrap()));
        for (index, board) in to_vec(images.clone()).unwrap().chunks(BOARD).enumerate() {
            for (waves, chain) in &together {
                let (mut board, mut points, mut count, mut certain) = (board.to_vec(), 0.0, 0, true);
                while count < *waves {
                    let seen = TensorData::new(board.clone(), [1, 5, 10, 8]);
                    let wave = model.wave(Tensor::from_data(seen, &images.device()));
                    points += to_vec(wave.points).unwrap()[0];
                    let odds = to_vec(wave.board).unwrap();
                    // Rounding may decide.
                    certain &= odds.iter().all(|odds| odds.abs() > 1e-5);
                    let next: Vec<f32> = odds.iter().map(|odds| if *odds > 0.0 { 1.0 } else { 0.0 }).collect();
                    count += 1;
                    if std::mem::replace(&mut board, next) == board {
                        break;
                    }
                }
                lengths.insert(count);
                if certain {
                    assert!(chain.boards[index * BOARD..][..BOARD] == board, "board {index} after {waves} waves");
                    assert!((chain.points[index] - points).abs() <= 1e-4 * points.abs().max(1.0));
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
fn the_loss_of_a_wave_is_the_cross_entropy_of_its_board_over_40_and_the_squared_error_of_its_points() {
    let network = network(&config(&["network.waves=4"]));
    let (model, _) = network.foresight().unwrap();
    let seen: Vec<_> = moves(10).into_iter().map(|(state, action)| (state, action, 0)).collect();
    let waves = || {
        let draws: Vec<u32> = (0..10).collect();
        Encoder::<Match3>::new(network.view()).waves(&seen, &draws, 4, &device::select(None).unwrap().1)
    };
    let Waves { before, after, points } = waves();
    let foreseen = model.wave(before);
    let probability = |odds: f32| 1.0 / (1.0 + (-f64::from(odds)).exp());
    let (odds, after) = (to_vec(foreseen.board).unwrap(), to_vec(after).unwrap());
    let entropy = odds.iter().zip(&after).map(|(odds, set)| {
        let probability = probability(*odds);
        -if *set == 1.0 { probability.ln() } else { (1.0 - probability).ln() }
    });
    let (found, points) = (to_vec(foreseen.points).unwrap(), to_vec(points).unwrap());
    let squares = found.iter().zip(&points).map(|(found, points)| f64::from(found - points).powi(2));
    let expected = (entropy.sum::<f64>() / 40.0 + squares.sum::<f64>()) / 10.0;
    let loss = f64::from(to_vec(model.loss(waves())).unwrap()[0]);
    assert!((loss - expected).abs() < 1e-4 * expected, "{loss} {expected}");
}

#[test]
fn every_wave_of_a_chain_and_the_board_at_rest_after_it_is_learned_by_its_draw() {
    let network = network(&config(&["network.waves=3"]));
    let mut lengths = [0; 5];
    for (state, action) in moves(60) {
        let (mut images, mut gained) = ([0.0; 4 * BOARD], [0.0; 3]);
        let count = Match3::encode_waves(&state, action, 0, &mut images, &mut gained);
        lengths[count] += 1;
        for draw in 0..8 {
            let encoder = Encoder::<Match3>::new(network.view());
            let device = device::select(None).unwrap().1;
            let Waves { before, after, points } = encoder.waves(&[(state, action, 0)], &[draw], 3, &device);
            // Of three waves each; of fewer those and the rest after them.
            let wave = draw as usize % (count + 1).min(3);
            assert!(to_vec(before).unwrap() == images[wave * BOARD..][..BOARD]);
            assert!(to_vec(after).unwrap() == images[(wave + 1).min(count) * BOARD..][..BOARD]);
            let expected = if wave < count { gained[wave] / 10.0 } else { 0.0 };
            assert!((to_vec(points).unwrap()[0] - expected).abs() < 1e-6);
        }
        // A move without a match costs 5 points.
        let resting = (0..Match3::ACTIONS)
            .find(|action| Match3::encode_waves(&state, *action, 0, &mut images, &mut gained) == 0)
            .unwrap();
        let encoder = Encoder::<Match3>::new(network.view());
        let Waves { before, after, points } =
            encoder.waves(&[(state, resting, 0)], &[1], 3, &device::select(None).unwrap().1);
        assert_eq!(to_vec(before).unwrap(), to_vec(after).unwrap());
        assert_eq!(to_vec(points).unwrap(), [-0.5]);
    }
    assert!(lengths[1..4].iter().all(|count| *count > 0), "{lengths:?}");
}

#[test]
fn what_is_foreseen_does_not_depend_on_how_the_colours_are_permuted_if_they_share_weights() {
    const PERMUTATIONS: usize = Match3::SYMMETRIES / 2;
    let points = |overrides: &[&str], symmetry| {
        let network = network(&config(overrides));
        let (model, _) = network.foresight().unwrap();
        to_vec(model.wave(boards(&network, symmetry)).points).unwrap()
    };
    let difference = |overrides: &[&str], symmetry| {
        let (plain, seen) = (points(overrides, 0), points(overrides, symmetry));
        plain.iter().zip(seen).map(|(plain, seen)| (plain - seen).abs()).fold(0.0, f32::max)
    };
    for symmetry in [1, 7, PERMUTATIONS - 1] {
        let shared = difference(&["network.waves=3"], symmetry);
        assert!(shared < 1e-4, "symmetry {symmetry}: {shared}");
        assert!(difference(&["network.waves=3", "network.share_colours=false"], symmetry) > 1e-3);
    }
}

#[test]
fn a_value_is_the_foreseen_points_and_what_the_network_adds_for_the_board_that_is_left() {
    let network = network(&config(&["network.waves=3"]));
    let (model, waves) = network.foresight().unwrap();
    let device = device::select(None).unwrap().1;
    for (state, action) in moves(12) {
        let Encoded { images, scalars, .. } =
            Encoder::<Match3>::new(network.view()).afterstates(&[(state, action, 0)], &device);
        let chain = model.chain(images, waves).unwrap();
        let left = Tensor::from_data(TensorData::new(chain.boards, [1, 5, 10, 8]), &device);
        let added = to_vec(network.forward(left, scalars)).unwrap()[0];
        for output in [0.0, 1.0] {
            let mut evaluator = Evaluator::<Match3>::new(&network, 64, &device).with_output(output);
            let value = evaluator.values(&[state]).unwrap()[action];
            let expected = chain.points[0] + output * added;
            assert!((value - expected).abs() < 1e-5 * expected.abs().max(1.0), "{value} {expected}");
        }
    }
}

/// A memory of moves that brought rewards.
fn replay(config: &TrainConfig<Config>, reward: f32) -> Replay<State> {
    let mut replay = Replay::new(&config.learner.replay);
    for (state, action) in moves(40) {
        replay.push(Transition { state, next: state, action: action as u16, reward, discount: 0.5 });
    }
    replay
}

/// The first moment of each parameter after one update, which is a share of its gradient, and the update's losses.
fn gradients(overrides: &[&str], reward: f32) -> (Vec<Vec<f32>>, f32, Option<f32>) {
    let config = config(&[&["learning.max_gradient_norm=0"], overrides].concat());
    let (_, device) = device::select(None).unwrap();
    let mut learner = QLearner::<Match3>::new(&config, &Rules::default(), &device);
    let update = learner.update(&mut replay(&config, reward), 1.0, 1.0).unwrap();
    let saved = postcard::to_stdvec(&learner.save().unwrap()).unwrap();
    type Parts = (Arrays, Arrays, Vec<(u64, Vec<f32>, Vec<f32>)>);
    let ((_, _, moments), _) = postcard::take_from_bytes::<Parts>(&saved).unwrap();
    (moments.into_iter().map(|(_, first, _)| first).collect(), update.loss, update.wave_loss)
}

#[test]
fn values_are_learned_from_what_the_rules_tell_and_the_model_from_waves_alone() {
    for bootstrapping in ["learning.bootstrap_from=1", "learning.bootstrap_from=0"] {
        let (foreseeing, loss, wave_loss) = gradients(&["network.waves=3", bootstrapping], 1.0);
        let (told, told_loss, none) = gradients(&["network.prior=chain", bootstrapping], 1.0);
        assert!(wave_loss.is_some_and(|loss| loss > 0.0) && none.is_none());
        assert_eq!(loss, told_loss, "{bootstrapping}");
        let values = told.len();
        assert!(foreseeing.len() > values && foreseeing[..values] == told, "{bootstrapping}");

        let (other, other_loss, other_wave_loss) = gradients(&["network.waves=3", bootstrapping], 2.0);
        assert!(other_loss != loss && other_wave_loss == wave_loss);
        assert!(other[values..] == foreseeing[values..] && other[..values] != foreseeing[..values]);
        assert!(foreseeing[values..].iter().all(|gradient| gradient.iter().any(|number| *number != 0.0)));
    }
}

#[test]
fn a_batch_in_shards_teaches_the_model_the_gradient_of_its_mean_loss() {
    let overrides = ["network.waves=3", "learning.max_gradient_norm=0"];
    let (found, _, wave_loss) = gradients(&overrides, 1.0);
    let config = config(&overrides);
    let tracked = device::select(None).unwrap().1.autodiff();
    let network =
        QNetwork::new::<Match3>(&config.model(), &mut Stream::new(config.run.seed, Role::Initialise, 0), &tracked);
    let replay = replay(&config, 1.0);
    let sample = replay.sample(24, 1.0, &mut Stream::new(config.run.seed, Role::Sample, 0));
    let mut stream = Stream::new(config.run.seed, Role::Wave, 0);
    let draws: Vec<u32> = (0..24).map(|_| stream.below(u32::MAX)).collect();
    let seen: Vec<_> =
        sample.slots.iter().map(|slot| *replay.get(*slot)).map(|t| (t.state, t.action.into(), 0)).collect();
    let (model, most) = network.foresight().unwrap();
    let loss = model.loss(Encoder::<Match3>::new(network.view()).waves(&seen, &draws, most, &tracked));
    assert!((to_vec(loss.clone().inner()).unwrap()[0] - wave_loss.unwrap()).abs() < 1e-4);
    let gradients = GradientsParams::from_grads(loss.backward(), &network);
    let mut adam = Optimizer::new(&config.learner.learning);
    let (_, _) = adam.step(0.0, network, gradients).unwrap();
    let expected = postcard::to_stdvec(&adam.save().unwrap()).unwrap();
    let expected: Vec<(u64, Vec<f32>, Vec<f32>)> = postcard::from_bytes(&expected).unwrap();
    // Weight and bias of a first layer, of four layers and their exchanges, and of four heads; those of the values have no
    // part in it.
    let model = 2 * (1 + 4 + 4 + 4);
    assert_eq!(expected.len(), found.len());
    for ((_, expected, _), found) in expected.iter().zip(&found).skip(found.len() - model) {
        assert!(expected.iter().any(|number| *number != 0.0));
        let scale = expected.iter().map(|number| number.abs()).fold(0.0, f32::max);
        assert!(expected.iter().zip(found).all(|(a, b)| (a - b).abs() <= 1e-4 * scale), "{expected:?} {found:?}");
    }
}

#[test]
fn a_model_learns_what_waves_leave() {
    let config = config(&[
        "network.waves=3",
        "network.wave_layers=4",
        "learning.optimizer=muon",
        "learning.learning_rate=1e-2",
        "learning.bootstrap_from=1",
    ]);
    let (_, device) = device::select(None).unwrap();
    let mut learner = QLearner::<Match3>::new(&config, &Rules::default(), &device);
    let mut replay = replay(&config, 1.0);
    let mut losses: Vec<f32> = vec![];
    for _ in 0..150 {
        losses.extend(learner.update(&mut replay, 1.0, 0.0).unwrap().wave_loss);
    }
    let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
    let (first, last) = (mean(&losses[..5]), mean(&losses[140..]));
    assert!(last < first / 3.0, "{first} to {last}");
}
