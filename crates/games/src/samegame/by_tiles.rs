use super::board::{BITS, Board, LOWEST, STRIDE};
use super::{CELLS, COLOURS, COLUMNS, ROWS, State, TABU, points};
use crate::{ByTiles, MaskKind};

/// Tiles that keep the numbers of the cells in which they began, and saved positions of them.
pub(super) struct Tracked {
    now: Position,
    saved: Vec<Position>,
}

/// A position whose tiles are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Position {
    left: u32,
    /// Tiles of each colour.
    colours: [u8; COLOURS],
    /// Tiles of each column from the bottom, as those of a board; one empty column more.
    columns: [u64; COLUMNS + 1],
    /// Where each of these tiles stood: its height and 1, four bits a tile as well.
    heights: [u64; COLUMNS + 1],
    /// Number that each column had.
    numbers: [u8; COLUMNS],
    /// Column of each number; `COLUMNS` where none is left.
    places: [u8; COLUMNS],
}

/// A group as the lowest bits of its tiles in columns.
#[derive(Default)]
struct Taken {
    bits: [u64; COLUMNS],
    colour: u64,
    size: u32,
    first: usize,
    last: usize,
}

/// Lowest bits of the tiles of a number from 1.
#[inline]
fn equal(tiles: u64, number: u64) -> u64 {
    empty(tiles ^ LOWEST.wrapping_mul(number))
}

/// Lowest bits of the places that hold 0.
#[inline]
fn empty(tiles: u64) -> u64 {
    let pairs = tiles | tiles >> 1;
    !(pairs | pairs >> 2) & LOWEST
}

/// Number of lowest bits, at most 15.
#[inline]
fn count(bits: u64) -> u32 {
    (bits.wrapping_mul(0x1111_1111_1111_1111) >> 60) as u32
}

/// Bits with all that they are joined to in a column.
#[inline]
fn joined(mut bits: u64, of: u64) -> u64 {
    loop {
        let more = (bits | bits << BITS | bits >> BITS) & of;
        if more == bits {
            return bits;
        }
        bits = more;
    }
}

impl Position {
    fn new(board: &Board) -> Self {
        let mut position = Self { left: board.tiles() as u32, ..Self::default() };
        let colours = board.rows();
        for colour in colours.as_flattened().iter().filter(|colour| usize::from(**colour) < COLOURS) {
            position.colours[usize::from(*colour)] += 1;
        }
        for (column, tiles) in board.columns().into_iter().enumerate() {
            position.columns[column] = tiles;
            for height in 0..board.height(column) {
                position.heights[column] |= (height as u64 + 1) << (BITS * height);
            }
            position.numbers[column] = column as u8;
            position.places[column] = if tiles == 0 { COLUMNS as u8 } else { column as u8 };
        }
        position
    }

    /// Column and lowest bit of a tile, if it is there.
    #[inline]
    fn find(&self, tile: usize) -> Option<(usize, u32)> {
        let column = usize::from(self.places[tile / ROWS]);
        let bit = equal(self.heights[column], (tile % ROWS) as u64 + 1);
        (bit != 0).then(|| (column, bit.trailing_zeros()))
    }

    /// Piece of a column and a lowest bit.
    #[inline]
    fn tile(&self, column: usize, bit: u32) -> usize {
        usize::from(self.numbers[column]) * ROWS + (self.heights[column] >> bit & 15) as usize - 1
    }

    /// Group of a tile.
    #[inline]
    fn group(&self, column: usize, bit: u32) -> Taken {
        let colour = self.columns[column] >> bit & 15;
        let mut taken = Taken { colour, first: column, last: column, ..Taken::default() };
        taken.bits[column] = joined(1 << bit, equal(self.columns[column], colour));
        taken.size = count(taken.bits[column]);
        let mut changed: u32 = 1 << column;
        while changed != 0 {
            let column = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            for beside in [column.wrapping_sub(1), column + 1] {
                if beside >= COLUMNS {
                    continue;
                }
                let of = equal(self.columns[beside], colour);
                let before = taken.bits[beside];
                if taken.bits[column] & of & !before != 0 {
                    let bits = joined(taken.bits[column] & of | before, of);
                    taken.size += count(bits) - count(before);
                    taken.bits[beside] = bits;
                    changed |= 1 << beside;
                    (taken.first, taken.last) = (taken.first.min(beside), taken.last.max(beside));
                }
            }
        }
        taken
    }

