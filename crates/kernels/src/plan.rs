//! Products of a block of boards: directly without taps beyond the border, or by Winograd or AMX.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::amx::Block;
use super::channels::{copy_by_index, start_and_write_cells, write_cells};
use super::geometry::{Rectangle, Shape};
use super::line::{Line, WIDTH};
use super::nodes::{ROWS, Sizes, add_gradients, add_gradients_of_pairs, multiply, multiply_pairs};
use super::outputs::{Cell, Finish};
use super::packing::Algorithm;
use super::product::Product;
use super::steps::{Rows, Steps};
use super::winograd::{Window, Windows, add_windows, write_windows};
use crate::precision::Precision;

pub struct Plan {
    pub cells: Vec<Cell>,
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
    /// A sum for each cell of each window, on the board or not.
    Winograd {
        chunks: Vec<Winograd>,
        panel: usize,
    },
    Amx {
        block: Block,
        chunks: Vec<Chunk>,
    },
}

struct Chunk {
    corners: Range<usize>,
    cells: Range<usize>,
}

/// Corners of a chunk: few enough that its sums stay in the first-level cache.
const CHUNK: usize = 128;

struct Winograd {
    windows: Windows,
    sizes: Sizes,
    precision: Precision,
}

impl Winograd {
    /// All windows of a block, in small chunks if their buffers fit in the first-level cache, else in
    /// one, which reads the weights once.
    fn of_block(shape: &Shape, boards: usize) -> Vec<Self> {
        let all: Vec<Window> = shape.windows_of(boards).collect();
        let nodes = shape.form().nodes();
        let lines = nodes * (shape.node_lines().div_ceil(WIDTH) + shape.outputs.div_ceil(WIDTH).min(TOGETHER));
        let most = if lines <= FEW { ROWS } else { all.len().max(1) };
        let inputs = shape.node_lines();
        let chunk = |windows: &[Window]| {
            let sizes = Sizes { nodes, windows: windows.len(), inputs };
            Self { windows: Windows::new(shape, windows), sizes, precision: shape.precision }
        };
        all.chunks(most).map(chunk).collect()
    }

    fn of_gradients(shape: &Shape) -> Self {
        let all: Vec<Window> = shape.windows_of(shape.block()).collect();
        let windows = Windows::new(shape, &all);
        let count = match shape.precision {
            Precision::F32 => windows.count(),
            Precision::Bf16 => windows.pairs(),
        };
        Self {
            windows,
            sizes: Sizes { nodes: shape.form().nodes(), windows: count, inputs: shape.inputs },
            precision: shape.precision,
        }
    }

