//! Offsets that a product reads.

#[derive(Clone, Debug)]
pub struct Rows {
    offsets: Vec<u32>,
    largest: usize,
}

impl Rows {
    /// An offset for each row, in numbers.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

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

/// Steps along rows of the left side and lines of the right side, in runs `STRIDE` apart on the
/// left and one line on the right.
#[derive(Clone, Debug)]
pub struct Steps<const STRIDE: usize> {
    chunks: Vec<Vec<Run>>,
    largest: usize,
    largest_line: usize,
}

impl<const STRIDE: usize> Steps<STRIDE> {
    /// Runs in chunks whose lines on the right stay in the first-level cache.
    pub fn chunks(&self) -> &[Vec<Run>] {
        &self.chunks
    }

    pub fn largest(&self) -> usize {
        self.largest
    }

    pub fn largest_line(&self) -> usize {
        self.largest_line
    }
}

/// `length` steps from `start` on the left and from `line` on the right.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub start: u32,
    pub line: u32,
    pub length: u32,
}

/// Most steps of a chunk: 9 KiB of lines.
const CHUNK: usize = 144;

impl<const STRIDE: usize> FromIterator<(usize, usize)> for Steps<STRIDE> {
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
