//! A game for tests: match-3 small enough to be solved, written cell by cell.
//!
//! The board has 3 x 4 cells of 3 colours, 3^12 = 531,441 positions; a game has 4 moves. A swap of
//! neighbours stays; runs clear and score 8 (three) or 15 (four), the rest falls, new gems come in
//! from the top, and a move without a match costs 5.

use matchq_games::error::{Error, Result};
use matchq_games::random::{Draw, Stream};
use matchq_games::{
    ActionFeatures, ActionMask, After, Game, Image, Lookahead, Mask, MaskKind, Shape, StateFeatures, Step, Text, Token,
    tidied,
};
use serde::{Deserialize, Serialize};

/// Columns of the board.
pub const COLUMNS: usize = 3;
/// Rows of the board.
pub const ROWS: usize = 4;
/// Colours of the gems.
pub const COLOURS: u8 = 3;
/// Moves of a game.
pub const MOVES: u8 = 4;

/// Swaps with the cell to the right come first, then those with the cell below.
const HORIZONTAL: usize = (COLUMNS - 1) * ROWS;
const MATCHING: MaskKind = MaskKind(1);
/// An empty cell or unknown gem.
const EMPTY: u8 = COLOURS;

/// Rules: the number of moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Moves of a game.
    #[serde(deserialize_with = "at_least_one")]
    pub moves: u8,
}

fn at_least_one<'de, D: serde::Deserializer<'de>>(moves: D) -> std::result::Result<u8, D::Error> {
    std::num::NonZeroU8::deserialize(moves).map(std::num::NonZeroU8::get)
}

impl Default for Rules {
    fn default() -> Self {
        Self { moves: MOVES }
    }
}

/// A state as it is saved.
#[derive(Deserialize)]
struct Saved {
    cells: [u8; ROWS * COLUMNS],
    moves_left: u8,
}

impl TryFrom<Saved> for State {
    type Error = &'static str;

    fn try_from(Saved { cells, moves_left }: Saved) -> std::result::Result<Self, Self::Error> {
        match cells.iter().all(|cell| *cell <= EMPTY) {
            true => Ok(Self { cells, moves_left }),
            false => Err("a cell holds no gem of the game"),
        }
    }
}

/// Gems row by row from the top, and the moves left.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct State {
    /// Gems by their number; [`COLOURS`] where unknown.
    pub cells: [u8; ROWS * COLUMNS],
    /// Moves left.
    pub moves_left: u8,
}

/// A game.
#[derive(Clone, Serialize, Deserialize)]
pub struct Toy {
    state: State,
    score: i32,
}

impl State {
    /// Cells of all runs of three or more, and their points.
    pub fn runs(&self) -> ([bool; ROWS * COLUMNS], i32) {
        let (mut cleared, mut points) = ([false; ROWS * COLUMNS], 0);
        let rows = (0..ROWS).map(|row| (row * COLUMNS, 1, COLUMNS));
        let columns = (0..COLUMNS).map(|column| (column, COLUMNS, ROWS));
        for (first, step, length) in rows.chain(columns) {
            let cell = |at: usize| first + at * step;
            let mut start = 0;
            while start < length {
                let gem = self.cells[cell(start)];
                let end = (start..length).find(|at| self.cells[cell(*at)] != gem).unwrap_or(length);
                let run = end - start;
                if run >= 3 && gem != EMPTY {
                    points += (run * run - 1) as i32;
                    (start..end).for_each(|at| cleared[cell(at)] = true);
                }
                start = end;
            }
        }
        (cleared, points)
    }

    /// Clears the runs and lets the rest fall; returns the points, if any. `draw` gives a column's
    /// new gems bottom up.
    pub fn clear(&mut self, mut draw: impl FnMut(usize) -> u8) -> Option<i32> {
        let (cleared, points) = self.runs();
        if points == 0 {
            return None;
        }
        for column in 0..COLUMNS {
            let gems = (0..ROWS).rev().map(|row| row * COLUMNS + column);
            let mut left: Vec<u8> = gems.filter(|cell| !cleared[*cell]).map(|cell| self.cells[cell]).collect();
            while left.len() < ROWS {
                left.push(draw(column));
            }
            for (row, gem) in (0..ROWS).rev().zip(left) {
                self.cells[row * COLUMNS + column] = gem;
            }
        }
        Some(points)
    }

