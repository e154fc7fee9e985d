use matchq_core::pool;
use serde::{Deserialize, Serialize};

use super::{Episode, Game, Lookahead, SeenWave, Step};
use crate::random::{Role, Stream};

/// Number of games that a thread steps at once.
const GAMES_PER_TASK: usize = 128;

/// Outcome of a move in one of the games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome<S> {
    /// Points of the move.
    pub reward: f32,
    /// Whether the move ended the game, which a new one replaces.
    pub terminal: bool,
    /// Position after the move, before a new game is dealt.
    pub next: S,
    /// Score of the game, if the move ended it.
    pub score: Option<i32>,
}

/// Many games that step together, each with its own random stream.
///
/// A new game replaces each that ends. A game depends on its actions alone, not on other games or
/// threads.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Games<G: Game> {
    rules: G::Rules,
    episodes: Vec<Episode<G, Stream>>,
}

impl<G: Game> Games<G> {
    /// Deals `count` games; game i draws from the stream of [`Role::Game`] and i.
    pub fn new(rules: G::Rules, count: usize, seed: u64) -> Self {
        let deal = |index| Episode::new(&rules, Stream::new(seed, Role::Game, index));
        Self { episodes: (0..count as u64).map(deal).collect(), rules }
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.episodes.len()
    }

    /// Whether there is no game.
    pub fn is_empty(&self) -> bool {
        self.episodes.is_empty()
    }

    /// All games, in their order.
    pub fn games(&self) -> impl ExactSizeIterator<Item = &G> {
        self.episodes.iter().map(|episode| &episode.game)
    }

    /// Positions of all games.
    pub fn states(&self) -> impl ExactSizeIterator<Item = G::State> {
        self.games().map(G::state)
    }

    /// Plays one action in each game and writes the outcomes to `out`; panics on another number of
    /// actions.
    pub fn step(&mut self, actions: &[usize], out: &mut Vec<Outcome<G::State>>) {
        assert_eq!(actions.len(), self.len(), "one action for each game");
        let Self { rules, episodes } = self;
        let Some(first) = episodes.first() else { return out.clear() };
        // Every outcome is overwritten.
        out.resize(actions.len(), Outcome { reward: 0.0, terminal: false, next: first.state(), score: None });
        let (episodes, actions) = (episodes.chunks_mut(GAMES_PER_TASK), actions.chunks(GAMES_PER_TASK));
        pool::each(episodes.zip(actions).zip(out.chunks_mut(GAMES_PER_TASK)), |((episodes, actions), out)| {
            for ((episode, action), out) in episodes.iter_mut().zip(actions).zip(out) {
                let step = episode.step(*action);
                *out = outcome(episode, step, rules);
            }
        });
    }
}

impl<G: Lookahead> Games<G> {
    /// Plays one action in each game and shows their waves to `see`; panics on another number of
    /// actions.
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

/// Outcome of a step; deals a new game after the end.
fn outcome<G: Game>(episode: &mut Episode<G, Stream>, step: Step, rules: &G::Rules) -> Outcome<G::State> {
    let (next, score) = (episode.state(), step.terminal.then(|| episode.score()));
    if step.terminal {
        episode.renew(rules);
    }
    Outcome { reward: step.reward, terminal: step.terminal, next, score }
}
