//! The rules of match-3, cell by cell.

use matchq_games::random::Draw;

pub const COLUMNS: usize = 8;
pub const ROWS: usize = 10;

/// A game; `None` is an empty cell, kinds from 4 up are obstacles.
#[derive(Clone)]
pub struct Plain {
    /// `cells[y][x]`.
    pub cells: [[Option<u8>; COLUMNS]; ROWS],
    pub kinds: u32,
    pub score: i32,
    pub moves_left: i32,
}

#[derive(PartialEq, Debug)]
pub struct PlainPlay {
    pub score_delta: i32,
    pub game_over: bool,
    pub boards: Vec<String>,
}

impl Plain {
    pub fn new(obstacle_kinds: u32, draw: &mut impl Draw) -> Self {
        let kinds = 4 + obstacle_kinds;
        let mut drawn = [0; COLUMNS * ROWS];
        draw.fill_below(kinds, &mut drawn);
        let mut cells = [[None; COLUMNS]; ROWS];
        for (index, kind) in drawn.into_iter().enumerate() {
            cells[index / COLUMNS][index % COLUMNS] = Some(kind);
        }
        let mut game = Self { cells, kinds, score: 0, moves_left: 25 };
        game.settle(draw, &mut vec![]);
        game
    }

    pub fn from_text(text: &str) -> Self {
        let mut cells = [[None; COLUMNS]; ROWS];
        for (y, line) in text.lines().enumerate() {
            for (x, letter) in line.chars().enumerate() {
                cells[y][x] = Some("abcd#".find(letter).unwrap() as u8);
            }
        }
        Self { cells, kinds: 6, score: 0, moves_left: 25 }
    }

    pub fn text(&self) -> String {
        let letter = |cell: &Option<u8>| match cell {
            None => ' ',
            Some(kind) => ['a', 'b', 'c', 'd', '#'][usize::from((*kind).min(4))],
        };
        let line = |row: &[Option<u8>; COLUMNS]| row.iter().map(letter).collect::<String>();
        self.cells.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    pub fn play(&mut self, x: i64, y: i64, vertical: bool, draw: &mut impl Draw) -> PlainPlay {
        let over = self.moves_left <= 0;
        self.moves_left -= 1;
        if over {
            return PlainPlay { score_delta: 0, game_over: true, boards: vec![] };
        }
        let mut boards = vec![];
        if self.swap(x, y, vertical) {
            boards.push(self.text());
        }
        let points = self.settle(draw, &mut boards);
        boards.pop();
        let score_delta = if points == 0 { -5 } else { points };
        self.score += score_delta;
        PlainPlay { score_delta, game_over: self.moves_left <= 0, boards }
    }

    /// Swaps two cells; returns whether both are on the board.
    pub fn swap(&mut self, x: i64, y: i64, vertical: bool) -> bool {
        let (x2, y2) = if vertical { (x, y + 1) } else { (x + 1, y) };
        let on_board = |x, y| (0..8).contains(&x) && (0..10).contains(&y);
        if !on_board(x, y) || !on_board(x2, y2) {
            return false;
        }
        let kept = self.cells[y as usize][x as usize];
        self.cells[y as usize][x as usize] = self.cells[y2 as usize][x2 as usize];
        self.cells[y2 as usize][x2 as usize] = kept;
        true
    }

    fn settle(&mut self, draw: &mut impl Draw, boards: &mut Vec<String>) -> i32 {
        let mut points = 0;
        loop {
            while self.fall_by_one(draw) {
                boards.push(self.text());
            }
            let runs = self.runs();
            if runs.is_empty() {
                return points;
            }
            points += runs.iter().map(|run| (run.len().min(5) as i32).pow(2) - 1).sum::<i32>();
            self.clear(&runs);
            boards.push(self.text());
        }
    }

    fn fall_by_one(&mut self, draw: &mut impl Draw) -> bool {
        let mut fell = false;
        for x in 0..COLUMNS {
            if let Some(lowest) = (0..ROWS).rev().find(|y| self.cells[*y][x].is_none()) {
                for y in (0..lowest).rev() {
                    self.cells[y + 1][x] = self.cells[y][x];
                }
                self.cells[0][x] = Some(draw.below(self.kinds) as u8);
                fell = true;
            }
        }
        fell
    }

    pub fn runs(&self) -> Vec<Vec<(usize, usize)>> {
        let rows = (0..ROWS).map(|y| (0..COLUMNS).map(|x| (x, y)).collect());
        let columns = (0..COLUMNS).map(|x| (0..ROWS).map(|y| (x, y)).collect());
        let mut runs = vec![];
        for line in rows.chain(columns).collect::<Vec<Vec<(usize, usize)>>>() {
            for run in line.chunk_by(|a, b| self.cells[a.1][a.0] == self.cells[b.1][b.0]) {
                if run.len() >= 3 && self.cells[run[0].1][run[0].0].is_some_and(|kind| kind < 4) {
                    runs.push(run.to_vec());
                }
            }
        }
        runs
    }

    fn clear(&mut self, runs: &[Vec<(usize, usize)>]) {
        for (x, y) in runs.iter().flatten() {
            self.cells[*y][*x] = None;
        }
        for (x, y) in runs.iter().flatten().map(|(x, y)| (*x as i64, *y as i64)) {
            for (x, y) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] {
                if (0..8).contains(&x) && (0..10).contains(&y) {
                    let cell = &mut self.cells[y as usize][x as usize];
                    *cell = cell.filter(|kind| *kind < 4);
                }
            }
        }
    }

    /// Swaps that pass a test of the boards before and after.
    pub fn swaps(&self, test: impl Fn(&Plain, &Plain) -> bool) -> Vec<(usize, usize, bool)> {
        let mut found = vec![];
        for x in 0..8_i64 {
            for y in 0..10_i64 {
                for vertical in [false, true] {
                    let mut swapped = self.clone();
                    if swapped.swap(x, y, vertical) && test(self, &swapped) {
                        found.push((x as usize, y as usize, vertical));
                    }
                }
            }
        }
        found
    }
}
