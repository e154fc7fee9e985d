//! Weights as the panels of a product, and back.

use super::geometry::Shape;
use super::line::{Line, WIDTH};
use super::unit::rounded;
use super::winograd::{gradient_of_kernel, transformed};
use crate::network::precision::Precision;

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
        match algorithm {
            Algorithm::Direct => self.inputs * self.taps(),
            Algorithm::Winograd => self.form().points() * self.point_lines(),
        }
    }

    /// Lines of the gradient of a panel: that of pairs is of numbers, too.
    pub fn gradient_panel(&self, algorithm: Algorithm) -> usize {
        match algorithm {
            Algorithm::Direct => self.panel(algorithm),
            Algorithm::Winograd => self.form().points() * self.inputs,
        }
    }

    /// Lines of a panel for one point.
    pub fn point_lines(&self) -> usize {
        match self.precision {
            Precision::F32 => self.inputs,
            Precision::Bf16 => self.inputs.div_ceil(2),
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

    /// Weights `[outputs, inputs, kernel, kernel]` as panels of outputs.
    ///
    /// A panel has a line for every tap, or point, and input, or pair of inputs.
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
        let points = || {
            let points = transformed(kernel.try_into().expect("a kernel of 3x3"), self.form());
            points.into_iter().enumerate().take(self.form().points())
        };
        match (algorithm, self.precision) {
            (Algorithm::Direct, _) => {
                for (tap, number) in kernel.iter().enumerate() {
                    panel[self.weight_line(input, tap)].0[output % WIDTH] = *number;
                }
            }
            (Algorithm::Winograd, Precision::F32) => {
                points().for_each(|(point, number)| panel[self.point_line(input, point)].0[output % WIDTH] = number);
            }
            (Algorithm::Winograd, Precision::Bf16) => {
                for (point, number) in points() {
                    let pair = &mut panel[point * self.point_lines() + input / 2].0[output % WIDTH];
                    let half = u32::from(rounded(number)) << (16 * (input % 2));
                    *pair = f32::from_bits(pair.to_bits() | half);
                }
            }
        }
    }

    /// The reverse of [`pack`](Self::pack) without pairs, for gradients.
    pub fn unpack(&self, panels: &[Line], algorithm: Algorithm) -> Vec<f32> {
        let (taps, inputs, size) = (self.taps(), self.inputs, self.gradient_panel(algorithm));
        let mut weight = vec![0.0; self.outputs * inputs * taps];
        for (output, weight) in weight.chunks_exact_mut(inputs * taps).enumerate() {
            let panel = &panels[output / WIDTH * size..][..size];
            for (input, weight) in weight.chunks_exact_mut(taps).enumerate() {
                let number = |line: usize| panel[line].0[output % WIDTH];
                match algorithm {
                    Algorithm::Direct => {
                        let taps = weight.iter_mut().enumerate();
                        taps.for_each(|(tap, to)| *to = number(self.weight_line(input, tap)));
                    }
                    Algorithm::Winograd => {
                        let points = (0..self.form().points()).map(|point| number(self.point_line(input, point)));
                        weight.copy_from_slice(&gradient_of_kernel(&points.collect::<Vec<_>>(), self.form()));
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
