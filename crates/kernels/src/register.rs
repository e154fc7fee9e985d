//! A register of numbers.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as x86;

/// Numbers on which an instruction works at once.
///
/// # Safety
/// Of all functions: the processor has the instructions of the register. Loads and stores take [`LANES`](Self::LANES)
/// numbers, wherever they lie.
pub trait Register: Copy {
    /// How many numbers they are: a divisor of a line's.
    const LANES: usize;

    /// Zeros.
    unsafe fn zero() -> Self;
    /// The numbers from there on.
    unsafe fn load(from: *const f32) -> Self;
    /// One number in all lanes.
    unsafe fn splat(from: *const f32) -> Self;
    /// Writes the numbers there.
    unsafe fn store(self, to: *mut f32);
    /// The sum, lane by lane.
    unsafe fn plus(self, other: Self) -> Self;
    /// The difference.
    unsafe fn minus(self, other: Self) -> Self;
    /// The product.
    unsafe fn times(self, other: Self) -> Self;
    /// The product and a sum, rounded once where an instruction does it.
    unsafe fn times_plus(self, factor: Self, sum: Self) -> Self;
    /// Zero in place of what is below it; NaN passes, a negative zero may.
    unsafe fn rectified(self) -> Self;
    /// A bit for every lane: whether it is above zero, or NaN.
    unsafe fn passes(self) -> u16;
    /// Zero in the lanes whose bits are not set.
    unsafe fn where_set(self, bits: u16) -> Self;
    /// The lower halves of all lanes in the place of the upper ones, and zeros.
    unsafe fn low(self) -> Self;
    /// The upper halves of all lanes, and zeros.
    unsafe fn high(self) -> Self;
}

/// Sixteen numbers, by AVX-512.
#[cfg(target_arch = "x86_64")]
pub type Sixteen = x86::__m512;
/// Eight numbers, by AVX2.
#[cfg(target_arch = "x86_64")]
pub type Eight = x86::__m256;

