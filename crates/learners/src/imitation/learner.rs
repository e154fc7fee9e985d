//! The learner: the apprentice plays, the expert values its positions.

use matchq_core::pool;
use serde::{Deserialize, Serialize};

use super::super::Metrics;
use super::super::linear::{Algorithm, Fixed, LinearLearner, Terms};
use super::config::{Config, Sampling};
use super::labels::{Labels, Regression, label};
use crate::error::{Error, Result};
use crate::games::weighed;
use crate::players::{Linear, Roster};
use crate::random::{Role, Stream};

/// Learner that imitates.
pub type Imitation<G> = LinearLearner<G, Apprentice<G>>;

/// Imitation of an expert, a linear agent that looks one piece further, by data aggregation
/// (DAgger).
///
/// The apprentice plays; the expert values every action of its positions. A regression over the
/// pairs of all sweeps fits the apprentice's weights to the gaps between choice and other actions;
/// small gaps count most. (Ross, Gordon and Bagnell 2011, "A reduction of imitation learning and
/// structured prediction to no-regret online learning".)
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Apprentice<G: Roster> {
    sweeps: u64,
    /// Positions of this sweep.
    positions: u64,
    /// Positions of this sweep where expert and apprentice agree.
    agreed: u64,
    games: Vec<(G, Stream)>,
    /// The apprentice's weights; none in the first sweep, which uses the expert's without a further
    /// look.
    weights: Option<Vec<f64>>,
    regression: Regression,
}

impl<G: Roster> Algorithm<G> for Apprentice<G> {
    const NAME: &'static str = "imitation";
    const COLUMNS: &'static [&'static str] = &["agreement", "explained"];
    type Config = Config;

    fn features(config: &Config) -> &[String] {
        &config.learning.features
    }

    fn given(config: &Config) -> Result<Linear> {
        if G::PIECES.is_none() {
            return Err(Error::user(format!(
                "imitation needs a game in which a piece comes next, and {} has none",
                G::NAME
            )));
        }
        let expert = match (&config.learning.expert, G::PRESETS.first()) {
            (Some(name), _) => Linear::named::<G>(name).map_err(|error| error.of("learning.expert"))?,
            (None, Some(known)) => Linear::of::<G>(known)?,
            (None, None) => {
                return Err(Error::user(format!("learning.expert: {} has no weights of its own with a name", G::NAME)));
            }
        };
        Ok(expert.scaled())
    }

    fn new(fixed: &Fixed<G, Config>) -> Result<Self> {
        let game = |game| {
            let mut stream = Stream::new(fixed.seed, Role::Game, game);
            (G::new(&fixed.rules, &mut stream), stream)
        };
        Ok(Self {
            sweeps: 0,
            positions: 0,
            agreed: 0,
            games: (0..fixed.config.sampling.games).map(game).collect(),
            weights: None,
            regression: Regression::new(fixed.selection.features().len()),
        })
    }

    fn fits(&self, fixed: &Fixed<G, Config>) -> bool {
        let features = fixed.selection.features().len();
        self.weights.as_ref().is_none_or(|weights| weights.len() == features)
            && self.regression.fits(features)
            && self.games.len() as u64 == fixed.config.sampling.games
            && self.games.iter().all(|(game, _)| !game.is_over())
            && self.positions < fixed.config.sampling.positions
    }

    fn step(&self) -> u64 {
        self.sweeps
    }

    /// Asks about one position per game, or as many as the sweep needs; the last ones end the
    /// sweep.
    fn round(&mut self, fixed: &Fixed<G, Config>, metrics: &mut Metrics) -> Result<()> {
        let Config { learning, sampling: Sampling { positions, games, moves }, .. } = &fixed.config;
        let apprentice = self.apprentice(fixed);
        let expert = Linear::new(fixed.given.clone()).player::<G>(2);
        let wanted = (positions - self.positions).min(*games) as usize;
        let look = |(game, stream): &mut (G, Stream)| {
            for _ in 0..*moves {
                if game.step(weighed::first_best::<G>(&game.state(), &apprentice), stream).terminal {
                    *game = G::new(&fixed.rules, stream);
                }
            }
            let choice = weighed::first_best::<G>(&game.state(), &apprentice);
            label(&game.state(), &expert, choice, &fixed.selection, learning.temperature)
        };
        let found: Vec<Labels> = pool::map_mut(&mut self.games[..wanted], 1, look);
        for labels in &found {
            labels.pairs.iter().for_each(|pair| self.regression.add(pair));
            self.agreed += u64::from(labels.agree);
        }
        self.positions += wanted as u64;
        if self.positions < *positions {
            return Ok(());
        }

        let (weights, explained) = self.regression.solve(learning.ridge).ok_or_else(|| {
            Error::runtime(
                "the positions do not determine the weights: a larger learning.ridge helps, a larger learning.temperature, or \
                 more sampling.positions",
            )
        })?;
        metrics.set("agreement", self.agreed as f64 / self.positions as f64);
        metrics.set("explained", explained);
        (self.positions, self.agreed) = (0, 0);
        self.weights = Some(weights);
        self.sweeps += 1;
        Ok(())
    }

    /// Features that never came up are left out.
    fn terms(&self, fixed: &Fixed<G, Config>) -> Terms {
        self.apprentice(fixed).into_iter().filter(|(_, weight)| *weight != 0.0).collect()
    }
}

