//! The learner: each candidate's fitness is the mean score of its games.

use matchq_core::pool;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::super::Metrics;
use super::super::linear::{Algorithm, Fixed, LinearLearner, Terms};
use super::config::{Config, Fitness};
use super::optimizers::Optimizers;
use crate::error::{Error, Result};
use crate::eval::splitting::{self, Levels, Tallies, Walk};
use crate::games::{Game, Run, weighed};
use crate::players::{Linear, Roster};
use crate::random::{Role, Stream};

/// Learner that searches for weights.
pub type Evolution<G> = LinearLearner<G, Search<G>>;

/// A search for the weights of a linear agent by the mean score of its games, or of split games by
/// all points over all ends.
///
/// All candidates of a generation play the same games. `terms` turns a candidate's numbers into
/// weights.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Search<G: Game> {
    optimizer: Optimizers,
    /// Fitness in this generation so far.
    fitness: Vec<f64>,
    /// Cut games, or sequences that were cut or saw no end.
    capped: u64,
    record: f64,
    /// A generation and its levels of splitting.
    #[serde(skip)]
    levels: Option<(u64, Levels<G>)>,
}

/// Candidates per thread in a round.
const TOGETHER: usize = 4;

/// Divisor from a sequence's moves to a pilot run's.
const PILOT: u64 = 4;
/// Multiple of a sequence's moves that cuts the sequence.
///
/// Splits of a bad candidate's last game can take long. A cut candidate is overrated, but still
/// bad.
const LONGEST: u64 = 4;

impl<G: Roster> Algorithm<G> for Search<G> {
    const NAME: &'static str = "evolution";
    const COLUMNS: &'static [&'static str] = &["best", "mean", "deviation", "record", "capped"];
    type Config = Config;

    fn features(config: &Config) -> &[String] {
        &config.learning.features
    }

    fn given(config: &Config) -> Result<Linear> {
        match &config.learning.start {
            Some(start) => Linear::named::<G>(start).map_err(|error| error.of("learning.start")),
            None => Ok(Linear::new(Vec::new())),
        }
    }

    fn new(fixed: &Fixed<G, Config>) -> Result<Self> {
        if fixed.config.fitness.split {
            splitting::importance::<G>("fitness.split")?;
        }
        let (count, stream) = (fixed.selection.features().len(), Stream::new(fixed.seed, Role::Initialise, 0));
        let optimizer = Optimizers::new(&fixed.config, count, stream);
        Ok(Self { optimizer, fitness: Vec::new(), capped: 0, record: f64::NEG_INFINITY, levels: None })
    }

    fn fits(&self, fixed: &Fixed<G, Config>) -> bool {
        self.optimizer.is_of(&fixed.config, fixed.selection.features().len())
            && (self.fitness.is_empty() || self.fitness.len() < self.optimizer.asked())
            && self.fitness.iter().all(|fitness| fitness.is_finite())
    }

    fn step(&self) -> u64 {
        self.optimizer.generation()
    }

    fn is_at_rest(&self) -> bool {
        self.optimizer.is_finished()
    }

    /// Evaluates some candidates; the last ones end the generation.
    fn round(&mut self, fixed: &Fixed<G, Config>, metrics: &mut Metrics) -> Result<()> {
        let (done, count) = (self.fitness.len(), self.optimizer.ask().len());
        let places = done..count.min(done + TOGETHER * pool::threads());
        for (fitness, capped) in self.evaluate(fixed, places)? {
            self.fitness.push(fitness);
            self.capped += capped;
        }
        if self.fitness.len() < count {
            return Ok(());
        }

        let fitness = std::mem::take(&mut self.fitness);
        let mean = fitness.iter().sum::<f64>() / count as f64;
        let variance = fitness.iter().map(|fitness| (fitness - mean).powi(2)).sum::<f64>() / count as f64;
        let best = fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.record = self.record.max(best);
        metrics.set("best", best);
        metrics.set("mean", mean);
        metrics.set("deviation", variance.sqrt());
        metrics.set("record", self.record);
        metrics.set("capped", std::mem::take(&mut self.capped) as f64);
        self.optimizer.tell(&fitness);
        Ok(())
    }

    fn terms(&self, fixed: &Fixed<G, Config>) -> Terms {
        terms(fixed, self.optimizer.solution())
    }
}

