//! Products of a block of boards: directly without taps beyond the border, or by Winograd or AMX.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::channels::{Finish, copy_by_index, start_and_write_places, write_places};
use super::geometry::{Rectangle, Shape};
use super::line::{Line, WIDTH};
use super::packing::Algorithm;
use super::points::{ROWS, Sizes, add_gradients, add_gradients_of_pairs, multiply, multiply_pairs};
use super::product::Product;
use super::steps::{Rows, Steps};
use super::tiles::Block;
use super::winograd::{Tile, Tiles, add_tiles, write_tiles};
use crate::precision::Precision;

pub struct Plan {
    pub places: Vec<Place>,
    /// Board of each sum.
    boards: Vec<usize>,
    /// Lines of a padded group.
    padded: usize,
    way: Way,
}

enum Way {
    Direct {
        regions: Vec<Region<1>>,
        panel: usize,
    },
    /// A sum for each place of each tile, on the board or not.
    Winograd {
        chunks: Vec<Winograd>,
        panel: usize,
    },
    Tiles {
        block: Block,
        chunks: Vec<Chunk>,
    },
}

struct Chunk {
    corners: Range<usize>,
    places: Range<usize>,
}

/// Corners of a chunk: few enough that its sums stay in the first-level cache.
const CHUNK: usize = 128;

struct Winograd {
    tiles: Tiles,
    sizes: Sizes,
    precision: Precision,
}

impl Winograd {
    /// All tiles of a block, in small chunks if their buffers fit in the first-level cache, else in
    /// one, which reads the weights once.
    fn of_block(shape: &Shape, boards: usize) -> Vec<Self> {
        let all: Vec<Tile> = shape.tiles_of(boards).collect();
        let points = shape.form().points();
        let lines = points * (shape.point_lines().div_ceil(WIDTH) + shape.outputs.div_ceil(WIDTH).min(TOGETHER));
        let most = if lines <= FEW { ROWS } else { all.len().max(1) };
        let inputs = shape.point_lines();
        let chunk = |tiles: &[Tile]| {
            let sizes = Sizes { points, tiles: tiles.len(), inputs };
            Self { tiles: Tiles::new(shape, tiles), sizes, precision: shape.precision }
        };
        all.chunks(most).map(chunk).collect()
    }

    fn of_gradients(shape: &Shape) -> Self {
        let all: Vec<Tile> = shape.tiles_of(shape.block()).collect();
        let tiles = Tiles::new(shape, &all);
        let count = match shape.precision {
            Precision::F32 => tiles.count(),
            Precision::Bf16 => tiles.pairs(),
        };
        Self {
            tiles,
            sizes: Sizes { points: shape.form().points(), tiles: count, inputs: shape.inputs },
            precision: shape.precision,
        }
    }

    /// Multiplies patches of a padded block by panels of `panel` lines at all points. `see` gets
    /// each panel's number and products `[points, tiles]`.
    fn multiply(
        &self,
        padded: &[Line],
        panels: &[Line],
        panel: usize,
        [transformed, products]: [&mut Vec<Line>; 2],
        mut see: impl FnMut(usize, &[Line]),
    ) {
        let Self { tiles, sizes, precision } = self;
        let transformed = room(transformed, sizes.transformed());
        match precision {
            Precision::F32 => tiles.read(padded, transformed),
            Precision::Bf16 => tiles.read_pairs(padded, transformed),
        }
        for (index, panels) in panels.chunks(TOGETHER * panel).enumerate() {
            let size = sizes.points * sizes.tiles;
            let products = room(products, panels.len() / panel * size);
            match precision {
                Precision::F32 => multiply(*sizes, transformed, panels, products),
                Precision::Bf16 => multiply_pairs(*sizes, transformed, panels, products),
            }
            let each = products.chunks_exact(size).enumerate();
            each.for_each(|(which, products)| see(TOGETHER * index + which, products));
        }
    }
}

/// A place's number in the block, line in a padded group, and sum's number.
pub struct Place {
    pub number: usize,
    pub line: usize,
    pub sum: usize,
}

/// Rows of consecutive sums, and the steps of their products, `STRIDE` numbers apart on the left.
struct Region<const STRIDE: usize> {
    count: usize,
    rows: Rows,
    steps: Steps<STRIDE>,
}

#[derive(Default)]
pub struct Workspace {
    sums: Vec<Line>,
    /// Patches at all points, or the block rounded for AMX.
    transformed: Vec<Line>,
    /// Products of some panels at all points, or gradients.
    products: Vec<Line>,
}

