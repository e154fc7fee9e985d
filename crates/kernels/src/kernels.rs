//! 3x3 kernels at the nodes of [`winograd`](super::winograd) and back, or packed for
//! [`amx`](super::amx), sixteen outputs at once.

use super::filters::{combine_long_taps, combine_taps, transform_kernel, transform_long_kernel};
use super::line::{Line, WIDTH};
use super::register::{Register, with_the_best_instructions};
use super::unit::Rounding;
use super::winograd::Form;

#[derive(Clone, Copy)]
pub struct Kernels<'a> {
    /// Nine numbers a kernel.
    pub numbers: &'a [f32],
    pub sizes: [usize; 2],
    /// Kernels from one output, and from one input, to the next.
    pub apart: [usize; 2],
    /// Whether each kernel is turned about its centre.
    pub turned: bool,
}

const TAPS: usize = 9;

impl Kernels<'_> {
    /// Taps of a panel's outputs for an input, zeros behind the last of either.
    fn taps(&self, panel: usize, input: usize) -> [Line; TAPS] {
        let mut taps = [Line::default(); TAPS];
        let outputs = (panel * WIDTH..self.sizes[0]).take(if input < self.sizes[1] { WIDTH } else { 0 });
        for (lane, output) in outputs.enumerate() {
            let kernel = &self.numbers[(output * self.apart[0] + input * self.apart[1]) * TAPS..][..TAPS];
            for (tap, number) in kernel.iter().enumerate() {
                taps[if self.turned { TAPS - 1 - tap } else { tap }].0[lane] = *number;
            }
        }
        taps
    }
}

with_the_best_instructions! {
    /// Writes kernels as panels `[panels, nodes, inputs]`.
    pub fn pack(kernels: Kernels, form: Form, panels: &mut [Line]) = long(form) => pack_all
}

