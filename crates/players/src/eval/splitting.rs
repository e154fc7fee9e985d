//! Games split near their end, so that rare ends are seen often.
//!
//! RESTART (Villén-Altamirano and Villén-Altamirano 1991): a game that climbs to a level of
//! importance goes on as several branches, with their own luck and shares of the weight; all but
//! one end below the level.

use crate::contract::{Importance, Measured};
use matchq_core::error::{Error, Result};
use matchq_core::random::{Draw, Stream};
use matchq_games::{ActionFeatures, Game, Step, weighed};

/// Most pilot runs.
const PILOTS: usize = 30;
/// Fewest moves at or above a level in a pilot run before games are split there.
const SEEN: u64 = 300;
/// Fewest ends in the last pilot run.
const ENDS: u64 = 50;

/// The game's measure; an error names `asker`, the flag or key.
pub fn importance<G: Measured>(asker: &str) -> Result<Importance<G>> {
    G::IMPORTANCE.ok_or_else(|| {
        Error::user(format!(
            "{asker}: {} has no measure of how near its end a game is, so its games cannot be split",
            G::NAME
        ))
    })
}

/// Number of branches at each level.
#[derive(Clone, Debug)]
pub struct Levels<G> {
    importance: Importance<G>,
    factors: Vec<u64>,
    /// Weight of a move at each level.
    weights: Vec<f64>,
}

impl<G: Game> Levels<G> {
    /// No levels: each game goes on as itself.
    pub fn none() -> Self {
        Self::of(|_| 0, vec![1])
    }

    /// The first factor is 1.
    fn of(importance: Importance<G>, factors: Vec<u64>) -> Self {
        let mut weight = 1.0;
        let weights = factors.iter().map(|factor| {
            weight /= *factor as f64;
            weight
        });
        Self { importance, weights: weights.collect(), factors }
    }

    /// Levels at or above each of which equally many moves are seen.
    ///
    /// `pilot` plays by the levels so far, which rise until games end often enough.
    pub fn find(importance: Importance<G>, mut pilot: impl FnMut(&Self) -> Result<Tallies>) -> Result<Self> {
        let mut levels = Self::of(importance, vec![1]);
        for _ in 0..PILOTS {
            let seen = pilot(&levels)?;
            let next = Self::of(importance, seen.factors(&levels));
            if seen.total().ended >= ENDS || next.factors == levels.factors {
                return Ok(next);
            }
            levels = next;
        }
        Ok(levels)
    }

    /// Weight of a move at the highest level.
    pub fn smallest_weight(&self) -> f64 {
        self.weight(usize::MAX)
    }

    fn factor(&self, level: usize) -> u64 {
        self.factors.get(level).copied().unwrap_or(1)
    }

    fn weight(&self, level: usize) -> f64 {
        self.weights[level.min(self.weights.len() - 1)]
    }
}

/// Sums over the moves of a level.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tally {
    /// Moves from the level.
    pub moves: u64,
    /// Points of the moves.
    pub points: f64,
    /// Moves that ended a game.
    pub ended: u64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.moves += other.moves;
        self.points += other.points;
        self.ended += other.ended;
    }
}

/// Sums by the level of importance before each move.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tallies(Vec<Tally>);

impl Tallies {
    fn at(&mut self, level: usize) -> &mut Tally {
        if level >= self.0.len() {
            self.0.resize(level + 1, Tally::default());
        }
        &mut self.0[level]
    }

    /// Sum of all levels; each move counts once.
    pub fn total(&self) -> Tally {
        let mut sum = Tally::default();
        self.0.iter().for_each(|tally| sum.add(tally));
        sum
    }

    /// Weighted points and ends.
    pub fn weighed<G: Game>(&self, levels: &Levels<G>) -> (f64, f64) {
        let add = |(points, ends), (level, tally): (usize, &Tally)| {
            let weight = levels.weight(level);
            (points + weight * tally.points, ends + weight * tally.ended as f64)
        };
        self.0.iter().enumerate().fold((0.0, 0.0), add)
    }

