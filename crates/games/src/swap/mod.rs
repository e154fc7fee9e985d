//! What swap games share: runs, swaps and falling on bit planes.
//!
//! A token's kind is a binary number over a few sets of cells, so shifts and ands search the board
//! for all kinds at once.

/// Writes out operators of two sets, each also as an assignment.
macro_rules! set_operators {
    (
        #[$inline:meta] $sets:ident:
        $($operator:ident $method:ident, $assign:ident $assign_method:ident |$one:ident, $other:ident| $made:expr,)+
    ) => {
        $(impl<const COLUMNS: usize, const ROWS: usize> std::ops::$operator for $sets<COLUMNS, ROWS> {
            type Output = Self;

            #[$inline]
            fn $method(self, other: Self) -> Self {
                let ($one, $other) = (self, other);
                $made
            }
        }

        impl<const COLUMNS: usize, const ROWS: usize> std::ops::$assign for $sets<COLUMNS, ROWS> {
            #[$inline]
            fn $assign_method(&mut self, other: Self) {
                *self = std::ops::$operator::$method(*self, other);
            }
        })+
    };
}

mod cells;
mod lanes;
mod moves;
pub mod text;

use serde::{Deserialize, Serialize};

use crate::random::Draw;

pub use cells::Cells;
pub use lanes::{LANES, Lanes};
pub use moves::Move;

/// Orders of four colours, lexicographic: colour k is shown as colour `ORDERS[i][k]`.
pub const ORDERS: [[u8; 4]; 24] = {
    let mut orders = [[0; 4]; 24];
    let (mut found, mut number) = (0, 0);
    // Numbers of four digits in base 4, ascending, without a repeated digit.
    while number < 256 {
        let order = [number >> 6, number >> 4 & 3, number >> 2 & 3, number & 3];
        if 1 << order[0] | 1 << order[1] | 1 << order[2] | 1 << order[3] == 0b1111 {
            orders[found] = [order[0] as u8, order[1] as u8, order[2] as u8, order[3] as u8];
            found += 1;
        }
        number += 1;
    }
    orders
};

/// Order of four colours under a symmetry, and whether the board is mirrored, for any number: every
/// order, then every order on the mirror image.
pub fn order_and_mirror(symmetry: usize) -> ([u8; 4], bool) {
    (ORDERS[symmetry % ORDERS.len()], symmetry / ORDERS.len() % 2 == 1)
}

/// Kinds below `count` without a run, drawn row by row, each anew while it completes a run.
pub fn drawn_without_runs<const COLUMNS: usize, const ROWS: usize>(
    count: u32,
    draw: &mut impl Draw,
) -> [[u8; COLUMNS]; ROWS] {
    let mut kinds = [[0; COLUMNS]; ROWS];
    for y in 0..ROWS {
        for x in 0..COLUMNS {
            kinds[y][x] = loop {
                let kind = draw.below_in(x, count) as u8;
                let left = x >= 2 && kinds[y][x - 2..x] == [kind; 2];
                let above = y >= 2 && [kinds[y - 2][x], kinds[y - 1][x]] == [kind; 2];
                if !left && !above {
                    break kind;
                }
            };
        }
    }
    kinds
}

/// Writes a plane for each of `count` kinds, others nowhere. Symmetries rotate the kinds' numbers, odd
/// ones on the mirror image.
pub fn encode_rotated<const COLUMNS: usize, const ROWS: usize>(
    kinds: &[[u8; COLUMNS]; ROWS],
    count: usize,
    symmetry: usize,
    image: &mut [impl Copy + From<bool>],
) {
    let (turn, mirror) = (symmetry / 2, symmetry % 2 == 1);
    image.fill(false.into());
    for (y, row) in kinds.iter().enumerate() {
        for (x, kind) in row.iter().map(|kind| usize::from(*kind)).enumerate().filter(|(_, kind)| *kind < count) {
            let shown = (kind + turn) % count;
            let x = if mirror { COLUMNS - 1 - x } else { x };
            image[(shown * ROWS + y) * COLUMNS + x] = true.into();
        }
    }
}

/// A board of tokens, kinds in binary over `PLANES` sets of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<u128>", into = "Vec<u128>")]
pub struct Board<const COLUMNS: usize, const ROWS: usize, const PLANES: usize> {
    planes: [Cells<COLUMNS, ROWS>; PLANES],
}

