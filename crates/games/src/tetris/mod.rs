//! Tetris as the literature plays it: pieces drop straight, the next one is unknown.
//!
//! `docs/tetris.md` gives the rules.

mod batch;
mod chunk;
mod features;
mod lanes;
mod piece;
mod placed;
mod state;
mod surface;
mod text;
mod wall;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use features::{Feature, REPORT};
pub use state::State;

use super::{
    ActionFeatures, ActionMask, Game, GiveWeighed, Image, Lookahead, Mask, MaskKind, Pieces, Shape, StateFeatures,
    Step, Text, Token, tidied,
};
use crate::error::{Error, Result};
use crate::random::{Draw, Stream};
use crate::rules;
use batch::{Batch, Weighing};
use piece::{COLUMNS, LETTERS, Orientation, PIECES, ROWS, UNKNOWN, placement, placements, turned};
use wall::Wall;

/// Placements that do not lose the game.
pub const SAFE: MaskKind = MaskKind(1);

const ACTIONS: usize = 4 * COLUMNS;

/// Parameters of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    #[serde(deserialize_with = "read::rows")]
    rows: u32,
}

rules::numbers! {
    rows: "the number of rows" in 4..=ROWS as u32;
}

impl Rules {
    /// Rules with from 4 to 20 rows.
    pub fn new(rows: u32) -> Result<Self> {
        Ok(Self { rows: checked::rows(rows)? })
    }

    /// Rows of the wall.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self { rows: ROWS as u32 }
    }
}

/// A game of Tetris.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "text::Saved", into = "text::Saved")]
pub struct Tetris {
    wall: Wall,
    height: u8,
    piece: u8,
    lost: bool,
    score: i32,
}

impl Tetris {
    /// Mean height of the columns, in half rows.
    pub fn mean_height_in_half_rows(&self) -> usize {
        let heights: usize = self.wall.tops.iter().map(|top| usize::from(*top)).sum();
        heights / (COLUMNS / 2)
    }

    /// Position with another piece, given by its number in the order O I L J T S Z.
    pub fn with_piece(state: &State, piece: usize) -> State {
        State::pack(&state.wall(), piece as u8, state.height() as u8, state.is_lost())
    }

    /// Plays an action; `see` gets the wall before full rows are removed.
    #[inline]
    fn play(&mut self, action: usize, draw: &mut impl Draw, mut see: impl FnMut(&Wall)) -> Step {
        if self.lost {
            return Step { reward: 0.0, terminal: true, waves: 0 };
        }
        let fits = |(_, column, turned): &(usize, usize, &Orientation)| {
            self.wall.rest(turned, *column) + turned.height <= self.height.into()
        };
        let Some((_, column, turned)) = turned(self.piece, action).filter(fits) else {
            self.lost = true;
            return Step { reward: 0.0, terminal: true, waves: 0 };
        };
        let rest = self.wall.put(turned, column);
        see(&self.wall);
        if rest.lines > 0 {
            self.wall.clear();
        }
        self.score = self.score.saturating_add(rest.lines as i32);
        self.piece = draw.below(PIECES.len() as u32) as u8;
        Step { reward: rest.lines as f32, terminal: false, waves: u32::from(rest.lines > 0) }
    }
}

impl Game for Tetris {
    type Rules = Rules;
    type State = State;
    type Rng = Stream;

    const NAME: &'static str = "tetris";
    const ACTIONS: usize = ACTIONS;
    const MASKS: &'static [Mask] = &[
        Mask::new("legal", "all placements of the piece"),
        Mask::new("safe", "placements that do not lose").as_default(),
    ];
    const MAY_END_EARLY: bool = true;

    fn new(rules: &Rules, draw: &mut impl Draw) -> Self {
        let piece = draw.below(PIECES.len() as u32) as u8;
        Self { wall: Wall::EMPTY, height: rules.rows as u8, piece, lost: false, score: 0 }
    }

    /// A game in a position, lost if the wall is too high for the rules.
    fn at(rules: &Rules, state: &State) -> Self {
        let wall = state.wall();
        let lost = state.is_lost() || wall.height() > rules.rows() || state.piece() == UNKNOWN;
        Self { wall, height: rules.rows as u8, piece: state.piece(), lost, score: 0 }
    }

    /// Plays an action; one that is no placement of the piece loses.
    #[inline]
    fn step(&mut self, action: usize, draw: &mut impl Draw) -> Step {
        self.play(action, draw, |_| ())
    }

    fn is_over(&self) -> bool {
        self.lost
    }

    fn score(&self) -> i32 {
        self.score
    }

    #[inline]
    fn state(&self) -> State {
        State::pack(&self.wall, self.piece, self.height, self.lost)
    }

    fn mask(state: &State, kind: MaskKind) -> ActionMask {
        let wall = state.wall();
        let is_in = |(_, column, turned): &(usize, usize, &Orientation)| {
            kind != SAFE || wall.rest(turned, *column) + turned.height <= state.height()
        };
        placements(state.piece()).filter(is_in).map(|(turn, column, _)| piece::action(turn, column)).collect()
    }
}

