//! Whole trainings on the probe games: learned values against exact ones.

use std::sync::atomic::AtomicBool;

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Device, Tensor};
use matchq::eval::play_series;
use matchq::games::Image;
use matchq::learners::dqn::replay::{Replay, Transition};
use matchq::learners::dqn::{Config, QLearner, Update};
use matchq::learners::{Dqn, Ending, Learner, Metrics, Run, RunFolder, TrainConfig, silent};
use matchq::network::{Encoder, QNetwork, device, evaluator, tensors, to_vec};
use matchq::players::{Measured, NetworkPlayer, Player};
use matchq::random::{Role, Stream};

use crate::configuration;
use crate::probe_games::{Constant, Delayed, Position, Probe, START, Script, Sides, Trap};

const CONFIG: &str = "
    seed = 3
    game = { mask = 'legal' }
    network = { channels = 8, layers = 2, share_colours = false, input = 'position', dynamics_waves = 0 }
    training = { steps = 6400, games = 8, warmup = 64 }
    exploration = { start = 1.0, end = 0.5, steps = 3200 }
    replay = { capacity = 1024 }
    target = { every = 20 }
    evaluation = { every = 6400, games = 2 }
    checkpoint = { every = 6400 }
    logging = { every = 6400 }
    [learning]
    batch = 32
    discount = 0.8
    reward_scale = 1.0
    relative = false
    symmetry = false
    loss = 'huber'
    optimizer = 'adam'
    learning_rate = 3e-3
";

/// Tolerance of a learned value.
const NEAR: f32 = 0.05;

fn config(overrides: &[&str]) -> TrainConfig<Config> {
    configuration(CONFIG, overrides)
}

fn cpu() -> Device {
    device::select(None).unwrap().1
}

type Training<S> = Run<Probe<S>, Dqn<Probe<S>>>;

/// A whole training.
fn train<S: Script>(overrides: &[&str]) -> Training<S> {
    let runs = temp_dir::TempDir::new().unwrap();
    let folder = RunFolder::create(runs.path(), Some("probe"), "", "").unwrap();
    let mut run = Run::start(config(overrides), (), &cpu(), |_| Ok(folder), silent).unwrap();
    assert_eq!(run.train(&AtomicBool::new(false)).unwrap(), Ending::Finished);
    run
}

fn player<S: Script>(training: &Training<S>) -> NetworkPlayer<Probe<S>> {
    NetworkPlayer::new(evaluator(training.learner.q_learner().network(), 16, &cpu()))
}

fn values<S: Script>(training: &Training<S>, position: Position) -> Vec<f32> {
    values_of(&training.learner, position)
}

fn values_of<S: Script>(learner: &Dqn<Probe<S>>, position: Position) -> Vec<f32> {
    let network = learner.q_learner().network();
    evaluator::<Probe<S>>(network, 1, &cpu()).values(&[position]).unwrap().to_vec()
}

fn assert_near(found: &[f32], expected: &[f32]) {
    let near = |(found, expected): (&f32, &f32)| (found - expected).abs() < NEAR;
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(near), "{found:?} is not {expected:?}");
}

/// Checks the action values of [`Delayed`] at discount 0.8, in both colours.
fn assert_knows_the_delayed_reward(training: &Training<Delayed>) {
    for dealt in 0..2 {
        let at = |at, chosen| values(training, Position { at, dealt, chosen, ..START });
        assert_near(&at(0, 0), &[0.64, 0.0]);
        assert_near(&at(1, 0), &[0.8, 0.8]);
        assert_near(&at(1, 1), &[0.0, 0.0]);
        assert_near(&at(2, 0), &[1.0, 1.0]);
        assert_near(&at(2, 1), &[0.0, 0.0]);
    }
    let played = play_series(&mut player(training), &(), 0, 10, |_| ()).unwrap();
    assert!(played.iter().all(|game| game.score == 1));
}

#[test]
fn a_constant_reward_becomes_the_value() {
    let training = train::<Constant>(&[]);
    assert_near(&values(&training, START), &[1.0]);
}

