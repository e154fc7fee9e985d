//! A watched game, without a terminal.

use matchq_pictures::landed::Landed;

use super::clip::Clip;
use crate::eval::tie_stream;
use crate::games::{Episode, Game, counted};
use crate::players::{Playable, Scale, Valued};
use crate::random::Stream;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// Stops or continues time.
    Pause,
    /// Stops time and shows the next board.
    StepBoard,
    /// Stops time and shows the end of the next move.
    StepMove,
    Faster,
    Slower,
    /// Deals the next seed's game.
    NextGame,
}

/// A position for the player to rank.
pub struct Question<G: Game> {
    /// Number of the question; other answers are ignored.
    pub id: u64,
    pub state: G::State,
    /// The player's stream.
    pub ties: Stream,
}

pub struct Answer {
    pub id: u64,
    /// Moves, best first, at least one.
    pub ranked: Vec<Valued>,
    /// The player's stream after the choice.
    pub ties: Stream,
}

pub enum Phase {
    /// The player is still to be asked.
    Asking,
    /// The player was asked.
    Thinking,
    /// The player's choice is shown.
    Chosen,
    Moving(Clip),
    Over,
}

/// A move that the player considers.
pub struct Candidate {
    pub action: usize,
    pub value: f64,
    pub words: String,
    /// Cells (row, column) that the move swaps, or in which it puts a piece.
    pub cells: Vec<(usize, usize)>,
}

/// Seconds at speed 1 for which a choice is shown.
const CHOICE: f64 = 1.2;
/// Least and greatest speed set by keys; a flag can set others.
const SPEEDS: (f64, f64) = (0.125, 64.0);

pub struct Session<G: Game> {
    rules: G::Rules,
    pub seed: u128,
    /// The player's name.
    pub player: String,
    /// What the player's values count.
    pub scale: Scale,
    pub speed: f64,
    pub paused: bool,
    pub phase: Phase,
    /// Command to repeat after the player's answer.
    pub due: Option<Command>,
    /// Moves of the position before the shown move, best first.
    pub ranking: Vec<Candidate>,
    /// Score without points of tokens that still fall.
    pub score: i32,
    /// Points and words of the last move whose tokens have fallen.
    pub last: String,
    /// Text of [`last`](Self::last) after the shown move.
    coming: String,
    episode: Episode<G>,
    /// The player's stream.
    ties: Stream,
    /// Moves of the whole game if limited, else 0.
    moves: usize,
    played: usize,
    landed: Landed,
    /// Seconds at speed 1 since the board is shown.
    shown: f64,
    /// Number of the last question.
    id: u64,
    /// Results of earlier games.
    past: String,
}

impl<G: Playable> Session<G> {
    /// The game of a seed; `speed` is positive and finite.
    pub fn new(rules: G::Rules, seed: u128, player: &str, speed: f64) -> Self {
        let episode = Episode::<G>::deal(&rules, seed);
        Self {
            moves: G::actions_left(&episode.state()),
            rules,
            seed,
            player: player.to_owned(),
            scale: Scale::Points,
            speed,
            paused: false,
            phase: Phase::Asking,
            due: None,
            ranking: Vec::new(),
            score: episode.score(),
            last: String::new(),
            coming: String::new(),
            episode,
            ties: tie_stream(seed),
            played: 0,
            landed: Landed::default(),
            shown: 0.0,
            id: 0,
            past: String::new(),
        }
    }

    /// The position to rank, given once.
    pub fn question(&mut self) -> Option<Question<G>> {
        if !matches!(self.phase, Phase::Asking) {
            return None;
        }
        self.phase = Phase::Thinking;
        self.id += 1;
        Some(Question { id: self.id, state: self.episode.state(), ties: self.ties.clone() })
    }

    /// Takes an answer, unless to an earlier question.
    pub fn answer(&mut self, answer: Answer) {
        if answer.id != self.id || !matches!(self.phase, Phase::Thinking) {
            return;
        }
        let state = self.episode.state();
        let candidate = |Valued { action, value, .. }| Candidate {
            action,
            value,
            words: G::words(&state, action),
            cells: G::cells(&state, action),
        };
        // Moves that a search gave up early have rough values, which are in no order with the others'.
        self.ranking = answer.ranked.into_iter().filter(|valued| !valued.dropped).map(candidate).collect();
        self.ties = answer.ties;
        self.phase = Phase::Chosen;
        self.shown = 0.0;
        self.due.take().into_iter().for_each(|step| self.obey(step));
    }