/// Fitness and cut games of a candidate.
pub type Evaluated = (f64, u64);

impl<G: Roster> Evolution<G> {
    /// Candidates of the generation.
    pub fn candidates(&mut self) -> usize {
        self.algorithm.optimizer.ask().len()
    }

    /// Evaluates some candidates of the generation, by their places.
    pub fn evaluate(&mut self, places: Range<usize>) -> Result<Vec<Evaluated>> {
        self.algorithm.evaluate(&self.fixed, places)
    }

    /// Takes the candidates of the generation as evaluated elsewhere; the next round ends the
    /// generation.
    pub fn take(&mut self, evaluated: Vec<Evaluated>) -> Result<()> {
        let candidates = self.candidates();
        let sound = evaluated.iter().all(|(fitness, _)| fitness.is_finite());
        if evaluated.len() != candidates || !sound {
            return Err(Error::user(format!(
                "the generation has {candidates} candidates, each of which needs a finite fitness"
            )));
        }
        self.algorithm.capped = evaluated.iter().map(|(_, capped)| capped).sum();
        self.algorithm.fitness = evaluated.into_iter().map(|(fitness, _)| fitness).collect();
        Ok(())
    }
}

impl<G: Roster> Search<G> {
    /// Evaluates some candidates of the generation, by their places.
    fn evaluate(&mut self, fixed: &Fixed<G, Config>, places: Range<usize>) -> Result<Vec<Evaluated>> {
        self.find_levels(fixed)?;
        let candidates = &self.optimizer.ask()[places];
        let agents: Vec<Terms> = candidates.iter().map(|numbers| terms(fixed, numbers)).collect();
        Ok(self.play(fixed, &agents))
    }

    /// Fitness and cut games of each agent.
    fn play(&self, fixed: &Fixed<G, Config>, agents: &[Terms]) -> Vec<Evaluated> {
        let Fitness { games, moves, .. } = fixed.config.fitness;
        let jobs = agents.len() * games as usize;
        let job = |job: usize| (&agents[job / games as usize], self.stream(fixed, job as u64 % games));
        let games = games as usize;
        let Some((_, levels)) = &self.levels else {
            let play = |(terms, mut stream): (&Terms, _)| weighed::play::<G>(&fixed.rules, terms, &mut stream, moves);
            let played: Vec<Run> = pool::map(jobs, 1, |number| play(job(number)));
            let fitness = |runs: &[Run]| {
                let cut = runs.iter().filter(|run| !run.is_over).count();
                (runs.iter().map(|run| run.score).sum::<f64>() / games as f64, cut as u64)
            };
            return played.chunks_exact(games).map(fitness).collect();
        };
        let most = moves.saturating_mul(LONGEST);
        let play = |(terms, mut stream): (&Terms, _)| {
            splitting::play(Walk::new(&fixed.rules, levels), terms, &mut stream, moves, most)
        };
        let played: Vec<Tallies> = pool::map(jobs, 1, |number| play(job(number)));
        let fitness = |sequences: &[Tallies]| {
            let add = |sum: (f64, f64), sequence: (f64, f64)| (sum.0 + sequence.0, sum.1 + sequence.1);
            let (score, ends) = sequences.iter().map(|sequence| sequence.weighed(levels)).fold((0.0, 0.0), add);
            let capped = sequences.iter().map(Tallies::total).filter(|all| all.ended == 0 || all.moves >= most).count();
            // A sequence without an end counts as if with one.
            (score / f64::max(ends, levels.smallest_weight()), capped as u64)
        };
        played.chunks_exact(games).map(fitness).collect()
    }

