//! Which numbers a product multiplies: what its left side is read through.

/// Offsets of the rows of the left side.
#[derive(Clone, Debug)]
pub struct Rows {
    offsets: Vec<u32>,
    largest: usize,
}

impl Rows {
    /// One a row, counted in numbers.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The largest of them.
    pub fn largest(&self) -> usize {
        self.largest
    }
}

impl FromIterator<usize> for Rows {
    fn from_iter<I: IntoIterator<Item = usize>>(offsets: I) -> Self {
        let offsets: Vec<u32> = offsets.into_iter().map(number).collect();
        let largest = offsets.iter().max().map_or(0, |largest| *largest as usize);
        Self { offsets, largest }
    }
}

/// Steps along the rows of the left side and the lines of the right side.
///
/// They are held as runs of steps that lie `STRIDE` apart.
#[derive(Clone, Debug)]
pub struct Steps<const STRIDE: usize> {
    chunks: Vec<Vec<Run>>,
    largest: usize,
    largest_line: usize,
}

impl<const STRIDE: usize> Steps<STRIDE> {
    /// The runs, in chunks that stay in the first-level cache.
    ///
    /// A chunk's lines of the right side stay there, together with what is read of the left.
    pub fn chunks(&self) -> &[Vec<Run>] {
        &self.chunks
    }

    /// The largest offset on the left.
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// The largest line on the right.
    pub fn largest_line(&self) -> usize {
        self.largest_line
    }
}

/// `length` steps from `start` on the left and from `line` on the right.
///
/// They are steps of `STRIDE` on the left, of one on the right.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Offset of the first on the left.
    pub start: u32,
    /// Line of the first on the right.
    pub line: u32,
    /// How many there are.
    pub length: u32,
}

/// Steps in a chunk at the most: 9 KiB of lines.
const CHUNK: usize = 144;

impl<const STRIDE: usize> FromIterator<(usize, usize)> for Steps<STRIDE> {
    /// Of every step's offset on the left and line on the right.
    fn from_iter<I: IntoIterator<Item = (usize, usize)>>(steps: I) -> Self {
        let steps: Vec<(usize, usize)> = steps.into_iter().collect();
        let chunk = steps.len().div_ceil(steps.len().div_ceil(CHUNK).max(1)).max(1);
        let runs = |steps: &[(usize, usize)]| {
            let follows = |a: &(usize, usize), b: &(usize, usize)| (a.0 + STRIDE, a.1 + 1) == *b;
            let run = |run: &[(usize, usize)]| Run {
                start: number(run[0].0),
                line: number(run[0].1),
                length: number(run.len()),
            };
            steps.chunk_by(follows).map(run).collect()
        };
        Self {
            chunks: steps.chunks(chunk).map(runs).collect(),
            largest: steps.iter().map(|step| step.0).max().unwrap_or(0),
            largest_line: steps.iter().map(|step| step.1).max().unwrap_or(0),
        }
    }
}

fn number(offset: usize) -> u32 {
    u32::try_from(offset).expect("a block of boards has fewer than 2^32 numbers")
}
