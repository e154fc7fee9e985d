//! The rules tile by tile, to test the bit planes against.

use crate::random::Draw;

/// A board; rows from the top.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plain(pub [[u8; 8]; 8]);

type Cell = (usize, usize);

impl Plain {
    pub fn text(&self) -> String {
        let letter = |tile: &u8| "GCPR".as_bytes()[usize::from(*tile)] as char;
        self.0.iter().map(|row| row.iter().map(letter).collect::<String>()).collect::<Vec<_>>().join("\n")
    }

    pub fn deal(draw: &mut impl Draw) -> Self {
        let mut board = Self([[0; 8]; 8]);
        board.redraw(8, draw);
        board.settle(draw);
        board
    }

    fn redraw(&mut self, rows: usize, draw: &mut impl Draw) {
        for row in &mut self.0[..rows] {
            for (x, tile) in row.iter_mut().enumerate() {
                *tile = draw.below_in(x, 4) as u8;
            }
        }
    }

    /// Runs of the lowest row with one, in the order of the columns.
    pub fn first_lines(&self) -> Vec<Vec<Cell>> {
        let same = |one: Cell, other: Cell| self.0[one.0][one.1] == self.0[other.0][other.1];
        for r in (0..8).rev() {
            let mut lines = vec![];
            for c in 0..8 {
                let height = (0..=r).rev().take_while(|y| same((*y, c), (r, c))).count();
                if height >= 3 && (r == 7 || !same((r + 1, c), (r, c))) {
                    lines.push((0..height).map(|up| (r - up, c)).collect());
                }
                let width = (c..8).take_while(|x| same((r, *x), (r, c))).count();
                if width >= 3 && (c == 0 || !same((r, c - 1), (r, c))) {
                    lines.push((c..c + width).map(|x| (r, x)).collect());
                }
            }
            if !lines.is_empty() {
                return lines;
            }
        }
        vec![]
    }

    /// Tiles of the next wave, ascending.
    pub fn removed(&self) -> Vec<Cell> {
        let first: Vec<Cell> = self.first_lines().concat();
        let mut removed = first.clone();
        for (y, x) in &first {
            for steps in [[(0, -1), (0, 1)], [(-1, 0), (1, 0)]] {
                let mut line = vec![];
                for (down, right) in steps {
                    let (mut row, mut column) = (*y as i32 + down, *x as i32 + right);
                    while (0..8).contains(&row) && (0..8).contains(&column) {
                        let cell = (row as usize, column as usize);
                        if self.0[cell.0][cell.1] != self.0[*y][*x] || first.contains(&cell) {
                            break;
                        }
                        line.push(cell);
                        (row, column) = (row + down, column + right);
                    }
                }
                if line.len() >= 2 {
                    removed.extend(line);
                }
            }
        }
        removed.sort_unstable();
        removed.dedup();
        removed
    }

    /// Rows that a redraw draws anew.
    pub fn redrawn_rows(&self) -> usize {
        let line = self.first_lines().swap_remove(0);
        let top = line.iter().map(|(y, _)| *y).min().unwrap();
        (top + 2).min(8)
    }

    pub fn swapped(&self, one: Cell, other: Cell) -> Self {
        let mut board = self.clone();
        (board.0[one.0][one.1], board.0[other.0][other.1]) = (self.0[other.0][other.1], self.0[one.0][one.1]);
        board
    }

    pub fn settle(&mut self, draw: &mut impl Draw) {
        loop {
            if !self.first_lines().is_empty() {
                self.redraw(self.redrawn_rows(), draw);
            } else if self.matching().is_empty() {
                let mut order: [u8; 64] = std::array::from_fn(|place| place as u8);
                draw.shuffle(&mut order);
                let old = self.0;
                for (place, from) in order.into_iter().enumerate() {
                    self.0[place / 8][place % 8] = old.as_flattened()[usize::from(from)];
                }
            } else {
                return;
            }
        }
    }

    /// Swaps after which there is a run, by their cells.
    pub fn matching(&self) -> Vec<(Cell, Cell)> {
        let cells = (0..8).flat_map(|y| (0..8).map(move |x| (y, x)));
        let below = cells.clone().filter(|cell| cell.0 < 7).map(|(y, x)| ((y, x), (y + 1, x)));
        let right = cells.filter(|cell| cell.1 < 7).map(|(y, x)| ((y, x), (y, x + 1)));
        below.chain(right).filter(|(one, other)| !self.swapped(*one, *other).first_lines().is_empty()).collect()
    }

    /// Plays a swap; the tiles removed and the waves.
    pub fn play(&mut self, one: Cell, other: Cell, draw: &mut impl Draw) -> (usize, usize) {
        let swapped = self.swapped(one, other);
        if swapped.first_lines().is_empty() {
            return (0, 0);
        }
        *self = swapped;
        let (mut points, mut waves) = (0, 0);
        while !self.first_lines().is_empty() {
            let removed = self.removed();
            (points, waves) = (points + removed.len(), waves + 1);
            let mut empty = vec![];
            for x in 0..8 {
                let left: Vec<u8> = (0..8).filter(|y| !removed.contains(&(*y, x))).map(|y| self.0[y][x]).collect();
                let gone = 8 - left.len();
                empty.extend((0..gone).map(|y| (y, x)));
                for (y, tile) in left.into_iter().enumerate() {
                    self.0[gone + y][x] = tile;
                }
            }
            empty.sort_unstable();
            for (y, x) in empty {
                self.0[y][x] = draw.below_in(x, 4) as u8;
            }
        }
        if self.matching().is_empty() {
            self.settle(draw);
        }
        (points, waves)
    }
}
