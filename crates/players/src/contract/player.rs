//! Players: choosers of moves for a batch of positions.

use super::policy::Policy;
use super::valued::{Listed, Meaning, Valued};
use matchq_core::error::Result;
use matchq_core::pool;
use matchq_core::random::{Role, Stream};
use matchq_games::{Game, Text};

/// A chooser of moves, for a batch of positions.
///
/// A player is asked for a move of each position ([`act`](Self::act)) or for all moves of one
/// ([`rank`](Self::rank)).
pub trait Player<G: Game> {
    /// Name in results.
    fn name(&self) -> &str;

    /// Chooses an action in each state; choices by chance in state i draw from `ties[i]` alone.
    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>>;

    /// Moves that the player considers, at least one, with their values, best first.
    /// [`act`](Self::act) with the same stream chooses the first.
    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<Valued>>;

    /// What the values are.
    fn meaning(&self) -> Meaning {
        Meaning::OWN
    }

    /// The policy that chooses each action, for players that need no batch.
    fn policy(&self) -> Option<&dyn Policy<G>> {
        None
    }

    /// The player's own list of moves for people, best first; `None` without one.
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

/// Any player of a game, on any thread.
pub type BoxedPlayer<G> = Box<dyn Player<G> + Send>;

/// The player of a policy, with a name.
pub struct PolicyPlayer<P> {
    name: String,
    policy: P,
}

impl<P> PolicyPlayer<P> {
    /// The player of a policy; `name` stands in results.
    pub fn new(name: impl Into<String>, policy: P) -> Self {
        Self { name: name.into(), policy }
    }
}

impl<G: Game, P: Policy<G>> Player<G> for PolicyPlayer<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>> {
        Ok(choices(&self.policy, states, ties))
    }

    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<Valued>> {
        Ok(self.policy.rank(state, ties))
    }

    fn meaning(&self) -> Meaning {
        self.policy.meaning()
    }

    fn policy(&self) -> Option<&dyn Policy<G>> {
        Some(&self.policy)
    }

    fn list(&self, state: &G::State) -> Option<Vec<Listed>> {
        self.policy.list(state)
    }

    fn is_timed(&self) -> bool {
        self.policy.is_timed()
    }
}

/// Moves of a policy; compiled once a game.
fn choices<G: Game>(policy: &dyn Policy<G>, states: &[G::State], ties: &mut [Stream]) -> Vec<usize> {
    // Waking the thread pool takes longer than a single move.
    if policy.is_timed() || states.len() == 1 {
        return states.iter().zip(ties).map(|(state, ties)| policy.choose(state, ties)).collect();
    }
    let mut pairs: Vec<(&G::State, &mut Stream)> = states.iter().zip(ties).collect();
    pool::map_mut(&mut pairs, 1, |(state, ties)| policy.choose(state, ties))
}

/// Random stream of a position, for players without the game's stream: the seed is the FNV-1a hash
/// of the board's text, the index the number of actions left.
pub fn position_stream<G: Text>(state: &G::State) -> Stream {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = G::board(state).bytes().fold(0xcbf2_9ce4_8422_2325, add);
    Stream::new(hash, Role::Tie, G::actions_left(state) as u64)
}
