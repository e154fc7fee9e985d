use serde::{Deserialize, Serialize};

use super::{CELLS, COLOURS, COLUMNS, ROWS};
use crate::ActionMask;

/// Bits of a tile in its column.
pub(super) const BITS: usize = 4;
/// Lowest bit of every tile of a column.
pub(super) const LOWEST: u64 = 0x0111_1111_1111_1111;

/// A board by columns from the left, each with its tiles from the bottom: four bits a tile, 0 for
/// none, else its colour and 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
pub(super) struct Board {
    columns: [u64; COLUMNS],
}

impl<'de> Deserialize<'de> for Board {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Packed {
            columns: [u64; COLUMNS],
        }
        let board = Self { columns: Packed::deserialize(from)?.columns };
        match board == Self::from_rows(&board.rows()) {
            true => Ok(board),
            false => Err(serde::de::Error::custom("a saved board of samegame is none that a game has")),
        }
    }
}

/// The tiles that belong together: groups of one colour joined by sides, single tiles too.
pub(super) struct Groups {
    /// Number of groups.
    count: usize,
    /// Colours and sizes of the groups.
    colours: [u8; CELLS],
    sizes: [u8; CELLS],
    /// Cell of each group that comes first, row by row from the top.
    first: [u8; CELLS],
    /// Group of each tile, by its column and height; other numbers mean nothing.
    of: [u8; COLUMNS * STRIDE],
}

/// Heights of a column.
pub(super) const STRIDE: usize = 16;

/// A group of tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Group {
    /// Number among the groups of a board.
    pub number: usize,
    /// Colour from 0.
    pub colour: usize,
    /// Number of tiles.
    pub size: u32,
    /// First cell, row by row from the top.
    pub cell: usize,
}

/// Random numbers of the cells.
const KEYS: [u64; COLUMNS * STRIDE] = {
    let mut keys = [0; COLUMNS * STRIDE];
    let mut at = 0;
    while at < keys.len() {
        // Steele, Lea and Flood 2014's SplitMix.
        let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        keys[at] = mixed ^ mixed >> 31;
        at += 1;
    }
    keys
};

impl Groups {
    /// All groups, single tiles too.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Group> {
        (0..self.count).map(|number| Group {
            number,
            colour: self.colours[number].into(),
            size: self.sizes[number].into(),
            cell: self.first[number].into(),
        })
    }

    /// Groups that a move can take.
    #[inline]
    pub fn moves(&self) -> impl Iterator<Item = Group> {
        self.iter().filter(|group| group.size > 1)
    }
}

/// First number of a chain of numbers that lead to lower ones, which is shortened.
#[inline]
fn first_of(lower: &mut [u8; CELLS], mut number: usize) -> usize {
    while usize::from(lower[number]) != number {
        lower[number] = lower[usize::from(lower[number])];
        number = lower[number].into();
    }
    number
}

impl Board {
    /// Board by colours, row by row from the top; [`COLOURS`] stands for an empty cell. Tiles fall,
    /// and columns close up to the left.
    pub fn from_rows(rows: &[[u8; COLUMNS]; ROWS]) -> Self {
        let mut columns = [0; COLUMNS];
        let mut filled = 0;
        for column in 0..COLUMNS {
            let tiles = rows.iter().map(|row| row[column]).filter(|colour| *colour < COLOURS as u8);
            columns[filled] = tiles.fold(0, |tiles, colour| tiles << BITS | u64::from(colour + 1));
            filled += usize::from(columns[filled] != 0);
        }
        Self { columns }
    }

    /// Colours row by row from the top; [`COLOURS`] where there is no tile.
    pub fn rows(&self) -> [[u8; COLUMNS]; ROWS] {
        let tile = |row, column: usize| (self.columns[column] >> (BITS * (ROWS - 1 - row)) & 15) as u8;
        let colour = |row, column| tile(row, column).checked_sub(1).map_or(COLOURS as u8, |colour| colour);
        std::array::from_fn(|row| std::array::from_fn(|column| colour(row, column)))
    }

    /// Tiles of all columns from the bottom, four bits each: 0 for none, else the colour and 1.
    pub fn columns(&self) -> [u64; COLUMNS] {
        self.columns
    }

