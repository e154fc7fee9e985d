//! The board in words of 64 bits: the cell in column x and row y from the top is bit 8 y + x.

use serde::{Deserialize, Serialize};

use super::{ACTIONS, COLOURS, COLUMNS, ROWS};
use crate::ActionMask;
use crate::random::Draw;

/// A set of cells.
pub(super) type Cells = u64;

/// Number of an unknown tile, which matches nothing.
pub(super) const UNKNOWN: u8 = COLOURS;

const TOP: Cells = 0xff;
/// Cells with a cell to the right; with two; with three.
const RIGHT: [Cells; 3] = [0x7f7f_7f7f_7f7f_7f7f, 0x3f3f_3f3f_3f3f_3f3f, 0x1f1f_1f1f_1f1f_1f1f];
/// Vertical swaps are numbered first, row by row, then horizontal ones.
const VERTICAL: usize = COLUMNS * (ROWS - 1);

/// A board: the tiles' colours in binary, and the unknown tiles, whose digits are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Grid {
    digits: [Cells; 2],
    unknown: Cells,
}

/// Swaps of neighbours: with the cell below, at the upper cell, and with the cell to the right, at
/// the left cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Swaps {
    vertical: Cells,
    horizontal: Cells,
}

/// Runs of three or more equal tiles, as overlapping threes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Runs {
    /// Bottom cell of each vertical three.
    vertical: Cells,
    /// Left cell of each horizontal three.
    horizontal: Cells,
}

/// Cells moved so that each shows the one `DX` to the right and `DY` below; cells of other rows may
/// come in at the sides.
#[inline(always)]
const fn look<const DX: i32, const DY: i32>(cells: Cells) -> Cells {
    let steps = 8 * DY + DX;
    if steps >= 0 { cells >> steps } else { cells << -steps }
}

#[inline]
const fn row(y: usize) -> Cells {
    TOP << (8 * y)
}

/// Two cells of a swap.
#[inline]
pub(super) const fn cells_of(action: usize) -> (usize, usize) {
    if action < VERTICAL {
        return (action, action + 8);
    }
    let at = action - VERTICAL;
    let cell = at / 7 * 8 + at % 7;
    (cell, cell + 1)
}

/// Action that swaps two cells, in ascending order; `None` for others.
pub(super) fn action_of(one: usize, other: usize) -> Option<usize> {
    match other - one {
        8 if other < COLUMNS * ROWS => Some(one),
        1 if one % COLUMNS < COLUMNS - 1 => Some(VERTICAL + one / 8 * 7 + one % 8),
        _ => None,
    }
}

impl Grid {
    /// Board of numbers, row by row from the top.
    pub fn from_rows(tiles: &[[u8; COLUMNS]; ROWS]) -> Self {
        let mut grid = Self { digits: [0; 2], unknown: 0 };
        for (cell, tile) in tiles.as_flattened().iter().enumerate() {
            grid.put(cell, *tile);
        }
        grid
    }

    /// Numbers of the tiles, row by row from the top.
    pub fn rows(&self) -> [[u8; COLUMNS]; ROWS] {
        let bit = |cells: Cells, cell: usize| (cells >> cell & 1) as u8;
        let tile = |cell| bit(self.digits[0], cell) + 2 * bit(self.digits[1], cell) + UNKNOWN * bit(self.unknown, cell);
        std::array::from_fn(|y| std::array::from_fn(|x| tile(8 * y + x)))
    }

    /// Puts a tile into a cell without digits.
    #[inline]
    fn put(&mut self, cell: usize, tile: u8) {
        let tile = Cells::from(tile);
        self.digits[0] |= (tile & 1) << cell;
        self.digits[1] |= (tile >> 1 & 1) << cell;
        self.unknown |= (tile >> 2) << cell;
    }

    /// Whether unknown tiles have no digits.
    pub fn is_valid(&self) -> bool {
        (self.digits[0] | self.digits[1]) & self.unknown == 0
    }

    pub fn unknown(&self) -> Cells {
        self.unknown
    }

    /// Cells of a colour.
    pub fn of_colour(&self, colour: u8) -> Cells {
        let digit = |place: usize| if colour >> place & 1 == 1 { self.digits[place] } else { !self.digits[place] };
        digit(0) & digit(1) & !self.unknown
    }

    /// Cells among the given ones with an equal tile `DX` to the right and `DY` below.
    #[inline(always)]
    fn alike<const DX: i32, const DY: i32>(&self, among: Cells) -> Cells {
        let [low, high] = self.digits;
        let different = (low ^ look::<DX, DY>(low)) | (high ^ look::<DX, DY>(high));
        let known = !self.unknown;
        among & known & look::<DX, DY>(known) & !different
    }

    /// Upper cells of equal vertical pairs, and left cells of equal horizontal pairs.
    #[inline]
    fn pairs(&self) -> (Cells, Cells) {
        (self.alike::<0, 1>(!row(ROWS - 1)), self.alike::<1, 0>(RIGHT[0]))
    }

