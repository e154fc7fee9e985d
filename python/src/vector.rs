//! Games of any kind that step together, without Python.

use matchq_players::Playable;
use matchq_players::error::{Error, Result};
use matchq_players::games::{Episode, MaskKind, offered};
use matchq_players::random::SeededDraw;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::values::write_mask;

/// Games below which another thread does not pay.
pub const GAMES_PER_TASK: usize = 64;

pub trait AnyGames: Send {
    fn len(&self) -> usize;

    /// Whether a game is over or cut.
    fn is_done(&self, place: usize) -> bool;

    /// Deals a new game in each marked place, by its seed or as the next of its session, and shows
    /// all games.
    fn reset(&mut self, seeds: &[Option<u128>], which: &[bool], views: &mut [View<'_>]);

    /// Plays one action in each game and writes its reward; a new game follows one that was over or
    /// cut, with reward 0.
    fn step(&mut self, actions: &[i64], rewards: &mut [f64], views: &mut [View<'_>]);

    fn seeds(&self) -> Vec<u128>;

    fn boards(&self) -> Vec<String>;

    /// Everything that [`AnyGame::restored`](crate::game::AnyGame::restored) needs.
    fn save(&self) -> Result<Vec<u8>>;

    /// An independent copy.
    fn copy(&self) -> Box<dyn AnyGames>;
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GameVector<G: Playable> {
    sessions: Vec<Session<G>>,
    rules: G::Rules,
    mask: MaskKind,
    /// Moves after which a game is cut.
    longest: u64,
}

/// A game and the games that follow it from its seed.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
struct Session<G: Playable> {
    episode: Episode<G>,
    seed: u128,
    /// Source of the seeds of later games.
    next: G::Rng,
    /// Moves of the game so far.
    moves: u64,
}

impl<G: Playable> Session<G> {
    /// The first game of a session.
    fn new(rules: &G::Rules, seed: u128) -> Self {
        Self { episode: Episode::deal(rules, seed), seed, next: G::Rng::from_seed(seed), moves: 0 }
    }

    /// Deals the session's next game.
    fn renew(&mut self, rules: &G::Rules) {
        self.seed = self.next.next_seed();
        self.episode = Episode::deal(rules, self.seed);
        self.moves = 0;
    }

    /// Whether the game is over or cut.
    fn is_done(&self, longest: u64) -> bool {
        self.episode.is_over() || self.moves >= longest
    }

    fn show(&self, mask: MaskKind, longest: u64, view: &mut View<'_>) {
        let state = self.episode.state();
        G::encode(&state, 0, view.image, view.scalars);
        write_mask(&offered::<G>(&state, mask).0, view.mask);
        *view.score = self.episode.score().into();
        *view.over = self.episode.is_over();
        *view.cut = self.moves >= longest;
    }
}

impl<G: Playable> GameVector<G> {
    /// `None` without memory for so many games, which have seed 0 until the first reset.
    pub fn new(count: usize, rules: G::Rules, mask: MaskKind, longest: u64) -> Option<Self> {
        let mut sessions = vec![];
        sessions.try_reserve_exact(count).ok()?;
        sessions.resize(count, Session::new(&rules, 0));
        Some(Self { sessions, rules, mask, longest })
    }

    /// Games that were read, if their mask is one of the game's.
    pub fn checked(self) -> std::result::Result<Self, String> {
        match self.mask.0 < G::MASKS.len() {
            true => Ok(self),
            false => Err(format!("{} has no mask {}", G::NAME, self.mask.0)),
        }
    }
}

impl<G: Playable> AnyGames for GameVector<G> {
    fn len(&self) -> usize {
        self.sessions.len()
    }

    fn is_done(&self, place: usize) -> bool {
        self.sessions[place].is_done(self.longest)
    }

    fn reset(&mut self, seeds: &[Option<u128>], which: &[bool], views: &mut [View<'_>]) {
        let Self { sessions, rules, mask, longest } = self;
        type Place<'a, 'b, G> = (((&'a mut Session<G>, &'a mut View<'b>), &'a Option<u128>), &'a bool);
        let reset = |(((session, view), seed), which): Place<'_, '_, G>| {
            if *which {
                match seed {
                    Some(seed) => *session = Session::new(rules, *seed),
                    None => session.renew(rules),
                }
            }
            session.show(*mask, *longest, view);
        };
        if sessions.len() <= GAMES_PER_TASK {
            sessions.iter_mut().zip(views).zip(seeds).zip(which).for_each(reset);
        } else {
            let parts = sessions.par_iter_mut().zip(views).zip(seeds).zip(which);
            parts.with_min_len(GAMES_PER_TASK).for_each(reset);
        }
    }

    fn step(&mut self, actions: &[i64], rewards: &mut [f64], views: &mut [View<'_>]) {
        let Self { sessions, rules, mask, longest } = self;
        type Place<'a, 'b, G> = (((&'a mut Session<G>, &'a mut View<'b>), &'a i64), &'a mut f64);
        let step = |(((session, view), action), reward): Place<'_, '_, G>| {
            *reward = match session.is_done(*longest) {
                true => {
                    session.renew(rules);
                    0.0
                }
                false => {
                    session.moves += 1;
                    session.episode.step(*action as usize).reward.into()
                }
            };
            session.show(*mask, *longest, view);
        };
        if sessions.len() <= GAMES_PER_TASK {
            sessions.iter_mut().zip(views).zip(actions).zip(rewards).for_each(step);
        } else {
            let parts = sessions.par_iter_mut().zip(views).zip(actions).zip(rewards);
            parts.with_min_len(GAMES_PER_TASK).for_each(step);
        }
    }

    fn seeds(&self) -> Vec<u128> {
        self.sessions.iter().map(|session| session.seed).collect()
    }

    fn boards(&self) -> Vec<String> {
        self.sessions.iter().map(|session| G::board(&session.episode.state())).collect()
    }

    fn save(&self) -> Result<Vec<u8>> {
        postcard::to_stdvec(self).map_err(|error| Error::runtime(format!("games cannot be saved: {error}")))
    }

    fn copy(&self) -> Box<dyn AnyGames> {
        Box::new(self.clone())
    }
}

/// Part of the arrays for a game.
pub struct View<'a> {
    pub image: &'a mut [u8],
    pub scalars: &'a mut [f32],
    pub mask: &'a mut [bool],
    pub score: &'a mut i64,
    pub over: &'a mut bool,
    /// Whether the game has all moves that it may have; as Gymnasium's `TimeLimit`, also if over.
    pub cut: &'a mut bool,
}
