//! A person's game afterwards: the costliest moves, and the player's own game of the seed.

use super::Answer;
use crate::eval::tie_stream;
use crate::games::{Episode, Game};
use crate::players::{ActionValue, Roster};
use crate::random::Stream;

/// Number of costly moves that are told.
const TOLD: usize = 3;
/// Smallest cost that is told; a smaller one would be written as 0.0.
const LEAST: f64 = 0.05;

/// A person's move that another one was better than.
#[derive(Clone, PartialEq, Debug)]
pub struct Costly {
    /// Number of the move in its game, from 1.
    pub number: usize,
    pub words: String,
    pub better: String,
    /// Value of the better move less the move's own.
    pub cost: f64,
    /// Whether the cost is an estimate, because the player does not consider the move.
    pub is_estimate: bool,
}

impl Costly {
    /// Number and cost.
    pub fn heading(&self) -> String {
        format!("move {}: {}{:.1} less", self.number, if self.is_estimate { "about " } else { "" }, self.cost)
    }
}

/// A person's moves and what the player says of them.
pub struct Review<G: Game> {
    moves: Vec<(G::State, usize)>,
    judged: usize,
    /// Costliest first.
    costly: Vec<Costly>,
}

impl<G: Game> Default for Review<G> {
    fn default() -> Self {
        Self { moves: Vec::new(), judged: 0, costly: Vec::new() }
    }
}

impl<G: Roster> Review<G> {
    pub fn add(&mut self, state: G::State, action: usize) {
        self.moves.push((state, action));
    }

    /// The position of the next move to judge.
    pub fn next(&self) -> Option<G::State> {
        self.moves.get(self.judged).map(|(state, _)| *state)
    }

    pub fn is_due(&self) -> bool {
        self.judged < self.moves.len()
    }

    pub fn judged(&self) -> usize {
        self.judged
    }

    pub fn costly(&self) -> &[Costly] {
        &self.costly
    }

    /// Takes the player's ranking of the next position.
    pub fn judge(&mut self, ranked: &[ActionValue]) {
        let Some((state, action)) = self.moves.get(self.judged) else { return };
        self.judged += 1;
        let own = ranked.iter().find(|valued| valued.action == *action);
        let (Some(best), Some(last)) = (ranked.first(), ranked.last()) else { return };
        // A move that the player does not consider is as good as the last that it does, but for what
        // it gains less for certain.
        let certain = |action| f64::from(G::after(state, action).points);
        let estimate = || last.value - (certain(last.action) - certain(*action)).max(0.0);
        let cost = best.value - own.map_or_else(estimate, |own| own.value);
        if cost.is_finite() && cost >= LEAST {
            let [words, better] = [*action, best.action].map(|action| G::words(state, action));
            let place = self.costly.partition_point(|other| other.cost >= cost);
            self.costly.insert(place, Costly { number: self.judged, words, better, cost, is_estimate: own.is_none() });
            self.costly.truncate(TOLD);
        }
    }
}

/// The player's own game of a seed.
pub struct Rival<G: Game> {
    pub episode: Episode<G>,
    pub ties: Stream,
    played: usize,
}

impl<G: Roster> Rival<G> {
    pub fn new(rules: &G::Rules, seed: u128) -> Self {
        Self { episode: Episode::deal(rules, seed), ties: tie_stream(seed), played: 0 }
    }

    pub fn play(&mut self, answer: Answer) {
        self.ties = answer.ties;
        self.episode.step(answer.ranked.first().map_or(0, |valued| valued.action));
        self.played += 1;
    }

    /// Whether the game goes on; where the rules count no moves (0), with as many as the person's.
    pub fn plays(&self, moves: usize, own: usize) -> bool {
        !self.episode.is_over() && (moves > 0 || self.played < own)
    }
}
