//! Winograd's minimal filtering: 3x3 convolutions with fewer multiplications.
//!
//! A tile of 2x2 places sees a patch of 4x4, one of 2x4 a patch of 4x6. Patch and kernel are
//! transformed to as many points, multiplied point by point, summed over the channels, and
//! transformed to the tile. A place takes four or three multiplications for a pair of channels, not
//! nine (F(2x2, 3x3) and F(2x4, 3x3), Lavin and Gray 2016, <https://arxiv.org/abs/1509.09308>). The
//! gradient of the weights goes backwards.

use super::channels::Finish;
use super::filters::{fours, halves, long_patch_of, patch_of, spread, spread_to_six};
use super::geometry::Shape;
use super::line::{Line, WIDTH};
use super::register::{Register, with_the_best_instructions};
use super::unit::Rounding;
use crate::precision::Precision;

/// Places of a tile: two along the short axis, two or four along the long axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Square,
    Wide,
    Tall,
}

impl Form {
    /// Places along the long axis.
    pub fn long(self) -> usize {
        if self == Self::Square { 2 } else { 4 }
    }

    pub fn points(self) -> usize {
        4 * (self.long() + 2)
    }

    pub fn size(self) -> [usize; 2] {
        self.turned([2, self.long()])
    }

    /// From short and long axis to rows and columns, or back.
    pub fn turned<T>(self, [first, second]: [T; 2]) -> [T; 2] {
        if self == Self::Tall { [second, first] } else { [first, second] }
    }

    /// Row and column of each place of a tile.
    pub fn places(self) -> impl Iterator<Item = [usize; 2]> {
        (0..2).flat_map(move |short| (0..self.long()).map(move |long| self.turned([short, long])))
    }

    /// Number of tiles of a board, if they fit.
    ///
    /// At most one of four places of a tile may be beyond the board: numbers from behind the border
    /// reach only that place.
    fn tiles(self, [rows, columns]: [usize; 2]) -> Option<usize> {
        let [_, length] = self.turned([rows, columns]);
        let [height, width] = self.size();
        let fits = self == Self::Square || matches!(length % 4, 0 | 3);
        fits.then(|| rows.div_ceil(height) * columns.div_ceil(width))
    }
}

const POINTS: usize = 24;
const ALONG: usize = 6;

#[derive(Clone, Copy, Debug)]
pub struct Tile {
    pub board: usize,
    pub place: [usize; 2],
}

/// Positions of a block's tiles in the padded block.
pub struct Tiles {
    /// First line of each tile's patch.
    corners: Vec<usize>,
    /// Board of each tile, and places on the board along each axis.
    within: Vec<(usize, [usize; 2])>,
    form: Form,
    /// Line after the last of any patch.
    end: usize,
    /// Lines from one place to the next, along the short and the long axis.
    apart: [usize; 2],
    block: usize,
}

impl Tiles {
    pub fn new(shape: &Shape, tiles: &[Tile]) -> Self {
        let form = shape.form();
        let apart = form.turned([shape.padded_columns(), 1]);
        let corners: Vec<usize> = tiles.iter().map(|tile| shape.corner(tile.board, tile.place)).collect();
        let reach = 3 * apart[0] + (form.long() + 1) * apart[1] + 1;
        let end = corners.iter().max().map_or(0, |last| last + reach);
        let [height, width] = form.size();
        let size = |[row, column]: [usize; 2]| {
            form.turned([(shape.rows - row).min(height), (shape.columns - column).min(width)])
        };
        let within = tiles.iter().map(|tile| (tile.board, size(tile.place))).collect();
        Self { corners, within, form, end, apart, block: shape.padded() }
    }

    pub fn places(&self) -> usize {
        2 * self.form.long()
    }

    pub fn points(&self) -> usize {
        self.form.points()
    }

    pub fn count(&self) -> usize {
        self.corners.len()
    }

    pub fn block(&self) -> usize {
        self.block
    }

    /// Transforms all patches of a padded block: `[points, groups, tiles]`.
    pub fn read(&self, padded: &[Line], transformed: &mut [Line]) {
        match self.form.long() {
            2 => square_patches_of(self, padded, transformed),
            _ => long_patches_of(self, padded, transformed),
        }
    }

    /// Transforms the tiles of a group of padded gradients: `[points, tiles]`.
    pub fn read_gradient(&self, padded: &[Line], transformed: &mut [Line]) {
        match self.form.long() {
            2 => square_gradients_of(self, padded, transformed),
            _ => long_gradients_of(self, padded, transformed),
        }
    }

