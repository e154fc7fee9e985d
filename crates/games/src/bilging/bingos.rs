//! Possible bingos and their distance. A bingo is a break of three lines that swaps in rows can
//! build.
//!
//! The features are those of Rodriguez, Chen and Turner-Maier 2008, "Holey Ship! Bilging by
//! reinforcement learning", as read here.
//!
//! A bingo of colours X and O is possible in row h if the row has at least three X, one O and no
//! more O than X, and each colour stands in both rows of a pair (h-2, h-1), (h-1, h+1) or (h+1,
//! h+2). The last swap brings X into the *anchor*: the column beside the row's closest two X, on the
//! side of the third X nearest to them, within columns 2 to 4 at the right, 1 to 3 at the left. O
//! lines up beside the anchor on that side. Ties go to the least sum of features, then right, then
//! the smaller anchor. Features are sums of distances in columns, and counts:
//!
//! - `x_columns`, `o_columns`: two X of the best row pair to the anchor, two O to the column beside
//!   the anchor;
//! - `x_row`, `o_row`: the row's three nearest X (4 when in place) and nearest O to the anchor;
//! - `blocked`: how many of these eight pieces, each alone, cannot go straight to their place without
//!   making a run;
//! - `impossible`: 1 on a board without a bingo, where the others are (10, 10, 15, 5, 8); else 0.

use super::board::UNKNOWN;
use super::{COLUMNS, ROWS};

type Pieces = [[u8; COLUMNS]; ROWS];

pub(super) const NO_BINGO: [u32; 5] = [10, 10, 15, 5, 8];

/// A possible bingo: a line of X in a row, with lines of X and O through it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bingo {
    /// Row of the horizontal line.
    pub row: usize,
    /// Colour X of the horizontal line and of the vertical one at the anchor.
    pub x: u8,
    /// Colour O of the other vertical line.
    pub o: u8,
    /// Side of the anchor with the line of O: 1 right, -1 left.
    pub direction: i32,
    /// Anchor: the column into which the last swap brings X.
    pub anchor: usize,
    /// Distances of the pieces from their places, and blocked pieces: `x_columns`, `o_columns`,
    /// `x_row`, `o_row`, `blocked`.
    pub features: [u32; 5],
}

/// A piece of a bingo and its goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub row: usize,
    pub column: usize,
    /// Column that the piece must reach.
    pub to: usize,
}

/// All possible bingos of a board, by row, then X, then O.
pub fn bingos(pieces: &Pieces) -> Vec<Bingo> {
    let mut found = Vec::new();
    for row in 0..ROWS {
        let mut counts = [0; UNKNOWN as usize + 1];
        pieces[row].iter().for_each(|piece| counts[usize::from(*piece)] += 1);
        for x in (0..UNKNOWN).filter(|x| counts[usize::from(*x)] >= 3) {
            let enough = 1..=counts[usize::from(x)];
            for o in (0..UNKNOWN).filter(|o| *o != x && enough.contains(&counts[usize::from(*o)])) {
                found.extend(bingo(pieces, row, x, o));
            }
        }
    }
    found
}

/// Bingo of two colours through a row, in its best orientation.
fn bingo(pieces: &Pieces, row: usize, x: u8, o: u8) -> Option<Bingo> {
    let stands = |colour| pairs(row).any(|pair| pair.iter().all(|row| pieces[*row].contains(&colour)));
    if !stands(x) || !stands(o) {
        return None;
    }
    let candidates = orientations(&columns(pieces, row, x)).into_iter().map(|(direction, anchor)| {
        let at = Bingo { row, x, o, direction, anchor, features: NO_BINGO };
        Bingo { features: at.measured(pieces), ..at }
    });
    // Right goes before left, then the smaller anchor.
    candidates.min_by_key(|bingo| (bingo.sum(), -bingo.direction, bingo.anchor))
}

fn columns(pieces: &Pieces, row: usize, colour: u8) -> Vec<usize> {
    (0..COLUMNS).filter(|column| pieces[row][*column] == colour).collect()
}

/// Pairs of rows with which a row makes a vertical three.
fn pairs(row: usize) -> impl Iterator<Item = [usize; 2]> {
    let all = [[-2, -1], [-1, 1], [1, 2]];
    let on_board = move |offset: i32| row.checked_add_signed(offset as isize).filter(|row| *row < ROWS);
    all.into_iter().filter_map(move |[one, other]| Some([on_board(one)?, on_board(other)?]))
}

