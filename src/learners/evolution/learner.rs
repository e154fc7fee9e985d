//! One generation of controllers, a few games after the other.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::{Learner, Metrics, OutOfRange, TrainConfig};
use super::cma::Cma;
use super::config::{Config, Fitness, Method};
use super::cross_entropy::CrossEntropy;
use super::genetic::Genetic;
use super::optimizer::{Optimizer, Optimizers};
use crate::error::{Error, Result};
use crate::eval::splitting::{self, Levels, Tallies, Walk};
use crate::games::Run;
use crate::network::device::Device;
use crate::players::AgentFile;
use crate::players::Roster;
use crate::players::roster::Importance;
use crate::players::{Linear, Player, PolicyPlayer, places};
use crate::random::{Role, Stream};

/// A search for a linear controller's weights by the mean score of its games.
///
/// All candidates of a generation play the same games.
pub struct Evolution<G: Roster> {
    config: TrainConfig<Config>,
    rules: G::Rules,
    /// What a candidate's numbers stand for.
    searched: Vec<Searched>,
    /// Other features of the controller that it starts from, and their weights.
    fixed: Vec<(usize, f64)>,
    /// By which measure games are split, if they are.
    importance: Option<Importance<G>>,
    /// A generation, and the levels at which its games are split.
    levels: Option<(u64, Levels<G>)>,
    moving: Moving,
}

/// A weight that is searched for: `start + scale * number`.
struct Searched {
    feature: usize,
    start: f64,
    scale: f64,
}

/// Everything that moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moving {
    optimizer: Optimizers,
    /// What the first candidates of the generation have reached so far.
    fitness: Vec<f64>,
    /// Games of theirs that were cut, or seats that were cut or saw no end.
    capped: u64,
    /// The highest fitness of all generations.
    record: f64,
    /// The controller that it began with, if any.
    start: Option<Vec<(usize, f64)>>,
}

/// How long a round goes on before it can be stopped.
///
/// What it finds does not depend on this.
const ROUND: Duration = Duration::from_secs(5);

/// Candidates whose games are played side by side, for each thread.
const TOGETHER: usize = 4;

/// What part of a seat's moves a pilot run plays.
const PILOT: u64 = 4;
/// A seat is cut after so many times its moves.
///
/// What its last game was split into may go on for longer: games of a bad candidate are split far more than those by
/// which the levels were found. Cut, it is overrated, but still bad.
const LONGEST: u64 = 4;

impl<G: Roster> Learner<G> for Evolution<G> {
    const NAME: &'static str = "evolution";
    const STEPS: &'static str = "training.generations";
    const COUNTERS: &'static [&'static str] = &[];
    const SHOWN: &'static [&'static str] = &["best", "mean", "deviation"];
    const HAS_MASK: bool = false;

    type Config = Config;
    type Saved = Moving;

    fn columns() -> Vec<&'static str> {
        vec!["best", "mean", "deviation", "record", "capped"]
    }

    fn check(config: &Config) -> std::result::Result<(), OutOfRange> {
        config.check()
    }

    fn steps(config: &Config) -> u64 {
        config.training.generations
    }

    fn new(config: &TrainConfig<Config>, rules: &G::Rules, _device: &Device) -> Result<Self> {
        let start = config.learner.learning.start.as_ref();
        let start = start.map(|start| Linear::named::<G>(start).map_err(|error| error.of("learning.start")));
        Self::around(config, rules, start.transpose()?.map(|start| start.terms().to_vec()))
    }

    /// Around what it began with: the file may be another by now.
    fn resume(config: &TrainConfig<Config>, rules: &G::Rules, _device: &Device, saved: Moving) -> Result<Self> {
        saved.start.as_deref().map(Linear::saved::<G>).transpose()?;
        let mut learner = Self::around(config, rules, saved.start.clone())?;
        learner.restore(saved)?;
        Ok(learner)
    }

    fn step(&self) -> u64 {
        self.moving.optimizer.generation()
    }

    fn is_at_rest(&self) -> bool {
        self.moving.optimizer.is_finished()
    }

    /// Evaluates some candidates; after the last of a generation, it ends.
    fn round(&mut self, metrics: &mut Metrics) -> Result<()> {
        let candidates = self.moving.optimizer.ask().to_vec();
        self.find_levels()?;
        let begin = Instant::now();
        while self.moving.fitness.len() < candidates.len() && begin.elapsed() < ROUND {
            let first = self.moving.fitness.len();
            let together = TOGETHER * rayon::current_num_threads();
            let some = &candidates[first..(first + together).min(candidates.len())];
            let terms: Vec<_> = some.iter().map(|candidate| self.terms(candidate)).collect();
            for (fitness, capped) in self.play(&terms) {
                self.moving.fitness.push(fitness);
                self.moving.capped += capped;
            }
        }
        if self.moving.fitness.len() < candidates.len() {
            return Ok(());
        }

        let fitness = std::mem::take(&mut self.moving.fitness);
        let count = fitness.len() as f64;
        let mean = fitness.iter().sum::<f64>() / count;
        let variance = fitness.iter().map(|fitness| (fitness - mean).powi(2)).sum::<f64>() / count;
        let best = fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.moving.record = self.moving.record.max(best);
        metrics.set("best", best);
        metrics.set("mean", mean);
        metrics.set("deviation", variance.sqrt());
        metrics.set("record", self.moving.record);
        metrics.set("capped", std::mem::take(&mut self.moving.capped) as f64);
        self.moving.optimizer.tell(&fitness);
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

    fn restore(&mut self, saved: Moving) -> Result<()> {
        if saved.optimizer.solution().len() != self.searched.len() {
            return Err(Error::user("its weights do not fit the features"));
        }
        self.moving = saved;
        Ok(())
    }
}

