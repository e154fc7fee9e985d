//! Bilging: swaps of neighbours in a row, breaks of several lines at once.
//!
//! The puzzle is that of Rodriguez, Chen and Turner-Maier 2008, "Holey Ship! Bilging by
//! reinforcement learning" (the article), with the rules of `docs/bilging.md`.

mod bingos;
pub mod board;
mod breaks;
mod state;
mod text;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use bingos::{Bingo, bingos, stands_in_run};
pub use breaks::Break;
pub use state::State;

use super::swap::{self, Board};
use super::{
    ActionFeatures, ActionMask, Game, Image, Lookahead, Mask, MaskKind, Shape, StateFeatures, Step, Text, Token, tidied,
};
use crate::error::Result;
use crate::random::{Draw, Stream};
use crate::rules;
use board::UNKNOWN;

/// Columns of the board.
pub const COLUMNS: usize = 6;
/// Rows of the board.
pub const ROWS: usize = 12;
/// The most colours.
pub const COLOURS: usize = 7;
/// Moves of a game by the default rules.
pub const MOVES: u16 = 50;
/// Swaps that make a run at once.
pub const MATCHING: MaskKind = MaskKind(1);
/// Swaps of two pieces of different colours.
pub const EFFECTIVE: MaskKind = MaskKind(2);

/// Number of swaps of a piece with its right neighbour.
pub const ACTIONS: usize = ROWS * (COLUMNS - 1);

/// Pieces by their colours' numbers; 7 where unknown.
pub type Grid = Board<COLUMNS, ROWS, 3>;
type Cells = swap::Cells<COLUMNS, ROWS>;
type Swaps = swap::Swaps<COLUMNS, ROWS>;

/// How cleared cells are filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refill {
    /// A piece is drawn again while it completes a run.
    #[default]
    MatchFree,
    /// Any piece may come, and clear at once.
    Plain,
}

/// Points of pieces that line up without a swap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Chains {
    /// No points.
    #[default]
    None,
    /// A point a piece.
    Piece,
    /// Points of a break.
    Full,
}

/// Parameters of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    refill: Refill,
    chains: Chains,
    #[serde(deserialize_with = "read::moves")]
    moves: u32,
    #[serde(deserialize_with = "read::colours")]
    colours: u32,
}

rules::numbers! {
    moves: "the number of moves" in 1..=Rules::MOST_MOVES;
    // Four colours could leave a cell between four pairs no match-free piece.
    colours: "the number of colours" in 5..=COLOURS as u32;
}

impl Rules {
    /// The most moves of a game.
    pub const MOST_MOVES: u32 = 10_000;

    /// Rules with from 1 to [`MOST_MOVES`](Self::MOST_MOVES) moves and from 5 to 7 colours.
    pub fn new(refill: Refill, chains: Chains, moves: u32, colours: u32) -> Result<Self> {
        Ok(Self { refill, chains, moves: checked::moves(moves)?, colours: checked::colours(colours)? })
    }

    /// Number of colours.
    #[inline]
    pub fn colours(&self) -> u32 {
        self.colours
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self { refill: Refill::MatchFree, chains: Chains::None, moves: MOVES.into(), colours: COLOURS as u32 }
    }
}

impl Chains {
    /// Points of a break without a swap.
    #[inline]
    pub fn points(self, cleared: Break, pieces: u32) -> i32 {
        match self {
            Self::None => 0,
            Self::Piece => pieces as i32,
            Self::Full => cleared.points(),
        }
    }
}

/// A game of bilging.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "text::Saved")]
pub struct Bilging {
    rules: Rules,
    grid: Grid,
    score: i32,
    moves_left: u16,
}

impl Bilging {
    /// Lines that a swap clears at once.
    pub fn first_break(state: &State, action: usize) -> Break {
        board::first_break(&state.grid(), action)
    }