impl Lookahead for Tetris {
    const PIECES: Option<&'static dyn Pieces<Self>> = Some(&AllPieces);

    fn is_whole(state: &State) -> bool {
        state.piece() != UNKNOWN && !state.is_lost()
    }

    fn done(state: &State, action: usize) -> State {
        let mut wall = state.wall();
        match turned(state.piece(), action) {
            Some((_, column, turned)) if wall.rest(turned, column) + turned.height <= state.height() => {
                wall.put(turned, column);
                State::pack(&wall, UNKNOWN, state.height() as u8, false)
            }
            _ => State::pack(&wall, UNKNOWN, state.height() as u8, true),
        }
    }

    fn wave(state: &State) -> Option<(State, f32)> {
        let mut wall = state.wall();
        let lines = wall.clear();
        (lines > 0).then(|| (State::pack(&wall, state.piece(), state.height() as u8, state.is_lost()), lines as f32))
    }
}

impl Image for Tetris {
    const PLANES: usize = 1 + PIECES.len();
    const COLOURS: usize = 0;
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 4;
    const SYMMETRIES: usize = 1;

    /// The scalar is the number of rows over 20; a lost wall is full.
    fn encode(state: &State, _: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        let plane = ROWS * COLUMNS;
        image.fill(false.into());
        let wall = state.wall();
        for (row, cells) in image[..plane].chunks_exact_mut(COLUMNS).rev().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                let filled = state.is_lost() || wall.rows[row] >> column & 1 == 1;
                *cell = filled.into();
            }
        }
        if state.piece() != UNKNOWN {
            image[(1 + usize::from(state.piece())) * plane..][..plane].fill(true.into());
        }
        scalars[0] = state.height() as f32 / ROWS as f32;
    }

    fn place(action: usize) -> (usize, usize, usize) {
        let (orientation, column) = placement(action);
        (orientation, ROWS - 1, column)
    }

    fn transform_action(action: usize, _: usize) -> usize {
        action
    }
}

impl StateFeatures for Tetris {
    const NAMES: &'static [&'static str] = &[
        "row_transitions",
        "column_transitions",
        "holes",
        "well_sums_triangular",
        "hole_depth",
        "rows_with_holes",
        "diversity",
        "max_height",
        "sum_of_heights",
        "bumpiness",
    ];

    fn features(state: &State) -> Vec<f64> {
        let numbers = features::of_wall(&state.wall(), state.height());
        let of = |name: &&str| Feature::of(name).map_or(0.0, |feature| numbers[feature as usize]);
        Self::NAMES.iter().map(of).collect()
    }
}

impl ActionFeatures for Tetris {
    fn action_names() -> Vec<&'static str> {
        surface::names()
    }

    fn action_features(state: &State, mut give: impl FnMut(usize, &[(usize, f64)])) {
        let wall = state.wall();
        let mut all = Vec::with_capacity(piece::MOST_PLACEMENTS);
        Batch::with(|batch| {
            batch.features(&wall, state.piece(), state.height(), |action, _, numbers| {
                let numbers = numbers.into_iter().enumerate().filter(|(_, number)| *number != 0.0);
                all.push((action, numbers.collect::<Vec<_>>()));
            });
        });
        for (action, mut numbers) in all {
            let after = Self::after(state, action).state;
            let left = if after.is_lost() { wall } else { after.wall() };
            surface::features(&left.tops, |feature, number| numbers.push((feature, number)));
            give(action, &numbers);
        }
    }
}

/// Tetris's pieces, weighed by registers of sixteen placements.
struct AllPieces;

