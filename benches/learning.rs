//! Costs of an update of the Q-network, whole and by part.
//!
//! The configuration is network.toml, a batch has 256 boards; rates are in boards. `cargo bench
//! --bench learning`.

mod timer;

use std::hint::black_box;

use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use matchq::games::match3::MATCHING;
use matchq::games::match3::{Match3, Rules, State};
use matchq::games::{Games, offered};
use matchq::learners::dqn::Config;
use matchq::learners::dqn::Expected;
use matchq::learners::dqn::n_step::NStep;
use matchq::learners::dqn::optimizer::Optimizer;
use matchq::learners::dqn::replay::{Replay, Transition};
use matchq::learners::dqn::simulated::Outcomes;
use matchq::learners::dqn::{Figures, QLearner};
use matchq::learners::{Dqn, Source, TrainConfig};
use matchq::network::{Encoder, QNetwork, device, evaluate, tensors};
use matchq::random::{Draw, Role, Stream};

use timer::Timer;

const BATCH: usize = 256;
const BOARDS: u64 = BATCH as u64;

const CONFIG: &str = include_str!("network.toml");

fn config(sets: &[&str]) -> TrainConfig<Config> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Source::parse(CONFIG, "benches/network.toml", &sets)
        .and_then(|source| source.resolve::<Match3, Dqn<Match3>>())
        .expect("a valid configuration")
        .0
}

/// A memory of random matching moves.
fn filled(config: &TrainConfig<Config>) -> Replay<State> {
    let mut games = Games::<Match3>::new(Rules::default(), 64, 1);
    let mut replay = Replay::new(&config.learner.replay);
    let mut one_step = NStep::<Match3>::new(1, 0.5);
    let mut stream = Stream::new(1, Role::Explore, 0);
    let mut outcomes = Vec::new();
    while replay.len() < config.learner.replay.capacity {
        let states: Vec<State> = games.states().collect();
        let actions: Vec<usize> = states
            .iter()
            .map(|state| {
                let mask = offered::<Match3>(state, MATCHING).0;
                mask.nth(stream.below(mask.count() as u32) as usize).expect("a mask is never empty")
            })
            .collect();
        games.step(&actions, &mut outcomes);
        for (index, outcome) in outcomes.iter().enumerate() {
            one_step.push(states[index], actions[index], outcome.reward * 0.1, outcome, |known| {
                replay.push(known);
            });
        }
    }
    replay
}

fn parts(timer: &Timer) {
    let (_, device) = device::select(None).expect("a device");
    sampling(timer);
    network(timer, &device);
    for (name, sets) in [
        ("whole: sampled transitions, discount 0.5", &["learning.discount=0.5", "learning.double=false"][..]),
        ("whole: sampled transitions, discount 0.5, double", &["learning.discount=0.5", "learning.double=true"]),
        ("whole: 16 simulated outcomes, discount 0", &["learning.discount=0.0", "learning.expected.outcomes=16"]),
        (
            "whole: 16 simulated outcomes, discount 0.5",
            &["learning.discount=0.5", "learning.expected.outcomes=16", "learning.double=false"],
        ),
    ] {
        let config = config(sets);
        let mut replay = filled(&config);
        let mut learner = QLearner::<Match3>::new(&config, &Rules::default(), &device);
        timer.time(name, BOARDS, || {
            learner.update(&mut replay, &[], 1.0, 0.0).and_then(Figures::read).expect("an update")
        });
    }
}

fn sampling(timer: &Timer) {
    for prioritised in [false, true] {
        let config = config(&[&format!("replay.prioritised={prioritised}")]);
        let replay = filled(&config);
        let mut stream = Stream::new(1, Role::Sample, 0);
        let mut encoder = Encoder::<Match3>::new(config.model().view::<Match3>());
        let kind = if prioritised { "by priority" } else { "uniformly" };
        timer.time(&format!("part: sample {kind} and encode"), BOARDS, || {
            let sample = replay.sample(BATCH, 0.5, &mut stream);
            let states: Vec<(State, usize)> =
                sample.slots.iter().map(|slot| (replay.get(*slot).state, slot % 48)).collect();
            encoder.positions(&states).images.len()
        });
    }
    let config = config(&[]);
    let replay = filled(&config);
    let mut stream = Stream::new(1, Role::Simulate, 0);
    let batch: Vec<Transition<State>> = (0..BATCH).map(|slot| *replay.get(slot)).collect();
    let outcomes = Outcomes::<Match3> {
        rules: Rules::default(),
        view: config.model().view::<Match3>(),
        expected: Expected { outcomes: 16, ..Expected::default() },
        scale: 0.1,
        discount: 0.5,
    };
    timer.time("part: simulate 16 outcomes of every matching move", BOARDS, || outcomes.simulate(&batch, &mut stream));
}

fn network(timer: &Timer, device: &Device) {
    let config = config(&[]);
    let replay = filled(&config);
    let states: Vec<(State, usize)> = (0..BATCH).map(|slot| (replay.get(slot).state, 0)).collect();
    let tracked = device.clone().autodiff();
    let mut encoder = Encoder::<Match3>::new(config.model().view::<Match3>());
    let online = QNetwork::new::<Match3>(&config.model(), &mut Stream::new(1, Role::Initialise, 0), &tracked);
    let mut plain = evaluate(&online, device);
    let seen = encoder.positions(&states);
    timer.time("part: forward (acting, target)", BOARDS, || {
        black_box(plain.outputs(seen.images, seen.scalars).expect("values"));
    });

    let (images, scalars) = tensors::<Match3>(&seen, &tracked);
    let loss = |network: &QNetwork| network.forward(images.clone(), scalars.clone()).square().mean();
    timer.time("part: forward and backward", BOARDS, || GradientsParams::from_grads(loss(&online).backward(), &online));

    let gradients = || {
        let loss: Tensor<1> = loss(&online);
        GradientsParams::from_grads(loss.backward(), &online)
    };
    let mut optimizer = Optimizer::new(&config.learner.learning);
    timer.time_after("part: clip and Adam", BOARDS, gradients, |gradients| {
        optimizer.step(1e-3, online.clone(), gradients)
    });
}

fn main() {
    let timer = Timer::from_arguments();
    // In the pool of threads, like a training.
    rayon::scope(|_| parts(&timer));
}
