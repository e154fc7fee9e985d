//! Genetic algorithm.

use serde::{Deserialize, Serialize};

use super::super::require;
use super::super::sections::{Checked, at_least_one, between, positive, share};
use super::optimizer::{Optimizer, are_vectors, assert_fitness, ranking, standard_normal, uniform};
use crate::random::{Draw, Stream};

sections! {
    /// Configuration of the genetic algorithm, by default that of "Growing with Big Data, A Tetris Player": section `[genetic]`.
    ///
    /// | key | default | range | meaning |
    /// |---|---|---|---|
    /// | `population` | 1,000 | 5 to 1,000,000 | Individuals. |
    /// | `range` | 1 | above 0 | Initial genes are uniform between `-range` and `range`. |
    /// | `parents` | 0.4 | two individuals to all but one | Share of the population drawn as parents. |
    /// | `offspring` | 0.4 | one individual to all but one | Share of worst individuals that offspring replaces. |
    /// | `crossover` | 0.8 | 0 to 1 | Probability that parents are crossed instead of copied. |
    /// | `mutation` | 0.08 | 0 to 1 | Probability that a gene of a child changes. |
    /// | `mutation_deviation` | 0.1 | above 0 | Standard deviation of a change. |
    /// | `patience` | 50 | at least 1 | Generations without a new best fitness that end the search. |
    /// | `ineffective_crossover` | false |  | Whether a parent is crossed with itself, which changes nothing: a mistake of that program. |
    /// | `reevaluate` | false |  | Whether survivors are evaluated again. |
    pub struct Config {
        /// Individuals.
        pub population: usize = 1_000,
        /// Initial genes are uniform between `-range` and `range`.
        pub range: f64 = 1.0,
        /// Share of the population drawn as parents.
        pub parents: f64 = 0.4,
        /// Share of worst individuals that offspring replaces.
        pub offspring: f64 = 0.4,
        /// Probability that parents are crossed instead of copied.
        pub crossover: f64 = 0.8,
        /// Probability that a gene of a child changes.
        pub mutation: f64 = 0.08,
        /// Standard deviation of a change.
        pub mutation_deviation: f64 = 0.1,
        /// Generations without a new best fitness that end the search.
        pub patience: u64 = 50,
        /// Take the same parent twice, so that crossover does nothing: a mistake of the report's
        /// program.
        pub ineffective_crossover: bool = false,
        /// Evaluate survivors again.
        pub reevaluate: bool = false,
    }
}

impl Config {
    /// Checks all values.
    pub fn check(&self) -> Checked {
        between("genetic.population", self.population, 5..=1_000_000)?;
        positive("genetic.range", self.range)?;
        let individuals = |key: &str, share: f64, least: usize, words: &str| {
            let right = (0.0..=1.0).contains(&share) && (least..self.population).contains(&self.count(share));
            require(right, key, share, format!("a share that is at least {words} and not all"))
        };
        individuals("genetic.parents", self.parents, 2, "two individuals")?;
        individuals("genetic.offspring", self.offspring, 1, "one individual")?;
        share("genetic.crossover", self.crossover)?;
        share("genetic.mutation", self.mutation)?;
        positive("genetic.mutation_deviation", self.mutation_deviation)?;
        at_least_one("genetic.patience", self.patience)
    }

    fn count(&self, share: f64) -> usize {
        (share * self.population as f64).round() as usize
    }
}

/// The genetic algorithm of "Growing with Big Data, A Tetris Player" (2018).
///
/// Each generation, [`universal_sampling`] draws parents. Two parents, different if possible, have
/// two children by crossover or as copies; a gene of a child may change. Children replace the worst
/// individuals. The solution has the highest fitness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Genetic {
    pub(super) config: Config,
    stream: Stream,
    population: Vec<Vec<f64>>,
    /// Last fitness of each individual; empty before the first generation.
    fitness: Vec<f64>,
    /// Candidates under evaluation; empty after it.
    asked: Vec<Vec<f64>>,
    /// Individual that each candidate replaces.
    places: Vec<usize>,
    best: usize,
    /// Highest fitness so far.
    record: Option<f64>,
    /// Generations since the record.
    waited: u64,
    generation: u64,
}

impl Genetic {
    /// A random population with `dimensions` genes.
    pub fn new(config: Config, dimensions: usize, mut stream: Stream) -> Self {
        let mut gene = || config.range * (2.0 * uniform(&mut stream) - 1.0);
        let population = (0..config.population).map(|_| (0..dimensions).map(|_| gene()).collect()).collect();
        Self {
            config,
            stream,
            population,
            fitness: vec![],
            asked: vec![],
            places: vec![],
            best: 0,
            record: None,
            waited: 0,
            generation: 0,
        }
    }

