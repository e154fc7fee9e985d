//! Common part of evolution, imitation and lspi: learning the weights of a linear agent.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Learner, LearnerConfig, Metrics, TrainConfig};
use crate::error::{Error, Result};
use crate::games::Game;
use crate::network::device::Device;
use crate::players::{AgentFile, Linear, Player, PolicyPlayer, Roster, Selection, places};

/// Index of each weighted feature in `G::action_names()`, with its weight.
pub type Terms = Vec<(usize, f64)>;

/// An algorithm for linear agents, with all that changes in its training.
///
/// The serialized part is saved; the rest follows from [`Fixed`].
pub trait Algorithm<G: Roster>: Serialize + DeserializeOwned + Send + 'static {
    /// The learner's name in configurations.
    const NAME: &'static str;
    /// The learner's metrics.
    const COLUMNS: &'static [&'static str];
    /// The learner's sections of a configuration.
    type Config: LearnerConfig;

    /// Names of the weighted features, or of sets of features.
    fn features(config: &Self::Config) -> &[String];

    /// Agent to start from.
    fn given(_config: &Self::Config) -> Result<Linear> {
        Ok(Linear::new(Vec::new()))
    }

    /// Algorithm before its first step.
    fn new(fixed: &Fixed<G, Self::Config>) -> Result<Self>;

    /// Whether a saved state fits.
    fn fits(&self, fixed: &Fixed<G, Self::Config>) -> bool;

    /// Steps so far.
    fn step(&self) -> u64;

    /// Whether the algorithm's own stopping criterion is met.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// Does a part of a step; the last part ends the step, so that [`step`](Self::step) grows.
    fn round(&mut self, fixed: &Fixed<G, Self::Config>, metrics: &mut Metrics) -> Result<()>;

    /// Weights of the agent so far.
    fn terms(&self, fixed: &Fixed<G, Self::Config>) -> Terms;
}

/// Constants of a training.
pub struct Fixed<G: Game, C> {
    /// The learner's sections of the configuration.
    pub config: C,
    /// Seed of every random stream.
    pub seed: u64,
    /// Rules of the games.
    pub rules: G::Rules,
    /// Weighted features, in order.
    pub selection: Selection,
    /// The given agent at the start.
    pub given: Terms,
}

/// Learner of a linear agent by an [`Algorithm`].
pub struct LinearLearner<G: Roster, A: Algorithm<G>> {
    pub(super) fixed: Fixed<G, A::Config>,
    pub(super) algorithm: A,
}

impl<G: Roster, A: Algorithm<G>> Learner<G> for LinearLearner<G, A> {
    const NAME: &'static str = A::NAME;
    const COUNTERS: &'static [&'static str] = &[];
    const SHOWN: &'static [&'static str] = A::COLUMNS;
    const HAS_MASK: bool = false;

    type Config = A::Config;
    type Saved = (Terms, A);

    fn columns() -> Vec<&'static str> {
        A::COLUMNS.to_vec()
    }

    fn new(config: &TrainConfig<A::Config>, rules: &G::Rules, _device: &Device) -> Result<Self> {
        let fixed = fixed::<G, A>(config, rules, A::given(&config.learner)?)?;
        Ok(Self { algorithm: A::new(&fixed)?, fixed })
    }

    /// The given agent is the saved one, because its file may have changed.
    fn resume(
        config: &TrainConfig<A::Config>,
        rules: &G::Rules,
        _device: &Device,
        (given, algorithm): (Terms, A),
    ) -> Result<Self> {
        let fixed = fixed::<G, A>(config, rules, Linear::saved::<G>(&given)?)?;
        match algorithm.fits(&fixed) {
            true => Ok(Self { fixed, algorithm }),
            false => Err(Error::user("its weights or its games do not fit the configuration")),
        }
    }

    fn step(&self) -> u64 {
        self.algorithm.step()
    }

    fn is_at_rest(&self) -> bool {
        self.algorithm.is_at_rest()
    }

    fn round(&mut self, metrics: &mut Metrics) -> Result<()> {
        self.algorithm.round(&self.fixed, metrics)
    }

    fn player(&self) -> impl Player<G> {
        PolicyPlayer::new("linear", self.linear_agent().player::<G>(1))
    }

    fn agent(&self) -> Result<AgentFile> {
        self.linear_agent().to_file::<G>(&self.fixed.rules)
    }

    fn save(&self) -> Result<impl Serialize> {
        Ok((&self.fixed.given, &self.algorithm))
    }
}

