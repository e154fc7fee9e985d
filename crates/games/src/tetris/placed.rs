use std::sync::LazyLock;

use super::lanes::{LANES, Numbers};
use super::piece::{COLUMNS, Orientation, TALLEST, action, placements};

/// Some placements of a piece, a lane each, without a wall.
pub struct Placed {
    pub count: usize,
    pub actions: [u8; LANES],
    /// Columns of the piece; a narrow piece repeats its first.
    pub columns: [Numbers; TALLEST],
    /// Rows of the lowest cell and above the highest cell in these columns, neutral for a narrow
    /// piece.
    pub lower: [Numbers; TALLEST],
    pub upper: [Numbers; TALLEST],
    pub cells: [Numbers; TALLEST],
    pub height: Numbers,
    pub tallest: usize,
    pub widest: usize,
    /// Row above the piece's cells for each column of the wall, and all bits where the piece has
    /// cells.
    pub above: [Numbers; COLUMNS],
    pub is_here: [Numbers; COLUMNS],
}

static PLACED: LazyLock<[Vec<Placed>; 7]> = LazyLock::new(|| {
    std::array::from_fn(|piece| {
        let all: Vec<_> = placements(piece as u8).collect();
        all.chunks(LANES).map(Placed::of).collect()
    })
});

impl Placed {
    pub fn all(piece: u8) -> &'static [Self] {
        PLACED.get(usize::from(piece)).map_or(&[], Vec::as_slice)
    }

    fn of(some: &[(usize, usize, &'static Orientation)]) -> Self {
        const NONE: Numbers = Numbers::all(0);
        let mut placed = Self {
            count: some.len(),
            actions: [0; LANES],
            columns: [NONE; TALLEST],
            lower: [Numbers::all(u16::MAX); TALLEST],
            upper: [NONE; TALLEST],
            cells: [NONE; TALLEST],
            height: NONE,
            tallest: 0,
            widest: 0,
            above: [NONE; COLUMNS],
            is_here: [NONE; COLUMNS],
        };
        for (lane, (orientation, column, turned)) in some.iter().enumerate() {
            placed.actions[lane] = action(*orientation, *column) as u8;
            placed.height.0[lane] = turned.height as u16;
            placed.tallest = placed.tallest.max(turned.height);
            placed.widest = placed.widest.max(turned.width);
            for index in 0..TALLEST {
                placed.columns[index].0[lane] = *column as u16;
                placed.cells[index].0[lane] = turned.rows[index] << column;
                if index < turned.width {
                    placed.columns[index].0[lane] = (column + index) as u16;
                    placed.lower[index].0[lane] = turned.lower[index].into();
                    placed.upper[index].0[lane] = turned.upper[index].into();
                    placed.above[column + index].0[lane] = turned.upper[index].into();
                    placed.is_here[column + index].0[lane] = u16::MAX;
                }
            }
        }
        placed
    }
}
