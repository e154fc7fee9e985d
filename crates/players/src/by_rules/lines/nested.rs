use std::time::Duration;

use super::{Deadline, FindLine, Line};
use matchq_core::random::Stream;
use matchq_games::{Lookahead, MaskKind, Puzzle};
use rand::Rng;

/// Nested Monte Carlo search (Cazenave 2009, "Nested Monte-Carlo search"): each move is tried by a
/// search of the level below, level 0 by a random game, and the best line so far is played.
#[derive(Clone, Debug)]
pub struct Nested {
    /// Levels of the nest, at least 1.
    pub level: u32,
    /// Time of a line, in which searches begin anew; without it there is one search.
    pub time: Option<Duration>,
    /// Moves that are tried.
    pub mask: MaskKind,
}

impl Nested {
    fn nest<G: Lookahead>(
        &self,
        puzzle: &dyn Puzzle<G>,
        start: &G::State,
        level: u32,
        random: &mut Stream,
        deadline: &Deadline,
    ) -> Line {
        let (mut state, mut played) = (*start, Line::default());
        if level == 0 {
            let mut played_points = 0.0;
            let mut choose = |moves: &[(usize, u64)]| {
                let place = ((u128::from(random.next_u64()) * moves.len() as u128) >> 64) as usize;
                played.actions.push(moves[place].0);
                place
            };
            while let Some((points, next)) = puzzle.play(&state, self.mask, &mut choose) {
                (played_points, state) = (played_points + f64::from(points), next);
            }
            return Line { points: played_points, ..played };
        }
        let mut best = Line::NONE;
        loop {
            let mut tried = Vec::new();
            puzzle.expand(&state, self.mask, &mut |action, points, next| tried.push((action, points, *next)));
            if tried.is_empty() {
                return if best.points > played.points { best } else { played };
            }
            for (action, points, next) in &tried {
                // The first move of all is tried to its end, so that there is a line.
                if deadline.is_over() && best.points > f64::NEG_INFINITY {
                    return best;
                }
                let rest = self.nest(puzzle, next, level - 1, random, deadline);
                let points = played.points + f64::from(*points) + rest.points;
                if points > best.points {
                    best = Line { points, actions: [&played.actions[..], &[*action], &rest.actions].concat() };
                }
            }
            let action = best.actions[played.actions.len()];
            let (_, points, next) =
                tried.into_iter().find(|(tried, ..)| *tried == action).unwrap_or((action, 0.0, state));
            played.points += f64::from(points);
            played.actions.push(action);
            state = next;
        }
    }
}

impl<G: Lookahead> FindLine<G> for Nested {
    fn find(&self, puzzle: &dyn Puzzle<G>, state: &G::State, ties: &mut Stream) -> Line {
        let deadline = Deadline::new(self.time);
        deadline.best(|| self.nest(puzzle, state, self.level, ties, &deadline))
    }
}