    fn find_levels(&mut self, fixed: &Fixed<G, Config>) -> Result<()> {
        let (Fitness { games, moves, split }, generation) = (fixed.config.fitness.clone(), self.step());
        if !split || self.levels.as_ref().is_some_and(|(of, _)| *of == generation) {
            return Ok(());
        }
        let (moves, most) = (moves.div_ceil(PILOT), moves.saturating_mul(LONGEST));
        let terms = self.terms(fixed);
        let levels = Levels::find(splitting::importance("fitness.split")?, |levels| {
            let walk = || Walk::new(&fixed.rules, levels);
            let play = |game| splitting::play(walk(), &terms, &mut self.stream(fixed, game), moves, most);
            let played: Vec<Tallies> = pool::map(games as usize, 1, |game| play(game as u64));
            Ok(played.into_iter().collect())
        })?;
        self.levels = Some((generation, levels));
        Ok(())
    }

    fn stream(&self, fixed: &Fixed<G, Config>, game: u64) -> Stream {
        Stream::new(fixed.seed, Role::Simulate, self.step() * fixed.config.fitness.games + game)
    }
}

/// Features and weights of a candidate.
///
/// The numbers are the weights themselves if no agent is given; if one is, each is added to the given weight,
/// in units of that weight's size (for 0: of the searched weights' mean size); other given weights
/// stay.
fn terms<G: Game>(fixed: &Fixed<G, Config>, numbers: &[f64]) -> Terms {
    let (features, given) = (fixed.selection.features(), &fixed.given);
    let weight = |feature: usize| given.iter().filter(|(of, _)| *of == feature).map(|(_, weight)| weight).sum::<f64>();
    let sizes: f64 = features.iter().map(|feature| weight(*feature).abs()).sum();
    let mean = if sizes > 0.0 { sizes / features.len() as f64 } else { 1.0 };
    let searched = features.iter().zip(numbers).map(|(feature, number)| {
        let start = weight(*feature);
        (*feature, start + if start == 0.0 { mean } else { start.abs() } * number)
    });
    searched.chain(given.iter().copied().filter(|(feature, _)| !features.contains(feature))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Endurance, Extent, endure, levels};
    use crate::games::Tetris;
    use crate::network::device;
    use crate::players::Measured as _;
    use crate::{Learner, Source};

    const CONFIG: &str = "
        learner = 'evolution'
        seed = 3
        game = { name = 'tetris', rules = { rows = 6 } }
        training = { generations = 6 }
        learning = { method = 'cma', features = ['dellacherie'] }
        fitness = { games = 4, moves = 400 }
    ";

    fn fresh(sets: &[&str]) -> Evolution<Tetris> {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let source = Source::parse(CONFIG, "it", &sets).unwrap();
        let (config, rules) = source.resolve::<Tetris, Evolution<Tetris>>().unwrap();
        Evolution::new(&config, &rules, &device::select(None).unwrap().1).unwrap()
    }

    #[test]
    fn every_method_finds_better_agents_than_it_began_with() {
        for method in ["genetic", "cross-entropy", "cma"] {
            let sets = format!("learning.method={method}");
            let small = ["genetic.population=30", "cross_entropy.population=30", "cma.population=12", &sets];
            let mut learner = fresh(&small);
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
    fn split_games_find_good_agents_of_twenty_rows() {
        let sets = ["game.rules.rows=20", "fitness.split=true", "fitness.moves=2000", "learning.features=['dt']"];
        let mut learner = fresh(&sets);
        let mut metrics = Metrics::default();
        while learner.step() < 25 {
            learner.round(&mut metrics).unwrap();
        }
        // Whole games would take millions of moves each.
        assert!(metrics.get("mean").unwrap() > 10_000.0, "{:?}", metrics.get("mean"));
        let extent = Extent { first: 0, sequences: 20, moves: 4_000 };
        let mut player = learner.player();
        let levels = levels(&mut player, &learner.fixed.rules, extent, Tetris::IMPORTANCE.unwrap()).unwrap();
        let found = Endurance::of(&endure(&mut player, &learner.fixed.rules, extent, &levels).unwrap());
        assert!(found.mean.unwrap() > 20_000.0, "{found:?}");
    }
}