impl<G: Roster> Evolution<G> {
    /// A search around a controller, or from nothing.
    fn around(config: &TrainConfig<Config>, rules: &G::Rules, start: Option<Vec<(usize, f64)>>) -> Result<Self> {
        let features = places::<G>(&config.learner.learning.features, "learning.features")?;
        let anew = |feature: &usize| Searched { feature: *feature, start: 0.0, scale: 1.0 };
        let (searched, fixed) = match &start {
            None => (features.iter().map(anew).collect(), Vec::new()),
            Some(terms) => around(&features, terms),
        };
        let stream = Stream::new(config.run.seed, Role::Initialise, 0);
        let Config { genetic, cross_entropy, cma, learning, .. } = &config.learner;
        let optimizer = match learning.method {
            Method::Genetic => Optimizers::Genetic(Genetic::new(genetic.clone(), features.len(), stream)),
            Method::CrossEntropy => {
                Optimizers::CrossEntropy(CrossEntropy::new(cross_entropy.clone(), features.len(), stream))
            }
            Method::Cma => Optimizers::Cma(Cma::new(cma.clone(), &vec![0.0; features.len()], stream)),
        };
        let moving = Moving { optimizer, fitness: Vec::new(), capped: 0, record: f64::NEG_INFINITY, start };
        let split = config.learner.fitness.split;
        let importance = split.then(|| splitting::importance("fitness.split")).transpose()?;
        Ok(Self { config: config.clone(), rules: rules.clone(), searched, fixed, importance, levels: None, moving })
    }

    /// The fitness of controllers, and how many games of each were cut.
    fn play(&self, controllers: &[Vec<(usize, f64)>]) -> Vec<(f64, u64)> {
        let Fitness { games, moves, .. } = self.config.learner.fitness;
        let jobs = (0..controllers.len() * games as usize).into_par_iter().with_max_len(1);
        let job = |job: usize| (&controllers[job / games as usize], self.stream(job as u64 % games));
        let games = games as usize;
        let Some((_, levels)) = &self.levels else {
            let play = |(terms, mut stream): (&Vec<_>, _)| G::play_weighed(&self.rules, terms, &mut stream, moves);
            let played: Vec<Run> = jobs.map(|number| play(job(number))).collect();
            let fitness = |runs: &[Run]| {
                let cut = runs.iter().filter(|run| !run.is_over).count();
                (runs.iter().map(|run| run.score).sum::<f64>() / games as f64, cut as u64)
            };
            return played.chunks_exact(games).map(fitness).collect();
        };
        let most = moves.saturating_mul(LONGEST);
        let play = |(terms, mut stream): (&Vec<_>, _)| {
            splitting::play(Walk::new(&self.rules, levels), terms, &mut stream, moves, most)
        };
        let played: Vec<Tallies> = jobs.map(|number| play(job(number))).collect();
        let fitness = |seats: &[Tallies]| {
            let add = |sum: (f64, f64), seat: (f64, f64)| (sum.0 + seat.0, sum.1 + seat.1);
            let (score, ends) = seats.iter().map(|seat| seat.weighed(levels)).fold((0.0, 0.0), add);
            let capped = seats.iter().map(Tallies::total).filter(|all| all.ended == 0 || all.moves >= most).count();
            // Where no end was seen it is as if one had been.
            (score / f64::max(ends, levels.least()), capped as u64)
        };
        played.chunks_exact(games).map(fitness).collect()
    }

