//! The pictures of a game while it is played.

use matchq_core::stop;

use crate::games::{Episode, Step, Text, counted};

use crate::animation::Frame;
use crate::landed::Landed;

/// The result of a move; in its texts landed pieces have names.
#[derive(Clone, Debug)]
pub struct Played {
    /// The board before the move.
    pub before: String,
    /// The boards on the way.
    pub way: Vec<String>,
    /// The board at rest.
    pub rest: String,
    /// The move's points.
    pub points: f32,
}

/// Plays a game and keeps its pictures.
#[derive(Clone, Debug)]
pub struct Film {
    /// What the score counts.
    unit: &'static str,
    landed: Landed,
    /// The pictures so far, if they are kept.
    frames: Option<Vec<Frame>>,
}

impl Film {
    /// Begins with the position as it stands, whose score counts `unit`.
    pub fn new<G: Text>(episode: &Episode<G>, unit: &'static str, is_drawn: bool) -> Self {
        let mut film = Self { unit, landed: Landed::default(), frames: is_drawn.then(Vec::new) };
        film.show(episode, &G::board(&episode.state()), vec![], 1_000, episode.score());
        film
    }

    /// The pictures so far; empty if they are not kept.
    pub fn frames(&self) -> &[Frame] {
        self.frames.as_deref().unwrap_or_default()
    }

    /// Plays an action, which may lie above all actions for a wasted move.
    pub fn play<G: Text>(&mut self, episode: &mut Episode<G>, action: usize) -> Played {
        stop::look();
        let (score, state) = (episode.score(), episode.state());
        let before = self.landed.name(&G::board(&state));
        // Pieces fall faster than tokens.
        let [choice, pass, quiet] = if G::PIECES.is_some() { [400, 80, 100] } else { [600, 120, 500] };
        if action < G::ACTIONS {
            self.show(episode, &before, G::cells(&state, action), choice, score);
        }
        let (Step { reward, .. }, mut way) = episode.game.frames(action, &mut episode.stream);
        let mut rest = G::board(&episode.state());
        self.landed.follow::<G>(&state, action, &mut way, &mut rest);
        for board in &way {
            let flashes = G::PIECES.is_some() && board.contains(' ');
            self.show(episode, board, vec![], if flashes { 250 } else { pass }, score);
        }
        self.show(episode, &rest, vec![], if episode.is_over() { 3_000 } else { quiet }, episode.score());
        Played { before, way, rest, points: reward }
    }

    fn show<G: Text>(
        &mut self,
        episode: &Episode<G>,
        board: &str,
        marked: Vec<(usize, usize)>,
        milliseconds: u32,
        score: i32,
    ) {
        let Some(frames) = &mut self.frames else { return };
        let left = G::actions_left(&episode.state());
        let moves = if left > 0 { format!(", {} left", counted(left, "moves")) } else { String::new() };
        let caption = format!("{}{moves}", counted(score, self.unit));
        frames.push(Frame { rows: board.lines().map(str::to_owned).collect(), milliseconds, caption, marked });
    }
}