    /// Factors by which equally many moves would be seen at or above each level.
    fn factors<G: Game>(&self, levels: &Levels<G>) -> Vec<u64> {
        let mut at_or_above = (0, 0.0);
        let mut shares: Vec<(u64, f64)> = self
            .0
            .iter()
            .enumerate()
            .rev()
            .map(|(level, tally)| {
                at_or_above.0 += tally.moves;
                at_or_above.1 += tally.moves as f64 * levels.weight(level);
                at_or_above
            })
            .collect();
        shares.reverse();
        let all = at_or_above.1;
        let mut product = 1.0;
        let factor = |(moves, share): (u64, f64)| {
            let factor = if moves < SEEN { 1.0 } else { (all / share / product).round().max(1.0) };
            product *= factor;
            factor as u64
        };
        let mut factors: Vec<u64> = shares.into_iter().map(factor).collect();
        // Last levels without splits are dropped, so that the same levels are found again.
        while factors.len() > 1 && factors.pop_if(|factor| *factor == 1).is_some() {}
        factors
    }
}

impl FromIterator<Tallies> for Tallies {
    fn from_iter<I: IntoIterator<Item = Tallies>>(all: I) -> Self {
        let mut sums = Self::default();
        for tallies in all {
            tallies.0.iter().enumerate().for_each(|(level, tally)| sums.at(level).add(tally));
        }
        sums
    }
}

/// Plays by linear weights for `moves` moves and until the last game's branches have ended, but
/// `most` moves at most, which show too few ends.
pub fn play<G: ActionFeatures + Measured>(
    mut walk: Walk<G>,
    terms: &[(usize, f64)],
    stream: &mut Stream,
    moves: u64,
    most: u64,
) -> Tallies {
    let mut game = G::new(walk.rules, stream);
    weighed::drive(&mut game, terms, |game, action| {
        let step = game.step(action, stream);
        walk.moved(game, stream, step);
        walk.goes_on(moves) && walk.moves < most
    });
    walk.tallies
}

/// A sequence's games and their branches.
pub struct Walk<'a, G: Game> {
    rules: &'a G::Rules,
    levels: &'a Levels<G>,
    /// Branches to play after the present game, last first.
    waiting: Vec<Branch<G>>,
    /// Level below which the present game is given up; 0 for the sequence's own game.
    born: usize,
    level: usize,
    /// Sums so far, by levels.
    pub tallies: Tallies,
    moves: u64,
}

/// A waiting game, to be played `count` times.
struct Branch<G> {
    game: G,
    born: usize,
    count: u64,
}

impl<'a, G: Game> Walk<'a, G> {
    /// A walk at its first game.
    pub fn new(rules: &'a G::Rules, levels: &'a Levels<G>) -> Self {
        let (waiting, tallies) = (Vec::new(), Tallies::default());
        Self { rules, levels, waiting, born: 0, level: 0, tallies, moves: 0 }
    }

    /// Counts a move, and sets the game to play on with.
    #[inline]
    pub fn moved(&mut self, game: &mut G, draw: &mut impl Draw, step: Step) {
        self.moves += 1;
        let tally = self.tallies.at(self.level);
        tally.moves += 1;
        tally.points += f64::from(step.reward);
        tally.ended += u64::from(step.terminal);
        if step.terminal {
            self.level = 0;
            match self.born {
                0 => *game = G::new(self.rules, draw),
                _ => return self.next(game),
            }
        }
        let level = (self.levels.importance)(game);
        if level < self.born {
            return self.next(game);
        }
        if level > self.level {
            self.climb(game, level);
        }
        self.level = level;
    }

    /// Whether the walk goes on: fewer than `moves` moves were played, or branches wait.
    pub fn goes_on(&self, moves: u64) -> bool {
        self.moves < moves || !self.waiting.is_empty()
    }

    fn climb(&mut self, game: &mut G, level: usize) {
        let (waiting, mut copies) = (self.waiting.len(), 1_u64);
        for born in self.level + 1..=level {
            let factor = self.levels.factor(born);
            if factor > 1 {
                self.waiting.push(Branch { game: game.clone(), born, count: copies.saturating_mul(factor - 1) });
                copies = copies.saturating_mul(factor);
            }
        }
        if copies > 1 {
            // The game itself goes on after its branches.
            self.waiting.insert(waiting, Branch { game: game.clone(), born: self.born, count: 1 });
            self.next(game);
        }
    }

