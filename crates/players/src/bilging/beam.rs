use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::Duration;

use super::potential::{Memory, Promise};
use super::rows::Rows;
use crate::by_rules::{Budget, or_all_alike};
use crate::contract::{Meaning, Policy, Valued};
use matchq_core::clock::Instant;
use matchq_core::random::Stream;
use matchq_core::stop;
use matchq_games::bilging::{ACTIONS, Bilging, COLUMNS, Chains, ROWS, State};

/// Settings of a beam search over boards that are certain.
///
/// | key | default | meaning |
/// | --- | --- | --- |
/// | `width` | 1000 | boards kept after each move |
/// | `time` | none | time limit of a move, which replaces `width` |
/// | `depth` | 12 | most moves of a plan |
/// | `mean` | 7 | cost of a move in points |
/// | `ending` | 8 | moves before the game's end from which promises count less |
/// | `promise` | see [`Promise`] | value of a plan's last board |
#[derive(Clone, Debug)]
pub struct Beam {
    /// Boards kept after each move.
    pub width: usize,
    /// Time limit of a move; with one, the beam is as wide as the time allows, and `width` has no
    /// effect.
    pub time: Option<Duration>,
    /// Most moves of a plan.
    pub depth: usize,
    /// Cost of a move in points: what a player gains on average.
    pub mean: f32,
    /// Number of moves before the game's end from which promises count less.
    pub ending: f32,
    /// Value of a plan's last board.
    pub promise: Promise,
}

/// The best settings found.
impl Default for Beam {
    fn default() -> Self {
        Self { width: 1_000, time: None, depth: 12, mean: 7.0, ending: 8.0, promise: Promise::default() }
    }
}

/// Plays the first move of the best plan of a [`Beam`].
pub struct BeamPlayer {
    beam: Beam,
}

impl BeamPlayer {
    /// The default search within a budget; an expanded board is a simulation. At least about 70
    /// boards are expanded, or 260 with a time, as all first moves are followed.
    pub fn within(budget: Budget) -> Self {
        let default = Beam::default();
        let beam = match budget {
            Budget::Simulations(boards) => Beam { width: boards.div_ceil(default.depth), ..default },
            Budget::Time(time) => Beam { time: Some(time), ..default },
        };
        Self { beam }
    }
}

impl Policy<Bilging> for BeamPlayer {
    fn values(&self, state: &State, _: &mut Stream) -> Vec<Valued> {
        or_all_alike::<Bilging>(state, self.beam.values(state))
    }

    fn meaning(&self) -> Meaning {
        let Beam { depth, mean, .. } = self.beam;
        Meaning::points(format!(
            "the points of the best certain plan of up to {depth} moves and what its last board promises, less {mean} a move"
        ))
    }

    fn is_timed(&self) -> bool {
        self.beam.time.is_some()
    }
}

#[derive(Clone, Copy)]
struct Node {
    rows: Rows,
    points: f32,
    /// First moves of the plans that lead here, a bit each.
    firsts: u64,
}

#[derive(Clone, Copy)]
struct Child {
    score: f32,
    parent: u32,
    action: u8,
    clears: bool,
    firsts: u64,
    /// First moves whose plan ends here with a break.
    ended: u64,
}

/// A hasher that returns its key, for keys that are hashes.
#[derive(Default)]
struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Children of a level by the hash of their boards.
type Known = HashMap<u64, u32, BuildHasherDefault<Same>>;

thread_local! {
    /// Distances found by the thread's searches.
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::new());
}

