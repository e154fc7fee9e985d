use serde::{Deserialize, Serialize};

use super::{Draw, SeededDraw};

/// NumPy's `default_rng(seed)`: PCG64 (XSL-RR 128/64), seeded by `SeedSequence`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NumPyRandom {
    state: u128,
    increment: u128,
    /// Upper half of the last output, the next word.
    kept: Option<u32>,
}

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

impl NumPyRandom {
    /// Generator of a seed.
    pub fn new(seed: u128) -> Self {
        let [high, low, upper, lower] = seed_sequence(seed);
        let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        let increment = join(upper, lower) << 1 | 1;
        let mut random = Self { state: 0, increment, kept: None };
        random.advance();
        random.state = random.state.wrapping_add(join(high, low));
        random.advance();
        random
    }

    fn advance(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.advance();
        let mixed = (self.state >> 64) as u64 ^ self.state as u64;
        mixed.rotate_right((self.state >> 122) as u32)
    }

    /// The next 32 bits: of 64 the lower half first, then the upper one.
    pub fn next_u32(&mut self) -> u32 {
        match self.kept.take() {
            Some(word) => word,
            None => {
                let word = self.next_u64();
                self.kept = Some((word >> 32) as u32);
                word as u32
            }
        }
    }
}

impl Draw for NumPyRandom {
    /// `integers(n)` of 32 bits, by Lemire's method.
    fn below(&mut self, n: u32) -> u32 {
        let mut product = u64::from(self.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// `shuffle`, which rejects masked words.
    fn shuffle(&mut self, numbers: &mut [u8]) {
        for last in (1..numbers.len()).rev() {
            let mask = u32::MAX >> (last as u32).leading_zeros();
            let place = loop {
                let place = self.next_u32() & mask;
                if place <= last as u32 {
                    break place;
                }
            };
            numbers.swap(last, place as usize);
        }
    }
}

impl SeededDraw for NumPyRandom {
    fn from_seed(seed: u128) -> Self {
        Self::new(seed)
    }

    fn next_seed(&mut self) -> u128 {
        u128::from(self.next_u64())
    }
}

/// Four words of `SeedSequence(seed).generate_state(4, uint64)`.
fn seed_sequence(seed: u128) -> [u64; 4] {
    let mut hash = 0x43b0_d7e5_u32;
    let mut hashed = |word: u32| {
        let word = word ^ hash;
        hash = hash.wrapping_mul(0x931e_8875);
        let word = word.wrapping_mul(hash);
        word ^ word >> 16
    };
    let mix = |one: u32, other: u32| {
        let mixed = one.wrapping_mul(0xca01_f9dd).wrapping_sub(other.wrapping_mul(0x4973_f715));
        mixed ^ mixed >> 16
    };
    let mut pool: [u32; 4] = std::array::from_fn(|place| hashed((seed >> (32 * place)) as u32));
    for from in 0..4 {
        for to in 0..4 {
            if from != to {
                pool[to] = mix(pool[to], hashed(pool[from]));
            }
        }
    }
    let mut hash = 0x8b51_f9dd_u32;
    let words: [u32; 8] = std::array::from_fn(|place| {
        let word = pool[place % 4] ^ hash;
        hash = hash.wrapping_mul(0x58f3_8ded);
        let word = word.wrapping_mul(hash);
        word ^ word >> 16
    });
    std::array::from_fn(|place| u64::from(words[2 * place]) | u64::from(words[2 * place + 1]) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `numpy.random.default_rng(42)`, by NumPy 1.26.4 and 2.4.6.
    #[test]
    fn outputs_tiles_and_permutations_are_those_of_numpy() {
        let mut random = NumPyRandom::new(42);
        assert_eq!(random.state, 0xcea44f6798798f2aacbc7c9d68860ac8);
        assert_eq!(random.increment, 0xfa505436c9a8416e66caf2e28d25abff);
        let outputs: [u64; 4] = std::array::from_fn(|_| random.next_u64());
        assert_eq!(outputs, [0xc621fbcd16d92688, 0x705a5661a791ffc1, 0xdbcd12c26eda1624, 0xb286b60e1600888d]);
        let mut random = NumPyRandom::new(42);
        let tiles: [u32; 16] = std::array::from_fn(|_| random.below(4) + 1);
        assert_eq!(tiles, [1, 4, 3, 2, 2, 4, 1, 3, 1, 1, 3, 4, 3, 4, 3, 4]);
        let mut order: [u8; 64] = std::array::from_fn(|place| place as u8);
        NumPyRandom::new(42).shuffle(&mut order);
        assert_eq!(order[..8], [29, 42, 18, 24, 7, 17, 27, 54]);
    }
}
