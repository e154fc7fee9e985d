use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as x86;

pub const LANES: usize = 16;

/// A number for each lane, in memory.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Numbers(pub [u16; LANES]);

impl Numbers {
    pub const fn all(number: u16) -> Self {
        Self([number; LANES])
    }
}

/// A number, or sixteen bits, for each lane of a register.
///
/// A register's first value is an unsafe zero; all others come from that value, which proves that
/// the processor has the instructions.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    fn all(self, number: u16) -> Self;
    fn load(self, from: &Numbers) -> Self;
    fn store(self, to: &mut Numbers);
    /// `self & !other`.
    fn and_not(self, other: Self) -> Self;
    fn saturating_sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// All bits where the numbers are equal, else none.
    fn is_equal(self, other: Self) -> Self;
    /// All bits where a number below 32,768 is above the other, else none.
    fn is_above(self, other: Self) -> Self;
    fn up<const BY: i32>(self) -> Self;
    fn down<const BY: i32>(self) -> Self;
    /// Table's entry at each number below 16.
    fn look_up(self, table: &[u8; 16]) -> Self;
    /// Counts plus bits set in each lane; after up to 31 calls [`summed`](Self::summed) totals.
    fn counting(self, bits: Self) -> Self;
    fn summed(self) -> Self;
    fn max_lane(self) -> u16;
    fn is_zero(self) -> bool;
    /// Weighted sum of rows of a table of signed numbers for each lane, by (row, weight) in order.
    fn weighed(self, table: &[Numbers], terms: &[(usize, f64)]) -> [f64; LANES];

    #[inline(always)]
    fn ones(self) -> Self {
        self.all(0).counting(self).summed()
    }
}

#[derive(Clone, Copy)]
pub struct Portable([u16; LANES]);

impl Portable {
    pub const ZERO: Self = Self([0; LANES]);

    #[inline(always)]
    fn with(self, other: Self, function: impl Fn(u16, u16) -> u16) -> Self {
        let mut made = self;
        for (number, other) in made.0.iter_mut().zip(other.0) {
            *number = function(*number, other);
        }
        made
    }
}

#[inline(always)]
fn mask(is: bool) -> u16 {
    u16::from(is).wrapping_neg()
}

/// Writes out inlined functions, an expression each.
macro_rules! inlined {
    ($(fn $name:ident($($argument:tt)*) $(-> $result:ty)? = $made:expr;)+) => {
        $(#[inline(always)]
        fn $name($($argument)*) $(-> $result)? {
            $made
        })+
    };
}

impl Lanes for Portable {
    inlined! {
        fn all(self, number: u16) -> Self = Self([number; LANES]);
        fn load(self, from: &Numbers) -> Self = Self(from.0);
        fn store(self, to: &mut Numbers) = to.0 = self.0;
        fn and_not(self, other: Self) -> Self = self.with(other, |one, other| one & !other);
        fn saturating_sub(self, other: Self) -> Self = self.with(other, u16::saturating_sub);
        fn mul(self, other: Self) -> Self = self.with(other, u16::wrapping_mul);
        fn min(self, other: Self) -> Self = self.with(other, u16::min);
        fn max(self, other: Self) -> Self = self.with(other, u16::max);
        fn is_equal(self, other: Self) -> Self = self.with(other, |one, other| mask(one == other));
        fn is_above(self, other: Self) -> Self = self.with(other, |one, other| mask(one > other));
        fn look_up(self, table: &[u8; 16]) -> Self = Self(self.0.map(|number| table[usize::from(number) % 16].into()));
        fn counting(self, bits: Self) -> Self = self.with(bits, |count, bits| count + bits.count_ones() as u16);
        fn summed(self) -> Self = self;
        fn max_lane(self) -> u16 = self.0.iter().fold(0, |most, number| most.max(*number));
        fn is_zero(self) -> bool = self.0.iter().fold(0, |all, bits| all | bits) == 0;
    }

    #[inline(always)]
    fn up<const BY: i32>(self) -> Self {
        Self(self.0.map(|number| number << BY))
    }

    #[inline(always)]
    fn down<const BY: i32>(self) -> Self {
        Self(self.0.map(|number| number >> BY))
    }

    #[inline(always)]
    fn weighed(self, table: &[Numbers], terms: &[(usize, f64)]) -> [f64; LANES] {
        let mut sums = [0.0; LANES];
        for (row, weight) in terms {
            for (sum, number) in sums.iter_mut().zip(table[*row].0) {
                *sum += weight * f64::from(number as i16);
            }
        }
        sums
    }
}

macro_rules! operators {
    ($lanes:ty: $($operator:ident $method:ident |$one:ident, $other:ident| $made:expr,)+) => {
        $(impl $operator for $lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($one, $other) = (self, other);
                $made
            }
        })+
    };
}

