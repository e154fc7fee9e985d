//! Search by simulation over the known rules: what each move leads to.
//!
//! All moves are tried under the same luck.

use std::time::{Duration, Instant};

use rand::Rng;
use rayon::prelude::*;

use super::{ActionValue, Policy};
use crate::games::Game;
use crate::random::{ColumnStreams, Role, Stream};

/// How long a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Simulations a move: as many on any machine and any number of threads.
    Simulations(usize),
    /// Time a move.
    Time(Duration),
}

/// Values of positions at which simulations end, many at once.
pub trait Leaf<G: Game> {
    /// What can go wrong.
    type Error;

    /// What each of the states is worth beside the points of its simulation.
    ///
    /// The simulation ends there, and the game is not over. It is the points still to come, or what is known of
    /// them.
    ///
    /// # Errors
    /// When the device that computes them fails.
    fn values(&mut self, states: &[G::State]) -> Result<Vec<f32>, Self::Error>;

    /// How many states are valued at once with the least time for each.
    fn batch(&self) -> usize {
        1
    }
}

/// The leaf that looks no further: every position is worth 0.
pub struct NoLeaf;

impl<G: Game> Leaf<G> for NoLeaf {
    type Error = std::convert::Infallible;

    fn values(&mut self, states: &[G::State]) -> Result<Vec<f32>, Self::Error> {
        Ok(vec![0.0; states.len()])
    }
}

/// Ranks moves by simulated outcomes.
///
/// Of each outcome count the move, `depth` moves of a guide, and the value of the position they end in. The budget
/// is spent by sequential halving (Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed
/// bandits"): in each of log2(moves) rounds the moves that are left share an equal part of it, then the worse half
/// goes. Simulation i has the same draws, column by column, for each move, and what they all say does not depend on
/// threads.
#[derive(Clone, Debug)]
pub struct Search<G: Game> {
    /// The rules of the simulated games.
    pub rules: G::Rules,
    /// How long to search.
    pub budget: Budget,
    /// Moves of the guide after the move.
    pub depth: u32,
    /// Simulations that a candidate's first value counts for; 0 for none.
    ///
    /// What such values are above simulations on average is taken off.
    pub prior_visits: f64,
}

/// Simulations that are worth a task for another thread.
const TASK: usize = 8;

/// A candidate and its simulations so far.
struct Candidate {
    action: usize,
    /// With which it came.
    value: f64,
    total: f64,
    simulations: usize,
}

impl Candidate {
    /// The mean of its simulations and of `prior_visits` more of its shifted value.
    fn mean(&self, prior_visits: f64, shift: f64) -> f64 {
        let count = prior_visits + self.simulations as f64;
        // A value that does not count may be no number.
        let before = if prior_visits > 0.0 { prior_visits * (self.value + shift) } else { 0.0 };
        if count == 0.0 { 0.0 } else { (before + self.total) / count }
    }
}

/// What brings candidates' first values to the mean of their simulations.
///
/// A value may count more or fewer moves than simulations do.
fn shift(candidates: &[Candidate]) -> f64 {
    let tried = candidates.iter().filter(|candidate| candidate.simulations > 0);
    let apart = |candidate: &Candidate| candidate.total / candidate.simulations as f64 - candidate.value;
    let (sum, count) = tried.map(apart).fold((0.0, 0.0), |(sum, count), apart| (sum + apart, count + 1.0));
    if count == 0.0 { 0.0 } else { sum / count }
}