    /// Position with two known cells swapped.
    pub fn swapped(mut self, action: usize) -> Self {
        let [one, other] = cells(action);
        if self.cells[one] != EMPTY && self.cells[other] != EMPTY {
            self.cells.swap(one, other);
        }
        self
    }

    /// Plays a move with the gems that `draw` gives; returns its points.
    pub fn play(&mut self, action: usize, mut draw: impl FnMut(usize) -> u8) -> i32 {
        *self = self.swapped(action);
        self.moves_left = self.moves_left.saturating_sub(1);
        let points = std::iter::from_fn(|| self.clear(&mut draw)).sum();
        if points == 0 { -5 } else { points }
    }

    fn matching(&self) -> ActionMask {
        let matches = |action: &usize| {
            let swapped = self.swapped(*action);
            swapped != *self && swapped.runs().1 > 0
        };
        (0..Toy::ACTIONS).filter(matches).collect()
    }
}

fn cells(action: usize) -> [usize; 2] {
    match action.checked_sub(HORIZONTAL) {
        None => {
            let one = action / (COLUMNS - 1) * COLUMNS + action % (COLUMNS - 1);
            [one, one + 1]
        }
        Some(one) => [one, one + COLUMNS],
    }
}

impl Game for Toy {
    type Rules = Rules;
    type State = State;
    type Rng = Stream;

    const NAME: &'static str = "toy";
    const ACTIONS: usize = HORIZONTAL + COLUMNS * (ROWS - 1);
    const MASKS: &'static [Mask] =
        &[Mask::new("legal", "all 17 swaps"), Mask::new("matching", "swaps that match at once").as_default()];

    fn new(rules: &Rules, draw: &mut impl Draw) -> Self {
        let mut gem = || draw.below(COLOURS.into()) as u8;
        let mut state = State { cells: [(); ROWS * COLUMNS].map(|()| gem()), moves_left: rules.moves };
        while state.clear(|_| gem()).is_some() {}
        Self { state, score: 0 }
    }

    fn at(_: &Rules, state: &State) -> Self {
        Self { state: *state, score: 0 }
    }

    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step {
        self.frames(action, draw).0
    }

    fn is_over(&self) -> bool {
        self.state.moves_left == 0
    }

    fn score(&self) -> i32 {
        self.score
    }

    fn state(&self) -> State {
        self.state
    }

    fn mask(state: &State, kind: MaskKind) -> ActionMask {
        if kind == MATCHING { state.matching() } else { ActionMask::all(Self::ACTIONS) }
    }

    fn actions_left(state: &State) -> usize {
        state.moves_left.into()
    }
}

impl Lookahead for Toy {
    fn done(state: &State, action: usize) -> State {
        State { moves_left: state.moves_left.saturating_sub(1), ..state.swapped(action) }
    }

    fn wave(state: &State) -> Option<(State, f32)> {
        let mut next = *state;
        let points = next.clear(|_| EMPTY)?;
        Some((next, points as f32))
    }

    fn is_whole(state: &State) -> bool {
        !state.cells.contains(&EMPTY)
    }

    fn gaining_actions(state: &State) -> ActionMask {
        if state.moves_left > 0 { state.matching() } else { ActionMask::empty() }
    }

    fn after(state: &State, action: usize) -> After<State> {
        let mut state = *state;
        let points = state.play(action, |_| EMPTY) as f32;
        After { actions: Self::gaining_actions(&state), state, points }
    }
}

impl Image for Toy {
    const PLANES: usize = COLOURS as usize + 1;
    const COLOURS: usize = COLOURS as usize;
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 2;
    const SYMMETRIES: usize = 2;

