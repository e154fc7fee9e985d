//! Players that a game brings itself.

use super::options::{DEFAULT_MS, MS, Options, SIMS, budget};
use super::{ActionValue, Budget, Entry, Parameter, Policy};
use crate::error::{Error, Result};
use crate::games::{Game, MaskKind, OwnValues, Playable, Specialist};
use crate::random::Stream;

use super::BoxedPlayer;

/// Plays as a game's own specialist says.
struct Special<G: Game> {
    values: Values<G::State>,
}

/// How a specialist values moves, with its budget if it searches.
enum Values<S> {
    Plain(fn(&S) -> Vec<(usize, f64)>),
    Search(fn(&S, Budget) -> Vec<(usize, f64)>, Budget),
}

impl<G: Game> Policy<G> for Special<G> {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        let values = match self.values {
            Values::Plain(values) => values(state),
            Values::Search(values, budget) => values(state, budget),
        };
        if values.is_empty() {
            let legal = G::mask(state, MaskKind::LEGAL);
            return legal.iter().map(|action| ActionValue { action, value: 0.0 }).collect();
        }
        values.into_iter().map(|(action, value)| ActionValue { action, value }).collect()
    }

    fn is_timed(&self) -> bool {
        matches!(self.values, Values::Search(_, Budget::Time(_)))
    }
}

/// The entries of all specialists of a game.
pub fn entries<G: Playable>() -> impl Iterator<Item = Entry<G>> {
    G::SPECIALISTS.iter().map(|Specialist { name, about, values }| Entry {
        name,
        about,
        parameters: match values {
            OwnValues::Plain(_) => &[],
            OwnValues::Search(_) => &[
                Parameter { key: "ms", default: Some(DEFAULT_MS), about: MS },
                Parameter { key: "sims", default: None, about: SIMS },
            ],
        },
        build: |options, _| {
            let own = G::SPECIALISTS.iter().find(|own| own.name == options.name());
            let own = own.ok_or_else(|| Error::runtime(format!("{} has no player '{}'", G::NAME, options.name())))?;
            player(own, options)
        },
    })
}

/// The player of a specialist, with the budget of the options if it searches.
pub(super) fn player<G: Playable>(own: &Specialist<G::State>, options: &Options<G>) -> Result<BoxedPlayer<G>> {
    let values = match own.values {
        OwnValues::Plain(values) => Values::Plain(values),
        OwnValues::Search(values) => Values::Search(values, budget(options)?),
    };
    options.player(Special::<G> { values })
}

/// The first specialist that searches.
pub(super) fn searching<G: Playable>() -> Option<&'static Specialist<G::State>> {
    G::SPECIALISTS.iter().find(|own| matches!(own.values, OwnValues::Search(_)))
}

/// The specialist of a name as a policy, if it does not search.
pub(super) fn plain<G: Playable>(name: &str) -> Option<Box<dyn Policy<G>>> {
    let own = G::SPECIALISTS.iter().find(|own| own.name == name)?;
    match own.values {
        OwnValues::Plain(values) => Some(Box::new(Special::<G> { values: Values::Plain(values) })),
        OwnValues::Search(_) => None,
    }
}

/// The names of the specialists that do not search.
pub(super) fn plain_names<G: Playable>() -> impl Iterator<Item = &'static str> {
    G::SPECIALISTS.iter().filter(|own| matches!(own.values, OwnValues::Plain(_))).map(|own| own.name)
}
