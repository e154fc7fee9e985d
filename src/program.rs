//! The program, with games of its own or without.

use std::process::ExitCode;

use crate::cli::{Cli, Command};
use crate::commands;
use crate::error::Result;
use crate::inside::{inside, register};
use crate::learners::add_configuration;
use crate::named;
use crate::players::Playable;
use crate::report::output::tell;

/// Exit code of a failure while running.
const FAILURE: u8 = 1;

/// Exit code of a shard that may be tried again: EX_TEMPFAIL of sysexits.h.
const AGAIN: u8 = 75;

/// The program `matchq` with all its commands, for the games inside and for others that are
/// [added](Self::game):
///
/// ```ignore
/// fn main() -> std::process::ExitCode {
///     matchq::Program::new().game::<Groups>().run()
/// }
/// ```
#[derive(Debug)]
pub struct Program {
    games: Result<()>,
}

impl Default for Program {
    fn default() -> Self {
        inside();
        Self { games: Ok(()) }
    }
}

impl Program {
    /// The program with the games inside.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a game, which then has every command, the page, the learners and agents by name.
    ///
    /// A second game of the same name ends [`run`](Self::run) with an error.
    pub fn game<G: Playable>(self) -> Self {
        Self { games: self.games.and_then(|()| register::<G>()) }
    }

    /// Adds a configuration, which `train --config NAME` and the page's Train view then know.
    ///
    /// A second configuration of the same name ends [`run`](Self::run) with an error.
    pub fn configuration(self, name: &'static str, text: &'static str) -> Self {
        Self { games: self.games.and_then(|()| add_configuration(name, text)) }
    }

    /// Gives the program a name and a version of its own, which stand in its help, in the commands
    /// that it suggests, and in shards, so that two versions of a game's rules are never merged.
    pub fn named(self, name: &'static str, version: &'static str) -> Self {
        named::name_it(name, version);
        self
    }

    /// Does a command.
    pub fn execute(self, command: Command) -> Result<()> {
        self.games?;
        commands::run(command)
    }

    /// Does what the command line asks for; the result is the exit code: 0, 2 for a mistake of the
    /// user, 1 or, of a shard, 75 for a failure while running.
    pub fn run(self) -> ExitCode {
        let command = Cli::read().command;
        let is_shard = matches!(command, Command::Shard(_));
        match self.execute(command) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                // Without standard error, the exit code still tells.
                tell(&format!("error: {error}"));
                match error.exit_code() {
                    FAILURE if is_shard => ExitCode::from(AGAIN),
                    code => ExitCode::from(code),
                }
            }
        }
    }
}