impl<G: Game> Search<G> {
    /// The candidates with their means, in points, from the best on.
    ///
    /// Those that went first come last. `candidates` are in the order of their promise: of equal ones the earlier
    /// stays, and if the budget is too small to try all, the last are left out. With
    /// [`prior_visits`](Self::prior_visits) the values they come with count in their means. A time counts from
    /// `begin`; each candidate is tried once at least, unless the time is over before and the values they come with
    /// count.
    ///
    /// # Errors
    /// When the leaf fails.
    pub fn rank<L: Leaf<G>>(
        &self,
        state: &G::State,
        candidates: &[ActionValue],
        guide: &impl Policy<G>,
        leaf: &mut L,
        ties: &mut Stream,
        begin: Instant,
    ) -> Result<Vec<ActionValue>, L::Error> {
        if candidates.is_empty() {
            return Ok(vec![]);
        }
        let seed = ties.next_u64();
        let mut left = match self.budget {
            Budget::Simulations(budget) => affordable(candidates.len(), budget),
            Budget::Time(_) => candidates.len(),
        };
        let start = |ActionValue { action, value }: &ActionValue| Candidate {
            action: *action,
            value: *value,
            total: 0.0,
            simulations: 0,
        };
        let mut ranked: Vec<Candidate> = candidates[..left].iter().map(start).collect();
        let rounds = rounds(left);
        let (mut spent, mut shifted) = (0, 0.0);
        for round in 0..rounds {
            let tried = &mut ranked[..left];
            match self.budget {
                Budget::Simulations(budget) => {
                    let simulations = (budget - spent) / ((rounds - round) * left);
                    spent += simulations * left;
                    self.simulate(state, tried, simulations, seed, guide, leaf)?;
                }
                Budget::Time(budget) => {
                    let end = budget.mul_f64((round + 1) as f64 / rounds as f64);
                    let most = leaf.batch().max(TASK * rayon::current_num_threads()).div_ceil(left);
                    // At first one of each, then as many as there is time for, by what they have taken so far.
                    loop {
                        let now = begin.elapsed();
                        let simulations = match spent {
                            0 if now < budget || self.prior_visits == 0.0 => 1,
                            _ if now >= end => break,
                            _ => ((end - now).div_duration_f64(now) * spent as f64 / left as f64) as usize,
                        };
                        let simulations = simulations.clamp(1, most);
                        self.simulate(state, tried, simulations, seed, guide, leaf)?;
                        spent += simulations * left;
                    }
                }
            }
            shifted = shift(tried);
            let mean = |candidate: &Candidate| candidate.mean(self.prior_visits, shifted);
            tried.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
            left = left.div_ceil(2);
        }
        let mean = |candidate: &Candidate| candidate.mean(self.prior_visits, shifted);
        Ok(ranked.iter().map(|candidate| ActionValue { action: candidate.action, value: mean(candidate) }).collect())
    }

    /// Adds a number of simulations to each of the candidates.
    ///
    /// All of them have had as many.
    fn simulate<L: Leaf<G>>(
        &self,
        state: &G::State,
        candidates: &mut [Candidate],
        simulations: usize,
        seed: u64,
        guide: &impl Policy<G>,
        leaf: &mut L,
    ) -> Result<(), L::Error> {
        let outcome = |task: usize| {
            let candidate = &candidates[task / simulations];
            let index = candidate.simulations + task % simulations;
            let mut draws = ColumnStreams::new(seed, Role::Simulate, index as u64);
            self.outcome(state, candidate.action, guide, &mut draws)
        };
        let tasks = (0..candidates.len() * simulations).into_par_iter().with_min_len(TASK);
        let outcomes: Vec<(f64, Option<G::State>)> = tasks.map(outcome).collect();
        let ends: Vec<G::State> = outcomes.iter().filter_map(|(_, end)| *end).collect();
        let mut values = leaf.values(&ends)?.into_iter();
        for (candidate, outcomes) in candidates.iter_mut().zip(outcomes.chunks(simulations.max(1))) {
            for (points, end) in outcomes {
                candidate.total += points + end.and_then(|_| values.next()).map_or(0.0, f64::from);
            }
            candidate.simulations += simulations;
        }
        Ok(())
    }

    /// The points of one simulation, and where it ends if the game goes on.
    fn outcome(
        &self,
        state: &G::State,
        action: usize,
        guide: &impl Policy<G>,
        draws: &mut ColumnStreams,
    ) -> (f64, Option<G::State>) {
        let mut game = G::at(&self.rules, state);
        let mut points = f64::from(game.step(action, draws).reward);
        for moves in 0..self.depth {
            if game.is_over() {
                break;
            }
            let action = guide.follow(moves, &game.state(), &mut draws.other);
            points += f64::from(game.step(action, draws).reward);
        }
        (points, (!game.is_over()).then(|| game.state()))
    }
}

/// The rounds that halve a number of candidates to one; at least one round.
fn rounds(candidates: usize) -> usize {
    (candidates.next_power_of_two().ilog2() as usize).max(1)
}

/// The most candidates that can be tried once in every round.
fn affordable(candidates: usize, budget: usize) -> usize {
    (1..=candidates).rev().find(|count| count * rounds(*count) <= budget).unwrap_or(candidates.min(1))
}