#[cfg(target_arch = "x86_64")]
macro_rules! register {
    (
        $register:ty = $lanes:literal, $zero:ident, $load:ident, $splat:ident, $store:ident, $add:ident, $subtract:ident,
        $multiply:ident, $multiply_add:ident, $greater:ident, $passes:ident, $where_set:ident, $low:ident, $high:ident
    ) => {
        impl Register for $register {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: as the caller promises.
                unsafe { x86::$zero() }
            }

            #[inline(always)]
            unsafe fn load(from: *const f32) -> Self {
                // SAFETY: as the caller promises.
                unsafe { x86::$load(from) }
            }

            #[inline(always)]
            unsafe fn splat(from: *const f32) -> Self {
                // SAFETY: as the caller promises.
                unsafe { x86::$splat(*from) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut f32) {
                // SAFETY: as the caller promises.
                unsafe { x86::$store(to, self) }
            }

            #[inline(always)]
            unsafe fn plus(self, other: Self) -> Self {
                // SAFETY: as the caller promises.
                unsafe { x86::$add(self, other) }
            }

            #[inline(always)]
            unsafe fn minus(self, other: Self) -> Self {
                // SAFETY: as the caller promises.
                unsafe { x86::$subtract(self, other) }
            }

            #[inline(always)]
            unsafe fn times(self, other: Self) -> Self {
                // SAFETY: as the caller promises.
                unsafe { x86::$multiply(self, other) }
            }

            #[inline(always)]
            unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
                // SAFETY: as the caller promises.
                unsafe { x86::$multiply_add(self, factor, sum) }
            }

            #[inline(always)]
            unsafe fn rectified(self) -> Self {
                // Of a number and a NaN the instruction takes the second.
                // SAFETY: as the caller promises.
                unsafe { x86::$greater(x86::$zero(), self) }
            }

            #[inline(always)]
            unsafe fn passes(self) -> u16 {
                // SAFETY: as the caller promises.
                unsafe { $passes(self) }
            }

            #[inline(always)]
            unsafe fn where_set(self, bits: u16) -> Self {
                // SAFETY: as the caller promises.
                unsafe { $where_set(self, bits) }
            }

            #[inline(always)]
            unsafe fn low(self) -> Self {
                // SAFETY: as the caller promises.
                unsafe { $low(self) }
            }

            #[inline(always)]
            unsafe fn high(self) -> Self {
                // SAFETY: as the caller promises.
                unsafe { $high(self) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
register!(
    Sixteen = 16,
    _mm512_setzero_ps,
    _mm512_loadu_ps,
    _mm512_set1_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_fmadd_ps,
    _mm512_max_ps,
    sixteen_pass,
    sixteen_where_set,
    sixteen_low,
    sixteen_high
);
#[cfg(target_arch = "x86_64")]
register!(
    Eight = 8,
    _mm256_setzero_ps,
    _mm256_loadu_ps,
    _mm256_set1_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_fmadd_ps,
    _mm256_max_ps,
    eight_pass,
    eight_where_set,
    eight_low,
    eight_high
);

/// # Safety
/// The processor has AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn sixteen_pass(numbers: Sixteen) -> u16 {
    // SAFETY: as the caller promises.
    unsafe { x86::_mm512_cmp_ps_mask::<{ x86::_CMP_NLE_UQ }>(numbers, x86::_mm512_setzero_ps()) }
}

/// # Safety
/// The processor has AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn sixteen_where_set(numbers: Sixteen, bits: u16) -> Sixteen {
    // SAFETY: as the caller promises.
    unsafe { x86::_mm512_maskz_mov_ps(bits, numbers) }
}

/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn eight_pass(numbers: Eight) -> u16 {
    // SAFETY: as the caller promises.
    unsafe {
        let above = x86::_mm256_cmp_ps::<{ x86::_CMP_NLE_UQ }>(numbers, x86::_mm256_setzero_ps());
        x86::_mm256_movemask_ps(above) as u16
    }
}

/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn eight_where_set(numbers: Eight, bits: u16) -> Eight {
    // SAFETY: as the caller promises.
    unsafe {
        let own = x86::_mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let set = x86::_mm256_and_si256(x86::_mm256_set1_epi32(i32::from(bits)), own);
        x86::_mm256_and_ps(numbers, x86::_mm256_castsi256_ps(x86::_mm256_cmpeq_epi32(set, own)))
    }
}

/// # Safety
/// The processor has AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn sixteen_low(words: Sixteen) -> Sixteen {
    // SAFETY: as the caller promises.
    unsafe { x86::_mm512_castsi512_ps(x86::_mm512_slli_epi32::<16>(x86::_mm512_castps_si512(words))) }
}

/// # Safety
/// The processor has AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn sixteen_high(words: Sixteen) -> Sixteen {
    // SAFETY: as the caller promises.
    unsafe { x86::_mm512_and_ps(words, x86::_mm512_castsi512_ps(x86::_mm512_set1_epi32(!0xffff))) }
}

/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn eight_low(words: Eight) -> Eight {
    // SAFETY: as the caller promises.
    unsafe { x86::_mm256_castsi256_ps(x86::_mm256_slli_epi32::<16>(x86::_mm256_castps_si256(words))) }
}

/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn eight_high(words: Eight) -> Eight {
    // SAFETY: as the caller promises.
    unsafe { x86::_mm256_and_ps(words, x86::_mm256_castsi256_ps(x86::_mm256_set1_epi32(!0xffff))) }
}

/// Four numbers, on any processor.
#[derive(Clone, Copy)]
pub struct Four([f32; 4]);

/// Zero in place of what is not above zero.
///
/// NaN passes, as through burn's `relu`: it must not go unnoticed.
#[inline(always)]
fn relu(sum: f32) -> f32 {
    if sum <= 0.0 { 0.0 } else { sum }
}