#[inline(always)]
unsafe fn pack_all<R: Register, const LONG: usize>(kernels: Kernels, form: Form, panels: &mut [Line]) {
    let inputs = kernels.sizes[1];
    for (panel, lines) in panels.chunks_exact_mut(form.nodes() * inputs).enumerate() {
        for input in 0..inputs {
            let taps = kernels.taps(panel, input);
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: the caller's promise; a line holds whole registers.
                unsafe {
                    let nodes = nodes_of::<R, LONG>(&taps, lane, form);
                    for (node, number) in nodes.into_iter().flatten().enumerate() {
                        number.store(lines[node * inputs + input].0.as_mut_ptr().add(lane));
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    /// Writes kernels in pairs of inputs for square windows: `[panels, nodes, pairs]`.
    pub fn pack_pairs(kernels: Kernels, panels: &mut [Line]) = pairs pack_all_pairs
}

#[inline(always)]
unsafe fn pack_all_pairs<R: Register, U: Rounding<R>>(kernels: Kernels, panels: &mut [Line]) {
    let pairs = kernels.sizes[1].div_ceil(2);
    for (panel, lines) in panels.chunks_exact_mut(Form::Square.nodes() * pairs).enumerate() {
        for pair in 0..pairs {
            let taps = [2 * pair, 2 * pair + 1].map(|input| kernels.taps(panel, input));
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: the caller's promise; a line holds whole registers.
                unsafe {
                    let [first, second] = [&taps[0], &taps[1]].map(|taps| nodes_of::<R, 2>(taps, lane, Form::Square));
                    let both = first.into_iter().flatten().zip(second.into_iter().flatten());
                    for (node, (first, second)) in both.enumerate() {
                        U::pairs(first, second).store(lines[node * pairs + pair].0.as_mut_ptr().add(lane));
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    /// Writes taps in pairs of inputs for AMX: `[panels, groups, taps, pairs]`.
    pub fn pack_for_amx(kernels: Kernels, panels: &mut [Line]) = pairs pack_all_for_amx
}

#[inline(always)]
unsafe fn pack_all_for_amx<R: Register, U: Rounding<R>>(kernels: Kernels, panels: &mut [Line]) {
    let groups = kernels.sizes[1].div_ceil(2 * WIDTH);
    for (panel, lines) in panels.chunks_exact_mut(groups * TAPS * WIDTH).enumerate() {
        for pair in 0..groups * WIDTH {
            let taps = [2 * pair, 2 * pair + 1].map(|input| kernels.taps(panel, input));
            for (tap, (low, high)) in taps[0].iter().zip(&taps[1]).enumerate() {
                let Line(to) = &mut lines[(pair / WIDTH * TAPS + tap) * WIDTH + pair % WIDTH];
                for lane in (0..WIDTH).step_by(R::LANES) {
                    // SAFETY: the caller's promise; a line holds whole registers.
                    unsafe {
                        let [low, high] = [low, high].map(|line| R::load(line.0.as_ptr().add(lane)));
                        U::pairs(low, high).store(to.as_mut_ptr().add(lane));
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    /// Gradients of kernels `[outputs, inputs]` from those at their nodes.
    pub fn unpack(panels: &[Line], sizes: [usize; 2], form: Form, kernels: &mut [f32]) = long(form) => unpack_all
}

#[inline(always)]
unsafe fn unpack_all<R: Register, const LONG: usize>(
    panels: &[Line],
    [outputs, inputs]: [usize; 2],
    form: Form,
    kernels: &mut [f32],
) {
    for (panel, lines) in panels.chunks_exact(form.nodes() * inputs).enumerate() {
        for input in 0..inputs {
            let mut taps = [Line::default(); TAPS];
            for lane in (0..WIDTH).step_by(R::LANES) {
                // SAFETY: the caller's promise; a line holds whole registers.
                unsafe {
                    let node = |at: usize| R::load(lines[at * inputs + input].0.as_ptr().add(lane));
                    for (tap, number) in kernel_of::<R, LONG>(node, form).into_iter().enumerate() {
                        number.store(taps[tap].0.as_mut_ptr().add(lane));
                    }
                }
            }
            for (lane, output) in (panel * WIDTH..outputs).take(WIDTH).enumerate() {
                let kernel = &mut kernels[(output * inputs + input) * TAPS..][..TAPS];
                kernel.iter_mut().zip(&taps).for_each(|(number, tap)| *number = tap.0[lane]);
            }
        }
    }
}

/// Nodes along the short axis (4) and the long axis (`LONG` + 2).
///
/// # Safety
/// A line holds a register at `lane`; the processor has the instructions of `R`.
#[inline(always)]
unsafe fn nodes_of<R: Register, const LONG: usize>(
    taps: &[Line; TAPS],
    lane: usize,
    form: Form,
) -> [impl Iterator<Item = R> + use<R, LONG>; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let tap = |axes: [usize; 2]| {
            let [row, column] = form.turned(axes);
            R::load(taps[3 * row + column].0.as_ptr().add(lane))
        };
        // Along the long axis first.
        let mut halfway = [[R::zero(); 3]; 6];
        for short in 0..3 {
            let taps = [tap([short, 0]), tap([short, 1]), tap([short, 2])];
            let nodes = if LONG == 2 { with_none(transform_kernel(taps)) } else { transform_long_kernel(taps) };
            nodes.into_iter().zip(&mut halfway).for_each(|(node, halfway)| halfway[short] = node);
        }
        let along = halfway.map(|taps| transform_kernel(taps));
        std::array::from_fn(|short| along.map(|nodes| nodes[short]).into_iter().take(LONG + 2))
    }
}

/// Taps of a kernel's gradient from the gradients at its nodes.
///
/// # Safety
/// The processor has the instructions of `R`.
#[inline(always)]
unsafe fn kernel_of<R: Register, const LONG: usize>(node: impl Fn(usize) -> R, form: Form) -> [R; TAPS] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut halfway = [[R::zero(); 3]; 6];
        for (long, halfway) in halfway.iter_mut().enumerate().take(LONG + 2) {
            let at = |short: usize| node(short * (LONG + 2) + long);
            *halfway = combine_taps([at(0), at(1), at(2), at(3)]);
        }
        let mut taps = [R::zero(); TAPS];
        for short in 0..3 {
            let [a, b, c, d, e, f] = halfway.map(|taps| taps[short]);
            let along = if LONG == 2 { combine_taps([a, b, c, d]) } else { combine_long_taps([a, b, c, d, e, f]) };
            for (long, number) in along.into_iter().enumerate() {
                let [row, column] = form.turned([short, long]);
                taps[3 * row + column] = number;
            }
        }
        taps
    }
}

/// # Safety
/// The processor has the instructions of `R`.
#[inline(always)]
unsafe fn with_none<R: Register>([a, b, c, d]: [R; 4]) -> [R; 6] {
    // SAFETY: the caller's promise.
    unsafe { [a, b, c, d, R::zero(), R::zero()] }
}