/// A set of swaps of neighbouring cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Swaps<const COLUMNS: usize, const ROWS: usize> {
    /// Swaps with the cell below, each at its upper cell.
    pub vertical: Cells<COLUMNS, ROWS>,
    /// Swaps with the cell to the right, each at its left cell.
    pub horizontal: Cells<COLUMNS, ROWS>,
}

/// Runs of three or more equal tokens. A run of n is n - 2 overlapping threes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Runs<const COLUMNS: usize, const ROWS: usize> {
    /// Bottom cell of each vertical three.
    vertical: Cells<COLUMNS, ROWS>,
    /// Left cell of each horizontal three.
    horizontal: Cells<COLUMNS, ROWS>,
}

impl<const COLUMNS: usize, const ROWS: usize, const PLANES: usize> Board<COLUMNS, ROWS, PLANES> {
    /// Board of planes, the least significant first; `None` with bits outside the cells.
    pub fn from_planes(planes: [Cells<COLUMNS, ROWS>; PLANES]) -> Option<Self> {
        let stray = planes.iter().any(|plane| !(*plane & !Cells::ALL).is_empty());
        (!stray).then_some(Self { planes })
    }

    /// Board of planes; bits outside the cells are ignored.
    #[inline]
    pub fn masked(planes: [Cells<COLUMNS, ROWS>; PLANES]) -> Self {
        Self { planes: planes.map(|plane| plane & Cells::ALL) }
    }

    /// Board of kinds, each below 2^`PLANES`, row by row from the top.
    pub fn from_rows(kinds: &[[u8; COLUMNS]; ROWS]) -> Self {
        let mut columns = [[0_u16; COLUMNS]; PLANES];
        for row in kinds {
            // Each row pushes the rows above up by one.
            for (place, columns) in columns.iter_mut().enumerate() {
                for (column, kind) in columns.iter_mut().zip(row) {
                    *column = *column << 1 | u16::from(kind >> place & 1);
                }
            }
        }
        Self { planes: columns.map(Cells::from_columns) }
    }

    /// Planes: the cells of each binary digit of the kinds, lowest first.
    pub fn planes(&self) -> &[Cells<COLUMNS, ROWS>; PLANES] {
        &self.planes
    }

    /// Kind of the token in a cell.
    pub fn kind(&self, cell: Cells<COLUMNS, ROWS>) -> u8 {
        let digit = |place: usize| u8::from(!(self.planes[place] & cell).is_empty()) << place;
        (0..PLANES).map(digit).sum()
    }

    /// Kinds, row by row from the top.
    pub fn rows(&self) -> [[u8; COLUMNS]; ROWS] {
        std::array::from_fn(|y| std::array::from_fn(|x| self.kind(Cells::at(x, y))))
    }

    /// Cells that hold a kind.
    #[inline]
    pub fn of_kind(&self, kind: u8) -> Cells<COLUMNS, ROWS> {
        let digits = self.planes.iter().enumerate();
        digits.fold(Cells::ALL, |cells, (place, plane)| cells & if kind >> place & 1 == 1 { *plane } else { !*plane })
    }

    /// Swaps the tokens of two cells.
    #[inline]
    pub fn swap(&mut self, a: Cells<COLUMNS, ROWS>, b: Cells<COLUMNS, ROWS>) {
        for plane in &mut self.planes {
            let differ = (*plane & a).is_empty() != (*plane & b).is_empty();
            *plane ^= (a | b).only_if(differ);
        }
    }

    /// Runs of equal tokens of any kind among the given cells.
    #[inline]
    pub fn runs(&self, among: Cells<COLUMNS, ROWS>) -> Runs<COLUMNS, ROWS> {
        let (mut above, mut right) = (Cells::EMPTY, Cells::EMPTY);
        for plane in &self.planes {
            above |= *plane ^ plane.down();
            right |= *plane ^ plane.left();
        }
        // A pair is two equal neighbours among the cells; two pairs are a three.
        let vertical = among & among.down() & !above;
        let horizontal = among & among.left() & !right;
        Runs { vertical: vertical & vertical.down(), horizontal: horizontal & horizontal.left() }
    }

