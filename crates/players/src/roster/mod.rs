//! What players and the program need of a game beside its rules: each game's file, and its line in
//! the list at the end.

mod bejeweled;
mod bilging;
mod match3;
mod tetris;
mod tile_match;
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

/// What scores of a game mean, for measuring players.
pub trait Measured: Game {
    /// Whether a game may end before its last move, or has no number of moves; `dqn` then needs
    /// `learning.relative = false`.
    const MAY_END_EARLY: bool = false;
    /// Measure of how near its end a game is, where a mishap may come at any move, so that scores of
    /// good players are nearly exponential.
    const IMPORTANCE: Option<Importance<Self>> = None;
    /// Forecast of the points to come.
    const FORECAST: Option<Forecast<Self::State>> = None;
}

/// A game with its agents, players and figures.
pub trait Roster: Image + ActionFeatures + Text + Measured {
    /// The game in one line.
    const ABOUT: &'static str;

    /// What a game's score counts.
    const UNIT: &'static str = "points";

    /// Agents inside the program. The first one, and the first of each kind, play by default;
    /// searches take the last network.
    const AGENTS: &'static [Shipped] = &[];
    /// Named weights of the player `linear`, the recommended ones first.
    const PRESETS: &'static [Preset] = &[];
    /// The game's own policies, the recommended one first; each is a player and a guide.
    const POLICIES: &'static [OwnPolicy<Self::State>] = &[];
    /// Names of the themes that read the game's pictures.
    const THEMES: &'static [&'static str] = &[];

    /// The game's own players that are no policies.
    fn players() -> Vec<Entry<Self>> {
        Vec::new()
    }

    /// The player `best`: a search by a network that ships, or by rollouts.
    fn best(options: &Options<Self>, rules: &Self::Rules) -> Result<BoxedPlayer<Self>> {
        match first_agent::<Self>(Kind::Network) {
            Some(_) => network::searching(options, rules),
            None => rollout::recommended(options, rules, 2),
        }
    }

    /// The game's own figures.
    fn figures(_games: &mut dyn Iterator<Item = Played<Self>>) -> OwnFigures {
        OwnFigures::default()
    }

    /// Facts about a move, by their names in JSON.
    fn about_move(_state: &Self::State, _action: usize) -> Map<String, Value> {
        Map::new()
    }

    /// Facts about a position, by their names in JSON.
    fn about_board(_state: &Self::State) -> Map<String, Value> {
        Map::new()
    }

    /// Advice for people on a position and its best move.
    fn advice(_state: &Self::State, _best: usize) -> String {
        String::new()
    }
}

/// Level in the importance function of RESTART (Villén-Altamirano 1991), 0 far from the end.
///
/// The chance of an end soon must grow from level to level by about the same small factor;
/// otherwise means are sometimes far off, without wider intervals.
pub type Importance<G> = fn(&G) -> usize;

/// Forecast of the points to come, the control variate of [luck](crate::eval::luck) in games that
/// do not end early: any forecast leaves the mean unbiased, a better one less variance.
#[derive(Clone, Copy)]
pub struct Forecast<S> {
    /// Points to come; 0 where the game has ended.
    pub points: fn(&S) -> f64,
    /// Whether searches by default add the forecast at the end of a simulation, as games that may
    /// end early need.
    pub in_search: bool,
}

pub struct Preset {
    pub name: &'static str,
    pub about: &'static str,
    pub weights: Weights,
}

pub enum Weights {
    /// Names of features with their weights.
    Terms(&'static [(&'static str, f64)]),
    /// Name of an agent that ships.
    Agent(&'static str),
}

/// A policy that only one game has.
pub struct OwnPolicy<S> {
    pub name: &'static str,
    pub about: &'static str,
    /// Values of moves in a position; empty where the policy has no opinion.
    pub values: fn(&S) -> Vec<(usize, f64)>,
}

/// A game as dealt, and the actions played in it.
pub struct Played<G: Game> {
    pub game: G,
    pub random: G::Rng,
    pub actions: Vec<usize>,
}

/// Figures of a player's games beside their scores.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OwnFigures {
    pub ratios: Vec<Figure>,
    /// Counts by name, and each by kind.
    pub counts: Vec<(&'static str, Vec<(String, u64)>)>,
}

/// Ratio of two sums over games.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// Name in JSON.
    pub name: &'static str,
    /// Name in tables.
    pub about: &'static str,
    /// Numerator and denominator of each game.
    pub games: Vec<(f64, f64)>,
}

