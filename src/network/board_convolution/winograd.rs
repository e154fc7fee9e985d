//! 3x3 convolutions with fewer multiplications: Winograd's minimal filtering.
//!
//! A tile of 2x2 places sees a patch of 4x4. Patch and kernel are transformed to 16 points each, at which they are
//! multiplied one by one and summed over the channels; what comes out is transformed to the tile. So a place takes
//! four multiplications a pair of channels in place of nine (F(2x2, 3x3) of Lavin and Gray 2016,
//! <https://arxiv.org/abs/1509.09308>). The gradient of the weights goes the same way backwards.

use super::channels::Finish;
use super::geometry::Shape;
use super::line::{Line, WIDTH};
use super::register::{Register, with_the_best_instructions};
use super::unit::Rounding;

/// Points of a patch.
pub const POINTS: usize = 16;

/// A tile of a block.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// Its board in the block.
    pub board: usize,
    /// The row and column of its first place.
    pub place: [usize; 2],
}

/// Where the tiles of a block lie in a padded block.
pub struct Tiles {
    /// The line with which the patch of each begins.
    corners: Vec<usize>,
    /// The board of each, and how many rows and columns of it are on the board.
    within: Vec<(usize, [usize; 2])>,
    /// Behind the last line of any patch.
    end: usize,
    /// Lines of a padded row, and of a padded block.
    row: usize,
    block: usize,
}

impl Tiles {
    /// Some of those of a block.
    pub fn new(shape: &Shape, tiles: &[Tile]) -> Self {
        let row = shape.padded_columns();
        let corners: Vec<usize> = tiles.iter().map(|tile| shape.corner(tile.board, tile.place)).collect();
        let end = corners.iter().max().map_or(0, |last| last + 3 * row + 4);
        let size = |place: [usize; 2]| [(shape.rows - place[0]).min(2), (shape.columns - place[1]).min(2)];
        let within = tiles.iter().map(|tile| (tile.board, size(tile.place))).collect();
        Self { corners, within, end, row, block: shape.padded() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.corners.len()
    }

    /// Lines of the padded block.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Transforms all of a padded block's patches: `[points, groups, tiles]`.
    pub fn read(&self, padded: &[Line], transformed: &mut [Line]) {
        patches_of(self, padded, transformed);
    }

    /// Transforms the tiles of a group of padded gradients: `[points, tiles]`.
    pub fn read_gradient(&self, padded: &[Line], transformed: &mut [Line]) {
        gradients_of(self, padded, transformed);
    }

    /// As [`read`](Self::read), in pairs of channels.
    ///
    /// They are `[points, groups, tiles]`, a group of the channels of two lines.
    pub fn read_pairs(&self, padded: &[Line], transformed: &mut [Line]) {
        pairs_of(self, padded, transformed);
    }

    /// As [`read`](Self::read), in pairs of tiles: `[points, groups, pairs]`.
    pub fn read_tiles_in_pairs(&self, padded: &[Line], transformed: &mut [Line]) {
        tiles_in_pairs_of(self, padded, transformed);
    }

    /// As [`read_gradient`](Self::read_gradient), in pairs of tiles.
    ///
    /// They are `[points, pairs]`.
    pub fn read_gradient_in_pairs(&self, padded: &[Line], transformed: &mut [Line]) {
        gradients_in_pairs_of(self, padded, transformed);
    }

    /// Pairs of tiles; behind the last tile of an odd number stand zeros.
    pub fn pairs(&self) -> usize {
        self.count().div_ceil(2)
    }
}

impl Shape {
    /// Whether this way takes fewer multiplications than the direct one.
    ///
    /// That leaves out what lies beyond the border.
    pub fn suits_winograd(&self) -> bool {
        let reached = |size: usize| 3 * size - 2;
        self.kernel == 3 && POINTS * self.tiles().count() < reached(self.rows) * reached(self.columns)
    }

    /// All tiles of so many boards.
    pub fn tiles_of(&self, boards: usize) -> impl Iterator<Item = Tile> {
        let shape = *self;
        (0..boards).flat_map(move |board| shape.tiles().map(move |place| Tile { board, place }))
    }

