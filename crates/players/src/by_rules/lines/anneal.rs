use std::time::Duration;

use super::{Beam, Deadline, FindLine, Line};
use matchq_core::random::Stream;
use matchq_core::stop;
use matchq_games::{ByTiles, Lookahead, MaskKind, Puzzle, TellByTiles};
use rand::Rng;

/// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983, "Optimization by simulated annealing") of a
/// whole line: a line is an order of tiles, and each step tries a change of the order.
///
/// A tile stands for the move that takes it, whatever else goes with it then. A change plays the rest
/// of the line again; tiles that no move takes are left out, and random moves lead to the end. A line of
/// fewer points is kept with the chance e to the power of the difference divided by the heat.
pub struct Anneal<G: Lookahead> {
    /// The game told by tiles.
    pub by_tiles: TellByTiles<G::State>,
    /// Most changes from one line on.
    pub changes: u64,
    /// Time in which one line after another is annealed; without it there is one.
    pub time: Option<Duration>,
    /// Heat at the beginning and at the end, in points; it falls in equal ratios.
    pub heat: (f64, f64),
    /// Points that each tile takes away which is left at the end.
    pub left: f64,
    /// Moves that lead to the end.
    pub mask: MaskKind,
    /// The beam whose line is annealed first; without it that is a random one, as later ones are.
    pub first: Option<Beam<G>>,
}

/// A move of a line.
#[derive(Clone, Copy)]
struct Move {
    tile: usize,
    /// Slot of the position before the move.
    slot: usize,
    points: f32,
}

/// A tile to play: a new one, or one of the line at its place.
type Planned = (usize, Option<usize>);

/// What happened to a changed line.
enum Rest {
    /// The line's own position at a place was reached, from which on it stays.
    Joins(usize),
    /// The game was played to its end, with so much left.
    Ends(usize),
}

/// Changes between two looks at the clock.
const LOOK: u64 = 1024;

/// Of a hundred changes so many move a tile, and so many play a new one; others leave one out.
const MOVES: usize = 40;
const PLAYS: usize = 50;
/// Places that most moves go at most.
const NEAR: usize = 20;
/// Of so many moves one goes anywhere.
const FAR: usize = 4;

/// Slots of the position at the beginning and of the line's end.
const BEGIN: usize = 0;
const END: usize = 1;

/// A line and what is needed to change it.
struct Lines<'a> {
    tiles: Box<dyn ByTiles>,
    mask: MaskKind,
    random: &'a mut Stream,
    line: Vec<Move>,
    points: f64,
    left: usize,
    free: Vec<usize>,
    planned: Vec<Planned>,
    /// Moves from the changed place on.
    tail: Vec<Move>,
}

fn below(random: &mut Stream, count: usize) -> usize {
    ((u128::from(random.next_u64()) * count as u128) >> 64) as usize
}

fn sum(moves: &[Move]) -> f64 {
    moves.iter().map(|one| f64::from(one.points)).sum()
}

/// A tile of each move of a line.
fn order_of(mut tiles: Box<dyn ByTiles>, actions: &[usize]) -> Vec<usize> {
    let mut tile_of = |action: &usize| {
        let tile = (0..tiles.count()).find(|tile| tiles.action(*tile) == Some(*action))?;
        tiles.play(tile).map(|_| tile)
    };
    actions.iter().map_while(&mut tile_of).collect()
}

impl<'a> Lines<'a> {
    fn new(mut tiles: Box<dyn ByTiles>, mask: MaskKind, random: &'a mut Stream) -> Self {
        // Two lines with their ends, and the beginning.
        let slots = 2 * (tiles.left() + 1) + 1;
        let free = (2..slots).rev().collect();
        tiles.save(BEGIN);
        let (line, planned, tail) = (Vec::new(), Vec::new(), Vec::new());
        Self { tiles, mask, random, line, points: 0.0, left: 0, free, planned, tail }
    }

    /// Goes to a line that begins with tiles and ends with random moves.
    fn begin(&mut self, order: &[usize]) {
        self.tiles.load(BEGIN);
        self.free.extend(self.line.drain(..).map(|one| one.slot));
        for tile in order {
            self.play(*tile);
        }
        self.finish();
        self.left = self.tiles.left();
        std::mem::swap(&mut self.line, &mut self.tail);
        self.tiles.save(END);
        self.points = sum(&self.line);
    }

    /// Plays a tile, noted in the tail.
    fn play(&mut self, tile: usize) -> bool {
        let slot = self.free[self.free.len() - 1];
        self.tiles.save(slot);
        let Some(points) = self.tiles.play(tile) else { return false };
        self.free.pop();
        self.tail.push(Move { tile, slot, points });
        true
    }

    /// Plays random moves to the end.
    fn finish(&mut self) {
        loop {
            let random = &mut *self.random;
            let tile = self.tiles.choose(self.mask, &mut |count| below(random, count));
            if !tile.is_some_and(|tile| self.play(tile)) {
                break;
            }
        }
    }

    /// Plans a random change; returns the place from which on the line changes, if it does.
    fn plan(&mut self) -> Option<usize> {
        let length = self.line.len();
        let kind = below(self.random, 100);
        let place = below(self.random, length);
        let kept = |places: std::ops::Range<usize>| places.map(|at| (self.line[at].tile, Some(at)));
        self.planned.clear();
        if kind < MOVES {
            let to = match below(self.random, FAR) {
                0 => below(self.random, length),
                _ => {
                    let by = 1 + below(self.random, NEAR);
                    if below(self.random, 2) == 0 { place.saturating_sub(by) } else { (place + by).min(length - 1) }
                }
            };
            let moved = (self.line[place].tile, None);
            self.planned.extend(kept(place.min(to)..place));
            if to < place {
                self.planned.insert(0, moved);
            } else {
                self.planned.extend(kept(place + 1..to + 1));
                self.planned.push(moved);
            }
            self.planned.extend(kept(place.max(to) + 1..length));
            (to != place).then_some(place.min(to))
        } else if kind < MOVES + PLAYS {
            let tile = below(self.random, self.tiles.count());
            self.planned.push((tile, None));
            self.planned.extend(kept(place..length));
            (tile != self.line[place].tile).then_some(place)
        } else {
            self.planned.extend(kept(place + 1..length));
            Some(place)
        }
    }

