//! `matchq serve`: the page with trainings.

use std::net::Ipv4Addr;

use crate::cli::Serve;
use crate::error::{Error, Result};
use crate::serve;

/// Serves the page until Ctrl-C.
pub fn run(arguments: &Serve) -> Result<()> {
    if !(0.01..=100.0).contains(&arguments.pace) {
        return Err(Error::user(format!("--pace {}: it must be from 0.01 to 100 moves a second", arguments.pace)));
    }
    serve::run(serve::Settings {
        listen: arguments.port.map_or(arguments.listen, |port| (Ipv4Addr::LOCALHOST, port).into()),
        runs: arguments.runs.clone(),
        game: arguments.game.clone().unwrap_or_else(|| "match3".to_owned()),
        player: arguments.player.clone(),
        pace: arguments.pace,
        simulations: arguments.simulations,
    })
}
