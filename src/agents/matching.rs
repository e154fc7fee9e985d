//! The matching player: any move that matches at once.

use super::{Policy, Valued};
use crate::games::{Game, MaskKind};
use crate::random::Stream;

/// Plays uniformly among the matching moves; where there is none, among the effective ones.
pub struct Matching;

impl<G: Game> Policy<G> for Matching {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        G::mask(state, MaskKind::Matching).iter().map(|action| Valued { action, value: 0.0 }).collect()
    }
}
