//! The games and all that others need of them: agents, players, themes, forecasts, figures, advice.
//!
//! A game has a file here, and a line in the list at the end.

mod bejeweled;
mod bilging;
mod match3;
mod tetris;
mod toy;

use serde_json::{Map, Value};

use crate::agent::{Agent, Shipped, none_inside};
use crate::agent_file::Kind;
use crate::entries;
use crate::error::{Error, Result};
use crate::games::{ActionFeatures, Game, Image, MaskKind, Text};
use crate::network::{self, Backend, Precision};
use crate::options::{BoxedPlayer, Entry, Options, Setting};
use crate::policy::{ActionValue, Policy};
use crate::random::Stream;
use crate::rollout;

/// What evaluation and training need of a game beside its rules.
pub trait Measured: Game {
    /// Whether a game may end before its moves are played, or has no number of moves.
    const MAY_END_EARLY: bool = false;
    /// Whether a game ends by a mishap that may come at any move.
    ///
    /// Scores of good players are near exponential then.
    const IS_EXPONENTIAL: bool = false;
    /// How near to its end a game is, where the game can tell.
    const IMPORTANCE: Option<Importance<Self>> = None;
    /// A forecast of the points to come.
    const FORECAST: Option<Forecast<Self::State>> = None;
}

/// What a game is to the players and to the program.
pub trait Roster: Image + ActionFeatures + Text + Measured {
    /// One line on the game, for lists.
    const ABOUT: &'static str;

    /// The agents that ship, inside the program.
    ///
    /// The first plays where none is named, of a kind the first of that kind; searches take the last network.
    const AGENTS: &'static [Shipped] = &[];
    /// Weights of the player `linear` that have a name, the recommended ones first.
    const PRESETS: &'static [Preset] = &[];
    /// Policies of the game's own, the recommended one first; each is a player, and guides simulations.
    const POLICIES: &'static [OwnPolicy<Self::State>] = &[];
    /// The themes for pictures of the game, by their names.
    const THEMES: &'static [&'static str] = &[];

    /// Further players of the game's own.
    fn players() -> Vec<Entry<Self>> {
        Vec::new()
    }

    /// The player `best`: what is recommended for a budget a move.
    ///
    /// By default it searches by a network that ships, or without one by rollouts.
    ///
    /// # Errors
    /// What is wrong with the options.
    fn best(options: &Options<Self>, rules: &Self::Rules) -> Result<BoxedPlayer<Self>> {
        match first_agent::<Self>(Kind::Network) {
            Some(_) => network::searching(options, rules),
            None => rollout::recommended(options, rules),
        }
    }

    /// Figures of the game's own; by default none.
    fn figures(_games: &mut dyn Iterator<Item = Played<Self>>) -> OwnFigures {
        OwnFigures::default()
    }

    /// What a program should know of a move beside its value, by names for JSON; by default nothing.
    fn about_move(_state: &Self::State, _action: usize) -> Map<String, Value> {
        Map::new()
    }

    /// What a program should know of a position, by names for JSON; by default nothing.
    fn about_board(_state: &Self::State) -> Map<String, Value> {
        Map::new()
    }

    /// Advice for people on a position whose best move is known, as lines of text; by default none.
    fn advice(_state: &Self::State, _best: usize) -> String {
        String::new()
    }
}

/// How near to its end a game is, as in the importance function of RESTART (Villén-Altamirano 1991).
///
/// The importance is a level, 0 far from the end. From level to level the chance that the game ends soon grows by about
/// the same factor, a small one. With a poor measure means are far off now and then, which their intervals do not tell.
pub type Importance<G> = fn(&G) -> usize;

/// A forecast of the points that are still to come in a position.
///
/// Where games do not end early it serves as a control variate: the better it is, the less a score varies once its
/// [luck](crate::eval::luck) is taken out; with any it is right on average.
#[derive(Clone, Copy)]
pub struct Forecast<S> {
    /// The forecast; 0 where the game has ended.
    pub points: fn(&S) -> f64,
    /// Whether searches count it for the position in which a simulation ends, where nothing else is said.
    ///
    /// It should count where a game may end early, which the points of a few moves do not show.
    pub in_search: bool,
}

/// Named weights of features of actions.
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// Whose they are, in one line.
    pub about: &'static str,
    /// The weights.
    pub weights: Weights,
}

/// Where a preset's weights stand.
pub enum Weights {
    /// The features' names, and their weights.
    Terms(&'static [(&'static str, f64)]),
    /// In the agent of a name that ships.
    Agent(&'static str),
}

/// A policy that only one game has.
pub struct OwnPolicy<S> {
    /// The name.
    pub name: &'static str,
    /// What it plays, in one line.
    pub about: &'static str,
    /// Its moves in a position with their values; none where it has no opinion.
    pub values: fn(&S) -> Vec<(usize, f64)>,
}

/// A game as it was dealt, and what was played in it.
pub struct Played<G: Game> {
    /// The game before its first action.
    pub game: G,
    /// Its random numbers.
    pub random: G::Rng,
    /// The actions, in order.
    pub actions: Vec<usize>,
}

/// What the games of a player say beside their scores.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OwnFigures {
    /// Ratios of two sums.
    pub ratios: Vec<Figure>,
    /// How often something was done, by a name for JSON, each kind by its own.
    pub counts: Vec<(&'static str, Vec<(String, u64)>)>,
}

