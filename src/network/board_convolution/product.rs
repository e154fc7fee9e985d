//! The one inner loop: a matrix product whose left side is read through offsets, so that neither the neighbourhoods of
//! a convolution nor their transpose are ever written out.

use std::sync::LazyLock;

/// Columns of a panel of the right side.
pub const WIDTH: usize = 16;

/// A row of a panel: one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Line(pub [f32; WIDTH]);

/// Up to a line's numbers, with zeros beyond the last.
#[inline(always)]
pub fn line<T: Copy + Default>(numbers: &[T]) -> [T; WIDTH] {
    // A whole line is a copy of known length, which is faster.
    numbers.first_chunk().copied().unwrap_or_else(|| {
        let mut line = [T::default(); WIDTH];
        line[..numbers.len()].copy_from_slice(numbers);
        line
    })
}

/// The reverse: as many of a line's numbers as there is room for.
#[inline(always)]
pub fn copy<T: Copy>(line: &[T; WIDTH], numbers: &mut [T]) {
    match numbers.first_chunk_mut() {
        Some(numbers) => *numbers = *line,
        None => numbers.copy_from_slice(&line[..numbers.len()]),
    }
}

/// Offsets into the left side.
#[derive(Clone, Debug)]
pub struct Offsets {
    offsets: Vec<u32>,
    largest: usize,
}

impl FromIterator<usize> for Offsets {
    fn from_iter<I: IntoIterator<Item = usize>>(offsets: I) -> Self {
        let number = |offset| u32::try_from(offset).expect("a block of boards has fewer than 2^32 numbers");
        let offsets: Vec<u32> = offsets.into_iter().map(number).collect();
        let largest = offsets.iter().max().map_or(0, |largest| *largest as usize);
        Self { offsets, largest }
    }
}

impl Offsets {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }
}

/// What the inner loop may use of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Processor {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Processor {
    /// All that this machine has, the best first.
    fn present() -> Vec<Self> {
        let mut present = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                present.insert(0, Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f") {
                present.insert(0, Self::Avx512);
            }
        }
        present
    }

    /// The best that this machine has.
    fn best() -> Self {
        static BEST: LazyLock<Processor> = LazyLock::new(|| Processor::present()[0]);
        *BEST
    }
}

/// Adds to `sums[i][j]` the sum over k of `left[rows[i] + steps[k]] * right[k][j]`, for the first `sums.len()` rows and
/// the first `right.len()` steps.
///
/// The order of the additions is that of the steps, whatever else is computed along.
///
/// # Panics
/// When an offset lies outside of `left`, or there are fewer rows or steps than that.
pub fn add_product(left: &[f32], rows: &Offsets, steps: &Offsets, right: &[Line], sums: &mut [Line]) {
    add_product_on(Processor::best(), left, rows, steps, right, sums);
}

fn add_product_on(
    processor: Processor,
    left: &[f32],
    rows: &Offsets,
    steps: &Offsets,
    right: &[Line],
    sums: &mut [Line],
) {
    assert!(rows.largest + steps.largest < left.len(), "an offset outside of the left side");
    let (rows, steps) = (&rows.offsets[..sums.len()], &steps.offsets[..right.len()]);
    // SAFETY: the offsets are within `left`, as just asserted; the processor has been asked for its instructions.
    unsafe {
        match processor {
            #[cfg(target_arch = "x86_64")]
            Processor::Avx512 => avx512(left, rows, steps, right, sums),
            #[cfg(target_arch = "x86_64")]
            Processor::Avx2 => avx2(left, rows, steps, right, sums),
            Processor::Portable => tiles::<Separate, 2>(left, rows, steps, right, sums),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512(left: &[f32], rows: &[u32], steps: &[u32], right: &[Line], sums: &mut [Line]) {
    // SAFETY: as the caller promises.
    unsafe { tiles::<Fused, 12>(left, rows, steps, right, sums) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(left: &[f32], rows: &[u32], steps: &[u32], right: &[Line], sums: &mut [Line]) {
    // SAFETY: as the caller promises.
    unsafe { tiles::<Fused, 6>(left, rows, steps, right, sums) }
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
/// Every row plus every step is below `left.len()`.
#[inline(always)]
unsafe fn tiles<A: Arithmetic, const ROWS: usize>(
    left: &[f32],
    rows: &[u32],
    steps: &[u32],
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
        for (step, line) in steps.iter().zip(right) {
            for (start, tile) in starts.iter().zip(&mut tile) {
                // SAFETY: as the caller promises.
                let factor = unsafe { *left.get_unchecked(start + *step as usize) };
                for (sum, number) in tile.iter_mut().zip(&line.0) {
                    *sum = A::multiply_add(factor, *number, *sum);
                }
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
    fn every_kind_of_processor_gives_the_product_within_rounding() {
        for count in [1, 2, 5, 6, 7, 12, 13, 40] {
            let left: Vec<f32> = (0..200).map(|index| ((index * 37) % 101) as f32 / 50.0 - 1.0).collect();
            let rows: Offsets = (0..count).map(|row| (row * 29) % 97).collect();
            let steps: Offsets = (0..50).map(|step| (step * 31) % 103).collect();
            let right: Vec<Line> =
                (0..50).map(|k| Line(std::array::from_fn(|j| ((k * 13 + j * 7) % 41) as f32 / 20.0 - 1.0))).collect();
            let mut plain = vec![[0.5f64; WIDTH]; count];
            for (i, plain) in plain.iter_mut().enumerate() {
                for (k, line) in right.iter().enumerate() {
                    let factor = left[(rows.offsets[i] + steps.offsets[k]) as usize];
                    for (plain, number) in plain.iter_mut().zip(line.0) {
                        *plain += f64::from(factor) * f64::from(number);
                    }
                }
            }
            for processor in Processor::present() {
                let mut sums = vec![Line([0.5; WIDTH]); count];
                add_product_on(processor, &left, &rows, &steps, &right, &mut sums);
                for (sum, plain) in sums.iter().flat_map(|line| line.0).zip(plain.iter().flatten()) {
                    assert!((f64::from(sum) - plain).abs() < 1e-4, "{processor:?}: {sum}, not {plain}");
                }
            }
        }
    }
}