#[test]
fn a_reward_that_depends_on_the_action_is_learned_for_each_action() {
    for symmetry in ["learning.symmetry=false", "learning.symmetry=true"] {
        let training = train::<Sides>(&[symmetry]);
        assert_near(&values(&training, START), &[1.0, -1.0]);
        assert_near(&values(&training, Position { dealt: 1, ..START }), &[-1.0, 1.0]);
    }
}

#[test]
fn what_is_never_met_but_as_a_mirror_image_is_learned_under_random_symmetries() {
    let config = config(&["learning.symmetry=true"]);
    let mut learner = QLearner::<Probe<Sides>>::new(&config, &(), &cpu());
    let mut replay = Replay::new(&config.learner.replay);
    let met = START;
    for (action, reward) in [(0, 1.0), (1, -1.0)] {
        replay.push(Transition { state: met, next: met, action, reward, discount: 0.0 });
    }
    for _ in 0..400 {
        learner.update(&mut replay, &[], 1.0, 0.0).unwrap();
    }
    let mut evaluator = evaluator::<Probe<Sides>>(learner.network(), 2, &cpu());
    let values = evaluator.values(&[met, Position { dealt: 1, ..met }]).unwrap();
    assert_near(values, &[1.0, -1.0, -1.0, 1.0]);
}

#[test]
fn rewards_are_learned_on_the_scale_of_the_configuration() {
    let training = train::<Sides>(&["learning.reward_scale=0.5"]);
    assert_near(&values(&training, START), &[0.5, -0.5]);
    let simulated = train::<Sides>(&["learning.reward_scale=0.5", "learning.expected.outcomes=3"]);
    assert_near(&values(&simulated, Position { dealt: 1, ..START }), &[-0.5, 0.5]);
}

#[test]
fn a_reward_two_moves_later_comes_back_through_the_target_network_discounted() {
    assert_knows_the_delayed_reward(&train(&[]));
}

#[test]
fn the_delayed_reward_is_learned_from_simulated_outcomes() {
    assert_knows_the_delayed_reward(&train(&["learning.expected.outcomes=2"]));
}

/// The probe games' "certain" points are false; the right values show that each addition is also
/// subtracted.
#[test]
fn priors_and_what_follows_for_certain_do_not_change_what_is_learned() {
    let prior = ["network.input=plans", "network.channels=16"];
    assert_knows_the_delayed_reward(&train(&prior));
    assert_knows_the_delayed_reward(&train(&[&prior[..], &["learning.expected.outcomes=2"]].concat()));
}

#[test]
fn the_delayed_reward_is_learned_from_afterstates() {
    let simulated = ["learning.expected.outcomes=2"];
    assert_knows_the_delayed_reward(&train(&["network.input=afterstate", "learning.symmetry=true"]));
    assert_knows_the_delayed_reward(&train(&[&["network.input=afterstate"], &simulated[..]].concat()));
    assert_knows_the_delayed_reward(&train(
        &[&["network.input=plans", "network.channels=16"][..], &simulated].concat(),
    ));
    let some = ["network.input=plans", "network.channels=16", "learning.candidates=1", "learning.double=true"];
    assert_knows_the_delayed_reward(&train(&[&some[..], &simulated].concat()));
}

#[test]
fn the_delayed_reward_is_learned_with_the_values_of_next_moves() {
    let next = ["network.input=plans", "network.channels=16"];
    for more in [&["network.next_moves=1"][..], &["network.next_moves=2", "learning.expected.outcomes=2"]] {
        let training = train(&[&next[..], more].concat());
        assert_knows_the_delayed_reward(&training);
        // A single forward pass knows the values, too.
        let mut plain = evaluator::<Probe<Delayed>>(training.learner.q_learner().network(), 1, &cpu());
        plain.next_moves = 0;
        assert_near(plain.values(&[Position { dealt: 1, ..START }]).unwrap(), &[0.64, 0.0]);
    }
}

