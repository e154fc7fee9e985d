//! The products that convolve a block of boards or give the weights' gradient.
//!
//! Those near the border leave out what lies beyond it.

use std::sync::{Arc, OnceLock};

use super::geometry::{Rectangle, Shape};
use super::line::{Line, WIDTH};
use super::product::add_product;
use super::steps::{Rows, Steps};

/// The convolution of a block of boards.
///
/// The sums of places with the same taps stand together, so that they make full tiles of a product.
pub struct Plan {
    /// In the order of the block.
    pub places: Vec<Place>,
    /// The board of every sum.
    boards: Vec<usize>,
    regions: Vec<Region<1>>,
}

/// A place of a block.
pub struct Place {
    /// Which of the block it is.
    pub number: usize,
    /// Its line in the padded block.
    pub line: usize,
    /// Which of the sums is its.
    pub sum: usize,
}

/// The next sums and what is added to them.
struct Region<const STRIDE: usize> {
    count: usize,
    rows: Rows,
    steps: Steps<STRIDE>,
}

impl Plan {
    /// For the blocks of a batch: whole ones, and the last.
    pub fn of_batch(shape: &Shape) -> [Self; 2] {
        let regions = shape.regions();
        [shape.block(), shape.boards % shape.block()].map(|boards| Self::with_regions(shape, boards, &regions))
    }

    fn with_regions(shape: &Shape, boards: usize, regions: &[(Rectangle, Rectangle)]) -> Self {
        let mut plan = Self { places: Vec::new(), boards: Vec::new(), regions: Vec::new() };
        for (rectangle, taps) in regions.iter().filter(|_| boards > 0) {
            plan.push(shape, boards, rectangle, taps);
        }
        plan.places.sort_unstable_by_key(|place| place.number);
        plan
    }

    /// Adds a rectangle of each of so many boards.
    fn push(&mut self, shape: &Shape, boards: usize, rectangle: &Rectangle, taps: &Rectangle) {
        let start = self.places.len();
        for board in 0..boards {
            for place in rectangle.places(shape.columns) {
                let number = board * shape.places() + place;
                self.places.push(Place { number, line: shape.line(number), sum: self.places.len() });
                self.boards.push(board);
            }
        }
        let places = &self.places[start..];
        self.regions.push(Region {
            count: places.len(),
            rows: places.iter().map(|place| shape.neighbourhood(place.number)).collect(),
            steps: shape.neighbours(taps).collect(),
        });
    }

    /// The convolution of a padded block by a panel of weights.
    ///
    /// Gives the sums of its [`places`](Self::places), each of which begins with the line of its board in `starts`.
    pub fn convolve<'a>(&self, starts: &[Line], padded: &[Line], panel: &[Line], sums: &'a mut [Line]) -> &'a [Line] {
        let sums = &mut sums[..self.places.len()];
        for (sum, board) in sums.iter_mut().zip(&self.boards) {
            *sum = starts[*board];
        }
        self.add(padded, panel, sums);
        sums
    }

    /// Adds the products of a padded block with a panel of weights to the sums.
    ///
    /// These are the sums of its [`places`](Self::places).
    pub fn add(&self, padded: &[Line], panel: &[Line], sums: &mut [Line]) {
        add_regions(&self.regions, padded, panel, sums);
    }
}

/// Plans for blocks of any number of boards.
///
/// Each is made when it is first asked for; copies share them.
#[derive(Clone)]
pub struct Plans(Arc<Regions>);

struct Regions {
    shape: Shape,
    /// Places of a board, each with its taps.
    regions: Vec<(Rectangle, Rectangle)>,
    /// By the number of boards, from one.
    plans: Vec<OnceLock<Plan>>,
}

impl Plans {
    /// Of the convolutions of a shape, whatever its number of boards.
    pub fn new(shape: &Shape) -> Self {
        Self::with_regions(shape, shape.regions())
    }

    /// The same of a kernel that is zero but for its centre, at some places.
    pub fn of_centre(shape: &Shape, places: Rectangle) -> Self {
        Self::with_regions(shape, vec![(places, shape.centre())])
    }

    fn with_regions(shape: &Shape, regions: Vec<(Rectangle, Rectangle)>) -> Self {
        let plans = (0..shape.block()).map(|_| OnceLock::new()).collect();
        Self(Arc::new(Regions { shape: *shape, regions, plans }))
    }

    /// The plan for so many boards, from one to a block.
    pub fn of(&self, boards: usize) -> &Plan {
        let Regions { shape, regions, plans } = &*self.0;
        plans[boards - 1].get_or_init(|| Plan::with_regions(shape, boards, regions))
    }
}

/// The gradient of the weights from a block of boards.
pub struct WeightPlan {
    regions: Vec<Region<WIDTH>>,
}

impl WeightPlan {
    /// For blocks of that shape.
    pub fn new(shape: &Shape) -> Self {
        let region = |(row, offsets): (usize, Vec<usize>)| Region {
            count: offsets.len(),
            rows: offsets.into_iter().collect(),
            steps: shape.places_with(row).map(|place| (shape.neighbourhood(place), shape.line(place))).collect(),
        };
        Self { regions: shape.kernel_rows().into_iter().map(region).collect() }
    }

    /// Adds the products of padded inputs with a group of padded gradients to sums.
    ///
    /// Both are padded blocks; the sums are in the order of [`Shape::pack`].
    pub fn add(&self, padded: &[Line], gradient: &[Line], sums: &mut [Line]) {
        add_regions(&self.regions, padded, gradient, sums);
    }
}

fn add_regions<const STRIDE: usize>(regions: &[Region<STRIDE>], left: &[Line], right: &[Line], mut sums: &mut [Line]) {
    for Region { count, rows, steps } in regions {
        let (here, others) = sums.split_at_mut(*count);
        add_product(left, rows, steps, right, here);
        sums = others;
    }
}