    #[inline]
    pub fn runs(&self) -> Runs {
        let (below, right) = self.pairs();
        Runs::of(below, right)
    }

    /// Swaps of equal known tiles.
    pub fn equal_neighbours(&self) -> Swaps {
        let (vertical, horizontal) = self.pairs();
        Swaps { vertical, horizontal }
    }

    /// Swaps that put a tile into a run.
    #[inline]
    pub fn matching(&self) -> Swaps {
        // Cells with an equal tile at an offset: n above, s below, e to the right, w to the left.
        // Rows beyond the board come in as zeros of the known cells.
        let (se, ne) = (self.alike::<1, 1>(RIGHT[0]), self.alike::<1, -1>(RIGHT[0]));
        let (see, nee) = (self.alike::<2, 1>(RIGHT[1]), self.alike::<2, -1>(RIGHT[1]));
        let (sse, nne) = (self.alike::<1, 2>(RIGHT[0]), self.alike::<1, -2>(RIGHT[0]));
        let (ee, eee) = (self.alike::<2, 0>(RIGHT[1]), self.alike::<3, 0>(RIGHT[2]));
        let (ss, sss) = (self.alike::<0, 2>(!0), self.alike::<0, 3>(!0));
        let (nw, sw) = (look::<-1, -1>(se), look::<-1, 1>(ne));
        let (nww, sww) = (look::<-2, -1>(see), look::<-2, 1>(nee));
        let (nnw, ssw) = (look::<-1, -2>(sse), look::<-1, 2>(nne));
        let (ww, www) = (look::<-2, 0>(ee), look::<-3, 0>(eee));
        let (nn, nnn) = (look::<0, -2>(ss), look::<0, -3>(sss));
        // Tiles that make a run when they move up, down, right or left.
        let up = nw & ne | nw & nww | ne & nee | nn & nnn;
        let down = sw & se | sw & sww | se & see | ss & sss;
        let right = ne & se | ne & nne | se & sse | ee & eee;
        let left = nw & sw | nw & nnw | sw & ssw | ww & www;
        Swaps {
            vertical: (down | look::<0, 1>(up)) & !row(ROWS - 1),
            horizontal: (right | look::<1, 0>(left)) & RIGHT[0],
        }
    }

    /// Tiles that the next wave removes; none at rest.
    #[inline]
    pub fn removed(&self) -> Cells {
        let (below, right) = self.pairs();
        let runs = Runs::of(below, right);
        if runs.is_empty() {
            return 0;
        }
        let first = runs.first_lines();
        // Pairs of a tile of the first lines and another one.
        let joined = below & (first ^ look::<0, 1>(first)) | right & (first ^ look::<1, 0>(first));
        if joined == 0 { first } else { first | side_lines(first, below, right) }
    }

    /// Board after a matching swap as far as it is certain, and the tiles removed.
    #[inline]
    pub fn certain_chain(&self, action: usize) -> (Self, u32) {
        let (mut grid, mut points) = (*self, 0);
        grid.swap(action);
        loop {
            let cells = grid.removed();
            if cells == 0 {
                return (grid, points);
            }
            points += cells.count_ones();
            grid.fall(cells);
        }
    }

    /// Removes tiles; those above fall, and unknown ones come in at the top.
    #[inline]
    pub fn fall(&mut self, mut empty: Cells) {
        while empty != 0 {
            // Cells from the lowest empty one of each column up, which all fall by one.
            let mut moving = empty | empty >> 8;
            moving |= moving >> 16;
            moving |= moving >> 32;
            for cells in self.digits.iter_mut().chain([&mut self.unknown]) {
                *cells ^= (*cells ^ *cells << 8) & moving;
            }
            self.unknown |= moving & TOP;
            empty = empty << 8 & moving;
        }
    }

    /// Draws the unknown tiles, row by row from the top, each row from the left.
    #[inline]
    pub fn refill(&mut self, draw: &mut impl Draw) {
        let mut left = std::mem::take(&mut self.unknown);
        while left != 0 {
            let cell = left.trailing_zeros() as usize;
            self.put(cell, draw.below_in(cell % COLUMNS, COLOURS.into()) as u8);
            left &= left - 1;
        }
    }

    /// A new board: every tile drawn, then [settled](Self::settle).
    pub fn deal(draw: &mut impl Draw) -> Self {
        let mut grid = Self { digits: [0; 2], unknown: !0 };
        grid.refill(draw);
        grid.settle(draw);
        grid
    }

    /// Draws upper rows anew while there is a run, and shuffles while no swap matches.
    pub fn settle(&mut self, draw: &mut impl Draw) {
        loop {
            let runs = self.runs();
            if !runs.is_empty() {
                let cells = Cells::MAX >> (64 - 8 * runs.redrawn_rows());
                self.digits = self.digits.map(|digit| digit & !cells);
                self.unknown = cells;
                self.refill(draw);
            } else if self.matching().is_empty() {
                self.shuffle(draw);
            } else {
                return;
            }
        }
    }

