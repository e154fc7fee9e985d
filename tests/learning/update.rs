//! Single updates and rounds against their parts, by hand.

use burn::tensor::{Device, Tensor, TensorData};
use matchq::games::{Game, MaskKind};
use matchq::learners::dqn::loss::Loss;
use matchq::learners::dqn::replay::{Replay, Sample, Transition};
use matchq::learners::dqn::{Config, QLearner};
use matchq::learners::{Dqn, Learner, Metrics, TrainConfig};
use matchq::network::{QNetwork, device, evaluator, to_vec};
use matchq::players::argmax;
use matchq::random::{Draw, Role, Stream};

use crate::configuration;
use crate::probe_games::{Delayed, Position, Probe, START, Script, Trap};

const CONFIG: &str = "
    seed = 5
    game = { mask = 'legal' }
    network = { channels = 8, layers = 2, share_colours = false, input = 'position', dynamics_waves = 0 }
    training = { games = 64, warmup = 0 }
    exploration = { start = 0.0, end = 0.0 }
    replay = { capacity = 256, priority_exponent = 0.7 }
    target = { every = 1000000 }
    [learning]
    batch = 32
    discount = 0.5
    reward_scale = 1.0
    relative = false
    symmetry = false
    optimizer = 'adam'
    learning_rate = 3e-2
";

fn config(overrides: &[&str]) -> TrainConfig<Config> {
    configuration(CONFIG, overrides)
}

fn cpu() -> Device {
    device::select(None).unwrap().1
}

/// A learner after some updates, whose networks therefore differ, and its memory.
struct Learning {
    learner: QLearner<Probe<Delayed>>,
    replay: Replay<Position>,
    batch: usize,
    sampling: Stream,
}

/// Exponent of the importance weights.
const IMPORTANCE: f64 = 0.5;

impl Learning {
    fn new(overrides: &[&str]) -> Self {
        let config = config(overrides);
        let learner = QLearner::new(&config, &(), &cpu());
        let mut replay = Replay::new(&config.learner.replay);
        let mut stream = Stream::new(1, Role::Game, 0);
        let mut any = |at| Position { at, dealt: stream.below(2) as usize, chosen: stream.below(2) as usize, ..START };
        for number in 0..64_u16 {
            let (state, next) = (any(usize::from(number % 3)), any(usize::from(number % 2) + 1));
            let reward = f32::from(number % 7) - 3.0;
            replay.push(Transition { state, next, action: number % 2, reward, discount: f32::from(number % 5) * 0.2 });
        }
        let sampling = Stream::new(config.run.seed, Role::Sample, 0);
        let mut learning = Self { learner, replay, batch: config.learner.learning.batch, sampling };
        for _ in 0..20 {
            learning.update();
        }
        learning
    }

    /// Loss and sample of an update, and the state before it.
    fn update(&mut self) -> (f32, Sample, Before) {
        let sample = self.replay.sample(self.batch, IMPORTANCE, &mut self.sampling);
        let before = Before {
            replay: self.replay.clone(),
            online: self.learner.network().clone(),
            target: self.learner.target().clone(),
        };
        let loss = self.learner.update(&mut self.replay, &[], IMPORTANCE, 0.0).unwrap().read().unwrap().loss;
        (loss, sample, before)
    }
}

struct Before {
    replay: Replay<Position>,
    online: QNetwork,
    target: QNetwork,
}

impl Before {
    fn values(network: &QNetwork, state: Position) -> [f32; 2] {
        let mut evaluator = evaluator::<Probe<Delayed>>(network, 1, &cpu());
        evaluator.values(&[state]).unwrap().try_into().unwrap()
    }

    /// Error of each sampled transition, by the target network's best action or the online one's.
    fn errors(&self, slots: &[usize], double: bool) -> Vec<f32> {
        let error = |slot: &usize| {
            let Transition { state, next, action, reward, discount } = *self.replay.get(*slot);
            let chooser = if double { &self.online } else { &self.target };
            let best = argmax(&Self::values(chooser, next), &Probe::<Delayed>::mask(&next, MaskKind::LEGAL));
            let target = reward + discount * Self::values(&self.target, next)[best];
            Self::values(&self.online, state)[usize::from(action)] - target
        };
        slots.iter().map(error).collect()
    }
}

fn mean(numbers: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = numbers.len();
    numbers.sum::<f32>() / count as f32
}

fn squared(errors: &[f32]) -> f32 {
    mean(errors.iter().map(|error| error * error / 2.0))
}

fn assert_is(found: f32, expected: f32) {
    assert!((found - expected).abs() < 1e-4 * expected.abs(), "{found} is not {expected}");
}

fn assert_differs(found: f32, other: f32) {
    assert!((found - other).abs() > 1e-3 * other.abs(), "{found} is {other}");
}

#[test]
fn the_loss_is_of_the_target_networks_highest_value_or_of_its_value_of_the_online_networks_action() {
    for double in [false, true] {
        let mut learning = Learning::new(&[&format!("learning.double={double}")]);
        let (found, sample, before) = learning.update();
        assert_is(found, squared(&before.errors(&sample.slots, double)));
        assert_differs(found, squared(&before.errors(&sample.slots, !double)));
    }
}