    /// [`read`](Self::read) in pairs of channels; a group has the channels of two lines.
    pub fn read_pairs(&self, padded: &[Line], transformed: &mut [Line]) {
        pairs_of(self, padded, transformed);
    }

    /// [`read`](Self::read) in pairs of tiles: `[points, groups, pairs]`.
    pub fn read_tiles_in_pairs(&self, padded: &[Line], transformed: &mut [Line]) {
        tiles_in_pairs_of(self, padded, transformed);
    }

    /// [`read_gradient`](Self::read_gradient) in pairs of tiles: `[points, pairs]`.
    pub fn read_gradient_in_pairs(&self, padded: &[Line], transformed: &mut [Line]) {
        gradients_in_pairs_of(self, padded, transformed);
    }

    /// Pairs of tiles; a last odd tile pairs with zeros.
    pub fn pairs(&self) -> usize {
        self.count().div_ceil(2)
    }
}

impl Shape {
    /// Form of tiles with the fewest multiplications; in bfloat16 only square tiles are exact
    /// enough.
    pub fn form(&self) -> Form {
        let board = [self.rows, self.columns];
        let multiplications = |form: Form| Some((form.points() * form.tiles(board)?, form));
        let forms = match self.precision {
            Precision::F32 => &[Form::Square, Form::Wide, Form::Tall][..],
            Precision::Bf16 => &[Form::Square],
        };
        let counted = forms.iter().filter_map(|form| multiplications(*form));
        counted.min_by_key(|(count, _)| *count).map_or(Form::Square, |(_, form)| form)
    }

    /// Whether square tiles take fewer multiplications than direct sums.
    pub fn suits_winograd(&self) -> bool {
        let reached = |size: usize| 3 * size - 2;
        self.kernel == 3
            && 16 * self.rows.div_ceil(2) * self.columns.div_ceil(2) < reached(self.rows) * reached(self.columns)
    }

    pub fn tiles_of(&self, boards: usize) -> impl Iterator<Item = Tile> {
        let shape = *self;
        (0..boards).flat_map(move |board| shape.tiles().map(move |place| Tile { board, place }))
    }

    /// First place (row, column) of each tile of a board.
    pub fn tiles(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let (rows, columns, [height, width]) = (self.rows, self.columns, self.form().size());
        (0..rows).step_by(height).flat_map(move |row| (0..columns).step_by(width).map(move |column| [row, column]))
    }
}

with_the_best_instructions! {
    fn square_patches_of(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) = read_all[
        (2, false), (2, false), (2, false)
    ]
}

with_the_best_instructions! {
    fn long_patches_of(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) = read_all[
        (4, false), (4, false), (4, false)
    ]
}

with_the_best_instructions! {
    fn square_gradients_of(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) = read_all[
        (2, true), (2, true), (2, true)
    ]
}

with_the_best_instructions! {
    fn long_gradients_of(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) = read_all[
        (4, true), (4, true), (4, true)
    ]
}

