//! Bejeweled, the first game of that name: 8 x 8 gems of seven kinds, and only swaps that match;
//! `docs/bejeweled.md` gives the rules.

mod board;
mod state;
mod text;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use state::State;

use self::board::Move;
use super::swap::{self, Board};
use super::{
    ActionFeatures, ActionMask, Game, Image, Lookahead, Mask, MaskKind, Shape, StateFeatures, Step, Text, Token, tidied,
};
use crate::error::Result;
use crate::random::{Draw, Stream};
use crate::rules;

/// Columns of the board.
pub const COLUMNS: usize = 8;
/// Rows of the board.
pub const ROWS: usize = 8;
/// Kinds of gems.
pub const GEMS: u8 = 7;

const ACTIONS: usize = Move::COUNT;

/// Gems by their number; 7 where unknown.
type Grid = Board<COLUMNS, ROWS, 3>;
type Cells = swap::Cells<COLUMNS, ROWS>;
type Swaps = swap::Swaps<COLUMNS, ROWS>;

/// Parameters of the rules.
///
/// On level L a run of three brings `base + (L - 1) base_step` points, and the level takes `goal +
/// (L - 1) goal_step` times as many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    #[serde(deserialize_with = "read::moves")]
    moves: u32,
    #[serde(deserialize_with = "read::base")]
    base: u32,
    #[serde(deserialize_with = "read::base_step")]
    base_step: u32,
    #[serde(deserialize_with = "read::goal")]
    goal: u32,
    #[serde(deserialize_with = "read::goal_step")]
    goal_step: u32,
}

rules::numbers! {
    moves: "the rule moves" in 0..=Rules::MOST_MOVES;
    base: "the rule base" in 1..=Rules::MOST;
    base_step: "the rule base_step" in 0..=Rules::MOST;
    goal: "the rule goal" in 1..=Rules::MOST;
    goal_step: "the rule goal_step" in 0..=Rules::MOST;
}

/// A level, counted from 1, and the points gained on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Level {
    /// Number of the level.
    pub number: u32,
    /// Points on the level's bar.
    pub points: u32,
}

/// A game of Bejeweled.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "text::Saved")]
pub struct Bejeweled {
    rules: Rules,
    grid: Grid,
    score: i32,
    level: Level,
    /// `None` if the rules do not count moves.
    moves_left: Option<u16>,
    /// Swaps that match; none once no moves are left.
    #[serde(skip)]
    legal: Swaps,
}

impl Rules {
    /// The most moves that the rules may set.
    pub const MOST_MOVES: u32 = 10_000;
    /// The most that any other parameter may be.
    pub const MOST: u32 = 1_000;

    /// Rules with `moves` up to [`MOST_MOVES`](Self::MOST_MOVES), 0 for no bound; other parameters
    /// up to [`MOST`](Self::MOST), `base` and `goal` from 1.
    pub fn new(moves: u32, [base, base_step]: [u32; 2], [goal, goal_step]: [u32; 2]) -> Result<Self> {
        Ok(Self {
            moves: checked::moves(moves)?,
            base: checked::base(base)?,
            base_step: checked::base_step(base_step)?,
            goal: checked::goal(goal)?,
            goal_step: checked::goal_step(goal_step)?,
        })
    }

    fn base(&self, level: Level) -> u32 {
        (level.number - 1).saturating_mul(self.base_step).saturating_add(self.base)
    }

    fn goal(&self, level: Level) -> u32 {
        let runs = (level.number - 1).saturating_mul(self.goal_step).saturating_add(self.goal);
        runs.saturating_mul(self.base(level))
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self { moves: 0, base: 10, base_step: 5, goal: 50, goal_step: 15 }
    }
}

impl Default for Level {
    fn default() -> Self {
        Self { number: 1, points: 0 }
    }
}

impl Bejeweled {
    /// Position on the first level, since a board's text has no level.
    pub fn as_written(state: &State) -> State {
        State { level: Level::default(), bases: [state.bases[0]; 2], ..*state }
    }

    /// Level and its points.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Moves left, if the rules count them.
    pub fn moves_left(&self) -> Option<u16> {
        self.moves_left
    }

