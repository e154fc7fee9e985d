//! The interface that every player implements.

use crate::error::Result;
use crate::games::{Game, Text};
use crate::policy::{ActionValue, Listed, Policy};
use crate::random::{Role, Stream};

/// A player of a game.
///
/// It is asked for the moves of many games at once, so that a network can answer them in one batch.
pub trait Player<G: Game> {
    /// How the player is called in results.
    fn name(&self) -> &str;

    /// Chooses an action in each of the states.
    ///
    /// What it chooses in one does not depend on the others. All its random numbers in state i come from `ties[i]`,
    /// a stream of the player's own for that game.
    ///
    /// # Errors
    /// When the player's device fails.
    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>>;

    /// The moves that the player considers in a state, the best first.
    ///
    /// There is at least one, each with what the player thinks it is worth. With the same stream it acts by the
    /// first.
    ///
    /// # Errors
    /// When the player's device fails.
    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<ActionValue>>;

    /// The policy that chooses each action by itself, if the player has one.
    ///
    /// Then games need not be played move by move in one batch.
    fn policy(&self) -> Option<&dyn Policy<G>> {
        None
    }

    /// The player's own list of the moves, the best first.
    ///
    /// By default it has none.
    fn list(&self, _state: &G::State) -> Option<Vec<Listed>> {
        None
    }

    /// Whether the player thinks for a given time.
    ///
    /// Then it should be asked for one move at a time, and have all cores.
    fn is_timed(&self) -> bool {
        false
    }
}

/// A position's own stream.
///
/// By it a player that is told nothing of the game chooses among equal moves. Its seed is the FNV-1a hash (Fowler,
/// Noll and Vo) of the board's text, its index the actions left.
pub fn position_stream<G: Text>(state: &G::State) -> Stream {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = G::board(state).bytes().fold(0xcbf2_9ce4_8422_2325, add);
    Stream::new(hash, Role::Tie, G::actions_left(state) as u64)
}