    fn breed(&mut self) -> Vec<Vec<f64>> {
        let (parents, offspring) = (self.config.count(self.config.parents), self.config.count(self.config.offspring));
        let pool = universal_sampling(&self.fitness, parents, &mut self.stream);
        let mut children = Vec::with_capacity(offspring + 1);
        while children.len() < offspring {
            let [one, other] = self.couple(&pool).map(|parent| &self.population[parent]);
            let pair = match uniform(&mut self.stream) < self.config.crossover {
                true => cross(one, other, uniform(&mut self.stream)),
                false => [one.clone(), other.clone()],
            };
            children.extend(pair.map(|child| self.mutate(child)));
        }
        children.truncate(offspring);
        children
    }

    /// Two parents, different individuals if possible.
    fn couple(&mut self, pool: &[usize]) -> [usize; 2] {
        let mut pick = |pool: &[usize]| pool[self.stream.below(pool.len() as u32) as usize];
        let one = pick(pool);
        let others: Vec<usize> = pool.iter().copied().filter(|&other| other != one).collect();
        match self.config.ineffective_crossover || others.is_empty() {
            true => [one, one],
            false => [one, pick(&others)],
        }
    }

    fn mutate(&mut self, mut child: Vec<f64>) -> Vec<f64> {
        if uniform(&mut self.stream) < self.config.mutation {
            let gene = self.stream.below(child.len() as u32) as usize;
            child[gene] += self.config.mutation_deviation * standard_normal(&mut self.stream);
        }
        child
    }
}

impl Optimizer for Genetic {
    fn ask(&mut self) -> &[Vec<f64>] {
        if self.asked.is_empty() {
            let everyone = (0..self.population.len()).collect();
            if self.fitness.is_empty() {
                (self.asked, self.places) = (self.population.clone(), everyone);
                return &self.asked;
            }
            let children = self.breed();
            let worst = ranking(&self.fitness).split_off(self.population.len() - children.len());
            if self.config.reevaluate {
                (self.asked, self.places) = (self.population.clone(), everyone);
                worst.into_iter().zip(children).for_each(|(place, child)| self.asked[place] = child);
            } else {
                (self.asked, self.places) = (children, worst);
            }
        }
        &self.asked
    }

    fn tell(&mut self, fitness: &[f64]) {
        assert_fitness(self.asked.len(), fitness);
        self.fitness.resize(self.population.len(), 0.0);
        for ((place, candidate), &fitness) in self.places.drain(..).zip(self.asked.drain(..)).zip(fitness) {
            (self.population[place], self.fitness[place]) = (candidate, fitness);
        }
        self.generation += 1;
        self.best = ranking(&self.fitness)[0];
        let best = self.fitness[self.best];
        let better = self.record.is_none_or(|record| best > record);
        if better {
            self.record = Some(best);
        }
        self.waited = if better { 0 } else { self.waited + 1 };
    }

    fn solution(&self) -> &[f64] {
        &self.population[self.best]
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn is_finished(&self) -> bool {
        self.waited >= self.config.patience
    }

    fn asked(&self) -> usize {
        self.asked.len()
    }

    fn fits(&self, n: usize) -> bool {
        let count = self.config.population;
        self.population.len() == count
            && are_vectors(&self.population, n)
            && (self.fitness.is_empty() || self.fitness.len() == count)
            && self.fitness.iter().chain(&self.record).all(|fitness| fitness.is_finite())
            && are_vectors(&self.asked, n)
            && self.asked.len() == self.places.len()
            && self.places.iter().chain([&self.best]).all(|place| *place < count)
    }
}

/// Stochastic universal sampling: draws indices in proportion to fitness.
///
/// One random number places a comb with `count` teeth, so each index is drawn as often as expected,
/// rounded down or up. Negative fitness is shifted to a minimum of 0; if all are 0, chances are
/// equal. (Baker 1987, "Reducing bias and inefficiency in the selection algorithm".)
pub fn universal_sampling(fitness: &[f64], count: usize, stream: &mut Stream) -> Vec<usize> {
    let lowest = fitness.iter().copied().fold(0.0, f64::min);
    let mut chances: Vec<f64> = fitness.iter().map(|fitness| fitness - lowest).collect();
    if chances.iter().all(|&chance| chance == 0.0) {
        chances.fill(1.0);
    }
    let total: f64 = chances.iter().sum();
    let (mut drawn, mut expected, mut last) = (Vec::with_capacity(count), 0.0, 0);
    let start = uniform(stream);
    for (place, chance) in chances.into_iter().enumerate().filter(|&(_, chance)| chance > 0.0) {
        expected += chance / total * count as f64;
        while drawn.len() < count && start + (drawn.len() as f64) < expected {
            drawn.push(place);
        }
        last = place;
    }
    // Rounding can leave out the last tooth.
    drawn.resize(count, last);
    drawn
}

/// Whole arithmetic crossover: `alpha * one + (1 - alpha) * other` and the reverse.
///
/// Children of equal parents are equal to the bit.
fn cross(one: &[f64], other: &[f64], alpha: f64) -> [Vec<f64>; 2] {
    let between = |from: &[f64], to: &[f64]| from.iter().zip(to).map(|(from, to)| from + alpha * (to - from)).collect();
    [between(other, one), between(one, other)]
}

#[cfg(test)]
mod tests {
    use super::super::optimizer::testing::{assert_each_damages, distance, ellipsoid, run, sphere, stream};
    use super::*;

