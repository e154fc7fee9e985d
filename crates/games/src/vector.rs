//! Many games that step together.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Episode, Game, Lookahead, SeenWave, Step};
use crate::random::{Role, Stream};

/// Fewer games than this are not worth another thread.
const GAMES_PER_TASK: usize = 128;

/// What stepping one game of a vector brought.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome<S> {
    /// The points the move gained.
    pub reward: f32,
    /// Whether the move ended the game; then a new one is dealt in its place.
    pub terminal: bool,
    /// The position after the move, before any new game is dealt.
    pub next: S,
    /// The final score of the game that the move ended.
    pub score: Option<i32>,
}

/// A vector of games, each with its own random stream.
///
/// A game that ends is followed by a new one. What happens in a game depends on its actions alone, not on the other
/// games or on threads.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Games<G: Game> {
    rules: G::Rules,
    episodes: Vec<Episode<G, Stream>>,
}

impl<G: Game> Games<G> {
    /// Deals `count` games.
    ///
    /// Game i draws from the stream of [`Role::Game`] and i under the seed.
    pub fn new(rules: G::Rules, count: usize, seed: u64) -> Self {
        let deal = |index| Episode::new(&rules, Stream::new(seed, Role::Game, index));
        Self { episodes: (0..count as u64).map(deal).collect(), rules }
    }

    /// The number of games.
    pub fn len(&self) -> usize {
        self.episodes.len()
    }

    /// Whether there is no game.
    pub fn is_empty(&self) -> bool {
        self.episodes.is_empty()
    }

    /// The games as they stand.
    pub fn games(&self) -> impl ExactSizeIterator<Item = &G> {
        self.episodes.iter().map(|episode| &episode.game)
    }

    /// The positions of all games.
    pub fn states(&self) -> impl ExactSizeIterator<Item = G::State> {
        self.games().map(G::state)
    }

    /// Plays one action in each game and leaves one outcome for each in `out`.
    ///
    /// # Panics
    /// If there are not as many actions as games.
    pub fn step(&mut self, actions: &[usize], out: &mut Vec<Outcome<G::State>>) {
        assert_eq!(actions.len(), self.len(), "one action for each game");
        let Self { rules, episodes } = self;
        let step = |(episode, action): (&mut Episode<G, Stream>, &usize)| {
            let step = episode.step(*action);
            outcome(episode, step, rules)
        };
        if episodes.len() <= GAMES_PER_TASK {
            out.clear();
            out.extend(episodes.iter_mut().zip(actions).map(step));
        } else {
            let steps = episodes.par_iter_mut().zip(actions).with_min_len(GAMES_PER_TASK);
            steps.map(step).collect_into_vec(out);
        }
    }
}

impl<G: Lookahead> Games<G> {
    /// As [`step`](Self::step), and shows what is seen of chains, game by game.
    ///
    /// # Panics
    /// If there are not as many actions as games.
    pub fn step_seen(&mut self, actions: &[usize], mut see: impl FnMut(SeenWave<G::State>)) -> Vec<Outcome<G::State>> {
        assert_eq!(actions.len(), self.len(), "one action for each game");
        let Self { rules, episodes } = self;
        let step = |(episode, action): (&mut Episode<G, Stream>, &usize)| {
            let step = episode.game.step_seen(*action, &mut episode.stream, &mut see);
            outcome(episode, step, rules)
        };
        episodes.iter_mut().zip(actions).map(step).collect()
    }
}

/// What a step brought; a new game is dealt where one has ended.
fn outcome<G: Game>(episode: &mut Episode<G, Stream>, step: Step, rules: &G::Rules) -> Outcome<G::State> {
    let (next, score) = (episode.state(), step.terminal.then(|| episode.score()));
    if step.terminal {
        episode.renew(rules);
    }
    Outcome { reward: step.reward, terminal: step.terminal, next, score }
}