/// Directions and anchors by a row's two closest X and the third nearest to them, ties included.
fn orientations(xs: &[usize]) -> Vec<(i32, usize)> {
    let gap = |index: &usize| xs[index + 1] - xs[*index];
    let closest = (0..xs.len() - 1).map(|index| gap(&index)).min().unwrap_or(0);
    let mut found = Vec::new();
    for index in (0..xs.len() - 1).filter(|index| gap(index) == closest) {
        let (left, right) = (xs[index], xs[index + 1]);
        let far = |column: usize| if column < left { left - column } else { column - right };
        let thirds = || xs.iter().copied().filter(move |column| *column != left && *column != right);
        let nearest = thirds().map(far).min().unwrap_or(0);
        for third in thirds().filter(|third| far(*third) == nearest) {
            found.push(match third > right {
                true => (1, (right + 1).clamp(2, 4)),
                false => (-1, left.saturating_sub(1).clamp(1, 3)),
            });
        }
    }
    found
}

impl Bingo {
    /// Sum of the features.
    pub fn sum(&self) -> u32 {
        self.features.iter().sum()
    }

    fn column(&self, distance: i32) -> usize {
        (self.anchor as i32 + distance * self.direction) as usize
    }

    /// Pieces: two X above or below, two O, then three X and an O in the row.
    pub fn places(&self, pieces: &Pieces) -> Vec<Piece> {
        let beside = self.column(1);
        let mut places = self.vertical(pieces, self.x, self.anchor);
        places.extend(self.vertical(pieces, self.o, beside));
        let mut to = [self.column(-2), self.column(-1), self.column(1)];
        to.sort_unstable();
        let row = self.row;
        let nearest = self.nearest_three(pieces);
        places.extend(nearest.into_iter().zip(to).map(|(column, to)| Piece { row, column, to }));
        places.extend(nearest_of(pieces, row, self.o, self.anchor));
        places
    }

    /// Two pieces of a vertical line, in the nearest pair of rows.
    fn vertical(&self, pieces: &Pieces, colour: u8, to: usize) -> Vec<Piece> {
        let pair = |rows: [usize; 2]| {
            let found: Option<Vec<Piece>> = rows.into_iter().map(|row| nearest_of(pieces, row, colour, to)).collect();
            found
        };
        let far = |pair: &Vec<Piece>| pair.iter().map(|piece| piece.column.abs_diff(to)).sum::<usize>();
        pairs(self.row).filter_map(pair).min_by_key(far).unwrap_or_default()
    }

    fn nearest_three(&self, pieces: &Pieces) -> Vec<usize> {
        let mut xs = columns(pieces, self.row, self.x);
        xs.sort_by_key(|column| (column.abs_diff(self.anchor), *column));
        xs.truncate(3);
        xs.sort_unstable();
        xs
    }

    fn measured(&self, pieces: &Pieces) -> [u32; 5] {
        let places = self.places(pieces);
        let far =
            |pieces: &[Piece], to: usize| -> u32 { pieces.iter().map(|piece| piece.column.abs_diff(to) as u32).sum() };
        let blocked = places.iter().filter(|piece| piece.blocker(pieces).is_some()).count() as u32;
        [
            far(&places[..2], self.anchor),
            far(&places[2..4], self.column(1)),
            far(&places[4..7], self.anchor),
            far(&places[7..], self.anchor),
            blocked,
        ]
    }
}

/// Nearest piece of a colour in a row, the left one of two.
fn nearest_of(pieces: &Pieces, row: usize, colour: u8, to: usize) -> Option<Piece> {
    let nearest = columns(pieces, row, colour).into_iter().min_by_key(|column| column.abs_diff(to));
    nearest.map(|column| Piece { row, column, to })
}

impl Piece {
    /// Swaps, by left columns, that bring the piece straight to its goal.
    pub fn walk(&self) -> Vec<usize> {
        match self.column <= self.to {
            true => (self.column..self.to).collect(),
            false => (self.to..self.column).rev().collect(),
        }
    }

    /// First swap of the walk, by its left column, that makes a run if no other piece moves.
    pub fn blocker(&self, pieces: &Pieces) -> Option<usize> {
        let mut board = *pieces;
        self.walk().into_iter().find(|column| {
            board[self.row].swap(*column, column + 1);
            stands_in_run(&board, self.row, *column) || stands_in_run(&board, self.row, column + 1)
        })
    }
}

/// Whether a piece stands in a run of three or more.
pub fn stands_in_run(pieces: &Pieces, row: usize, column: usize) -> bool {
    let colour = pieces[row][column];
    let count = |step: (isize, isize)| {
        let (mut row, mut column, mut length) = (row, column, 0);
        while let Some((next_row, next_column)) = row.checked_add_signed(step.0).zip(column.checked_add_signed(step.1))
        {
            if pieces.get(next_row).and_then(|row| row.get(next_column)) != Some(&colour) {
                break;
            }
            (row, column, length) = (next_row, next_column, length + 1);
        }
        length
    };
    colour != UNKNOWN && (count((0, -1)) + count((0, 1)) >= 2 || count((-1, 0)) + count((1, 0)) >= 2)
}