    fn next(&mut self, game: &mut G) {
        let Some(branch) = self.waiting.last_mut() else { return };
        *game = branch.game.clone();
        self.born = branch.born;
        self.level = (self.levels.importance)(game);
        branch.count -= 1;
        if branch.count == 0 {
            self.waiting.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;
    use matchq_core::random::Role;
    use matchq_games::Tetris;
    use matchq_games::tetris::Rules;

    static LEVEL: AtomicUsize = AtomicUsize::new(0);

    fn levels(factors: Vec<u64>) -> Levels<Tetris> {
        Levels::of(|_| LEVEL.load(Relaxed), factors)
    }

    fn tallies(moves: &[u64]) -> Tallies {
        Tallies(moves.iter().map(|moves| Tally { moves: *moves, points: 0.0, ended: 0 }).collect())
    }

    #[test]
    fn each_level_is_to_see_as_many_moves_as_all_together() {
        // The levels at or above 1 have 4,000 of 10,000 moves, those at or above 2 have 900, and
        // level 3 too few.
        let seen = tallies(&[6_000, 3_100, 800, 100]);
        assert_eq!(seen.factors(&Levels::<Tetris>::none()), [1, 3, 4]);
        // Twelve moves at level 2 stand for one: 6,000 + 3,000 / 3 + 1,200 / 12 = 7,100, then 1,100
        // and 100.
        let seen = tallies(&[6_000, 3_000, 1_200]);
        assert_eq!(seen.factors(&levels(vec![1, 3, 4])), [1, 6, 12]);
    }

    #[test]
    fn what_is_seen_counts_by_the_product_of_the_factors_below() {
        let levels = levels(vec![1, 2, 5]);
        let mut seen = tallies(&[1, 1, 1, 1]);
        for (level, tally) in seen.0.iter_mut().enumerate() {
            (tally.points, tally.ended) = (10.0 * level as f64, level as u64);
        }
        assert_eq!(
            seen.weighed(&levels),
            (0.0 + 10.0 / 2.0 + 20.0 / 10.0 + 30.0 / 10.0, 1.0 / 2.0 + 2.0 / 10.0 + 3.0 / 10.0)
        );
        assert_eq!((levels.smallest_weight(), seen.total()), (0.1, Tally { moves: 4, points: 60.0, ended: 6 }));
    }

    #[test]
    fn a_game_that_climbs_two_levels_goes_on_as_the_product_of_their_factors() {
        let (rules, levels) = (Rules::default(), levels(vec![1, 2, 3]));
        let mut walk = Walk::new(&rules, &levels);
        let mut stream = Stream::new(0, Role::Game, 0);
        let mut game = Tetris::new(&rules, &mut stream);
        let step = Step { reward: 1.0, terminal: false, waves: 0 };
        LEVEL.store(2, Relaxed);
        walk.moved(&mut game, &mut stream, step);
        let born =
            |walk: &Walk<Tetris>| walk.waiting.iter().map(|branch| (branch.born, branch.count)).collect::<Vec<_>>();
        // Four branches are born at level 2, of which one plays; one is born at level 1; one is the
        // sequence's own.
        assert_eq!((walk.born, walk.level, born(&walk)), (2, 2, vec![(0, 1), (1, 1), (2, 3)]));
        assert!(walk.goes_on(1));
        // The branch ends below its level, and another goes on.
        LEVEL.store(1, Relaxed);
        walk.moved(&mut game, &mut stream, step);
        assert_eq!((walk.born, born(&walk)), (2, vec![(0, 1), (1, 1), (2, 2)]));
        // A branch ends with its game, too; a new game follows the sequence's own.
        LEVEL.store(2, Relaxed);
        (0..4).for_each(|_| walk.moved(&mut game, &mut stream, Step { terminal: true, ..step }));
        assert_eq!((walk.born, born(&walk), walk.goes_on(1)), (0, vec![], false));
        assert_eq!((walk.tallies.total().moves, walk.tallies.total().ended), (6, 4));
        LEVEL.store(0, Relaxed);
        walk.moved(&mut game, &mut stream, Step { terminal: true, ..step });
        assert_eq!((walk.born, walk.level, walk.tallies.total().ended), (0, 0, 5));
    }
}