    fn small() -> Config {
        Config { population: 20, ..Config::default() }
    }

    fn counts(drawn: &[usize], places: usize) -> Vec<usize> {
        (0..places).map(|place| drawn.iter().filter(|&&other| other == place).count()).collect()
    }

    #[test]
    fn universal_sampling_takes_the_expected_number_rounded_down_or_up() {
        let mut stream = stream(10);
        let fitness: Vec<f64> = (0..50).map(|_| uniform(&mut stream).powi(4)).collect();
        let total: f64 = fitness.iter().sum();
        let (mut sums, rounds) = (vec![0; 50], 4_000);
        for _ in 0..rounds {
            let counts = counts(&universal_sampling(&fitness, 80, &mut stream), 50);
            for (place, count) in counts.iter().enumerate() {
                let expected = fitness[place] / total * 80.0;
                assert!((expected.floor()..=expected.ceil()).contains(&(*count as f64)), "{count} for {expected}");
                sums[place] += count;
            }
        }
        for (sum, fitness) in sums.into_iter().zip(&fitness) {
            // Five deviations; the variance of one draw is at most 1/4.
            let (mean, expected) = (sum as f64 / f64::from(rounds), fitness / total * 80.0);
            assert!((mean - expected).abs() < 5.0 * 0.5 / f64::from(rounds).sqrt(), "{mean} for {expected}");
        }
    }

    #[test]
    fn universal_sampling_of_whole_numbers_is_certain() {
        // 12 draws in shares 3 : 0 : 1 : 2 of 6.
        let drawn = universal_sampling(&[3.0, 0.0, 1.0, 2.0], 12, &mut stream(11));
        assert_eq!(drawn, [0, 0, 0, 0, 0, 0, 2, 2, 3, 3, 3, 3]);
        // Equal shares after -5 is shifted to 0; positive numbers are not shifted: 1 : 1 : 2.
        let drawn = universal_sampling(&[-2.0, -5.0, -4.0, -3.0], 12, &mut stream(11));
        assert_eq!(counts(&drawn, 4), [6, 0, 2, 4]);
        assert_eq!(counts(&universal_sampling(&[1.0, 1.0, 2.0], 8, &mut stream(11)), 3), [2, 2, 4]);
    }

    #[test]
    fn all_have_equal_chances_where_all_are_equal() {
        for fitness in [0.0, -7.0, 7.0] {
            assert_eq!(counts(&universal_sampling(&[fitness; 4], 8, &mut stream(12)), 4), [2; 4]);
        }
    }

    #[test]
    fn crossed_children_lie_between_their_parents_with_complementary_shares() {
        // 0.25 * (0, 8) + 0.75 * (4, 4), and the reverse.
        assert_eq!(cross(&[0.0, 8.0], &[4.0, 4.0], 0.25), [vec![3.0, 5.0], vec![1.0, 7.0]]);
        let parent = [0.1, -0.7, 1e-9];
        assert_eq!(cross(&parent, &parent, 0.3), [parent.to_vec(), parent.to_vec()]);
    }

    #[test]
    fn the_first_genes_are_spread_evenly_over_their_range() {
        let mut genetic = Genetic::new(Config { range: 2.0, ..Config::default() }, 4, stream(13));
        let candidates = genetic.ask();
        assert_eq!((candidates.len(), candidates[0].len()), (1_000, 4));
        let genes = candidates.concat();
        assert!(genes.iter().all(|gene| gene.abs() < 2.0));
        // 180 is six standard deviations of a count.
        for third in 0..3 {
            let from = f64::from(third) * 4.0 / 3.0 - 2.0;
            let count = genes.iter().filter(|&&gene| gene >= from && gene < from + 4.0 / 3.0).count();
            assert!(count.abs_diff(1_333) < 180, "{count}");
        }
    }