    /// Planes of the colours and an empty one; the scalar is the moves left over 4, at most 1.
    fn encode(state: &State, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        image.fill(false.into());
        for (cell, gem) in state.cells.iter().enumerate().filter(|(_, gem)| **gem != EMPTY) {
            let (row, column) = (cell / COLUMNS, cell % COLUMNS);
            let column = if symmetry == 1 { COLUMNS - 1 - column } else { column };
            image[usize::from(*gem) * ROWS * COLUMNS + row * COLUMNS + column] = true.into();
        }
        scalars[0] = (f32::from(state.moves_left) / f32::from(MOVES)).min(1.0);
    }

    fn place(action: usize) -> (usize, usize, usize) {
        let [one, _] = cells(action);
        (usize::from(action >= HORIZONTAL), one / COLUMNS, one % COLUMNS)
    }

    fn transform_action(action: usize, symmetry: usize) -> usize {
        match (symmetry, action.checked_sub(HORIZONTAL)) {
            (0, _) => action,
            (_, None) => action / (COLUMNS - 1) * (COLUMNS - 1) + (COLUMNS - 2 - action % (COLUMNS - 1)),
            (_, Some(one)) => HORIZONTAL + one / COLUMNS * COLUMNS + (COLUMNS - 1 - one % COLUMNS),
        }
    }
}

impl StateFeatures for Toy {
    const NAMES: &'static [&'static str] = &["matching"];

    fn features(state: &State) -> Vec<f64> {
        vec![state.matching().count() as f64]
    }
}

impl ActionFeatures for Toy {}

impl Text for Toy {
    const BOARD: &'static str = "four lines of three of a b c";
    const TOKENS: &'static [Token] = &[
        Token { letter: 'a', colour: [0xe5, 0x48, 0x4d], shape: Shape::Circle },
        Token { letter: 'b', colour: [0x46, 0xb3, 0x6b], shape: Shape::Square },
        Token { letter: 'c', colour: [0x4c, 0x7d, 0xf0], shape: Shape::Diamond },
    ];

    fn board(state: &State) -> String {
        let letter = |gem: &u8| char::from(b"abc ".get(usize::from(*gem)).copied().unwrap_or(b' '));
        let rows: Vec<String> = state.cells.chunks(COLUMNS).map(|row| row.iter().map(letter).collect()).collect();
        rows.join("\n")
    }

    fn parse(rules: &Rules, board: &str, actions_left: Option<i64>) -> Result<State> {
        let board = tidied::<Self>(board)?;
        let actions_left = actions_left.unwrap_or(rules.moves.into());
        let wrong = || Error::user(format!("the board must be {}, without a run", Self::BOARD));
        let gem = |letter: char| "abc".find(letter).map(|gem| gem as u8);
        let cells: Option<Vec<u8>> = board.lines().flat_map(str::chars).map(gem).collect();
        let cells = cells.and_then(|cells| cells.try_into().ok()).ok_or_else(wrong)?;
        let shape = board.lines().count() == ROWS && board.lines().all(|row| row.len() == COLUMNS);
        let moves_left = u8::try_from(actions_left).ok().filter(|left| *left <= rules.moves).ok_or_else(|| {
            Error::user(format!("{actions_left} moves are left, but a game has from 0 to {}", rules.moves))
        })?;
        let state = State { cells, moves_left };
        if shape && state.runs().1 == 0 { Ok(state) } else { Err(wrong()) }
    }

    fn cells(_: &State, action: usize) -> Vec<(usize, usize)> {
        cells(action).map(|cell| (cell / COLUMNS, cell % COLUMNS)).to_vec()
    }

    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>) {
        if self.is_over() {
            return (Step { reward: 0.0, terminal: true, waves: 0 }, vec![]);
        }
        self.state = Self::done(&self.state, action);
        let (mut points, mut boards) = (0, vec![]);
        loop {
            boards.push(Self::board(&self.state));
            match self.state.clear(|column| draw.below_in(column, COLOURS.into()) as u8) {
                Some(more) => points += more,
                None => break,
            }
        }
        let waves = boards.len() as u32 - 1;
        boards.pop();
        let reward = if points == 0 { -5 } else { points };
        self.score += reward;
        (Step { reward: reward as f32, terminal: self.is_over(), waves }, boards)
    }
}
