use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use matchq::cli::{Cli, Command};
use matchq::commands;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Train(arguments) => commands::train::run(&arguments),
        Command::Eval(arguments) => commands::eval::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Players => commands::compare::list(),
        Command::Replay(arguments) => commands::replay::run(&arguments),
        Command::Play(arguments) => commands::play::run(&arguments),
        Command::Advise(arguments) => commands::advise::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where standard error is gone too, the exit code is left.
            writeln!(io::stderr(), "error: {error}").ok();
            ExitCode::from(error.exit_code())
        }
    }
}