#[inline(always)]
unsafe fn read_all<R: Register, const LONG: usize, const GRADIENTS: bool>(
    tiles: &Tiles,
    padded: &[Line],
    transformed: &mut [Line],
) {
    assert_eq!(tiles.form.long(), LONG, "tiles of that form");
    let (count, groups) = (tiles.count(), padded.len() / tiles.block());
    assert!(
        tiles.end <= tiles.block() && transformed.len() >= tiles.points() * groups * count,
        "a block of these tiles"
    );
    for group in 0..groups {
        for (tile, corner) in tiles.corners.iter().enumerate() {
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: the block holds the lines of each patch, as asserted, and the output the
                // points of each group and tile.
                unsafe {
                    let from = padded.as_ptr().add(group * tiles.block() + corner).cast::<f32>().add(lane);
                    let to = transformed.as_mut_ptr().add(group * count + tile).cast::<f32>().add(lane);
                    let points = points_of::<R, LONG, GRADIENTS>(from, tiles.apart);
                    for (number, point) in points.into_iter().enumerate().take(4 * (LONG + 2)) {
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

/// With an odd number of groups, half of each last line keeps unused content.
#[inline(always)]
unsafe fn read_in_pairs<R: Register, U: Rounding<R>>(tiles: &Tiles, padded: &[Line], transformed: &mut [Line]) {
    let (count, groups) = (tiles.count(), padded.len() / tiles.block());
    let doubled = groups.div_ceil(2);
    assert_eq!(tiles.form, Form::Square, "square tiles");
    assert!(
        tiles.end <= tiles.block() && transformed.len() >= tiles.points() * doubled * count,
        "a block of these tiles"
    );
    for group in 0..groups {
        for (tile, corner) in tiles.corners.iter().enumerate() {
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: see `read_all`; a line has room for two groups of rounded numbers.
                unsafe {
                    let from = padded.as_ptr().add(group * tiles.block() + corner).cast::<f32>().add(lane);
                    let to = transformed.as_mut_ptr().add(group / 2 * count + tile).cast::<u16>();
                    let to = to.add(group % 2 * WIDTH + lane);
                    let points = points_of::<R, 2, false>(from, tiles.apart);
                    for (number, point) in points.into_iter().enumerate().take(Form::Square.points()) {
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

#[inline(always)]
unsafe fn read_two<R: Register, U: Rounding<R>, const GRADIENTS: bool>(
    tiles: &Tiles,
    padded: &[Line],
    transformed: &mut [Line],
) {
    let (count, groups) = (tiles.pairs(), padded.len() / tiles.block());
    assert_eq!(tiles.form, Form::Square, "square tiles");
    assert!(
        tiles.end <= tiles.block() && transformed.len() >= tiles.points() * groups * count,
        "a block of these tiles"
    );
    for group in 0..groups {
        for (pair, corners) in tiles.corners.chunks(2).enumerate() {
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: see `read_all`.
                unsafe {
                    let block = padded.as_ptr().add(group * tiles.block()).cast::<f32>().add(lane);
                    let points = |corner: &usize| points_of::<R, 2, GRADIENTS>(block.add(corner * WIDTH), tiles.apart);
                    let first = points(&corners[0]);
                    let second = corners.get(1).map_or([R::zero(); POINTS], points);
                    let to = transformed.as_mut_ptr().add(group * count + pair).cast::<f32>().add(lane);
                    for (number, (first, second)) in
                        first.into_iter().zip(second).enumerate().take(Form::Square.points())
                    {
                        U::pairs(first, second).store(to.add(number * groups * count * WIDTH));
                    }
                }
            }
        }
    }
}

/// Adds the tiles of products `[points, tiles]` to sums `[tiles, places]`.
pub fn add_tiles(tiles: &Tiles, products: &[Line], sums: &mut [Line]) {
    match tiles.form.long() {
        2 => add_square_tiles(tiles, products, sums),
        _ => add_long_tiles(tiles, products, sums),
    }
}

with_the_best_instructions! {
    fn add_square_tiles(tiles: &Tiles, products: &[Line], sums: &mut [Line]) = gather_tiles[(2), (2), (2)]
}

with_the_best_instructions! {
    fn add_long_tiles(tiles: &Tiles, products: &[Line], sums: &mut [Line]) = gather_tiles[(4), (4), (4)]
}

#[inline(always)]
unsafe fn gather_tiles<R: Register, const LONG: usize>(tiles: &Tiles, products: &[Line], sums: &mut [Line]) {
    let count = tiles.count();
    assert!(tiles.form.long() == LONG && products.len() == tiles.points() * count, "products of these tiles");
    assert_eq!(sums.len(), 2 * LONG * count, "the sums of these tiles");
    for tile in 0..count {
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: the products hold each tile's points, the sums its places, as asserted.
            unsafe {
                let from = products.as_ptr().add(tile).cast::<f32>().add(lane);
                let places = tile_of::<R, LONG>(from, count);
                let to = sums.as_mut_ptr().add(2 * LONG * tile).cast::<f32>().add(lane);
                for (short, sums) in places.into_iter().enumerate() {
                    for (long, sum) in sums.into_iter().enumerate().take(LONG) {
                        let place = to.add((short * LONG + long) * WIDTH);
                        R::load(place).plus(sum).store(place);
                    }
                }
            }
        }
    }
}

/// Writes the activated tiles of products `[points, tiles]` to a group of a padded block.
pub fn write_tiles(tiles: &Tiles, products: &[Line], finish: &Finish, output: &mut [Line]) {
    match tiles.form.long() {
        2 => write_square_tiles(tiles, products, finish, output),
        _ => write_long_tiles(tiles, products, finish, output),
    }
}

with_the_best_instructions! {
    fn write_square_tiles(
        tiles: &Tiles,
        products: &[Line],
        finish: &Finish,
        output: &mut [Line],
    ) = finish_tiles[(2), (2), (2)]
}

with_the_best_instructions! {
    fn write_long_tiles(
        tiles: &Tiles,
        products: &[Line],
        finish: &Finish,
        output: &mut [Line],
    ) = finish_tiles[(4), (4), (4)]
}

#[inline(always)]
unsafe fn finish_tiles<R: Register, const LONG: usize>(
    tiles: &Tiles,
    products: &[Line],
    finish: &Finish,
    output: &mut [Line],
) {
    let count = tiles.count();
    assert!(tiles.form.long() == LONG && products.len() == tiles.points() * count, "products of these tiles");
    assert!(output.len() >= tiles.end && finish.fits(output.len()), "a group of a block of these tiles");
    let (from, to) = (products.as_ptr().cast::<f32>(), output.as_mut_ptr().cast::<f32>());
    for (tile, (corner, (board, [shorts, longs]))) in tiles.corners.iter().zip(&tiles.within).enumerate() {
        let start = &finish.starts[*board].0;
        for lane in (0..WIDTH).step_by(R::LANES) {
            // SAFETY: the products hold each tile's points, the padded blocks its places, as
            // asserted.
            unsafe {
                let places = tile_of::<R, LONG>(from.add(tile * WIDTH + lane), count);
                let start = R::load(start.as_ptr().add(lane));
                for (short, sums) in places.into_iter().enumerate() {
                    for (long, sum) in sums.into_iter().enumerate().take(LONG) {
                        // The border must stay zero.
                        if short >= *shorts || long >= *longs {
                            continue;
                        }
                        let line = corner + (short + 1) * tiles.apart[0] + (long + 1) * tiles.apart[1];
                        let at = line * WIDTH + lane;
                        finish.output(sum.plus(start), at).store(to.add(at));
                    }
                }
            }
        }
    }
}

/// Points of a patch, or of the gradients of its middle tile; zeros behind the last. `apart` are
/// the lines from place to place along the short and the long axis.
///
/// # Safety
/// Each line of the patch holds a whole register; the processor has the instructions of `R`.
#[inline(always)]
unsafe fn points_of<R: Register, const LONG: usize, const GRADIENTS: bool>(
    patch: *const f32,
    apart: [usize; 2],
) -> [R; POINTS] {
    // SAFETY: the caller's promise.
    unsafe {
        let line = |short: usize, long: usize| R::load(patch.add((short * apart[0] + long * apart[1]) * WIDTH));
        let mut points = [R::zero(); POINTS];
        for long in 0..LONG + 2 {
            let short = match GRADIENTS {
                // Along the short axis first: two places become four points.
                true if long < LONG => spread([line(1, long + 1), line(2, long + 1)]),
                true => [R::zero(); 4],
                false => patch_of([line(0, long), line(1, long), line(2, long), line(3, long)]),
            };
            for (at, point) in short.into_iter().enumerate() {
                points[at * (LONG + 2) + long] = point;
            }
        }
        for points in points.chunks_exact_mut(LONG + 2).take(4) {
            if LONG == 2 {
                let [a, b, c, d] = [points[0], points[1], points[2], points[3]];
                points.copy_from_slice(&if GRADIENTS { spread([a, b]) } else { patch_of([a, b, c, d]) });
            } else {
                let [a, b, c, d, e, f] = [points[0], points[1], points[2], points[3], points[4], points[5]];
                let along = if GRADIENTS { spread_to_six([a, b, c, d]) } else { long_patch_of([a, b, c, d, e, f]) };
                points.copy_from_slice(&along);
            }
        }
        points
    }
}

/// Places of a tile from its products, whose points are `count` lines apart.
///
/// # Safety
/// The products of each point hold a whole register; the processor has the instructions of `R`.
#[inline(always)]
unsafe fn tile_of<R: Register, const LONG: usize>(products: *const f32, count: usize) -> [[R; 4]; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        let point = |short: usize, long: usize| R::load(products.add((short * (LONG + 2) + long) * count * WIDTH));
        let mut halfway = [[R::zero(); ALONG]; 2];
        let [first, second] = &mut halfway;
        for (long, (first, second)) in first.iter_mut().zip(second).enumerate().take(LONG + 2) {
            [*first, *second] = halves([point(0, long), point(1, long), point(2, long), point(3, long)]);
        }
        let mut places = [[R::zero(); 4]; 2];
        for (places, [a, b, c, d, e, f]) in places.iter_mut().zip(halfway) {
            if LONG == 2 {
                places[..2].copy_from_slice(&halves([a, b, c, d]));
            } else {
                *places = fours([a, b, c, d, e, f]);
            }
        }
        places
    }
}
