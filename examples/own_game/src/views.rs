//! What learners, networks and people see of the game.

use matchq::error::{Error, Result};
use matchq::games::{ActionFeatures, Game, Image, Shape, StateFeatures, Text, Token, tidied};

use crate::rules::{COLOURS, COLUMNS, Groups, MOVES, ROWS, State, UNKNOWN};

impl StateFeatures for Groups {
    const NAMES: &'static [&'static str] = &["groups", "largest"];

    /// Points of all groups together, and of the largest.
    fn features(state: &State) -> Vec<f64> {
        let sizes = state.groups().iter().map(|cell| state.group(cell).count());
        let points: Vec<f64> = sizes.map(|n| (n * (n - 1)) as f64).filter(|_| state.moves_left > 0).collect();
        vec![points.iter().sum(), points.iter().copied().fold(0.0, f64::max)]
    }
}

impl ActionFeatures for Groups {}

impl Image for Groups {
    const PLANES: usize = COLOURS as usize;
    const COLOURS: usize = COLOURS as usize;
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const SCALARS: usize = 1;
    const ACTION_PLANES: usize = 1;
    const SYMMETRIES: usize = 2;

    fn encode(state: &State, symmetry: usize, image: &mut [impl Copy + From<bool>], scalars: &mut [f32]) {
        image.fill(false.into());
        for (cell, colour) in state.cells.iter().enumerate().filter(|(_, colour)| **colour != UNKNOWN) {
            image[usize::from(*colour) * Self::ACTIONS + Self::transform_action(cell, symmetry)] = true.into();
        }
        scalars[0] = f32::from(state.moves_left) / f32::from(MOVES);
    }

    fn place(action: usize) -> (usize, usize, usize) {
        (0, action / COLUMNS, action % COLUMNS)
    }

    fn transform_action(action: usize, symmetry: usize) -> usize {
        if symmetry == 0 { action } else { action + COLUMNS - 1 - 2 * (action % COLUMNS) }
    }
}

impl Text for Groups {
    const BOARD: &'static str = "six lines of five of a b c d";
    const TOKENS: &'static [Token] = &[
        Token { letter: 'a', colour: [0xe5, 0x48, 0x4d], shape: Shape::Circle },
        Token { letter: 'b', colour: [0x46, 0xb3, 0x6b], shape: Shape::Square },
        Token { letter: 'c', colour: [0x4c, 0x7d, 0xf0], shape: Shape::Diamond },
        Token { letter: 'd', colour: [0xf2, 0xb1, 0x34], shape: Shape::Star },
    ];

    fn board(state: &State) -> String {
        let row = |row: &[u8]| row.iter().map(|colour| char::from(b"abcd "[usize::from(*colour)])).collect();
        state.cells.chunks(COLUMNS).map(row).collect::<Vec<String>>().join("\n")
    }

    fn parse((): &(), board: &str, actions_left: Option<i64>) -> Result<State> {
        let board = tidied::<Self>(board)?;
        let wrong = || Error::user(format!("the board must be {}, with 0 to {MOVES} moves left", Self::BOARD));
        let colour = |letter: char| "abcd".find(letter).map(|colour| colour as u8);
        let cells: Option<Vec<u8>> = board.lines().flat_map(str::chars).map(colour).collect();
        let cells = cells.and_then(|cells| cells.try_into().ok()).ok_or_else(wrong)?;
        let moves_left = actions_left.unwrap_or(MOVES.into()).try_into().ok().filter(|left| *left <= MOVES);
        let is_whole = board.lines().all(|row| row.len() == COLUMNS);
        moves_left.filter(|_| is_whole).map(|moves_left| State { cells, moves_left }).ok_or_else(wrong)
    }

    fn cells(_: &State, action: usize) -> Vec<(usize, usize)> {
        vec![(action / COLUMNS, action % COLUMNS)]
    }
}
