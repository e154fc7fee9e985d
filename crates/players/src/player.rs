use crate::error::Result;
use crate::games::{Game, Text};
use crate::judged::{Judged, Meaning, judged};
use crate::policy::{ActionValue, Listed, Policy};
use crate::random::{Role, Stream};

/// A chooser of moves, for a batch of positions.
pub trait Player<G: Game> {
    /// Name in results.
    fn name(&self) -> &str;

    /// Chooses an action in each state; choices by chance in state i draw from `ties[i]` alone.
    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>>;

    /// Moves that the player considers, at least one, with their values, best first.
    /// [`act`](Self::act) with the same stream chooses the first.
    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<ActionValue>>;

    /// Moves as [ranked](Self::rank), with how sure their values are.
    fn judge(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<Judged>> {
        Ok(judged(self.rank(state, ties)?))
    }

    /// What the values are.
    fn meaning(&self) -> Meaning {
        Meaning::OWN
    }

    /// The policy that chooses each action, for players that need no batch.
    fn policy(&self) -> Option<&dyn Policy<G>> {
        None
    }

    /// The player's own list of moves, best first.
    fn list(&self, _state: &G::State) -> Option<Vec<Listed>> {
        None
    }

    /// Whether a move's budget is time; such a player needs all cores, and one state at a time.
    fn is_timed(&self) -> bool {
        false
    }

    /// Whether a network computes, whose last bits may differ by other instructions.
    fn has_network(&self) -> bool {
        false
    }
}

/// Random stream of a position, for players without the game's stream: the seed is the FNV-1a hash
/// of the board's text, the index the number of actions left.
pub fn position_stream<G: Text>(state: &G::State) -> Stream {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = G::board(state).bytes().fold(0xcbf2_9ce4_8422_2325, add);
    Stream::new(hash, Role::Tie, G::actions_left(state) as u64)
}
