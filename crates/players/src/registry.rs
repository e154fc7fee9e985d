//! The list of games.

use crate::agents::{Agent, Shipped};
use crate::contract::BoxedPlayer;
use crate::network::{Backend, Precision};
use crate::texts::{self as entries, Roster, Setting};
use matchq_core::error::{Error, Result};
use matchq_games::Game;

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
    matchq_games::Match3,
    matchq_games::Bilging,
    matchq_games::Tetris,
    matchq_games::Bejeweled,
    // The game of the tests, which no page needs.
    #[cfg(not(target_family = "wasm"))]
    matchq_games::toy::Toy,
    matchq_games::TileMatch,
}

/// The agent of this name that ships.
pub fn shipped(name: &str) -> Option<&'static Shipped> {
    agents().find(|agent| agent.name == name)
}
