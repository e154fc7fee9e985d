//! Tile-match: the match-3 board of tile-match-gym without specials, which LMGame-Bench calls Candy
//! Crush: 8 x 8 tiles of 4 colours, 50 swaps, a point for each tile removed.
//!
//! A wave removes the runs of the lowest row that has one, so a run above may be lost. Chance draws
//! from the program's own streams or, by a rule, from NumPy's generator as the original does.
//! `docs/tile-match.md` has the rules and their source.

mod board;
mod random;
mod state;
#[cfg(test)]
mod tests;
mod text;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::board::{Cells, Grid, Swaps};
pub use self::random::TileRandom;
pub use self::state::State;
use super::image::{self, Decode};
use super::{
    ActionFeatures, ActionMask, Game, Image, Lookahead, Mask, MaskKind, Plan, Shape, StateFeatures, Step, Text, Token,
    tidied,
};
use crate::error::Result;
use crate::random::Draw;

/// Columns of the board.
pub const COLUMNS: usize = 8;
/// Rows of the board.
pub const ROWS: usize = 8;
/// Colours of the tiles.
pub const COLOURS: u8 = 4;
/// Moves of a game.
pub const MOVES: u8 = 50;

const ACTIONS: usize = COLUMNS * (ROWS - 1) + (COLUMNS - 1) * ROWS;

/// Swaps of two colours.
pub const EFFECTIVE: MaskKind = MaskKind(1);
/// Swaps that match at once.
pub const MATCHING: MaskKind = MaskKind(2);

/// Parameters of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Generator of a seed's game.
    pub draws: Draws,
}

/// Generator that a seed starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Draws {
    /// The program's own stream.
    #[default]
    Own,
    /// NumPy's `default_rng`, with the games of the original.
    NumPy,
}

/// A game of tile-match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "state::Saved")]
pub struct TileMatch {
    grid: Grid,
    score: i32,
    moves_left: u8,
    /// Swaps that match.
    #[serde(skip)]
    matching: Swaps,
}

impl TileMatch {
    fn of(grid: Grid, score: i32, moves_left: u8) -> Self {
        Self { matching: grid.matching(), grid, score, moves_left }
    }

    /// Plays a move; `see` gets the boards on the way and their empty cells.
    #[inline]
    fn play(&mut self, action: usize, draw: &mut impl Draw, mut see: impl FnMut(&Grid, Cells)) -> Step {
        if self.moves_left == 0 {
            return Step { reward: 0.0, terminal: true, waves: 0 };
        }
        self.moves_left -= 1;
        let (mut points, mut waves) = (0, 0);
        if self.matching.contains(action) {
            self.grid.swap(action);
            see(&self.grid, 0);
            loop {
                let cells = self.grid.removed();
                if cells == 0 {
                    break;
                }
                (points, waves) = (points + cells.count_ones() as i32, waves + 1);
                see(&self.grid, cells);
                self.grid.fall(cells);
                see(&self.grid, self.grid.unknown());
                self.grid.refill(draw);
                see(&self.grid, 0);
            }
            self.matching = self.grid.matching();
            if self.matching.is_empty() {
                self.grid.settle(draw);
                self.matching = self.grid.matching();
                see(&self.grid, 0);
            }
        }
        self.score += points;
        Step { reward: points as f32, terminal: self.is_over(), waves }
    }
}

impl Game for TileMatch {
    type Rules = Rules;
    type State = State;
    type Rng = TileRandom;

    const NAME: &'static str = "tile-match";
    const ACTIONS: usize = ACTIONS;
    const MASKS: &'static [Mask] = &[
        Mask::new("legal", "all 112 swaps; one that matches nothing spends the move"),
        Mask::new("effective", "swaps of two colours"),
        Mask::new("matching", "swaps that match at once").as_default(),
    ];

    fn random(rules: &Rules, seed: u128) -> TileRandom {
        TileRandom::new(rules.draws, seed)
    }

    fn new(_: &Rules, draw: &mut impl Draw) -> Self {
        Self::of(Grid::deal(draw), 0, MOVES)
    }

    /// A game in a position; unknown tiles are drawn at the first refill.
    fn at(_: &Rules, state: &State) -> Self {
        Self::of(state.grid, 0, state.moves_left)
    }

    /// Plays an action; what is no matching swap, or no swap at all, spends the move.
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
        State { grid: self.grid, moves_left: self.moves_left }
    }

    #[inline]
    fn mask(state: &State, kind: MaskKind) -> ActionMask {
        match kind {
            _ if state.moves_left == 0 => ActionMask::empty(),
            MATCHING => state.grid.matching().actions(),
            EFFECTIVE => ActionMask::all(ACTIONS).without(&state.grid.equal_neighbours().actions()),
            _ => ActionMask::all(ACTIONS),
        }
    }

    fn actions_left(state: &State) -> usize {
        state.moves_left.into()
    }
}

/// What is called certain holds as long as no tile drawn meanwhile takes part in a run.
impl Lookahead for TileMatch {
    fn done(state: &State, action: usize) -> State {
        let mut next = State { moves_left: state.moves_left.saturating_sub(1), ..*state };
        if state.grid.matching().contains(action) {
            next.grid.swap(action);
        }
        next
    }