    /// Finds where the generation's games are split, if they are.
    ///
    /// The controller that was found so far tells.
    fn find_levels(&mut self) -> Result<()> {
        let (Some(importance), generation) = (self.importance, self.step()) else { return Ok(()) };
        if self.levels.as_ref().is_some_and(|(of, _)| *of == generation) {
            return Ok(());
        }
        let Fitness { games, moves, .. } = self.config.learner.fitness;
        let (moves, most) = (moves.div_ceil(PILOT), moves.saturating_mul(LONGEST));
        let terms = self.terms(self.moving.optimizer.solution());
        let levels = Levels::find(importance, |levels| {
            let walk = || Walk::new(&self.rules, levels);
            let play = |game| splitting::play(walk(), &terms, &mut self.stream(game), moves, most);
            let played: Vec<Tallies> = (0..games).into_par_iter().map(play).collect();
            Ok(played.into_iter().collect())
        })?;
        self.levels = Some((generation, levels));
        Ok(())
    }

    /// The random numbers of a game of the generation.
    fn stream(&self, game: u64) -> Stream {
        let Fitness { games, .. } = self.config.learner.fitness;
        Stream::new(self.config.run.seed, Role::Simulate, self.step() * games + game)
    }

    /// The features and weights of a candidate.
    fn terms(&self, candidate: &[f64]) -> Vec<(usize, f64)> {
        let searched = self.searched.iter().zip(candidate);
        let searched = searched.map(|(of, number)| (of.feature, of.start + of.scale * number));
        searched.chain(self.fixed.iter().copied()).collect()
    }

    /// The controller that it has found, its largest weight 1 or -1.
    ///
    /// Only the weights' ratios count.
    fn controlled(&self) -> Linear {
        Linear::new(self.terms(self.moving.optimizer.solution())).scaled()
    }
}

