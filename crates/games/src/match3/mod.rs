//! Match-3: 8 x 10 cells, 25 swaps of gems among obstacles. `docs/match3.md` gives the rules.

mod certain;
mod chains;
mod moves;
mod state;
mod text;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use certain::Certain;
pub use chains::{Chain, best_plan};
pub use moves::Move;
pub use state::State;

use super::image::{self, Decode};
use super::swap::{self, Board};
use super::{
    ActionFeatures, ActionMask, After, Game, Image, Lookahead, Mask, MaskKind, Plan, SeenWave, Shape, StateFeatures,
    Step, Text, Token, tidied,
};
use crate::error::Result;
use crate::random::{CPythonRandom, Draw};
use crate::rules;

/// Columns of the board.
pub const COLUMNS: usize = 8;
/// Rows of the board.
pub const ROWS: usize = 10;
/// Moves of a game.
pub const MOVES: i32 = 25;

const GEMS: u8 = 4;
/// Number of an obstacle of any kind, since players cannot see kinds.
const OBSTACLE: u8 = GEMS;
/// Swaps that change what a player sees.
pub const EFFECTIVE: MaskKind = MaskKind(1);
/// Swaps that match at once.
pub const MATCHING: MaskKind = MaskKind(2);
/// Swaps that match at once, and set-ups.
pub const SETUPS: MaskKind = MaskKind(3);
/// Set-ups in the mask [`SETUPS`], and all that equal the last of them.
pub const MOST_SETUPS: usize = 12;
/// Points of a move without a match.
pub const NO_MATCH: i32 = -5;

/// Gems by their number, obstacles as the number after them.
type Grid = Board<COLUMNS, ROWS, 3>;
type Cells = swap::Cells<COLUMNS, ROWS>;
type Swaps = swap::Swaps<COLUMNS, ROWS>;
type Runs = swap::Runs<COLUMNS, ROWS>;

/// Parameters of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    #[serde(deserialize_with = "read::obstacle_kinds")]
    obstacle_kinds: u32,
}

rules::numbers! {
    obstacle_kinds: "the number of obstacle kinds" in 0..=Rules::MOST_OBSTACLE_KINDS;
}

/// A game of match-3.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "text::Saved")]
pub struct Match3 {
    rules: Rules,
    grid: Grid,
    score: i32,
    moves_left: i32,
}

impl Rules {
    /// The most kinds of obstacles that a byte can number with the gems.
    pub const MOST_OBSTACLE_KINDS: u32 = 252;

    /// Rules with up to [`MOST_OBSTACLE_KINDS`](Self::MOST_OBSTACLE_KINDS) kinds of obstacles, each
    /// as frequent as a gem.
    pub fn new(obstacle_kinds: u32) -> Result<Self> {
        Ok(Self { obstacle_kinds: checked::obstacle_kinds(obstacle_kinds)? })
    }

    /// Number of obstacle kinds.
    pub fn obstacle_kinds(self) -> u32 {
        self.obstacle_kinds
    }

    fn kinds(self) -> u32 {
        u32::from(GEMS) + self.obstacle_kinds()
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self { obstacle_kinds: 2 }
    }
}

impl Match3 {
    /// A new game on a board's text; the first move also clears the board's runs.
    pub fn with_board(rules: Rules, board: &str) -> Result<Self> {
        Ok(Self { rules, grid: text::parse(board)?, score: 0, moves_left: MOVES })
    }

    /// Moves left; negative after moves beyond the end.
    pub fn moves_left(&self) -> i32 {
        self.moves_left
    }

    /// Board's text: ten lines of `a b c d #`.
    pub fn board(&self) -> String {
        text::show(&self.grid, Cells::EMPTY)
    }

    /// Moves that match at once, by x, then y, horizontal before vertical.
    pub fn matching_moves(&self) -> Vec<Move> {
        let mut moves: Vec<Move> = Move::actions(moves::matching(&self.grid)).iter().map(Move::of_action).collect();
        moves.sort_by_key(|at| (at.x, at.y, at.vertical));
        moves
    }

    /// Plays a move; one off the board only costs a move and its points.
    pub fn play(&mut self, x: i64, y: i64, vertical: bool, draw: &mut impl Draw) -> Step {
        self.swap_and_settle(moves::cells_at(x, y, vertical), draw, |_, _, _| ())
    }