    #[test]
    fn offspring_replace_the_worst_and_the_others_keep_their_fitness() {
        let mut genetic = Genetic::new(small(), 3, stream(14));
        assert_eq!(genetic.ask().len(), 20);
        // Individual i has fitness 7 i modulo 20, a mixed order.
        let first: Vec<f64> = (0..20).map(|place| f64::from(place * 7 % 20)).collect();
        genetic.tell(&first);
        let before = genetic.population.clone();
        let children = genetic.ask().to_vec();
        assert_eq!(children.len(), 8);
        // Even worse children replace the worst.
        genetic.tell(&[-1.0; 8]);
        let mut replaced = vec![];
        for place in 0..20 {
            let kept = genetic.population[place] == before[place] && genetic.fitness[place] == first[place];
            assert_eq!(kept, first[place] >= 8.0, "{place}");
            if !kept {
                replaced.push(genetic.population[place].clone());
            }
        }
        for child in children {
            assert!(replaced.contains(&child));
        }
        // 7 * 17 = 119.
        assert_eq!(genetic.solution(), before[17]);
    }

    #[test]
    fn all_are_evaluated_again_where_that_is_wanted() {
        let mut genetic = Genetic::new(Config { reevaluate: true, ..small() }, 3, stream(15));
        run(&mut genetic, sphere, 1);
        let before = genetic.population.clone();
        let asked = genetic.ask().to_vec();
        let same = asked.iter().zip(&before).filter(|(now, before)| now == before).count();
        // Eight children differ from the individuals that they replace.
        assert_eq!((asked.len(), same), (20, 12));
        let fitness: Vec<f64> = (0..20).map(f64::from).collect();
        genetic.tell(&fitness);
        assert_eq!(genetic.fitness, fitness);
        assert_eq!(genetic.solution(), asked[19]);
    }

    /// Individual i has 1 in gene i, else 0.
    fn marked(config: Config) -> Genetic {
        let count = config.population;
        let mut genetic = Genetic::new(config, count, stream(16));
        genetic.population = (0..count).map(|own| (0..count).map(|gene| f64::from(gene == own)).collect()).collect();
        run(&mut genetic, |_| 1.0, 1);
        genetic
    }