    /// The row and column of the first place of each tile of a board.
    pub fn tiles(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let (rows, columns) = (self.rows, self.columns);
        (0..rows).step_by(2).flat_map(move |row| (0..columns).step_by(2).map(move |column| [row, column]))
    }
}

with_the_best_instructions! {
    fn patches_of(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) = read_all[(false), (false), (false)]
}

with_the_best_instructions! {
    fn gradients_of(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) = read_all[(true), (true), (true)]
}

/// # Safety
/// The processor has the instructions of the register.
#[inline(always)]
unsafe fn read_all<R: Register, const GRADIENTS: bool>(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) {
    let (count, groups) = (tiles.count(), padded.len() / tiles.block());
    assert!(tiles.end <= tiles.block() && transformed.len() >= POINTS * groups * count, "a block of these tiles");
    for group in 0..groups {
        for (tile, corner) in tiles.corners.iter().enumerate() {
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: four rows of four lines from each corner are in the block, as asserted, and so many points
                // of each group and tile in what is written.
                unsafe {
                    let from = padded.as_ptr().add(group * tiles.block() + corner).cast::<f32>().add(lane);
                    let to = transformed.as_mut_ptr().add(group * count + tile).cast::<f32>().add(lane);
                    for (number, point) in points_of::<R, GRADIENTS>(from, tiles.row).into_iter().enumerate() {
                        point.store(to.add(number * groups * count * WIDTH));
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    fn pairs_of(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) = pairs read_in_pairs
}

/// Behind an odd number of groups the other half of the lines stays as it is: nothing reads it.
///
/// # Safety
/// The processor has the instructions of register and unit.
#[inline(always)]
unsafe fn read_in_pairs<R: Register, U: Rounding<R>>(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) {
    let (count, groups) = (tiles.count(), padded.len() / tiles.block());
    let doubled = groups.div_ceil(2);
    assert!(tiles.end <= tiles.block() && transformed.len() >= POINTS * doubled * count, "a block of these tiles");
    for group in 0..groups {
        for (tile, corner) in tiles.corners.iter().enumerate() {
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: as of `read_all`; a line has room for two groups of halves of numbers.
                unsafe {
                    let from = padded.as_ptr().add(group * tiles.block() + corner).cast::<f32>().add(lane);
                    let to = transformed.as_mut_ptr().add(group / 2 * count + tile).cast::<u16>();
                    let to = to.add(group % 2 * WIDTH + lane);
                    for (number, point) in points_of::<R, false>(from, tiles.row).into_iter().enumerate() {
                        U::store(point, to.add(number * doubled * count * 2 * WIDTH));
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    fn tiles_in_pairs_of(
        tiles: &Tiles,
        padded: &[Line],
        transformed: &mut [Line],
    ) = pairs read_two[(false), (false), (false)]
}

with_the_best_instructions! {
    fn gradients_in_pairs_of(
        tiles: &Tiles,
        padded: &[Line],
        transformed: &mut [Line],
    ) = pairs read_two[(true), (true), (true)]
}

/// # Safety
/// The processor has the instructions of register and unit.
#[inline(always)]
unsafe fn read_two<R: Register, U: Rounding<R>, const GRADIENTS: bool>(
    tiles: &Tiles,
    padded: &[Line],
    transformed: &mut [Line],
) {
    let (count, groups) = (tiles.pairs(), padded.len() / tiles.block());
    assert!(tiles.end <= tiles.block() && transformed.len() >= POINTS * groups * count, "a block of these tiles");
    for group in 0..groups {
        for (pair, corners) in tiles.corners.chunks(2).enumerate() {
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: as of `read_all`.
                unsafe {
                    let block = padded.as_ptr().add(group * tiles.block()).cast::<f32>().add(lane);
                    let points = |corner: &usize| points_of::<R, GRADIENTS>(block.add(corner * WIDTH), tiles.row);
                    let first = points(&corners[0]);
                    let second = corners.get(1).map_or([R::zero(); POINTS], points);
                    let to = transformed.as_mut_ptr().add(group * count + pair).cast::<f32>().add(lane);
                    for (number, (first, second)) in first.into_iter().zip(second).enumerate() {
                        U::pairs(first, second).store(to.add(number * groups * count * WIDTH));
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    /// Adds the tiles to sums: products `[points, tiles]`, sums `[tiles, 4]`.
    pub fn add_tiles(products: &[Line], sums: &mut [Line]) = gather_tiles
}

/// # Safety
/// The processor has the instructions of the register.
#[inline(always)]
unsafe fn gather_tiles<R: Register>(products: &[Line], sums: &mut [Line]) {
    let count = products.len() / POINTS;
    assert_eq!(sums.len(), 4 * count, "the sums of these tiles");
    for tile in 0..count {
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: so many points of each tile are in what is read, and four places in what is written, as asserted.
            unsafe {
                let from = products.as_ptr().add(tile).cast::<f32>().add(lane);
                let places = tile_of::<R>(from, count);
                let to = sums.as_mut_ptr().add(4 * tile).cast::<f32>().add(lane);
                for (row, sums) in places.into_iter().enumerate() {
                    for (column, sum) in sums.into_iter().enumerate() {
                        let place = to.add((row * 2 + column) * WIDTH);
                        R::load(place).plus(sum).store(place);
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    /// Writes the activated sums of tiles to a group of a padded block.
    ///
    /// They come from products `[points, tiles]`.
    pub fn write_tiles(tiles: &Tiles, products: &[Line], finish: &Finish, output: &mut [Line]) = finish_tiles
}

/// # Safety
/// The processor has the instructions of the register.
#[inline(always)]
unsafe fn finish_tiles<R: Register>(tiles: &Tiles, products: &[Line], finish: &Finish, output: &mut [Line]) {
    let count = tiles.count();
    assert!(products.len() == POINTS * count && output.len() >= tiles.end, "a group of a block of these tiles");
    assert!(finish.fits(output.len()), "a group of a block of that size");
    let (from, to) = (products.as_ptr().cast::<f32>(), output.as_mut_ptr().cast::<f32>());
    for (tile, (corner, (board, [rows, columns]))) in tiles.corners.iter().zip(&tiles.within).enumerate() {
        let start = &finish.starts[*board].0;
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: so many points of each tile are in what is read, and its places in the padded blocks, as asserted.
            unsafe {
                let places = tile_of::<R>(from.add(tile * WIDTH + lane), count);
                let start = R::load(start.as_ptr().add(lane));
                for (row, sums) in places.into_iter().enumerate() {
                    for (column, sum) in sums.into_iter().enumerate() {
                        // The border must stay zero.
                        if row >= *rows || column >= *columns {
                            continue;
                        }
                        let at = (corner + (row + 1) * tiles.row + column + 1) * WIDTH + lane;
                        finish.of(sum.plus(start), at).store(to.add(at));
                    }
                }
            }
        }
    }
}

/// A kernel at the points, row by row.
pub fn transformed(kernel: &[f32; 9]) -> [f32; POINTS] {
    let rows: [[f32; 4]; 3] = std::array::from_fn(|row| {
        let [a, b, c] = std::array::from_fn(|column| kernel[3 * row + column]);
        kernel_at_points([a, b, c])
    });
    let mut points = [0.0; POINTS];
    for column in 0..4 {
        for (row, number) in kernel_at_points(rows.map(|row| row[column])).into_iter().enumerate() {
            points[4 * row + column] = number;
        }
    }
    points
}

/// The reverse of [`transformed`] for gradients.
///
/// That of the kernel comes from that of the points.
pub fn gradient_of_kernel(points: &[f32; POINTS]) -> [f32; 9] {
    let rows: [[f32; 3]; 4] =
        std::array::from_fn(|row| kernel_from_points(std::array::from_fn(|column| points[4 * row + column])));
    let mut kernel = [0.0; 9];
    for column in 0..3 {
        for (row, number) in kernel_from_points(rows.map(|row| row[column])).into_iter().enumerate() {
            kernel[3 * row + column] = number;
        }
    }
    kernel
}

fn kernel_at_points([a, b, c]: [f32; 3]) -> [f32; 4] {
    [a, (a + b + c) / 2.0, (a - b + c) / 2.0, c]
}

/// The last point's sign is that of [`spread`].
fn kernel_from_points([a, b, c, d]: [f32; 4]) -> [f32; 3] {
    [a + (b + c) / 2.0, (b - c) / 2.0, (b + c) / 2.0 - d]
}

/// The points of a patch of four rows of four lines, or of the gradients of the tile in its middle.
///
/// Rows are so many lines apart.
///
/// # Safety
/// As of [`points_of_patch`].
#[inline(always)]
unsafe fn points_of<R: Register, const GRADIENTS: bool>(patch: *const f32, row: usize) -> [R; POINTS] {
    // SAFETY: as the caller promises.
    unsafe { if GRADIENTS { points_of_gradients(patch, row) } else { points_of_patch(patch, row) } }
}

/// # Safety
/// A register's numbers from there on may be read in each of these lines; the processor has the instructions of the
/// register.
#[inline(always)]
unsafe fn points_of_patch<R: Register>(patch: *const f32, row: usize) -> [R; POINTS] {
    // SAFETY: as the caller promises.
    unsafe {
        let line = |down: usize, right: usize| R::load(patch.add((down * row + right) * WIDTH));
        let mut columns = [[line(0, 0); 4]; 4];
        for (at, column) in columns.iter_mut().enumerate() {
            *column = patch_of([line(0, at), line(1, at), line(2, at), line(3, at)]);
        }
        let mut points = [columns[0][0]; POINTS];
        for row in 0..4 {
            let [a, b, c, d] = columns;
            points[4 * row..][..4].copy_from_slice(&patch_of([a[row], b[row], c[row], d[row]]));
        }
        points
    }
}

/// # Safety
/// As of [`points_of_patch`].
#[inline(always)]
unsafe fn points_of_gradients<R: Register>(patch: *const f32, row: usize) -> [R; POINTS] {
    // SAFETY: as the caller promises.
    unsafe {
        let line = |down: usize, right: usize| R::load(patch.add(((down + 1) * row + right + 1) * WIDTH));
        let (above, below) = (spread([line(0, 0), line(0, 1)]), spread([line(1, 0), line(1, 1)]));
        let mut points = [above[0]; POINTS];
        for column in 0..4 {
            for (row, point) in spread([above[column], below[column]]).into_iter().enumerate() {
                points[4 * row + column] = point;
            }
        }
        points
    }
}

/// From four places to four points.
///
/// # Safety
/// The processor has the instructions of the register.
#[inline(always)]
unsafe fn patch_of<R: Register>([a, b, c, d]: [R; 4]) -> [R; 4] {
    // SAFETY: as the caller promises.
    unsafe { [a.minus(c), b.plus(c), c.minus(b), b.minus(d)] }
}

/// The places of a tile, row by row, from its products at the points.
///
/// The points are so many lines apart.
///
/// # Safety
/// A register's numbers from there on may be read for each point; the processor has the instructions of the register.
#[inline(always)]
unsafe fn tile_of<R: Register>(products: *const f32, count: usize) -> [[R; 2]; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        let point = |row: usize, column: usize| R::load(products.add((row * 4 + column) * count * WIDTH));
        let mut columns = [[point(0, 0); 2]; 4];
        for (at, column) in columns.iter_mut().enumerate() {
            *column = halves([point(0, at), point(1, at), point(2, at), point(3, at)]);
        }
        let [a, b, c, d] = columns;
        [halves([a[0], b[0], c[0], d[0]]), halves([a[1], b[1], c[1], d[1]])]
    }
}

/// From four points to two places.
///
/// # Safety
/// The processor has the instructions of the register.
#[inline(always)]
unsafe fn halves<R: Register>([a, b, c, d]: [R; 4]) -> [R; 2] {
    // SAFETY: as the caller promises.
    unsafe { [a.plus(b).plus(c), b.minus(c).minus(d)] }
}

/// From the gradients of two places to those of four points.
///
/// The last has the opposite sign.
///
/// # Safety
/// The processor has the instructions of the register.
#[inline(always)]
unsafe fn spread<R: Register>([a, b]: [R; 2]) -> [R; 4] {
    // SAFETY: as the caller promises.
    unsafe { [a, a.plus(b), a.minus(b), b] }
}