    /// Plays a move as [`play`](Self::play) does; also returns the boards as text after the swap,
    /// each clearing and each step of falling, without the last.
    pub fn play_watched(&mut self, x: i64, y: i64, vertical: bool, draw: &mut impl Draw) -> (Step, Vec<String>) {
        self.play_watched_cells(moves::cells_at(x, y, vertical), draw)
    }

    fn play_watched_cells(&mut self, cells: Option<(Cells, Cells)>, draw: &mut impl Draw) -> (Step, Vec<String>) {
        let mut boards = Vec::new();
        let step = self.swap_and_settle(cells, draw, |grid, empty, _| boards.push(text::show(grid, empty)));
        boards.pop();
        (step, boards)
    }

    /// Plays a move; `see` gets the boards on the way, their empty cells and, after a clearing, its
    /// points.
    #[inline]
    fn swap_and_settle(
        &mut self,
        cells: Option<(Cells, Cells)>,
        draw: &mut impl Draw,
        mut see: impl FnMut(&Grid, Cells, Option<i32>),
    ) -> Step {
        let over = self.is_over();
        self.moves_left = self.moves_left.saturating_sub(1);
        if over {
            return Step { reward: 0.0, terminal: true, waves: 0 };
        }
        if let Some((a, b)) = cells {
            self.grid.swap(a, b);
            see(&self.grid, Cells::EMPTY, None);
        }
        let (points, waves) = settle(&mut self.grid, self.rules, draw, see);
        let points = if points == 0 { NO_MATCH } else { points };
        self.score += points;
        Step { reward: points as f32, terminal: self.is_over(), waves }
    }
}

/// Clears and refills until no run is left; returns points and waves.
#[inline]
fn settle(
    grid: &mut Grid,
    rules: Rules,
    draw: &mut impl Draw,
    mut see: impl FnMut(&Grid, Cells, Option<i32>),
) -> (i32, u32) {
    let (mut points, mut waves) = (0, 0);
    loop {
        let obstacles = grid.of_kind(OBSTACLE);
        let runs = grid.runs(Cells::ALL & !obstacles);
        if runs.is_empty() {
            return (points, waves);
        }
        let gained = score(&runs);
        points += gained;
        waves += 1;
        let gems = runs.cells();
        let mut empty = gems | swap::neighbours(gems) & obstacles;
        see(grid, empty, Some(gained));
        while !empty.is_empty() {
            for cell in grid.fall(&mut empty).each() {
                grid.put(cell, token(draw.below_in(cell.column(), rules.kinds())));
            }
            see(grid, empty, None);
        }
    }
}

fn score(runs: &Runs) -> i32 {
    runs.sum(run_points)
}

/// Length beyond which points do not grow.
const LONGEST: u32 = 5;

/// Points of a run: n^2 - 1, n at most [`LONGEST`].
fn run_points(length: u32) -> i32 {
    let counted = length.min(LONGEST) as i32;
    counted * counted - 1
}

/// Matching moves and, before the last move, set-ups: moves after which the best certain chain
/// brings more points than now.
fn setups(state: &State) -> ActionMask {
    let board = Certain::of(state);
    let mut mask = board.matching();
    if state.moves_left() <= 1 {
        return mask;
    }
    let chain = |board: &Certain| best_plan(board, 1, 0.0) as i32;
    let now = chain(&board);
    let others = moves::effective(&state.grid()).without(&mask);
    let mut setups: Vec<(i32, usize)> = others
        .iter()
        .map(|action| (chain(&board.swapped(action)), action))
        .filter(|(points, _)| *points > now)
        .collect();
    setups.sort_by_key(|(points, _)| -points);
    let threshold = setups.get(MOST_SETUPS - 1).map_or(0, |(points, _)| *points);
    setups.iter().take_while(|(points, _)| *points >= threshold).for_each(|(_, action)| mask.insert(*action));
    mask
}

fn token(drawn: u32) -> u8 {
    drawn.min(u32::from(OBSTACLE)) as u8
}

impl Game for Match3 {
    type Rules = Rules;
    type State = State;
    type Rng = CPythonRandom;

