//! The rules of bilging written out piece by piece, as plainly as they are told.

use crate::random::Draw;

/// Rows of pieces from the top; `None` is a cell that is empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Plain {
    pub cells: Vec<Vec<Option<char>>>,
    pub colours: u32,
    pub match_free: bool,
    /// The rule `chains`, by its name.
    pub chains: &'static str,
}

/// What a move brought: its points, its waves, and the lengths of the lines that the swap made.
#[derive(PartialEq, Debug, Default)]
pub struct Moved {
    pub points: i32,
    pub waves: u32,
    pub lines: Vec<usize>,
}

/// The points of lines of these lengths that are cleared at once.
pub fn points(lines: &[usize]) -> i32 {
    let sum: i32 = lines.iter().map(|length| 2 * (*length).min(5) as i32 - 3).sum();
    let factor = match lines.len() {
        few @ 0..4 => few as i32,
        _ if lines.iter().any(|length| *length >= 5) => 6,
        _ => 4,
    };
    sum * factor
}

impl Plain {
    pub fn new(board: &str) -> Self {
        let piece = |letter| (letter != '.').then_some(letter);
        let cells = board.lines().map(|line| line.chars().map(piece).collect()).collect();
        Self { cells, colours: 7, match_free: true, chains: "none" }
    }

    pub fn text(&self) -> String {
        let line = |row: &Vec<Option<char>>| row.iter().map(|piece| piece.unwrap_or('.')).collect::<String>();
        self.cells.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The cells (row, column) of each maximal run of three or more, the horizontal ones first.
    pub fn runs(&self) -> Vec<Vec<(usize, usize)>> {
        let rows = (0..12).map(|row| (0..6).map(|column| (row, column)).collect());
        let columns = (0..6).map(|column| (0..12).map(|row| (row, column)).collect());
        let mut runs = vec![];
        for line in rows.chain(columns).collect::<Vec<Vec<(usize, usize)>>>() {
            for run in line.chunk_by(|a, b| self.cells[a.0][a.1] == self.cells[b.0][b.1]) {
                if run.len() >= 3 && self.cells[run[0].0][run[0].1].is_some() {
                    runs.push(run.to_vec());
                }
            }
        }
        runs
    }

    /// Takes cells out and lets the pieces below them rise.
    fn clear(&mut self, runs: &[Vec<(usize, usize)>]) {
        for (row, column) in runs.iter().flatten() {
            self.cells[*row][*column] = None;
        }
        for column in 0..6 {
            let mut left: Vec<_> = (0..12).filter_map(|row| self.cells[row][column]).collect();
            left.reverse();
            for row in 0..12 {
                self.cells[row][column] = left.pop();
            }
        }
    }

    fn refill(&mut self, draw: &mut impl Draw) {
        for column in 0..6 {
            for row in 0..12 {
                while self.cells[row][column].is_none() {
                    self.cells[row][column] = Some(char::from(b'a' + draw.below_in(column, self.colours) as u8));
                    if self.match_free && self.runs().iter().flatten().any(|cell| *cell == (row, column)) {
                        self.cells[row][column] = None;
                    }
                }
            }
        }
    }

    /// Swaps and clears what the swap lines up; what is cleared stays empty.
    pub fn swap(&mut self, row: usize, column: usize) -> Vec<usize> {
        self.cells[row].swap(column, column + 1);
        let runs = self.runs();
        self.clear(&runs);
        let mut lines: Vec<usize> = runs.iter().map(Vec::len).collect();
        lines.sort_unstable();
        lines
    }

    /// Plays a whole move.
    pub fn play(&mut self, row: usize, column: usize, draw: &mut impl Draw) -> Moved {
        let lines = self.swap(row, column);
        if lines.is_empty() {
            return Moved::default();
        }
        let mut moved = Moved { points: points(&lines), waves: 1, lines };
        loop {
            self.refill(draw);
            let runs = self.runs();
            if runs.is_empty() {
                return moved;
            }
            let lengths: Vec<usize> = runs.iter().map(Vec::len).collect();
            let before = self.clone();
            self.clear(&runs);
            let pieces = |plain: &Self| plain.cells.iter().flatten().flatten().count() as i32;
            moved.points += match self.chains {
                "none" => 0,
                "piece" => pieces(&before) - pieces(self),
                _ => points(&lengths),
            };
            moved.waves += 1;
        }
    }
}
