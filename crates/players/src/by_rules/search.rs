use std::time::Duration;

use matchq_core::{pool, stop};
use rand::Rng;

use super::budget::Budget;
use crate::contract::{Meaning, Measured, Policy, Valued};
use matchq_core::clock::Instant;
use matchq_core::random::{ColumnStreams, Role, Stream};
use matchq_games::Lookahead;

/// Ranks moves by simulations of the move and `depth` moves of a guide, with the same luck for all.
///
/// Sequential halving (Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed
/// bandits") spends the budget: moves share an equal part in each of log2(moves) rounds, then the
/// worse half drops out. Simulation i draws the same tokens, column by column, for each move, at
/// any number of threads.
#[derive(Clone, Debug)]
pub struct Search<G: Lookahead + Measured> {
    /// Rules of the simulated games.
    pub rules: G::Rules,
    /// Budget of a move.
    pub budget: Budget,
    /// Moves of the guide after the first move.
    pub depth: u32,
    /// Weight of a candidate's first value, in simulations. First values are shifted to the mean of
    /// simulations.
    pub prior_visits: f64,
    /// Whether the game's forecast is added where a simulation ends.
    pub forecasts: bool,
}

/// Fewest simulations in a task of another thread.
const TASK: usize = 8;

/// Least time of simulations, for a coarse clock.
const SHORTEST: Duration = Duration::from_micros(1);

/// Most outcomes of a candidate that are kept to measure their spread.
const KEPT: usize = 1 << 16;

struct Candidate {
    action: usize,
    /// Value before simulations.
    value: f64,
    total: f64,
    simulations: usize,
    /// The first outcomes; those of one index have the same luck in all candidates.
    outcomes: Vec<f64>,
    /// Mean after each round in which the candidate was tried.
    means: Vec<f64>,
}

impl Candidate {
    /// Mean of the simulations and `prior_visits` times the shifted first value.
    fn mean(&self, prior_visits: f64, shift: f64) -> f64 {
        let count = prior_visits + self.simulations as f64;
        // A first value that does not count may be NaN.
        let before = if prior_visits > 0.0 { prior_visits * (self.value + shift) } else { 0.0 };
        if count == 0.0 { 0.0 } else { (before + self.total) / count }
    }

    /// The candidate beside the best one, whose mean after all rounds is `value`. What the candidate
    /// costs is measured after its last round, when both had equally many simulations.
    fn valued(&self, best: &Self, value: f64, rounds: usize, prior_visits: f64) -> Valued {
        let last = self.means.len().saturating_sub(1);
        let cost = best.means.get(last).zip(self.means.get(last)).map_or(0.0, |(best, own)| best - own);
        let weight = self.simulations as f64 / (self.simulations as f64 + prior_visits);
        let half_width = half_width(&best.outcomes, &self.outcomes, self.simulations).map(|half| weight * half);
        Valued {
            action: self.action,
            value: value - cost,
            half_width: half_width.filter(|_| self.action != best.action),
            // Those of the last two rounds are kept.
            dropped: self.means.len() + 1 < rounds,
        }
    }
}

/// Half of the 95 % interval of the mean difference of `count` outcomes with the same luck, by the
/// spread of the first ones; `None` if there are fewer than two.
fn half_width(one: &[f64], other: &[f64], count: usize) -> Option<f64> {
    let differences = one.iter().zip(other).map(|(one, other)| one - other);
    let number = one.len().min(other.len()) as f64;
    if number < 2.0 {
        return None;
    }
    let mean = differences.clone().sum::<f64>() / number;
    let variance = differences.map(|difference| (difference - mean).powi(2)).sum::<f64>() / (number - 1.0);
    Some(1.96 * (variance / count as f64).sqrt())
}

/// Mean difference of simulations from first values, which may count more or fewer moves.
fn shift(candidates: &[Candidate]) -> f64 {
    let tried = candidates.iter().filter(|candidate| candidate.simulations > 0);
    let apart = |candidate: &Candidate| candidate.total / candidate.simulations as f64 - candidate.value;
    let (sum, count) = tried.map(apart).fold((0.0, 0.0), |(sum, count), apart| (sum + apart, count + 1.0));
    if count == 0.0 { 0.0 } else { sum / count }
}

/// Adds simulations to candidates that have equally many.
type Simulate<'a> = &'a mut dyn FnMut(&mut [Candidate], usize);

