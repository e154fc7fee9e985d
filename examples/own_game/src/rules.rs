//! A game of one's own, the example of docs/own-game.md: its rules.
//!
//! A player takes a group of equal tiles, the tiles above fall, and new ones come in.

use serde::{Deserialize, Serialize};

use matchq::games::{ActionMask, After, Game, Lookahead, Mask, MaskKind, Step};
use matchq::random::{Draw, Stream};

pub const ROWS: usize = 6;
pub const COLUMNS: usize = 5;
pub const COLOURS: u8 = 4;
pub const MOVES: u8 = 20;
/// Colour of a tile that chance has not drawn yet.
pub const UNKNOWN: u8 = COLOURS;

/// Colours row by row from the top, and the moves left.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    pub cells: [u8; ROWS * COLUMNS],
    pub moves_left: u8,
}

/// A game: its position and the points so far.
#[derive(Clone, Serialize, Deserialize)]
pub struct Groups {
    state: State,
    score: i32,
}

impl State {
    /// Cells of a cell's group: its neighbours of the same colour, theirs, and so on.
    pub fn group(&self, cell: usize) -> ActionMask {
        let (mut group, mut open) = (ActionMask::empty(), vec![cell]);
        while let Some(at) = open.pop() {
            group.insert(at);
            let near = |to: &usize| (at / COLUMNS).abs_diff(to / COLUMNS) + (at % COLUMNS).abs_diff(to % COLUMNS) == 1;
            let equal = |to: &usize| self.cells[*to] == self.cells[at] && !group.contains(*to);
            open.extend((0..Groups::ACTIONS).filter(near).filter(equal));
        }
        group
    }

    /// First cells of all groups of two or more known tiles.
    pub fn groups(&self) -> ActionMask {
        let known = (0..self.cells.len()).filter(|cell| self.cells[*cell] != UNKNOWN);
        known.filter(|cell| self.group(*cell).count() > 1 && self.group(*cell).nth(0) == Some(*cell)).collect()
    }

    /// Takes the group of a cell, n tiles for n (n - 1) points; `draw` gives the new tiles.
    pub fn take(&mut self, cell: usize, mut draw: impl FnMut() -> u8) -> i32 {
        let group = self.group(cell);
        for column in 0..COLUMNS {
            let cells = (0..ROWS).rev().map(|row| row * COLUMNS + column);
            let rest: Vec<u8> = cells.clone().filter(|at| !group.contains(*at)).map(|at| self.cells[at]).collect();
            let tiles = rest.into_iter().chain(std::iter::from_fn(|| Some(draw())));
            cells.zip(tiles).for_each(|(cell, tile)| self.cells[cell] = tile);
        }
        self.moves_left = self.moves_left.saturating_sub(1);
        (group.count() * (group.count() - 1)) as i32
    }
}

impl Game for Groups {
    type Rules = ();
    type State = State;
    type Rng = Stream;
    const NAME: &'static str = "groups";
    const ACTIONS: usize = ROWS * COLUMNS;
    const MASKS: &'static [Mask] =
        &[Mask::new("legal", "all cells"), Mask::new("groups", "a cell of each group").as_default()];

    fn new((): &(), draw: &mut impl Draw) -> Self {
        let cells = std::array::from_fn(|_| draw.below(COLOURS.into()) as u8);
        Self { state: State { cells, moves_left: MOVES }, score: 0 }
    }

    fn at((): &(), state: &State) -> Self {
        Self { state: *state, score: 0 }
    }

    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step {
        let mut reward = 0;
        if !self.is_over() {
            reward = self.state.take(action, || draw.below(COLOURS.into()) as u8);
            self.score += reward;
        }
        Step { reward: reward as f32, terminal: self.is_over(), waves: 0 }
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
        if kind == MaskKind::LEGAL { ActionMask::all(Self::ACTIONS) } else { state.groups() }
    }

    fn actions_left(state: &State) -> usize {
        state.moves_left.into()
    }
}

impl Lookahead for Groups {
    fn done(state: &State, action: usize) -> State {
        Self::after(state, action).state
    }

    fn after(state: &State, action: usize) -> After<State> {
        let mut state = *state;
        let points = state.take(action, || UNKNOWN) as f32;
        After { actions: Self::gaining_actions(&state), state, points }
    }

    fn is_whole(state: &State) -> bool {
        !state.cells.contains(&UNKNOWN)
    }

    fn gaining_actions(state: &State) -> ActionMask {
        if state.moves_left > 0 { state.groups() } else { ActionMask::empty() }
    }
}