    /// Lets time pass.
    pub fn tick(&mut self, seconds: f64) {
        if self.paused {
            return;
        }
        self.shown += seconds * self.speed;
        while let Some(duration) = self.duration()
            && self.shown >= duration
        {
            let left = self.shown - duration;
            self.advance();
            self.shown = left;
        }
    }

    pub fn obey(&mut self, command: Command) {
        match command {
            Command::Pause => {
                self.paused = !self.paused;
                self.due = None;
            }
            Command::StepBoard | Command::StepMove => {
                self.paused = true;
                self.due = matches!(self.phase, Phase::Asking | Phase::Thinking).then_some(command);
                self.advance();
                while command == Command::StepMove && matches!(self.phase, Phase::Moving(_)) {
                    self.advance();
                }
            }
            // A speed beyond the limits, set by a flag, stays.
            Command::Faster => self.speed = (2.0 * self.speed).min(SPEEDS.1).max(self.speed),
            Command::Slower => self.speed = (self.speed / 2.0).max(SPEEDS.0).min(self.speed),
            Command::NextGame => {
                // The first seed follows the last.
                let next = Self::new(self.rules.clone(), self.seed.wrapping_add(1), &self.player, self.speed);
                *self = Self { past: self.results(), paused: self.paused, id: self.id, ..next };
            }
        }
    }

    /// Seconds at speed 1 for which the board is shown; none if unlimited.
    fn duration(&self) -> Option<f64> {
        match &self.phase {
            Phase::Chosen => Some(CHOICE),
            Phase::Moving(clip) => Some(clip.duration()),
            Phase::Asking | Phase::Thinking | Phase::Over => None,
        }
    }

    fn advance(&mut self) {
        self.shown = 0.0;
        match &mut self.phase {
            Phase::Chosen => self.play(),
            Phase::Moving(clip) => {
                let ends = !clip.advance();
                if clip.is_last() {
                    (self.score, self.last) = (self.episode.score(), self.coming.clone());
                }
                if ends {
                    self.ranking.clear();
                    self.phase = if self.episode.is_over() { Phase::Over } else { Phase::Asking };
                }
            }
            Phase::Asking | Phase::Thinking | Phase::Over => {}
        }
    }

    /// Plays the best move.
    fn play(&mut self) {
        let state = self.episode.state();
        let action = self.ranking.first().map_or(0, |best| best.action);
        let Episode { game, stream } = &mut self.episode;
        let (step, mut boards) = game.frames(action, stream);
        let mut rest = G::board(&game.state());
        self.landed.follow::<G>(&state, action, &mut boards, &mut rest);
        self.played += 1;
        self.coming = format!("{:+}: {}", step.reward, G::words(&state, action));
        self.phase = Phase::Moving(Clip::new(boards, rest));
    }

    /// Results of all games after at least one move, a line each.
    pub fn results(&self) -> String {
        let Self { past, seed, player, played, .. } = self;
        let moves = match (self.moves_left(), played) {
            (_, 0) => return past.clone(),
            (Some((left, all)), _) => format!("{} of {all} moves", all - left),
            (None, _) => counted(played, "moves"),
        };
        format!("{past}seed {seed}, {player}: {} after {moves}\n", counted(self.episode.score(), G::UNIT))
    }

    /// Text of the shown board, with the letters of landed pieces.
    pub fn board(&self) -> String {
        match &self.phase {
            Phase::Moving(clip) => clip.now().to_owned(),
            _ => self.landed.name(&G::board(&self.episode.state())),
        }
    }

    /// The best move while it is shown on the board.
    pub fn choice(&self) -> Option<&Candidate> {
        let shown = match &self.phase {
            Phase::Moving(clip) => clip.is_first(),
            phase => matches!(phase, Phase::Chosen),
        };
        self.ranking.first().filter(|_| shown)
    }

    /// Moves left and moves of the whole game; none if unlimited.
    pub fn moves_left(&self) -> Option<(usize, usize)> {
        (self.moves > 0).then(|| (G::actions_left(&self.episode.state()), self.moves))
    }

    /// Whether something will change without a key.
    pub fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Thinking) || !self.paused && self.duration().is_some()
    }
}

#[cfg(test)]
mod tests;
