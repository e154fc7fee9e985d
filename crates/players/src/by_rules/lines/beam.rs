use std::collections::HashSet;
use std::time::Duration;

use super::{Deadline, FindLine, Line};
use matchq_core::random::Stream;
use matchq_core::stop;
use matchq_games::{Lookahead, MaskKind, Puzzle};

/// Width of a beam.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// So many positions, at least 1.
    Positions(usize),
    /// As many as the time of a line allows.
    Time(Duration),
}

/// Function that values a position.
pub type Value<S> = Box<dyn Fn(&S) -> f64 + Send + Sync>;

/// Beam search: of all positions with equally much left, the `width` best by points and value go on.
pub struct Beam<G: Lookahead> {
    /// Positions that go on, of each number of tiles or whatever the game counts.
    pub width: Width,
    /// Moves that are tried.
    pub mask: MaskKind,
    /// Value of a position: the points still to come.
    pub value: Value<G::State>,
}

/// A position of the beam, and how the beam came to it.
struct Node<S> {
    state: S,
    points: f32,
    from: From,
}

/// Place of the position before, and the move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct From {
    left: u32,
    index: u32,
    action: u16,
}

/// A position that may become one of the beam.
struct Candidate<S> {
    value: f64,
    hash: u64,
    node: Node<S>,
}

/// Candidates for each that goes on, before the others are dropped.
const SPARE: usize = 2;

/// Positions between two looks at the clock.
const LOOK: usize = 64;

impl<G: Lookahead> Beam<G> {
    /// The beam's line, of the narrowest one where time is its width; after the deadline that to the best position so far.
    pub(super) fn before(&self, deadline: &Deadline, puzzle: &dyn Puzzle<G>, start: &G::State) -> Line {
        let width = if let Width::Positions(positions) = self.width { positions } else { 1 };
        self.search(puzzle, start, width, deadline, true).0
    }

    /// Best line of a beam that is never cut.
    fn whole(&self, puzzle: &dyn Puzzle<G>, start: &G::State, width: usize) -> Line {
        let (line, _) = self.search(puzzle, start, width, &Deadline::new(None), false);
        // A beam that was asked to stop has no line.
        stop::look();
        line
    }

    /// Best line of a beam, and whether the time was enough. Without an end in time there is none, or, if a `part`
    /// will do, that to the best position of those with least left.
    fn search(
        &self,
        puzzle: &dyn Puzzle<G>,
        start: &G::State,
        width: usize,
        deadline: &Deadline,
        part: bool,
    ) -> (Line, bool) {
        let most = puzzle.left(start);
        let mut levels: Vec<Vec<Node<G::State>>> = Vec::new();
        levels.resize_with(most + 1, Vec::new);
        let mut candidates: Vec<Vec<Candidate<G::State>>> = Vec::new();
        candidates.resize_with(most + 1, Vec::new);
        let mut least = vec![f64::NEG_INFINITY; most + 1];
        let root = From { left: most as u32, index: u32::MAX, action: 0 };
        levels[most].push(Node { state: *start, points: 0.0, from: root });
        let (mut best, mut seen, mut looked, mut in_time) = ((f32::NEG_INFINITY, root), HashSet::new(), 0, true);
        'levels: for left in (0..=most).rev() {
            if left < most {
                let mut chosen = std::mem::take(&mut candidates[left]);
                keep_best(&mut chosen, width, &mut seen);
                levels[left] = chosen.into_iter().map(|candidate| candidate.node).collect();
            }
            for (index, Node { state, points, .. }) in levels[left].iter().enumerate() {
                looked += 1;
                if looked % LOOK == 0 && deadline.is_over() {
                    in_time = false;
                    if part && best.0 == f32::NEG_INFINITY {
                        best = (levels[left][0].points, From { left: left as u32, index: 0, action: 0 });
                    }
                    break 'levels;
                }
                let mut is_end = true;
                puzzle.expand(state, self.mask, &mut |action, gained, next| {
                    is_end = false;
                    let from = From { left: left as u32, index: index as u32, action: action as u16 };
                    let (points, below) = (*points + gained, puzzle.left(next));
                    let value = f64::from(points) + (self.value)(next);
                    if value > least[below] {
                        let node = Node { state: *next, points, from };
                        let room = &mut candidates[below];
                        room.push(Candidate { value, hash: puzzle.hash(next), node });
                        if room.len() >= SPARE * width + LOOK {
                            keep_best(room, width, &mut seen);
                            least[below] = room.get(width - 1).map_or(f64::NEG_INFINITY, |last| last.value);
                        }
                    }
                });
                if is_end && *points > best.0 {
                    best = (*points, From { left: left as u32, index: index as u32, action: 0 });
                }
            }
        }
        // Back from the best end to the start.
        let (points, mut at) = best;
        let mut actions = Vec::new();
        while at.index != u32::MAX {
            at = levels[at.left as usize][at.index as usize].from;
            actions.push(usize::from(at.action));
        }
        // What was noted last is the root's own move, which there is none.
        actions.pop();
        actions.reverse();
        (Line { points: f64::from(points), actions }, in_time)
    }
}

/// Keeps the best candidates, best first, equal positions once.
fn keep_best<S>(candidates: &mut Vec<Candidate<S>>, width: usize, seen: &mut HashSet<u64>) {
    let order = |one: &Candidate<S>, other: &Candidate<S>| {
        other.value.total_cmp(&one.value).then(one.node.from.cmp(&other.node.from))
    };
    candidates.sort_unstable_by(order);
    seen.clear();
    candidates.retain(|candidate| seen.len() < width && seen.insert(candidate.hash));
}

/// Part of the time that is left for which a wider beam is planned.
const PLANNED: f64 = 0.9;

impl<G: Lookahead> FindLine<G> for Beam<G> {
    /// The line of one beam, or the best of beams that grow until the time is over.
    fn find(&self, puzzle: &dyn Puzzle<G>, state: &G::State, _: &mut Stream) -> Line {
        let time = match self.width {
            Width::Positions(width) => return self.whole(puzzle, state, width),
            Width::Time(time) => time,
        };
        // The narrowest beam is never cut, so that there is a line.
        let (deadline, mut width) = (Deadline::new(Some(time)), 1);
        let mut best = self.whole(puzzle, state, width);
        while let Some(left) = deadline.left() {
            // Time grows with the width; that of all beams so far is little more than the last one's.
            let taken = deadline.begin.elapsed().as_secs_f64().max(1e-6);
            let wider = (width as f64 * (PLANNED * left.as_secs_f64() / taken)).min(8.0 * width as f64) as usize;
            if wider <= width {
                break;
            }
            width = wider;
            let (line, in_time) = self.search(puzzle, state, width, &deadline, false);
            if line.points > best.points {
                best = line;
            }
            if !in_time {
                break;
            }
        }
        best
    }
}