/// First `count` lines of a buffer, with any content.
fn room(buffer: &mut Vec<Line>, count: usize) -> &mut [Line] {
    if buffer.len() < count {
        buffer.resize(count, Line::default());
    }
    &mut buffer[..count]
}

/// Panels multiplied together, so that the left side is read once.
const TOGETHER: usize = 2;

/// Most lines written for a tile in chunks that fit in the first-level cache.
const FEW: usize = 64;

impl Plan {
    /// Plans for a batch's whole blocks and its last one.
    pub fn of_batch(shape: &Shape) -> [Self; 2] {
        let regions = shape.regions();
        let algorithm = shape.algorithm();
        [shape.block(), shape.boards % shape.block()].map(|boards| Self::new(shape, algorithm, boards, &regions))
    }

    /// Plan for `boards` boards; direct products need the regions.
    fn new(shape: &Shape, algorithm: Algorithm, boards: usize, regions: &[(Rectangle, Rectangle)]) -> Self {
        match algorithm {
            Algorithm::Direct => Self::direct(shape, boards, regions),
            Algorithm::Winograd(_) => Self::winograd(shape, boards),
            Algorithm::Tiles => Self::tiles(shape, boards),
        }
    }

    fn tiles(shape: &Shape, boards: usize) -> Self {
        let block = Block::new(shape, boards);
        let corner = |number: usize| shape.neighbourhood(number) / WIDTH;
        let place = |number: usize| Place { number, line: shape.line(number), sum: corner(number) };
        let places: Vec<Place> = (0..boards * shape.places()).map(place).collect();
        // Corners of no place belong to any board.
        let mut owners = vec![0; block.rows()];
        places.iter().for_each(|place| owners[place.sum] = place.number / shape.places());
        let chunk = |first: usize| {
            let corners = first..block.rows().min(first + CHUNK);
            let before = |corner: usize| places.partition_point(|place| place.sum < corner);
            Chunk { places: before(corners.start)..before(corners.end), corners }
        };
        let chunks = (0..block.rows()).step_by(CHUNK).map(chunk).collect();
        Self { places, boards: owners, padded: shape.padded(), way: Way::Tiles { block, chunks } }
    }

    /// Sums of places with equal taps stand together, to fill products.
    fn direct(shape: &Shape, boards: usize, rectangles: &[(Rectangle, Rectangle)]) -> Self {
        let (mut places, mut owners, mut regions) = (Vec::new(), Vec::new(), Vec::new());
        for (rectangle, taps) in rectangles.iter().filter(|_| boards > 0) {
            let start = places.len();
            for board in 0..boards {
                for place in rectangle.places(shape.columns) {
                    let number = board * shape.places() + place;
                    places.push(Place { number, line: shape.line(number), sum: places.len() });
                    owners.push(board);
                }
            }
            regions.push(Region {
                count: places.len() - start,
                rows: places[start..].iter().map(|place| shape.neighbourhood(place.number)).collect(),
                steps: shape.neighbours(taps).collect(),
            });
        }
        places.sort_unstable_by_key(|place| place.number);
        let panel = shape.panel(Algorithm::Direct);
        Self { places, boards: owners, padded: shape.padded(), way: Way::Direct { regions, panel } }
    }

    /// Sums stand tile by tile; sums off the board have no place.
    fn winograd(shape: &Shape, boards: usize) -> Self {
        let chunks = Winograd::of_block(shape, boards);
        let form = shape.form();
        let all = shape.tiles_of(boards).flat_map(|Tile { board, place: [row, column] }| {
            form.places().map(move |[down, right]| (board, row + down, column + right))
        });
        let on_board = all.enumerate().filter(|(_, (_, row, column))| *row < shape.rows && *column < shape.columns);
        let mut places: Vec<Place> = on_board
            .map(|(sum, (board, row, column))| {
                let number = board * shape.places() + row * shape.columns + column;
                Place { number, line: shape.line(number), sum }
            })
            .collect();
        places.sort_unstable_by_key(|place| place.number);
        let boards = shape.tiles_of(boards).flat_map(|tile| form.places().map(move |_| tile.board)).collect();
        let panel = shape.panel(shape.algorithm());
        Self { places, boards, padded: shape.padded(), way: Way::Winograd { chunks, panel } }
    }

    /// Starts the sums of a group with a line for each board.
    pub fn begin(&self, starts: &[Line], sums: &mut [Line]) {
        copy_by_index(starts, &self.boards, sums);
    }