    fn shuffle(&mut self, draw: &mut impl Draw) {
        let tiles = self.rows();
        let mut order: [u8; COLUMNS * ROWS] = std::array::from_fn(|cell| cell as u8);
        draw.shuffle(&mut order);
        let tile = |cell: usize| tiles.as_flattened()[usize::from(order[cell])];
        *self = Self::from_rows(&std::array::from_fn(|y| std::array::from_fn(|x| tile(8 * y + x))));
    }

    /// Swaps the tiles of an action's cells.
    #[inline]
    pub fn swap(&mut self, action: usize) {
        let (one, other) = cells_of(action);
        for cells in self.digits.iter_mut().chain([&mut self.unknown]) {
            let differ = (*cells >> one ^ *cells >> other) & 1;
            *cells ^= differ << one | differ << other;
        }
    }
}

/// Tiles joined to a tile of the first lines along its row or its column by equal tiles outside of
/// the first lines, where these and that tile are three or more. Pairs are given by their upper and
/// left cells.
#[inline]
fn side_lines(first: Cells, below: Cells, right: Cells) -> Cells {
    side_lines_along::<1>(first, right) | side_lines_along::<8>(first, below)
}

/// [`side_lines`] to cells `STEP` bits further and back, by the pairs of a cell and the next one.
#[inline]
fn side_lines_along<const STEP: u32>(first: Cells, pairs: Cells) -> Cells {
    let on = |cells: Cells| (cells & pairs) << STEP & !first;
    let back = |cells: Cells| cells >> STEP & pairs & !first;
    let (mut onward, mut backward) = (on(first), back(first));
    let (two_on, two_back) = (on(onward), back(backward));
    // Tiles of the first lines with two others on one side, or one on each.
    let tiles = first & (two_on >> (2 * STEP) | two_back << (2 * STEP) | onward >> STEP & backward << STEP);
    if tiles == 0 {
        return 0;
    }
    let mut found = 0;
    (onward, backward) = (on(tiles), back(tiles));
    while onward | backward != 0 {
        found |= onward | backward;
        (onward, backward) = (on(onward), back(backward));
    }
    found
}

impl Runs {
    /// Runs of pairs, given by their upper and left cells.
    #[inline]
    fn of(below: Cells, right: Cells) -> Self {
        Self { vertical: look::<0, -2>(below & look::<0, 1>(below)), horizontal: right & look::<1, 0>(right) }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.vertical | self.horizontal == 0
    }

    /// The lowest row with the lower end of a vertical run or with a horizontal run; there must be
    /// one.
    #[inline]
    fn lowest_row(&self) -> usize {
        ((self.vertical | self.horizontal).ilog2() / 8) as usize
    }

    /// Cells of all runs of the lowest row, the vertical ones whole.
    #[inline]
    fn first_lines(&self) -> Cells {
        let row = row(self.lowest_row());
        let mut cells = self.horizontal & row;
        cells |= cells << 1 | cells << 2;
        let mut bottoms = self.vertical & row;
        while bottoms != 0 {
            cells |= bottoms | bottoms >> 8 | bottoms >> 16;
            bottoms = bottoms >> 8 & self.vertical;
        }
        cells
    }

    /// Upper rows that a redraw draws anew: up to the row below the first tile of the first line.
    ///
    /// The first line is the leftmost of the lowest row with a run; of two from one cell on, the
    /// vertical one.
    pub fn redrawn_rows(&self) -> usize {
        let lowest = self.lowest_row();
        let cells = (self.vertical | self.horizontal) & row(lowest);
        let mut tile = cells & cells.wrapping_neg();
        let mut top = lowest;
        if self.vertical & tile != 0 {
            top -= 2;
            while tile >> 8 & self.vertical != 0 {
                tile >>= 8;
                top -= 1;
            }
        }
        (top + 2).min(ROWS)
    }

    /// Cells of all runs.
    pub fn cells(&self) -> Cells {
        let Self { vertical, horizontal } = self;
        vertical | vertical >> 8 | vertical >> 16 | horizontal | horizontal << 1 | horizontal << 2
    }
}

impl Swaps {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.vertical | self.horizontal == 0
    }

    /// Whether an action is one of these swaps.
    #[inline]
    pub fn contains(&self, action: usize) -> bool {
        let cells = if action < VERTICAL { self.vertical } else { self.horizontal };
        action < ACTIONS && cells >> cells_of(action).0 & 1 == 1
    }

    /// Numbers of these swaps.
    #[inline]
    pub fn actions(&self) -> ActionMask {
        // Seven cells of each row lie one after another.
        let mut packed = self.horizontal;
        packed = packed & 0x00ff_00ff_00ff_00ff | (packed & 0xff00_ff00_ff00_ff00) >> 1;
        packed = packed & 0x0000_3fff_0000_3fff | (packed & 0x3fff_0000_3fff_0000) >> 2;
        packed = packed & 0x0fff_ffff | (packed & 0x0fff_ffff_0000_0000) >> 4;
        ActionMask::from_words([self.vertical | packed << VERTICAL, packed >> (64 - VERTICAL), 0, 0])
    }
}
