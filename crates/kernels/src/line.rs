//! Sixteen numbers: what is loaded, multiplied and stored at once.

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
