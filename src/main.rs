#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::process::ExitCode;

use matchq::cli::{Cli, Command};
use matchq::commands;

/// Exit code of a failure while running.
const FAILURE: u8 = 1;

/// Exit code of a shard that may be tried again: EX_TEMPFAIL of sysexits.h.
const AGAIN: u8 = 75;

fn main() -> ExitCode {
    let command = Cli::read().command;
    let is_shard = matches!(command, Command::Shard(_));
    match commands::run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error, the exit code still tells.
            writeln!(io::stderr(), "error: {error}").ok();
            match error.exit_code() {
                FAILURE if is_shard => ExitCode::from(AGAIN),
                code => ExitCode::from(code),
            }
        }
    }
}
