//! Weights as the panels of a product, and back.

use super::geometry::Shape;
use super::line::{Line, WIDTH};
use super::winograd::{POINTS, gradient_of_kernel, transformed};

/// How a convolution is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Every place sums over its neighbourhood.
    Direct,
    /// By [`winograd`](super::winograd).
    Winograd,
}

impl Shape {
    /// The one that takes the fewest multiplications.
    pub fn algorithm(&self) -> Algorithm {
        if self.suits_winograd() { Algorithm::Winograd } else { Algorithm::Direct }
    }

    /// Lines of a panel.
    pub fn panel(&self, algorithm: Algorithm) -> usize {
        self.inputs * self.weights(algorithm)
    }

    /// Lines of a panel for one input.
    fn weights(&self, algorithm: Algorithm) -> usize {
        match algorithm {
            Algorithm::Direct => self.taps(),
            Algorithm::Winograd => POINTS,
        }
    }

    /// Where in a panel the weights of an input for a tap are.
    ///
    /// A panel has groups of [`WIDTH`] inputs, in each all taps, in each all inputs.
    pub fn weight_line(&self, input: usize, tap: usize) -> usize {
        let first = input / WIDTH * WIDTH;
        first * self.taps() + tap * WIDTH.min(self.inputs - first) + input % WIDTH
    }

    /// The same of a point, the points in the place of taps.
    ///
    /// All inputs of a point stand together.
    fn point_line(&self, input: usize, point: usize) -> usize {
        point * self.inputs + input
    }

    fn line_of(&self, algorithm: Algorithm, input: usize, weight: usize) -> usize {
        match algorithm {
            Algorithm::Direct => self.weight_line(input, weight),
            Algorithm::Winograd => self.point_line(input, weight),
        }
    }

    /// Weights `[outputs, inputs, kernel, kernel]` as panels of outputs.
    ///
    /// A panel has a line for every tap, or point, and input.
    pub fn pack(&self, weight: &[f32], algorithm: Algorithm) -> Vec<Line> {
        let mut panels = vec![Line::default(); self.outputs.div_ceil(WIDTH) * self.panel(algorithm)];
        for (output, weight) in weight.chunks_exact(self.inputs * self.taps()).enumerate() {
            for (input, kernel) in weight.chunks_exact(self.taps()).enumerate() {
                self.put(&mut panels, algorithm, [output, input], kernel);
            }
        }
        panels
    }

    /// Puts the kernel of an output and an input into panels.
    fn put(&self, panels: &mut [Line], algorithm: Algorithm, [output, input]: [usize; 2], kernel: &[f32]) {
        let size = self.panel(algorithm);
        let panel = &mut panels[output / WIDTH * size..][..size];
        let mut put = |numbers: &[f32]| {
            for (weight, number) in numbers.iter().enumerate() {
                panel[self.line_of(algorithm, input, weight)].0[output % WIDTH] = *number;
            }
        };
        match algorithm {
            Algorithm::Direct => put(kernel),
            Algorithm::Winograd => put(&transformed(kernel.try_into().expect("a kernel of 3x3"))),
        }
    }

    /// The reverse of [`pack`](Self::pack), for gradients.
    pub fn unpack(&self, panels: &[Line], algorithm: Algorithm) -> Vec<f32> {
        let (taps, inputs, size) = (self.taps(), self.inputs, self.panel(algorithm));
        let mut weight = vec![0.0; self.outputs * inputs * taps];
        for (output, weight) in weight.chunks_exact_mut(inputs * taps).enumerate() {
            let panel = &panels[output / WIDTH * size..][..size];
            for (input, weight) in weight.chunks_exact_mut(taps).enumerate() {
                let number = |of: usize| panel[self.line_of(algorithm, input, of)].0[output % WIDTH];
                match algorithm {
                    Algorithm::Direct => weight.iter_mut().enumerate().for_each(|(tap, to)| *to = number(tap)),
                    Algorithm::Winograd => {
                        weight.copy_from_slice(&gradient_of_kernel(&std::array::from_fn(number)));
                    }
                }
            }
        }
        weight
    }

    /// The weights of the [`transposed`](Self::transposed) convolution, packed.
    pub fn pack_transposed(&self, weight: &[f32], algorithm: Algorithm) -> Vec<Line> {
        let transposed = self.transposed();
        let mut panels = vec![Line::default(); self.inputs.div_ceil(WIDTH) * transposed.panel(algorithm)];
        let mut turned = vec![0.0; self.taps()];
        for (output, weight) in weight.chunks_exact(self.inputs * self.taps()).enumerate() {
            for (input, kernel) in weight.chunks_exact(self.taps()).enumerate() {
                turned.iter_mut().zip(kernel.iter().rev()).for_each(|(to, from)| *to = *from);
                transposed.put(&mut panels, algorithm, [input, output], &turned);
            }
        }
        panels
    }
}
