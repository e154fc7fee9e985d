//! The planner: the swap after which the best bingo has the highest value.
//!
//! Swaps never change a piece's row, so a bingo costs the sum of five rows' costs, from tables;
//! rows of the cheapest bingos must also have a way without a run.

use std::sync::LazyLock;

use crate::contract::Valued;
use matchq_games::bilging::board::{self, UNKNOWN};
use matchq_games::bilging::{Bilging, COLUMNS, EFFECTIVE, Grid, ROWS, State, stands_in_run};
use matchq_games::{After, Game, Lookahead};

/// Cost of a move in points: what the player gains on average.
const MEAN: f64 = 5.0;
const BINGO: f64 = 27.0;
/// Swaps around an obstacle in a row.
const AROUND: f64 = 1.0;
/// Value of a board without known pieces, in points.
const NOTHING: f64 = -4.0;
/// Value of an unknown piece, in points.
const UNKNOWN_PIECE: f64 = 0.5;
/// Longest plans that are tried swap by swap.
const TRIED: usize = 2;

/// X, O and other pieces of a row, the first in the lowest two bits.
type Pattern = u16;
const X: Pattern = 1;
const O: Pattern = 2;
const PATTERNS: usize = 1 << (2 * COLUMNS);
/// Swaps to a goal that cannot be reached.
const NEVER: u8 = 100;

/// Places and directions of a bingo's last swap in its row.
const WAYS: usize = 6;
/// Goals of a row: one for the row of the last swap; a row beside holds X, O or both in their
/// columns.
const GOALS: usize = 4;
/// Goal of the row of the last swap.
const MIDDLE: usize = 0;

/// Swaps from each pattern to each goal of each way.
static SWAPS: LazyLock<Box<[[[u8; GOALS]; WAYS]]>> = LazyLock::new(|| {
    let mut swaps = vec![[[NEVER; GOALS]; WAYS]; PATTERNS];
    let possible = |pattern: &usize| (0..COLUMNS).all(|column| pattern >> (2 * column) & 3 != 3);
    let goals = (0..WAYS).flat_map(|way| (0..GOALS).map(move |goal| (way, goal)));
    for (way, goal) in goals {
        let mut reached: Vec<usize> = (0..PATTERNS).filter(possible).collect();
        reached.retain(|pattern| is_reached(*pattern as Pattern, way, goal));
        for distance in 0.. {
            reached.retain(|pattern| {
                let best = &mut swaps[*pattern][way][goal];
                let nearer = distance < *best;
                *best = distance.min(*best);
                nearer
            });
            if reached.is_empty() {
                break;
            }
            let next =
                |pattern: usize| (1..COLUMNS).map(move |column| usize::from(swapped(pattern as Pattern, column)));
            reached = reached.into_iter().flat_map(next).collect();
        }
    }
    swaps.into()
});

/// The anchor, into which a way's last swap brings X, and the column beside.
fn anchor(way: usize) -> (usize, usize) {
    if way < 3 { (way + 2, way + 3) } else { (way - 2, way - 3) }
}

fn is_reached(pattern: Pattern, way: usize, goal: usize) -> bool {
    let (anchor, beside) = anchor(way);
    let stands = |piece: Pattern, column: usize| pattern >> (2 * column) & 3 == piece;
    match goal {
        MIDDLE => {
            // Two X behind the anchor, O on it, X beside it.
            let behind = |steps: usize| (steps + 1) * anchor - steps * beside;
            stands(X, behind(2)) && stands(X, behind(1)) && stands(O, anchor) && stands(X, beside)
        }
        goal => (goal & 1 == 0 || stands(X, anchor)) && (goal & 2 == 0 || stands(O, beside)),
    }
}

/// A row with a column's piece and its left neighbour swapped.
fn swapped(pattern: Pattern, column: usize) -> Pattern {
    let differing = (pattern >> 2 ^ pattern) >> (2 * (column - 1)) & 3;
    pattern ^ (differing | differing << 2) << (2 * (column - 1))
}

/// Offsets of the rows beside the swap's, and pairs of them that make a line with it.
const BESIDE: [isize; 4] = [-2, -1, 1, 2];
const PAIRS: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 3]];