    /// Plays a move; `see` gets the boards on the way and their empty cells.
    #[inline]
    fn play(&mut self, action: usize, draw: &mut impl Draw, mut see: impl FnMut(&Grid, Cells)) -> Step {
        if self.moves_left == 0 {
            return Step { reward: 0.0, terminal: true, waves: 0 };
        }
        self.moves_left -= 1;
        board::swap(&mut self.grid, action);
        see(&self.grid, Cells::EMPTY);
        let (mut points, mut waves) = (0, 0);
        loop {
            let runs = self.grid.runs(Cells::ALL);
            if runs.is_empty() {
                break;
            }
            let (cells, cleared) = (runs.cells(), Break::of(&runs));
            points += if waves == 0 { cleared.points() } else { self.rules.chains.points(cleared, cells.count()) };
            waves += 1;
            see(&self.grid, cells);
            board::rise(&mut self.grid, cells);
            see(&self.grid, self.grid.of_kind(UNKNOWN));
            board::refill(&mut self.grid, &self.rules, draw);
            see(&self.grid, Cells::EMPTY);
        }
        self.score += points;
        Step { reward: points as f32, terminal: self.is_over(), waves }
    }
}

impl Game for Bilging {
    type Rules = Rules;
    type State = State;
    type Rng = Stream;

    const NAME: &'static str = "bilging";
    const ACTIONS: usize = ACTIONS;
    const MASKS: &'static [Mask] = &[
        Mask::new("legal", "all 60 swaps"),
        Mask::new("matching", "swaps that make a run at once").as_default(),
        Mask::new("effective", "swaps of two colours"),
    ];

    fn new(rules: &Rules, draw: &mut impl Draw) -> Self {
        Self { rules: *rules, grid: board::deal(rules, draw), score: 0, moves_left: rules.moves as u16 }
    }

    /// Chains score by these rules.
    fn at(rules: &Rules, state: &State) -> Self {
        Self { rules: *rules, grid: state.grid(), score: 0, moves_left: state.moves_left() as u16 }
    }

    /// Plays an action; a number that is no action only costs a move.
    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step {
        self.play(action, draw, |_, _| ())
    }

    fn is_over(&self) -> bool {
        self.moves_left == 0
    }

    fn score(&self) -> i32 {
        self.score
    }

    fn state(&self) -> State {
        State::pack(&self.grid, self.moves_left, self.rules.chains)
    }

    fn mask(state: &State, kind: MaskKind) -> ActionMask {
        match kind {
            MATCHING => board::matching(&state.grid()),
            EFFECTIVE => board::effective(&state.grid()),
            _ => ActionMask::all(ACTIONS),
        }
    }

    fn actions_left(state: &State) -> usize {
        state.moves_left()
    }
}

impl Lookahead for Bilging {
    fn done(state: &State, action: usize) -> State {
        let mut grid = state.grid();
        board::swap(&mut grid, action);
        State::pack(&grid, (state.moves_left() as u16).saturating_sub(1), state.chains)
    }

    fn wave(state: &State) -> Option<(State, f32)> {
        let mut grid = state.grid();
        let runs = board::runs(&grid);
        if runs.is_empty() {
            return None;
        }
        let (cells, cleared) = (runs.cells(), Break::of(&runs));
        let points = if state.chained { state.chains.points(cleared, cells.count()) } else { cleared.points() };
        board::rise(&mut grid, cells);
        let mut next = State::pack(&grid, state.moves_left() as u16, state.chains);
        next.chained = true;
        Some((next, points as f32))
    }

    fn is_whole(state: &State) -> bool {
        state.is_whole()
    }

    fn gaining_actions(state: &State) -> ActionMask {
        if state.moves_left() > 0 { board::matching(&state.grid()) } else { ActionMask::empty() }
    }
}

impl Image for Bilging {
    const PLANES: usize = COLOURS;
    const COLOURS: usize = COLOURS;
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 1;
    const SYMMETRIES: usize = state::SYMMETRIES;

    fn encode(state: &State, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        state.encode(symmetry, image, scalars);
    }

    fn place(action: usize) -> (usize, usize, usize) {
        let (column, row) = board::place(action);
        (0, row, column)
    }

    fn transform_action(action: usize, symmetry: usize) -> usize {
        state::transform_action(action, symmetry)
    }
}

