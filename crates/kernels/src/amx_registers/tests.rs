//! The work of matrices in plain words.

use super::{HEIGHT, Work};
use crate::line::{Line, WIDTH};

impl Work<'_> {
    /// Does all jobs without matrices.
    ///
    /// # Safety
    /// The promise of [`by_registers`](Self::by_registers) but for the instructions.
    pub unsafe fn plainly(&self) {
        // SAFETY: `new` took the pointers from slices that live; the caller's promise.
        unsafe {
            let jobs =
                std::slice::from_raw_parts(self.first_job, self.end_of_jobs.offset_from_unsigned(self.first_job));
            let count = self.end_of_steps.offset_from_unsigned(self.first_step);
            let steps = std::slice::from_raw_parts(self.first_step, count);
            for job in jobs {
                for (index, sums) in job.sums.iter().enumerate().filter(|(_, sums)| !sums.is_null()) {
                    let (left, right) = (job.left[index % 2], job.right[index / 2]);
                    for row in 0..HEIGHT {
                        let to = &mut *sums.add(row);
                        if self.add == 0 {
                            *to = Line::default();
                        }
                        for (number, step) in steps.iter().enumerate() {
                            let left = left.add(step + row * self.apart).cast::<[f32; WIDTH]>().read_unaligned();
                            let right = std::slice::from_raw_parts(right.add(number * HEIGHT), HEIGHT);
                            add_product(&left, right, to);
                        }
                    }
                }
            }
        }
    }
}

/// Adds products of pairs: a row by each column of sixteen others.
pub fn add_product(row: &[f32; WIDTH], by: &[Line], sums: &mut Line) {
    let halves = |pair: f32| [f32::from_bits(pair.to_bits() << 16), f32::from_bits(pair.to_bits() & !0xffff)];
    for (pair, line) in row.iter().zip(by) {
        let [a, b] = halves(*pair);
        for (sum, pair) in sums.0.iter_mut().zip(line.0) {
            let [c, d] = halves(pair);
            *sum += a * c + b * d;
        }
    }
}
