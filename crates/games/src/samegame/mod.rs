//! SameGame: 15 x 15 tiles of five colours, and no chance after the deal.
//!
//! A move takes a group of n tiles for (n - 2)^2 points, tiles fall, and columns close up to the
//! left; the move that empties the board has 1,000 points more. The game ends when no group of two is
//! left. `docs/samegame.md` has the rules and their source.

mod board;
mod by_tiles;
mod features;
mod random;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::board::{Board, Group, Groups};
use self::by_tiles::Tracked;
pub use self::random::SameRandom;
use super::{
    ActionFeatures, ActionMask, After, Choose, Game, Image, Lookahead, Mask, MaskKind, Puzzle, Shape, Step,
    TellByTiles, Text, Token, counted, swap, tidied,
};
use crate::error::{Error, Result};
use crate::random::Draw;

/// Columns of the board.
pub const COLUMNS: usize = 15;
/// Rows of the board.
pub const ROWS: usize = 15;
/// Colours of the tiles.
pub const COLOURS: usize = 5;
/// Points of the move that empties the board, beside those of its group.
pub const CLEARED: i32 = 1_000;

const CELLS: usize = COLUMNS * ROWS;
/// Most groups of two or more.
const MOST_MOVES: usize = CELLS / 2;
/// Standard boards.
const BOARDS: u128 = 20;
/// Letters of the colours, and of an empty cell.
const LETTERS: [char; COLOURS + 1] = ['R', 'G', 'B', 'Y', 'V', '.'];

/// A cell of each group.
pub const GROUPS: MaskKind = MaskKind(1);
/// A cell of each group but those of the commonest colour, as long as there are others.
pub const TABU: MaskKind = MaskKind(2);

/// Parameters of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Boards that seeds deal.
    pub boards: Boards,
}

/// Boards that seeds deal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Boards {
    /// Each tile of a random colour.
    #[default]
    Random,
    /// The 20 boards of the literature: seeds 1 to 20, 21 to 40 the same again.
    Standard,
}

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct State {
    board: Board,
}

impl State {
    /// Colours from 0, row by row from the top; 5 where there is no tile.
    pub fn colours(&self) -> [[u8; COLUMNS]; ROWS] {
        self.board.rows()
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.board.tiles()
    }
}

/// A game of SameGame.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SameGame {
    board: Board,
    score: i32,
}

/// Points of a group, and of an empty board.
fn points(size: u32, is_cleared: bool) -> i32 {
    (size as i32 - 2).pow(2) + if is_cleared { CLEARED } else { 0 }
}

/// Board after a move with the move's points; `None` where nothing can be taken.
fn taken(board: &Board, action: usize) -> Option<(Board, i32)> {
    let groups = board.groups();
    let group = board.group_at(&groups, action)?;
    let next = board.without(&groups, group);
    Some((next, points(group.size, next.is_empty())))
}

/// Groups that a mask offers.
fn offered(groups: &Groups, kind: MaskKind) -> impl Iterator<Item = Group> {
    let tabu = (kind == TABU).then(|| {
        let mut tiles = [0; COLOURS];
        groups.iter().for_each(|group| tiles[group.colour] += group.size);
        (0..COLOURS).max_by_key(|colour| tiles[*colour]).unwrap_or(0)
    });
    let tabu = tabu.filter(|tabu| groups.moves().any(|group| group.colour != *tabu));
    groups.moves().filter(move |group| Some(group.colour) != tabu)
}

/// Whether no group of two is left.
fn is_over(board: &Board) -> bool {
    board.groups().moves().next().is_none()
}

impl Game for SameGame {
    type Rules = Rules;
    type State = State;
    type Rng = SameRandom;