/// What is searched for around a controller, and the features of it that stay.
///
/// A number of 1 changes a weight by its own size, or by the mean size of those searched for where it is 0.
fn around(features: &[usize], terms: &[(usize, f64)]) -> (Vec<Searched>, Vec<(usize, f64)>) {
    let weight = |feature: usize| terms.iter().filter(|(of, _)| *of == feature).map(|(_, weight)| weight).sum::<f64>();
    let sizes: f64 = features.iter().map(|feature| weight(*feature).abs()).sum();
    let mean = if sizes > 0.0 { sizes / features.len() as f64 } else { 1.0 };
    let searched = features.iter().map(|feature| {
        let start = weight(*feature);
        Searched { feature: *feature, start, scale: if start == 0.0 { mean } else { start.abs() } }
    });
    (searched.collect(), terms.iter().copied().filter(|(feature, _)| !features.contains(feature)).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::eval::{Endurance, Extent, endure, levels};
    use crate::games::tetris::Rules;
    use crate::games::Tetris;
    use crate::learners::checkpoint::Checkpoint;
    use crate::learners::{Ending, Run as Training, RunFolder, Source};
    use crate::network::device;

    const CONFIG: &str = "
        learner = 'evolution'
        seed = 3
        game = { name = 'tetris', rules = { rows = 6 } }
        training = { generations = 6 }
        learning = { method = 'cma', features = ['dellacherie'] }
        fitness = { games = 4, moves = 400 }
        evaluation = { every = 3, games = 2 }
        checkpoint = { every = 2 }
        logging = { every = 1 }
    ";

    const SPLIT: &[&str] = &["fitness.split=true", "fitness.moves=4000"];

    fn config(sets: &[&str]) -> (TrainConfig<Config>, Rules) {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        Source::parse(CONFIG, "it", &sets).unwrap().resolve::<Tetris, Evolution<Tetris>>().unwrap()
    }

    fn fresh(sets: &[&str]) -> Result<Evolution<Tetris>> {
        let (config, rules) = config(sets);
        Evolution::new(&config, &rules, &device::select(None).unwrap().1)
    }

    /// Learns until so many generations are done, however long rounds are.
    fn generations(learner: &mut Evolution<Tetris>, count: u64) {
        while learner.step() < count {
            learner.round(&mut Metrics::default()).unwrap();
        }
    }

    #[test]
    fn every_method_finds_better_controllers_than_it_began_with() {
        for method in ["genetic", "cross-entropy", "cma"] {
            let sets = format!("learning.method={method}");
            let small = ["genetic.population=30", "cross_entropy.population=30", "cma.population=12", &sets];
            let mut learner = fresh(&small).unwrap();
            let mut means = Vec::new();
            while learner.step() < 8 {
                let mut metrics = Metrics::default();
                learner.round(&mut metrics).unwrap();
                means.extend(metrics.get("mean"));
            }
            let (first, last) = (means[0], means.iter().rev().take(3).sum::<f64>() / 3.0);
            assert!(last > 1.5 * first, "{method}: {means:?}");
        }
    }

    #[test]
    fn what_is_found_is_the_same_at_any_number_of_threads() {
        for sets in [&[][..], SPLIT] {
            let found = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut learner = fresh(sets).unwrap();
                    generations(&mut learner, 3);
                    assert!(learner.levels.is_none_or(|(_, levels)| levels.least() < 1.0));
                    learner.moving
                })
            };
            assert_eq!(found(1), found(3));
        }
    }

    #[test]
    fn split_games_find_good_controllers_of_twenty_rows() {
        let sets = ["game.rules.rows=20", "fitness.split=true", "fitness.moves=2000", "learning.features=['dt']"];
        let mut learner = fresh(&sets).unwrap();
        let mut metrics = Metrics::default();
        while learner.step() < 25 {
            learner.round(&mut metrics).unwrap();
        }
        // Their whole games would take millions of moves each, for four seats of two thousand.
        assert!(metrics.get("mean").unwrap() > 10_000.0, "{:?}", metrics.get("mean"));
        let extent = Extent { first: 0, seats: 20, moves: 4_000 };
        let mut player = learner.player();
        let levels = levels(&mut player, &learner.rules, extent, Tetris::IMPORTANCE.unwrap()).unwrap();
        let found = Endurance::of(&endure(&mut player, &learner.rules, extent, &levels).unwrap());
        assert!(found.mean.unwrap() > 20_000.0, "{found:?}");
    }

    #[test]
    fn a_training_that_is_resumed_within_a_generation_ends_in_the_same_bits() {
        for sets in [&[][..], SPLIT] {
            let mut straight = fresh(sets).unwrap();
            generations(&mut straight, 3);
            // As if a round had ended after two candidates.
            let mut broken = fresh(sets).unwrap();
            generations(&mut broken, 2);
            let mut whole = fresh(sets).unwrap();
            whole.restore(broken.moving.clone()).unwrap();
            let candidates = whole.moving.optimizer.ask().to_vec();
            whole.find_levels().unwrap();
            let terms: Vec<_> = candidates[..2].iter().map(|candidate| whole.terms(candidate)).collect();
            for (fitness, capped) in whole.play(&terms) {
                whole.moving.fitness.push(fitness);
                whole.moving.capped += capped;
            }
            let saved = postcard::to_stdvec(&whole.moving).unwrap();
            let mut resumed = fresh(sets).unwrap();
            resumed.restore(postcard::from_bytes(&saved).unwrap()).unwrap();
            generations(&mut resumed, 3);
            assert_eq!(resumed.moving.optimizer, straight.moving.optimizer);
        }
    }

    #[test]
    fn a_search_goes_on_around_what_it_began_with_whatever_its_file_has_become() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("best.safetensors");
        let write = |name: &str| {
            let (_, rules) = config(&[]);
            Linear::named::<Tetris>(name).unwrap().to_file::<Tetris>(&rules).unwrap().save(&file).unwrap();
        };
        write("dellacherie");
        let begun = fresh(&[&format!("learning.start={}", folder.path().display())]).unwrap();
        let saved = postcard::to_stdvec(&begun.moving).unwrap();
        let terms = begun.terms(begun.moving.optimizer.solution());
        write("dt-10");
        let resumed = || {
            let device = device::select(None).unwrap().1;
            Evolution::<Tetris>::resume(&begun.config, &begun.rules, &device, postcard::from_bytes(&saved).unwrap())
                .unwrap()
        };
        assert_eq!(resumed().terms(begun.moving.optimizer.solution()), terms);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(resumed().terms(begun.moving.optimizer.solution()), terms);
    }

    #[test]
    fn a_run_that_is_stopped_and_resumed_leaves_the_same_files() {
        let runs = tempfile::tempdir().unwrap();
        let device = device::select(None).unwrap().1;
        let start = |name: &str| {
            let (config, rules) = config(&[]);
            let folder = |config: &str| RunFolder::create(runs.path(), Some(name), "", config);
            Training::<Tetris, Evolution<Tetris>>::start(config, rules, &device, folder, true).unwrap()
        };
        assert_eq!(start("straight").train(&AtomicBool::new(false)).unwrap(), Ending::Finished);
        assert_eq!(start("broken").train(&AtomicBool::new(true)).unwrap(), Ending::Stopped);
        let folder = RunFolder::open(&runs.path().join("broken")).unwrap();
        let checkpoint = Checkpoint::load(&folder.last()).unwrap();
        let mut run = Training::<Tetris, Evolution<Tetris>>::resume(folder, &checkpoint, &[], &device, true).unwrap();
        run.train(&AtomicBool::new(false)).unwrap();
        drop(run);
        let bytes = |name: &str, file: &str| std::fs::read(runs.path().join(name).join(file)).unwrap();
        for file in ["last.ckpt", "last.safetensors", "best.safetensors"] {
            assert_eq!(bytes("straight", file), bytes("broken", file), "{file}");
        }
    }
}
