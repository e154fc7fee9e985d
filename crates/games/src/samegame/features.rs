use super::board::Board;
use super::{COLOURS, COLUMNS, SameGame, State};
use crate::StateFeatures;

/// Numbers of a colour.
const OF_COLOUR: usize = 6;
const NUMBERS: usize = OF_COLOUR * COLOURS + 3;

/// Writes out names of features for the colours by rank, and the names of others.
macro_rules! names {
    ($($name:literal),+; $($other:literal),+) => {
        &[
            $(concat!($name, " 1"),)+ $(concat!($name, " 2"),)+ $(concat!($name, " 3"),)+ $(concat!($name, " 4"),)+
            $(concat!($name, " 5"),)+ $($other,)+
        ]
    };
}

/// Numbers of a position for the colours in order of their tiles, the commonest first, then of the
/// whole board.
impl StateFeatures for SameGame {
    /// Of each colour: its tiles, their square, the square of its largest group, the points of its
    /// groups, its groups (single tiles too) and its single tiles. Of the board: columns, moves, and the sum
    /// of the differences of neighbouring heights. Squares and points are divided by ten. All are 0 where
    /// no move is left.
    const NAMES: &'static [&'static str] = names!(
        "tiles", "tiles squared", "largest squared", "points", "groups", "singles";
        "columns", "moves", "steps"
    );

    fn features(state: &State) -> Vec<f64> {
        numbers(&state.board).to_vec()
    }

    fn descriptions(state: &State, mut give: impl FnMut(&[f64])) {
        give(&numbers(&state.board));
    }
}

fn numbers(board: &Board) -> [f64; NUMBERS] {
    let mut colours = [[0u32; OF_COLOUR]; COLOURS];
    let mut moves = 0;
    for group in board.groups().iter() {
        let [tiles, _, largest, points, groups, singles] = &mut colours[group.colour];
        *tiles += group.size;
        *largest = group.size.max(*largest);
        *groups += 1;
        match group.size {
            1 => *singles += 1,
            size => (*points, moves) = (*points + (size - 2) * (size - 2), moves + 1),
        }
    }
    if moves == 0 {
        return [0.0; NUMBERS];
    }
    colours.sort_unstable_by(|one, other| other.cmp(one));
    let mut numbers = [0.0; NUMBERS];
    let (of_colours, of_board) = numbers.split_at_mut(OF_COLOUR * COLOURS);
    for (numbers, [tiles, _, largest, points, groups, singles]) in of_colours.chunks_exact_mut(OF_COLOUR).zip(colours) {
        let tenth = |number: u32| f64::from(number) / 10.0;
        let squares = [tenth(tiles * tiles), tenth(largest * largest), tenth(points)];
        numbers[0] = tiles.into();
        numbers[1..4].copy_from_slice(&squares);
        (numbers[4], numbers[5]) = (groups.into(), singles.into());
    }
    let width = board.width();
    let step = |column: usize| board.height(column).abs_diff(board.height(column - 1));
    let steps: usize = (1..width.min(COLUMNS)).map(step).sum();
    of_board.copy_from_slice(&[width as f64, f64::from(moves), steps as f64]);
    numbers
}