    const NAME: &'static str = "samegame";
    const ACTIONS: usize = CELLS;
    const MASKS: &'static [Mask] = &[
        Mask::new("legal", "all cells of groups of two or more"),
        Mask::new("groups", "a cell of each group").as_default(),
        Mask::new("tabu", "a cell of each group, those of the commonest colour only where there is no other"),
    ];
    const MAY_END_EARLY: bool = true;

    fn random(rules: &Rules, seed: u128) -> SameRandom {
        SameRandom::new(rules.boards, seed)
    }

    fn new(_: &Rules, draw: &mut impl Draw) -> Self {
        let mut rows = [[0; COLUMNS]; ROWS];
        rows.as_flattened_mut().iter_mut().for_each(|colour| *colour = draw.below(COLOURS as u32) as u8);
        Self { board: Board::from_rows(&rows), score: 0 }
    }

    fn at(_: &Rules, state: &State) -> Self {
        Self { board: state.board, score: 0 }
    }

    /// Plays an action; a cell without a group of two or more changes nothing.
    fn step(&mut self, action: usize, _: &mut impl Draw) -> Step {
        let (mut reward, mut waves) = (0, 0);
        if let Some((board, points)) = taken(&self.board, action) {
            (self.board, reward, waves) = (board, points, 1);
            self.score += points;
        }
        Step { reward: reward as f32, terminal: self.is_over(), waves }
    }

    fn has_chosen_deals(rules: &Rules) -> bool {
        rules.boards == Boards::Standard
    }

    fn is_over(&self) -> bool {
        is_over(&self.board)
    }

    fn score(&self) -> i32 {
        self.score
    }

    fn state(&self) -> State {
        State { board: self.board }
    }

    fn mask(state: &State, kind: MaskKind) -> ActionMask {
        let groups = state.board.groups();
        match kind {
            MaskKind::LEGAL => state.board.cells(&groups, |group| group.size > 1),
            _ => offered(&groups, kind).map(|group| group.cell).collect(),
        }
    }
}

/// Moves of groups, each found once for all moves of a position.
struct Moves;

impl Puzzle<SameGame> for Moves {
    fn left(&self, state: &State) -> usize {
        state.tiles()
    }

    fn expand(&self, state: &State, mask: MaskKind, give: &mut dyn FnMut(usize, f32, &State)) {
        let groups = state.board.groups();
        for group in offered(&groups, mask) {
            let board = state.board.without(&groups, group);
            give(group.cell, points(group.size, board.is_empty()) as f32, &State { board });
        }
    }

    fn hash(&self, state: &State) -> u64 {
        state.board.hash()
    }

    fn play(&self, state: &State, mask: MaskKind, choose: Choose) -> Option<(f32, State)> {
        let groups = state.board.groups();
        let names = state.board.names(&groups);
        let (mut moves, mut taken, mut count) = ([(0, 0); MOST_MOVES], [Group::default(); MOST_MOVES], 0);
        for group in offered(&groups, mask) {
            (moves[count], taken[count]) = ((group.cell, names[group.number]), group);
            count += 1;
        }
        if count == 0 {
            return None;
        }
        let group = taken[..count][choose(&moves[..count])];
        let board = state.board.without(&groups, group);
        Some((points(group.size, board.is_empty()) as f32, State { board }))
    }
}

/// All is certain.
impl Lookahead for SameGame {
    const PUZZLE: Option<&'static dyn Puzzle<Self>> = Some(&Moves);
    const BY_TILES: Option<TellByTiles<State>> = Some(|start| Box::new(Tracked::new(start)));

    fn done(state: &State, action: usize) -> State {
        Self::after(state, action).state
    }

    fn after(state: &State, action: usize) -> After<State> {
        let (board, points) = taken(&state.board, action).unwrap_or((state.board, 0));
        let state = State { board };
        After { actions: Self::gaining_actions(&state), state, points: points as f32 }
    }

    /// Groups of three or more, and two last tiles.
    fn gaining_actions(state: &State) -> ActionMask {
        let groups = state.board.groups();
        let gains = |group: &Group| group.size > 2 || state.board.tiles() == 2;
        groups.moves().filter(gains).map(|group| group.cell).collect()
    }
}

impl Image for SameGame {
    const PLANES: usize = COLOURS;
    const COLOURS: usize = COLOURS;
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 1;
    const SYMMETRIES: usize = 1;