    /// Adds the convolution of a padded block by panels to sums, as [`Place::sum`] indexes them.
    /// `begin` sets each panel's sums before, `end` reads them after.
    pub fn convolve(
        &self,
        padded: &[Line],
        panels: &[Line],
        workspace: &mut Workspace,
        mut begin: impl FnMut(usize, &mut [Line]),
        mut end: impl FnMut(usize, &[Line]),
    ) {
        let Workspace { sums, transformed, products } = workspace;
        let count = self.boards.len();
        match &self.way {
            Way::Direct { regions, panel } => {
                let sums = room(sums, count);
                for (group, panel) in panels.chunks_exact(*panel).enumerate() {
                    begin(group, sums);
                    add_regions(regions, padded, panel, sums);
                    end(group, sums);
                }
            }
            Way::Winograd { chunks, panel } => {
                let sums = room(sums, panels.len() / panel * count);
                sums.chunks_exact_mut(count).enumerate().for_each(|(group, sums)| begin(group, sums));
                let mut first = 0;
                for chunk in chunks {
                    let each = chunk.tiles.places();
                    let here = first..first + each * chunk.sizes.tiles;
                    chunk.multiply(padded, panels, *panel, [transformed, products], |group, products| {
                        add_tiles(&chunk.tiles, products, &mut sums[group * count..][here.clone()]);
                    });
                    first = here.end;
                }
                sums.chunks_exact(count).enumerate().for_each(|(group, sums)| end(group, sums));
            }
            Way::Tiles { block, .. } => {
                let sums = room(sums, block.panels(panels) * count);
                sums.chunks_exact_mut(count).enumerate().for_each(|(group, sums)| begin(group, sums));
                let rounded = room(transformed, block.rounded());
                block.round(padded, rounded);
                block.add_products(rounded, panels, 0, sums);
                sums.chunks_exact(count).enumerate().for_each(|(group, sums)| end(group, sums));
            }
        }
    }

    /// Writes the convolution of a padded block by panels to another one; `finish` turns each
    /// panel's sums into outputs.
    pub fn apply<'a>(
        &self,
        padded: &[Line],
        panels: &[Line],
        workspace: &mut Workspace,
        finish: impl Fn(usize) -> Finish<'a>,
        output: &mut [Line],
    ) {
        let Workspace { sums, transformed, products } = workspace;
        match &self.way {
            Way::Direct { regions, panel } => {
                let sums = room(sums, self.boards.len());
                let groups = output.chunks_exact_mut(self.padded);
                for (group, (panel, output)) in panels.chunks_exact(*panel).zip(groups).enumerate() {
                    let finish = finish(group);
                    self.begin(finish.starts, sums);
                    add_regions(regions, padded, panel, sums);
                    write_places(&self.places, sums, &finish, output);
                }
            }
            Way::Winograd { chunks, panel } => {
                for chunk in chunks {
                    chunk.multiply(padded, panels, *panel, [transformed, products], |group, products| {
                        let output = &mut output[group * self.padded..][..self.padded];
                        write_tiles(&chunk.tiles, products, &finish(group), output);
                    });
                }
            }
            Way::Tiles { block, chunks } => {
                let rounded = room(transformed, block.rounded());
                block.round(padded, rounded);
                let together = panels.chunks(TOGETHER * block.panel());
                for (index, panels) in together.enumerate() {
                    for Chunk { corners, places } in chunks {
                        let sums = room(sums, block.panels(panels) * corners.len());
                        block.write_products(rounded, panels, corners.start, sums);
                        for (which, sums) in sums.chunks_exact(corners.len()).enumerate() {
                            let group = TOGETHER * index + which;
                            let (places, finish) = (&self.places[places.clone()], finish(group));
                            let output = &mut output[group * self.padded..][..self.padded];
                            start_and_write_places(places, &self.boards, corners.start, sums, &finish, output);
                        }
                    }
                }
            }
        }
    }
}

/// Plans for one board up to a block's, made on first use and shared by clones.
#[derive(Clone)]
pub struct Plans(Arc<Shared>);

struct Shared {
    shape: Shape,
    algorithm: Algorithm,
    regions: Vec<(Rectangle, Rectangle)>,
    plans: Vec<OnceLock<Plan>>,
}

impl Plans {
    pub fn new(shape: &Shape) -> Self {
        Self::with_regions(shape, shape.algorithm(), shape.regions())
    }