#[test]
fn the_loss_of_plans_is_of_the_target_networks_next_values_and_the_second_output() {
    let config = config(&[
        "network.input=plans",
        "network.next_moves=2",
        "learning.expected.outcomes=1",
        "learning.discount=0",
        "learning.loss=squared",
        "target.every=1000",
    ]);
    let state = Position { dealt: 1, ..START };
    let mut replay = Replay::new(&config.learner.replay);
    replay.push(Transition { state, next: state, action: 0, reward: 0.0, discount: 0.0 });
    let mut learner = QLearner::<Probe<Delayed>>::new(&config, &(), &cpu());
    let target = learner.network().clone();
    for _ in 0..30 {
        learner.update(&mut replay, &[], 1.0, 0.0).unwrap();
    }
    let online = learner.network().clone();
    let found = learner.update(&mut replay, &[], 1.0, 0.0).unwrap().read().unwrap().plan_loss.unwrap();

    // No move at the start has points, and the plan's value stops there.
    let loss = |target: &QNetwork| {
        let next = evaluator::<Probe<Delayed>>(target, 8, &cpu()).next_values(&[(state, 0), (state, 1)]).unwrap();
        let mut encoder = Encoder::<Probe<Delayed>>::new(online.view());
        let (images, scalars) =
            tensors::<Probe<Delayed>>(&encoder.afterstates(&[(state, 0, 0), (state, 1, 0)]), &cpu());
        let added = to_vec(online.valid().forward(images, scalars)).unwrap();
        next.iter().zip(added.chunks(2)).map(|(next, added)| (next + added[1]).powi(2) / 2.0).sum::<f32>() / 2.0
    };
    assert!((found - loss(&target)).abs() < 1e-5 * found, "{found} is not {}", loss(&target));
    assert!((found - loss(&online)).abs() > 0.01 * found, "the online network is another by now");

    let without = first_update::<Probe<Constant>>(START, &[]);
    assert_eq!(without.plan_loss, None);
}

#[test]
fn a_prior_is_taken_in_points_and_the_network_learns_on_its_own_scale() {
    let training = train::<Sides>(&["learning.reward_scale=0.5", "network.input=plans", "network.channels=16"]);
    assert_near(&values(&training, START), &[0.5, -0.5]);
    assert_near(&values(&training, Position { dealt: 1, ..START }), &[-0.5, 0.5]);
}

#[test]
fn the_delayed_reward_is_learned_with_every_switch_on() {
    assert_knows_the_delayed_reward(&train(&[
        "learning.double=true",
        "learning.n_step=2",
        "learning.symmetry=true",
        "network.dueling=true",
        "network.share_colours=true",
        "replay.prioritised=true",
        "target.update=soft",
        "target.rate=0.05",
    ]));
}

#[test]
fn the_target_network_never_copied_keeps_the_delayed_reward_one_move_away() {
    let frozen = ["target.every=1000000"];
    let fresh = Dqn::<Probe<Delayed>>::new(&config(&frozen), &(), &cpu()).unwrap();
    let training = train::<Delayed>(&frozen);
    for dealt in 0..2 {
        let last = Position { at: 2, dealt, ..START };
        assert_near(&values(&training, last), &[1.0, 1.0]);
        let untrained = values_of(&fresh, last).into_iter().reduce(f32::max).unwrap();
        assert_near(&values(&training, Position { at: 1, ..last }), &[0.8 * untrained; 2]);
    }
}

#[test]
fn three_steps_bring_the_delayed_reward_without_the_target_network() {
    assert_knows_the_delayed_reward(&train(&["learning.n_step=3", "target.every=1000000"]));
}

#[test]
fn with_discount_0_values_are_rewards_alone() {
    let training = train::<Delayed>(&["learning.discount=0"]);
    for (at, value) in [(0, 0.0), (1, 0.0), (2, 1.0)] {
        assert_near(&values(&training, Position { at, ..START }), &[value; 2]);
    }
}

