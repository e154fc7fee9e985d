//! Match-3's certain chains, cell by cell on boards whose drawn tokens are spaces.

use matchq_games::Game;
use matchq_games::match3::{Certain, Match3, Move, State};

/// Rows of `a b c d #`, a space for an unknown token.
pub type Rows = Vec<Vec<char>>;

pub fn rows(text: &str) -> Rows {
    text.lines().map(|line| line.chars().collect()).collect()
}

pub fn text(rows: &Rows) -> String {
    rows.iter().map(|row| row.iter().collect()).collect::<Vec<String>>().join("\n")
}

pub fn runs(rows: &Rows) -> Vec<Vec<(usize, usize)>> {
    let across = (0..10).map(|y| (0..8).map(|x| (x, y)).collect());
    let down = (0..8).map(|x| (0..10).map(|y| (x, y)).collect());
    let mut found = vec![];
    for line in across.chain(down).collect::<Vec<Vec<(usize, usize)>>>() {
        let equal = |a: &(usize, usize), b: &(usize, usize)| rows[a.1][a.0] == rows[b.1][b.0];
        for run in line.chunk_by(equal) {
            if run.len() >= 3 && "abcd".contains(rows[run[0].1][run[0].0]) {
                found.push(run.to_vec());
            }
        }
    }
    found
}

pub fn swap(rows: &mut Rows, Move { x, y, vertical }: Move) {
    let (other_x, other_y) = if vertical { (x, y + 1) } else { (x + 1, y) };
    let tokens = (rows[y][x], rows[other_y][other_x]);
    if tokens.0 != ' ' && tokens.1 != ' ' {
        (rows[other_y][other_x], rows[y][x]) = tokens;
    }
}

/// Plays a move and its chain; new tokens are spaces.
pub fn play(rows: &mut Rows, at: Move) -> i32 {
    swap(rows, at);
    let points = std::iter::from_fn(|| wave(rows)).sum();
    if points == 0 { -5 } else { points }
}

/// Plays one wave of a chain and returns its points; new tokens are spaces.
pub fn wave(rows: &mut Rows) -> Option<i32> {
    let runs = runs(rows);
    if runs.is_empty() {
        return None;
    }
    let points = runs.iter().map(|run| (run.len().min(5) as i32).pow(2) - 1).sum::<i32>();
    let gems: Vec<(usize, usize)> = runs.into_iter().flatten().collect();
    let beside = |x: usize, y: usize| gems.iter().any(|gem| gem.0.abs_diff(x) + gem.1.abs_diff(y) == 1);
    let before = rows.clone();
    for x in 0..8 {
        let goes = |y: &usize| gems.contains(&(x, *y)) || before[*y][x] == '#' && beside(x, *y);
        let kept: Vec<char> = (0..10).filter(|y| !goes(y)).map(|y| before[y][x]).collect();
        let column = std::iter::repeat_n(' ', 10 - kept.len()).chain(kept);
        column.enumerate().for_each(|(y, token)| rows[y][x] = token);
    }
    Some(points)
}

pub fn matching(rows: &Rows) -> Vec<usize> {
    let matches = |action: &usize| {
        let mut swapped = rows.clone();
        swap(&mut swapped, Move::of_action(*action));
        swapped != *rows && !runs(&swapped).is_empty()
    };
    (0..Match3::ACTIONS).filter(matches).collect()
}

/// Most certain points of one move; 0 if none matches.
pub fn best(rows: &Rows) -> i32 {
    let points = |action| play(&mut rows.clone(), Move::of_action(action));
    matching(rows).into_iter().map(points).max().unwrap_or(0)
}

/// A board of obstacles with these gems (x, y, letter).
pub fn board_with(gems: &[(usize, usize, char)]) -> Certain {
    let mut rows = vec![vec!['#'; 8]; 10];
    gems.iter().for_each(|(x, y, letter)| rows[*y][*x] = *letter);
    Certain::of(&State::new(&text(&rows), 25).unwrap())
}

pub fn action(x: usize, y: usize, vertical: bool) -> usize {
    Move { x, y, vertical }.action().unwrap()
}

/// Planes of a board's letters, row by row; a space is in none.
pub fn planes(rows: &Rows) -> Vec<f32> {
    let ones = |letter| rows.iter().flatten().map(move |token| if *token == letter { 1.0 } else { 0.0 });
    "abcd#".chars().flat_map(ones).collect()
}
