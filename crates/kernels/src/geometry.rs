//! Positions of numbers in a block of boards.

use std::ops::Range;

use super::line::WIDTH;
use crate::precision::Precision;

/// Sizes and precision of a convolution, channels last.
///
/// The kernel is square, of odd size, with stride 1 and a padding of zeros that keeps the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Boards in the batch.
    pub boards: usize,
    /// Rows of a board.
    pub rows: usize,
    /// Columns of a board.
    pub columns: usize,
    /// Channels of the input.
    pub inputs: usize,
    /// Channels of the output.
    pub outputs: usize,
    /// Rows and columns of the kernel.
    pub kernel: usize,
    /// Precision of the products, if the kernel is 3x3 and boards are not small.
    pub precision: Precision,
}

/// Cells of a block, about: block and weights stay in the nearest cache.
const CELLS: usize = 240;

impl Shape {
    /// Cells of a board.
    pub fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// Taps of a kernel.
    pub fn taps(&self) -> usize {
        self.kernel * self.kernel
    }

    /// Groups of up to 16 channels of the input.
    pub fn groups(&self) -> usize {
        self.inputs.div_ceil(WIDTH)
    }

    /// Boards of a block, at any batch size.
    pub fn block(&self) -> usize {
        (CELLS / self.cells()).max(1)
    }

    fn border(&self) -> usize {
        self.kernel / 2
    }

    /// Columns of a padded board; neighbouring rows and boards share zeros.
    pub fn padded_columns(&self) -> usize {
        self.columns + self.border()
    }

    fn padded_rows(&self) -> usize {
        self.rows + self.border()
    }

    /// Lines of a group of a padded block, with zeros.
    pub fn padded(&self) -> usize {
        let rows = self.block() * self.padded_rows() + self.border();
        // Windows may reach a row or a column behind the last.
        let beyond = self.padded_columns() + 1;
        rows * self.padded_columns() + self.border() + beyond
    }

    /// Line of a block's cell in the padded block.
    pub fn line(&self, cell: usize) -> usize {
        self.corner_of(cell) + self.border() * self.padded_columns() + self.border()
    }

