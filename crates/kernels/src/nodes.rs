//! Matrix products at the nodes of [`winograd`](super::winograd).
//!
//! Blocks of sums stay in registers: for each row a register of the right side is multiplied by one
//! number of the left side. Pairs of bfloat16 ([`unit`](super::unit)) may replace numbers: pairs of
//! inputs for products, of windows for sums over windows.

use super::line::{Line, WIDTH};
use super::register::{Register, with_the_best_instructions};
use super::unit::{Numbers, Unit};

/// Most rows computed at once. The left side has as many lines behind the last row, whose products
/// are not used.
pub const ROWS: usize = 12;

#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub nodes: usize,
    /// Windows, or pairs, computed together.
    pub windows: usize,
    /// Channels of the input, or pairs.
    pub inputs: usize,
}

impl Sizes {
    pub fn transformed(self) -> usize {
        self.nodes * self.inputs.div_ceil(WIDTH) * self.windows + ROWS
    }
}

with_the_best_instructions! {
    /// Writes sums over the inputs: `[panels, nodes, windows]`.
    ///
    /// `transformed` is `[nodes, groups, windows]`, `panels` `[panels, nodes, inputs]`.
    pub fn multiply(
        sizes: Sizes,
        transformed: &[Line],
        panels: &[Line],
        products: &mut [Line],
    ) = multiply_all[(Numbers, 12, 6, 2), (Numbers, 6, 3, 2), (Numbers, 6, 3, 4), (Numbers, 2, 1, 4)]
}

with_the_best_instructions! {
    /// [`multiply`] with pairs of inputs.
    pub fn multiply_pairs(
        sizes: Sizes,
        transformed: &[Line],
        panels: &[Line],
        products: &mut [Line],
    ) = pairs multiply_all[(12, 6, 2), (6, 3, 2), (6, 3, 4), (2, 1, 4)]
}

#[inline(always)]
unsafe fn multiply_all<R: Register, U: Unit<R>, const TALL: usize, const HALF: usize, const WIDE: usize>(
    sizes: Sizes,
    transformed: &[Line],
    panels: &[Line],
    products: &mut [Line],
) {
    const { assert!(HALF <= TALL && TALL <= ROWS && fits::<R>(WIDE)) }
    let Sizes { nodes, windows, inputs } = sizes;
    let (groups, count) = (inputs.div_ceil(WIDTH), panels.len() / (nodes * inputs));
    assert_eq!(transformed.len(), sizes.transformed(), "transformed patches");
    assert_eq!([panels.len(), products.len()], [inputs, windows].map(|size| count * nodes * size), "panels");
    let columns = count * (WIDTH / R::LANES);
    let (left, right, sums) = (numbers(transformed), numbers(panels), products.as_mut_ptr().cast::<f32>());
    for node in 0..nodes {
        for first in (0..columns).step_by(WIDE) {
            for window in (0..windows).step_by(TALL) {
                // SAFETY: the sizes are asserted; rows behind the last window are only read.
                unsafe {
                    let left = left.add((node * groups * windows + window) * WIDTH);
                    let right = |column: usize| right.add(cell::<R>(column, node * inputs, nodes * inputs));
                    let sums = |column: usize| sums.add(cell::<R>(column, node * windows + window, nodes * windows));
                    let side = Left::<WIDTH, 1> { numbers: left, run: windows * WIDTH, steps: inputs };
                    let (left, rows) = (columns - first, windows - window);
                    let (right, sums) = (|column: usize| right(first + column), |column: usize| sums(first + column));
                    // Half a block is faster for the last few rows.
                    if rows > HALF {
                        side.products::<R, U, TALL, WIDE, false>(left, right, sums, rows);
                    } else {
                        side.products::<R, U, HALF, WIDE, false>(left, right, sums, rows);
                    }
                }
            }
        }
    }
}

with_the_best_instructions! {
    /// Adds sums over the windows to `[panels, nodes, inputs]`.
    ///
    /// `transformed` is `[nodes, groups, windows]`, `gradients` `[panels, nodes, windows]`.
    pub fn add_gradients(
        sizes: Sizes,
        transformed: &[Line],
        gradients: &[Line],
        sums: &mut [Line],
    ) = add_all[(Numbers, 8, 2), (Numbers, 4, 2), (Numbers, 4, 4), (Numbers, 2, 4)]
}

with_the_best_instructions! {
    /// [`add_gradients`] with pairs of windows.
    pub fn add_gradients_of_pairs(
        sizes: Sizes,
        transformed: &[Line],
        gradients: &[Line],
        sums: &mut [Line],
    ) = pairs add_all[(8, 2), (4, 2), (4, 4), (2, 4)]
}