impl Pieces<Tetris> for AllPieces {
    fn letters(&self) -> &'static [char] {
        &LETTERS
    }

    fn rows(&self) -> usize {
        text::SHOWN
    }

    fn with_piece(&self, state: &State, piece: usize) -> State {
        Tetris::with_piece(state, piece)
    }

    fn steer(&self, state: &State, action: Option<usize>, columns: isize, turns: usize) -> Option<usize> {
        let pieces = PIECES.get(usize::from(state.piece()))?;
        let (orientation, column) = placement(action.unwrap_or(text::SHOWN_AT));
        let orientation = (orientation + turns) % pieces.len();
        let last = COLUMNS - pieces[orientation].width;
        Some(piece::action(orientation, column.saturating_add_signed(columns).min(last)))
    }

    fn steered(&self, state: &State, action: usize) -> String {
        text::falling(state, action).into_iter().next().unwrap_or_else(|| text::board(state))
    }

    fn is_of_placement(&self, feature: usize) -> bool {
        Feature::ALL.get(feature).is_some_and(|feature| feature.is_of_placement())
    }

    fn feature_sets(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let mut sets: Vec<_> = features::SETS
            .iter()
            .map(|(name, features)| (*name, features.iter().map(|feature| feature.name()).collect::<Vec<_>>()))
            .collect();
        for (name, features) in &mut sets {
            if *name == "bertsekas" {
                features.extend(surface::height_names());
            }
        }
        sets.push(("shapes", surface::shape_names()));
        sets
    }

    fn weigh(&self, states: &[State], terms: &[(usize, f64)], give: &mut GiveWeighed) {
        let weighing = Weighing::new(terms);
        for (index, state) in states.iter().enumerate() {
            let (mut all, mut count) = ([(0, 0.0); piece::MOST_PLACEMENTS], 0);
            Batch::with(|batch| {
                batch.each(&state.wall(), state.piece(), state.height(), &weighing, |action, value| {
                    all[count] = (action, value);
                    count += 1;
                });
            });
            // `give` may need this thread's batch for other positions.
            give(index, &all[..count]);
        }
    }

    fn drive(&self, game: &mut Tetris, terms: &[(usize, f64)], play: &mut dyn FnMut(&mut Tetris, usize) -> bool) {
        let weighing = Weighing::new(terms);
        Batch::with(|batch| {
            loop {
                let (action, _) = batch.best(&game.wall, game.piece, game.height.into(), &weighing);
                if !play(game, action) {
                    return;
                }
            }
        });
    }
}

impl Text for Tetris {
    const BOARD: &'static str = "up to twenty lines of ten . and #, or two lines of the piece above all rows";
    const TOKENS: &'static [Token] = &[
        Token { letter: '.', colour: [0x1e, 0x22, 0x2a], shape: Shape::Block },
        Token { letter: '#', colour: [0x8a, 0x93, 0xa6], shape: Shape::Square },
        Token { letter: 'O', colour: [0xf4, 0xd3, 0x3e], shape: Shape::Square },
        Token { letter: 'I', colour: [0x35, 0xc2, 0xd6], shape: Shape::Square },
        Token { letter: 'L', colour: [0xf0, 0x80, 0x2c], shape: Shape::Square },
        Token { letter: 'J', colour: [0x4c, 0x7d, 0xf0], shape: Shape::Square },
        Token { letter: 'T', colour: [0xb0, 0x6a, 0xe0], shape: Shape::Square },
        Token { letter: 'S', colour: [0x46, 0xb3, 0x6b], shape: Shape::Square },
        Token { letter: 'Z', colour: [0xe5, 0x48, 0x4d], shape: Shape::Square },
    ];

    /// Two lines of the piece, then the wall from its top.
    fn board(state: &State) -> String {
        text::board(state)
    }

    fn parse(rules: &Rules, board: &str, _: Option<i64>) -> Result<State> {
        let state = text::parse(&tidied::<Self>(board)?)?;
        let (filled, rows) = (state.wall().height(), rules.rows());
        match filled <= rows {
            true => Ok(State::pack(&state.wall(), state.piece(), rules.rows as u8, false)),
            false => Err(Error::user(format!("the wall is {filled} rows high, but by these rules it has {rows}"))),
        }
    }

    /// Piece, orientation, columns and rows that it clears, such as `T upright, columns 3 to 5,
    /// clears 1 line`.
    fn words(state: &State, action: usize) -> String {
        text::words(state, action, Self::after(state, action).points as u32)
    }

    fn cells(state: &State, action: usize) -> Vec<(usize, usize)> {
        text::cells(state, action)
    }

    /// `[orientation, column]`.
    fn to_json(action: usize) -> Value {
        let (orientation, column) = placement(action);
        json!([orientation, column])
    }

    fn from_json(value: &Value) -> std::result::Result<usize, String> {
        let wrong = || "a move is [orientation, column], such as [1, 4]: from 0 to 3, and from 0 to 9".to_owned();
        let (orientation, column) = <(usize, usize)>::deserialize(value).map_err(|_| wrong())?;
        (orientation < 4 && column < COLUMNS).then(|| piece::action(orientation, column)).ok_or_else(wrong)
    }

    fn frames(&mut self, action: usize, draw: &mut impl Draw) -> (Step, Vec<String>) {
        let before = self.state();
        let mut boards = text::falling(&before, action);
        let mut full = false;
        let step = self.play(action, draw, |wall| {
            full = wall.rows.contains(&piece::FULL);
            boards.push(text::show(wall, before.height(), UNKNOWN));
        });
        if !full {
            boards.pop();
        }
        (step, boards)
    }
}
