use std::process::ExitCode;

use clap::Parser;
use matchq::cli::{Cli, Command};
use matchq::commands;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Train(arguments) => commands::train::run(&arguments),
        Command::Eval(arguments) => commands::eval::run(&arguments),
        Command::Replay(arguments) => commands::replay::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
