//! The micro-kernel: a matrix product whose left side is read through offsets.
//!
//! So neither the neighbourhoods of a convolution nor their transpose are ever written out.

use super::line::{Line, WIDTH};
use super::steps::{Rows, Run, Steps};
use crate::instructions::InstructionSet;

/// Adds the products of all steps to the sums of rows.
///
/// Adds to `sums[i][j]` the sum over all steps of `left[rows[i] + step.0] * right[step.1][j]`, for the first
/// `sums.len()` rows; offsets on the left count numbers, not lines. The order of the additions is that of the steps,
/// whatever else is computed along.
///
/// # Panics
/// When an offset lies outside of `left` or `right`, or there are fewer rows than that.
pub fn add_product<const STRIDE: usize>(
    left: &[Line],
    rows: &Rows,
    steps: &Steps<STRIDE>,
    right: &[Line],
    sums: &mut [Line],
) {
    add_product_on(InstructionSet::used(), left, rows, steps, right, sums);
}

fn add_product_on<const STRIDE: usize>(
    instructions: InstructionSet,
    left: &[Line],
    rows: &Rows,
    steps: &Steps<STRIDE>,
    right: &[Line],
    sums: &mut [Line],
) {
    assert!(rows.largest() + steps.largest() < left.len() * WIDTH, "an offset outside of the left side");
    assert!(steps.largest_line() < right.len(), "an offset outside of the right side");
    let rows = &rows.offsets()[..sums.len()];
    for runs in steps.chunks() {
        // SAFETY: the offsets are within `left` and `right`, as just asserted; the processor has been asked for its
        // instructions.
        unsafe {
            match instructions {
                InstructionSet::Portable => tiles::<Separate, 2, STRIDE>(left, rows, runs, right, sums),
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 => avx2::<STRIDE>(left, rows, runs, right, sums),
                #[cfg(target_arch = "x86_64")]
                _ => avx512::<STRIDE>(left, rows, runs, right, sums),
            }
        }
    }
}

/// # Safety
/// As of [`tiles`]; the processor has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn avx512<const STRIDE: usize>(left: &[Line], rows: &[u32], runs: &[Run], right: &[Line], sums: &mut [Line]) {
    // SAFETY: as the caller promises.
    unsafe { tiles::<Fused, 12, STRIDE>(left, rows, runs, right, sums) }
}

/// # Safety
/// As of [`tiles`]; the processor has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<const STRIDE: usize>(left: &[Line], rows: &[u32], runs: &[Run], right: &[Line], sums: &mut [Line]) {
    // SAFETY: as the caller promises.
    unsafe { tiles::<Fused, 6, STRIDE>(left, rows, runs, right, sums) }
}

trait Arithmetic {
    fn multiply_add(a: f32, b: f32, c: f32) -> f32;
}

/// Rounds once; fast only where the processor has the instruction.
struct Fused;
/// Rounds twice.
struct Separate;

impl Arithmetic for Fused {
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

impl Arithmetic for Separate {
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
}

/// Tiles of `ROWS` rows, as many as the processor's registers hold the sums of.
///
/// # Safety
/// Every row plus every step is below `left.len() * WIDTH`, every line of a step below `right.len()`.
#[inline(always)]
unsafe fn tiles<A: Arithmetic, const ROWS: usize, const STRIDE: usize>(
    left: &[Line],
    rows: &[u32],
    runs: &[Run],
    right: &[Line],
    sums: &mut [Line],
) {
    for (rows, sums) in rows.chunks(ROWS).zip(sums.chunks_mut(ROWS)) {
        // The last tile computes its first row again in the place of those that are missing.
        let mut starts = [rows[0] as usize; ROWS];
        let mut tile = [sums[0].0; ROWS];
        for (index, (row, sum)) in rows.iter().zip(sums.iter()).enumerate() {
            starts[index] = *row as usize;
            tile[index] = sum.0;
        }
        for run in runs {
            let (line, length) = (run.line as usize, run.length as usize);
            // SAFETY: as the caller promises.
            let lines = unsafe { right.get_unchecked(line..line + length) };
            // SAFETY: as the caller promises.
            let factors = starts.map(|start| unsafe { left.as_ptr().cast::<f32>().add(start + run.start as usize) });
            let mut add = |index: usize, line: &Line| {
                for (factor, tile) in factors.iter().zip(&mut tile) {
                    // SAFETY: as the caller promises.
                    let factor = unsafe { *factor.add(index * STRIDE) };
                    for (sum, number) in tile.iter_mut().zip(&line.0) {
                        *sum = A::multiply_add(factor, *number, *sum);
                    }
                }
            };
            // Four at once share the counting.
            let (fours, rest) = lines.as_chunks::<4>();
            for (index, [a, b, c, d]) in fours.iter().enumerate() {
                add(4 * index, a);
                add(4 * index + 1, b);
                add(4 * index + 2, c);
                add(4 * index + 3, d);
            }
            for (index, line) in rest.iter().enumerate() {
                add(4 * fours.len() + index, line);
            }
        }
        for (sum, tile) in sums.iter_mut().zip(tile) {
            sum.0 = tile;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_set_gives_the_product_within_rounding() {
        println!("instruction sets that were run: {:?}", InstructionSet::present());
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
    ) {
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
        for instructions in InstructionSet::present() {
            let mut sums = vec![Line([0.5; WIDTH]); count];
            add_product_on(instructions, left, rows, &steps, right, &mut sums);
            for (sum, plain) in sums.iter().flat_map(|line| line.0).zip(plain.iter().flatten()) {
                assert!((f64::from(sum) - plain).abs() < 1e-4, "{instructions:?}: {sum}, not {plain}");
            }
        }
    }
}
