//! Promise of a board, by its rows' distances to bingos and sea donkeys.

use super::rows::Rows;
use matchq_games::bilging::{COLOURS, COLUMNS, ROWS};

/// Arrangements that a row is compared with, a lane each.
const LANES: usize = 8;
/// Colours, each with its lanes; the last stays empty.
const WORDS: usize = 8;
/// Distance of a missing piece, in half swaps.
const NONE: u8 = 60;
/// Masks of a colour's columns in a row.
const MASKS: usize = 1 << COLUMNS;

type Lanes = [u8; LANES];
type Vector = [u8; LANES * WORDS];

/// Places of pieces before the last swap, which brings X to the anchor, and O away.
struct Arrangement {
    /// Columns of X in the row of the swap.
    x: [usize; 3],
    /// Columns of O in the row of the swap, the anchor first.
    o: &'static [usize],
    /// Columns in which X and O stand above or below.
    columns: [usize; 2],
}

const ARRANGEMENTS: [Arrangement; LANES - 1] = [
    Arrangement { x: [0, 1, 3], o: &[2], columns: [2, 3] },
    Arrangement { x: [1, 2, 4], o: &[3], columns: [3, 4] },
    Arrangement { x: [2, 3, 5], o: &[4], columns: [4, 5] },
    Arrangement { x: [0, 2, 3], o: &[1], columns: [1, 0] },
    Arrangement { x: [1, 3, 4], o: &[2], columns: [2, 1] },
    Arrangement { x: [2, 4, 5], o: &[3], columns: [3, 2] },
    Arrangement { x: [0, 1, 3], o: &[2, 4, 5], columns: [2, 3] },
];

/// Lane of the sea donkey.
const DONKEY: usize = 6;

/// Half swaps of a colour's pieces in a row to their places, by the mask of their columns.
struct Tables {
    x_row: [Lanes; MASKS],
    o_row: [Lanes; MASKS],
    x_column: [Lanes; MASKS],
    o_column: [Lanes; MASKS],
}

static TABLES: Tables = {
    let mut tables = Tables {
        x_row: [[NONE; LANES]; MASKS],
        o_row: [[NONE; LANES]; MASKS],
        x_column: [[NONE; LANES]; MASKS],
        o_column: [[NONE; LANES]; MASKS],
    };
    let mut mask = 0;
    while mask < MASKS {
        let mut lane = 0;
        while lane < ARRANGEMENTS.len() {
            let Arrangement { x, o, columns } = &ARRANGEMENTS[lane];
            tables.x_row[mask][lane] = distance(mask, x);
            tables.o_row[mask][lane] = distance(mask, o);
            tables.x_column[mask][lane] = distance(mask, &[columns[0]]);
            tables.o_column[mask][lane] = distance(mask, &[columns[1]]);
            lane += 1;
        }
        mask += 1;
    }
    tables
};

/// Smallest sum of distances, in half swaps, of pieces of a row to ascending places.
const fn distance(mask: usize, places: &[usize]) -> u8 {
    let mut best = NONE;
    let mut chosen = 0;
    while chosen < MASKS {
        if chosen & !mask == 0 && chosen.count_ones() as usize == places.len() {
            let (mut sum, mut place, mut column) = (0, 0, 0);
            while column < COLUMNS {
                if chosen >> column & 1 == 1 {
                    sum += 2 * places[place].abs_diff(column) as u8;
                    place += 1;
                }
                column += 1;
            }
            if sum < best {
                best = sum;
            }
        }
        chosen += 1;
    }
    best
}

/// Half swaps saved by a vertical line of four and of five, for a bingo and for a sea donkey.
const LONGER: [[u8; 2]; 2] = [[1, 3], [2, 12]];

#[inline(always)]
fn gather(table: &[Lanes; MASKS], word: u64) -> Vector {
    let mut vector = [NONE; LANES * WORDS];
    let bytes = word.to_le_bytes();
    for colour in 0..COLOURS {
        vector[LANES * colour..][..LANES].copy_from_slice(&table[usize::from(bytes[colour]) & (MASKS - 1)]);
    }
    vector
}

#[inline(always)]
fn add(mut one: Vector, other: &Vector) -> Vector {
    for (one, other) in one.iter_mut().zip(other) {
        *one = one.saturating_add(*other);
    }
    one
}

#[inline(always)]
fn less(mut one: Vector, other: &Vector) -> Vector {
    for (one, other) in one.iter_mut().zip(other) {
        *one = one.saturating_sub(*other);
    }
    one
}

#[inline(always)]
fn min(mut one: Vector, other: &Vector) -> Vector {
    for (one, other) in one.iter_mut().zip(other) {
        *one = (*one).min(*other);
    }
    one
}