pub fn first_agent<G: Roster>(kind: Kind) -> Option<&'static Shipped> {
    G::AGENTS.iter().find(|agent| agent.kind == kind)
}

/// Last agent of a kind that ships: of networks, the one for searches.
pub fn last_agent<G: Roster>(kind: Kind) -> Option<&'static Shipped> {
    G::AGENTS.iter().rev().find(|agent| agent.kind == kind)
}

pub fn agent_of<G: Roster>(kind: Kind) -> Result<&'static Shipped> {
    first_agent::<G>(kind).ok_or_else(none_inside::<G>)
}

pub struct Own<G: Game>(fn(&G::State) -> Vec<(usize, f64)>);

impl<G: Game> Own<G> {
    pub fn new(values: fn(&G::State) -> Vec<(usize, f64)>) -> Self {
        Self(values)
    }
}

impl<G: Game> Policy<G> for Own<G> {
    fn values(&self, state: &G::State, _: &mut Stream) -> Vec<ActionValue> {
        or_all_alike::<G>(state, self.0(state))
    }
}

/// Values of moves; where there are none, all legal actions are equal.
pub fn or_all_alike<G: Game>(state: &G::State, values: Vec<(usize, f64)>) -> Vec<ActionValue> {
    if values.is_empty() {
        let legal = G::mask(state, MaskKind::LEGAL);
        return legal.iter().map(|action| ActionValue { action, value: 0.0 }).collect();
    }
    values.into_iter().map(|(action, value)| ActionValue { action, value }).collect()
}

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

pub fn own<G: Roster>(name: &str) -> Option<Own<G>> {
    G::POLICIES.iter().find(|own| own.name == name).map(|own| Own::new(own.values))
}

/// A game of the list, whose players are compiled once.
pub trait Playable: Roster {
    /// See [`crate::parse_with`].
    fn player(text: &str, rules: &Self::Rules, setting: &Setting) -> Result<BoxedPlayer<Self>>;

    /// See [`Agent::player`].
    fn player_of(
        agent: &Agent,
        rules: &Self::Rules,
        batch: usize,
        precision: Option<Precision>,
        backend: &dyn Backend,
    ) -> Result<BoxedPlayer<Self>>;

    /// See [`crate::listing`].
    fn listing(player: Option<&str>) -> Result<String>;

    /// Whether this is the name of a player of the game.
    fn is_player(name: &str) -> bool;
}

pub trait ForGame {
    type Output;

    fn run<G: Playable>(self) -> Self::Output;
}

macro_rules! games {
    ($($(#[$when:meta])? $game:ty,)*) => {
        pub const NAMES: &[&str] = &[$($(#[$when])? <$game as Game>::NAME,)*];

        pub fn with_game<W: ForGame>(name: &str, work: W) -> Result<W::Output> {
            match name {
                $($(#[$when])? <$game as Game>::NAME => Ok(work.run::<$game>()),)*
                _ => Err(Error::user(format!("there is no game '{name}': the games are {}", NAMES.join(", ")))),
            }
        }

        $(
            $(#[$when])?
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

                fn listing(player: Option<&str>) -> Result<String> {
                    entries::lines::<Self>(player)
                }

                fn is_player(name: &str) -> bool {
                    entries::players::<Self>().iter().any(|entry| entry.name == name)
                }
            }
        )*

        /// Whether this is the name of a player of any game.
        pub fn is_player(name: &str) -> bool {
            [$($(#[$when])? <$game as Playable>::is_player,)*].iter().any(|is_player| is_player(name))
        }

        /// Whether this is the name of weights of any game.
        pub fn is_preset(name: &str) -> bool {
            let presets = [$($(#[$when])? <$game as Roster>::PRESETS,)*];
            presets.into_iter().flatten().any(|preset| preset.name == name)
        }

        pub fn agents() -> impl Iterator<Item = &'static Shipped> {
            [$($(#[$when])? <$game as Roster>::AGENTS,)*].into_iter().flatten()
        }
    };
}

games! {
    crate::games::Match3,
    crate::games::Bilging,
    crate::games::Tetris,
    crate::games::Bejeweled,
    // The game of the tests, which no page needs.
    #[cfg(not(target_family = "wasm"))]
    crate::games::toy::Toy,
    crate::games::TileMatch,
}

/// The agent of this name that ships.
pub fn shipped(name: &str) -> Option<&'static Shipped> {
    agents().find(|agent| agent.name == name)
}