    #[test]
    fn the_given_share_of_children_is_crossed_from_two_different_parents() {
        let config = Config { population: 1_000, mutation: 0.0, ..Config::default() };
        let children = marked(config.clone()).ask().to_vec();
        let parents = |child: &Vec<f64>| child.iter().filter(|&&gene| gene != 0.0).count();
        assert!(children.iter().all(|child| (child.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        let crossed = children.iter().filter(|child| parents(child) == 2).count();
        let copied = children.iter().filter(|child| parents(child) == 1).count();
        // 160 of 200 couples, with a standard deviation of 5.7.
        assert_eq!(crossed + copied, 400);
        assert!(crossed.abs_diff(320) <= 2 * 28, "{crossed}");
        // Consecutive children have the same parents, in shares that add up to 1.
        for pair in children.chunks(2) {
            let both: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(one, other)| one + other).collect();
            assert_eq!(both.iter().filter(|&&gene| (gene - 1.0).abs() < 1e-12).count(), 2);
        }

        let children = marked(Config { ineffective_crossover: true, ..config }).ask().to_vec();
        assert!(children.iter().all(|child| parents(child) == 1 && child.contains(&1.0)));
        assert!(children.chunks(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn the_given_share_of_children_has_one_gene_changed_by_the_given_deviation() {
        let config = Config { population: 1_000, crossover: 0.0, mutation: 0.3, ..Config::default() };
        let mut genetic = marked(config);
        let (mut changes, mut changed_genes) = (vec![], vec![]);
        for child in genetic.ask() {
            let odd: Vec<usize> = (0..1_000).filter(|&gene| child[gene] != 0.0 && child[gene] != 1.0).collect();
            assert!(odd.len() <= 1);
            changes.extend(odd.iter().map(|&gene| child[gene]));
            changed_genes.extend(odd);
        }
        // 120 of 400 with a standard deviation of 9.2.
        assert!(changes.len().abs_diff(120) < 46, "{}", changes.len());
        let variance = changes.iter().map(|change| change * change).sum::<f64>() / changes.len() as f64;
        assert!((variance.sqrt() - 0.1).abs() < 0.03, "{variance}");
        changed_genes.sort_unstable();
        changed_genes.dedup();
        assert!(changed_genes.len() > 90);
    }

    #[test]
    fn an_individual_that_is_in_the_pool_several_times_is_not_crossed_with_itself() {
        let mut genetic = Genetic::new(Config { crossover: 1.0, mutation: 0.0, ..small() }, 1, stream(22));
        genetic.population = (0..20).map(|place| vec![f64::from(place)]).collect();
        // The pool has individuals 3 and 8 four times each.
        run(&mut genetic, |candidate| f64::from([3.0, 8.0].contains(&candidate[0])), 1);
        assert!(genetic.ask().iter().all(|child| child[0] > 3.0 && child[0] < 8.0), "{:?}", genetic.ask());
    }

    #[test]
    fn a_pool_of_one_individual_has_children_too() {
        let mut genetic = Genetic::new(small(), 2, stream(17));
        genetic.ask();
        let mut fitness = [0.0; 20];
        fitness[4] = 1.0;
        genetic.tell(&fitness);
        let best = genetic.solution().to_vec();
        let same = genetic.ask().iter().filter(|child| **child == best).count();
        assert!(same >= 5, "{same}");
    }

    #[test]
    fn the_search_ends_when_patience_is_over_and_a_better_best_renews_it() {
        let mut genetic = Genetic::new(Config { patience: 3, ..small() }, 2, stream(18));
        for (best, finished) in
            [(1.0, false), (1.0, false), (0.5, false), (2.0, false), (2.0, false), (1.0, false), (2.0, true)]
        {
            run(&mut genetic, |_| best, 1);
            assert_eq!(genetic.is_finished(), finished, "generation {}", genetic.generation());
        }
    }

    #[test]
    fn the_best_of_a_sphere_is_found_and_not_where_crossover_does_nothing() {
        // The maximum lies amid the initial genes, where crossover alone leads.
        let config = Config { population: 200, mutation: 0.0, ..Config::default() };
        let fitness = |candidate: &[f64]| 10.0 + ellipsoid(candidate) / 100.0;
        let mut distances = [0.0; 2];
        for (distance_of, ineffective_crossover) in distances.iter_mut().zip([false, true]) {
            let mut genetic = Genetic::new(Config { ineffective_crossover, ..config.clone() }, 5, stream(19));
            run(&mut genetic, fitness, 60);
            *distance_of = distance(genetic.solution(), [0.0; 5]);
        }
        assert!(distances[0] < 0.2 && distances[1] > 0.3, "{distances:?}");

        // The maximum lies outside the initial genes, where only mutation leads.
        let mut genetic =
            Genetic::new(Config { population: 100, mutation: 0.5, range: 0.5, ..Config::default() }, 3, stream(20));
        run(&mut genetic, sphere, 400);
        assert!(distance(genetic.solution(), [1.0, 2.0, 3.0]) < 0.1, "{:?}", genetic.solution());
    }

    #[test]
    fn values_out_of_range_are_named() {
        assert_eq!(Config::default().check(), Ok(()));
        let wrong = |config: Config| config.check().unwrap_err().key;
        assert_eq!(wrong(Config { population: 4, ..small() }), "genetic.population");
        assert_eq!(wrong(Config { range: 0.0, ..small() }), "genetic.range");
        assert_eq!(wrong(Config { parents: 0.07, ..small() }), "genetic.parents");
        assert_eq!(wrong(Config { offspring: 1.0, ..small() }), "genetic.offspring");
        assert_eq!(wrong(Config { crossover: f64::NAN, ..small() }), "genetic.crossover");
        assert_eq!(wrong(Config { mutation: 1.1, ..small() }), "genetic.mutation");
        assert_eq!(wrong(Config { mutation_deviation: -1.0, ..small() }), "genetic.mutation_deviation");
        assert_eq!(wrong(Config { patience: 0, ..small() }), "genetic.patience");
    }

    #[test]
    fn a_saved_search_that_is_not_whole_fits_nothing() {
        let mut whole = Genetic::new(Config::default(), 3, Stream::new(1, crate::random::Role::Initialise, 0));
        assert!(whole.fits(3) && !whole.fits(2));
        whole.ask();
        assert!(whole.fits(3) && whole.asked() > 1);
        let changes: [fn(&mut Genetic); 8] = [
            |search| drop(search.asked.pop()),
            |search| search.asked[0].push(0.0),
            |search| search.asked[1][2] = f64::NAN,
            |search| search.best = 100_000,
            |search| search.places[0] = usize::MAX,
            |search| drop(search.population.pop()),
            |search| search.fitness = vec![1.0],
            |search| search.record = Some(f64::NAN),
        ];
        assert_each_damages(&whole, &changes, |search| search.fits(3));
    }
}
