use std::io::{self, Write};
use std::process::ExitCode;

use matchq::cli::Cli;
use matchq::commands;

fn main() -> ExitCode {
    let result = commands::run(Cli::read().command);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error, the exit code still tells.
            writeln!(io::stderr(), "error: {error}").ok();
            ExitCode::from(error.exit_code())
        }
    }
}
