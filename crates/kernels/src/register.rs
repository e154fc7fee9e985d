//! Registers of numbers on each instruction set.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as x86;

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64 as arm;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use std::arch::wasm32 as wasm;

/// Numbers on which one instruction works.
///
/// # Safety
/// Of all functions: the processor has the instructions. Loads and stores take
/// [`LANES`](Self::LANES) numbers, at any alignment.
pub trait Register: Copy {
    /// Numbers of a register, a divisor of a line's.
    const LANES: usize;

    unsafe fn zero() -> Self;
    unsafe fn load(from: *const f32) -> Self;
    unsafe fn splat(from: *const f32) -> Self;
    unsafe fn store(self, to: *mut f32);
    unsafe fn plus(self, other: Self) -> Self;
    unsafe fn minus(self, other: Self) -> Self;
    unsafe fn times(self, other: Self) -> Self;
    /// Product plus a sum; some instruction sets round once.
    unsafe fn times_plus(self, factor: Self, sum: Self) -> Self;
    /// Zero in place of negative numbers; NaN passes, negative zero may.
    unsafe fn rectified(self) -> Self;
    /// A bit for each lane that is above zero or NaN.
    unsafe fn passes(self) -> u16;
    /// Zero in lanes whose bit is not set.
    unsafe fn where_set(self, bits: u16) -> Self;
    /// The bfloat16 in each lane's lower half, as a number.
    unsafe fn low(self) -> Self;
    /// The bfloat16 in each lane's upper half, as a number.
    unsafe fn high(self) -> Self;
}

#[cfg(target_arch = "x86_64")]
pub type Sixteen = x86::__m512;
#[cfg(target_arch = "x86_64")]
pub type Eight = x86::__m256;

/// Writes out inlined functions, an expression each.
///
/// # Safety
/// Of all functions: those of their trait.
macro_rules! by_instructions {
    ($(fn $name:ident($($argument:tt)*) $(-> $result:ty)? = $made:expr;)+) => {
        // Some registers need no promise for some functions.
        $(#[allow(unused_unsafe)]
        #[inline(always)]
        unsafe fn $name($($argument)*) $(-> $result)? {
            // SAFETY: the caller's promise.
            unsafe { $made }
        })+
    };
}

/// Needs AVX-512.
#[cfg(target_arch = "x86_64")]
impl Register for Sixteen {
    const LANES: usize = 16;

    by_instructions! {
        fn zero() -> Self = x86::_mm512_setzero_ps();
        fn load(from: *const f32) -> Self = x86::_mm512_loadu_ps(from);
        fn splat(from: *const f32) -> Self = x86::_mm512_set1_ps(*from);
        fn store(self, to: *mut f32) = x86::_mm512_storeu_ps(to, self);
        fn plus(self, other: Self) -> Self = x86::_mm512_add_ps(self, other);
        fn minus(self, other: Self) -> Self = x86::_mm512_sub_ps(self, other);
        fn times(self, other: Self) -> Self = x86::_mm512_mul_ps(self, other);
        fn times_plus(self, factor: Self, sum: Self) -> Self = x86::_mm512_fmadd_ps(self, factor, sum);
        // The instruction takes its second operand if one is NaN.
        fn rectified(self) -> Self = x86::_mm512_max_ps(x86::_mm512_setzero_ps(), self);
        fn passes(self) -> u16 = x86::_mm512_cmp_ps_mask::<{ x86::_CMP_NLE_UQ }>(self, x86::_mm512_setzero_ps());
        fn where_set(self, bits: u16) -> Self = x86::_mm512_maskz_mov_ps(bits, self);
        fn low(self) -> Self = x86::_mm512_castsi512_ps(x86::_mm512_slli_epi32::<16>(x86::_mm512_castps_si512(self)));
        fn high(self) -> Self = x86::_mm512_and_ps(self, x86::_mm512_castsi512_ps(x86::_mm512_set1_epi32(!0xffff)));
    }
}

/// Needs AVX2.
#[cfg(target_arch = "x86_64")]
impl Register for Eight {
    const LANES: usize = 8;

