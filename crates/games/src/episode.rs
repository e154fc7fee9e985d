use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Game, Step};
use crate::random::Draw;

/// A game from its deal to its end, with its random numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "D: Serialize", deserialize = "D: DeserializeOwned"))]
pub struct Episode<G: Game, D = <G as Game>::Rng> {
    /// The game as it stands.
    pub game: G,
    /// The random numbers to come.
    pub stream: D,
}

impl<G: Game> Episode<G> {
    /// Game of a seed.
    pub fn deal(rules: &G::Rules, seed: u128) -> Self {
        Self::new(rules, G::random(rules, seed))
    }
}

impl<G: Game, D: Draw> Episode<G, D> {
    /// Game that a stream deals.
    pub fn new(rules: &G::Rules, mut stream: D) -> Self {
        Self { game: G::new(rules, &mut stream), stream }
    }

    /// Deals the stream's next game in place of this one.
    pub fn renew(&mut self, rules: &G::Rules) {
        self.game = G::new(rules, &mut self.stream);
    }

    /// Plays an action.
    pub fn step(&mut self, action: usize) -> Step {
        self.game.step(action, &mut self.stream)
    }

    /// Position as a player may know it.
    pub fn state(&self) -> G::State {
        self.game.state()
    }

    /// Whether the game has ended.
    pub fn is_over(&self) -> bool {
        self.game.is_over()
    }

    /// Points so far.
    pub fn score(&self) -> i32 {
        self.game.score()
    }
}