#[inline(always)]
unsafe fn add_all<R: Register, U: Unit<R>, const TALL: usize, const WIDE: usize>(
    sizes: Sizes,
    transformed: &[Line],
    gradients: &[Line],
    sums: &mut [Line],
) {
    const { assert!(WIDTH.is_multiple_of(TALL) && fits::<R>(WIDE)) }
    let Sizes { nodes, windows, inputs } = sizes;
    let (groups, count) = (inputs.div_ceil(WIDTH), sums.len() / (nodes * inputs));
    assert_eq!(transformed.len(), sizes.transformed(), "transformed patches");
    assert_eq!([sums.len(), gradients.len()], [inputs, windows].map(|size| count * nodes * size), "gradients");
    let columns = count * (WIDTH / R::LANES);
    let (left, right, sums) = (numbers(transformed), numbers(gradients), sums.as_mut_ptr().cast::<f32>());
    for node in 0..nodes {
        for input in (0..inputs).step_by(TALL) {
            for first in (0..columns).step_by(WIDE) {
                // SAFETY: the sizes are asserted; rows behind the last input are only read.
                unsafe {
                    let line = (node * groups + input / WIDTH) * windows;
                    let left = left.add(line * WIDTH + input % WIDTH);
                    let right = |column: usize| right.add(cell::<R>(column, node * windows, nodes * windows));
                    let sums = |column: usize| sums.add(cell::<R>(column, node * inputs + input, nodes * inputs));
                    let side = Left::<1, WIDTH> { numbers: left, run: 0, steps: windows };
                    let rows = inputs - input;
                    side.products::<R, U, TALL, WIDE, true>(
                        columns - first,
                        |column| right(first + column),
                        |column| sums(first + column),
                        rows,
                    );
                }
            }
        }
    }
}

/// Whether columns of registers go `wide` at a time; a last odd one comes alone.
const fn fits<R: Register>(wide: usize) -> bool {
    let registers = WIDTH / R::LANES;
    WIDTH == registers * R::LANES && (wide == 2 || registers.is_multiple_of(wide))
}

fn numbers(lines: &[Line]) -> *const f32 {
    lines.as_ptr().cast()
}

/// Number at which a column of registers begins at a line of its panel.
#[inline(always)]
fn cell<R: Register>(column: usize, line: usize, panel: usize) -> usize {
    let registers = WIDTH / R::LANES;
    (column / registers * panel + line) * WIDTH + column % registers * R::LANES
}

/// Left side of a product: rows `ROW` numbers apart, steps `STEP`. If `STEP` is 1, a run is the
/// steps of one line, and runs begin `run` numbers apart.
struct Left<const ROW: usize, const STEP: usize> {
    numbers: *const f32,
    run: usize,
    steps: usize,
}

