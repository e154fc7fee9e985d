//! Clipping by the global norm, Adam's step, the learning rate's schedule and the target network, by hand.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use matchq::dqn::config::TrainConfig;
use matchq::dqn::learner::Learner;
use matchq::dqn::learning::{Learning, Schedule};
use matchq::dqn::optimizer::{ClippedAdam, SavedMoments};
use matchq::dqn::replay::{Replay, Transition};
use matchq::network::{PolicyConfig, QNetwork, device, to_vec};
use matchq::random::{Role, Stream};

use crate::probe_games::{Delayed, Position, Probe};

fn cpu() -> Device {
    device::select(None).unwrap().1
}

/// Two parameters, so that the norm of the whole gradient is none of either's.
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

    /// The gradient of `3 first + 4 second[0]`: its norm is 5.
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

/// Updates, first and second moments of each parameter, as they are written to a checkpoint.
fn moments(saved: &[SavedMoments]) -> Vec<(u64, Vec<f32>, Vec<f32>)> {
    postcard::from_bytes(&postcard::to_stdvec(saved).unwrap()).unwrap()
}

#[test]
fn the_gradient_is_clipped_by_the_norm_of_all_parameters_together() {
    for (limit, clipped) in [(1.0, [0.6, 0.8]), (2.5, [1.5, 2.0]), (5.5, [3.0, 4.0]), (0.0, [3.0, 4.0])] {
        let two = Two::new();
        let mut adam = ClippedAdam::new(1e-8, limit);
        let gradients = two.gradients();
        let (_, norm) = adam.step(0.1, two, gradients).unwrap();
        assert_near(&[norm], &[5.0]);
        // After one step the moments are a tenth of the gradient and a thousandth of its square.
        let moments = moments(&adam.save().unwrap());
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
    let (two, _) = ClippedAdam::new(1e-8, 0.0).step(0.25, two, gradients).unwrap();
    assert_near(&two.numbers(), &[0.75, 1.75, 5.0]);
}

#[test]
fn an_optimizer_taken_up_again_steps_as_the_one_that_was_saved() {
    let mut two = Two::new();
    let mut adam = ClippedAdam::new(1e-8, 1.0);
    for _ in 0..3 {
        let gradients = two.gradients();
        two = adam.step(0.1, two, gradients).unwrap().0;
    }
    let mut restored = ClippedAdam::new(1e-8, 1.0);
    restored.restore(adam.save().unwrap(), &two, &cpu()).unwrap();
    let next = |adam: &mut ClippedAdam| adam.step(0.1, two.clone(), two.gradients()).unwrap().0.numbers();
    assert_eq!(next(&mut restored), next(&mut adam));
    assert_eq!(restored.save().unwrap(), adam.save().unwrap());
    let fresh = next(&mut ClippedAdam::new(1e-8, 1.0));
    assert_ne!(next(&mut adam), fresh, "the moments matter here");
}

#[test]
fn the_optimizers_state_of_another_network_is_refused() {
    let two = Two::new();
    let mut adam = ClippedAdam::new(1e-8, 1.0);
    let gradients = two.gradients();
    let (two, _) = adam.step(0.1, two, gradients).unwrap();
    let short = adam.save().unwrap()[..1].to_vec();
    let error = ClippedAdam::new(1e-8, 1.0).restore(short, &two, &cpu()).unwrap_err();
    assert!(error.to_string().contains("another shape"), "{error}");
}

#[test]
fn the_learning_rate_goes_from_the_first_to_the_last_value_by_its_schedule() {
    for (schedule, expected) in [
        (Schedule::Constant, [0.9, 0.9, 0.9, 0.9]),
        (Schedule::Linear, [0.9, 0.7, 0.5, 0.1]),
        // Half a wave: (1 - cos(pi / 4)) / 2 = 0.146447 of the way after a quarter of the time.
        (Schedule::Cosine, [0.9, 0.9 - 0.8 * 0.146_447, 0.5, 0.1]),
    ] {
        let learning = Learning { learning_rate: 0.9, final_learning_rate: 0.1, schedule, ..Learning::default() };
        for (progress, expected) in [0.0, 0.25, 0.5, 1.0].into_iter().zip(expected) {
            let rate = learning.learning_rate_at(progress);
            assert!((rate - expected).abs() < 1e-6, "{schedule:?} at {progress}: {rate}");
        }
    }
}

/// All weights of the online and of the target network, as they are written to a checkpoint.
fn networks(learner: &Learner<Probe<Delayed>>, config: &PolicyConfig) -> [Vec<f32>; 2] {
    struct Numbers(Vec<f32>);
    impl ModuleVisitor for Numbers {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.0.extend(to_vec(param.val()).unwrap());
        }
    }
    let saved = postcard::to_stdvec(&learner.save().unwrap()).unwrap();
    let ((online, target), _) = postcard::take_from_bytes::<(Vec<u8>, Vec<u8>)>(&saved).unwrap();
    [online, target].map(|bytes| {
        let fresh = QNetwork::new::<Probe<Delayed>>(config, &mut Stream::new(9, Role::Initialise, 0), &cpu());
        let mut numbers = Numbers(Vec::new());
        fresh.with_bytes(&bytes).unwrap().visit(&mut numbers);
        numbers.0
    })
}

/// A learner after each of its first updates: the weights of both networks.
fn follow(overrides: &[&str], updates: usize) -> Vec<[Vec<f32>; 2]> {
    let text = "network = { channels = 4, layers = 2 }\nlearning = { batch = 4, learning_rate = 0.1 }";
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    let config = TrainConfig::parse(text, "the configuration", &overrides).unwrap();
    let mut learner = Learner::<Probe<Delayed>>::new(&config, &(), &cpu());
    let mut replay = Replay::new(&config.replay);
    let state = Position { at: 1, dealt: 0, chosen: 0 };
    replay.push(Transition { state, next: Position { at: 2, ..state }, action: 0, reward: 3.0, discount: 0.5 });
    let mut seen = vec![networks(&learner, &config.policy())];
    for _ in 0..updates {
        learner.update(&mut replay, 1.0, 0.0).unwrap();
        seen.push(networks(&learner, &config.policy()));
    }
    seen
}

#[test]
fn the_soft_target_moves_by_its_rate_towards_the_online_network_with_each_update() {
    let seen = follow(&["target.update=soft", "target.rate=0.25"], 3);
    assert_eq!(seen[0][0], seen[0][1], "both start the same");
    for pair in seen.windows(2) {
        let ([_, before], [online, after]) = (&pair[0], &pair[1]);
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
    for (update, copied) in [0, 0, 2, 2, 4].into_iter().enumerate() {
        assert_eq!(&seen[update][1], online(copied), "after update {update}");
    }
}