    by_instructions! {
        fn zero() -> Self = x86::_mm256_setzero_ps();
        fn load(from: *const f32) -> Self = x86::_mm256_loadu_ps(from);
        fn splat(from: *const f32) -> Self = x86::_mm256_set1_ps(*from);
        fn store(self, to: *mut f32) = x86::_mm256_storeu_ps(to, self);
        fn plus(self, other: Self) -> Self = x86::_mm256_add_ps(self, other);
        fn minus(self, other: Self) -> Self = x86::_mm256_sub_ps(self, other);
        fn times(self, other: Self) -> Self = x86::_mm256_mul_ps(self, other);
        fn times_plus(self, factor: Self, sum: Self) -> Self = x86::_mm256_fmadd_ps(self, factor, sum);
        // The instruction takes its second operand if one is NaN.
        fn rectified(self) -> Self = x86::_mm256_max_ps(x86::_mm256_setzero_ps(), self);
        fn passes(self) -> u16 = {
            let above = x86::_mm256_cmp_ps::<{ x86::_CMP_NLE_UQ }>(self, x86::_mm256_setzero_ps());
            x86::_mm256_movemask_ps(above) as u16
        };
        fn where_set(self, bits: u16) -> Self = {
            let own = x86::_mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let set = x86::_mm256_and_si256(x86::_mm256_set1_epi32(i32::from(bits)), own);
            x86::_mm256_and_ps(self, x86::_mm256_castsi256_ps(x86::_mm256_cmpeq_epi32(set, own)))
        };
        fn low(self) -> Self = x86::_mm256_castsi256_ps(x86::_mm256_slli_epi32::<16>(x86::_mm256_castps_si256(self)));
        fn high(self) -> Self = x86::_mm256_and_ps(self, x86::_mm256_castsi256_ps(x86::_mm256_set1_epi32(!0xffff)));
    }
}

/// Four numbers of NEON, which every processor of the architecture has.
#[cfg(target_arch = "aarch64")]
pub type Neon = arm::float32x4_t;

#[cfg(target_arch = "aarch64")]
impl Register for Neon {
    const LANES: usize = 4;

    by_instructions! {
        fn zero() -> Self = arm::vdupq_n_f32(0.0);
        fn load(from: *const f32) -> Self = arm::vld1q_f32(from);
        fn splat(from: *const f32) -> Self = arm::vld1q_dup_f32(from);
        fn store(self, to: *mut f32) = arm::vst1q_f32(to, self);
        fn plus(self, other: Self) -> Self = arm::vaddq_f32(self, other);
        fn minus(self, other: Self) -> Self = arm::vsubq_f32(self, other);
        fn times(self, other: Self) -> Self = arm::vmulq_f32(self, other);
        fn times_plus(self, factor: Self, sum: Self) -> Self = arm::vfmaq_f32(sum, self, factor);
        // NaN if one is.
        fn rectified(self) -> Self = arm::vmaxq_f32(self, arm::vdupq_n_f32(0.0));
        fn passes(self) -> u16 = {
            let above = arm::vmvnq_u32(arm::vcleq_f32(self, arm::vdupq_n_f32(0.0)));
            arm::vaddvq_u32(arm::vandq_u32(above, arm::vld1q_u32(LANES.as_ptr()))) as u16
        };
        fn where_set(self, bits: u16) -> Self = {
            let set = arm::vtstq_u32(arm::vdupq_n_u32(bits.into()), arm::vld1q_u32(LANES.as_ptr()));
            arm::vreinterpretq_f32_u32(arm::vandq_u32(arm::vreinterpretq_u32_f32(self), set))
        };
        fn low(self) -> Self = arm::vreinterpretq_f32_u32(arm::vshlq_n_u32::<16>(arm::vreinterpretq_u32_f32(self)));
        fn high(self) -> Self = {
            let half = arm::vandq_u32(arm::vreinterpretq_u32_f32(self), arm::vdupq_n_u32(!0xffff));
            arm::vreinterpretq_f32_u32(half)
        };
    }
}

/// Bit of each lane.
#[cfg(target_arch = "aarch64")]
const LANES: [u32; 4] = [1, 2, 4, 8];

