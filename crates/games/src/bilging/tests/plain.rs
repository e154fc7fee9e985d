//! The rules of bilging, piece by piece.

use crate::random::Draw;

/// Rows of pieces from the top.
#[derive(Clone, PartialEq, Debug)]
pub struct Plain {
    pub cells: Vec<Vec<Option<char>>>,
    pub colours: u32,
    pub match_free: bool,
    /// The rule `chains`, by its name.
    pub chains: &'static str,
}

/// Points, waves, and the lengths of the swap's lines.
#[derive(PartialEq, Debug, Default)]
pub struct Moved {
    pub points: i32,
    pub waves: u32,
    pub lines: Vec<usize>,
}

/// Points of lines of these lengths that clear at once.
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

    /// Cells (row, column) of each run, horizontal ones first.
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

    /// Swaps two pieces and clears the runs without a refill; returns the runs' lengths.
    pub fn swap(&mut self, row: usize, column: usize) -> Vec<usize> {
        self.cells[row].swap(column, column + 1);
        let runs = self.runs();
        self.clear(&runs);
        let mut lines: Vec<usize> = runs.iter().map(Vec::len).collect();
        lines.sort_unstable();
        lines
    }

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

/// Row, X, O, direction, anchor and features.
pub type PlainBingo = (usize, char, char, i32, usize, [usize; 5]);

/// Row, column and goal column of a piece.
type Walk = (usize, usize, usize);

impl Plain {
    fn piece(&self, row: i32, column: usize) -> Option<char> {
        usize::try_from(row).ok().filter(|row| *row < 12).and_then(|row| self.cells[row][column])
    }

    fn columns(&self, row: i32, colour: char) -> Vec<usize> {
        (0..6).filter(|column| self.piece(row, *column) == Some(colour)).collect()
    }

    /// Whether any swap of a walk makes a run.
    fn is_blocked(&self, row: usize, from: usize, to: usize) -> bool {
        let (mut board, mut at) = (self.clone(), from);
        while at != to {
            let next = if to > at { at + 1 } else { at - 1 };
            board.cells[row].swap(at, next);
            at = next;
            if !board.runs().is_empty() {
                return true;
            }
        }
        false
    }

    fn measured(&self, row: usize, x: char, o: char, direction: i32, anchor: usize) -> PlainBingo {
        let beside = (anchor as i32 + direction) as usize;
        let h = row as i32;
        let nearest = |row: i32, colour: char, to: usize| -> Option<(usize, usize)> {
            let far = self.columns(row, colour).into_iter().map(|column| (column.abs_diff(to), column)).min()?;
            Some((far.1, far.0))
        };
        let mut walks: Vec<Walk> = Vec::new();
        let mut sums = [0; 5];
        for (index, colour, to) in [(0, x, anchor), (1, o, beside)] {
            let mut best: Option<(usize, [Walk; 2])> = None;
            for pair in [[h - 2, h - 1], [h - 1, h + 1], [h + 1, h + 2]] {
                let (Some(one), Some(other)) = (nearest(pair[0], colour, to), nearest(pair[1], colour, to)) else {
                    continue;
                };
                if best.is_none_or(|(sum, _)| one.1 + other.1 < sum) {
                    best = Some((one.1 + other.1, [(pair[0] as usize, one.0, to), (pair[1] as usize, other.0, to)]));
                }
            }
            let (sum, pair) = best.unwrap();
            sums[index] = sum;
            walks.extend(pair);
        }
        let mut xs = self.columns(h, x);
        xs.sort_by_key(|column| (column.abs_diff(anchor), *column));
        xs.truncate(3);
        sums[2] = xs.iter().map(|column| column.abs_diff(anchor)).sum();
        xs.sort();
        let mut places = [-2, -1, 1].map(|steps| (anchor as i32 + steps * direction) as usize);
        places.sort();
        walks.extend(xs.into_iter().zip(places).map(|(from, to)| (row, from, to)));
        let (from, far) = nearest(h, o, anchor).unwrap();
        sums[3] = far;
        walks.push((row, from, anchor));
        sums[4] = walks.into_iter().filter(|(row, from, to)| self.is_blocked(*row, *from, *to)).count();
        (row, x, o, direction, anchor, sums)
    }

    pub fn bingos(&self) -> Vec<PlainBingo> {
        let mut found = Vec::new();
        for row in 0..12 {
            for (x, o) in ('a'..='g').flat_map(|x| ('a'..='g').map(move |o| (x, o))) {
                let h = row as i32;
                let (xs, os) = (self.columns(h, x), self.columns(h, o));
                let stands = |colour| {
                    let in_row = |row: i32| !self.columns(row, colour).is_empty();
                    [(h - 2, h - 1), (h - 1, h + 1), (h + 1, h + 2)].iter().any(|(a, b)| in_row(*a) && in_row(*b))
                };
                if x == o || xs.len() < 3 || os.is_empty() || os.len() > xs.len() || !stands(x) || !stands(o) {
                    continue;
                }
                let closest = xs.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap();
                let mut all = Vec::new();
                for pair in xs.windows(2).filter(|pair| pair[1] - pair[0] == closest) {
                    let far = |third: usize| if third < pair[0] { pair[0] - third } else { third - pair[1] };
                    let thirds: Vec<usize> = xs.iter().copied().filter(|column| !pair.contains(column)).collect();
                    let nearest = thirds.iter().map(|third| far(*third)).min().unwrap();
                    for third in thirds.iter().filter(|third| far(**third) == nearest) {
                        all.push(match *third > pair[1] {
                            true => self.measured(row, x, o, 1, (pair[1] + 1).clamp(2, 4)),
                            false => self.measured(row, x, o, -1, (pair[0] as i32 - 1).clamp(1, 3) as usize),
                        });
                    }
                }
                all.sort_by_key(|bingo| (bingo.5.iter().sum::<usize>(), -bingo.3, bingo.4));
                found.push(all[0]);
            }
        }
        found
    }
}
