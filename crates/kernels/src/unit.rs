//! Units of multiplication: numbers, or pairs of bfloat16.
//!
//! A bfloat16 is the upper half of a 32-bit float. A pair takes the place of one number, the first
//! half in the lower bits.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as x86;

use super::register::Register;
#[cfg(target_arch = "x86_64")]
use super::register::Sixteen;

/// Multiplication and sum of registers.
///
/// # Safety
/// Of all functions: the processor has the instructions of `R` and of the unit.
pub trait Unit<R: Register> {
    /// Product plus a sum, of numbers or of both halves of a pair.
    unsafe fn times_plus(left: R, right: R, sum: R) -> R;
}

/// Rounding to the nearest bfloat16, ties to even; [`Native`] flushes subnormal numbers to zero.
///
/// # Safety
/// Of all functions: the processor has the instructions of `R` and of the unit.
pub trait Rounding<R: Register> {
    /// Pairs with numbers of `low` in their lower halves.
    unsafe fn pairs(low: R, high: R) -> R;
    /// Writes the rounded numbers one after the other.
    unsafe fn store(numbers: R, to: *mut u16);
}

pub struct Numbers;
/// Pairs, by instructions for numbers.
pub struct Emulated;
/// Pairs, by AVX512_BF16.
#[cfg(target_arch = "x86_64")]
pub struct Native;

impl<R: Register> Unit<R> for Numbers {
    #[inline(always)]
    unsafe fn times_plus(left: R, right: R, sum: R) -> R {
        // SAFETY: the caller's promise.
        unsafe { left.times_plus(right, sum) }
    }
}

impl<R: Register> Unit<R> for Emulated {
    #[inline(always)]
    unsafe fn times_plus(left: R, right: R, sum: R) -> R {
        // SAFETY: the caller's promise.
        unsafe {
            let sum = left.low().times_plus(right.low(), sum);
            left.high().times_plus(right.high(), sum)
        }
    }
}

// Pairs are read where halves were written.
const _: () = assert!(cfg!(target_endian = "little"), "the first number of a pair is its lower half");

impl<R: Register> Rounding<R> for Emulated {
    #[inline(always)]
    unsafe fn pairs(low: R, high: R) -> R {
        // SAFETY: the caller's promise; an array holds any register.
        unsafe {
            let (mut lows, mut highs) = ([0.0; 16], [0.0; 16]);
            low.store(lows.as_mut_ptr());
            high.store(highs.as_mut_ptr());
            for (low, high) in lows.iter_mut().zip(highs) {
                *low = f32::from_bits(u32::from(rounded(*low)) | u32::from(rounded(high)) << 16);
            }
            R::load(lows.as_ptr())
        }
    }

    #[inline(always)]
    unsafe fn store(numbers: R, to: *mut u16) {
        // SAFETY: the caller's promise; an array holds any register.
        unsafe {
            let mut all = [0.0; 16];
            numbers.store(all.as_mut_ptr());
            for (lane, number) in all[..R::LANES].iter().enumerate() {
                to.add(lane).write(rounded(*number));
            }
        }
    }
}

/// The nearest bfloat16, ties to even; NaN stays NaN.
#[inline(always)]
pub fn rounded(number: f32) -> u16 {
    let bits = number.to_bits();
    let nearest = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    // Rounding could carry a NaN over to infinity.
    let nan = bits >> 16 | 0x40;
    (if number.is_nan() { nan } else { nearest }) as u16
}