impl StateFeatures for Bilging {
    const NAMES: &'static [&'static str] = &["x_columns", "o_columns", "x_row", "o_row", "blocked", "impossible"];

    /// Features of the possible bingo with the least sum, the first of equal ones; see
    /// [`Bingo::features`]. The last feature, 1 without a possible bingo, is not the article's:
    /// such boards would distort the other weights.
    fn features(state: &State) -> Vec<f64> {
        let best = bingos(&state.pieces()).into_iter().min_by_key(Bingo::sum);
        numbers_of(best.as_ref()).to_vec()
    }

    /// Gives the features of each possible bingo, least sum first.
    fn descriptions(state: &State, mut give: impl FnMut(&[f64])) {
        let mut possible = bingos(&state.pieces());
        possible.sort_by_key(Bingo::sum);
        if possible.is_empty() {
            give(&numbers_of(None));
        }
        possible.iter().for_each(|bingo| give(&numbers_of(Some(bingo))));
    }

    /// New boards, the first half one swap from a bingo.
    fn positions(rules: &Rules, count: usize, stream: &mut Stream) -> Vec<State> {
        let mut near = |wanted: bool| loop {
            let state = Self::new(rules, stream).state();
            let grid = state.grid();
            let one_swap = board::matching(&grid).iter().any(|action| board::first_break(&grid, action).lines() >= 3);
            if one_swap == wanted {
                return state;
            }
        };
        (0..count).map(|index| near(index < count / 2)).collect()
    }
}

fn numbers_of(bingo: Option<&Bingo>) -> [f64; 6] {
    let [x_columns, o_columns, x_row, o_row, blocked] =
        bingo.map_or(bingos::NO_BINGO, |bingo| bingo.features).map(f64::from);
    [x_columns, o_columns, x_row, o_row, blocked, f64::from(u8::from(bingo.is_none()))]
}

impl ActionFeatures for Bilging {}

impl Text for Bilging {
    const BOARD: &'static str = "twelve lines of six of a b c d e f g, without a run of three";
    const TOKENS: &'static [Token] = &[
        Token { letter: 'a', colour: [0xe5, 0x48, 0x4d], shape: Shape::Triangle },
        Token { letter: 'b', colour: [0x46, 0xb3, 0x6b], shape: Shape::Square },
        Token { letter: 'c', colour: [0x4c, 0x7d, 0xf0], shape: Shape::Pentagon },
        Token { letter: 'd', colour: [0x35, 0xc2, 0xd6], shape: Shape::Hexagon },
        Token { letter: 'e', colour: [0xf4, 0xd3, 0x3e], shape: Shape::Star },
        Token { letter: 'f', colour: [0xb0, 0x6a, 0xe0], shape: Shape::Diamond },
        Token { letter: 'g', colour: [0xe0, 0xe4, 0xee], shape: Shape::Circle },
    ];

    fn board(state: &State) -> String {
        text::show(&state.grid(), Cells::EMPTY)
    }

    fn parse(rules: &Rules, board: &str, actions_left: Option<i64>) -> Result<State> {
        let grid = text::parse(&tidied::<Self>(board)?)?;
        let moves_left = text::moves_left(actions_left.unwrap_or(rules.moves.into()))?;
        let state = State::pack(&grid, moves_left, rules.chains);
        text::check_colours(&state.pieces(), rules.colours as u8)?;
        Ok(state)
    }

    /// `[row, column]` of the left piece.
    fn to_json(action: usize) -> Value {
        let (column, row) = board::place(action);
        json!([row, column])
    }

    fn from_json(value: &Value) -> std::result::Result<usize, String> {
        let (row, column) = <(i64, i64)>::deserialize(value)
            .map_err(|_| "a move is [row, column] of the left piece, such as [2, 4]".to_owned())?;
        let cell = usize::try_from(row).ok().zip(usize::try_from(column).ok());
        let cell = cell.filter(|(row, column)| *row < ROWS && *column < COLUMNS - 1);
        Ok(cell.map_or(ACTIONS, |(row, column)| row * (COLUMNS - 1) + column))
    }

    fn cells(_: &State, action: usize) -> Vec<(usize, usize)> {
        let (column, row) = board::place(action);
        vec![(row, column), (row, column + 1)]
    }

    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>) {
        let mut boards = Vec::new();
        let step = self.play(action, draw, |grid, empty| boards.push(text::show(grid, empty)));
        boards.pop();
        (step, boards)
    }
}
