pub const COLUMNS: usize = 10;
pub const ROWS: usize = 20;
pub const FULL: u16 = (1 << COLUMNS) - 1;
pub const TALLEST: usize = 4;

pub const MOST_PLACEMENTS: usize = 34;

pub const LETTERS: [char; 7] = ['O', 'I', 'L', 'J', 'T', 'S', 'Z'];
pub const UNKNOWN: u8 = 7;

#[derive(Clone, Copy, Debug)]
pub struct Orientation {
    pub width: usize,
    pub height: usize,
    /// Lowest row in each column, 0 for the piece's lowest.
    pub lower: [u8; 4],
    /// Row above the highest cell in each column.
    pub upper: [u8; 4],
    /// Cells, a row each from below, bit 0 for the leftmost column.
    pub rows: [u16; TALLEST],
}

const fn orientation(lower: &[u8], upper: &[u8]) -> Orientation {
    let mut made = Orientation { width: lower.len(), height: 0, lower: [0; 4], upper: [0; 4], rows: [0; TALLEST] };
    let mut column = 0;
    while column < lower.len() {
        made.lower[column] = lower[column];
        made.upper[column] = upper[column];
        let mut row = lower[column] as usize;
        while row < upper[column] as usize {
            made.rows[row] |= 1 << column;
            row += 1;
        }
        if made.height < upper[column] as usize {
            made.height = upper[column] as usize;
        }
        column += 1;
    }
    made
}

/// Orientations of each piece, in the order of the literature.
pub const PIECES: [&[Orientation]; 7] = [
    &[orientation(&[0, 0], &[2, 2])],
    &[orientation(&[0], &[4]), orientation(&[0, 0, 0, 0], &[1, 1, 1, 1])],
    &[
        orientation(&[0, 0], &[3, 1]),
        orientation(&[0, 1, 1], &[2, 2, 2]),
        orientation(&[2, 0], &[3, 3]),
        orientation(&[0, 0, 0], &[1, 1, 2]),
    ],
    &[
        orientation(&[0, 0], &[1, 3]),
        orientation(&[0, 0, 0], &[2, 1, 1]),
        orientation(&[0, 2], &[3, 3]),
        orientation(&[1, 1, 0], &[2, 2, 2]),
    ],
    &[
        orientation(&[0, 1], &[3, 2]),
        orientation(&[1, 0, 1], &[2, 2, 2]),
        orientation(&[1, 0], &[2, 3]),
        orientation(&[0, 0, 0], &[1, 2, 1]),
    ],
    &[orientation(&[0, 0, 1], &[1, 2, 2]), orientation(&[1, 0], &[3, 2])],
    &[orientation(&[1, 0, 0], &[2, 2, 1]), orientation(&[0, 1], &[2, 3])],
];

/// Orientation and leftmost column of an action.
pub const fn placement(action: usize) -> (usize, usize) {
    (action / COLUMNS, action % COLUMNS)
}

pub const fn action(orientation: usize, column: usize) -> usize {
    orientation * COLUMNS + column
}

/// Number of the orientation, leftmost column and orientation of a piece's action, if it is one.
#[inline]
pub fn turned(piece: u8, action: usize) -> Option<(usize, usize, &'static Orientation)> {
    let (orientation, column) = placement(action);
    let turned = PIECES.get(usize::from(piece))?.get(orientation)?;
    (column + turned.width <= COLUMNS).then_some((orientation, column, turned))
}

/// All placements of a piece in order: number of the orientation, leftmost column, orientation.
pub fn placements(piece: u8) -> impl Iterator<Item = (usize, usize, &'static Orientation)> {
    let turned = PIECES.get(usize::from(piece)).copied().unwrap_or_default();
    turned
        .iter()
        .enumerate()
        .flat_map(|(index, turned)| (0..=COLUMNS - turned.width).map(move |column| (index, column, turned)))
}