#[test]
fn relative_values_count_what_comes_next_from_its_mean_where_as_many_moves_are_left() {
    for simulated in [&[][..], &["learning.expected.outcomes=3"]] {
        let training = train::<Delayed>(&[&["learning.relative=true", "learning.batch=128"], simulated].concat());
        let values = |at, chosen| values(&training, Position { at, chosen, ..START });
        // The last move has only its reward. The second adds 0.8 after the right first move, 0
        // after the wrong one, minus the mean: 0.8 times the share of right ones, which depends on
        // exploration.
        assert_near(&values(2, 0), &[1.0; 2]);
        assert_near(&values(2, 1), &[0.0; 2]);
        let share = values(1, 1)[0] / -0.8;
        assert!((0.2..0.95).contains(&share), "{share}");
        assert_near(&values(1, 0), &[0.8 * (1.0 - share); 2]);
        // The first move adds 0.8 of the second's value, whose mean is 0 as played. With both first
        // moves simulated, half of the difference of 0.64 is above the mean, half below.
        let mean = if simulated.is_empty() { 0.0 } else { 0.32 - 0.64 * share };
        assert_near(&values(0, 0), &[0.64 * (1.0 - share) - mean, 0.64 * -share - mean]);
    }
}

/// The first update from one position.
fn first_update<G: Image<Rules: Default> + Measured>(state: G::State, overrides: &[&str]) -> Update {
    let config =
        config(&[&["learning.batch=4", "learning.expected.outcomes=1", "learning.loss=squared"], overrides].concat());
    let mut replay = Replay::new(&config.learner.replay);
    replay.push(Transition { state, next: state, action: 0, reward: 0.0, discount: 0.0 });
    QLearner::<G>::new(&config, &G::Rules::default(), &cpu())
        .update(&mut replay, &[], 1.0, 0.0)
        .unwrap()
        .read()
        .unwrap()
}

/// Sets one number of a parameter to NaN.
struct Spoil {
    /// Parameters before that one.
    before: usize,
    seen: usize,
}

impl ModuleMapper for Spoil {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        self.seen += 1;
        match self.seen - 1 == self.before {
            // The middle of a kernel is always on the board.
            true => param.map(|tensor| {
                let number = tensor.dims().map(|size| if size == 3 { 1..2 } else { 0..1 });
                tensor.slice_fill(number, f32::NAN)
            }),
            false => param,
        }
    }
}

#[test]
fn a_training_with_a_weight_that_is_no_number_has_diverged() {
    let fresh = || Dqn::<Probe<Delayed>>::new(&config(&[]), &(), &cpu()).unwrap();
    let mut count = Spoil { before: usize::MAX, seen: 0 };
    fresh().q_learner().network().clone().map(&mut count);
    let count = count.seen;
    assert_eq!(count, 10, "weight and bias of stem, body, summary, hidden and advantage");
    for before in 0..count {
        let learner = fresh();
        let network = learner.q_learner().network().clone();
        let arrays = |network: &QNetwork| postcard::to_stdvec(&network.arrays().unwrap()).unwrap();
        let (whole, spoilt) = (arrays(&network), arrays(&network.clone().map(&mut Spoil { before, seen: 0 })));
        // The online network is saved before the target network.
        let mut saved = postcard::to_stdvec(&learner.save().unwrap()).unwrap();
        let place = saved.windows(whole.len()).position(|bytes| bytes == whole).unwrap();
        saved.splice(place..place + whole.len(), spoilt);
        let saved = postcard::from_bytes(&saved).unwrap();
        let mut learner = Dqn::<Probe<Delayed>>::resume(&config(&[]), &(), &cpu(), saved).unwrap();

        let rounds = std::iter::repeat_with(|| learner.round(&mut Metrics::default()));
        let error = rounds.take(100).find_map(Result::err).expect("it goes on and on").to_string();
        assert!(error.starts_with("at step 64 ") && error.contains("has diverged"), "parameter {before}: {error}");
    }
}

#[test]
fn a_masked_out_action_enters_neither_the_target_nor_acting() {
    for double in ["learning.double=false", "learning.double=true"] {
        // The game panics on a masked-out action.
        let training = train::<Trap>(&[double]);
        let (start, locked) = (START, Position { at: 1, ..START });
        let open = Position { chosen: 1, ..locked };
        let mut ties = [0, 1, 2].map(|index| Stream::new(0, Role::Tie, index));
        assert_near(&values(&training, locked), &[1.0, 4.0]);
        assert_near(&values(&training, start), &[0.8, 3.2]);
        assert_eq!(player(&training).act(&[start, locked, open], &mut ties).unwrap(), [1, 0, 1]);
    }
}
