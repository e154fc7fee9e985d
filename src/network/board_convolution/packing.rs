//! Weights as the panels of a product, and back.

use super::geometry::Shape;
use super::line::{Line, WIDTH};

impl Shape {
    /// Where in a panel the weights of an input for a tap are.
    ///
    /// A panel has groups of [`WIDTH`] inputs, in each all taps, in each all inputs.
    pub fn weight_line(&self, input: usize, tap: usize) -> usize {
        let first = input / WIDTH * WIDTH;
        first * self.taps() + tap * WIDTH.min(self.inputs - first) + input % WIDTH
    }

    /// Weights `[outputs, inputs, kernel, kernel]` as panels of outputs.
    ///
    /// A panel has a line for every tap and input.
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