/// Sequential halving of candidates within a budget, whose time counts from `begin`; the first
/// simulation is at `entered`.
fn halve(
    budget: Budget,
    prior_visits: f64,
    candidates: &[Valued],
    (begin, entered): (Instant, Duration),
    simulate: Simulate,
) -> Vec<Valued> {
    let mut left = match budget {
        Budget::Simulations(budget) => affordable(candidates.len(), budget),
        Budget::Time(_) => candidates.len(),
    };
    let start = |Valued { action, value, .. }: &Valued| Candidate {
        action: *action,
        value: *value,
        total: 0.0,
        simulations: 0,
        outcomes: vec![],
        means: vec![],
    };
    let mut ranked: Vec<Candidate> = candidates[..left].iter().map(start).collect();
    let rounds = rounds(left);
    let mut spent = 0;
    for round in 0..rounds {
        let tried = &mut ranked[..left];
        match budget {
            Budget::Simulations(budget) => {
                let simulations = (budget - spent) / ((rounds - round) * left);
                spent += simulations * left;
                simulate(tried, simulations);
            }
            Budget::Time(budget) => {
                let rest = budget.saturating_sub(entered);
                let end = entered + rest.mul_f64((round + 1) as f64 / rounds as f64);
                loop {
                    let now = begin.elapsed();
                    let simulations = match spent {
                        0 => usize::from(now < budget || prior_visits == 0.0),
                        _ => chunk(end.saturating_sub(now), now - entered, spent, left),
                    };
                    if simulations == 0 {
                        break;
                    }
                    simulate(tried, simulations);
                    spent += simulations * left;
                }
            }
        }
        let shifted = shift(tried);
        for candidate in tried.iter_mut() {
            candidate.means.push(candidate.mean(prior_visits, shifted));
        }
        tried.sort_by(|a, b| b.means[round].total_cmp(&a.means[round]));
        left = left.div_ceil(2);
    }
    let best = &ranked[0];
    let value = best.means.last().copied().unwrap_or(0.0);
    let mut values: Vec<Valued> =
        ranked.iter().map(|candidate| candidate.valued(best, value, rounds, prior_visits)).collect();
    values.sort_by(|a, b| a.dropped.cmp(&b.dropped).then(b.value.total_cmp(&a.value)));
    values
}

impl<G: Lookahead + Measured> Search<G> {
    /// The candidates with their mean points, best first; those that dropped out early come last.
    ///
    /// A value is the best move's mean less what the candidate costs against it. `candidates` come
    /// best first: equal ones keep their order, and a small budget omits the last. Rounds share the
    /// time left since `begin`. Each candidate is simulated at least once, unless the time is over
    /// and first values count.
    pub fn rank(
        &self,
        state: &G::State,
        candidates: &[Valued],
        guide: &impl Policy<G>,
        ties: &mut Stream,
        begin: Instant,
    ) -> Vec<Valued> {
        if candidates.is_empty() {
            return vec![];
        }
        let (entered, seed) = (begin.elapsed(), ties.next_u64());
        let mut simulate = |tried: &mut [Candidate], simulations| self.simulate(state, tried, simulations, seed, guide);
        halve(self.budget, self.prior_visits, candidates, (begin, entered), &mut simulate)
    }

    /// What the values are.
    pub fn meaning(&self) -> Meaning {
        let moves = match self.depth {
            0 => "the move".to_owned(),
            1 => "the move and the one after it".to_owned(),
            depth => format!("the move and the {depth} after it"),
        };
        let rest = if self.forecasts { ", with a forecast of all later ones" } else { "" };
        let prior = if self.prior_visits > 0.0 { ", mixed with what the network expects" } else { "" };
        Meaning::points(format!("the mean of simulations of {moves}{rest}{prior}"))
    }

    /// Adds simulations to candidates that have equally many.
    fn simulate(
        &self,
        state: &G::State,
        candidates: &mut [Candidate],
        simulations: usize,
        seed: u64,
        guide: &impl Policy<G>,
    ) {
        let outcome = |task: usize| {
            let candidate = &candidates[task / simulations];
            let index = candidate.simulations + task % simulations;
            let mut draws = ColumnStreams::new(seed, Role::Simulate, index as u64);
            self.outcome(state, candidate.action, guide, &mut draws)
        };
        let outcomes: Vec<f64> = pool::map(candidates.len() * simulations, TASK, outcome);
        for (candidate, outcomes) in candidates.iter_mut().zip(outcomes.chunks(simulations.max(1))) {
            for points in outcomes {
                candidate.total += points;
            }
            candidate.simulations += simulations;
            let room = KEPT.saturating_sub(candidate.outcomes.len()).min(outcomes.len());
            candidate.outcomes.extend_from_slice(&outcomes[..room]);
        }
    }

