//! What is seen of a session.

use super::{Hand, Phase, Played, Session};
use crate::agents::ActionValue;
use crate::commands::play::clip::{Picture, picture};
use crate::games::Game;
use crate::games::match3::{MOVES, Move};

impl Session {
    /// How this game stands, in a line, once a move is played.
    pub(super) fn result(&self) -> Option<String> {
        self.last?;
        let who = if self.hand.is_some() { "you" } else { &self.player };
        let (game, seed) = (&self.table.game, self.seed);
        let moves = MOVES - game.moves_left();
        let rival = self.rival_score().map_or(String::new(), |score| format!("; {}: {score} points", self.player));
        Some(format!("seed {seed}, {who}: {} points after {moves} of {MOVES} moves{rival}\n", game.score()))
    }

    /// What was played, a line for each game.
    pub fn results(&self) -> String {
        self.past.iter().cloned().chain(self.result()).collect()
    }

    /// The player's score in the same game, once a person's game is over and the player has played it.
    pub fn rival_score(&self) -> Option<i32> {
        self.rival.as_ref().filter(|rival| rival.game.is_over()).map(|rival| rival.game.score())
    }

    /// What is going on.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// The board that is shown now.
    pub fn board(&self) -> Picture {
        match &self.phase {
            Phase::Moving(clip) => *clip.now(),
            _ => picture(&self.table.game.board()),
        }
    }

    /// The score as it is shown: a move's points are added when its last token has fallen.
    pub fn score(&self) -> i32 {
        let coming = self.last.filter(|_| self.is_falling()).map_or(0, |last| last.points);
        self.table.game.score() - coming
    }

    /// The last move whose points are shown.
    pub fn last(&self) -> Option<Played> {
        self.last.filter(|_| !self.is_falling())
    }

    fn is_falling(&self) -> bool {
        matches!(&self.phase, Phase::Moving(clip) if !clip.is_last())
    }

    /// The move that is just being made: its swap is what is seen.
    pub fn swap(&self) -> Option<Move> {
        match &self.phase {
            Phase::Moving(clip) if clip.is_first() => self.last.map(|last| last.at),
            _ => None,
        }
    }

    /// Moves left to play.
    pub fn moves_left(&self) -> i32 {
        self.table.game.moves_left()
    }

    /// What the player thinks of the position, from the best move to the worst: where a person plays, only if asked.
    pub fn view(&self) -> &[ActionValue] {
        let hidden = self.hand.is_some_and(|hand| !hand.hint);
        if hidden { &[] } else { &self.view }
    }

    /// Whether the player's answer is awaited.
    pub fn is_thinking(&self) -> bool {
        self.asked
    }

    /// Whether a step is made as soon as the player has answered.
    pub fn is_step_due(&self) -> bool {
        self.due.is_some()
    }

    /// A person's hand, where a person plays.
    pub fn hand(&self) -> Option<Hand> {
        self.hand
    }

    /// The seed of the game.
    pub fn seed(&self) -> u128 {
        self.seed
    }

    /// The player's name.
    pub fn player(&self) -> &str {
        &self.player
    }

    /// How fast boards follow each other.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Whether time stands still.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether something will change without a key or an answer.
    pub fn is_running(&self) -> bool {
        !self.paused && self.duration().is_some()
    }
}
