//! The learner: sweeps of regression over the same positions.

use matchq_core::pool;
use serde::{Deserialize, Serialize};

use super::super::{Learner, Metrics, TrainConfig};
use super::config::Config;
use super::regression::least_squares;
use super::sampling::{Sampled, sample};
use crate::error::{Error, Result};
use crate::games::MaskKind;
use crate::network::device::Device;
use crate::players::{AgentFile, LinearValue, Player, PolicyPlayer, Roster, ValueModel};

/// Weight above which values grow without bound.
const UNBOUNDED: f64 = 1e9;

/// Fitted value iteration (Gordon 1995, "Stable function approximation in dynamic programming").
///
/// The value of a position is linear in its features, `V(s) = weights . (1, features)`. A sweep
/// computes for each of many positions
///
/// ```text
/// y = max over actions of (R + discount * mean over outcomes of V(outcome))
/// ```
///
/// with the last weights and `R` the action's mean points over its outcomes, and fits new weights
/// to all y. Positions and outcomes are drawn once.
pub struct Fitted<G: Roster> {
    config: TrainConfig<Config>,
    rules: G::Rules,
    mask: MaskKind,
    sampled: Vec<Sampled>,
    moving: Moving,
}

/// Everything that changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moving {
    sweeps: u64,
    weights: Vec<f64>,
    /// Largest change of a weight in the last sweep.
    change: Option<f64>,
}

impl<G: Roster> Learner<G> for Fitted<G> {
    const NAME: &'static str = "fitted";
    const COUNTERS: &'static [&'static str] = &[];
    const SHOWN: &'static [&'static str] = &["residual", "change"];

    type Config = Config;
    type Saved = Moving;

    fn columns() -> Vec<&'static str> {
        [&["residual", "change", "target", "constant"], G::NAMES].concat()
    }

    fn new(config: &TrainConfig<Config>, rules: &G::Rules, _device: &Device) -> Result<Self> {
        let (positions, weights) = (config.learner.sampling.positions, G::NAMES.len() + 1);
        if positions < weights {
            return Err(Error::user(format!(
                "sampling.positions = {positions}: it must be at least {weights}, one more than {} has features",
                G::NAME
            )));
        }
        let mask = MaskKind::of::<G>(&config.run.game.mask)?;
        let sampled = sample::<G>(rules, mask, &config.learner.sampling, config.run.seed);
        check_features::<G>(&sampled)?;
        let moving = Moving { sweeps: 0, weights: vec![0.0; weights], change: None };
        Ok(Self { config: config.clone(), rules: rules.clone(), mask, sampled, moving })
    }

    fn step(&self) -> u64 {
        self.moving.sweeps
    }

    fn is_at_rest(&self) -> bool {
        self.moving.change.is_some_and(|change| change <= self.config.learner.learning.tolerance)
    }

    fn round(&mut self, metrics: &mut Metrics) -> Result<()> {
        let Config { learning, .. } = &self.config.learner;
        let value = LinearValue::new(self.moving.weights.clone(), learning.best_of);
        let targets: Vec<f64> =
            pool::map(self.sampled.len(), 1, |index| self.sampled[index].backup(&value, learning.discount));
        let features = |index: usize| std::iter::once(1.0).chain(self.sampled[index].features(&value)).collect();
        let rows: Vec<Vec<f64>> = pool::map(self.sampled.len(), 1, features);
        let weights = least_squares(&rows.concat(), &targets, learning.ridge);
        let sweep = self.moving.sweeps + 1;
        let weights = weights.ok_or_else(|| {
            Error::runtime(format!(
                "in sweep {sweep} the positions do not determine the weights: more sampling.positions or a larger \
                 learning.ridge helps"
            ))
        })?;
        if !weights.iter().all(|weight| weight.abs() < UNBOUNDED) {
            return Err(Error::runtime(format!(
                "in sweep {sweep} a weight is beyond {UNBOUNDED:e}: values grow without bound, and a smaller \
                 learning.discount helps, or fewer training.sweeps"
            )));
        }

        let apart = |(row, target): (&Vec<f64>, &f64)| dot(row, &weights) - target;
        let squares: f64 = rows.iter().zip(&targets).map(apart).map(|apart| apart * apart).sum();
        let moved = weights.iter().zip(&self.moving.weights).map(|(new, old)| (new - old).abs());
        let change = moved.fold(0.0, f64::max);
        metrics.set("residual", (squares / targets.len() as f64).sqrt());
        metrics.set("change", change);
        metrics.set("target", targets.iter().sum::<f64>() / targets.len() as f64);
        for (name, weight) in std::iter::once(&"constant").chain(G::NAMES).zip(&weights) {
            metrics.set(name, *weight);
        }
        self.moving = Moving { sweeps: sweep, weights, change: Some(change) };
        Ok(())
    }

    fn player(&self) -> impl Player<G> {
        PolicyPlayer::new("value", self.model().player::<G>(&self.rules, 1))
    }

    fn agent(&self) -> Result<AgentFile> {
        self.model().to_file::<G>(&self.rules)
    }

    fn save(&self) -> Result<impl Serialize> {
        Ok(&self.moving)
    }

    fn resume(config: &TrainConfig<Config>, rules: &G::Rules, device: &Device, saved: Moving) -> Result<Self> {
        let new = Self::new(config, rules, device)?;
        match saved.weights.len() == new.moving.weights.len() {
            true => Ok(Self { moving: saved, ..new }),
            false => Err(Error::user("its weights do not fit the game's features")),
        }
    }
}

