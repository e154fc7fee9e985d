//! A game as plain text, where there is no terminal: boards, moves, points and the player's view.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write};

use crate::agents::{Agent, ActionValue};
use crate::error::{Error, Result};
use crate::eval::deal;
use crate::games::Game;
use crate::games::match3::{COLUMNS, MOVES, Match3, Move, Rules};

/// The best moves that are written.
const BEST: usize = 3;

/// Plays the game of a seed and writes it as lines; a reader that has gone away ends it.
///
/// # Errors
/// When the player fails or the output cannot be written.
pub fn play(player: &mut dyn Agent<Match3>, rules: &Rules, seed: u128, out: &mut impl Write) -> Result<()> {
    let (mut game, mut random, mut ties) = deal::<Match3>(rules, seed);
    let mut text = format!("seed {seed}, {}\n\n{}\n", player.name(), board(&game));
    while !game.is_over() {
        let ranked = player.rank(&game.state(), &mut ties)?;
        let action = ranked.first().map_or(0, |valued| valued.action);
        let number = MOVES - game.moves_left() + 1;
        let points = game.step(action, &mut random).reward;
        let at = Move::of_action(action);
        let (score, left) = (game.score(), game.moves_left());
        text += &format!("best: {}\n", best(&ranked));
        text +=
            &format!("move {number}: {at}, points {points}, score {score}, moves left {left}\n\n{}\n", board(&game));
        if !written(out, &text)? {
            return Ok(());
        }
        text.clear();
    }
    written(out, &format!("final score {}\n", game.score())).map(|_| ())
}

/// The board with its coordinates.
fn board(game: &Match3) -> String {
    let mut text = String::from("  ");
    (0..COLUMNS).for_each(|x| write!(text, "{x}").unwrap_or_default());
    text.push('\n');
    for (y, row) in game.board().lines().enumerate() {
        text += &format!("{y} {row}\n");
    }
    text
}

fn best(ranked: &[ActionValue]) -> String {
    let valued = |valued: &ActionValue| format!("{} {:.1}", Move::of_action(valued.action), valued.value);
    ranked.iter().take(BEST).map(valued).collect::<Vec<_>>().join(", ")
}

/// Writes at once; whether anyone still reads.
fn written(out: &mut impl Write, text: &str) -> Result<bool> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::runtime(format!("standard output cannot be written: {error}"))),
    }
}
