//! A matrix product whose left side is read through offsets, so neighbourhoods need no copies.

use super::line::{Line, WIDTH};
use super::register::{Register, with_the_best_instructions};
use super::steps::{Rows, Steps};

/// Steps of a product, along numbers or along lines.
pub trait Product {
    /// Adds to `sums[i][j]` the sum over all steps, in order, of `left[rows[i] + step.0] *
    /// right[step.1][j]`; offsets on the left count numbers. Offsets outside of a side, or more
    /// sums than rows, panic.
    fn add_product(&self, left: &[Line], rows: &Rows, right: &[Line], sums: &mut [Line]);
}

impl Product for Steps<1> {
    fn add_product(&self, left: &[Line], rows: &Rows, right: &[Line], sums: &mut [Line]) {
        add_along_numbers(left, rows, self, right, sums);
    }
}

impl Product for Steps<WIDTH> {
    fn add_product(&self, left: &[Line], rows: &Rows, right: &[Line], sums: &mut [Line]) {
        add_along_lines(left, rows, self, right, sums);
    }
}

with_the_best_instructions! {
    fn add_along_numbers(
        left: &[Line],
        rows: &Rows,
        steps: &Steps<1>,
        right: &[Line],
        sums: &mut [Line],
    ) = add_all[(12, 1, 1), (6, 2, 1), (6, 4, 1), (2, 4, 1)]
}

with_the_best_instructions! {
    fn add_along_lines(
        left: &[Line],
        rows: &Rows,
        steps: &Steps<WIDTH>,
        right: &[Line],
        sums: &mut [Line],
    ) = add_all[(12, 1, 16), (6, 2, 16), (6, 4, 16), (2, 4, 16)]
}

/// Blocks of `TALL` rows of `WIDE` registers, whose sums fill the processor's registers.
#[inline(always)]
unsafe fn add_all<R: Register, const TALL: usize, const WIDE: usize, const STRIDE: usize>(
    left: &[Line],
    rows: &Rows,
    steps: &Steps<STRIDE>,
    right: &[Line],
    sums: &mut [Line],
) {
    const { assert!(WIDE * R::LANES == WIDTH) }
    assert!(rows.largest() + steps.largest() < left.len() * WIDTH, "an offset outside of the left side");
    assert!(steps.largest_line() < right.len(), "an offset outside of the right side");
    let rows = &rows.offsets()[..sums.len()];
    let (left, right) = (left.as_ptr().cast::<f32>(), right.as_ptr().cast::<f32>());
    for runs in steps.chunks() {
        for (rows, sums) in rows.chunks(TALL).zip(sums.chunks_mut(TALL)) {
            let last = rows.len() - 1;
            // SAFETY: rows plus steps lie on the left side, lines on the right, as asserted.
            unsafe {
                let (mut starts, mut block) = ([left; TALL], [[R::zero(); WIDE]; TALL]);
                for (index, (start, block)) in starts.iter_mut().zip(&mut block).enumerate() {
                    // Missing rows of the last block repeat its last row.
                    let which = index.min(last);
                    *start = left.add(rows[which] as usize);
                    for (at, register) in block.iter_mut().enumerate() {
                        *register = R::load(sums[which].0.as_ptr().add(at * R::LANES));
                    }
                }
                for run in runs {
                    let factors = starts.map(|start| start.add(run.start as usize));
                    let lines = right.add(run.line as usize * WIDTH);
                    let length = run.length as usize;
                    // Four steps share the counting.
                    let fours = length / 4 * 4;
                    for step in (0..fours).step_by(4) {
                        for step in step..step + 4 {
                            add_step::<R, TALL, WIDE, STRIDE>(&mut block, factors, lines, step);
                        }
                    }
                    for step in fours..length {
                        add_step::<R, TALL, WIDE, STRIDE>(&mut block, factors, lines, step);
                    }
                }
                for (index, block) in block.into_iter().enumerate() {
                    if index <= last {
                        for (at, register) in block.into_iter().enumerate() {
                            register.store(sums[index].0.as_mut_ptr().add(at * R::LANES));
                        }
                    }
                }
            }
        }
    }
}

/// # Safety
/// The step belongs to the run at which factors and lines begin; the processor has the
/// instructions.
#[inline(always)]
unsafe fn add_step<R: Register, const TALL: usize, const WIDE: usize, const STRIDE: usize>(
    block: &mut [[R; WIDE]; TALL],
    factors: [*const f32; TALL],
    lines: *const f32,
    step: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut line = [R::zero(); WIDE];
        for (at, register) in line.iter_mut().enumerate() {
            *register = R::load(lines.add(step * WIDTH + at * R::LANES));
        }
        for (sums, factor) in block.iter_mut().zip(factors) {
            let factor = R::splat(factor.add(step * STRIDE));
            for (sum, register) in sums.iter_mut().zip(line) {
                *sum = factor.times_plus(register, *sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::InstructionSet;

    #[test]
    fn the_product_is_that_of_plain_sums_within_rounding() {
        for count in [1, 2, 5, 6, 7, 12, 13, 40] {
            let left: Vec<Line> =
                (0..70).map(|k| Line(std::array::from_fn(|j| ((k * 37 + j * 11) % 101) as f32 / 50.0 - 1.0))).collect();
            let numbers: Vec<f32> = left.iter().flat_map(|line| line.0).collect();
            let rows: Rows = (0..count).map(|row| (row * 29) % 97).collect();
            // Runs of 1 to 13, in more than one chunk.
            let runs = || (0..40).flat_map(|run| (0..1 + run % 13).map(move |step| (run, step)));
            let near: Vec<(usize, usize)> = runs().map(|(run, step)| ((run * 31) % 103 + step, run + step)).collect();
            let far: Vec<(usize, usize)> = runs().map(|(run, step)| (run * 17 + step * WIDTH, run + step)).collect();
            let right: Vec<Line> =
                (0..60).map(|k| Line(std::array::from_fn(|j| ((k * 13 + j * 7) % 41) as f32 / 20.0 - 1.0))).collect();
            check::<1>(&left, &numbers, &rows, &near, &right, count);
            check::<WIDTH>(&left, &numbers, &rows, &far, &right, count);
        }
    }

    fn check<const STRIDE: usize>(
        left: &[Line],
        numbers: &[f32],
        rows: &Rows,
        steps: &[(usize, usize)],
        right: &[Line],
        count: usize,
    ) where
        Steps<STRIDE>: Product,
    {
        let mut plain = vec![[0.5f64; WIDTH]; count];
        for (i, plain) in plain.iter_mut().enumerate() {
            for (step, line) in steps {
                let factor = numbers[rows.offsets()[i] as usize + step];
                for (plain, number) in plain.iter_mut().zip(right[*line].0) {
                    *plain += f64::from(factor) * f64::from(number);
                }
            }
        }
        let steps: Steps<STRIDE> = steps.iter().copied().collect();
        assert!(steps.chunks().len() > 1 && steps.chunks()[0].len() > 1);
        let mut sums = vec![Line([0.5; WIDTH]); count];
        steps.add_product(left, rows, right, &mut sums);
        for (sum, plain) in sums.iter().flat_map(|line| line.0).zip(plain.iter().flatten()) {
            assert!((f64::from(sum) - plain).abs() < 1e-4, "{:?}: {sum}, not {plain}", InstructionSet::used());
        }
    }
}