    fn of(rules: Rules, grid: Grid, score: i32, level: Level, moves_left: Option<u16>) -> Self {
        let mut game = Self { rules, grid, score, level, moves_left, legal: Swaps::default() };
        game.find_legal();
        game
    }

    #[inline]
    fn find_legal(&mut self) {
        self.legal = if self.moves_left == Some(0) { Swaps::default() } else { board::matching(&self.grid) };
    }

    /// Plays a move; `see` gets the boards on the way and their empty cells.
    #[inline]
    fn play(&mut self, action: usize, draw: &mut impl Draw, mut see: impl FnMut(&Grid, Cells)) -> Step {
        if !Move::is_among(action, &self.legal) {
            return Step { reward: 0.0, terminal: self.is_over(), waves: 0 };
        }
        board::swap(&mut self.grid, action);
        see(&self.grid, Cells::EMPTY);
        let (mut points, mut waves) = (0_u32, 0);
        let base = self.rules.base(self.level);
        loop {
            let runs = board::runs(&self.grid);
            if runs.is_empty() {
                break;
            }
            let cells = runs.cells();
            waves += 1;
            points = points.saturating_add((board::points(&runs) as u32 * waves).saturating_mul(base));
            see(&self.grid, cells);
            board::fall(&mut self.grid, cells);
            see(&self.grid, !board::known(&self.grid));
            board::refill(&mut self.grid, draw);
            see(&self.grid, Cells::EMPTY);
        }
        // Points stay exact as 32-bit floats.
        let points = points.min(1 << f32::MANTISSA_DIGITS).min((i32::MAX - self.score.max(0)) as u32);
        self.score += points as i32;
        self.level.points = self.level.points.saturating_add(points);
        if self.level.points >= self.rules.goal(self.level) {
            self.level = Level { number: self.level.number.saturating_add(1), points: 0 };
        }
        self.moves_left = self.moves_left.map(|moves| moves - 1);
        self.find_legal();
        Step { reward: points as f32, terminal: self.is_over(), waves }
    }
}

impl Game for Bejeweled {
    type Rules = Rules;
    type State = State;
    type Rng = Stream;

    const NAME: &'static str = "bejeweled";
    const ACTIONS: usize = ACTIONS;
    const MASKS: &'static [Mask] = &[Mask::new("legal", "the swaps that match").as_default()];
    const MAY_END_EARLY: bool = true;

    fn new(rules: &Rules, draw: &mut impl Draw) -> Self {
        let moves_left = Some(rules.moves as u16).filter(|moves| *moves > 0);
        Self::of(*rules, board::deal(draw), 0, Level::default(), moves_left)
    }

    /// A game in a position; unknown gems are drawn at the first refill.
    fn at(rules: &Rules, state: &State) -> Self {
        Self::of(*rules, state.grid, 0, state.level, state.moves_left)
    }

    /// Plays an action; a swap that matches nothing has no effect.
    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step {
        self.play(action, draw, |_, _| ())
    }

    fn is_over(&self) -> bool {
        self.legal.is_empty()
    }

    fn score(&self) -> i32 {
        self.score
    }

    fn state(&self) -> State {
        State {
            grid: self.grid,
            moves_left: self.moves_left,
            level: self.level,
            bases: [self.rules.base, self.rules.base(self.level)],
            steps: 0,
        }
    }

    #[inline]
    fn mask(state: &State, _: MaskKind) -> ActionMask {
        match state.moves_left {
            Some(0) => ActionMask::empty(),
            _ => Move::actions(board::matching(&state.grid)),
        }
    }

    fn actions_left(state: &State) -> usize {
        state.moves_left.unwrap_or(0).into()
    }
}

/// Points count as on the first level, so that learned values hold on all levels.
impl Lookahead for Bejeweled {
    fn done(state: &State, action: usize) -> State {
        let mut next = State { steps: 0, moves_left: state.moves_left.map(|moves| moves.saturating_sub(1)), ..*state };
        board::swap(&mut next.grid, action);
        next
    }