    /// Multiplies patches of a padded block by panels of `panel` lines at all nodes. `see` gets
    /// each panel's number and products `[nodes, windows]`.
    fn multiply(
        &self,
        padded: &[Line],
        panels: &[Line],
        panel: usize,
        [transformed, products]: [&mut Vec<Line>; 2],
        mut see: impl FnMut(usize, &[Line]),
    ) {
        let Self { windows, sizes, precision } = self;
        let transformed = room(transformed, sizes.transformed());
        match precision {
            Precision::F32 => windows.read(padded, transformed),
            Precision::Bf16 => windows.read_pairs(padded, transformed),
        }
        for (index, panels) in panels.chunks(TOGETHER * panel).enumerate() {
            let size = sizes.nodes * sizes.windows;
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

/// Rows of consecutive sums, and the steps of their products, `STRIDE` numbers apart on the left.
struct Region<const STRIDE: usize> {
    count: usize,
    rows: Rows,
    steps: Steps<STRIDE>,
}

#[derive(Default)]
pub struct Workspace {
    sums: Vec<Line>,
    /// Patches at all nodes, or the block rounded for AMX.
    transformed: Vec<Line>,
    /// Products of some panels at all nodes, or gradients.
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

/// Most lines written for a window in chunks that fit in the first-level cache.
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
            Algorithm::Amx => Self::amx(shape, boards),
        }
    }

    fn amx(shape: &Shape, boards: usize) -> Self {
        let block = Block::new(shape, boards);
        let corner = |number: usize| shape.neighbourhood(number) / WIDTH;
        let cell = |number: usize| Cell::new(shape, number, corner(number));
        let cells: Vec<Cell> = (0..boards * shape.cells()).map(cell).collect();
        // Corners of no cell belong to any board.
        let mut owners = vec![0; block.rows()];
        cells.iter().for_each(|cell| owners[cell.sum] = cell.board);
        let chunk = |first: usize| {
            let corners = first..block.rows().min(first + CHUNK);
            let before = |corner: usize| cells.partition_point(|cell| cell.sum < corner);
            Chunk { cells: before(corners.start)..before(corners.end), corners }
        };
        let chunks = (0..block.rows()).step_by(CHUNK).map(chunk).collect();
        Self { cells, boards: owners, padded: shape.padded(), way: Way::Amx { block, chunks } }
    }

    /// Sums of cells with equal taps stand together, to fill products.
    fn direct(shape: &Shape, boards: usize, rectangles: &[(Rectangle, Rectangle)]) -> Self {
        let (mut cells, mut owners, mut regions) = (Vec::new(), Vec::new(), Vec::new());
        for (rectangle, taps) in rectangles.iter().filter(|_| boards > 0) {
            let start = cells.len();
            for board in 0..boards {
                for cell in rectangle.cells(shape.columns) {
                    let number = board * shape.cells() + cell;
                    cells.push(Cell::new(shape, number, cells.len()));
                    owners.push(board);
                }
            }
            regions.push(Region {
                count: cells.len() - start,
                rows: cells[start..].iter().map(|cell| shape.neighbourhood(cell.number)).collect(),
                steps: shape.neighbours(taps).collect(),
            });
        }
        cells.sort_unstable_by_key(|cell| cell.number);
        let panel = shape.panel(Algorithm::Direct);
        Self { cells, boards: owners, padded: shape.padded(), way: Way::Direct { regions, panel } }
    }

    /// Sums stand window by window; sums off the board have no cell.
    fn winograd(shape: &Shape, boards: usize) -> Self {
        let chunks = Winograd::of_block(shape, boards);
        let form = shape.form();
        let all = shape.windows_of(boards).flat_map(|Window { board, cell: [row, column] }| {
            form.cells().map(move |[down, right]| (board, row + down, column + right))
        });
        let on_board = all.enumerate().filter(|(_, (_, row, column))| *row < shape.rows && *column < shape.columns);
        let mut cells: Vec<Cell> = on_board
            .map(|(sum, (board, row, column))| {
                let number = board * shape.cells() + row * shape.columns + column;
                Cell::new(shape, number, sum)
            })
            .collect();
        cells.sort_unstable_by_key(|cell| cell.number);
        let boards = shape.windows_of(boards).flat_map(|window| form.cells().map(move |_| window.board)).collect();
        let panel = shape.panel(shape.algorithm());
        Self { cells, boards, padded: shape.padded(), way: Way::Winograd { chunks, panel } }
    }

    /// Starts the sums of a group with a line for each board.
    pub fn begin(&self, starts: &[Line], sums: &mut [Line]) {
        copy_by_index(starts, &self.boards, sums);
    }

    /// Adds the convolution of a padded block by panels to sums, as [`Cell::sum`] indexes them.
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
                    let each = chunk.windows.cells();
                    let here = first..first + each * chunk.sizes.windows;
                    chunk.multiply(padded, panels, *panel, [transformed, products], |group, products| {
                        add_windows(&chunk.windows, products, &mut sums[group * count..][here.clone()]);
                    });
                    first = here.end;
                }
                sums.chunks_exact(count).enumerate().for_each(|(group, sums)| end(group, sums));
            }
            Way::Amx { block, .. } => {
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
                    write_cells(&self.cells, sums, &finish, output);
                }
            }
            Way::Winograd { chunks, panel } => {
                for chunk in chunks {
                    chunk.multiply(padded, panels, *panel, [transformed, products], |group, products| {
                        let output = &mut output[group * self.padded..][..self.padded];
                        write_windows(&chunk.windows, products, &finish(group), output);
                    });
                }
            }
            Way::Amx { block, chunks } => {
                let rounded = room(transformed, block.rounded());
                block.round(padded, rounded);
                let together = panels.chunks(TOGETHER * block.panel());
                for (index, panels) in together.enumerate() {
                    for Chunk { corners, cells } in chunks {
                        let sums = room(sums, block.panels(panels) * corners.len());
                        block.write_products(rounded, panels, corners.start, sums);
                        for (which, sums) in sums.chunks_exact(corners.len()).enumerate() {
                            let group = TOGETHER * index + which;
                            let (cells, finish) = (&self.cells[cells.clone()], finish(group));
                            let output = &mut output[group * self.padded..][..self.padded];
                            start_and_write_cells(cells, corners.start, sums, &finish, output);
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

    /// Plans for the centre of the kernel alone at some cells.
    pub fn of_centre(shape: &Shape, cells: Rectangle) -> Self {
        Self::with_regions(shape, Algorithm::Direct, vec![(cells, shape.centre())])
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
    Amx(Block),
}

impl WeightPlan {
    pub fn new(shape: &Shape) -> Self {
        let region = |(row, offsets): (usize, Vec<usize>)| Region {
            count: offsets.len(),
            rows: offsets.into_iter().collect(),
            steps: shape.cells_with(row).map(|cell| (shape.neighbourhood(cell), shape.line(cell))).collect(),
        };
        Self(match shape.algorithm() {
            Algorithm::Direct => WeightWay::Direct {
                regions: shape.kernel_rows().into_iter().map(region).collect(),
                panel: shape.panel(Algorithm::Direct),
                padded: shape.padded(),
            },
            Algorithm::Winograd(_) => WeightWay::Winograd(Winograd::of_gradients(shape)),
            Algorithm::Amx => WeightWay::Amx(Block::new(shape, shape.block())),
        })
    }

    /// Plan for the centre of the kernel alone at some cells of each board; sums are those of a 1x1
    /// kernel.
    pub fn of_centre(shape: &Shape, cells: &Rectangle) -> Self {
        let all = (0..shape.block())
            .flat_map(|board| cells.cells(shape.columns).map(move |cell| board * shape.cells() + cell));
        let region = Region {
            count: shape.inputs,
            rows: shape.neighbours(&shape.centre()).map(|(offset, _)| offset).collect(),
            steps: all.map(|cell| (shape.neighbourhood(cell), shape.line(cell))).collect(),
        };
        Self(WeightWay::Direct { regions: vec![region], panel: shape.inputs, padded: shape.padded() })
    }

    /// Adds products of padded inputs and gradients to sums for [`Shape::unpack`].
    pub fn add(&self, padded: &[Line], gradients: &[Line], workspace: &mut Workspace, sums: &mut [Line]) {
        match &self.0 {
            WeightWay::Direct { regions, panel, padded: size } => {
                for (gradient, sums) in gradients.chunks_exact(*size).zip(sums.chunks_exact_mut(*panel)) {
                    add_regions(regions, padded, gradient, sums);
                }
            }
            WeightWay::Amx(block) => {
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
            WeightWay::Winograd(Winograd { windows, sizes, precision }) => {
                let Workspace { transformed, products, .. } = workspace;
                let transformed = room(transformed, sizes.transformed());
                match precision {
                    Precision::F32 => windows.read(padded, transformed),
                    Precision::Bf16 => windows.read_windows_in_pairs(padded, transformed),
                }
                let panels = sums.chunks_mut(TOGETHER * sizes.nodes * sizes.inputs);
                for (gradients, sums) in gradients.chunks(TOGETHER * windows.block()).zip(panels) {
                    let groups = gradients.chunks_exact(windows.block());
                    let at_nodes = room(products, groups.len() * sizes.nodes * sizes.windows);
                    for (gradient, at_nodes) in groups.zip(at_nodes.chunks_exact_mut(sizes.nodes * sizes.windows)) {
                        match precision {
                            Precision::F32 => windows.read_gradient(gradient, at_nodes),
                            Precision::Bf16 => windows.read_gradient_in_pairs(gradient, at_nodes),
                        }
                    }
                    match precision {
                        Precision::F32 => add_gradients(*sizes, transformed, at_nodes, sums),
                        Precision::Bf16 => add_gradients_of_pairs(*sizes, transformed, at_nodes, sums),
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
