//! Weights to the panels of a product, and back.

use super::amx::{self, Block};
use super::geometry::Shape;
use super::kernels::{Kernels, pack, pack_for_amx, pack_pairs, unpack};
use super::line::{Line, WIDTH};
use super::winograd::Form;
use crate::precision::Precision;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Direct,
    /// [`winograd`](super::winograd) with windows of a form.
    Winograd(Form),
    Amx,
}

impl Shape {
    /// Algorithm with the fewest multiplications, or AMX for bfloat16 if present.
    pub fn algorithm(&self) -> Algorithm {
        match self.suits_winograd() {
            false => Algorithm::Direct,
            true if self.precision == Precision::Bf16 && amx::present() => Algorithm::Amx,
            true => Algorithm::Winograd(self.form()),
        }
    }

    /// Lines of a panel, the weights of up to 16 outputs.
    pub fn panel(&self, algorithm: Algorithm) -> usize {
        match algorithm {
            Algorithm::Direct => self.inputs * self.taps(),
            Algorithm::Winograd(form) => form.nodes() * self.node_lines(),
            Algorithm::Amx => Block::panel_of(self.inputs),
        }
    }

    /// Lines of a panel's gradient, which has no pairs.
    pub fn gradient_panel(&self, algorithm: Algorithm) -> usize {
        match algorithm {
            Algorithm::Direct => self.panel(algorithm),
            Algorithm::Winograd(form) => form.nodes() * self.inputs,
            Algorithm::Amx => Block::gradient_panel(self.inputs),
        }
    }

    /// Lines of a panel at each node of Winograd's method: inputs, or pairs of inputs in bfloat16.
    pub fn node_lines(&self) -> usize {
        match self.precision {
            Precision::F32 => self.inputs,
            Precision::Bf16 => self.inputs.div_ceil(2),
        }
    }

    /// Line of an input's weights for a tap in a panel: `[groups, taps, inputs of the group]`.
    pub fn weight_line(&self, input: usize, tap: usize) -> usize {
        let first = input / WIDTH * WIDTH;
        first * self.taps() + tap * WIDTH.min(self.inputs - first) + input % WIDTH
    }

    /// Weights `[outputs, inputs, kernel, kernel]` as panels of 16 outputs: lines `[taps or nodes,
    /// inputs or pairs]`.
    pub fn pack(&self, weight: &[f32], algorithm: Algorithm) -> Vec<Line> {
        self.pack_kernels(weight, algorithm, [self.inputs, 1], false)
    }

    /// [Packs](Self::pack) the weights of the convolution from the output's gradients to the input's.
    pub fn pack_transposed(&self, weight: &[f32], algorithm: Algorithm) -> Vec<Line> {
        self.transposed().pack_kernels(weight, algorithm, [1, self.inputs], true)
    }

    /// Packs kernels `apart` from output to output and from input to input.
    fn pack_kernels(&self, weight: &[f32], algorithm: Algorithm, apart: [usize; 2], turned: bool) -> Vec<Line> {
        let mut panels = vec![Line::default(); self.outputs.div_ceil(WIDTH) * self.panel(algorithm)];
        let kernels = Kernels { numbers: weight, sizes: [self.outputs, self.inputs], apart, turned };
        match (algorithm, self.precision) {
            (Algorithm::Winograd(form), Precision::F32) => pack(kernels, form, &mut panels),
            (Algorithm::Winograd(_), Precision::Bf16) => pack_pairs(kernels, &mut panels),
            (Algorithm::Amx, _) => pack_for_amx(kernels, &mut panels),
            (Algorithm::Direct, _) => {
                let (taps, size) = (self.taps(), self.panel(algorithm));
                for output in 0..self.outputs {
                    let panel = &mut panels[output / WIDTH * size..][..size];
                    for input in 0..self.inputs {
                        let kernel = &weight[(output * apart[0] + input * apart[1]) * taps..][..taps];
                        for (tap, number) in kernel.iter().enumerate() {
                            let tap = if turned { taps - 1 - tap } else { tap };
                            panel[self.weight_line(input, tap)].0[output % WIDTH] = *number;
                        }
                    }
                }
            }
        }
        panels
    }

    /// Reverse of [`pack`](Self::pack) for gradients, which have no pairs.
    pub fn unpack(&self, panels: &[Line], algorithm: Algorithm) -> Vec<f32> {
        let (taps, inputs, size) = (self.taps(), self.inputs, self.gradient_panel(algorithm));
        let mut weight = vec![0.0; self.outputs * inputs * taps];
        if let Algorithm::Winograd(form) = algorithm {
            unpack(panels, [self.outputs, inputs], form, &mut weight);
            return weight;
        }
        for (output, weight) in weight.chunks_exact_mut(inputs * taps).enumerate() {
            let panel = &panels[output / WIDTH * size..][..size];
            for (input, weight) in weight.chunks_exact_mut(taps).enumerate() {
                for (tap, to) in weight.iter_mut().enumerate() {
                    let line = match algorithm {
                        Algorithm::Amx => Block::gradient_line(input, tap),
                        _ => self.weight_line(input, tap),
                    };
                    *to = panel[line].0[output % WIDTH];
                }
            }
        }
        weight
    }
}
