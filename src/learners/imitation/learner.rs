//! Some positions of a sweep, and the regression at its end.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::{Learner, Metrics, OutOfRange, TrainConfig};
use super::config::Config;
use super::labels::{Labels, Regression, label};
use crate::error::{Error, Result};
use crate::network::device::Device;
use crate::players::AgentFile;
use crate::players::Roster;
use crate::players::{Linear, Player, PolicyPlayer, Selection, places};
use crate::random::{Role, Stream};

/// Imitation of an expert by data aggregation (DAgger).
///
/// Ross, Gordon and Bagnell 2011, "A reduction of imitation learning and structured prediction to no-regret online
/// learning". The expert is a linear controller that looks a piece further. Its apprentice plays, the expert says what
/// every action is worth in the positions that come up, and the apprentice's weights are fitted to the differences
/// between its choice and the others; close ones count most. Pairs of all sweeps are kept.
pub struct Imitation<G: Roster> {
    config: TrainConfig<Config>,
    rules: G::Rules,
    /// The features, in the order of the regression.
    selection: Selection,
    moving: Moving<G>,
}

/// Everything that moves.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Moving<G: Roster> {
    sweeps: u64,
    /// Positions of the sweep so far.
    positions: u64,
    /// Those of them in which expert and apprentice chose the same.
    agreed: u64,
    games: Vec<(G, Stream)>,
    /// Of the apprentice; none before the end of the first sweep.
    ///
    /// In the first sweep it is the expert without a further look.
    weights: Option<Vec<f64>>,
    regression: Regression,
    /// The expert's features and weights.
    expert: Vec<(usize, f64)>,
}

/// How long a round goes on before it can be stopped.
///
/// What it finds does not depend on this.
const ROUND: Duration = Duration::from_secs(5);

impl<G: Roster> Learner<G> for Imitation<G> {
    const NAME: &'static str = "imitation";
    const STEPS: &'static str = "training.sweeps";
    const COUNTERS: &'static [&'static str] = &[];
    const SHOWN: &'static [&'static str] = &["agreement", "explained"];
    const HAS_MASK: bool = false;

    type Config = Config;
    type Saved = Moving<G>;

    fn columns() -> Vec<&'static str> {
        vec!["agreement", "explained"]
    }

    fn check(config: &Config) -> std::result::Result<(), OutOfRange> {
        config.check()
    }

    fn steps(config: &Config) -> u64 {
        config.training.sweeps
    }

    fn new(config: &TrainConfig<Config>, rules: &G::Rules, _device: &Device) -> Result<Self> {
        if G::PIECES.is_empty() {
            return Err(Error::user(format!(
                "imitation needs a game in which a piece comes next, and {} has none",
                G::NAME
            )));
        }
        let expert = match (&config.learner.learning.expert, G::PRESETS.first()) {
            (Some(name), _) => Linear::named::<G>(name).map_err(|error| error.of("learning.expert"))?,
            (None, Some(known)) => Linear::of::<G>(known)?,
            (None, None) => {
                return Err(Error::user(format!("learning.expert: {} has no weights of its own with a name", G::NAME)));
            }
        };
        Self::of(config, rules, expert.scaled().terms().to_vec())
    }

    /// With the expert that it began with: the file may be another by now.
    fn resume(config: &TrainConfig<Config>, rules: &G::Rules, _device: &Device, saved: Moving<G>) -> Result<Self> {
        Linear::saved::<G>(&saved.expert)?;
        let mut learner = Self::of(config, rules, saved.expert.clone())?;
        learner.restore(saved)?;
        Ok(learner)
    }

    fn step(&self) -> u64 {
        self.moving.sweeps
    }

    /// Asks about some positions; after the last of a sweep, it ends.
    fn round(&mut self, metrics: &mut Metrics) -> Result<()> {
        let begin = Instant::now();
        let Config { learning, sampling, .. } = self.config.learner.clone();
        while self.moving.positions < sampling.positions && begin.elapsed() < ROUND {
            self.look();
        }
        if self.moving.positions < sampling.positions {
            return Ok(());
        }
        let solved = self.moving.regression.solve(learning.ridge);
        let (weights, explained) = solved.ok_or_else(|| {
            Error::runtime(
                "the positions do not determine the weights: a larger learning.ridge helps, a larger learning.temperature, or \
                 more sampling.positions",
            )
        })?;
        let count = self.moving.positions as f64;
        metrics.set("agreement", self.moving.agreed as f64 / count);
        metrics.set("explained", explained);
        (self.moving.positions, self.moving.agreed) = (0, 0);
        self.moving.weights = Some(weights);
        self.moving.sweeps += 1;
        Ok(())
    }

    fn player(&self) -> impl Player<G> {
        PolicyPlayer::new("linear", self.controlled().player::<G>(1))
    }

    fn agent(&self) -> Result<AgentFile> {
        self.controlled().to_file::<G>(&self.rules)
    }

    fn save(&self) -> Result<impl Serialize> {
        Ok(self.moving.clone())
    }

    fn restore(&mut self, saved: Moving<G>) -> Result<()> {
        if saved.regression.width() != self.selection.features().len()
            || saved.games.len() as u64 != self.config.learner.sampling.games
        {
            return Err(Error::user("its regression or its games do not fit the configuration"));
        }
        self.moving = saved;
        Ok(())
    }
}