    fn wave(state: &State) -> Option<(State, f32)> {
        let cells = state.grid.removed();
        if cells == 0 {
            return None;
        }
        let mut next = *state;
        next.grid.fall(cells);
        Some((next, cells.count_ones() as f32))
    }

    fn is_whole(state: &State) -> bool {
        state.grid.unknown() == 0
    }

    fn gaining_actions(state: &State) -> ActionMask {
        Self::mask(state, MATCHING)
    }

    /// Certain plans without afterstates' masks: the next swaps are found once for each board.
    fn certain(state: &State, actions: &ActionMask, plan: Plan, mut give: impl FnMut(usize, f32)) {
        let matching = state.grid.matching();
        let depth = plan.depth.min(state.moves_left.into());
        let chain = |action| match matching.contains(action) {
            true => state.grid.certain_chain(action),
            false => (state.grid, 0),
        };
        let chains: Vec<(usize, (Grid, u32))> = actions.iter().map(|action| (action, chain(action))).collect();
        let threshold = plan.pruning_threshold(chains.iter().map(|(_, (_, points))| *points as f32));
        for (action, (grid, points)) in &chains {
            let further = depth > 1 && *points as f32 >= threshold;
            let later = if further { best_plan(grid, depth - 1, plan.weight) } else { 0.0 };
            give(*action, (f64::from(*points) + plan.weight * later) as f32);
        }
    }
}

/// Points of the best certain plan of so many moves, at least 1; 0 where no swap matches.
fn best_plan(grid: &Grid, depth: u32, weight: f64) -> f64 {
    let plan = |action| {
        let (after, points) = grid.certain_chain(action);
        f64::from(points) + if depth > 1 { weight * best_plan(&after, depth - 1, weight) } else { 0.0 }
    };
    grid.matching().actions().iter().map(plan).fold(0.0, f64::max)
}

impl Image for TileMatch {
    const PLANES: usize = COLOURS as usize;
    const COLOURS: usize = COLOURS as usize;
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 2;
    const SYMMETRIES: usize = state::SYMMETRIES;

    /// Planes of the colours; the scalar is the moves left over 50.
    fn encode(state: &State, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        state.encode(symmetry, image, scalars);
    }

    const DECODE: Option<Decode<State>> =
        Some(|state, image| State { grid: Grid::from_rows(&image::kinds(image, board::UNKNOWN)), ..*state });

    fn place(action: usize) -> (usize, usize, usize) {
        let (one, other) = board::cells_of(action);
        (usize::from(other == one + 1), one / COLUMNS, one % COLUMNS)
    }

    fn transform_action(action: usize, symmetry: usize) -> usize {
        state::transform_action(action, symmetry)
    }
}

impl StateFeatures for TileMatch {
    const NAMES: &'static [&'static str] = &["plan", "colours"];

    /// Tiles of the best plan of two moves, the second at half weight, and the sum of the colours'
    /// squared numbers of tiles; an unknown tile is a quarter of each colour.
    ///
    /// Many tiles of one colour lead to more matches. With one move left `colours` is 0, with none
    /// also `plan`.
    fn features(state: &State) -> Vec<f64> {
        let depth = u32::from(state.moves_left).min(2);
        let mut plan = 0.0;
        if depth > 0 {
            Self::certain(state, &Self::mask(state, MATCHING), Plan { breadth: 4, ..Plan::of(depth) }, |_, points| {
                plan = f64::from(points).max(plan);
            });
        }
        let unknown = f64::from(state.grid.unknown().count_ones()) / f64::from(COLOURS);
        let count = |colour| f64::from(state.grid.of_colour(colour).count_ones()) + unknown;
        vec![plan, if depth > 1 { (0..COLOURS).map(|colour| count(colour).powi(2)).sum() } else { 0.0 }]
    }
}

impl ActionFeatures for TileMatch {}

impl Text for TileMatch {
    const BOARD: &'static str =
        "eight lines of eight of G C P R, and . where a tile is not known, without a run of three";
    const TOKENS: &'static [Token] = &[
        Token { letter: 'G', colour: [0x46, 0xb3, 0x6b], shape: Shape::Square },
        Token { letter: 'C', colour: [0x35, 0xc2, 0xd6], shape: Shape::Circle },
        Token { letter: 'P', colour: [0xb0, 0x6a, 0xe0], shape: Shape::Triangle },
        Token { letter: 'R', colour: [0xe5, 0x48, 0x4d], shape: Shape::Diamond },
    ];

    fn board(state: &State) -> String {
        text::show(&state.grid, 0)
    }

    fn parse(_: &Rules, board: &str, actions_left: Option<i64>) -> Result<State> {
        State::at_rest(&tidied::<Self>(board)?, actions_left.unwrap_or(MOVES.into()))
    }

    /// `[row, column, row, column]`
    fn to_json(action: usize) -> Value {
        text::cells(action).to_vec().into()
    }

    fn from_json(value: &Value) -> std::result::Result<usize, String> {
        text::action(value)
    }

    fn cells(_: &State, action: usize) -> Vec<(usize, usize)> {
        let (one, other) = board::cells_of(action);
        [one, other].map(|cell| (cell / COLUMNS, cell % COLUMNS)).to_vec()
    }

    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>) {
        let mut boards = Vec::new();
        let step = self.play(action, draw, |grid, empty| boards.push(text::show(grid, empty)));
        boards.pop();
        (step, boards)
    }
}