impl Register for Four {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> Self {
        Self([0.0; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as the caller promises.
        Self(unsafe { from.cast::<[f32; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: as the caller promises.
        Self([unsafe { *from }; 4])
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as the caller promises.
        unsafe { to.cast::<[f32; 4]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn plus(self, Self([e, f, g, h]): Self) -> Self {
        let Self([a, b, c, d]) = self;
        Self([a + e, b + f, c + g, d + h])
    }

    #[inline(always)]
    unsafe fn minus(self, Self([e, f, g, h]): Self) -> Self {
        let Self([a, b, c, d]) = self;
        Self([a - e, b - f, c - g, d - h])
    }

    #[inline(always)]
    unsafe fn times(self, Self([e, f, g, h]): Self) -> Self {
        let Self([a, b, c, d]) = self;
        Self([a * e, b * f, c * g, d * h])
    }

    #[inline(always)]
    unsafe fn times_plus(self, Self([e, f, g, h]): Self, Self([i, j, k, l]): Self) -> Self {
        let Self([a, b, c, d]) = self;
        Self([a * e + i, b * f + j, c * g + k, d * h + l])
    }

    #[inline(always)]
    unsafe fn rectified(self) -> Self {
        let Self([a, b, c, d]) = self;
        Self([relu(a), relu(b), relu(c), relu(d)])
    }

    #[inline(always)]
    unsafe fn passes(self) -> u16 {
        let Self([a, b, c, d]) = self;
        let bit = |number: f32| u16::from(number > 0.0 || number.is_nan());
        bit(a) | bit(b) << 1 | bit(c) << 2 | bit(d) << 3
    }

    #[inline(always)]
    unsafe fn where_set(self, bits: u16) -> Self {
        let Self([a, b, c, d]) = self;
        // Bits of all ones let a number pass; a branch here would be slow.
        let passed =
            |number: f32, lane: u32| f32::from_bits(number.to_bits() & u32::from(bits >> lane & 1).wrapping_neg());
        Self([passed(a, 0), passed(b, 1), passed(c, 2), passed(d, 3)])
    }

    #[inline(always)]
    unsafe fn low(self) -> Self {
        Self(self.0.map(|word| f32::from_bits(word.to_bits() << 16)))
    }

    #[inline(always)]
    unsafe fn high(self) -> Self {
        Self(self.0.map(|word| f32::from_bits(word.to_bits() & !0xffff)))
    }
}

/// Compiles a function for every instruction set, of which the best is called.
///
/// Another one, always inlined and generic over the [`Register`], does its work. It may also be generic over numbers,
/// which are given for registers of sixteen, eight and four. Behind `numbers` or `pairs` it is generic over a unit, too:
/// [`Numbers`](super::unit::Numbers), or [`Emulated`](super::unit::Emulated) and [`Native`](super::unit::Native).
macro_rules! with_the_best_instructions {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) = pairs $work:ident
        $([($($sixteen:literal),*), ($($eight:literal),*), ($($four:literal),*)])?
    ) => {
        $(#[$attribute])*
        $visibility fn $name($($argument: $kind),*) {
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
                // SAFETY: the processor has been asked for the instructions.
                return unsafe { avx512bf16($($argument),*) };
            }
            with_the_best_instructions! {
                @each ($($argument: $kind),*) = $work [unit::Emulated]
                $([($($sixteen),*), ($($eight),*), ($($four),*)])?
            }
        }
    };
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) = $work:ident
        $([($($sixteen:literal),*), ($($eight:literal),*), ($($four:literal),*)])?
    ) => {
        $(#[$attribute])*
        $visibility fn $name($($argument: $kind),*) {
            use $crate::instructions::InstructionSet;

            with_the_best_instructions! {
                @each ($($argument: $kind),*) = $work [] $([($($sixteen),*), ($($eight),*), ($($four),*)])?
            }
        }
    };
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) = numbers $work:ident
        $([($($sixteen:literal),*), ($($eight:literal),*), ($($four:literal),*)])?
    ) => {
        $(#[$attribute])*
        $visibility fn $name($($argument: $kind),*) {
            use $crate::instructions::InstructionSet;
            use $crate::unit;

            with_the_best_instructions! {
                @each ($($argument: $kind),*) = $work [unit::Numbers]
                $([($($sixteen),*), ($($eight),*), ($($four),*)])?
            }
        }
    };
    (@each ($($argument:ident: $kind:ty),*) = $work:ident [$($unit:path)?]
        $([($($sixteen:literal),*), ($($eight:literal),*), ($($four:literal),*)])?
    ) => {{
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
            // SAFETY: any processor has these.
            InstructionSet::Portable => unsafe {
                $work::<register::Four $(, $unit)? $($(, $four)*)?>($($argument),*)
            },
            // SAFETY: the processor has been asked for the instructions.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { avx2($($argument),*) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            _ => unsafe { avx512($($argument),*) },
        }
    }};
}

pub(super) use with_the_best_instructions;
