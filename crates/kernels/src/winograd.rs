//! Winograd's minimal filtering: 3x3 convolutions with fewer multiplications.
//!
//! A window of 2x2 cells sees a patch of 4x4, one of 2x4 a patch of 4x6. Patch and kernel are
//! transformed to as many nodes, multiplied node by node, summed over the channels, and
//! transformed to the window. A cell takes four or three multiplications for a pair of channels, not
//! nine (F(2x2, 3x3) and F(2x4, 3x3), Lavin and Gray 2016, <https://arxiv.org/abs/1509.09308>). The
//! gradient of the weights goes backwards.

use super::filters::{
    combine, combine_long, transform_data, transform_gradient, transform_long_data, transform_long_gradient,
};
use super::geometry::Shape;
use super::line::{Line, WIDTH};
use super::outputs::Finish;
use super::register::{Register, with_the_best_instructions};
use super::unit::Rounding;
use crate::precision::Precision;

/// Cells of a window: two along the short axis, two or four along the long axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Square,
    Wide,
    Tall,
}

impl Form {
    /// Cells along the long axis.
    pub fn long(self) -> usize {
        if self == Self::Square { 2 } else { 4 }
    }

    pub fn nodes(self) -> usize {
        4 * (self.long() + 2)
    }

    pub fn size(self) -> [usize; 2] {
        self.turned([2, self.long()])
    }

    /// From short and long axis to rows and columns, or back.
    pub fn turned<T>(self, [first, second]: [T; 2]) -> [T; 2] {
        if self == Self::Tall { [second, first] } else { [first, second] }
    }

    /// Row and column of each cell of a window.
    pub fn cells(self) -> impl Iterator<Item = [usize; 2]> {
        (0..2).flat_map(move |short| (0..self.long()).map(move |long| self.turned([short, long])))
    }

    /// Number of windows of a board, if they fit.
    ///
    /// At most one of four cells of a window may be beyond the board: numbers from behind the border
    /// reach only that cell.
    fn windows(self, [rows, columns]: [usize; 2]) -> Option<usize> {
        let [_, length] = self.turned([rows, columns]);
        let [height, width] = self.size();
        let fits = self == Self::Square || matches!(length % 4, 0 | 3);
        fits.then(|| rows.div_ceil(height) * columns.div_ceil(width))
    }
}

const NODES: usize = 24;
const ALONG: usize = 6;

#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub board: usize,
    pub cell: [usize; 2],
}

/// Positions of a block's windows in the padded block.
pub struct Windows {
    /// First line of each window's patch.
    corners: Vec<usize>,
    /// Board of each window, and cells on the board along each axis.
    within: Vec<(usize, [usize; 2])>,
    form: Form,
    /// Line after the last of any patch.
    end: usize,
    /// Lines from one cell to the next, along the short and the long axis.
    apart: [usize; 2],
    block: usize,
}

impl Windows {
    pub fn new(shape: &Shape, windows: &[Window]) -> Self {
        let form = shape.form();
        let apart = form.turned([shape.padded_columns(), 1]);
        let corners: Vec<usize> = windows.iter().map(|window| shape.corner(window.board, window.cell)).collect();
        let reach = 3 * apart[0] + (form.long() + 1) * apart[1] + 1;
        let end = corners.iter().max().map_or(0, |last| last + reach);
        let [height, width] = form.size();
        let size = |[row, column]: [usize; 2]| {
            form.turned([(shape.rows - row).min(height), (shape.columns - column).min(width)])
        };
        let within = windows.iter().map(|window| (window.board, size(window.cell))).collect();
        Self { corners, within, form, end, apart, block: shape.padded() }
    }

    pub fn cells(&self) -> usize {
        2 * self.form.long()
    }

    pub fn nodes(&self) -> usize {
        self.form.nodes()
    }

    pub fn count(&self) -> usize {
        self.corners.len()
    }

    pub fn block(&self) -> usize {
        self.block
    }

    /// Transforms all patches of a padded block: `[nodes, groups, windows]`.
    pub fn read(&self, padded: &[Line], transformed: &mut [Line]) {
        patches_of(self, padded, transformed);
    }

    /// Transforms the windows of a group of padded gradients: `[nodes, windows]`.
    pub fn read_gradient(&self, padded: &[Line], transformed: &mut [Line]) {
        gradients_of(self, padded, transformed);
    }