    /// Whether no tile is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.columns[0] == 0
    }

    /// Columns that have tiles.
    #[inline]
    pub fn width(&self) -> usize {
        self.columns.iter().take_while(|column| **column != 0).count()
    }

    /// Tiles of a column.
    #[inline]
    pub fn height(&self, column: usize) -> usize {
        STRIDE - self.columns[column].leading_zeros() as usize / BITS
    }

    /// Number of tiles.
    #[inline]
    pub fn tiles(&self) -> usize {
        (0..COLUMNS).map(|column| self.height(column)).sum()
    }

    /// A number that equal boards share and others hardly ever do.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.columns.iter().fold(0, |hash: u64, column| {
            let hash = (hash ^ column).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^ hash >> 29
        })
    }

    /// All groups, by a pass over the tiles that gives each a number and joins those of equal
    /// neighbours.
    pub fn groups(&self) -> Groups {
        let mut groups =
            Groups { count: 0, colours: [0; CELLS], sizes: [0; CELLS], first: [0; CELLS], of: [0; COLUMNS * STRIDE] };
        let (mut lower, mut tiles) = ([0u8; CELLS], [0u8; CELLS]);
        let (mut firsts, mut count, mut before) = ([0u8; CELLS], 0, 0u64);
        for (column, whole) in self.columns.into_iter().enumerate() {
            let (mut rest, mut left, mut below) = (whole, before, None);
            for at in column * STRIDE.. {
                let tile = rest & 15;
                if tile == 0 {
                    break;
                }
                // The group of the tile below or on the left, or of both, or a new one.
                let mut number =
                    below.filter(|_| at > column * STRIDE && whole >> (BITS * (at % STRIDE - 1)) & 15 == tile);
                if left & 15 == tile {
                    let beside = first_of(&mut lower, groups.of[at - STRIDE].into());
                    number = match number.map(|number| first_of(&mut lower, number)) {
                        Some(number) if number != beside => {
                            let (low, high) = (number.min(beside), number.max(beside));
                            lower[high] = low as u8;
                            tiles[low] += tiles[high];
                            firsts[low] = firsts[low].min(firsts[high]);
                            Some(low)
                        }
                        _ => Some(beside),
                    };
                }
                let cell = ((ROWS - 1 - at % STRIDE) * COLUMNS + column) as u8;
                let number = number.unwrap_or_else(|| {
                    (lower[count], groups.colours[count], firsts[count]) = (count as u8, tile as u8 - 1, cell);
                    count += 1;
                    count - 1
                });
                tiles[number] += 1;
                firsts[number] = firsts[number].min(cell);
                groups.of[at] = number as u8;
                (below, rest, left) = (Some(number), rest >> BITS, left >> BITS);
            }
            before = whole;
        }
        // Numbers without those that were joined to lower ones.
        let mut numbers = [0u8; CELLS];
        for number in 0..count {
            let low = first_of(&mut lower, number);
            if low == number {
                numbers[number] = groups.count as u8;
                groups.colours[groups.count] = groups.colours[number];
                groups.sizes[groups.count] = tiles[number];
                groups.first[groups.count] = firsts[number];
                groups.count += 1;
            } else {
                numbers[number] = numbers[low];
            }
        }
        for (column, tiles) in self.columns.iter().enumerate() {
            for at in column * STRIDE..column * STRIDE + STRIDE - tiles.leading_zeros() as usize / BITS {
                groups.of[at] = numbers[usize::from(groups.of[at])];
            }
        }
        groups
    }

    /// Board without a group of its own: tiles fall, and columns close up.
    pub fn without(&self, groups: &Groups, group: Group) -> Self {
        let mut columns = self.columns;
        let mut is_empty = false;
        for (column, tiles) in columns.iter_mut().enumerate() {
            let other = *tiles ^ LOWEST.wrapping_mul(group.colour as u64 + 1);
            let other = (other | other >> 1) & 0x3333_3333_3333_3333;
            let mut equal = !(other | other >> 2) & LOWEST;
            let before = *tiles;
            // From the top, so that the tiles below keep their heights.
            while equal != 0 {
                let bit = 63 - equal.leading_zeros() as usize;
                equal ^= 1 << bit;
                if usize::from(groups.of[column * STRIDE + bit / BITS]) == group.number {
                    let below = (1 << bit) - 1;
                    *tiles = *tiles & below | *tiles >> BITS & !below;
                }
            }
            is_empty |= before != 0 && *tiles == 0;
        }
        if is_empty {
            let mut filled = 0;
            for column in 0..COLUMNS {
                let tiles = std::mem::take(&mut columns[column]);
                columns[filled] = tiles;
                filled += usize::from(tiles != 0);
            }
        }
        Self { columns }
    }

    /// A number for each group that its cells decide.
    pub fn names(&self, groups: &Groups) -> [u64; CELLS] {
        let mut names = [0u64; CELLS];
        for column in 0..COLUMNS {
            for at in column * STRIDE..column * STRIDE + self.height(column) {
                let name = &mut names[usize::from(groups.of[at])];
                *name = name.wrapping_add(KEYS[at]);
            }
        }
        names
    }

    /// Group of a cell; `None` where a move takes nothing.
    pub fn group_at(&self, groups: &Groups, cell: usize) -> Option<Group> {
        let (column, height) = (cell % COLUMNS, (ROWS - 1).checked_sub(cell / COLUMNS)?);
        if height >= self.height(column) {
            return None;
        }
        let number = groups.of[column * STRIDE + height];
        groups.moves().find(|group| group.number == usize::from(number))
    }

    /// Cells of groups, as actions.
    pub fn cells(&self, groups: &Groups, is_taken: impl Fn(Group) -> bool) -> ActionMask {
        let mut taken = [false; CELLS];
        groups.iter().for_each(|group| taken[group.number] = is_taken(group));
        let cells = (0..COLUMNS).flat_map(|column| (0..self.height(column)).map(move |height| (column, height)));
        let cells = cells.filter(|(column, height)| taken[usize::from(groups.of[column * STRIDE + height])]);
        cells.map(|(column, height)| (ROWS - 1 - height) * COLUMNS + column).collect()
    }
}
