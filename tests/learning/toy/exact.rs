//! Exact solution of the toy by dynamic programming over all positions.

use super::{COLOURS, COLUMNS, ROWS, State, Toy};
use matchq::games::Game;

/// Fillings of a column from the bottom up, with none to four tokens: 1 + 3 + 9 + 27 + 81.
const FILLINGS: usize = 121;
/// First filling with each number of tokens.
const FIRST: [usize; ROWS + 1] = [0, 1, 4, 13, 40];
/// First filling of a full column.
const FULL: usize = FIRST[ROWS];
/// Number of full boards.
pub const BOARDS: usize = 81 * 81 * 81;

/// Values of boards by fillings of the columns; missing tokens are drawn.
type Table = Vec<f64>;

/// Values of a policy.
pub struct Solution {
    /// By moves left, full board and action.
    actions: Vec<Vec<[f64; Toy::ACTIONS]>>,
    /// Expected score of a game.
    pub score: f64,
}

/// Cells of a full board, by number.
fn board(number: usize) -> State {
    let mut cells = [0; ROWS * COLUMNS];
    for (column, mut filling) in [number / 81 / 81, number / 81 % 81, number % 81].into_iter().enumerate() {
        for row in (0..ROWS).rev() {
            cells[row * COLUMNS + column] = (filling % 3) as u8;
            filling /= 3;
        }
    }
    State { cells, moves_left: 0 }
}

/// Number of a full board.
pub fn number(state: &State) -> usize {
    let [one, two, three] = fillings(state).map(|filling| filling - FULL);
    (one * 81 + two) * 81 + three
}

/// Filling of each column: tokens from the bottom up to the first missing one.
fn fillings(state: &State) -> [usize; COLUMNS] {
    std::array::from_fn(|column| {
        let tokens = (0..ROWS).rev().map(|row| state.cells[row * COLUMNS + column]);
        let known: Vec<u8> = tokens.take_while(|token| *token < COLOURS).collect();
        let digits = known.iter().rev().fold(0, |sum, token| 3 * sum + usize::from(*token));
        FIRST[known.len()] + digits
    })
}

fn place([one, two, three]: [usize; COLUMNS]) -> usize {
    (one * FILLINGS + two) * FILLINGS + three
}

/// Fillings with one more token on top.
fn with_another(filling: usize) -> [usize; 3] {
    let count = FIRST.iter().rposition(|first| *first <= filling).unwrap();
    let digits = filling - FIRST[count];
    [0, 1, 2].map(|token| FIRST[count + 1] + digits + token * 3_usize.pow(count as u32))
}

/// Rules for every full board.
struct Rules {
    /// Place in a table.
    places: Vec<usize>,
    /// Points of the board's wave, and place of the board left; none at rest.
    waves: Vec<Option<(f64, usize)>>,
    /// Numbers of the boards after swaps.
    swapped: Vec<[u32; Toy::ACTIONS]>,
}

impl Rules {
    fn new() -> Self {
        let boards = || (0..BOARDS).map(board);
        let wave = |mut state: State| {
            let points = state.clear(|_| COLOURS)?;
            Some((points.into(), place(fillings(&state))))
        };
        let swapped = |state: State| std::array::from_fn(|action| number(&state.swapped(action)) as u32);
        Self {
            places: boards().map(|state| place(fillings(&state))).collect(),
            waves: boards().map(wave).collect(),
            swapped: boards().map(swapped).collect(),
        }
    }

    /// Value of every board by the value of its board at rest; `weight` is for the points of waves.
    fn settle(&self, values: &[f64], weight: f64) -> Table {
        let mut table = vec![0.0; FILLINGS * FILLINGS * FILLINGS];
        loop {
            let mut change = 0.0;
            for (value, (at, wave)) in values.iter().zip(self.places.iter().zip(&self.waves)) {
                let new = wave.map_or(*value, |(points, left)| weight * points + table[left]);
                change = f64::max(change, (new - table[*at]).abs());
                table[*at] = new;
            }
            if change < 1e-10 {
                return table;
            }
            average(&mut table);
        }
    }

    /// Value of each action of a board: expected points and value of what follows.
    fn actions(&self, number: usize, values: &[f64], settled: &Table) -> [f64; Toy::ACTIONS] {
        self.swapped[number].map(|after| match self.waves[after as usize] {
            None => values[after as usize] - 5.0,
            Some(_) => settled[self.places[after as usize]],
        })
    }
}

/// Gives each incomplete board the mean over drawn tokens; longer fillings have higher numbers.
fn average(table: &mut Table) {
    for one in (0..FILLINGS).rev() {
        for two in (0..FILLINGS).rev() {
            for three in (0..FILLINGS).rev() {
                let fillings = [one, two, three];
                if let Some(column) = fillings.iter().position(|filling| *filling < FULL) {
                    let with = |filling| {
                        let mut fillings = fillings;
                        fillings[column] = filling;
                        table[place(fillings)]
                    };
                    let sum: f64 = with_another(fillings[column]).map(with).iter().sum();
                    table[place(fillings)] = sum / 3.0;
                }
            }
        }
    }
}

impl Solution {
    /// Values of a policy; `judge` gives a position's value by the values of all its actions.
    pub fn of(moves: u8, mut judge: impl FnMut(&State, &[f64]) -> f64) -> Self {
        let rules = Rules::new();
        let (mut values, mut actions) = (vec![vec![0.0; BOARDS]], vec![Vec::new()]);
        for moves_left in 1..=moves {
            let before = &values[usize::from(moves_left) - 1];
            let settled = rules.settle(before, 1.0);
            let of_board = |number| rules.actions(number, before, &settled);
            let all: Vec<[f64; Toy::ACTIONS]> = (0..BOARDS).map(of_board).collect();
            let value = |(number, actions): (usize, &[f64; Toy::ACTIONS])| match rules.waves[number] {
                Some(_) => 0.0,
                None => judge(&State { moves_left, ..board(number) }, actions),
            };
            values.push(all.iter().enumerate().map(value).collect());
            actions.push(all);
        }
        let start = rules.settle(&values[usize::from(moves)], 0.0);
        let score = rules.places.iter().map(|place| start[*place]).sum::<f64>() / BOARDS as f64;
        Self { actions, score }
    }

    /// Values of the best policy: the highest of each position's actions.
    pub fn best(moves: u8) -> Self {
        Self::of(moves, |_, values| values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }

    /// Value of each action of a position at rest.
    pub fn actions(&self, state: &State) -> &[f64; Toy::ACTIONS] {
        &self.actions[usize::from(state.moves_left)][number(state)]
    }
}

/// All positions at rest with `moves_left` moves left.
pub fn positions(moves_left: u8) -> Vec<State> {
    (0..BOARDS).map(|number| State { moves_left, ..board(number) }).filter(|state| state.runs().1 == 0).collect()
}