    /// Swaps of equal tokens.
    #[inline]
    pub fn equal_neighbours(&self) -> Swaps<COLUMNS, ROWS> {
        let mut different = Swaps::default();
        for plane in &self.planes {
            different.vertical |= *plane ^ plane.up();
            different.horizontal |= *plane ^ plane.left();
        }
        Swaps { vertical: !different.vertical, horizontal: !different.horizontal }.on_board()
    }

    /// Swaps that put a token into a new run among the given cells: [`Swaps::completing`] of all
    /// kinds.
    #[inline]
    pub fn matching(&self, among: Cells<COLUMNS, ROWS>) -> Swaps<COLUMNS, ROWS> {
        // Cells with an equal token at an offset: n above, s below, e to the right, w to the left.
        let (se, ne) = (self.alike::<1, 1>(among), self.alike::<1, -1>(among));
        let (see, nee) = (self.alike::<2, 1>(among), self.alike::<2, -1>(among));
        let (sse, nne) = (self.alike::<1, 2>(among), self.alike::<1, -2>(among));
        let (ee, eee) = (self.alike::<2, 0>(among), self.alike::<3, 0>(among));
        let (ss, sss) = (self.alike::<0, 2>(among), self.alike::<0, 3>(among));
        let (nw, sw, nww, sww) = (se.look(-1, -1), ne.look(-1, 1), see.look(-2, -1), nee.look(-2, 1));
        let (nnw, ssw, ww, www) = (sse.look(-1, -2), nne.look(-1, 2), ee.look(-2, 0), eee.look(-3, 0));
        let (nn, nnn) = (ss.look(0, -2), sss.look(0, -3));
        // Tokens that make a run when they move up, down, right or left.
        let up = nw & ne | nw & nww | ne & nee | nn & nnn;
        let down = sw & se | sw & sww | se & see | ss & sss;
        let right = ne & se | ne & nne | se & sse | ee & eee;
        let left = nw & sw | nw & nnw | sw & ssw | ww & www;
        Swaps { vertical: down | up.up(), horizontal: right | left.left() }.on_board()
    }

    /// Cells with an equal token `DX` to the right and `DY` below, both among the given ones.
    #[inline(always)]
    fn alike<const DX: i32, const DY: i32>(&self, among: Cells<COLUMNS, ROWS>) -> Cells<COLUMNS, ROWS> {
        let difference = |plane: &Cells<COLUMNS, ROWS>| *plane ^ plane.look(DX, DY);
        let different = self.planes.iter().map(difference).fold(Cells::EMPTY, |one, other| one | other);
        among & among.look(DX, DY) & const { Cells::with_neighbour(DX, DY) } & !different
    }

    /// A step of falling: all above a column's lowest empty cell falls by one.
    ///
    /// `empty` holds the empty cells, afterwards without the returned top cells of columns that
    /// fell. The top cells hold kind 0 until [`put`](Self::put) fills them.
    #[inline]
    pub fn fall(&mut self, empty: &mut Cells<COLUMNS, ROWS>) -> Cells<COLUMNS, ROWS> {
        // In each column the subtraction borrows from the lowest empty cell or the guard.
        let holes = *empty | Cells::GUARDS;
        let up_to_lowest = holes ^ holes.minus(Cells::BOTTOM);
        let moving = Cells::ALL & !up_to_lowest.down();
        for cells in self.planes.iter_mut().chain([empty]) {
            *cells ^= (*cells ^ cells.down()) & moving;
        }
        moving & Cells::TOP
    }

    /// Empties cells, which hold kind 0 until [`put`](Self::put) fills them.
    #[inline]
    pub fn take(&mut self, cells: Cells<COLUMNS, ROWS>) {
        for plane in &mut self.planes {
            *plane &= !cells;
        }
    }

    /// Puts tokens of one kind into cells that hold kind 0.
    #[inline]
    pub fn put(&mut self, cells: Cells<COLUMNS, ROWS>, kind: u8) {
        for (place, plane) in self.planes.iter_mut().enumerate() {
            *plane |= cells.only_if(kind >> place & 1 == 1);
        }
    }
}