/// A row's part of a board's hash.
#[inline]
fn hash(row: usize, word: u64) -> u64 {
    let key = (word ^ (row as u64 + 1) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let key = (key ^ key >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    key ^ key >> 29
}

fn hashes(rows: &Rows) -> [u64; ROWS] {
    std::array::from_fn(|row| hash(row, rows.0[row]))
}

fn sum(hashes: &[u64]) -> u64 {
    hashes.iter().fold(0, |sum, hash| sum.wrapping_add(*hash))
}

fn hash_points(points: f32) -> u64 {
    (points as u64).wrapping_mul(0x94d0_49bb_1331_11eb)
}

struct Hashed {
    hashes: [u64; ROWS],
    around: [u64; ROWS],
    by_row: [f32; ROWS],
}

impl Hashed {
    fn of(rows: Rows, promise: &Promise, memory: &mut Memory) -> Self {
        let hashes = hashes(&rows);
        let near = |row: usize| &hashes[row.saturating_sub(2)..(row + 3).min(ROWS)];
        let around = std::array::from_fn(|row| sum(near(row)).wrapping_add(row as u64));
        let by_row = std::array::from_fn(|row| promise.row(memory.nearest(around[row], &rows, row)));
        Self { hashes, around, by_row }
    }
}

impl Beam {
    /// Value of each first move by its best plan: points less the cost of moves plus the last
    /// board's promise.
    ///
    /// Plans that do not end with a break count only for first moves without one that does.
    pub fn values(&self, state: &State) -> Vec<Valued> {
        MEMORY.with_borrow_mut(|memory| self.search(state, memory))
    }

    fn search(&self, state: &State, memory: &mut Memory) -> Vec<Valued> {
        let begin = Instant::now();
        let (left, depth) = (state.moves_left(), self.depth.min(state.moves_left()));
        let (mut ended, mut open) = ([f32::NEG_INFINITY; ACTIONS], [f32::NEG_INFINITY; ACTIONS]);
        let mut beam = vec![Node { rows: Rows::of(state), points: 0.0, firsts: 0 }];
        let (mut children, mut known) = (Vec::<Child>::new(), Known::default());
        let mut before = Duration::ZERO;
        for level in 1..=depth {
            children.clear();
            known.clear();
            let promise = ((left - level) as f32 / self.ending).min(1.0);
            let spent = self.mean * level as f32;
            for (parent, node) in (0..).zip(&beam) {
                stop::look();
                self.expand(node, promise, state.chains(), memory, |action, key, clears, score| {
                    let firsts = if level == 1 { 1 << action } else { node.firsts };
                    let ended = if clears { firsts } else { 0 };
                    match known.entry(key) {
                        hash_map::Entry::Occupied(place) => {
                            let child = &mut children[*place.get() as usize];
                            child.firsts |= firsts;
                            child.ended |= ended;
                        }
                        hash_map::Entry::Vacant(place) => {
                            place.insert(children.len() as u32);
                            let score = node.points - spent + score();
                            children.push(Child { score, parent, action: action as u8, clears, firsts, ended });
                        }
                    }
                });
            }
            for child in &children {
                let raise = |best: &mut [f32; ACTIONS], firsts: u64| {
                    for first in (0..ACTIONS).filter(|first| firsts >> first & 1 == 1) {
                        best[first] = best[first].max(child.score);
                    }
                };
                raise(&mut ended, child.ended);
                if level == depth {
                    raise(&mut open, child.firsts);
                }
            }
            if level == depth || children.is_empty() {
                break;
            }
            let width = match self.time {
                // All first moves are followed, since boards differ in their time.
                _ if level == 1 => ACTIONS,
                None => self.width,
                Some(time) => {
                    let elapsed = begin.elapsed();
                    // Later levels cost as much as the last one: the first boards fill the memory.
                    let each = (elapsed - before).as_secs_f64() / beam.len() as f64;
                    before = elapsed;
                    let rest = time.saturating_sub(elapsed).as_secs_f64();
                    ((rest / (depth - level) as f64 / each) as usize).clamp(20, 100_000)
                }
            };
            if children.len() > width {
                children.select_nth_unstable_by(width - 1, |a, b| b.score.total_cmp(&a.score));
                children.truncate(width);
            }
            beam = children.iter().map(|child| follow(&beam[child.parent as usize], child, state.chains())).collect();
        }
        let best = |action| if ended[action] > f32::NEG_INFINITY { ended[action] } else { open[action] - UNENDED };
        let values = (0..ACTIONS).map(|action| Valued::new(action, f64::from(best(action))));
        values.filter(|valued| valued.value > f64::NEG_INFINITY).collect()
    }

    /// Gives each move that changes the board, with the next board's hash, whether the move clears
    /// something, and the score.
    #[inline]
    fn expand(
        &self,
        node: &Node,
        promise: f32,
        chains: Chains,
        memory: &mut Memory,
        mut give: impl FnMut(usize, u64, bool, &mut dyn FnMut() -> f32),
    ) {
        let board = Hashed::of(node.rows, &self.promise, memory);
        let whole = hash_points(node.points).wrapping_add(sum(&board.hashes));
        let unknown = self.promise.unknown * node.rows.unknown() as f32;
        for row in 0..ROWS {
            let completing = node.rows.completing(row);
            let word = node.rows.0[row];
            for action in SWAPS * row..SWAPS * (row + 1) {
                let mask = node.rows.swap_mask(action);
                if mask == 0 {
                    continue;
                }
                let swapped = word ^ mask;
                let mut rows = node.rows;
                rows.0[row] = swapped;
                if swapped & completing != 0 || Rows::has_run(swapped) {
                    let points = settle(&mut rows, chains);
                    let key = hash_points(node.points + points).wrapping_add(sum(&hashes(&rows)));
                    give(action, key, true, &mut || {
                        let after = Hashed::of(rows, &self.promise, memory);
                        let promised = self.promise.sum(&after.by_row) + self.promise.unknown * rows.unknown() as f32;
                        points + promise * promised
                    });
                    continue;
                }
                let changed = hash(row, swapped).wrapping_sub(board.hashes[row]);
                give(action, whole.wrapping_add(changed), false, &mut || {
                    let mut by_row = board.by_row;
                    for (near, promise) in by_row.iter_mut().enumerate().take(row + 3).skip(row.saturating_sub(2)) {
                        let around = board.around[near].wrapping_add(changed);
                        *promise = self.promise.row(memory.nearest(around, &rows, near));
                    }
                    promise * (self.promise.sum(&by_row) + unknown)
                });
            }
        }
    }
}

const SWAPS: usize = COLUMNS - 1;

/// Cost of a plan that does not end with a break.
const UNENDED: f32 = 1000.0;

fn follow(node: &Node, child: &Child, chains: Chains) -> Node {
    let action = usize::from(child.action);
    let mut rows = node.rows;
    rows.0[action / SWAPS] ^= rows.swap_mask(action);
    let points = if child.clears { settle(&mut rows, chains) } else { 0.0 };
    Node { rows, points: node.points + points, firsts: child.firsts }
}

/// Clears until no known run is left; returns the points, in full for the swap's own break.
fn settle(rows: &mut Rows, chains: Chains) -> f32 {
    let mut points = 0;
    let mut first = true;
    while let Some((lines, pieces)) = rows.wave() {
        points += if first { lines.points() } else { chains.points(lines, pieces) };
        first = false;
    }
    points as f32
}
