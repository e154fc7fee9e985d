//! A game watched or played, without a terminal.

mod seen;

use super::clip::Clip;
use super::picture::Picture;
use crate::eval::tie_stream;
use crate::games::{Episode, Game, MaskKind, Text};
use crate::players::{ActionValue, Roster};
use crate::random::Stream;
use matchq_pictures::landed::{self, Landed};

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
    /// Moves the cursor by columns and rows, or plays if a cell is selected.
    Go(isize, isize),
    Select,
    Unselect,
    /// Shows or hides the player's best moves.
    Hint,
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
    pub ranked: Vec<ActionValue>,
    /// The player's stream after the choice.
    pub ties: Stream,
}

pub enum Phase {
    Choosing,
    Chosen,
    Moving(Clip),
    Over,
}

/// A person's hand at the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hand {
    /// Cell (x, y) under the cursor.
    pub cursor: (usize, usize),
    /// Whether a direction plays the move of the cell and its neighbour.
    pub selected: bool,
    /// Action of the falling piece that the person steers, in games with pieces.
    pub steered: Option<usize>,
    /// Whether hints are wanted; a steered piece follows the best move.
    pub hint: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    pub action: usize,
    pub words: String,
    pub points: i32,
    /// Letter of the placed piece, and the cells (row, column) in which it lands.
    pub piece: Option<(char, Vec<(usize, usize)>)>,
}

/// Seconds at speed 1 for which a choice is shown.
const CHOICE: f64 = 1.2;
/// Speeds set by keys; a flag can set others.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.125..=64.0;

pub struct Session<G: Game> {
    rules: G::Rules,
    seed: u128,
    episode: Episode<G>,
    /// The player's stream.
    ties: Stream,
    /// Moves of the whole game if limited, else 0.
    moves: usize,
    played: usize,
    phase: Phase,
    hand: Option<Hand>,
    /// The player's ranking of the position.
    ranking: Vec<ActionValue>,
    /// The moves of the ranking in words, and for a narrow list.
    words: Vec<[String; 2]>,
    last: Option<Played>,
    landed: Landed,
    /// Why the last command was refused.
    notice: Option<String>,
    paused: bool,
    /// Whether a steered piece follows the hint.
    follows: bool,
    /// Command to repeat after the player's answer.
    due: Option<Command>,
    speed: f64,
    /// Seconds at speed 1 since the board is shown.
    shown: f64,
    asked: bool,
    id: u64,
    past: Vec<String>,
    player: String,
}

impl<G: Roster> Session<G> {
    /// The game of a seed; `speed` is positive and finite.
    pub fn new(rules: G::Rules, seed: u128, player: &str, human: bool, speed: f64) -> Self {
        let episode = Episode::<G>::deal(&rules, seed);
        let (columns, rows) = still(&episode).size();
        let cursor = ((columns / 2).saturating_sub(1), (rows / 2).saturating_sub(1));
        let steered = G::steer(&episode.state(), None, 0, 0);
        let hand = Hand { cursor, selected: false, steered, hint: false };
        Self {
            moves: G::actions_left(&episode.state()),
            rules,
            seed,
            episode,
            ties: tie_stream(seed),
            played: 0,
            phase: Phase::Choosing,
            hand: human.then_some(hand),
            ranking: Vec::new(),
            words: Vec::new(),
            last: None,
            landed: Landed::default(),
            notice: None,
            paused: false,
            follows: false,
            due: None,
            speed,
            shown: 0.0,
            asked: false,
            id: 0,
            past: Vec::new(),
            player: player.to_owned(),
        }
    }

    /// The position to rank, given once.
    pub fn question(&mut self) -> Option<Question<G>> {
        let needed = match (&self.phase, self.hand) {
            (Phase::Choosing, None) => true,
            (Phase::Choosing, Some(hand)) => hand.hint && self.ranking.is_empty(),
            _ => false,
        };
        if !needed || self.asked {
            return None;
        }
        self.asked = true;
        Some(Question { id: self.id, state: self.episode.state(), ties: self.ties.clone() })
    }