impl<const COLUMNS: usize, const ROWS: usize> Swaps<COLUMNS, ROWS> {
    /// Swaps that put a token of a kind, given by `cells`, into a new run.
    #[inline]
    pub fn completing(cells: Cells<COLUMNS, ROWS>) -> Self {
        // Cells beside one token of the kind, and with two on one side.
        let (above, below) = (cells.down(), cells.up());
        let (at_right, at_left) = (cells.left(), cells.right());
        let (above_2, below_2) = (above & above.down(), below & below.up());
        let (at_right_2, at_left_2) = (at_right & at_right.left(), at_left & at_left.right());
        // A token moved along a three's line takes an end, a token from across any place.
        let in_column = above_2 | below_2 | above & below;
        let in_row = at_right_2 | at_left_2 | at_right & at_left;
        Self {
            vertical: below & (in_row | above_2) | cells & (in_row | below_2).up(),
            horizontal: at_right & (in_column | at_left_2) | cells & (in_column | at_right_2).left(),
        }
        .on_board()
    }

    /// Whether there is no swap.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (self.vertical | self.horizontal).is_empty()
    }

    /// Swaps in either set.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { vertical: self.vertical | other.vertical, horizontal: self.horizontal | other.horizontal }
    }

    #[inline]
    fn on_board(self) -> Self {
        Self {
            vertical: self.vertical & Cells::ALL & !Cells::BOTTOM,
            horizontal: self.horizontal & Cells::ALL & Cells::ALL.left(),
        }
    }
}

impl<const COLUMNS: usize, const ROWS: usize> Runs<COLUMNS, ROWS> {
    /// Whether there is no run.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (self.vertical | self.horizontal).is_empty()
    }

    /// Cells of all runs.
    #[inline]
    pub fn cells(&self) -> Cells<COLUMNS, ROWS> {
        let (up, right) = (self.vertical.up(), self.horizontal.right());
        self.vertical | up | up.up() | self.horizontal | right | right.right()
    }

    /// Sum of all runs' points by length.
    #[inline]
    pub fn sum(&self, points: impl Fn(u32) -> i32) -> i32 {
        let (mut sum, mut before) = (0, 0);
        self.at_least(|length, count| {
            sum += count as i32 * (points(length) - before);
            before = points(length);
        });
        sum
    }

    /// Gives each length from 3 up, and the number of runs at least so long, while there is one.
    #[inline]
    pub fn at_least(&self, mut give: impl FnMut(u32, u32)) {
        let (mut down, mut left) = (self.vertical, self.horizontal);
        let (mut vertical, mut horizontal) = (down & !down.up(), left & !left.right());
        for length in 3.. {
            let count = vertical.count() + horizontal.count();
            if count == 0 {
                break;
            }
            give(length, count);
            (down, left) = (down.down(), left.left());
            vertical &= down;
            horizontal &= left;
        }
    }
}

/// Cells where one more token of a kind, given by `cells`, completes a run.
#[inline]
pub fn completing<const COLUMNS: usize, const ROWS: usize>(cells: Cells<COLUMNS, ROWS>) -> Cells<COLUMNS, ROWS> {
    let (above, below) = (cells.down(), cells.up());
    let (at_right, at_left) = (cells.left(), cells.right());
    let in_column = above & above.down() | below & below.up() | above & below;
    let in_row = at_right & at_right.left() | at_left & at_left.right() | at_right & at_left;
    (in_column | in_row) & Cells::ALL
}

/// Cells above, below, left and right of a set.
#[inline]
pub fn neighbours<const COLUMNS: usize, const ROWS: usize>(cells: Cells<COLUMNS, ROWS>) -> Cells<COLUMNS, ROWS> {
    (cells.up() | cells.down() | cells.left() | cells.right()) & Cells::ALL
}

impl<const COLUMNS: usize, const ROWS: usize, const PLANES: usize> From<Board<COLUMNS, ROWS, PLANES>> for Vec<u128> {
    fn from(board: Board<COLUMNS, ROWS, PLANES>) -> Self {
        board.planes.iter().map(|plane| plane.bits()).collect()
    }
}

impl<const COLUMNS: usize, const ROWS: usize, const PLANES: usize> TryFrom<Vec<u128>> for Board<COLUMNS, ROWS, PLANES> {
    type Error = &'static str;

    fn try_from(planes: Vec<u128>) -> Result<Self, Self::Error> {
        let planes: Option<[u128; PLANES]> = planes.try_into().ok();
        let board = planes.and_then(|planes| {
            let board = Self::from_planes(planes.map(Cells::from_bits))?;
            board.planes.iter().map(|plane| plane.bits()).eq(planes).then_some(board)
        });
        board.ok_or("a stored board has bits outside its cells or the wrong number of planes")
    }
}