operators! {
    Portable:
    Add add |one, other| one.with(other, u16::wrapping_add),
    Sub sub |one, other| one.with(other, u16::wrapping_sub),
    BitAnd bitand |one, other| one.with(other, |one, other| one & other),
    BitOr bitor |one, other| one.with(other, |one, other| one | other),
    BitXor bitxor |one, other| one.with(other, |one, other| one ^ other),
}

/// Lanes in a register of 256 bits; the last arguments say how to count bits.
#[cfg(target_arch = "x86_64")]
macro_rules! register {
    ($lanes:ident, $needs:literal, |$count:ident, $bits:ident| $counting:expr, |$counts:ident| $summed:expr) => {
        #[doc = concat!("Lanes of a processor with ", $needs, ".")]
        #[derive(Clone, Copy)]
        pub struct $lanes(x86::__m256i);

        impl $lanes {
            /// Zeros.
            ///
            /// # Safety
            #[doc = concat!("The processor has ", $needs, ".")]
            #[inline(always)]
            pub unsafe fn zero() -> Self {
                // SAFETY: the caller promises the instructions.
                Self(unsafe { x86::_mm256_setzero_si256() })
            }
        }

        // SAFETY of all that follows: every value comes from `zero`, whose caller promised the
        // instructions.
        impl Lanes for $lanes {
            inlined! {
                fn all(self, number: u16) -> Self = Self(unsafe { x86::_mm256_set1_epi16(number as i16) });
                // These are 32 bytes.
                fn load(self, from: &Numbers) -> Self = Self(unsafe {
                    x86::_mm256_loadu_si256(from.0.as_ptr().cast())
                });
                fn store(self, to: &mut Numbers) = unsafe {
                    x86::_mm256_storeu_si256(to.0.as_mut_ptr().cast(), self.0)
                };
                fn and_not(self, other: Self) -> Self = Self(unsafe { x86::_mm256_andnot_si256(other.0, self.0) });
                fn saturating_sub(self, other: Self) -> Self = Self(unsafe { x86::_mm256_subs_epu16(self.0, other.0) });
                fn mul(self, other: Self) -> Self = Self(unsafe { x86::_mm256_mullo_epi16(self.0, other.0) });
                fn min(self, other: Self) -> Self = Self(unsafe { x86::_mm256_min_epu16(self.0, other.0) });
                fn max(self, other: Self) -> Self = Self(unsafe { x86::_mm256_max_epu16(self.0, other.0) });
                fn is_equal(self, other: Self) -> Self = Self(unsafe { x86::_mm256_cmpeq_epi16(self.0, other.0) });
                fn is_above(self, other: Self) -> Self = Self(unsafe { x86::_mm256_cmpgt_epi16(self.0, other.0) });
            }

            #[inline(always)]
            fn up<const BY: i32>(self) -> Self {
                // SAFETY: above.
                Self(unsafe { x86::_mm256_slli_epi16::<BY>(self.0) })
            }

            #[inline(always)]
            fn down<const BY: i32>(self) -> Self {
                // SAFETY: above.
                Self(unsafe { x86::_mm256_srli_epi16::<BY>(self.0) })
            }

            #[inline(always)]
            fn look_up(self, table: &[u8; 16]) -> Self {
                // The upper byte of a lane looks nothing up.
                let asked = (self | self.all(0xff00)).0;
                // SAFETY: above; the table has 16 bytes.
                Self(unsafe {
                    let table = x86::_mm256_broadcastsi128_si256(x86::_mm_loadu_si128(table.as_ptr().cast()));
                    x86::_mm256_shuffle_epi8(table, asked)
                })
            }

            #[inline(always)]
            fn counting(self, bits: Self) -> Self {
                let ($count, $bits) = (self.0, bits.0);
                // SAFETY: above.
                Self(unsafe { $counting })
            }

            // A set may have no instruction here.
            #[allow(unused_unsafe)]
            #[inline(always)]
            fn summed(self) -> Self {
                let $counts = self.0;
                // SAFETY: above.
                Self(unsafe { $summed })
            }

            #[inline(always)]
            fn max_lane(self) -> u16 {
                // SAFETY: above. The instruction finds the lowest number.
                !(unsafe {
                    let most = x86::_mm_max_epu16(
                        x86::_mm256_castsi256_si128(self.0),
                        x86::_mm256_extracti128_si256::<1>(self.0),
                    );
                    let lowest = x86::_mm_minpos_epu16(x86::_mm_xor_si128(most, x86::_mm_set1_epi16(-1)));
                    x86::_mm_cvtsi128_si32(lowest) as u16
                })
            }

            #[inline(always)]
            fn is_zero(self) -> bool {
                // SAFETY: above.
                unsafe { x86::_mm256_testz_si256(self.0, self.0) == 1 }
            }

            #[inline(always)]
            fn weighed(self, table: &[Numbers], terms: &[(usize, f64)]) -> [f64; LANES] {
                // SAFETY: above; a row has twice eight numbers, the sums are four times four.
                unsafe {
                    let mut sums = [x86::_mm256_setzero_pd(); 4];
                    for (row, weight) in terms {
                        let numbers = table[*row].0.as_ptr();
                        let weight = x86::_mm256_set1_pd(*weight);
                        for (half, sums) in sums.chunks_exact_mut(2).enumerate() {
                            let eight = x86::_mm_loadu_si128(numbers.add(8 * half).cast());
                            let eight = x86::_mm256_cvtepi16_epi32(eight);
                            let fours = [x86::_mm256_castsi256_si128(eight), x86::_mm256_extracti128_si256::<1>(eight)];
                            for (sum, four) in sums.iter_mut().zip(fours) {
                                // Not fused, so that the sums are equal on any processor.
                                let product = x86::_mm256_mul_pd(weight, x86::_mm256_cvtepi32_pd(four));
                                *sum = x86::_mm256_add_pd(*sum, product);
                            }
                        }
                    }
                    let mut written = [0.0; LANES];
                    for (to, sum) in written.chunks_exact_mut(4).zip(sums) {
                        x86::_mm256_storeu_pd(to.as_mut_ptr(), sum);
                    }
                    written
                }
            }
        }

        operators! {
            $lanes:
            // SAFETY of all: above.
            Add add |one, other| Self(unsafe { x86::_mm256_add_epi16(one.0, other.0) }),
            Sub sub |one, other| Self(unsafe { x86::_mm256_sub_epi16(one.0, other.0) }),
            BitAnd bitand |one, other| Self(unsafe { x86::_mm256_and_si256(one.0, other.0) }),
            BitOr bitor |one, other| Self(unsafe { x86::_mm256_or_si256(one.0, other.0) }),
            BitXor bitxor |one, other| Self(unsafe { x86::_mm256_xor_si256(one.0, other.0) }),
        }
    };
}

