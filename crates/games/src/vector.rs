//! Many games that step together.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Game, Lookahead, SeenWave, Step};
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
    slots: Vec<Slot<G>>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
struct Slot<G: Game> {
    game: G,
    stream: Stream,
}

impl<G: Game> Games<G> {
    /// Deals `count` games.
    ///
    /// Game i draws from the stream of [`Role::Game`] and i under the seed.
    pub fn new(rules: G::Rules, count: usize, seed: u64) -> Self {
        let deal = |index| {
            let mut stream = Stream::new(seed, Role::Game, index);
            Slot { game: G::new(&rules, &mut stream), stream }
        };
        Self { slots: (0..count as u64).map(deal).collect(), rules }
    }

    /// The number of games.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no game.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The games as they stand.
    pub fn games(&self) -> impl ExactSizeIterator<Item = &G> {
        self.slots.iter().map(|slot| &slot.game)
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
        assert_eq!(actions.len(), self.slots.len(), "one action for each game");
        let Self { rules, slots } = self;
        if slots.len() <= GAMES_PER_TASK {
            out.clear();
            out.extend(slots.iter_mut().zip(actions).map(|(slot, action)| slot.step(*action, rules)));
        } else {
            slots
                .par_iter_mut()
                .zip(actions)
                .with_min_len(GAMES_PER_TASK)
                .map(|(slot, action)| slot.step(*action, rules))
                .collect_into_vec(out);
        }
    }
}

impl<G: Lookahead> Games<G> {
    /// As [`step`](Self::step), and shows what is seen of chains, game by game.
    ///
    /// # Panics
    /// If there are not as many actions as games.
    pub fn step_seen(&mut self, actions: &[usize], mut see: impl FnMut(SeenWave<G::State>)) -> Vec<Outcome<G::State>> {
        assert_eq!(actions.len(), self.slots.len(), "one action for each game");
        let Self { rules, slots } = self;
        let step = |(slot, action): (&mut Slot<G>, &usize)| {
            let step = slot.game.step_seen(*action, &mut slot.stream, &mut see);
            slot.outcome(step, rules)
        };
        slots.iter_mut().zip(actions).map(step).collect()
    }
}

impl<G: Game> Slot<G> {
    fn step(&mut self, action: usize, rules: &G::Rules) -> Outcome<G::State> {
        let step = self.game.step(action, &mut self.stream);
        self.outcome(step, rules)
    }

    /// What a step brought; a new game is dealt where one has ended.
    fn outcome(&mut self, step: Step, rules: &G::Rules) -> Outcome<G::State> {
        let next = self.game.state();
        let mut score = None;
        if step.terminal {
            score = Some(self.game.score());
            self.game = G::new(rules, &mut self.stream);
        }
        Outcome { reward: step.reward, terminal: step.terminal, next, score }
    }
}