/// Four numbers of WebAssembly's SIMD, with the results of the portable ones.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type Four = wasm::v128;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Register for Four {
    const LANES: usize = 4;

    by_instructions! {
        fn zero() -> Self = wasm::f32x4_splat(0.0);
        fn load(from: *const f32) -> Self = wasm::v128_load(from.cast());
        fn splat(from: *const f32) -> Self = wasm::v128_load32_splat(from.cast());
        fn store(self, to: *mut f32) = wasm::v128_store(to.cast(), self);
        fn plus(self, other: Self) -> Self = wasm::f32x4_add(self, other);
        fn minus(self, other: Self) -> Self = wasm::f32x4_sub(self, other);
        fn times(self, other: Self) -> Self = wasm::f32x4_mul(self, other);
        fn times_plus(self, factor: Self, sum: Self) -> Self = wasm::f32x4_add(wasm::f32x4_mul(self, factor), sum);
        fn rectified(self) -> Self = wasm::v128_andnot(self, wasm::f32x4_le(self, wasm::f32x4_splat(0.0)));
        fn passes(self) -> u16 = {
            let below = wasm::f32x4_le(self, wasm::f32x4_splat(0.0));
            u16::from(wasm::i32x4_bitmask(wasm::v128_not(below)))
        };
        fn where_set(self, bits: u16) -> Self = {
            let own = wasm::i32x4(1, 2, 4, 8);
            let set = wasm::i32x4_eq(wasm::v128_and(wasm::i32x4_splat(i32::from(bits)), own), own);
            wasm::v128_and(self, set)
        };
        fn low(self) -> Self = wasm::i32x4_shl(self, 16);
        fn high(self) -> Self = wasm::v128_and(self, wasm::i32x4_splat(!0xffff));
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[derive(Clone, Copy)]
pub struct Four([f32; 4]);

/// `max(sum, 0)`, but NaN passes, as in burn's `relu`.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn relu(sum: f32) -> f32 {
    if sum <= 0.0 { 0.0 } else { sum }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
impl Four {
    #[inline(always)]
    fn with(self, Self([e, f, g, h]): Self, by: impl Fn(f32, f32) -> f32) -> Self {
        let Self([a, b, c, d]) = self;
        Self([by(a, e), by(b, f), by(c, g), by(d, h)])
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
impl Register for Four {
    const LANES: usize = 4;

    by_instructions! {
        fn zero() -> Self = Self([0.0; 4]);
        fn load(from: *const f32) -> Self = Self(from.cast::<[f32; 4]>().read_unaligned());
        fn splat(from: *const f32) -> Self = Self([*from; 4]);
        fn store(self, to: *mut f32) = to.cast::<[f32; 4]>().write_unaligned(self.0);
        fn plus(self, other: Self) -> Self = self.with(other, |one, other| one + other);
        fn minus(self, other: Self) -> Self = self.with(other, |one, other| one - other);
        fn times(self, other: Self) -> Self = self.with(other, |one, other| one * other);
        fn times_plus(self, factor: Self, sum: Self) -> Self = self.times(factor).plus(sum);
        fn rectified(self) -> Self = {
            let Self([a, b, c, d]) = self;
            Self([relu(a), relu(b), relu(c), relu(d)])
        };
        fn passes(self) -> u16 = {
            let Self([a, b, c, d]) = self;
            let bit = |number: f32| u16::from(number > 0.0 || number.is_nan());
            bit(a) | bit(b) << 1 | bit(c) << 2 | bit(d) << 3
        };
        fn where_set(self, bits: u16) -> Self = {
            let Self([a, b, c, d]) = self;
            // Masks, since a branch would be slow.
            let mask = |lane: u32| u32::from(bits >> lane & 1).wrapping_neg();
            let passed = |number: f32, lane: u32| f32::from_bits(number.to_bits() & mask(lane));
            Self([passed(a, 0), passed(b, 1), passed(c, 2), passed(d, 3)])
        };
        fn low(self) -> Self = Self(self.0.map(|word| f32::from_bits(word.to_bits() << 16)));
        fn high(self) -> Self = Self(self.0.map(|word| f32::from_bits(word.to_bits() & !0xffff)));
    }
}

/// Defines a function that is compiled for each instruction set and calls the best.
///
/// An inlined function does the work, generic over the [`Register`] `R` and the numbers given for
/// registers of sixteen, eight, NEON's and other four. `pairs` adds the units [`Emulated`](super::unit::Emulated)
/// and [`Native`](super::unit::Native), `long` the cells along the long axis of a
/// [`Form`](super::winograd::Form), two or four.
///
/// # Safety
/// Of the function that does the work: the processor has the instructions of `R` and the unit.
macro_rules! with_the_best_instructions {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) = pairs $work:ident
        $([($($sixteen:tt),*), ($($eight:tt),*), ($($neon:tt),*), ($($four:tt),*)])?
    ) => {
        $(#[$attribute])*
        $visibility fn $name($($argument: $kind),*) {
            #[cfg(target_arch = "x86_64")]
            use $crate::instructions::InstructionSet;
            use $crate::unit;

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
            fn avx512bf16($($argument: $kind),*) {
                use $crate::register;
                // SAFETY: this function has the instructions.
                unsafe { $work::<register::Sixteen, unit::Native $($(, $sixteen)*)?>($($argument),*) }
            }

            #[cfg(target_arch = "x86_64")]
            if InstructionSet::used() >= InstructionSet::Avx512Bf16 {
                // SAFETY: the processor has the instructions.
                return unsafe { avx512bf16($($argument),*) };
            }
            with_the_best_instructions! {
                @each ($($argument: $kind),*) = $work [unit::Emulated]
                $([($($sixteen),*), ($($eight),*), ($($neon),*), ($($four),*)])?
            }
        }
    };
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) =
        long($form:expr) => $work:ident $([$($more:tt),*])?
    ) => {
        $(#[$attribute])*
        $visibility fn $name($($argument: $kind),*) {
            #[inline(always)]
            unsafe fn of_form<R: $crate::register::Register>($($argument: $kind),*) {
                // SAFETY: the caller's promise.
                unsafe {
                    match $form.long() {
                        2 => $work::<R, 2 $($(, $more)*)?>($($argument),*),
                        _ => $work::<R, 4 $($(, $more)*)?>($($argument),*),
                    }
                }
            }

            with_the_best_instructions! { @each ($($argument: $kind),*) = of_form [] }
        }
    };
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) = $work:ident
        $([($($sixteen:tt),*), ($($eight:tt),*), ($($neon:tt),*), ($($four:tt),*)])?
    ) => {
        $(#[$attribute])*
        $visibility fn $name($($argument: $kind),*) {
            with_the_best_instructions! {
                @each ($($argument: $kind),*) = $work [] $([($($sixteen),*), ($($eight),*), ($($neon),*), ($($four),*)])?
            }
        }
    };
    (@each ($($argument:ident: $kind:ty),*) = $work:ident [$($unit:path)?]
        $([($($sixteen:tt),*), ($($eight:tt),*), ($($neon:tt),*), ($($four:tt),*)])?
    ) => {{
        use $crate::instructions::InstructionSet;
        use $crate::register;

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn avx512($($argument: $kind),*) {
            // SAFETY: this function has the instructions.
            unsafe { $work::<register::Sixteen $(, $unit)? $($(, $sixteen)*)?>($($argument),*) }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn avx2($($argument: $kind),*) {
            // SAFETY: this function has the instructions.
            unsafe { $work::<register::Eight $(, $unit)? $($(, $eight)*)?>($($argument),*) }
        }

        match InstructionSet::used() {
            // SAFETY: any processor has these instructions.
            InstructionSet::Portable => unsafe {
                $work::<register::Four $(, $unit)? $($(, $four)*)?>($($argument),*)
            },
            // SAFETY: any processor of the architecture has these instructions.
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => unsafe {
                $work::<register::Neon $(, $unit)? $($(, $neon)*)?>($($argument),*)
            },
            // SAFETY: the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { avx2($($argument),*) },
            // SAFETY: the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            _ => unsafe { avx512($($argument),*) },
        }
    }};
}

pub(super) use with_the_best_instructions;
