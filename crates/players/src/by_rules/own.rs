use crate::contract::{Policy, Valued};
use matchq_core::random::Stream;
use matchq_games::{Game, MaskKind};

pub struct Own<G: Game>(fn(&G::State) -> Vec<Valued>);

impl<G: Game> Own<G> {
    pub fn new(values: fn(&G::State) -> Vec<Valued>) -> Self {
        Self(values)
    }
}

impl<G: Game> Policy<G> for Own<G> {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<Valued> {
        or_all_alike::<G>(state, self.0(state))
    }
}

/// Values of moves; where there are none, all legal actions are equal.
pub fn or_all_alike<G: Game>(state: &G::State, values: Vec<Valued>) -> Vec<Valued> {
    if values.is_empty() {
        let legal = G::mask(state, MaskKind::LEGAL);
        return legal.iter().map(|action| Valued::new(action, 0.0)).collect();
    }
    values
}