    /// Planes of the colours; the scalar is the share of tiles that are left.
    fn encode(state: &State, _symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        image.fill(false.into());
        for (cell, colour) in state.colours().as_flattened().iter().enumerate() {
            if usize::from(*colour) < COLOURS {
                image[usize::from(*colour) * CELLS + cell] = true.into();
            }
        }
        scalars[0] = state.tiles() as f32 / CELLS as f32;
    }

    fn place(action: usize) -> (usize, usize, usize) {
        (0, action / COLUMNS, action % COLUMNS)
    }

    fn transform_action(action: usize, _symmetry: usize) -> usize {
        action
    }
}

impl ActionFeatures for SameGame {}

impl Text for SameGame {
    const BOARD: &'static str = "fifteen lines of fifteen of R G B Y V (or 0 to 4), and . where there is no tile";
    const TOKENS: &'static [Token] = &[
        Token { letter: 'R', colour: [0xe5, 0x48, 0x4d], shape: Shape::Circle },
        Token { letter: 'G', colour: [0x46, 0xb3, 0x6b], shape: Shape::Square },
        Token { letter: 'B', colour: [0x4c, 0x7d, 0xf0], shape: Shape::Diamond },
        Token { letter: 'Y', colour: [0xf4, 0xd3, 0x3e], shape: Shape::Star },
        Token { letter: 'V', colour: [0xb0, 0x6a, 0xe0], shape: Shape::Triangle },
        Token { letter: '.', colour: [0x1e, 0x22, 0x2a], shape: Shape::Block },
    ];

    fn board(state: &State) -> String {
        let rows = state.colours();
        swap::text::show::<COLUMNS, ROWS>(|column, row| LETTERS[usize::from(rows[row][column])])
    }

    fn parse(_: &Rules, board: &str, _: Option<i64>) -> Result<State> {
        let digits = |letter| match letter {
            '0'..='4' => LETTERS[letter as usize - '0' as usize],
            letter => letter,
        };
        let text: String = tidied::<Self>(board)?.chars().map(digits).collect();
        let rows = swap::text::read::<COLUMNS, ROWS>(&text, &LETTERS, "cells")?;
        let board = Board::from_rows(&rows);
        match board.rows().as_flattened().iter().zip(rows.as_flattened()).position(|(rests, given)| rests != given) {
            None => Ok(State { board }),
            Some(cell) => Err(Error::user(format!(
                "row {}, column {} of the board (both from 0) cannot be {:?}: tiles stand on tiles, and no column \
                 before the last filled one is empty",
                cell / COLUMNS,
                cell % COLUMNS,
                LETTERS[usize::from(rows.as_flattened()[cell])]
            ))),
        }
    }

    fn words(state: &State, action: usize) -> String {
        let groups = state.board.groups();
        let size = state.board.group_at(&groups, action).map_or(0, |group| group.size);
        format!("{} at row {}, column {}", counted(size, "tiles"), action / COLUMNS, action % COLUMNS)
    }

    fn cells(_: &State, action: usize) -> Vec<(usize, usize)> {
        vec![(action / COLUMNS, action % COLUMNS)]
    }

    /// `[row, column]`
    fn to_json(action: usize) -> Value {
        vec![action / COLUMNS, action % COLUMNS].into()
    }

    fn from_json(value: &Value) -> std::result::Result<usize, String> {
        let [row, column] = <[usize; 2]>::deserialize(value)
            .map_err(|_| "a move is [row, column], such as [3, 4], both from 0".to_owned())?;
        match row < ROWS && column < COLUMNS {
            true => Ok(row * COLUMNS + column),
            false => Err(format!("[{row}, {column}] is outside of the board of {ROWS} rows and {COLUMNS} columns")),
        }
    }

    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>) {
        let groups = self.board.groups();
        let group = self.board.group_at(&groups, action);
        let cleared = self.board.cells(&groups, |one| Some(one) == group);
        let rows = self.board.rows();
        let letter = |column, row: usize| match cleared.contains(row * COLUMNS + column) {
            true => ' ',
            false => LETTERS[usize::from(rows[row][column])],
        };
        let before = swap::text::show::<COLUMNS, ROWS>(letter);
        (self.step(action, draw), vec![before])
    }
}