    /// Takes a group away: tiles fall, and columns close up.
    #[inline]
    fn take(&mut self, taken: &Taken) {
        let mut is_empty = false;
        for column in taken.first..=taken.last {
            let (tiles, heights) = (&mut self.columns[column], &mut self.heights[column]);
            let mut bits = taken.bits[column];
            // From the top, so that the tiles below keep their heights.
            while bits != 0 {
                let bit = 63 - bits.leading_zeros();
                bits ^= 1 << bit;
                let below = (1 << bit) - 1;
                *tiles = *tiles & below | *tiles >> BITS & !below;
                *heights = *heights & below | *heights >> BITS & !below;
            }
            is_empty |= *tiles == 0;
        }
        self.left -= taken.size;
        self.colours[taken.colour as usize - 1] -= taken.size as u8;
        if is_empty {
            self.close_up();
        }
    }

    #[cold]
    fn close_up(&mut self) {
        let mut next =
            Self { left: self.left, colours: self.colours, places: [COLUMNS as u8; COLUMNS], ..Self::default() };
        for (filled, column) in (0..COLUMNS).filter(|column| self.columns[*column] != 0).enumerate() {
            next.columns[filled] = self.columns[column];
            next.heights[filled] = self.heights[column];
            next.numbers[filled] = self.numbers[column];
            next.places[usize::from(self.numbers[column])] = filled as u8;
        }
        *self = next;
    }

    /// Tiles with an equal one above or on the right.
    #[inline]
    fn joins(&self, column: usize) -> u64 {
        let tiles = self.columns[column];
        let above = empty(tiles ^ tiles >> BITS) & !empty(tiles >> BITS);
        (above | empty(tiles ^ self.columns[column + 1])) & !empty(tiles)
    }
}

impl Tracked {
    pub fn new(state: &State) -> Self {
        Self { now: Position::new(&state.board), saved: Vec::new() }
    }
}

impl ByTiles for Tracked {
    fn count(&self) -> usize {
        CELLS
    }

    fn left(&self) -> usize {
        self.now.left as usize
    }

    fn action(&self, tile: usize) -> Option<usize> {
        let (column, bit) = self.now.find(tile)?;
        let taken = self.now.group(column, bit);
        let cells = (taken.first..=taken.last).map(|column| {
            let height = (63 - taken.bits[column].leading_zeros()) as usize / BITS;
            (ROWS - 1 - height) * COLUMNS + column
        });
        cells.min().filter(|_| taken.size > 1)
    }

    #[inline]
    fn play(&mut self, tile: usize) -> Option<f32> {
        let (column, bit) = self.now.find(tile)?;
        let taken = self.now.group(column, bit);
        if taken.size < 2 {
            return None;
        }
        self.now.take(&taken);
        Some(points(taken.size, self.now.left == 0) as f32)
    }

    fn choose(&self, mask: MaskKind, below: &mut dyn FnMut(usize) -> usize) -> Option<usize> {
        let tabu = (0..COLOURS).max_by_key(|colour| self.now.colours[*colour]).unwrap_or(0) as u64 + 1;
        let (mut others, mut commonest) = ([0; COLUMNS], [0; COLUMNS]);
        for column in 0..COLUMNS {
            let joins = self.now.joins(column);
            commonest[column] = joins & equal(self.now.columns[column], tabu);
            others[column] = joins & !commonest[column];
        }
        let all = |bits: &[u64; COLUMNS]| bits.iter().map(|bits| count(*bits)).sum::<u32>();
        let bits = match (mask, all(&others)) {
            (TABU, 0) => commonest,
            (TABU, _) => others,
            _ => std::array::from_fn(|column| others[column] | commonest[column]),
        };
        let tiles = all(&bits);
        let mut place = (tiles > 0).then(|| below(tiles as usize) as u32)?;
        for (column, mut bits) in bits.into_iter().enumerate() {
            if place < count(bits) {
                (0..place).for_each(|_| bits &= bits - 1);
                return Some(self.now.tile(column, bits.trailing_zeros()));
            }
            place -= count(bits);
        }
        None
    }

    #[inline]
    fn save(&mut self, slot: usize) {
        if slot >= self.saved.len() {
            self.saved.resize(slot + 1, Position::default());
        }
        self.saved[slot] = self.now;
    }

    #[inline]
    fn load(&mut self, slot: usize) {
        self.now = self.saved[slot];
    }

    #[inline]
    fn is_at(&self, slot: usize) -> bool {
        self.now == self.saved[slot]
    }
}

const _: () = assert!(STRIDE * BITS == 64);