impl<G: Roster> Imitation<G> {
    /// One with an expert by its features and weights.
    fn of(config: &TrainConfig<Config>, rules: &G::Rules, expert: Vec<(usize, f64)>) -> Result<Self> {
        let Config { learning, sampling, .. } = &config.learner;
        let selection = Selection::new::<G>(places::<G>(&learning.features, "learning.features")?);
        let game = |game| {
            let mut stream = Stream::new(config.run.seed, Role::Game, game);
            (G::new(rules, &mut stream), stream)
        };
        let moving = Moving {
            sweeps: 0,
            positions: 0,
            agreed: 0,
            games: (0..sampling.games).map(game).collect(),
            weights: None,
            regression: Regression::new(selection.features().len()),
            expert,
        };
        Ok(Self { config: config.clone(), rules: rules.clone(), selection, moving })
    }

    /// Asks about the next position of each game, or of as many as the sweep still wants.
    fn look(&mut self) {
        let Config { learning, sampling, .. } = &self.config.learner;
        let apprentice = self.apprentice();
        let expert = Linear::new(self.moving.expert.clone()).player::<G>(2);
        let wanted = (sampling.positions - self.moving.positions).min(sampling.games) as usize;
        let (rules, selection) = (&self.rules, &self.selection);
        let look = |(game, stream): &mut (G, Stream)| {
            for _ in 0..sampling.moves {
                if game.step(G::first_best(&game.state(), &apprentice), stream).terminal {
                    *game = G::new(rules, stream);
                }
            }
            let choice = G::first_best(&game.state(), &apprentice);
            label(&game.state(), &expert, choice, selection, learning.temperature)
        };
        let found: Vec<Labels> = self.moving.games[..wanted].par_iter_mut().map(look).collect();
        for labels in &found {
            labels.pairs.iter().for_each(|pair| self.moving.regression.add(pair));
            self.moving.agreed += u64::from(labels.agree);
        }
        self.moving.positions += wanted as u64;
    }

    /// The features and weights by which the apprentice plays.
    fn apprentice(&self) -> Vec<(usize, f64)> {
        match &self.moving.weights {
            Some(weights) => self.selection.weighed(weights),
            None => self.moving.expert.clone(),
        }
    }

    /// The controller that it has learned to be.
    ///
    /// Features that never came up are left out.
    fn controlled(&self) -> Linear {
        Linear::new(self.apprentice().into_iter().filter(|(_, weight)| *weight != 0.0).collect()).scaled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tetris::Rules;
    use crate::games::{Match3, Tetris};
    use crate::learners::Source;
    use crate::network::device;

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

    fn resumed(learner: &Imitation<Tetris>, saved: &[u8]) -> Imitation<Tetris> {
        let device = device::select(None).unwrap().1;
        Imitation::resume(&learner.config, &learner.rules, &device, postcard::from_bytes(saved).unwrap()).unwrap()
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
                use crate::games::ActionFeatures;
                Tetris::play_weighed(&rules, terms, &mut Stream::new(seed, Role::Game, 1), 10_000).score
            });
            runs.sum::<f64>()
        };
        let (apprentice, alone) = (lines(learner.controlled().terms()), lines(&learner.moving.expert));
        assert!(apprentice > alone, "{apprentice} and {alone}");
    }

    #[test]
    fn what_is_learned_is_the_same_at_any_number_of_threads_and_after_a_pause() {
        let learned = |threads, pause: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut learner = fresh(&[]).unwrap();
                sweep(&mut learner);
                if pause {
                    (0..3).for_each(|_| learner.look());
                    assert_eq!(learner.moving.positions, 60);
                    let saved = postcard::to_stdvec(&learner.moving).unwrap();
                    learner = resumed(&learner, &saved);
                }
                sweep(&mut learner);
                learner.moving.weights.unwrap()
            })
        };
        let once = learned(1, false);
        assert!(once == learned(3, false) && once == learned(1, true));
    }

    #[test]
    fn the_expert_is_the_one_that_a_run_began_with_whatever_its_file_has_become() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("best.safetensors");
        let write = |name: &str| {
            let rules = Rules::new(6).unwrap();
            Linear::named::<Tetris>(name).unwrap().to_file::<Tetris>(&rules).unwrap().save(&file).unwrap();
        };
        write("dt-10");
        let set = format!("learning.expert={}", folder.path().display());
        let begun = fresh(&[&set]).unwrap();
        let saved = postcard::to_stdvec(&begun.moving).unwrap();
        let found = |mut learner: Imitation<Tetris>| {
            sweep(&mut learner);
            learner.moving.weights
        };
        let expected = found(resumed(&begun, &saved));
        write("dellacherie");
        assert!(found(resumed(&begun, &saved)) == expected && found(fresh(&[&set]).unwrap()) != expected);
        std::fs::remove_file(&file).unwrap();
        assert!(found(resumed(&begun, &saved)) == expected);
    }

    #[test]
    fn a_game_without_pieces_is_refused_for_that_reason_whatever_the_expert() {
        let source = Source::parse("learner = 'imitation'\nlearning = { expert = 'dt-10' }", "it", &[]).unwrap();
        let (config, rules) = source.resolve::<Match3, Imitation<Match3>>().unwrap();
        let refused = Imitation::<Match3>::new(&config, &rules, &device::select(None).unwrap().1).err().unwrap();
        assert_eq!(refused.to_string(), "imitation needs a game in which a piece comes next, and match3 has none");
    }

    #[test]
    fn unknown_experts_and_features_are_refused() {
        let refused = |set: &str| fresh(&[set]).err().unwrap().to_string();
        let told = refused("learning.expert=nobody");
        assert!(told.starts_with("learning.expert: there is no controller \"nobody\": give a file"), "{told}");
        let told = refused("learning.features=['hole']");
        assert!(told.starts_with("learning.features: there is no feature \"hole\": the sets of tetris are"), "{told}");
        assert!(refused("learning.features=[]").starts_with("learning.features is empty: the sets"));
    }
}