    /// Plays what is planned from a place on; `None` where the line stays as it is.
    fn try_planned(&mut self, place: usize) -> Option<Rest> {
        self.tail.clear();
        self.tiles.load(self.line[place].slot);
        let planned = std::mem::take(&mut self.planned);
        let mut joins = None;
        for (index, (tile, at)) in planned.iter().enumerate() {
            if let Some(at) = at.filter(|at| self.tiles.is_at(self.line[*at].slot)) {
                joins = Some(at);
                break;
            }
            if !self.play(*tile) && index == 0 && at.is_none() {
                // The new tile is taken by no move.
                joins = Some(place);
                break;
            }
        }
        self.planned = planned;
        if joins.is_none() && self.tiles.is_at(END) {
            joins = Some(self.line.len());
        }
        match joins {
            Some(at) if at <= place + 1 => {
                self.drop_tail();
                None
            }
            Some(at) => Some(Rest::Joins(at)),
            None => {
                self.finish();
                Some(Rest::Ends(self.tiles.left()))
            }
        }
    }

    /// Forgets the tail.
    fn drop_tail(&mut self) {
        self.free.extend(self.tail.drain(..).map(|one| one.slot));
    }

    /// Makes the tail part of the line.
    fn keep_tail(&mut self, place: usize, rest: &Rest, points: f64) {
        self.points = points;
        match rest {
            Rest::Joins(at) => {
                self.free.extend(self.line[place..*at].iter().map(|one| one.slot));
                self.line.splice(place..*at, self.tail.drain(..));
            }
            Rest::Ends(left) => {
                self.free.extend(self.line[place..].iter().map(|one| one.slot));
                self.line.truncate(place);
                self.line.append(&mut self.tail);
                self.left = *left;
                self.tiles.save(END);
            }
        }
    }
}

impl<G: Lookahead> Anneal<G> {
    /// Best order of tiles from one on, with its points, within a time.
    fn anneal(&self, lines: &mut Lines, order: &[usize], changes: u64, deadline: &Deadline) -> (f64, Vec<usize>) {
        lines.begin(order);
        let tiles_of = |line: &[Move]| line.iter().map(|one| one.tile).collect();
        let (mut best, mut best_points): (Vec<usize>, f64) = (tiles_of(&lines.line), lines.points);
        let (hot, cold) = self.heat;
        let mut heat = hot;
        for change in 0..if lines.line.is_empty() { 0 } else { changes } {
            if change % LOOK == 0 {
                if stop::is_asked() {
                    break;
                }
                let part = f64::max(change as f64 / changes as f64, deadline.part());
                if part >= 1.0 {
                    break;
                }
                heat = hot * (cold / hot).powf(part);
            }
            let Some(place) = lines.plan() else { continue };
            let Some(rest) = lines.try_planned(place) else { continue };
            let (at, left) = match rest {
                Rest::Joins(at) => (at, lines.left),
                Rest::Ends(left) => (lines.line.len(), left),
            };
            let gained = sum(&lines.tail) - sum(&lines.line[place..at]);
            let better = gained - self.left * (left as f64 - lines.left as f64);
            let chance = (lines.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            if better >= 0.0 || chance < (better / heat).exp() {
                let points = lines.points + gained;
                lines.keep_tail(place, &rest, points);
                if points > best_points {
                    (best, best_points) = (tiles_of(&lines.line), points);
                }
            } else {
                lines.drop_tail();
            }
        }
        (best_points, best)
    }

    /// The best order of all.
    fn best(&self, lines: &mut Lines, first: &[usize], whole: &Deadline) -> (f64, Vec<usize>) {
        let once = Deadline::new(whole.left());
        let mut best = self.anneal(lines, first, self.changes, &once);
        let taken = once.begin.elapsed();
        while let Some(left) = whole.left().filter(|_| !whole.is_over()) {
            // The rest of the time goes to annealings like the first one.
            let more = (left.as_secs_f64() / taken.as_secs_f64().max(1e-6)).round().max(1.0);
            let deadline = Deadline::new(Some(left.div_f64(more)));
            let next = self.anneal(lines, &[], u64::MAX, &deadline);
            if next.0 > best.0 {
                best = next;
            }
        }
        best
    }
}

impl<G: Lookahead> FindLine<G> for Anneal<G> {
    fn find(&self, puzzle: &dyn Puzzle<G>, state: &G::State, ties: &mut Stream) -> Line {
        let whole = Deadline::new(self.time);
        // A slow machine begins with the part that it finds in half of the time.
        let half = Deadline::new(self.time.map(|time| time / 2));
        let line = self.first.as_ref().map(|beam| beam.before(&half, puzzle, state));
        let first = line.map_or_else(Vec::new, |line| order_of((self.by_tiles)(state), &line.actions));
        let (points, order) = self.best(&mut Lines::new((self.by_tiles)(state), self.mask, ties), &first, &whole);
        let mut tiles = (self.by_tiles)(state);
        let actions = order.into_iter().filter_map(|tile| {
            let action = tiles.action(tile)?;
            tiles.play(tile)?;
            Some(action)
        });
        Line { points, actions: actions.collect() }
    }
}