    /// [`read`](Self::read) in pairs of channels; a group has the channels of two lines.
    pub fn read_pairs(&self, padded: &[Line], transformed: &mut [Line]) {
        pairs_of(self, padded, transformed);
    }

    /// [`read`](Self::read) in pairs of windows: `[nodes, groups, pairs]`.
    pub fn read_windows_in_pairs(&self, padded: &[Line], transformed: &mut [Line]) {
        windows_in_pairs_of(self, padded, transformed);
    }

    /// [`read_gradient`](Self::read_gradient) in pairs of windows: `[nodes, pairs]`.
    pub fn read_gradient_in_pairs(&self, padded: &[Line], transformed: &mut [Line]) {
        gradients_in_pairs_of(self, padded, transformed);
    }

    /// Pairs of windows; a last odd window pairs with zeros.
    pub fn pairs(&self) -> usize {
        self.count().div_ceil(2)
    }
}

impl Shape {
    /// Form of windows with the fewest multiplications; in bfloat16 only square windows are exact
    /// enough.
    pub fn form(&self) -> Form {
        let board = [self.rows, self.columns];
        let multiplications = |form: Form| Some((form.nodes() * form.windows(board)?, form));
        let forms = match self.precision {
            Precision::F32 => &[Form::Square, Form::Wide, Form::Tall][..],
            Precision::Bf16 => &[Form::Square],
        };
        let counted = forms.iter().filter_map(|form| multiplications(*form));
        counted.min_by_key(|(count, _)| *count).map_or(Form::Square, |(_, form)| form)
    }

    /// Whether square windows take fewer multiplications than direct sums.
    pub fn suits_winograd(&self) -> bool {
        let reached = |size: usize| 3 * size - 2;
        self.kernel == 3
            && 16 * self.rows.div_ceil(2) * self.columns.div_ceil(2) < reached(self.rows) * reached(self.columns)
    }

    /// All windows of the first `boards` boards of a block.
    pub fn windows_of(&self, boards: usize) -> impl Iterator<Item = Window> {
        let shape = *self;
        (0..boards).flat_map(move |board| shape.windows().map(move |cell| Window { board, cell }))
    }

    /// First cell (row, column) of each window of a board.
    pub fn windows(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let (rows, columns, [height, width]) = (self.rows, self.columns, self.form().size());
        (0..rows).step_by(height).flat_map(move |row| (0..columns).step_by(width).map(move |column| [row, column]))
    }
}

with_the_best_instructions! {
    fn patches_of(windows: &Windows, padded: &[Line], transformed: &mut [Line]) = long(windows.form) => read_all[false]
}

with_the_best_instructions! {
    fn gradients_of(windows: &Windows, padded: &[Line], transformed: &mut [Line]) = long(windows.form) => read_all[true]
}

