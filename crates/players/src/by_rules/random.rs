use crate::contract::{Meaning, Policy, Valued};
use matchq_core::random::Stream;
use matchq_games::{Game, MaskKind, offered};

/// Plays any action of a mask, each with the same chance.
pub struct Random {
    /// Mask of the actions that may be played.
    pub mask: MaskKind,
}

impl<G: Game> Policy<G> for Random {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        let (mask, _) = offered::<G>(state, self.mask);
        mask.iter().map(|action| Valued::new(action, 0.0)).collect()
    }

    fn meaning(&self) -> Meaning {
        Meaning { about: "0 for every move".into(), ..Meaning::OWN }
    }
}