    /// Points of one simulation, in the units of the game's lookahead.
    fn outcome(&self, state: &G::State, action: usize, guide: &impl Policy<G>, draws: &mut ColumnStreams) -> f64 {
        stop::look();
        let mut game = G::at(&self.rules, state);
        let mut points = f64::from(game.step(action, draws).reward);
        for moves in 0..self.depth {
            if game.is_over() {
                break;
            }
            let action = guide.follow(moves, &game.state(), &mut draws.other);
            points += f64::from(game.step(action, draws).reward);
        }
        if self.forecasts && !game.is_over() {
            points += G::FORECAST.map_or(0.0, |forecast| (forecast.points)(&game.state()));
        }
        points / G::unit(state)
    }
}

/// Simulations of each of `left` candidates in the next chunk of a round; 0 ends the round.
///
/// The speed is `spent` simulations in the time `taken`. Half of what fits the `rest` is done at
/// once, so that a wrong estimate costs little; the last simulation is done if at least half of it
/// fits.
fn chunk(rest: Duration, taken: Duration, spent: usize, left: usize) -> usize {
    let fit = rest.as_secs_f64() / taken.max(SHORTEST).as_secs_f64() * spent as f64 / left as f64;
    if fit < 0.5 { 0 } else { ((fit / 2.0) as usize).max(1) }
}

/// Rounds that halve the candidates to one; at least one round.
fn rounds(candidates: usize) -> usize {
    (candidates.next_power_of_two().ilog2() as usize).max(1)
}

/// Most candidates that can be simulated once in every round.
fn affordable(candidates: usize, budget: usize) -> usize {
    (1..=candidates).rev().find(|count| count * rounds(*count) <= budget).unwrap_or(candidates.min(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(microseconds: u64) -> Duration {
        Duration::from_micros(microseconds)
    }

    #[test]
    fn the_width_of_a_cost_is_that_of_the_differences_at_the_same_luck() {
        // Differences of 2, 4 and 3 have a variance of 1.
        let half = |count| half_width(&[3.0, 5.0, 4.0], &[1.0, 1.0, 1.0, 9.0], count).unwrap();
        assert!((half(3) - 1.96 / 3.0_f64.sqrt()).abs() < 1e-12 && (half(12) - 0.98 / 3.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(half_width(&[1.0], &[2.0, 3.0], 1), None);
    }

    #[test]
    fn half_of_what_fits_in_the_rest_of_a_round_is_simulated_next() {
        // Ten in a millisecond, two of each of five candidates.
        for (rest, next) in [(10_000, 10), (3_000, 3), (1_000, 1), (300, 1), (260, 1), (240, 0), (0, 0)] {
            assert_eq!(chunk(us(rest), us(1_000), 10, 5), next, "{rest}");
        }
        // Three candidates need three fifths of the time of five.
        assert_eq!(chunk(us(3_000), us(1_000), 10, 3), 5);
        // A clock that has not moved yet.
        assert_eq!(chunk(us(100), us(0), 2, 2), 50);
    }

    #[test]
    fn a_round_ends_half_a_simulation_of_each_from_its_end_at_the_most_and_after_few_chunks() {
        for (left, each) in [(2, 3), (5, 7), (30, 12)] {
            for round in [400, 1_000, 16_000, 1_000_000] {
                // A clock on which each simulation takes the same time.
                let (mut now, mut spent, mut chunks) = (left * each, left, 1);
                loop {
                    let rest = us(u64::saturating_sub(round, now));
                    let simulations = chunk(rest, us(now), spent as usize, left as usize) as u64;
                    if simulations == 0 {
                        break;
                    }
                    (now, spent) = (now + simulations * left * each, spent + simulations * left);
                    chunks += 1;
                }
                assert!(2 * now.abs_diff(round) <= left * each, "{left} {each} {round}: {now}");
                assert!(chunks <= 2 * round.ilog2(), "{left} {each} {round}: {chunks}");
            }
        }
    }
}
