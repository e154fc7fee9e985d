//! Sixteen numbers, loaded, multiplied and stored at once.

/// Numbers of a line, columns of a panel.
pub const WIDTH: usize = 16;

/// A cache line of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Line(pub [f32; WIDTH]);

/// Up to [`WIDTH`] numbers, then zeros.
#[inline(always)]
pub fn line<T: Copy + Default>(numbers: &[T]) -> [T; WIDTH] {
    // A copy of known length is faster.
    numbers.first_chunk().copied().unwrap_or_else(|| {
        let mut line = [T::default(); WIDTH];
        line[..numbers.len()].copy_from_slice(numbers);
        line
    })
}
