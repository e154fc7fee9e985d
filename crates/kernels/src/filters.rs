//! F(2, 3) and F(4, 3) of Lavin and Gray 2016 (<https://arxiv.org/abs/1509.09308>) along one axis, and
//! their gradients. A node is an interpolation point of Winograd's method.
//!
//! # Safety
//! Of all functions: the processor has the instructions of `R`.

use super::register::Register;

/// Lavin and Gray's data transform of a patch: from four cells along an axis to four nodes.
#[inline(always)]
pub unsafe fn transform_data<R: Register>([a, b, c, d]: [R; 4]) -> [R; 4] {
    // SAFETY: the caller's promise.
    unsafe { [a.minus(c), b.plus(c), c.minus(b), b.minus(d)] }
}

/// Lavin and Gray's data transform of a long patch: from six cells along an axis to six nodes.
#[inline(always)]
pub unsafe fn transform_long_data<R: Register>([a, b, c, d, e, f]: [R; 6]) -> [R; 6] {
    // SAFETY: the caller's promise.
    unsafe {
        let [two, minus_four, four, minus_five] = [2.0, -4.0, 4.0, -5.0].map(|number: f32| R::splat(&number));
        let (even, odd) = (c.times_plus(minus_four, e), b.times_plus(minus_four, d));
        let (far, across) = (e.minus(c), d.minus(b).times(two));
        [
            a.times_plus(four, c.times_plus(minus_five, e)),
            even.plus(odd),
            even.minus(odd),
            far.plus(across),
            far.minus(across),
            b.times_plus(four, d.times_plus(minus_five, f)),
        ]
    }
}

/// Lavin and Gray's inverse transform of a window: from four nodes along an axis to two cells.
#[inline(always)]
pub unsafe fn combine<R: Register>([a, b, c, d]: [R; 4]) -> [R; 2] {
    // SAFETY: the caller's promise.
    unsafe { [a.plus(b).plus(c), b.minus(c).minus(d)] }
}

/// Lavin and Gray's inverse transform of a long window: from six nodes along an axis to four cells.
#[inline(always)]
pub unsafe fn combine_long<R: Register>([a, b, c, d, e, f]: [R; 6]) -> [R; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let [two, four, eight] = [2.0, 4.0, 8.0].map(|number: f32| R::splat(&number));
        let (near, far) = (b.plus(c), d.plus(e));
        let (near_across, far_across) = (b.minus(c), d.minus(e));
        [
            a.plus(near).plus(far),
            far_across.times_plus(two, near_across),
            far.times_plus(four, near),
            far_across.times_plus(eight, near_across).plus(f),
        ]
    }
}

/// Transpose of the inverse transform of a window: from the gradients of two cells to those of four
/// nodes, the last with its sign changed.
#[inline(always)]
pub unsafe fn transform_gradient<R: Register>([a, b]: [R; 2]) -> [R; 4] {
    // SAFETY: the caller's promise.
    unsafe { [a, a.plus(b), a.minus(b), b] }
}

/// Transpose of the inverse transform of a long window: from the gradients of four cells to those of
/// six nodes.
#[inline(always)]
pub unsafe fn transform_long_gradient<R: Register>([a, b, c, d]: [R; 4]) -> [R; 6] {
    // SAFETY: the caller's promise.
    unsafe {
        let [two, four, eight] = [2.0, 4.0, 8.0].map(|number: f32| R::splat(&number));
        let (even, odd) = (a.plus(c), b.plus(d));
        let (far, across) = (c.times_plus(four, a), d.times_plus(eight, b.times(two)));
        [a, even.plus(odd), even.minus(odd), far.plus(across), far.minus(across), d]
    }
}

/// Lavin and Gray's filter transform: from three taps along an axis to four nodes.
#[inline(always)]
pub unsafe fn transform_kernel<R: Register>([a, b, c]: [R; 3]) -> [R; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let half = R::splat(&0.5);
        let even = a.plus(c);
        [a, even.plus(b).times(half), even.minus(b).times(half), c]
    }
}

/// Lavin and Gray's filter transform for long windows: from three taps along an axis to six nodes.
#[inline(always)]
pub unsafe fn transform_long_kernel<R: Register>([a, b, c]: [R; 3]) -> [R; 6] {
    // SAFETY: the caller's promise.
    unsafe {
        let [quarter, sixth, part, two, four] =
            [0.25, -1.0 / 6.0, 1.0 / 24.0, 2.0, 4.0].map(|number: f32| R::splat(&number));
        let (even, far, across) = (a.plus(c), c.times_plus(four, a), b.times(two));
        [
            a.times(quarter),
            even.plus(b).times(sixth),
            even.minus(b).times(sixth),
            far.plus(across).times(part),
            far.minus(across).times(part),
            c,
        ]
    }
}

/// Transpose of the filter transform: from the gradients of four nodes, the last with its sign
/// changed, to those of three taps.
#[inline(always)]
pub unsafe fn combine_taps<R: Register>([a, b, c, d]: [R; 4]) -> [R; 3] {
    // SAFETY: the caller's promise.
    unsafe {
        let half = R::splat(&0.5);
        let (even, odd) = (b.plus(c).times(half), b.minus(c).times(half));
        [a.plus(even), odd, even.minus(d)]
    }
}

/// Transpose of the filter transform for long windows: from the gradients of six nodes to those of
/// three taps.
#[inline(always)]
pub unsafe fn combine_long_taps<R: Register>([a, b, c, d, e, f]: [R; 6]) -> [R; 3] {
    // SAFETY: the caller's promise.
    unsafe {
        let [quarter, sixth, twelfth, part] =
            [0.25, 1.0 / 6.0, 1.0 / 12.0, 1.0 / 24.0].map(|number: f32| R::splat(&number));
        let (near, far) = (b.plus(c).times(sixth), d.plus(e));
        [
            a.times_plus(quarter, far.times(part)).minus(near),
            d.minus(e).times_plus(twelfth, c.minus(b).times(sixth)),
            far.times_plus(sixth, f).minus(near),
        ]
    }
}