    /// Takes an answer, unless to an earlier question.
    pub fn answer(&mut self, answer: Answer) {
        if answer.id != self.id || !self.asked {
            return;
        }
        self.forget_question();
        let state = self.episode.state();
        let words = |valued: &ActionValue| [G::words(&state, valued.action), G::listed(&state, valued.action)];
        self.words = answer.ranked.iter().map(words).collect();
        self.ranking = answer.ranked;
        self.follow_hint();
        if self.hand.is_none() {
            self.ties = answer.ties;
            self.enter(Phase::Chosen);
            self.due.take().into_iter().for_each(|step| self.obey(step));
        }
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

    /// Obeys a command, or ignores a meaningless one.
    pub fn obey(&mut self, command: Command) {
        self.notice = None;
        match command {
            Command::Pause => {
                self.paused = !self.paused;
                self.due = None;
            }
            Command::StepBoard | Command::StepMove => {
                self.paused = true;
                self.due = (matches!(self.phase, Phase::Choosing) && self.hand.is_none()).then_some(command);
                self.advance();
                while command == Command::StepMove && matches!(self.phase, Phase::Moving(_)) {
                    self.advance();
                }
            }
            // A speed beyond the limits, set by a flag, stays.
            Command::Faster if self.speed < *SPEEDS.end() => self.speed = (self.speed * 2.0).min(*SPEEDS.end()),
            Command::Slower if self.speed > *SPEEDS.start() => self.speed = (self.speed / 2.0).max(*SPEEDS.start()),
            Command::NextGame => self.next_game(),
            Command::Go(columns, rows) => self.go(columns, rows),
            Command::Select if matches!(self.phase, Phase::Choosing) && self.steered().is_some() => self.drop_piece(),
            Command::Select if matches!(self.phase, Phase::Choosing) => {
                self.hand.iter_mut().for_each(|hand| hand.selected = !hand.selected);
            }
            Command::Unselect => self.hand.iter_mut().for_each(|hand| hand.selected = false),
            Command::Hint if matches!(self.phase, Phase::Choosing) => {
                self.hand.iter_mut().for_each(|hand| hand.hint = !hand.hint);
                self.follows = true;
                self.follow_hint();
            }
            _ => {}
        }
    }

    /// Seconds at speed 1 for which the board is shown; none if unlimited.
    fn duration(&self) -> Option<f64> {
        match &self.phase {
            Phase::Chosen => Some(CHOICE),
            Phase::Moving(clip) => Some(clip.duration()),
            Phase::Choosing | Phase::Over => None,
        }
    }

    fn advance(&mut self) {
        self.shown = 0.0;
        match &mut self.phase {
            Phase::Chosen => {
                let best = self.ranking.first().map_or(0, |valued| valued.action);
                self.play(best);
            }
            Phase::Moving(clip) => {
                if !clip.advance() {
                    // The ranking is of an earlier position.
                    self.ranking.clear();
                    self.enter(if self.episode.is_over() { Phase::Over } else { Phase::Choosing });
                }
            }
            Phase::Choosing | Phase::Over => {}
        }
    }

    fn play(&mut self, action: usize) {
        let state = self.episode.state();
        let words = G::words(&state, action);
        let piece = landed::piece::<G>(&state).map(|piece| (piece, G::places(&state, action)));
        let Episode { game, stream } = &mut self.episode;
        let (step, mut boards) = game.frames(action, stream);
        self.played += 1;
        self.last = Some(Played { action, words, points: step.reward as i32, piece });
        let mut rest = G::board(&game.state());
        self.landed.follow::<G>(&state, action, &mut boards, &mut rest);
        let clip = Clip::new(&boards, &rest);
        self.enter(Phase::Moving(clip));
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.shown = 0.0;
    }

    /// Action of the piece that a person steers.
    pub fn steered(&self) -> Option<usize> {
        self.hand.and_then(|hand| hand.steered).filter(|_| matches!(self.phase, Phase::Choosing))
    }

    /// Moves the steered piece sideways, turns it or drops it.
    fn steer(&mut self, columns: isize, rows: isize) {
        if rows > 0 {
            return self.drop_piece();
        }
        self.follows = false;
        let turns = usize::from(rows < 0);
        let to = G::steer(&self.episode.state(), self.steered(), columns, turns);
        self.hand.iter_mut().for_each(|hand| hand.steered = to);
    }

    /// Moves the steered piece where the hint puts it, unless moved since asking.
    fn follow_hint(&mut self) {
        let best = self.ranking.first().map(|best| best.action);
        if let Some(hand) = self.hand.as_mut().filter(|hand| hand.hint && self.follows) {
            hand.steered = hand.steered.and(best).or(hand.steered);
        }
    }

    fn drop_piece(&mut self) {
        let Some(action) = self.steered() else { return };
        self.hand.iter_mut().for_each(|hand| hand.hint = false);
        self.forget_question();
        self.ranking.clear();
        self.play(action);
        let next = G::steer(&self.episode.state(), None, 0, 0);
        self.hand.iter_mut().for_each(|hand| hand.steered = next);
    }

    fn go(&mut self, columns: isize, rows: isize) {
        if self.steered().is_some() {
            return self.steer(columns, rows);
        }
        let (width, height) = still(&self.episode).size();
        let Some(hand) = &mut self.hand else { return };
        let (x, y) = hand.cursor;
        let along = |from: usize, by, cells: usize| from.saturating_add_signed(by).min(cells.saturating_sub(1));
        let to = (along(x, columns, width), along(y, rows, height));
        if !hand.selected {
            hand.cursor = to;
        } else if to != (x, y) {
            match action::<G>(&self.episode.state(), (x, y), to) {
                Ok(action) => {
                    *hand = Hand { cursor: to, selected: false, hint: false, ..*hand };
                    self.forget_question();
                    self.ranking.clear();
                    self.play(action);
                }
                Err(notice) => self.notice = Some(notice),
            }
        }
    }

    fn next_game(&mut self) {
        self.past.extend(self.result());
        // The first seed follows the last.
        self.seed = self.seed.wrapping_add(1);
        (self.episode, self.ties) = (Episode::deal(&self.rules, self.seed), tie_stream(self.seed));
        self.played = 0;
        self.landed = Landed::default();
        self.ranking.clear();
        self.last = None;
        self.due = None;
        let steered = G::steer(&self.episode.state(), None, 0, 0);
        self.hand.iter_mut().for_each(|hand| *hand = Hand { selected: false, hint: false, steered, ..*hand });
        self.forget_question();
        self.enter(Phase::Choosing);
    }

    /// Ignores an answer that is still awaited.
    fn forget_question(&mut self) {
        self.id += 1;
        self.asked = false;
    }
}

fn still<G: Text>(episode: &Episode<G>) -> Picture {
    Picture::of(&G::board(&episode.state()))
}

/// The move that touches exactly two cells, or why it is impossible.
fn action<G: Text>(state: &G::State, a: (usize, usize), b: (usize, usize)) -> Result<usize, String> {
    let touches = |action: &usize| {
        let cells = G::cells(*action);
        cells.len() == 2 && cells.contains(&a) && cells.contains(&b)
    };
    let Some(action) = (0..G::ACTIONS).find(touches) else {
        return Err(format!("no move is of the cells ({}, {}) and ({}, {})", a.1, a.0, b.1, b.0));
    };
    match G::mask(state, MaskKind::LEGAL).contains(action) {
        true => Ok(action),
        false => Err(format!("the rules do not allow {} now", G::words(state, action))),
    }
}

#[cfg(test)]
mod tests;