    const NAME: &'static str = "match3";
    const ACTIONS: usize = Move::COUNT;
    const MASKS: &'static [Mask] = &[
        Mask::new("legal", "all 142 swaps"),
        Mask::new("effective", "swaps that change what is seen"),
        Mask::new("matching", "swaps that match at once").as_default(),
        // Set-ups take longer to find than a forward pass and are seldom best.
        Mask::new("setups", "these and, before the last move, the swaps that prepare more than any gains now")
            .with_successor(MATCHING),
    ];

    fn new(rules: &Rules, draw: &mut impl Draw) -> Self {
        let mut tokens = [[0; COLUMNS]; ROWS];
        draw.fill_below(rules.kinds(), tokens.as_flattened_mut());
        for kind in tokens.as_flattened_mut() {
            *kind = (*kind).min(OBSTACLE);
        }
        let mut grid = Grid::from_rows(&tokens);
        settle(&mut grid, *rules, draw, |_, _, _| ());
        Self { rules: *rules, grid, score: 0, moves_left: MOVES }
    }

    fn at(rules: &Rules, state: &State) -> Self {
        Self { rules: *rules, grid: state.grid(), score: 0, moves_left: state.moves_left() }
    }

    /// Plays an action; a number that is no action is a move off the board.
    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step {
        self.swap_and_settle(Move::cells_of(action), draw, |_, _, _| ())
    }

    fn is_over(&self) -> bool {
        self.moves_left <= 0
    }

    fn score(&self) -> i32 {
        self.score
    }

    fn state(&self) -> State {
        State::pack(&self.grid, self.moves_left)
    }

    #[inline]
    fn mask(state: &State, kind: MaskKind) -> ActionMask {
        match kind {
            MATCHING => Certain::of(state).matching(),
            EFFECTIVE => moves::effective(&state.grid()),
            SETUPS => setups(state),
            _ => ActionMask::all(Move::COUNT),
        }
    }

    fn actions_left(state: &State) -> usize {
        state.moves_left().try_into().unwrap_or(0)
    }
}

impl Lookahead for Match3 {
    fn done(state: &State, action: usize) -> State {
        Certain::of(state).swapped(action).state(state.moves_left() - 1)
    }

    fn wave(state: &State) -> Option<(State, f32)> {
        let mut board = Certain::of(state);
        let points = board.wave()?;
        Some((board.state(state.moves_left()), points as f32))
    }

    fn gaining_actions(state: &State) -> ActionMask {
        if state.moves_left() > 0 { Certain::of(state).matching() } else { ActionMask::empty() }
    }

    fn is_whole(state: &State) -> bool {
        state.is_whole()
    }

    fn after(state: &State, action: usize) -> After<State> {
        let mut board = Certain::of(state);
        let points = board.play(action) as f32;
        let left = state.moves_left() - 1;
        let actions = if left > 0 { board.matching() } else { ActionMask::empty() };
        After { state: board.state(left), points, actions }
    }

    fn step_seen(&mut self, action: usize, draw: &mut impl Draw, mut see: impl FnMut(SeenWave<State>)) -> Step {
        let (mut board, left) = (Certain::of(&self.state()).swapped(action), self.moves_left - 1);
        let step = self.swap_and_settle(Move::cells_of(action), draw, |_, empty, cleared| {
            let Some(points) = cleared else { return };
            let before = board.state(left);
            board.refill(empty);
            see(SeenWave { before, after: board.state(left), points: points as f32 });
        });
        let rest = board.state(left);
        see(SeenWave { before: rest, after: rest, points: if step.waves == 0 { step.reward } else { 0.0 } });
        step
    }

    fn certain(state: &State, actions: &ActionMask, plan: Plan, mut give: impl FnMut(usize, f32)) {
        let later = plan.depth.min(state.moves_left().unsigned_abs()).saturating_sub(1);
        let board = Certain::of(state);
        if later == 0 || plan.breadth == 0 {
            board.play_each(actions, |chain| {
                let then = if later > 0 { best_plan(&chain.board(), later, plan.weight) } else { 0.0 };
                give(chain.action, (f64::from(chain.points) + plan.weight * then) as f32);
            });
            return;
        }
        let mut chains: Vec<(usize, f32, Certain)> = Vec::with_capacity(actions.count());
        board.play_each(actions, |chain| chains.push((chain.action, chain.points as f32, chain.board())));
        let threshold = plan.pruning_threshold(chains.iter().map(|(_, points, _)| *points));
        for (action, points, board) in &chains {
            let then = if *points >= threshold { best_plan(board, later, plan.weight) } else { 0.0 };
            give(*action, (f64::from(*points) + plan.weight * then) as f32);
        }
    }
}