/// A way to build a bingo (docs/bilging.md); row and way are of the last swap.
#[derive(Clone, Copy)]
struct Plan {
    swaps: u8,
    row: usize,
    x: u8,
    o: u8,
    way: usize,
    /// Goals of the rows beside the swap's; 0 for none.
    goals: [usize; 4],
}

type Pieces = [[u8; COLUMNS]; ROWS];

fn pattern(pieces: &[u8; COLUMNS], x: u8, o: u8) -> Pattern {
    let piece = |piece: u8| {
        if piece == x {
            X
        } else if piece == o {
            O
        } else {
            0
        }
    };
    pieces.iter().rev().fold(0, |pattern, colour| pattern << 2 | piece(*colour))
}

/// Gives every plan of at most `most` swaps.
fn plans(pieces: &Pieces, most: u8, mut give: impl FnMut(Plan)) {
    let tables = &**SWAPS;
    for row in 0..ROWS {
        let count = |colour: u8| pieces[row].iter().filter(|piece| **piece == colour).count();
        for x in (0..UNKNOWN).filter(|x| count(*x) >= 3) {
            for o in (0..UNKNOWN).filter(|o| *o != x && count(*o) >= 1) {
                let beside = BESIDE.map(|offset| {
                    let row = row.checked_add_signed(offset).filter(|row| *row < ROWS);
                    row.map(|row| &tables[usize::from(pattern(&pieces[row], x, o))])
                });
                let middle = &tables[usize::from(pattern(&pieces[row], x, o))];
                for way in 0..WAYS {
                    let start = middle[way][MIDDLE].saturating_add(1);
                    if start > most {
                        continue;
                    }
                    for of_x in PAIRS {
                        for of_o in PAIRS {
                            let mut goals = [0; 4];
                            of_x.iter().for_each(|index| goals[*index] |= 1);
                            of_o.iter().for_each(|index| goals[*index] |= 2);
                            let cost = |(swaps, goal): (&Option<&[[u8; GOALS]; WAYS]>, usize)| match goal {
                                0 => 0,
                                goal => swaps.map_or(NEVER, |swaps| swaps[way][goal]),
                            };
                            let rest = beside.iter().zip(goals).map(cost).fold(start, u8::saturating_add);
                            if rest <= most {
                                give(Plan { swaps: rest, row, x, o, way, goals });
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Plan {
    /// Number of rows that no shortest swaps bring to their goal without a run, other rows unmoved.
    fn blocked_rows(&self, pieces: &Pieces) -> usize {
        let beside = BESIDE.iter().zip(self.goals).filter(|(_, goal)| *goal != 0);
        let beside = beside.map(|(offset, goal)| ((self.row as isize + offset) as usize, goal));
        let rows = beside.chain([(self.row, MIDDLE)]);
        rows.filter(|(row, goal)| !self.is_free(&mut pieces.clone(), *row, *goal)).count()
    }

    fn is_free(&self, pieces: &mut Pieces, row: usize, goal: usize) -> bool {
        let far = |pieces: &Pieces| SWAPS[usize::from(pattern(&pieces[row], self.x, self.o))][self.way][goal];
        let distance = far(pieces);
        distance == 0
            || (1..COLUMNS).any(|column| {
                pieces[row].swap(column - 1, column);
                let free = far(pieces) < distance
                    && !stands_in_run(pieces, row, column - 1)
                    && !stands_in_run(pieces, row, column)
                    && self.is_free(pieces, row, goal);
                pieces[row].swap(column - 1, column);
                free
            })
    }
}

/// Value of the best bingo to build, less its swaps.
fn promise(pieces: &Pieces, moves_left: usize) -> f64 {
    let value = |swaps: f64| BINGO - MEAN * swaps;
    let most = ((BINGO - NOTHING) / MEAN).min(moves_left as f64);
    let mut found = Vec::new();
    plans(pieces, most as u8, |plan| found.push(plan));
    found.sort_by_key(|plan| plan.swaps);
    let mut best = NOTHING;
    for plan in found {
        let swaps = f64::from(plan.swaps);
        if value(swaps) <= best {
            break;
        }
        let swaps = swaps + AROUND * plan.blocked_rows(pieces) as f64;
        best = best.max(if swaps > moves_left as f64 { NOTHING } else { value(swaps) });
    }
    best
}

/// Value of the best break within some swaps, quiet ones before.
fn soon(grid: &Grid, swaps: usize) -> f64 {
    if swaps == 0 {
        return NOTHING;
    }
    let matching = board::matching(grid);
    let points = matching.iter().map(|action| board::first_break(grid, action).points()).max();
    let now = points.map_or(NOTHING, f64::from) - MEAN;
    if swaps == 1 {
        return now;
    }
    let quiet = board::effective(grid).without(&matching);
    let later = quiet.iter().map(|action| {
        let mut grid = *grid;
        board::swap(&mut grid, action);
        soon(&grid, swaps - 1) - MEAN
    });
    later.fold(now, f64::max)
}

/// Value of each swap: points, plus the value of the best plan afterwards.
pub fn values(state: &State) -> Vec<Valued> {
    let value = |action| {
        let After { state, points, .. } = Bilging::after(state, action);
        let points = f64::from(points);
        let left = state.moves_left();
        if left == 0 {
            return Valued::new(action, points);
        }
        let pieces = state.pieces();
        let unknown = pieces.iter().flatten().filter(|piece| **piece == UNKNOWN).count() as f64;
        let later = (promise(&pieces, left) + UNKNOWN_PIECE * unknown).max(soon(&state.grid(), TRIED.min(left)));
        Valued::new(action, points - MEAN + later)
    };
    Bilging::mask(state, EFFECTIVE).iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchq_core::random::{Role, Stream};
    use matchq_games::bilging::Rules;

    fn boards(count: u64) -> impl Iterator<Item = Pieces> {
        (0..count).map(|seed| Bilging::new(&Rules::default(), &mut Stream::new(seed, Role::Game, 0)).state().pieces())
    }

    /// Whether `most` swaps reach a goal, by trying all walks.
    fn plain(pattern: Pattern, way: usize, goal: usize, most: u8) -> bool {
        is_reached(pattern, way, goal)
            || most > 0 && (1..COLUMNS).any(|column| plain(swapped(pattern, column), way, goal, most - 1))
    }

    #[test]
    fn the_tables_hold_the_least_swaps_to_each_goal() {
        for pieces in boards(3) {
            for row in &pieces {
                let pattern = pattern(row, row[0], row[3]);
                for way in 0..WAYS {
                    for goal in 0..GOALS {
                        let swaps = SWAPS[usize::from(pattern)][way][goal];
                        // Longer walks are too many to try.
                        for most in 0..5 {
                            assert_eq!(plain(pattern, way, goal, most), swaps <= most, "{row:?}, {way}, {goal}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_last_swap_of_every_plan_makes_a_break_of_three_lines_or_more() {
        let mut found = 0;
        for pieces in boards(2_000) {
            plans(&pieces, 1, |plan| {
                let (anchor, beside) = anchor(plan.way);
                let action = plan.row * (COLUMNS - 1) + anchor.min(beside);
                let made = board::first_break(&board::from_rows(pieces), action);
                assert!(made.lines() >= 3, "{pieces:?}: {made:?}");
                found += 1;
            });
        }
        assert!(found > 5, "{found}");
    }

    #[test]
    fn a_row_is_blocked_where_each_way_makes_a_run() {
        // The middle row lacks only X (0), one column away from its place.
        let mut pieces = [[6; COLUMNS]; ROWS];
        for (row, line) in pieces.iter_mut().enumerate() {
            *line = std::array::from_fn(|column| 3 + ((row + column) % 3) as u8);
        }
        pieces[5] = [0, 0, 1, 3, 0, 4];
        let plan = Plan { swaps: 2, row: 5, x: 0, o: 1, way: 0, goals: [0; 4] };
        assert_eq!(plan.blocked_rows(&pieces), 0);
        // The piece that X changes places with comes between two of its kind.
        (pieces[4][4], pieces[6][4]) = (3, 3);
        assert_eq!(plan.blocked_rows(&pieces), 1);
    }
}
