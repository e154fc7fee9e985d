use crate::games::{Game, MaskKind, offered};
use crate::judged::Meaning;
use crate::options::Entry;
use crate::policy::{ActionValue, Policy};
use crate::random::Stream;
use crate::roster::Roster;

/// Plays any action of a mask, each with the same chance.
pub struct Random {
    pub mask: MaskKind,
}

impl<G: Game> Policy<G> for Random {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        let (mask, _) = offered::<G>(state, self.mask);
        mask.iter().map(|action| ActionValue { action, value: 0.0 }).collect()
    }

    fn meaning(&self) -> Meaning {
        Meaning { about: "0 for every move".into(), ..Meaning::OWN }
    }
}

pub fn entry<G: Roster>() -> Entry<G> {
    Entry {
        name: "random",
        about: "any legal move",
        parameters: &[],
        build: |options, _| options.player(Random { mask: MaskKind::LEGAL }),
    }
}

pub fn matching<G: Roster>() -> Entry<G> {
    Entry {
        name: "matching",
        about: "any move that the rules call promising: in match-3 one that matches",
        parameters: &[],
        build: |options, _| options.player(Random { mask: MaskKind::default_of::<G>() }),
    }
}