impl StateFeatures for Match3 {
    const NAMES: &'static [&'static str] = &["plan", "colours"];

    /// Points of the best certain plan of two moves, the second at half weight, and sum of the
    /// colours' squared numbers of gems.
    ///
    /// Many gems of one colour lead to more matches. With one move left `colours` is 0, with none
    /// also `plan`.
    fn features(state: &State) -> Vec<f64> {
        /// First moves, by points, after which a second one counts.
        const BREADTH: usize = 4;
        let (grid, left) = (state.grid(), state.moves_left());
        if left <= 0 {
            return vec![0.0; 2];
        }
        let board = Certain::of(state);
        let mut plans: Vec<(i32, Certain)> = Vec::new();
        board.play_each(&board.matching(), |chain| plans.push((chain.points, chain.board())));
        plans.sort_by_key(|(points, _)| -points);
        let later = u32::from(left > 1);
        let value = |(points, board): &(i32, Certain)| f64::from(*points) + 0.5 * best_plan(board, later, 0.0);
        let plan = plans.iter().take(BREADTH).map(value).fold(0.0, f64::max);
        let count = |gem| f64::from(grid.of_kind(gem).count());
        let colours = if left > 1 { (0..GEMS).map(|gem| count(gem).powi(2)).sum() } else { 0.0 };
        vec![plan, colours]
    }
}

impl Image for Match3 {
    const PLANES: usize = 5;
    const COLOURS: usize = GEMS as usize;
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 2;
    const SYMMETRIES: usize = state::SYMMETRIES;

    /// Planes a, b, c, d and obstacle; the scalar is the moves left over 25.
    fn encode(state: &State, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        state.encode(symmetry, image, scalars);
    }

    const DECODE: Option<Decode<State>> =
        Some(|state, image| State::pack(&Grid::from_rows(&image::kinds(image, certain::UNKNOWN)), state.moves_left()));

    fn place(action: usize) -> (usize, usize, usize) {
        Move::place(action)
    }

    fn transform_action(action: usize, symmetry: usize) -> usize {
        Move::transformed(action, swap::order_and_mirror(symmetry).1)
    }
}

impl Text for Match3 {
    const BOARD: &'static str = "ten lines of eight of a b c d #";
    const TOKENS: &'static [Token] = &[
        Token { letter: 'a', colour: [0xe5, 0x48, 0x4d], shape: Shape::Triangle },
        Token { letter: 'b', colour: [0x46, 0xb3, 0x6b], shape: Shape::Square },
        Token { letter: 'c', colour: [0x4c, 0x7d, 0xf0], shape: Shape::Pentagon },
        Token { letter: 'd', colour: [0x35, 0xc2, 0xd6], shape: Shape::Hexagon },
        Token { letter: '#', colour: [0x5d, 0x62, 0x75], shape: Shape::Block },
    ];

    fn board(state: &State) -> String {
        state.board()
    }

    fn parse(_: &Rules, board: &str, actions_left: Option<i64>) -> Result<State> {
        State::at_rest(&tidied::<Self>(board)?, actions_left.unwrap_or(MOVES.into()))
    }

    /// `[x, y, vertical]`
    fn to_json(action: usize) -> Value {
        let Move { x, y, vertical } = Move::of_action(action);
        (x, y, vertical).serialize(serde_json::value::Serializer).unwrap_or_default()
    }

    fn from_json(value: &Value) -> std::result::Result<usize, String> {
        let (x, y, vertical) = <(i64, i64, bool)>::deserialize(value)
            .map_err(|_| "a move is [x, y, vertical], such as [2, 6, true]".to_owned())?;
        let action = usize::try_from(x).ok().zip(usize::try_from(y).ok());
        Ok(action.and_then(|(x, y)| Move { x, y, vertical }.action()).unwrap_or(Move::COUNT))
    }

    fn cells(_: &State, action: usize) -> Vec<(usize, usize)> {
        Move::rows_and_columns(action)
    }

    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>) {
        self.play_watched_cells(Move::cells_of(action), draw)
    }
}

impl ActionFeatures for Match3 {}