impl<G: Roster, A: Algorithm<G>> LinearLearner<G, A> {
    /// Agent so far, with the weights of its file, of which the largest is 1 or -1.
    pub fn linear_agent(&self) -> Linear {
        Linear::new(self.algorithm.terms(&self.fixed)).scaled().rounded()
    }
}

fn fixed<G: Roster, A: Algorithm<G>>(
    config: &TrainConfig<A::Config>,
    rules: &G::Rules,
    given: Linear,
) -> Result<Fixed<G, A::Config>> {
    let features = places::<G>(A::features(&config.learner), "learning.features")?;
    Ok(Fixed {
        config: config.learner.clone(),
        seed: config.run.seed,
        rules: rules.clone(),
        selection: Selection::new::<G>(features),
        given: given.terms().to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use crate::evolution::Search;
    use crate::games::Tetris;
    use crate::imitation::Apprentice;
    use crate::network::device;

    #[test]
    fn an_agent_is_evaluated_with_the_weights_of_its_file() {
        let device = device::select(None).unwrap().1;
        let sets = ["learner=evolution", "learning.start=dt-10"].map(str::to_owned);
        let source =
            Source::parse("game = { name = 'tetris' }\nlearning = { features = ['dt'] }", "it", &sets).unwrap();
        let (config, rules) = source.resolve::<Tetris, LinearLearner<Tetris, Search<Tetris>>>().unwrap();
        let learner = LinearLearner::<Tetris, Search<Tetris>>::new(&config, &rules, &device).unwrap();
        let file = Linear::from_file::<Tetris>(&learner.agent().unwrap(), "the file").unwrap();
        assert_eq!(learner.linear_agent().terms(), file.terms());
    }

    #[test]
    fn a_training_goes_on_with_the_agent_that_it_was_given_whatever_its_file_has_become() {
        goes_on::<Search<Tetris>>("learning.start");
        goes_on::<Apprentice<Tetris>>("learning.expert");
    }

    fn goes_on<A: Algorithm<Tetris>>(key: &str) {
        let (folder, device) = (temp_dir::TempDir::new().unwrap(), device::select(None).unwrap().1);
        let file = folder.path().join("best.safetensors");
        let sets = [format!("learner={}", A::NAME), format!("{key}={}", folder.path().display())];
        let source =
            Source::parse("game = { name = 'tetris' }\nlearning = { features = ['dt'] }", "it", &sets).unwrap();
        let (config, rules) = source.resolve::<Tetris, LinearLearner<Tetris, A>>().unwrap();
        let write = |name: &str| {
            Linear::named::<Tetris>(name).unwrap().to_file::<Tetris>(&rules).unwrap().save(&file).unwrap();
        };
        let begin = || LinearLearner::<Tetris, A>::new(&config, &rules, &device).unwrap();
        write("dt-10");
        let begun = begin();
        let saved = postcard::to_stdvec(&begun.save().unwrap()).unwrap();
        let resumed = || {
            let saved = postcard::from_bytes(&saved).unwrap();
            LinearLearner::<Tetris, A>::resume(&config, &rules, &device, saved).unwrap().fixed.given
        };
        write("dellacherie");
        assert!(resumed() == begun.fixed.given && begin().fixed.given != begun.fixed.given);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(resumed(), begun.fixed.given);
    }
}
