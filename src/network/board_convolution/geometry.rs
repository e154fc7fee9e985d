//! Where the numbers of a block of boards lie.

use super::product::{Line, WIDTH};

/// The sizes of a convolution of boards: `boards` x `rows` x `columns` places, channels last, with a square kernel of the
/// odd size `kernel`, stride 1 and a padding of zeros that keeps the boards' size.
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
}

/// Places in a block of boards, about: so many that a block and its weights stay in the cache next to the processor.
const PLACES: usize = 240;

impl Shape {
    /// Places of a board.
    pub fn places(&self) -> usize {
        self.rows * self.columns
    }

    /// Weights of one channel of the output.
    pub fn taps(&self) -> usize {
        self.kernel * self.kernel
    }

    /// Boards that are computed together, whatever the batch.
    pub fn block(&self) -> usize {
        (PLACES / self.places().max(1)).max(1)
    }

    fn border(&self) -> usize {
        self.kernel / 2
    }

    /// Columns of a padded board: neighbouring rows share the zeros between them, as do neighbouring boards.
    fn padded_columns(&self) -> usize {
        self.columns + self.border()
    }

    fn padded_rows(&self) -> usize {
        self.rows + self.border()
    }

    /// Lines in a padded block of up to [`WIDTH`] channels: one a place.
    pub fn padded(&self) -> usize {
        let rows = self.block() * self.padded_rows() + self.border();
        rows * self.padded_columns() + self.border()
    }

    /// The line of every place of a block in the padded block.
    pub fn lines(&self) -> impl Iterator<Item = usize> + '_ {
        let centre = self.border() * self.padded_columns() + self.border();
        self.corners().map(move |corner| corner + centre)
    }

    /// The line with which the neighbourhood of every place begins.
    fn corners(&self) -> impl Iterator<Item = usize> + '_ {
        let rows =
            (0..self.block()).flat_map(move |board| (0..self.rows).map(move |row| board * self.padded_rows() + row));
        rows.flat_map(move |row| (0..self.columns).map(move |column| row * self.padded_columns() + column))
    }

    /// For every place of a block where its neighbourhood begins in the padded block.
    pub fn neighbourhoods(&self) -> impl Iterator<Item = usize> + '_ {
        self.corners().map(|line| line * WIDTH)
    }

    /// For every input and tap its offset from the beginning of a neighbourhood, in the order of [`pack`](Self::pack).
    pub fn neighbours(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.inputs).step_by(WIDTH).flat_map(move |first| {
            let taps = (0..self.kernel).flat_map(move |y| (0..self.kernel).map(move |x| y * self.padded_columns() + x));
            let group = first / WIDTH * self.padded();
            let width = WIDTH.min(self.inputs - first);
            taps.flat_map(move |tap| (0..width).map(move |channel| (group + tap) * WIDTH + channel))
        })
    }

    /// Copies boards, at most a block, into padded blocks of [`WIDTH`] channels each, whose border is zero already.
    pub fn pad(&self, boards: &[f32], channels: usize, lines: &[usize], padded: &mut [Line]) {
        let size = self.padded();
        for (numbers, line) in boards.chunks_exact(channels).zip(lines) {
            for (group, numbers) in numbers.chunks(WIDTH).enumerate() {
                store(numbers, &mut padded[group * size + line]);
            }
        }
    }

    /// Where in a panel the weights of an input for a tap are: groups of [`WIDTH`] inputs, in each all taps, in each all
    /// inputs.
    fn weight_line(&self, input: usize, tap: usize) -> usize {
        let first = input / WIDTH * WIDTH;
        first * self.taps() + tap * WIDTH.min(self.inputs - first) + input % WIDTH
    }

    /// Weights `[outputs, inputs, kernel, kernel]` as panels of outputs, each a line for every tap and input.
    pub fn pack(&self, weight: &[f32]) -> Vec<Line> {
        let (taps, inputs) = (self.taps(), self.inputs);
        let mut panels = vec![Line::default(); self.outputs.div_ceil(WIDTH) * taps * inputs];
        for (output, weight) in weight.chunks_exact(inputs * taps).enumerate() {
            let panel = &mut panels[output / WIDTH * taps * inputs..][..taps * inputs];
            for (input, weight) in weight.chunks_exact(taps).enumerate() {
                for (tap, number) in weight.iter().enumerate() {
                    panel[self.weight_line(input, tap)].0[output % WIDTH] = *number;
                }
            }
        }
        panels
    }

    /// The reverse of [`pack`](Self::pack).
    pub fn unpack(&self, panels: &[Line]) -> Vec<f32> {
        let (taps, inputs) = (self.taps(), self.inputs);
        let mut weight = vec![0.0; self.outputs * inputs * taps];
        for (output, weight) in weight.chunks_exact_mut(inputs * taps).enumerate() {
            let panel = &panels[output / WIDTH * taps * inputs..][..taps * inputs];
            for (input, weight) in weight.chunks_exact_mut(taps).enumerate() {
                for (tap, number) in weight.iter_mut().enumerate() {
                    *number = panel[self.weight_line(input, tap)].0[output % WIDTH];
                }
            }
        }
        weight
    }

    /// The convolution from gradients of the output to gradients of the input.
    pub fn transposed(&self) -> Self {
        Self { inputs: self.outputs, outputs: self.inputs, ..*self }
    }

    /// The weights of the [`transposed`](Self::transposed) convolution, packed.
    pub fn pack_transposed(&self, weight: &[f32]) -> Vec<Line> {
        let (taps, inputs, outputs) = (self.taps(), self.inputs, self.outputs);
        let transposed = self.transposed();
        let mut panels = vec![Line::default(); inputs.div_ceil(WIDTH) * taps * outputs];
        for (output, weight) in weight.chunks_exact(inputs * taps).enumerate() {
            for (input, weight) in weight.chunks_exact(taps).enumerate() {
                let panel = &mut panels[input / WIDTH * taps * outputs..][..taps * outputs];
                for (tap, number) in weight.iter().rev().enumerate() {
                    panel[transposed.weight_line(output, tap)].0[input % WIDTH] = *number;
                }
            }
        }
        panels
    }
}

/// Writes up to a line's numbers into it.
#[inline(always)]
fn store(numbers: &[f32], line: &mut Line) {
    match numbers.first_chunk() {
        // A whole line is a copy of known length, which is faster.
        Some(numbers) => line.0 = *numbers,
        None => line.0.iter_mut().zip(numbers).for_each(|(to, from)| *to = *from),
    }
}
