//! Numbers and bits of sixteen walls side by side.

use std::ops::{Add, BitAnd, BitOr, BitXor, Not};

/// Walls that are looked at together.
pub const LANES: usize = 16;

/// A number for each lane.
#[derive(Clone, Copy, Debug)]
pub struct Lanes(pub [u16; LANES]);

impl Lanes {
    pub const ZERO: Self = Self([0; LANES]);

    #[inline(always)]
    pub fn map(self, function: impl Fn(u16) -> u16) -> Self {
        let mut made = self;
        for number in &mut made.0 {
            *number = function(*number);
        }
        made
    }

    #[inline(always)]
    pub fn with(self, other: Self, function: impl Fn(u16, u16) -> u16) -> Self {
        let mut made = self;
        for (number, other) in made.0.iter_mut().zip(other.0) {
            *number = function(*number, other);
        }
        made
    }

    #[inline(always)]
    pub fn all(number: u16) -> Self {
        Self([number; LANES])
    }

    #[inline(always)]
    pub fn ones(self) -> Self {
        self.map(|bits| bits.count_ones() as u16)
    }

    #[inline(always)]
    pub fn is_zero(self) -> bool {
        self.0.iter().fold(0, |all, bits| all | bits) == 0
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $of:expr,)+) => {
        $(impl $operator for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.with(other, $of)
            }
        })+
    };
}

operators! {
    BitAnd bitand |one, other| one & other,
    BitOr bitor |one, other| one | other,
    BitXor bitxor |one, other| one ^ other,
    Add add |one, other| one.wrapping_add(other),
}

impl Not for Lanes {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self.map(|bits| !bits)
    }
}

/// A number for each column of each lane, a bit of it in each of these.
#[derive(Clone, Copy)]
pub struct Counters {
    low: [Lanes; 3],
    high: [Lanes; 2],
    /// Whether any number is above 7.
    is_high: bool,
}

impl Counters {
    pub const NONE: Self = Self { low: [Lanes::ZERO; 3], high: [Lanes::ZERO; 2], is_high: false };

    /// Adds one in some columns, sets to 0 where a column is not empty, and gives the sums of all numbers.
    #[inline(always)]
    pub fn step(&mut self, one: Lanes, empty: Lanes) -> Lanes {
        let mut carry = one;
        let mut sum = Lanes::ZERO;
        for (index, bits) in self.low.iter_mut().enumerate() {
            let new = *bits ^ carry;
            carry = *bits & carry;
            *bits = new & empty;
            sum = sum + bits.ones().map(|ones| ones << index);
        }
        if self.is_high || !carry.is_zero() {
            let mut any = Lanes::ZERO;
            for (index, bits) in self.high.iter_mut().enumerate() {
                let new = *bits ^ carry;
                carry = *bits & carry;
                *bits = new & empty;
                any = any | *bits;
                sum = sum + bits.ones().map(|ones| ones << (index + 3));
            }
            self.is_high = !any.is_zero();
        }
        sum
    }
}
