#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    matchq::Program::new().run()
}