#[inline(always)]
unsafe fn read_all<R: Register, const LONG: usize, const GRADIENTS: bool>(
    windows: &Windows,
    padded: &[Line],
    transformed: &mut [Line],
) {
    assert_eq!(windows.form.long(), LONG, "windows of that form");
    let (count, groups) = (windows.count(), padded.len() / windows.block());
    assert!(
        windows.end <= windows.block() && transformed.len() >= windows.nodes() * groups * count,
        "a block of these windows"
    );
    for group in 0..groups {
        for (window, corner) in windows.corners.iter().enumerate() {
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: the block holds the lines of each patch, as asserted, and the output the
                // nodes of each group and window.
                unsafe {
                    let from = padded.as_ptr().add(group * windows.block() + corner).cast::<f32>().add(lane);
                    let to = transformed.as_mut_ptr().add(group * count + window).cast::<f32>().add(lane);
                    let nodes = nodes_of::<R, LONG, GRADIENTS>(from, windows.apart);
                    for (number, node) in nodes.into_iter().enumerate().take(4 * (LONG + 2)) {
                        node.store(to.add(number * groups * count * WIDTH));
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    fn pairs_of(windows: &Windows, padded: &[Line], transformed: &mut [Line]) = pairs read_in_pairs
}

/// With an odd number of groups, half of each last line keeps unused content.
#[inline(always)]
unsafe fn read_in_pairs<R: Register, U: Rounding<R>>(windows: &Windows, padded: &[Line], transformed: &mut [Line]) {
    let (count, groups) = (windows.count(), padded.len() / windows.block());
    let doubled = groups.div_ceil(2);
    assert_eq!(windows.form, Form::Square, "square windows");
    assert!(
        windows.end <= windows.block() && transformed.len() >= windows.nodes() * doubled * count,
        "a block of these windows"
    );
    for group in 0..groups {
        for (window, corner) in windows.corners.iter().enumerate() {
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: see `read_all`; a line has room for two groups of rounded numbers.
                unsafe {
                    let from = padded.as_ptr().add(group * windows.block() + corner).cast::<f32>().add(lane);
                    let to = transformed.as_mut_ptr().add(group / 2 * count + window).cast::<u16>();
                    let to = to.add(group % 2 * WIDTH + lane);
                    let nodes = nodes_of::<R, 2, false>(from, windows.apart);
                    for (number, node) in nodes.into_iter().enumerate().take(Form::Square.nodes()) {
                        U::store(node, to.add(number * doubled * count * 2 * WIDTH));
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    fn windows_in_pairs_of(
        windows: &Windows,
        padded: &[Line],
        transformed: &mut [Line],
    ) = pairs read_two[(false), (false), (false), (false)]
}

with_the_best_instructions! {
    fn gradients_in_pairs_of(
        windows: &Windows,
        padded: &[Line],
        transformed: &mut [Line],
    ) = pairs read_two[(true), (true), (true), (true)]
}

#[inline(always)]
unsafe fn read_two<R: Register, U: Rounding<R>, const GRADIENTS: bool>(
    windows: &Windows,
    padded: &[Line],
    transformed: &mut [Line],
) {
    let (count, groups) = (windows.pairs(), padded.len() / windows.block());
    assert_eq!(windows.form, Form::Square, "square windows");
    assert!(
        windows.end <= windows.block() && transformed.len() >= windows.nodes() * groups * count,
        "a block of these windows"
    );
    for group in 0..groups {
        for (pair, corners) in windows.corners.chunks(2).enumerate() {
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: see `read_all`.
                unsafe {
                    let block = padded.as_ptr().add(group * windows.block()).cast::<f32>().add(lane);
                    let nodes = |corner: &usize| nodes_of::<R, 2, GRADIENTS>(block.add(corner * WIDTH), windows.apart);
                    let first = nodes(&corners[0]);
                    let second = corners.get(1).map_or([R::zero(); NODES], nodes);
                    let to = transformed.as_mut_ptr().add(group * count + pair).cast::<f32>().add(lane);
                    for (number, (first, second)) in
                        first.into_iter().zip(second).enumerate().take(Form::Square.nodes())
                    {
                        U::pairs(first, second).store(to.add(number * groups * count * WIDTH));
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    /// Adds the windows of products `[nodes, windows]` to sums `[windows, cells]`.
    pub fn add_windows(windows: &Windows, products: &[Line], sums: &mut [Line]) = long(windows.form) => gather_windows
}

#[inline(always)]
unsafe fn gather_windows<R: Register, const LONG: usize>(windows: &Windows, products: &[Line], sums: &mut [Line]) {
    let count = windows.count();
    assert!(windows.form.long() == LONG && products.len() == windows.nodes() * count, "products of these windows");
    assert_eq!(sums.len(), 2 * LONG * count, "the sums of these windows");
    for window in 0..count {
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: the products hold each window's nodes, the sums its cells, as asserted.
            unsafe {
                let from = products.as_ptr().add(window).cast::<f32>().add(lane);
                let cells = window_of::<R, LONG>(from, count);
                let to = sums.as_mut_ptr().add(2 * LONG * window).cast::<f32>().add(lane);
                for (short, sums) in cells.into_iter().enumerate() {
                    for (long, sum) in sums.into_iter().enumerate().take(LONG) {
                        let cell = to.add((short * LONG + long) * WIDTH);
                        R::load(cell).plus(sum).store(cell);
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    /// Writes the activated windows of products `[nodes, windows]` to a group of a padded block.
    pub fn write_windows(
        windows: &Windows,
        products: &[Line],
        finish: &Finish,
        output: &mut [Line],
    ) = long(windows.form) => finish_windows
}

#[inline(always)]
unsafe fn finish_windows<R: Register, const LONG: usize>(
    windows: &Windows,
    products: &[Line],
    finish: &Finish,
    output: &mut [Line],
) {
    let count = windows.count();
    assert!(windows.form.long() == LONG && products.len() == windows.nodes() * count, "products of these windows");
    assert!(output.len() >= windows.end && finish.fits(output.len()), "a group of a block of these windows");
    let (from, to) = (products.as_ptr().cast::<f32>(), output.as_mut_ptr().cast::<f32>());
    for (window, (corner, (board, [shorts, longs]))) in windows.corners.iter().zip(&windows.within).enumerate() {
        let start = &finish.starts[*board].0;
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: the products hold each window's nodes, the padded blocks its cells, as
            // asserted.
            unsafe {
                let cells = window_of::<R, LONG>(from.add(window * WIDTH + lane), count);
                let start = R::load(start.as_ptr().add(lane));
                for (short, sums) in cells.into_iter().enumerate() {
                    for (long, sum) in sums.into_iter().enumerate().take(LONG) {
                        // The border must stay zero.
                        if short >= *shorts || long >= *longs {
                            continue;
                        }
                        let line = corner + (short + 1) * windows.apart[0] + (long + 1) * windows.apart[1];
                        let at = line * WIDTH + lane;
                        finish.output(sum.plus(start), at).store(to.add(at));
                    }
                }
            }
        }
    }
}

/// Nodes of a patch, or of the gradients of its middle window; zeros behind the last. `apart` are
/// the lines from cell to cell along the short and the long axis.
///
/// # Safety
/// Each line of the patch holds a whole register; the processor has the instructions of `R`.
#[inline(always)]
unsafe fn nodes_of<R: Register, const LONG: usize, const GRADIENTS: bool>(
    patch: *const f32,
    apart: [usize; 2],
) -> [R; NODES] {
    // SAFETY: the caller's promise.
    unsafe {
        let line = |short: usize, long: usize| R::load(patch.add((short * apart[0] + long * apart[1]) * WIDTH));
        let mut nodes = [R::zero(); NODES];
        for long in 0..LONG + 2 {
            let short = match GRADIENTS {
                // Along the short axis first: two cells become four nodes.
                true if long < LONG => transform_gradient([line(1, long + 1), line(2, long + 1)]),
                true => [R::zero(); 4],
                false => transform_data([line(0, long), line(1, long), line(2, long), line(3, long)]),
            };
            for (at, node) in short.into_iter().enumerate() {
                nodes[at * (LONG + 2) + long] = node;
            }
        }
        for nodes in nodes.chunks_exact_mut(LONG + 2).take(4) {
            if LONG == 2 {
                let [a, b, c, d] = [nodes[0], nodes[1], nodes[2], nodes[3]];
                nodes.copy_from_slice(&if GRADIENTS {
                    transform_gradient([a, b])
                } else {
                    transform_data([a, b, c, d])
                });
            } else {
                let [a, b, c, d, e, f] = [nodes[0], nodes[1], nodes[2], nodes[3], nodes[4], nodes[5]];
                let along = if GRADIENTS {
                    transform_long_gradient([a, b, c, d])
                } else {
                    transform_long_data([a, b, c, d, e, f])
                };
                nodes.copy_from_slice(&along);
            }
        }
        nodes
    }
}

/// Cells of a window from its products, whose nodes are `count` lines apart.
///
/// # Safety
/// The products of each node hold a whole register; the processor has the instructions of `R`.
#[inline(always)]
unsafe fn window_of<R: Register, const LONG: usize>(products: *const f32, count: usize) -> [[R; 4]; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        let node = |short: usize, long: usize| R::load(products.add((short * (LONG + 2) + long) * count * WIDTH));
        let mut halfway = [[R::zero(); ALONG]; 2];
        let [first, second] = &mut halfway;
        for (long, (first, second)) in first.iter_mut().zip(second).enumerate().take(LONG + 2) {
            [*first, *second] = combine([node(0, long), node(1, long), node(2, long), node(3, long)]);
        }
        let mut cells = [[R::zero(); 4]; 2];
        for (cells, [a, b, c, d, e, f]) in cells.iter_mut().zip(halfway) {
            if LONG == 2 {
                cells[..2].copy_from_slice(&combine([a, b, c, d]));
            } else {
                *cells = combine_long([a, b, c, d, e, f]);
            }
        }
        cells
    }
}