/// Fewest half swaps to a bingo and to a sea donkey through a row, without the last swap, as if
/// rows never blocked each other.
pub(super) fn nearest(rows: &Rows, row: usize) -> [u8; 2] {
    let at = |row: usize| rows.row(row);
    let around = [at(row.wrapping_sub(2)), at(row.wrapping_sub(1)), at(row + 1), at(row + 2)];
    let (mut four, mut five) = ([0; LANES * WORDS], [0; LANES * WORDS]);
    for (index, (four, five)) in four.iter_mut().zip(&mut five).enumerate() {
        [*four, *five] = LONGER[usize::from(index % LANES == DONKEY)];
    }
    let line = |table: &[Lanes; MASKS]| {
        let [far_above, above, below, far_below] = around.map(|word| gather(table, word));
        let (over, across, under) = (add(above, &far_above), add(above, &below), add(below, &far_below));
        let pairs = min(min(over, &across), &under);
        let fours = min(less(add(over, &below), &four), &less(add(under, &above), &four));
        min(min(pairs, &fours), &less(add(over, &under), &five))
    };
    let x = add(line(&TABLES.x_column), &gather(&TABLES.x_row, at(row)));
    let o = add(line(&TABLES.o_column), &gather(&TABLES.o_row, at(row)));
    let mut lanes = [u8::MAX; LANES];
    for one in 0..COLOURS {
        for other in (0..COLOURS).filter(|other| *other != one) {
            for (lane, best) in lanes.iter_mut().enumerate() {
                *best = (*best).min(x[LANES * one + lane].saturating_add(o[LANES * other + lane]));
            }
        }
    }
    let bingo = lanes[..DONKEY].iter().fold(u8::MAX, |lowest, lane| lowest.min(*lane));
    [bingo, lanes[DONKEY]]
}

/// Value of a board in points: what can be gained from it after the plan that leads to it.
#[derive(Clone, Debug)]
pub struct Promise {
    /// Points by the number of half swaps to a bingo and to a sea donkey.
    by_distance: [[f32; 256]; 2],
    /// Share of the best row's points that counts, of the next best row's apart from it, and so on.
    pub shares: [f32; 4],
    /// Points of an unknown piece.
    pub unknown: f32,
}

impl Default for Promise {
    fn default() -> Self {
        Self::new([27.0, 44.0], 6.0, [1.0, 0.6, 0.4, 0.2], 1.0)
    }
}

impl Promise {
    /// A promise of the `points` of a bingo and of a sea donkey, less the cost `swap` of each swap until
    /// then.
    pub fn new(points: [f32; 2], swap: f32, shares: [f32; 4], unknown: f32) -> Self {
        let promise = |points: f32, half_swaps: usize| (points - swap * (1.0 + 0.5 * half_swaps as f32)).max(0.0);
        let by_distance = points.map(|points| std::array::from_fn(|half_swaps| promise(points, half_swaps)));
        Self { by_distance, shares, unknown }
    }

    #[inline]
    pub(super) fn row(&self, [bingo, donkey]: [u8; 2]) -> f32 {
        let [bingos, donkeys] = &self.by_distance;
        bingos[usize::from(bingo)].max(donkeys[usize::from(donkey)])
    }

    /// Points of all rows, each by its [share](Self::shares).
    #[inline]
    pub(super) fn sum(&self, by_row: &[f32; ROWS]) -> f32 {
        let mut left = *by_row;
        let mut sum = 0.0;
        for share in self.shares {
            let (mut best, mut place) = (0.0, 0);
            for (row, value) in left.iter().enumerate() {
                if *value > best {
                    (best, place) = (*value, row);
                }
            }
            if best == 0.0 {
                break;
            }
            sum += share * best;
            for value in &mut left[place.saturating_sub(2)..(place + 3).min(ROWS)] {
                *value = 0.0;
            }
        }
        sum
    }
}

/// Distances by the hash of their rows: the hash's upper bits and both distances in a word.
pub(super) struct Memory(Vec<u64>);

impl Memory {
    const SLOTS: usize = 1 << 18;
    const DISTANCES: u64 = 0xffff;

    pub fn new() -> Self {
        Self(vec![0; Self::SLOTS])
    }

    #[inline]
    pub fn nearest(&mut self, hash: u64, rows: &Rows, row: usize) -> [u8; 2] {
        // The lower bits choose the slot.
        let slot = &mut self.0[hash as usize % Self::SLOTS];
        if (*slot ^ hash) & !Self::DISTANCES != 0 || *slot == 0 {
            let [bingo, donkey] = nearest(rows, row);
            *slot = hash & !Self::DISTANCES | u64::from(bingo) << 8 | u64::from(donkey);
        }
        [(*slot >> 8) as u8, *slot as u8]
    }
}
