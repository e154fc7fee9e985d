//! Reports of games, for matchq.evaluate and matchq.compare.

use std::sync::atomic::{AtomicU64, Ordering};

use matchq_players::eval::{Comparison, Report};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::{exception, watched};
use crate::game::game;

/// The comparison of reports of games as JSON, private to matchq.evaluate and matchq.compare.
///
/// reports: JSON as Player._series gives it, or player, game, rules, seed and moves of another
/// program's games. luck: simulations of each move to estimate luck. look is called with the games
/// whose luck is known.
#[pyfunction]
pub fn _compared(
    py: Python<'_>,
    name: &str,
    reports: Vec<(String, String)>,
    luck: Option<u32>,
    look: Py<PyAny>,
) -> PyResult<String> {
    let game = game(name)?;
    let done = AtomicU64::new(0);
    let players: Vec<Report> = watched(
        py,
        |py| look.call1(py, (done.load(Ordering::Relaxed),)).map(drop),
        || {
            let goes_on = || {
                done.fetch_add(1, Ordering::Relaxed);
                true
            };
            let mut players = Vec::new();
            for (name, text) in reports {
                if let Some(mut report) = game.report(&text, luck, &goes_on).map_err(exception)? {
                    report.player = name;
                    players.push(report);
                }
            }
            Ok(players)
        },
    )?;
    serde_json::to_string(&Comparison::of(&players)).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
