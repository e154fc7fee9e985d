//! The searching player: simulations over the known rules, with a network's values where they end.

use std::time::Instant;

use super::network::NetworkPlayer;
use super::search::{Budget, Leaf, Search};
use super::{Agent, Policy, Valued};
use crate::error::Result;
use crate::games::Game;
use crate::random::Stream;

/// Plays the move that simulations rank first. The network chooses which moves are tried, in which order, and says what the
/// position is worth in which a simulation ends: the value of its best action there, which counts what comes after that
/// action only as far as the network's training discounted it. A network that foresees chains is to be given
/// [told](NetworkPlayer::told), since the rules are known here.
pub struct NetworkSearch<G: Game, P> {
    /// How the player is called in results.
    pub name: String,
    /// The network, greedy by itself.
    pub network: NetworkPlayer<G>,
    /// How the moves are simulated.
    pub search: Search<G>,
    /// Who plays after the move in a simulation.
    pub guide: P,
    /// The most moves that are tried, at least 1: those with the network's highest values.
    pub candidates: usize,
    /// Factor of the network's value at the end of a simulation.
    pub weight: f32,
}

/// The network's value times a factor.
struct Weighted<'a, L> {
    leaf: &'a mut L,
    weight: f32,
}

impl<G: Game, L: Leaf<G>> Leaf<G> for Weighted<'_, L> {
    type Error = L::Error;

    fn values(&mut self, states: &[G::State]) -> std::result::Result<Vec<f32>, L::Error> {
        if self.weight == 0.0 {
            return Ok(vec![0.0; states.len()]);
        }
        let mut values = self.leaf.values(states)?;
        values.iter_mut().for_each(|value| *value *= self.weight);
        Ok(values)
    }

    fn batch(&self) -> usize {
        self.leaf.batch()
    }
}

impl<G: Game, P: Policy<G>> Agent<G> for NetworkSearch<G, P> {
    fn name(&self) -> &str {
        &self.name
    }

    /// One position after another, each with all cores.
    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>> {
        let choose = |(state, ties): (&G::State, &mut Stream)| {
            Ok(self.rank(state, ties)?.first().map_or(0, |valued| valued.action))
        };
        states.iter().zip(ties).map(choose).collect()
    }

    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<Valued>> {
        let begin = Instant::now();
        let (ranked, undecided) = self.network.rank_if_decided(state, ties)?;
        if undecided {
            return Ok(ranked);
        }
        let candidates = &ranked[..self.candidates.min(ranked.len())];
        let mut leaf = Weighted { leaf: &mut self.network, weight: self.weight };
        self.search.rank(state, candidates, &self.guide, &mut leaf, ties, begin)
    }

    fn is_timed(&self) -> bool {
        matches!(self.search.budget, Budget::Time(_))
    }
}