#[test]
fn the_metrics_are_the_mean_value_and_the_mean_size_of_the_error() {
    let mut learning = Learning::new(&[]);
    let sample = learning.replay.sample(learning.batch, IMPORTANCE, &mut learning.sampling.clone());
    let before = Before {
        replay: learning.replay.clone(),
        online: learning.learner.network().clone(),
        target: learning.learner.target().clone(),
    };
    let update = learning.learner.update(&mut learning.replay, &[], IMPORTANCE, 0.0).unwrap().read().unwrap();
    let errors = before.errors(&sample.slots, false);
    assert!(errors.iter().any(|error| *error > 0.0) && errors.iter().any(|error| *error < 0.0));
    assert_is(update.error, mean(errors.iter().map(|error| error.abs())));
    let value = |slot: &usize| {
        let Transition { state, action, .. } = *before.replay.get(*slot);
        Before::values(&before.online, state)[usize::from(action)]
    };
    assert_is(update.value, mean(sample.slots.iter().map(value)));
}

#[test]
fn prioritised_transitions_count_by_their_importance_and_their_errors_become_priorities() {
    let mut learning = Learning::new(&["replay.prioritised=true"]);
    for _ in 0..5 {
        let (found, sample, before) = learning.update();
        let errors = before.errors(&sample.slots, false);
        let weighed = errors.iter().zip(&sample.weights).map(|(error, weight)| weight * error * error / 2.0);
        assert_is(found, mean(weighed));
        assert_differs(found, squared(&errors));

        // Priorities follow the errors of this update.
        let mut told = before.replay.clone();
        told.set_errors(&sample.slots, &errors);
        let draw = |replay: &Replay<Position>| replay.sample(256, 1.0, &mut Stream::new(7, Role::Sample, 0)).weights;
        let apart = |other: &Replay<Position>| {
            let pairs = draw(&learning.replay);
            pairs
                .iter()
                .zip(draw(other))
                .map(|(found, other)| (found - other).abs())
                .max_by(f32::total_cmp)
                .unwrap_or(0.0)
        };
        assert!(apart(&told) < 1e-3, "{}", apart(&told));
        assert!(apart(&before.replay) > 1e-2, "{}", apart(&before.replay));
    }
}

#[test]
fn the_huber_loss_is_half_the_square_up_to_1_and_grows_linearly_beyond() {
    let errors = || Tensor::<1>::from_data(TensorData::from([0.5_f32, -1.0, 3.0, -4.0]), &cpu());
    let loss = |loss: Loss| to_vec(loss.of(errors())).unwrap();
    assert_eq!(loss(Loss::Huber), [0.125, 0.5, 2.5, 3.5]);
    assert_eq!(loss(Loss::Squared), [0.125, 0.5, 4.5, 8.0]);
}

#[test]
fn an_update_takes_the_loss_that_is_configured() {
    let mut learning = Learning::new(&["learning.loss=huber"]);
    let (found, sample, before) = learning.update();
    let errors = before.errors(&sample.slots, false);
    let huber = |error: &f32| match error.abs() {
        size if size <= 1.0 => size * size / 2.0,
        size => size - 0.5,
    };
    assert_is(found, mean(errors.iter().map(huber)));
    assert_differs(found, squared(&errors));
}

/// A learner after `count` rounds, and its metrics.
fn rounds<S: Script>(overrides: &[&str], count: usize) -> (Dqn<Probe<S>>, Metrics) {
    let mut learner = Dqn::new(&config(overrides), &(), &cpu()).unwrap();
    let mut metrics = Metrics::default();
    (0..count).for_each(|_| learner.round(&mut metrics).unwrap());
    learner.report(&mut metrics).unwrap();
    (learner, metrics)
}

#[test]
fn moves_of_the_warm_up_are_random_whatever_the_schedule_of_exploration_says() {
    // A random game of the trap has 1, 1, 1 or 4 points; one network's games all have equal points.
    let (_, metrics) = rounds::<Trap>(&["training.warmup=1280", "training.updates=0"], 20);
    let score = metrics.get("score").unwrap();
    assert!((1.4..2.1).contains(&score), "{score}");
    assert_eq!(metrics.get("games"), Some(640.0));
    let (_, metrics) = rounds::<Trap>(&["training.warmup=0", "training.updates=0"], 20);
    assert!([1.0, 4.0].contains(&metrics.get("score").unwrap()), "{:?}", metrics.get("score"));
}

#[test]
fn nothing_is_learned_before_the_warm_up_is_over() {
    let (learner, metrics) = rounds::<Delayed>(&["training.warmup=192"], 2);
    assert_eq!((learner.q_learner().updates(), metrics.get("loss")), (0, None));
    let (learner, _) = rounds::<Delayed>(&["training.warmup=192"], 3);
    assert_eq!(learner.q_learner().updates(), 1);
}

#[test]
fn a_round_learns_at_the_rate_of_the_share_of_the_training_that_is_done() {
    let value = |steps: &str, count| {
        let sets = ["learning.final_learning_rate=0", "exploration.end=1", steps];
        let (learner, metrics) = rounds::<Delayed>(&sets, count);
        (Before::values(learner.q_learner().network(), START), metrics.get("learning_rate").unwrap())
    };
    let (fresh, _) = value("training.updates=0", 1);
    assert_eq!(value("training.steps=64", 1), (fresh, 0.0));
    let (after, rate) = value("training.steps=256", 1);
    assert!(after != fresh && (rate - 0.75 * 3e-2).abs() < 1e-9, "{rate}");
}

#[test]
fn importance_rises_to_1_at_the_end_of_the_training() {
    let loss = |sets: [&str; 2]| {
        let common =
            ["replay.prioritised=true", "training.updates=8", "learning.final_learning_rate=3e-2", "exploration.end=1"];
        rounds::<Delayed>(&[&common[..], &sets].concat(), 3).1.get("loss").unwrap() as f32
    };
    let last = loss(["training.steps=64", "replay.importance_exponent=0"]);
    assert_is(last, loss(["training.steps=64", "replay.importance_exponent=1"]));
    assert_differs(last, loss(["training.steps=1000000", "replay.importance_exponent=0"]));
}
