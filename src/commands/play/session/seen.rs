use super::{Hand, Phase, Played, Session};
use crate::commands::play::picture::Picture;
use crate::players::ActionValue;
use crate::players::Roster;
use matchq_pictures::landed;

impl<G: Roster> Session<G> {
    /// Result of this game; none before the first move.
    pub(super) fn result(&self) -> Option<String> {
        self.last.as_ref()?;
        let who = if self.hand.is_some() { "you" } else { &self.player };
        let (score, seed) = (self.episode.score(), self.seed);
        let moves = match self.moves_left() {
            Some((left, all)) => format!("{} of {all} moves", all - left),
            None if self.played == 1 => "1 move".to_owned(),
            None => format!("{} moves", self.played),
        };
        Some(format!("seed {seed}, {who}: {score} {} after {moves}\n", G::UNIT))
    }

    /// Results of all games, one line each.
    pub fn results(&self) -> String {
        self.past.iter().cloned().chain(self.result()).collect()
    }

    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    pub fn board(&self) -> Picture {
        match &self.phase {
            Phase::Moving(clip) => clip.now().clone(),
            _ => match self.steered() {
                Some(action) => Picture::of(&self.landed.name(&G::steered(&self.episode.state(), action))),
                None => Picture::of(&self.landed.name(&G::board(&self.episode.state()))),
            },
        }
    }

    /// Letter of the piece and the cells (row, column) in which it would land: where it is steered,
    /// else in the best place.
    pub fn ghost(&self) -> Option<(char, Vec<(usize, usize)>)> {
        let state = self.episode.state();
        let action = match self.phase {
            Phase::Moving(_) if self.is_falling() => return self.last.as_ref().and_then(|last| last.piece.clone()),
            Phase::Choosing | Phase::Chosen => self.steered().or(self.ranking().first().map(|best| best.action))?,
            _ => return None,
        };
        Some((landed::piece::<G>(&state)?, G::places(&state, action)))
    }

    /// Score without points of tokens that still fall.
    pub fn score(&self) -> i32 {
        let coming = self.last.as_ref().filter(|_| self.is_falling()).map_or(0, |last| last.points);
        self.episode.score() - coming
    }

    /// Last move with shown points.
    pub fn last(&self) -> Option<&Played> {
        self.last.as_ref().filter(|_| !self.is_falling())
    }

    fn is_falling(&self) -> bool {
        matches!(&self.phase, Phase::Moving(clip) if !clip.is_last())
    }

    /// Move whose first board is shown.
    pub fn starting(&self) -> Option<usize> {
        match &self.phase {
            Phase::Moving(clip) if clip.is_first() => self.last.as_ref().map(|last| last.action),
            _ => None,
        }
    }

    /// Moves left and moves of the whole game; none if unlimited.
    pub fn moves_left(&self) -> Option<(usize, usize)> {
        let all = self.moves;
        (all > 0).then(|| (G::actions_left(&self.episode.state()), all))
    }

    /// Why the last command was refused.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The player's ranking, best move first; for a person, only on request.
    pub fn ranking(&self) -> &[ActionValue] {
        let hidden = self.hand.is_some_and(|hand| !hand.hint);
        if hidden { &[] } else { &self.ranking }
    }

    /// A move of the [ranking](Self::ranking) in words.
    pub fn words(&self, rank: usize) -> &str {
        self.words.get(rank).map_or("", |[words, _]| words)
    }

    /// A move of the ranking for a narrow list.
    pub fn listed(&self, rank: usize) -> &str {
        self.words.get(rank).map_or("", |[_, listed]| listed)
    }

    pub fn is_thinking(&self) -> bool {
        self.asked
    }

    pub fn is_step_due(&self) -> bool {
        self.due.is_some()
    }

    pub fn hand(&self) -> Option<Hand> {
        self.hand
    }

    pub fn seed(&self) -> u128 {
        self.seed
    }

    pub fn player(&self) -> &str {
        &self.player
    }

    pub fn speed(&self) -> f64 {
        self.speed
    }

    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether something will change without a key or an answer.
    pub fn is_running(&self) -> bool {
        !self.paused && self.duration().is_some()
    }
}
