//! An evaluation in training: a player plays games of its own seeds.

use std::sync::atomic::{AtomicBool, Ordering};

use matchq_core::pool;

use super::config::Evaluation;
use crate::error::{Error, Result};
use crate::eval::{PlayedGame, Summary, luck, play_bounded};
use crate::games::Lookahead;
use crate::players::{Measured, Player};

/// Scores of an evaluation.
pub(super) struct Evaluated {
    pub(super) summary: Summary,
    pub(super) luck_adjusted: Option<Summary>,
    /// Number of games that were cut.
    pub(super) cut: usize,
}

impl Evaluated {
    /// Mean score, luck-adjusted if luck was estimated.
    pub(super) fn mean(&self) -> f64 {
        self.luck_adjusted.unwrap_or(self.summary).mean
    }
}

/// Lets a player play an evaluation's games; `None` if `stop` was set meanwhile.
pub(super) fn evaluated<G: Measured + Lookahead>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    evaluation: &Evaluation,
    stop: &AtomicBool,
) -> Result<Option<Evaluated>> {
    let goes_on = || !stop.load(Ordering::Relaxed);
    let longest = if evaluation.moves == 0 { u64::MAX } else { evaluation.moves };
    let (seed, games) = (evaluation.seed.into(), evaluation.games);
    let played = play_bounded(player, rules, seed, games, longest, |_| goes_on())?;
    let Some(played) = played.filter(|_| goes_on()) else { return Ok(None) };
    let cut = played.iter().filter(|game| !game.is_over).count();
    let scores: Vec<i32> = played.iter().map(|game| game.score).collect();
    let summary = Summary::of(&scores).ok_or_else(|| Error::runtime("the evaluation played no game"))?;
    let luck_adjusted = match evaluation.luck {
        0 => None,
        // Nothing is left to chance.
        _ if G::PUZZLE.is_some() => None,
        simulations => match luck_adjusted::<G>(rules, &played, simulations, goes_on)? {
            Some(scores) => Summary::of(&scores),
            None => return Ok(None),
        },
    };
    Ok(Some(Evaluated { summary, luck_adjusted, cut }))
}

/// Luck-adjusted scores; `None` once `goes_on` returns false.
fn luck_adjusted<G: Measured>(
    rules: &G::Rules,
    played: &[PlayedGame],
    simulations: u32,
    goes_on: impl Fn() -> bool + Sync,
) -> Result<Option<Vec<f64>>> {
    let luck_adjusted = |game: &PlayedGame| {
        if !goes_on() {
            return Ok(None);
        }
        let score = luck::luck_adjusted::<G>(rules, game, simulations);
        let changed = || format!("the evaluated game of seed {} is another when it is played again", game.seed);
        score.map(Some).ok_or_else(|| Error::runtime(changed()))
    };
    pool::map(played.len(), 1, |index| luck_adjusted(&played[index])).into_iter().collect()
}