/// A figure of many games: a sum over all of them divided by another.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its name in tables.
    pub about: &'static str,
    /// What each game adds to both sums.
    pub games: Vec<(f64, f64)>,
}

/// The first agent of a kind that ships.
pub fn first_agent<G: Roster>(kind: Kind) -> Option<&'static Shipped> {
    G::AGENTS.iter().find(|agent| agent.kind == kind)
}

/// The last agent of a kind that ships: of networks the one that searches.
pub fn last_agent<G: Roster>(kind: Kind) -> Option<&'static Shipped> {
    G::AGENTS.iter().rev().find(|agent| agent.kind == kind)
}

/// The first agent of a kind that ships.
///
/// # Errors
/// A game without one.
pub fn agent_of<G: Roster>(kind: Kind) -> Result<&'static Shipped> {
    first_agent::<G>(kind).ok_or_else(none_inside::<G>)
}

/// A game's own policy as a player's.
pub struct Own<G: Game>(fn(&G::State) -> Vec<(usize, f64)>);

impl<G: Game> Own<G> {
    /// The policy that plays by some values; where there are none all legal actions are alike.
    pub fn new(values: fn(&G::State) -> Vec<(usize, f64)>) -> Self {
        Self(values)
    }
}

impl<G: Game> Policy<G> for Own<G> {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        or_all_alike::<G>(state, self.0(state))
    }
}

/// Values of moves; where there are none, all legal actions are alike.
pub fn or_all_alike<G: Game>(state: &G::State, values: Vec<(usize, f64)>) -> Vec<ActionValue> {
    if values.is_empty() {
        let legal = G::mask(state, MaskKind::LEGAL);
        return legal.iter().map(|action| ActionValue { action, value: 0.0 }).collect();
    }
    values.into_iter().map(|(action, value)| ActionValue { action, value }).collect()
}

/// The entries of a game's own policies.
pub fn own_entries<G: Roster>() -> impl Iterator<Item = Entry<G>> {
    G::POLICIES.iter().map(|OwnPolicy { name, about, .. }| Entry {
        name,
        about,
        parameters: &[],
        build: |options, _| match own::<G>(options.name()) {
            Some(policy) => options.player(policy),
            None => Err(Error::runtime(format!("{} has no player '{}'", G::NAME, options.name()))),
        },
    })
}

/// The game's own policy of a name.
pub fn own<G: Roster>(name: &str) -> Option<Own<G>> {
    G::POLICIES.iter().find(|own| own.name == name).map(|own| Own::new(own.values))
}

/// A game of the list, with its players as they are compiled here, once for all who use them.
pub trait Playable: Roster {
    /// As [`crate::parse_with`].
    ///
    /// # Errors
    /// As there.
    fn player(text: &str, rules: &Self::Rules, setting: &Setting) -> Result<BoxedPlayer<Self>>;

    /// As [`Agent::player`].
    ///
    /// # Errors
    /// As there.
    fn player_of(
        agent: &Agent,
        rules: &Self::Rules,
        batch: usize,
        precision: Option<Precision>,
        backend: &dyn Backend,
    ) -> Result<BoxedPlayer<Self>>;

    /// As [`crate::listing`].
    fn listing() -> String;
}

/// Work that can be done for any game.
pub trait ForGame {
    /// What it gives.
    type Output;

    /// Does it for a game.
    fn run<G: Playable>(self) -> Self::Output;
}

macro_rules! games {
    ($($game:ty,)*) => {
        /// The names of all games.
        pub const NAMES: &[&str] = &[$(<$game as Game>::NAME,)*];

        /// Does the work for the game of a name.
        ///
        /// # Errors
        /// A name that is no game's.
        pub fn with_game<W: ForGame>(name: &str, work: W) -> Result<W::Output> {
            match name {
                $(<$game as Game>::NAME => Ok(work.run::<$game>()),)*
                _ => Err(Error::user(format!("there is no game '{name}': the games are {}", NAMES.join(", ")))),
            }
        }

        $(
            impl Playable for $game {
                fn player(text: &str, rules: &Self::Rules, setting: &Setting) -> Result<BoxedPlayer<Self>> {
                    entries::build(text, rules, setting)
                }

                fn player_of(
                    agent: &Agent,
                    rules: &Self::Rules,
                    batch: usize,
                    precision: Option<Precision>,
                    backend: &dyn Backend,
                ) -> Result<BoxedPlayer<Self>> {
                    agent.build(rules, batch, precision, backend)
                }

                fn listing() -> String {
                    entries::lines::<Self>()
                }
            }
        )*

        /// All agents that ship, game by game.
        pub fn agents() -> impl Iterator<Item = &'static Shipped> {
            [$(<$game as Roster>::AGENTS,)*].into_iter().flatten()
        }
    };
}

// All games, one line each.
games! {
    crate::games::Match3,
    crate::games::Bilging,
    crate::games::Tetris,
    crate::games::Bejeweled,
    crate::games::toy::Toy,
}

/// The agent of a name that ships.
pub fn shipped(name: &str) -> Option<&'static Shipped> {
    agents().find(|agent| agent.name == name)
}