impl<const ROW: usize, const STEP: usize> Left<ROW, STEP> {
    /// [`product`](Self::product) for `WIDE` columns of registers, or for a last one.
    ///
    /// # Safety
    /// As for [`product`](Self::product).
    #[inline(always)]
    unsafe fn products<R: Register, U: Unit<R>, const TALL: usize, const WIDE: usize, const ADD: bool>(
        self,
        left: usize,
        right: impl Fn(usize) -> *const f32,
        sums: impl Fn(usize) -> *mut f32,
        rows: usize,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            if left == 1 {
                return self.product::<R, U, TALL, 1, ADD>([right(0)], [sums(0)], rows);
            }
            let (mut rights, mut all) = ([right(0); WIDE], [sums(0); WIDE]);
            for column in 1..WIDE {
                (rights[column], all[column]) = (right(column), sums(column));
            }
            self.product::<R, U, TALL, WIDE, ADD>(rights, all, rows);
        }
    }

    /// Writes or adds sums of the first `rows` of `TALL` rows. Steps of the right side and rows of
    /// the sums are a line apart.
    ///
    /// # Safety
    /// All numbers named may be read or written; the processor has the instructions.
    #[inline(always)]
    unsafe fn product<R: Register, U: Unit<R>, const TALL: usize, const WIDE: usize, const ADD: bool>(
        self,
        right: [*const f32; WIDE],
        sums: [*mut f32; WIDE],
        rows: usize,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut block = [[R::zero(); WIDE]; TALL];
            let (mut left, mut done) = (self.numbers, 0);
            while done < self.steps {
                let steps = if STEP == 1 { WIDTH.min(self.steps - done) } else { self.steps };
                for step in 0..steps {
                    let mut factors = [R::zero(); WIDE];
                    for (factor, right) in factors.iter_mut().zip(right) {
                        *factor = R::load(right.add((done + step) * WIDTH));
                    }
                    for (row, sums) in block.iter_mut().enumerate() {
                        let number = R::splat(left.add(row * ROW + step * STEP));
                        for (sum, factor) in sums.iter_mut().zip(factors) {
                            *sum = U::times_plus(number, factor, *sum);
                        }
                    }
                }
                done += steps;
                left = left.wrapping_add(self.run);
            }
            for (row, block) in block.into_iter().enumerate() {
                if row < rows {
                    for (sum, to) in block.into_iter().zip(sums) {
                        let to = to.add(row * WIDTH);
                        let sum = if ADD { R::load(to).plus(sum) } else { sum };
                        sum.store(to);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Role, Stream};
    use crate::unit::rounded;

    const NODES: usize = 16;

    fn halves(pair: f32) -> [f32; 2] {
        [f32::from_bits(pair.to_bits() << 16), f32::from_bits(pair.to_bits() & !0xffff)]
    }

    fn pairs(count: usize, stream: &mut Stream) -> Vec<Line> {
        let mut number = || u32::from(rounded(2.0 * stream.unit() - 1.0));
        (0..count).map(|_| Line(std::array::from_fn(|_| f32::from_bits(number() | number() << 16)))).collect()
    }

    fn assert_near(lines: &[Line], plain: &[f64], what: &str) {
        for (number, plain) in lines.iter().flat_map(|line| line.0).zip(plain) {
            assert!((f64::from(number) - plain).abs() < 1e-4, "{what}: {number}, not {plain}");
        }
        assert_eq!(lines.len() * WIDTH, plain.len(), "{what}");
    }

    fn dot(left: f32, right: f32) -> f64 {
        let [[a, b], [c, d]] = [left, right].map(|pair| halves(pair).map(f64::from));
        a * c + b * d
    }

    #[test]
    fn pairs_of_inputs_are_multiplied_as_plain_sums() {
        let mut stream = Stream::new(8, Role::Sample, 0);
        for (windows, inputs, count) in
            [(12, 16, 2), (60, 8, 1), (54, 16, 3), (7, 4, 2), (33, 32, 2), (1, 1, 1), (5, 20, 2)]
        {
            let sizes = Sizes { nodes: NODES, windows, inputs };
            let what = format!("{sizes:?}, {count} panels");
            let groups = inputs.div_ceil(WIDTH);
            let left = pairs(NODES * groups * windows + ROWS, &mut stream);
            let right = pairs(count * NODES * inputs, &mut stream);
            let plain: Vec<f64> = (0..count * NODES * windows * WIDTH)
                .map(|at| {
                    let (window, output) = (at / WIDTH % windows, at % WIDTH);
                    let (node, panel) = (at / WIDTH / windows % NODES, at / WIDTH / windows / NODES);
                    let product = |input: usize| {
                        let left = left[(node * groups + input / WIDTH) * windows + window].0[input % WIDTH];
                        dot(left, right[(panel * NODES + node) * inputs + input].0[output])
                    };
                    (0..inputs).map(product).sum()
                })
                .collect();
            let mut products = vec![Line([f32::NAN; WIDTH]); count * NODES * windows];
            multiply_pairs(sizes, &left, &right, &mut products);
            assert_near(&products, &plain, &what);
        }
    }

    #[test]
    fn gradients_of_pairs_of_windows_are_added_as_plain_sums() {
        let mut stream = Stream::new(9, Role::Sample, 0);
        for (windows, inputs, count) in
            [(30, 32, 2), (27, 16, 1), (24, 17, 3), (2, 8, 2), (120, 40, 2), (1, 1, 1), (17, 5, 2)]
        {
            let sizes = Sizes { nodes: NODES, windows, inputs };
            let what = format!("{sizes:?}, {count} panels");
            let groups = inputs.div_ceil(WIDTH);
            let left = pairs(NODES * groups * windows + ROWS, &mut stream);
            let right = pairs(count * NODES * windows, &mut stream);
            let plain: Vec<f64> = (0..count * NODES * inputs * WIDTH)
                .map(|at| {
                    let (input, output) = (at / WIDTH % inputs, at % WIDTH);
                    let (node, panel) = (at / WIDTH / inputs % NODES, at / WIDTH / inputs / NODES);
                    let product = |window: usize| {
                        let left = left[(node * groups + input / WIDTH) * windows + window].0[input % WIDTH];
                        dot(left, right[(panel * NODES + node) * windows + window].0[output])
                    };
                    0.5 + (0..windows).map(product).sum::<f64>()
                })
                .collect();
            let mut sums = vec![Line([0.5; WIDTH]); count * NODES * inputs];
            add_gradients_of_pairs(sizes, &left, &right, &mut sums);
            assert_near(&sums, &plain, &what);
        }
    }
}
