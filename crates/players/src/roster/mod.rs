//! The games by their names: one line a game.

use super::{Game, Playable};
use crate::error::{Error, Result};

/// Work that can be done for any game.
pub trait ForGame {
    /// What it gives.
    type Output;

    /// Does it for a game.
    fn run<G: Playable>(self) -> Self::Output;
}

macro_rules! games {
    ($($(#[$when:meta])* $game:ty,)*) => {
        /// The names of all games.
        pub const NAMES: &[&str] = &[$($(#[$when])* <$game as Game>::NAME,)*];

        /// Does the work for the game of a name.
        ///
        /// # Errors
        /// A name that is no game's.
        pub fn with_game<W: ForGame>(name: &str, work: W) -> Result<W::Output> {
            match name {
                $($(#[$when])* <$game as Game>::NAME => Ok(work.run::<$game>()),)*
                _ => Err(Error::user(format!("there is no game '{name}': the games are {}", NAMES.join(", ")))),
            }
        }
    };
}

games! {
    super::match3::Match3,
    super::bilging::Bilging,
    super::tetris::Tetris,
    super::bejeweled::Bejeweled,
    #[cfg(test)]
    super::toy::Toy,
}
