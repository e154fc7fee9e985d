use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::Duration;

use super::{Beam, Deadline, FindLine, Line};
use matchq_core::random::Stream;
use matchq_games::{Lookahead, MaskKind, Puzzle};
use rand::Rng;

/// Nested rollout policy adaptation (Rosin 2011, "Nested rollout policy adaptation for Monte Carlo
/// tree search"): random games by weights of moves, which grow for the moves of the best game so far.
pub struct Nrpa<G: Lookahead> {
    /// Levels of the nest, at least 1.
    pub level: u32,
    /// Searches of the level below in a search.
    pub iterations: u32,
    /// Random games between two changes of weights (Cazenave, Sevestre and Toulemont 2021's
    /// stabilized NRPA).
    pub playouts: u32,
    /// Time of a line, in which searches begin anew; without it there is one search.
    pub time: Option<Duration>,
    /// Moves that are tried.
    pub mask: MaskKind,
    /// How far weights move.
    pub alpha: f64,
    /// Times that a level finds its best line again before it ends (Cazenave 2016's limited
    /// repetitions); 0: it never ends early.
    pub repeats: u32,
    /// The beam whose line is the best game at the start.
    pub first: Option<Beam<G>>,
}

/// Weights of moves by their names.
type Weights = HashMap<u64, f64, BuildHasherDefault<Own>>;

/// Bound of weights, so that chances stay finite.
const LARGEST: f64 = 300.0;

/// Names are hashes already.
#[derive(Default)]
struct Own(u64);

impl Hasher for Own {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0 << 8 | u64::from(*byte));
    }

    fn write_u64(&mut self, name: u64) {
        self.0 = name;
    }
}

/// A game to its end, whose moves `choose` chooses by their places.
fn played<G: Lookahead>(
    puzzle: &dyn Puzzle<G>,
    start: &G::State,
    mask: MaskKind,
    mut choose: impl FnMut(&[(usize, u64)]) -> usize,
) -> Game {
    let (mut state, mut game) = (*start, Game::default());
    while let Some((points, next)) = puzzle.play(&state, mask, &mut |moves| {
        let chosen = choose(moves);
        game.line.actions.push(moves[chosen].0);
        game.choices.push((chosen, game.names.len()));
        game.names.extend(moves.iter().map(|(_, name)| *name));
        chosen
    }) {
        game.line.points += f64::from(points);
        state = next;
    }
    game
}

/// A game with the names of all moves that there were.
#[derive(Clone, Default)]
struct Game {
    line: Line,
    /// Of each position the place of the chosen move, and where the names of its moves begin.
    choices: Vec<(usize, usize)>,
    names: Vec<u64>,
}

impl Game {
    /// No game, which any other is better than.
    fn none() -> Self {
        Self { line: Line::NONE, ..Self::default() }
    }

    /// Place of the chosen move and names of all moves, of each position.
    fn positions(&self) -> impl Iterator<Item = (usize, &[u64])> {
        let ends = self.choices.iter().skip(1).map(|(_, begin)| *begin).chain([self.names.len()]);
        self.choices.iter().zip(ends).map(|((chosen, begin), end)| (*chosen, &self.names[*begin..end]))
    }
}

impl<G: Lookahead> Nrpa<G> {
    /// A game by the weights: a move's chance is in proportion to e to the power of its weight.
    fn play(&self, puzzle: &dyn Puzzle<G>, start: &G::State, weights: &Weights, random: &mut Stream) -> Game {
        let mut chances = Vec::new();
        played(puzzle, start, self.mask, |moves| {
            chances.clear();
            let mut sum = 0.0;
            for (_, name) in moves {
                sum += weights.get(name).map_or(1.0, |weight| weight.exp());
                chances.push(sum);
            }
            let at = sum * (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            chances.partition_point(|sum| *sum <= at).min(moves.len() - 1)
        })
    }

    /// The game of the beam's line, if there is one.
    fn first(&self, puzzle: &dyn Puzzle<G>, start: &G::State, deadline: &Deadline) -> Option<Game> {
        let beam = self.first.as_ref()?;
        let mut actions = beam.before(deadline, puzzle, start).actions.into_iter();
        Some(played(puzzle, start, beam.mask, |moves| {
            let action = actions.next();
            moves.iter().position(|(one, _)| Some(*one) == action).unwrap_or(0)
        }))
    }

    /// Best game of a level, at least 1, from a best game and weights that adapt to the best game so far.
    fn nest(
        &self,
        puzzle: &dyn Puzzle<G>,
        start: &G::State,
        (level, mut weights, mut best): (u32, Weights, Game),
        random: &mut Stream,
        deadline: &Deadline,
    ) -> Game {
        let mut again = 0;
        let below = if level == 1 { self.playouts } else { 1 };
        for _ in 0..self.iterations {
            let mut is_same = false;
            for _ in 0..below {
                if deadline.is_over() && best.line.points > f64::NEG_INFINITY {
                    break;
                }
                let game = match level {
                    1 => self.play(puzzle, start, &weights, random),
                    _ => self.nest(puzzle, start, (level - 1, weights.clone(), Game::none()), random, deadline),
                };
                is_same |= game.line == best.line;
                if game.line.points >= best.line.points {
                    best = game;
                }
            }
            again = if is_same { again + 1 } else { 0 };
            if deadline.is_over() || self.repeats > 0 && again >= self.repeats {
                break;
            }
            self.adapt(&mut weights, &best);
        }
        best
    }

    /// Moves the weights towards a game.
    fn adapt(&self, weights: &mut Weights, game: &Game) {
        // All chances are those before any weight moves.
        let mut steps = Vec::with_capacity(game.names.len());
        for (chosen, names) in game.positions() {
            let powers = names.iter().map(|name| weights.get(name).map_or(1.0, |weight| weight.exp()));
            let begin = steps.len();
            steps.extend(powers);
            let sum: f64 = steps[begin..].iter().sum();
            steps[begin..].iter_mut().for_each(|step| *step *= -self.alpha / sum);
            steps[begin + chosen] += self.alpha;
        }
        for (name, step) in game.names.iter().zip(steps) {
            let weight = weights.entry(*name).or_default();
            *weight = (*weight + step).clamp(-LARGEST, LARGEST);
        }
    }
}

impl<G: Lookahead> FindLine<G> for Nrpa<G> {
    fn find(&self, puzzle: &dyn Puzzle<G>, state: &G::State, ties: &mut Stream) -> Line {
        let deadline = Deadline::new(self.time);
        // A slow machine begins with the part that it finds in half of the time.
        let half = Deadline::new(self.time.map(|time| time / 2));
        let first = self.first(puzzle, state, &half).unwrap_or_else(Game::none);
        let start = || (self.level, Weights::default(), first.clone());
        deadline.best(|| self.nest(puzzle, state, start(), ties, &deadline).line)
    }
}