#[cfg(target_arch = "x86_64")]
impl Unit<Sixteen> for Native {
    #[inline(always)]
    unsafe fn times_plus(left: Sixteen, right: Sixteen, sum: Sixteen) -> Sixteen {
        // SAFETY: the caller's promise; both types are 512 bits.
        unsafe {
            let pairs = |register: Sixteen| std::mem::transmute::<Sixteen, x86::__m512bh>(register);
            x86::_mm512_dpbf16_ps(sum, pairs(left), pairs(right))
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Rounding<Sixteen> for Native {
    #[inline(always)]
    unsafe fn pairs(low: Sixteen, high: Sixteen) -> Sixteen {
        // SAFETY: the caller's promise; both types are 256 bits.
        unsafe {
            let word = |numbers: Sixteen| {
                let rounded = std::mem::transmute::<x86::__m256bh, x86::__m256i>(x86::_mm512_cvtneps_pbh(numbers));
                x86::_mm512_cvtepu16_epi32(rounded)
            };
            x86::_mm512_castsi512_ps(x86::_mm512_or_si512(word(low), x86::_mm512_slli_epi32::<16>(word(high))))
        }
    }

    #[inline(always)]
    unsafe fn store(numbers: Sixteen, to: *mut u16) {
        // SAFETY: the caller's promise; both types are 256 bits.
        unsafe {
            let rounded = std::mem::transmute::<x86::__m256bh, x86::__m256i>(x86::_mm512_cvtneps_pbh(numbers));
            x86::_mm256_storeu_si256(to.cast(), rounded);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::InstructionSet;
    use crate::random::{Role, Stream};
    use crate::register::with_the_best_instructions;

    #[test]
    fn numbers_are_rounded_to_the_nearest_bfloat16_and_from_the_middle_to_the_even_one() {
        // 1 + 2^-8 lies between 1 and 1 + 2^-7, 1 + 3 * 2^-8 between that and 1 + 2^-6.
        for (number, nearest) in [
            (1.0, 1.0),
            (1.0 + 1.0 / 256.0, 1.0),
            (1.0 + 1.1 / 256.0, 1.0 + 1.0 / 128.0),
            (1.0 + 3.0 / 256.0, 1.0 + 1.0 / 64.0),
            (-1.0 - 1.1 / 256.0, -1.0 - 1.0 / 128.0),
            (f32::MAX, f32::INFINITY),
            (f32::NEG_INFINITY, f32::NEG_INFINITY),
            (0.0, 0.0),
        ] {
            assert_eq!(f32::from_bits(u32::from(rounded(number)) << 16), nearest, "{number}");
        }
        assert!(f32::from_bits(u32::from(rounded(f32::from_bits(0x7fff_ffff))) << 16).is_nan());
    }

    with_the_best_instructions! {
        fn round(numbers: &[f32], halves: &mut [u16], pairs: &mut [f32]) = pairs round_all
    }

    /// # Safety
    /// The processor has the instructions of register and unit.
    #[inline(always)]
    unsafe fn round_all<R: Register, U: Rounding<R>>(numbers: &[f32], halves: &mut [u16], pairs: &mut [f32]) {
        assert!(
            numbers.len() == halves.len() && numbers.len() == pairs.len() + 1,
            "a pair of each number and the next"
        );
        for at in (0..pairs.len()).step_by(R::LANES) {
            // SAFETY: so many numbers are read and written, as asserted: a multiple of sixteen
            // pairs.
            unsafe {
                let [low, high] = [at, at + 1].map(|at| R::load(numbers.as_ptr().add(at)));
                U::store(low, halves.as_mut_ptr().add(at));
                U::pairs(low, high).store(pairs.as_mut_ptr().add(at));
            }
        }
    }

    #[test]
    fn registers_round_as_one_number_after_the_other() {
        let mut stream = Stream::new(6, Role::Sample, 0);
        let numbers: Vec<f32> = (0..1601).map(|_| (2.0 * stream.unit() - 1.0) * 1e3).collect();
        let (mut halves, mut pairs) = (vec![0; 1601], vec![0.0; 1600]);
        round(&numbers, &mut halves, &mut pairs);
        for (at, pair) in pairs.iter().enumerate() {
            let expected = [at, at + 1].map(|at| rounded(numbers[at]));
            assert_eq!(halves[at], expected[0]);
            assert_eq!(
                [pair.to_bits() as u16, (pair.to_bits() >> 16) as u16],
                expected,
                "{:?}",
                InstructionSet::used()
            );
        }
    }
}
