//! The interface every player implements, and the players.

mod network;

pub use network::{NetworkPlayer, greedy};

use crate::error::Result;
use crate::games::Game;

/// A player of a game. It is asked for the moves of many games at once, so that a network can answer them in one batch.
pub trait Agent<G: Game> {
    /// How the player is called in results.
    fn name(&self) -> &str;

    /// Chooses an action in each of the states; what it chooses in one does not depend on the others.
    ///
    /// # Errors
    /// When the player's device fails.
    fn act(&mut self, states: &[G::State]) -> Result<Vec<usize>>;
}