impl<G: Roster> Apprentice<G> {
    /// Features and weights of the apprentice.
    fn apprentice(&self, fixed: &Fixed<G, Config>) -> Terms {
        match &self.weights {
            Some(weights) => fixed.selection.with_weights(weights),
            None => fixed.given.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Tetris;
    use crate::games::tetris::Rules;
    use crate::network::device;
    use crate::{Learner, Source};

    const CONFIG: &str = "
        learner = 'imitation'
        seed = 3
        game = { name = 'tetris', rules = { rows = 6 } }
        learning = { expert = 'dt-10', features = ['dt', 'shapes'] }
        sampling = { positions = 1500, games = 20 }
    ";

    fn fresh(sets: &[&str]) -> Result<Imitation<Tetris>> {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let source = Source::parse(CONFIG, "it", &sets).unwrap();
        let (config, rules) = source.resolve::<Tetris, Imitation<Tetris>>().unwrap();
        Imitation::new(&config, &rules, &device::select(None).unwrap().1)
    }

    fn sweep(learner: &mut Imitation<Tetris>) -> Metrics {
        let mut metrics = Metrics::default();
        let before = learner.step();
        while learner.step() == before {
            learner.round(&mut metrics).unwrap();
        }
        metrics
    }

    #[test]
    fn the_apprentice_comes_nearer_to_its_expert_than_that_is_without_its_further_look() {
        let mut learner = fresh(&["sampling.positions=6000"]).unwrap();
        let first = sweep(&mut learner).get("agreement").unwrap();
        let second = sweep(&mut learner).get("agreement").unwrap();
        assert!(second > first, "{second} after {first}");
        let rules = Rules::new(6).unwrap();
        let lines = |terms: &[(usize, f64)]| {
            let runs = (0..3_000).map(|seed| {
                weighed::play::<Tetris>(&rules, terms, &mut Stream::new(seed, Role::Game, 1), 10_000).score
            });
            runs.sum::<f64>()
        };
        let (apprentice, alone) = (lines(learner.linear_agent().terms()), lines(&learner.fixed.given));
        assert!(apprentice > alone, "{apprentice} and {alone}");
    }

    #[test]
    fn unknown_experts_and_features_are_refused() {
        let refused = |set: &str| fresh(&[set]).err().unwrap().to_string();
        let told = refused("learning.expert=nobody");
        assert!(told.starts_with("learning.expert: there are no weights \"nobody\": give a file"), "{told}");
        let told = refused("learning.features=['hole']");
        assert!(told.starts_with("learning.features: there is no feature \"hole\": the sets of tetris are"), "{told}");
        assert!(refused("learning.features=[]").starts_with("learning.features is empty: the sets"));
    }
}