    /// Line of each cell of a block in the padded block.
    pub fn lines(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.block() * self.cells()).map(|cell| self.line(cell))
    }

    /// First line of the neighbourhood of a board's row and column.
    pub fn corner(&self, board: usize, [row, column]: [usize; 2]) -> usize {
        (board * self.padded_rows() + row) * self.padded_columns() + column
    }

    fn corner_of(&self, cell: usize) -> usize {
        let (board, cell) = (cell / self.cells(), cell % self.cells());
        self.corner(board, [cell / self.columns, cell % self.columns])
    }

    /// First number of a cell's neighbourhood in the padded block.
    pub fn neighbourhood(&self, cell: usize) -> usize {
        self.corner_of(cell) * WIDTH
    }

    /// The kernel's middle tap alone.
    pub fn centre(&self) -> Rectangle {
        let centre = self.border()..self.border() + 1;
        Rectangle { rows: centre.clone(), columns: centre }
    }

    /// Offset in the neighbourhood and line in a panel of each input and tap, in the panel's order.
    pub fn neighbours(&self, taps: &Rectangle) -> impl Iterator<Item = (usize, usize)> {
        let shape = *self;
        let taps: Vec<usize> = taps.cells(self.kernel).collect();
        (0..self.inputs).step_by(WIDTH).flat_map(move |first| {
            let channels = first..shape.inputs.min(first + WIDTH);
            let cells: Vec<(usize, usize)> = taps
                .iter()
                .flat_map(|tap| {
                    let group = first / WIDTH * shape.padded();
                    let line = group + tap / shape.kernel * shape.padded_columns() + tap % shape.kernel;
                    channels.clone().map(move |input| (line * WIDTH + input % WIDTH, shape.weight_line(input, *tap)))
                })
                .collect();
            cells
        })
    }

    /// Each row of the kernel in each group, with offsets of [`neighbours`](Self::neighbours).
    pub fn kernel_rows(&self) -> Vec<(usize, Vec<usize>)> {
        let kernel = Rectangle { rows: 0..self.kernel, columns: 0..self.kernel };
        let row = |offset: usize| offset / WIDTH % self.padded() / self.padded_columns();
        let offsets: Vec<usize> = self.neighbours(&kernel).map(|(offset, _)| offset).collect();
        let runs = offsets.chunk_by(|a, b| row(*a) == row(*b));
        runs.map(|run| (row(run[0]), run.to_vec())).collect()
    }

    /// Cells of a block with a row of the kernel on the board.
    pub fn cells_with(&self, kernel_row: usize) -> impl Iterator<Item = usize> + '_ {
        let rows = self.border()..self.border() + self.rows;
        let reached = move |cell: &usize| rows.contains(&(cell % self.cells() / self.columns + kernel_row));
        (0..self.block() * self.cells()).filter(reached)
    }

    /// Rectangles of a board's cells with all taps that they have on the board: inner cells, each
    /// column near the border, and each row near the border between these columns.
    pub fn regions(&self) -> Vec<(Rectangle, Rectangle)> {
        let inner = self.inner(self.columns);
        let taps = |cells: &Range<usize>, size: usize| {
            (self.border() + 1).saturating_sub(cells.end)..self.kernel.min(size + self.border() - cells.start)
        };
        let mut regions = Vec::new();
        for columns in split(self.columns, &inner) {
            let all = 0..self.rows;
            let rows = if columns == inner { split(self.rows, &self.inner(self.rows)) } else { vec![all] };
            for rows in rows {
                let taps = Rectangle { rows: taps(&rows, self.rows), columns: taps(&columns, self.columns) };
                regions.push((Rectangle { rows, columns: columns.clone() }, taps));
            }
        }
        regions
    }

    /// Rows or columns, of `size`, whose taps are all on the board.
    fn inner(&self, size: usize) -> Range<usize> {
        let start = self.border().min(size);
        start..size.saturating_sub(self.border()).max(start)
    }

    /// Convolution from the output's gradients to the input's.
    pub fn transposed(&self) -> Self {
        Self { inputs: self.outputs, outputs: self.inputs, ..*self }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rectangle {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

impl Rectangle {
    /// Cells, row by row, in a board of `columns` columns.
    pub fn cells(&self, columns: usize) -> impl Iterator<Item = usize> {
        let within = self.columns.clone();
        self.rows.clone().flat_map(move |row| within.clone().map(move |column| row * columns + column))
    }
}

/// `0..size` as the range `inner` and each number outside.
fn split(size: usize, inner: &Range<usize>) -> Vec<Range<usize>> {
    let outer = (0..inner.start).chain(inner.end..size).map(|number| number..number + 1);
    outer.chain([inner.clone()]).filter(|range| !range.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_regions_are_all_cells_once_with_every_tap_that_is_on_the_board() {
        for (rows, columns, kernel) in [(10, 8, 3), (10, 8, 1), (10, 8, 5), (1, 1, 3), (1, 30, 3), (4, 2, 5), (2, 3, 7)]
        {
            let shape = Shape { boards: 1, rows, columns, inputs: 1, outputs: 1, kernel, precision: Precision::F32 };
            let mut seen = vec![0; rows * columns];
            for (cells, taps) in shape.regions() {
                let taps: Vec<usize> = taps.cells(kernel).collect();
                for cell in cells.cells(columns) {
                    seen[cell] += 1;
                    let on_board = |tap: usize| {
                        let (row, column) = (cell / columns + tap / kernel, cell % columns + tap % kernel);
                        let border = kernel / 2;
                        (border..border + rows).contains(&row) && (border..border + columns).contains(&column)
                    };
                    assert!((0..kernel * kernel).all(|tap| !on_board(tap) || taps.contains(&tap)), "{shape:?}");
                }
            }
            assert!(seen.iter().all(|times| *times == 1), "{shape:?}: {seen:?}");
        }
    }
}