impl<G: Roster> Fitted<G> {
    fn model(&self) -> ValueModel {
        let Config { learning, playing, .. } = &self.config.learner;
        // Single precision, as in the agent's file.
        let single = |weight: &f64| f64::from(*weight as f32);
        ValueModel {
            value: LinearValue::new(self.moving.weights.iter().map(single).collect(), learning.best_of),
            mask: self.mask,
            discount: learning.discount,
            outcomes: playing.outcomes,
            rewards: playing.rewards,
        }
    }
}

/// Checks that each feature differs between positions.
fn check_features<G: Roster>(sampled: &[Sampled]) -> Result<()> {
    let value = LinearValue::new(vec![0.0; G::NAMES.len() + 1], 1);
    let rows: Vec<Vec<f64>> = sampled.iter().map(|sampled| sampled.features(&value)).collect();
    for (index, name) in G::NAMES.iter().enumerate() {
        let first = rows[0][index];
        if rows.iter().all(|row| row[index] == first) {
            return Err(Error::user(format!(
                "the feature \"{name}\" is {first} in all {} positions, so that its weight means nothing: more \
                 sampling.positions help, if it is not the same everywhere",
                rows.len()
            )));
        }
    }
    Ok(())
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::games::match3::{MATCHING, Match3, Rules, State};
    use crate::games::{Game, StateFeatures as _, offered};
    use crate::network::device;
    use crate::random::{ColumnStreams, Role, Stream};
    use crate::report::run_view::RunView;
    use crate::{Ending, Run, RunFolder, Source, silent};

    const CONFIG: &str = "
        learner = 'fitted'
        seed = 4
        training = { sweeps = 12 }
        sampling = { positions = 40, outcomes = 3 }
        learning = { discount = 0.8, tolerance = 0.0 }
        playing = { outcomes = 2 }
        evaluation = { every = 6, games = 2 }
        checkpoint = { every = 5 }
        logging = { every = 1 }
    ";

    fn config(sets: &[&str]) -> TrainConfig<Config> {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let source = Source::parse(CONFIG, "it", &sets).unwrap();
        source.resolve::<Match3, Fitted<Match3>>().unwrap().0
    }

    fn device() -> Device {
        device::select(None).unwrap().1
    }

    fn fresh(sets: &[&str]) -> Fitted<Match3> {
        Fitted::new(&config(sets), &Rules::default(), &device()).unwrap()
    }

    fn after(sweeps: u64, sets: &[&str]) -> Fitted<Match3> {
        let mut learner = fresh(sets);
        (0..sweeps).for_each(|_| learner.round(&mut Metrics::default()).unwrap());
        learner
    }

    #[test]
    fn a_sweep_fits_the_best_that_an_action_and_the_values_so_far_promise() {
        let mut learner = after(1, &[]);
        let before = learner.moving.weights.clone();
        learner.round(&mut Metrics::default()).unwrap();

        let value = |weights: &[f64], state: &State| {
            let features = Match3::features(state);
            weights[0] + features.iter().zip(&weights[1..]).map(|(feature, weight)| feature * weight).sum::<f64>()
        };
        let states = Match3::positions(&Rules::default(), 40, &mut Stream::new(4, Role::Sample, 0));
        let mut sums = [[0.0; 2]; 3];
        for (index, state) in states.iter().enumerate() {
            let action_value = |action| {
                let outcomes = (0..3).map(|outcome| {
                    let mut game = Match3::at(&Rules::default(), state);
                    let luck = index as u64 * 3 + outcome;
                    let step = game.step(action, &mut ColumnStreams::new(4, Role::Simulate, luck));
                    let next = if step.terminal { 0.0 } else { value(&before, &game.state()) };
                    f64::from(step.reward) + 0.8 * next
                });
                outcomes.sum::<f64>() / 3.0
            };
            let actions = offered::<Match3>(state, MATCHING).0;
            let target = actions.iter().map(action_value).fold(f64::NEG_INFINITY, f64::max);
            // The residuals of the best fit are orthogonal to every feature, except for the ridge.
            let left = target - value(&learner.moving.weights, state);
            let features = Match3::features(state);
            for (sums, number) in sums.iter_mut().zip([1.0, features[0], features[1]]) {
                sums[0] += left * number;
                sums[1] += (left * number).abs();
            }
        }
        assert!(sums.iter().all(|[sum, all]| *all > 1.0 && sum.abs() < 1e-4 * all), "{sums:?}");
    }

    #[test]
    fn a_training_ends_once_its_weights_rest() {
        let runs = temp_dir::TempDir::new().unwrap();
        let config = config(&["learning.tolerance=1e9"]);
        let folder = |config: &str| RunFolder::create(runs.path(), Some("it"), "", config);
        let mut run =
            Run::<Match3, Fitted<Match3>>::start(config, Rules::default(), &device(), folder, silent).unwrap();
        let shown = || RunView::open(&runs.path().join("it")).unwrap();
        assert!(!shown().is_done());
        assert_eq!(run.train(&AtomicBool::new(false)).unwrap(), Ending::Finished);
        assert_eq!(run.step(), 1);
        // Others see it, though steps are left.
        assert!(shown().steps().0 > 1 && shown().is_done());
    }

    #[test]
    fn an_evaluation_cuts_games_that_are_longer_than_configured() {
        let runs = temp_dir::TempDir::new().unwrap();
        for (moves, cut) in [(3, "2"), (25, "0"), (0, "0")] {
            let config = config(&["training.sweeps=1", &format!("evaluation.moves={moves}")]);
            let folder = |config: &str| RunFolder::create(runs.path(), Some(&format!("it{moves}")), "", config);
            Run::<Match3, Fitted<Match3>>::start(config, Rules::default(), &device(), folder, silent)
                .unwrap()
                .train(&AtomicBool::new(false))
                .unwrap();
            let rows = std::fs::read_to_string(runs.path().join(format!("it{moves}/evaluations.csv"))).unwrap();
            assert!(rows.starts_with("step,") && rows.lines().next().unwrap().ends_with(",games,cut"), "{rows}");
            assert!(rows.trim_end().ends_with(&format!(",2,{cut}")), "{moves}: {rows}");
        }
    }

    #[test]
    fn values_that_grow_without_bound_end_a_training_with_a_sentence() {
        let mut learner = fresh(&["learning.discount=1"]);
        learner.moving.weights = vec![1e8, 1e8, 1e8];
        let mut rounds = (0..100).map(|_| learner.round(&mut Metrics::default()));
        let error = rounds.find_map(Result::err).unwrap().to_string();
        assert!(error.contains("values grow without bound") && error.contains("learning.discount"), "{error}");
    }

    #[test]
    fn too_few_positions_and_a_feature_that_is_the_same_everywhere_are_refused_by_name() {
        let few = Fitted::<Match3>::new(&config(&["sampling.positions=2"]), &Rules::default(), &device());
        let few = few.err().unwrap().to_string();
        assert!(few.starts_with("sampling.positions = 2: it must be at least 3"), "{few}");

        let mut learner = fresh(&["sampling.positions=3"]);
        let drawn =
            sample::<Match3>(&Rules::default(), MATCHING, &config(&["sampling.positions=3"]).learner.sampling, 4);
        learner.sampled = vec![drawn[0].clone(); 3];
        let error = check_features::<Match3>(&learner.sampled).unwrap_err().to_string();
        assert!(error.starts_with("the feature \"plan\" is ") && error.contains("in all 3 positions"), "{error}");
    }
}
