//! The random player: any move.

use super::{Policy, Valued};
use crate::games::{Game, MaskKind};
use crate::random::Stream;

/// Plays uniformly among all legal moves, matching or not.
pub struct Random;

impl<G: Game> Policy<G> for Random {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        G::mask(state, MaskKind::Legal).iter().map(|action| Valued { action, value: 0.0 }).collect()
    }
}
