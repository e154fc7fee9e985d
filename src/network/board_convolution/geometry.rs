//! Where the numbers of a block of boards lie.

use super::product::{Line, Offsets, WIDTH, copy};

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

    /// Numbers in a padded block of that many channels.
    pub fn padded(&self, channels: usize) -> usize {
        let rows = self.block() * self.padded_rows() + self.border();
        (rows * self.padded_columns() + self.border()) * channels
    }

    /// For every place of a block where its neighbourhood begins in the padded block.
    pub fn neighbourhoods(&self, channels: usize) -> Offsets {
        let rows = (0..self.block()).flat_map(|board| (0..self.rows).map(move |row| board * self.padded_rows() + row));
        rows.flat_map(|row| (0..self.columns).map(move |column| (row * self.padded_columns() + column) * channels))
            .collect()
    }

    /// For every tap and channel its offset from the beginning of a neighbourhood.
    pub fn steps(&self, channels: usize) -> Offsets {
        let taps = (0..self.kernel).flat_map(|y| (0..self.kernel).map(move |x| y * self.padded_columns() + x));
        taps.flat_map(|tap| (0..channels).map(move |channel| tap * channels + channel)).collect()
    }

    /// Copies boards, at most a block, into a padded block whose border is zero already.
    pub fn pad(&self, boards: &[f32], channels: usize, padded: &mut [f32]) {
        let line = self.columns * channels;
        for (index, row) in boards.chunks_exact(line).enumerate() {
            let (board, y) = (index / self.rows, index % self.rows);
            let place = (self.border() + board * self.padded_rows() + y) * self.padded_columns() + self.border();
            padded[place * channels..][..line].copy_from_slice(row);
        }
    }

    /// The same for the channels from `first` on, given as a panel.
    pub fn pad_panel(&self, panel: &[Line], first: usize, channels: usize, padded: &mut [f32]) {
        let width = WIDTH.min(channels - first);
        for (index, row) in panel.chunks_exact(self.columns).enumerate() {
            let (board, y) = (index / self.rows, index % self.rows);
            let place = (self.border() + board * self.padded_rows() + y) * self.padded_columns() + self.border();
            for (column, Line(numbers)) in row.iter().enumerate() {
                let at = (place + column) * channels + first;
                copy(numbers, &mut padded[at..at + width]);
            }
        }
    }

    /// Weights `[outputs, inputs, kernel, kernel]` as panels of outputs, each a line for every tap and input.
    pub fn pack(&self, weight: &[f32]) -> Vec<Line> {
        let (taps, inputs) = (self.taps(), self.inputs);
        let mut panels = vec![Line::default(); self.outputs.div_ceil(WIDTH) * taps * inputs];
        for (output, weight) in weight.chunks_exact(inputs * taps).enumerate() {
            let panel = &mut panels[output / WIDTH * taps * inputs..][..taps * inputs];
            for (input, weight) in weight.chunks_exact(taps).enumerate() {
                for (tap, number) in weight.iter().enumerate() {
                    panel[tap * inputs + input].0[output % WIDTH] = *number;
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
                    *number = panel[tap * inputs + input].0[output % WIDTH];
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
        let mut panels = vec![Line::default(); inputs.div_ceil(WIDTH) * taps * outputs];
        for (output, weight) in weight.chunks_exact(inputs * taps).enumerate() {
            for (input, weight) in weight.chunks_exact(taps).enumerate() {
                let panel = &mut panels[input / WIDTH * taps * outputs..][..taps * outputs];
                for (tap, number) in weight.iter().rev().enumerate() {
                    panel[tap * outputs + output].0[input % WIDTH] = *number;
                }
            }
        }
        panels
    }
}