    fn wave(state: &State) -> Option<(State, f32)> {
        let runs = board::runs(&state.grid);
        if runs.is_empty() {
            return None;
        }
        let mut next = State { steps: state.steps.saturating_add(1), ..*state };
        board::fall(&mut next.grid, runs.cells());
        let points = board::points(&runs) as u32 * u32::from(next.steps) * state.bases[0];
        Some((next, points as f32))
    }

    fn is_whole(state: &State) -> bool {
        board::known(&state.grid) == Cells::ALL
    }

    fn unit(state: &State) -> f64 {
        let [first, now] = state.bases.map(f64::from);
        now / first
    }

    fn gaining_actions(state: &State) -> ActionMask {
        Self::mask(state, MaskKind::LEGAL)
    }
}

impl Image for Bejeweled {
    const PLANES: usize = GEMS as usize;
    const COLOURS: usize = GEMS as usize;
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 2;
    const SYMMETRIES: usize = state::SYMMETRIES;

    fn encode(state: &State, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        state.encode(symmetry, image, scalars);
    }

    fn place(action: usize) -> (usize, usize, usize) {
        Move::place(action)
    }

    fn transform_action(action: usize, symmetry: usize) -> usize {
        Move::transformed(action, symmetry % 2 == 1)
    }
}

impl StateFeatures for Bejeweled {
    const NAMES: &'static [&'static str] = &["swaps"];

    fn features(state: &State) -> Vec<f64> {
        vec![Self::mask(state, MaskKind::LEGAL).count() as f64]
    }
}

impl ActionFeatures for Bejeweled {
    fn action_names() -> Vec<&'static str> {
        vec!["points", "swaps", "unknown"]
    }

    fn action_features(state: &State, mut give: impl FnMut(usize, &[(usize, f64)])) {
        for action in Self::mask(state, MaskKind::LEGAL).iter() {
            let after = Self::after(state, action);
            let unknown = Cells::ALL & !board::known(&after.state.grid);
            let swaps = Self::features(&after.state)[0];
            give(action, &[(0, f64::from(after.points)), (1, swaps), (2, f64::from(unknown.count()))]);
        }
    }
}

impl Text for Bejeweled {
    const BOARD: &'static str =
        "eight lines of eight of R W Y B P O G, and . or ? where a gem is not known, without a run of three";
    const TOKENS: &'static [Token] = &[
        Token { letter: 'R', colour: [0xe5, 0x48, 0x4d], shape: Shape::Square },
        Token { letter: 'W', colour: [0xe0, 0xe4, 0xee], shape: Shape::Circle },
        Token { letter: 'Y', colour: [0xf4, 0xd3, 0x3e], shape: Shape::Diamond },
        Token { letter: 'B', colour: [0x4c, 0x7d, 0xf0], shape: Shape::Pentagon },
        Token { letter: 'P', colour: [0xb0, 0x6a, 0xe0], shape: Shape::Triangle },
        Token { letter: 'O', colour: [0xf0, 0x80, 0x2c], shape: Shape::Hexagon },
        Token { letter: 'G', colour: [0x46, 0xb3, 0x6b], shape: Shape::Star },
    ];

    fn board(state: &State) -> String {
        state.board()
    }

    fn parse(rules: &Rules, board: &str, actions_left: Option<i64>) -> Result<State> {
        let grid = text::parse(&tidied::<Self>(board)?)?;
        let moves_left = text::moves_left(actions_left.unwrap_or(rules.moves.into()))?;
        Ok(Self::of(*rules, grid, 0, Level::default(), moves_left).state())
    }

    /// Upper or left cell (column, row), and `D` or `R` for the other one, as in `(2,6)D`.
    fn to_json(action: usize) -> Value {
        let Move { x, y, vertical } = Move::of_action(action);
        text::describe(x, y, if vertical { 'D' } else { 'R' }).into()
    }

    fn from_json(value: &Value) -> std::result::Result<usize, String> {
        let text = value.as_str().ok_or("a move is a text such as \"(2,6)D\"")?;
        text::action(text)
    }

    fn cells(_: &State, action: usize) -> Vec<(usize, usize)> {
        Move::rows_and_columns(action)
    }

    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>) {
        let mut boards = Vec::new();
        let step = self.play(action, draw, |grid, empty| boards.push(text::show(grid, empty)));
        boards.pop();
        (step, boards)
    }
}
