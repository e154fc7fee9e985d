//! The program as WebAssembly: its games and configurations are those of a page.

use std::process::ExitCode;

use crate::error::Result;
use crate::learners::add_configuration;
use crate::named;
use crate::players::{Playable, Register, registry};

/// The page of the games inside and of others that are [added](Self::game), built by
/// `scripts/build_page --package FOLDER`.
#[derive(Debug)]
pub struct Program {
    games: Result<()>,
}

impl Register for Program {
    fn game<G: Playable>(&mut self) {
        if self.games.is_ok() {
            self.games = matchq_page::register::<G>().and_then(|()| matchq_trainer::register::<G>());
        }
    }
}

impl Default for Program {
    fn default() -> Self {
        let mut program = Self { games: Ok(()) };
        registry::inside(&mut program);
        program
    }
}

impl Program {
    /// The page with the games inside.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a game.
    pub fn game<G: Playable>(mut self) -> Self {
        Register::game::<G>(&mut self);
        self
    }

    /// Adds a configuration, which the page's Train view then knows.
    pub fn configuration(self, name: &'static str, text: &'static str) -> Self {
        Self { games: self.games.and_then(|()| add_configuration(name, text)) }
    }

    /// Gives the program a name and a version of its own.
    pub fn named(self, name: &'static str, version: &'static str) -> Self {
        named::name_it(name, version);
        self
    }

    /// Gives the games to the page, which then asks.
    ///
    /// # Panics
    /// When two games or configurations have one name.
    pub fn run(self) -> ExitCode {
        self.games.expect("games and configurations have names of their own");
        ExitCode::SUCCESS
    }
}
