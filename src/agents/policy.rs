//! Players that decide every position by itself: they give moves values and play the best.

use rayon::prelude::*;

use super::Agent;
use crate::error::Result;
use crate::games::match3::{Certain, Chain, Match3, NO_MATCH, State};
use crate::games::{Game, MaskKind};
use crate::random::{Draw, Stream};

/// A move and what a player thinks it is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Valued {
    /// The move's number.
    pub action: usize,
    /// In points where the player has no scale of its own.
    pub value: f64,
}

/// A way to choose a move in one position. Its random numbers come from `ties` alone.
pub trait Policy<G: Game>: Send + Sync {
    /// The moves that are considered, at least one, with their values.
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued>;

    /// The move with the highest value, at random among equal ones.
    fn choose(&self, state: &G::State, ties: &mut Stream) -> usize {
        best(&self.values(state, ties), ties)
    }

    /// The moves with their values from the best to the worst; with the same stream the first is the one chosen.
    fn rank(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        let values = self.values(state, ties);
        let first = best(&values, ties);
        sorted(values, first)
    }

    /// The move it plays as the guide of a [simulation](super::Search), so many moves after the one that is simulated, from 0.
    fn follow(&self, _moves: u32, state: &G::State, ties: &mut Stream) -> usize {
        self.choose(state, ties)
    }

    /// Whether it thinks for a given time.
    fn is_timed(&self) -> bool {
        false
    }
}

/// The player that follows a policy, in many games in parallel.
pub struct Player<P> {
    name: String,
    policy: P,
}

impl<P> Player<P> {
    /// The player with a name for results.
    pub fn new(name: impl Into<String>, policy: P) -> Self {
        Self { name: name.into(), policy }
    }
}

impl<G: Game, P: Policy<G>> Agent<G> for Player<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>> {
        let choose = |(state, ties): (&G::State, &mut Stream)| self.policy.choose(state, ties);
        Ok(match self.policy.is_timed() {
            true => states.iter().zip(ties).map(choose).collect(),
            false => states.par_iter().zip(ties).map(choose).collect(),
        })
    }

    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<Valued>> {
        Ok(self.policy.rank(state, ties))
    }

    fn is_timed(&self) -> bool {
        self.policy.is_timed()
    }
}

impl<G: Game> Policy<G> for Box<dyn Policy<G>> {
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        self.as_ref().values(state, ties)
    }

    fn choose(&self, state: &G::State, ties: &mut Stream) -> usize {
        self.as_ref().choose(state, ties)
    }

    fn rank(&self, state: &G::State, ties: &mut Stream) -> Vec<Valued> {
        self.as_ref().rank(state, ties)
    }

    fn follow(&self, moves: u32, state: &G::State, ties: &mut Stream) -> usize {
        self.as_ref().follow(moves, state, ties)
    }

    fn is_timed(&self) -> bool {
        self.as_ref().is_timed()
    }
}

/// The move with the highest value, at random among equal ones; move 0 if there is none.
pub fn best(values: &[Valued], ties: &mut Stream) -> usize {
    let highest = values.iter().map(|valued| valued.value).fold(f64::NEG_INFINITY, f64::max);
    let mut equal = values.iter().filter(|valued| valued.value == highest);
    match equal.clone().count() {
        0 | 1 => equal.next().map_or(0, |valued| valued.action),
        count => equal.nth(ties.below(count as u32) as usize).map_or(0, |valued| valued.action),
    }
}

/// Moves from the highest value to the lowest, the chosen one of the highest first.
pub(super) fn sorted(mut values: Vec<Valued>, chosen: usize) -> Vec<Valued> {
    values.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| (b.action == chosen).cmp(&(a.action == chosen))));
    values
}

/// Brings moves into a random order.
pub(super) fn shuffle(values: &mut [Valued], ties: &mut Stream) {
    for last in (1..values.len()).rev() {
        values.swap(last, ties.below(last as u32 + 1) as usize);
    }
}

/// The values of the matching moves of a position. Where nothing matches all effective moves are alike: they cost the
/// points of a move without a match.
pub(super) fn weigh(state: &State, mut value: impl FnMut(Certain, usize) -> f64) -> Vec<Valued> {
    let board = Certain::of(state);
    let matching = board.matching();
    match matching.is_empty() {
        true => all_alike(state),
        false => matching.iter().map(|action| Valued { action, value: value(board, action) }).collect(),
    }
}

/// The same by what is certain of each move.
pub(super) fn weigh_chains(state: &State, mut value: impl FnMut(Chain) -> f64) -> Vec<Valued> {
    let board = Certain::of(state);
    let matching = board.matching();
    if matching.is_empty() {
        return all_alike(state);
    }
    let mut values = Vec::with_capacity(matching.count());
    board.play_each(&matching, |chain| values.push(Valued { action: chain.action, value: value(chain) }));
    values
}

/// The effective moves of a position in which nothing matches.
fn all_alike(state: &State) -> Vec<Valued> {
    let effective = Match3::mask(state, MaskKind::Effective);
    effective.iter().map(|action| Valued { action, value: NO_MATCH.into() }).collect()
}
