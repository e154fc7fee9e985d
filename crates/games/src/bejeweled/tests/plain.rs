//! The rules of Bejeweled, gem by gem.

use crate::random::Draw;

const GEMS: [char; 7] = ['R', 'W', 'Y', 'B', 'P', 'O', 'G'];

/// Rows of gems from the top.
#[derive(Clone, PartialEq, Debug)]
pub struct Plain {
    pub cells: Vec<Vec<Option<char>>>,
    pub score: i64,
    pub level: i64,
    pub bar: i64,
    pub moves_left: Option<i64>,
}

impl Plain {
    pub fn new(board: &str) -> Self {
        let gem = |letter| (!['.', '?'].contains(&letter)).then_some(letter);
        let cells = board.lines().map(|line| line.chars().map(gem).collect()).collect();
        Self { cells, score: 0, level: 1, bar: 0, moves_left: None }
    }

    pub fn text(&self) -> String {
        let line = |row: &Vec<Option<char>>| row.iter().map(|gem| gem.unwrap_or('.')).collect::<String>();
        self.cells.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// A start board. Gems that complete a run are drawn again, as are boards without a matching
    /// swap.
    pub fn deal(draw: &mut impl Draw) -> Self {
        loop {
            let mut board = Self::new(&["........"; 8].join("\n"));
            for (y, x) in (0..64).map(|cell| (cell / 8, cell % 8)) {
                while board.cells[y][x].is_none() || !board.runs().is_empty() {
                    board.cells[y][x] = Some(GEMS[draw.below_in(x, 7) as usize]);
                }
            }
            if !board.legal().is_empty() {
                return board;
            }
        }
    }

    pub fn runs(&self) -> Vec<Vec<(usize, usize)>> {
        let rows = (0..8).map(|y| (0..8).map(|x| (y, x)).collect());
        let columns = (0..8).map(|x| (0..8).map(|y| (y, x)).collect());
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

    pub fn swapped(&self, (x, y): (usize, usize), (other_x, other_y): (usize, usize)) -> Self {
        let mut board = self.clone();
        board.cells[y][x] = self.cells[other_y][other_x];
        board.cells[other_y][other_x] = self.cells[y][x];
        board
    }

    /// Swaps that match: a cell, and whether its partner is below, else to the right.
    pub fn legal(&self) -> Vec<(usize, usize, bool)> {
        if self.moves_left == Some(0) {
            return vec![];
        }
        let mut legal = vec![];
        for (x, y) in (0..64).map(|cell| (cell % 8, cell / 8)) {
            for (vertical, other) in [(true, (x, y + 1)), (false, (x + 1, y))] {
                if other.0 < 8 && other.1 < 8 && !self.swapped((x, y), other).runs().is_empty() {
                    legal.push((x, y, vertical));
                }
            }
        }
        legal
    }

    fn clear(&mut self, runs: &[Vec<(usize, usize)>]) {
        for (y, x) in runs.iter().flatten() {
            self.cells[*y][*x] = Some(' ');
        }
        for x in 0..8 {
            let left: Vec<_> = (0..8).map(|y| self.cells[y][x]).filter(|gem| *gem != Some(' ')).collect();
            for y in 0..8 {
                let gone = 8 - left.len();
                self.cells[y][x] = if y < gone { None } else { left[y - gone] };
            }
        }
    }

    /// Clears the runs of one step without a refill; returns points in units of a run of three.
    pub fn clear_step(&mut self) -> i64 {
        let runs = self.runs();
        let mut lengths: Vec<usize> = runs.iter().map(Vec::len).collect();
        lengths.sort();
        self.clear(&runs);
        (1..).zip(lengths).map(|(ordinal, length)| (length as i64 - 2) * ordinal).sum()
    }

    /// Plays a matching swap by the default rules; returns points and steps.
    pub fn play(&mut self, (x, y, vertical): (usize, usize, bool), draw: &mut impl Draw) -> (i64, u32) {
        let other = if vertical { (x, y + 1) } else { (x + 1, y) };
        let moves_left = self.moves_left.map(|moves| moves - 1);
        *self = self.swapped((x, y), other);
        let (mut points, mut steps, base) = (0, 0, 10 + 5 * (self.level - 1));
        loop {
            let step_points = self.clear_step();
            if step_points == 0 {
                break;
            }
            steps += 1;
            points += base * step_points * i64::from(steps);
            for x in 0..8 {
                for y in (0..8).rev() {
                    if self.cells[y][x].is_none() {
                        self.cells[y][x] = Some(GEMS[draw.below_in(x, 7) as usize]);
                    }
                }
            }
        }
        self.score += points;
        self.bar += points;
        if self.bar >= base * (50 + 15 * (self.level - 1)) {
            (self.level, self.bar) = (self.level + 1, 0);
        }
        self.moves_left = moves_left;
        (points, steps)
    }
}