    /// Plans for the centre of the kernel alone at some places.
    pub fn of_centre(shape: &Shape, places: Rectangle) -> Self {
        Self::with_regions(shape, Algorithm::Direct, vec![(places, shape.centre())])
    }

    fn with_regions(shape: &Shape, algorithm: Algorithm, regions: Vec<(Rectangle, Rectangle)>) -> Self {
        let plans = (0..shape.block()).map(|_| OnceLock::new()).collect();
        Self(Arc::new(Shared { shape: *shape, algorithm, regions, plans }))
    }

    pub fn algorithm(&self) -> Algorithm {
        self.0.algorithm
    }

    pub fn for_boards(&self, boards: usize) -> &Plan {
        let Shared { shape, algorithm, regions, plans } = &*self.0;
        plans[boards - 1].get_or_init(|| Plan::new(shape, *algorithm, boards, regions))
    }
}

pub struct WeightPlan(WeightWay);

enum WeightWay {
    Direct {
        regions: Vec<Region<WIDTH>>,
        /// Lines of a panel and of a padded block.
        panel: usize,
        padded: usize,
    },
    Winograd(Winograd),
    Tiles(Block),
}

impl WeightPlan {
    pub fn new(shape: &Shape) -> Self {
        let region = |(row, offsets): (usize, Vec<usize>)| Region {
            count: offsets.len(),
            rows: offsets.into_iter().collect(),
            steps: shape.places_with(row).map(|place| (shape.neighbourhood(place), shape.line(place))).collect(),
        };
        Self(match shape.algorithm() {
            Algorithm::Direct => WeightWay::Direct {
                regions: shape.kernel_rows().into_iter().map(region).collect(),
                panel: shape.panel(Algorithm::Direct),
                padded: shape.padded(),
            },
            Algorithm::Winograd(_) => WeightWay::Winograd(Winograd::of_gradients(shape)),
            Algorithm::Tiles => WeightWay::Tiles(Block::new(shape, shape.block())),
        })
    }

    /// Adds products of padded inputs and gradients to sums for [`Shape::unpack`].
    pub fn add(&self, padded: &[Line], gradients: &[Line], workspace: &mut Workspace, sums: &mut [Line]) {
        match &self.0 {
            WeightWay::Direct { regions, panel, padded: size } => {
                for (gradient, sums) in gradients.chunks_exact(*size).zip(sums.chunks_exact_mut(*panel)) {
                    add_regions(regions, padded, gradient, sums);
                }
            }
            WeightWay::Tiles(block) => {
                let Workspace { transformed, products, .. } = workspace;
                let turned = room(transformed, block.turned());
                block.turn(padded, turned);
                let groups = gradients.chunks_exact(block.padded());
                let paired = room(products, groups.len() * block.paired());
                for (gradients, paired) in groups.zip(paired.chunks_exact_mut(block.paired())) {
                    block.pair(gradients, paired);
                }
                block.add_gradients(turned, paired, sums);
            }
            WeightWay::Winograd(Winograd { tiles, sizes, precision }) => {
                let Workspace { transformed, products, .. } = workspace;
                let transformed = room(transformed, sizes.transformed());
                match precision {
                    Precision::F32 => tiles.read(padded, transformed),
                    Precision::Bf16 => tiles.read_tiles_in_pairs(padded, transformed),
                }
                let panels = sums.chunks_mut(TOGETHER * sizes.points * sizes.inputs);
                for (gradients, sums) in gradients.chunks(TOGETHER * tiles.block()).zip(panels) {
                    let groups = gradients.chunks_exact(tiles.block());
                    let at_points = room(products, groups.len() * sizes.points * sizes.tiles);
                    for (gradient, at_points) in groups.zip(at_points.chunks_exact_mut(sizes.points * sizes.tiles)) {
                        match precision {
                            Precision::F32 => tiles.read_gradient(gradient, at_points),
                            Precision::Bf16 => tiles.read_gradient_in_pairs(gradient, at_points),
                        }
                    }
                    match precision {
                        Precision::F32 => add_gradients(*sizes, transformed, at_points, sums),
                        Precision::Bf16 => add_gradients_of_pairs(*sizes, transformed, at_points, sums),
                    }
                }
            }
        }
    }
}

fn add_regions<const STRIDE: usize>(regions: &[Region<STRIDE>], left: &[Line], right: &[Line], mut sums: &mut [Line])
where
    Steps<STRIDE>: Product,
{
    for Region { count, rows, steps } in regions {
        let (here, others) = sums.split_at_mut(*count);
        steps.add_product(left, rows, right, here);
        sums = others;
    }
}