// Counts by a table of half bytes; a byte holds the counts of 31 times eight bits.
#[cfg(target_arch = "x86_64")]
register!(
    Avx2,
    "AVX2",
    |count, bits| {
        let half = x86::_mm256_set1_epi8(15);
        let ones = x86::_mm256_broadcastsi128_si256(x86::_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let low = x86::_mm256_shuffle_epi8(ones, x86::_mm256_and_si256(bits, half));
        let high = x86::_mm256_shuffle_epi8(ones, x86::_mm256_and_si256(x86::_mm256_srli_epi16::<4>(bits), half));
        x86::_mm256_add_epi8(count, x86::_mm256_add_epi8(low, high))
    },
    |counts| x86::_mm256_maddubs_epi16(counts, x86::_mm256_set1_epi8(1))
);

#[cfg(target_arch = "x86_64")]
register!(
    Avx512,
    "AVX-512 VL, BW and BITALG",
    |count, bits| x86::_mm256_add_epi16(count, x86::_mm256_popcnt_epi16(bits)),
    |counts| counts
);

/// A number for each column of each lane, in binary over `bits`, and the sum of all numbers so far.
#[derive(Clone, Copy)]
pub struct Counters<L, const DIGITS: usize> {
    bits: [L; DIGITS],
    counts: [L; DIGITS],
    /// Carries beyond the last digit.
    beyond: L,
}

impl<L: Lanes, const DIGITS: usize> Counters<L, DIGITS> {
    #[inline(always)]
    pub fn none(zero: L) -> Self {
        Self { bits: [zero; DIGITS], counts: [zero; DIGITS], beyond: zero }
    }

    /// Adds one in some columns, sets columns that are not empty to 0, and adds the numbers to the
    /// sum.
    #[inline(always)]
    pub fn step(&mut self, one: L, empty: L) {
        let mut carry = one;
        for (bits, count) in self.bits.iter_mut().zip(&mut self.counts) {
            let old = *bits;
            *bits = (old ^ carry) & empty;
            carry = old & carry;
            *count = count.counting(*bits);
        }
        self.beyond = self.beyond | (carry & empty);
    }

    /// Sum of all numbers; `None` if one was too large.
    #[inline(always)]
    pub fn sum(&self) -> Option<L> {
        let mut sum = self.beyond.all(0);
        for count in self.counts.iter().rev() {
            sum = sum.up::<1>() + count.summed();
        }
        if self.beyond.is_zero() { Some(sum) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::instructions::InstructionSet;

    #[cfg(target_arch = "x86_64")]
    fn made_of<L: Lanes>(zero: L, one: &Numbers, other: &Numbers, table: &[u8; 16]) -> Vec<[u16; LANES]> {
        let (a, b) = (zero.load(one), zero.load(other));
        let mut counts = zero;
        (0..31).for_each(|_| counts = counts.counting(a));
        let registers = [
            zero.all(one.0[0]),
            a + b,
            a - b,
            a & b,
            a | b,
            a ^ b,
            a.and_not(b),
            a.saturating_sub(b),
            a.mul(b),
            a.min(b),
            a.max(b),
            a.is_equal(b),
            a.down::<1>().is_above(b.down::<1>()),
            a.up::<3>(),
            a.down::<5>(),
            (a & zero.all(15)).look_up(table),
            counts.summed(),
            a.ones(),
        ];
        let mut all: Vec<_> = registers
            .iter()
            .map(|lanes| {
                let mut to = Numbers::all(0);
                lanes.store(&mut to);
                to.0
            })
            .collect();
        all.push([a.max_lane(); LANES]);
        all.push([u16::from(a.is_zero()); LANES]);
        let sums = zero.weighed(&[*one, *other], &[(1, 0.1), (0, -3.7), (1, 1e-3)]);
        all.extend(sums.map(|sum| std::array::from_fn(|part| (sum.to_bits() >> (16 * (part % 4))) as u16)));
        all
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn lanes_are_the_same_by_every_instruction_set() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 48) as u16
        };
        for round in 0..1_000 {
            let one = Numbers(std::array::from_fn(|_| if round == 0 { 0 } else { next() }));
            let other = Numbers(std::array::from_fn(|lane| if lane % 3 == 0 { one.0[lane] } else { next() }));
            let table = std::array::from_fn(|_| next() as u8);
            let expected = made_of(Portable::ZERO, &one, &other, &table);
            for set in InstructionSet::present() {
                // SAFETY: the processor has the set.
                let found = match set {
                    InstructionSet::Portable => continue,
                    InstructionSet::Avx2 => made_of(unsafe { Avx2::zero() }, &one, &other, &table),
                    _ if is_x86_feature_detected!("avx512bitalg") => {
                        made_of(unsafe { Avx512::zero() }, &one, &other, &table)
                    }
                    _ => continue,
                };
                assert_eq!(found, expected, "{set} of {one:?} and {other:?}");
            }
        }
    }

    #[test]
    fn portable_lanes_do_what_they_say() {
        let numbers = |first: u16, second: u16| {
            let mut numbers = [0; LANES];
            (numbers[0], numbers[1]) = (first, second);
            Portable(numbers)
        };
        let (one, other) = (numbers(5, 0b1011), numbers(7, 0b0110));
        let seen = |lanes: Portable| (lanes.0[0], lanes.0[1]);
        assert_eq!(seen(one.saturating_sub(other)), (0, 5));
        assert_eq!(seen(one.and_not(other)), (0, 0b1001));
        assert_eq!(seen(one.is_above(other)), (0, u16::MAX));
        assert_eq!(seen(one.is_equal(numbers(5, 1))), (u16::MAX, 0));
        assert_eq!(seen(one.ones()), (2, 3));
        assert_eq!((one.max_lane(), one.is_zero(), Portable::ZERO.is_zero()), (11, false, true));
        let table = std::array::from_fn(|place| place as u8 * 10);
        assert_eq!(seen(one.look_up(&table)), (50, 110));
        let sums = one.weighed(&[Numbers([u16::MAX; LANES]), Numbers([3; LANES])], &[(0, 2.0), (1, 0.5)]);
        assert_eq!(sums, [-0.5; LANES]);
    }

    #[test]
    fn counters_sum_the_numbers_of_all_columns_and_begin_anew_where_one_is_not_empty() {
        // Column 0 counts 1, 2, … up to 20, column 3 counts 1, 2, then is filled, then 1.
        let mut counters = Counters::<_, 5>::none(Portable::ZERO);
        let mut too_few = Counters::<_, 4>::none(Portable::ZERO);
        for row in 0..20u16 {
            let one = 1 | if row < 2 || row == 3 { 8 } else { 0 };
            let empty = 1 | if row == 2 { 0 } else { 8 };
            let empty = if row > 3 { 1 } else { empty };
            counters.step(Portable::ZERO.all(one), Portable::ZERO.all(empty));
            too_few.step(Portable::ZERO.all(one), Portable::ZERO.all(empty));
        }
        assert_eq!(counters.sum().unwrap().0, [20 * 21 / 2 + 1 + 2 + 1; LANES]);
        assert!(too_few.sum().is_none());
    }
}
