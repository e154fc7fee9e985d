use std::convert::Infallible;

use rand::{Rng, SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::{Draw, SeededDraw};

/// Use of a stream. The numbers are part of the seeding and never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Role {
    /// Tokens of a game.
    Game = 1,
    /// Whether to explore, and with which action.
    Explore = 2,
    /// Transitions sampled from replay.
    Sample = 3,
    /// Symmetry under which a transition is learned.
    Symmetry = 4,
    /// Initial weights.
    Initialise = 5,
    /// Choice among equally good actions.
    Tie = 6,
    /// Outcomes that a learner simulates.
    Simulate = 7,
    /// Waves of chains to learn.
    Wave = 8,
    /// Outcomes that estimate the luck of a played game.
    Luck = 9,
}

/// A stream of random numbers whose state can be saved: xoshiro256++ (Blackman and Vigna 2019,
/// "Scrambled linear pseudorandom number generators").
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Xoshiro256PlusPlus")]
pub struct Stream(Xoshiro256PlusPlus);

impl TryFrom<Xoshiro256PlusPlus> for Stream {
    type Error = &'static str;

    /// Refuses all zeros, a state that the generator never leaves.
    fn try_from(generator: Xoshiro256PlusPlus) -> Result<Self, Self::Error> {
        let mut next = generator.clone();
        next.next_u64();
        match next == generator {
            true => Err("a saved stream of random numbers stands still"),
            false => Ok(Self(generator)),
        }
    }
}

impl Stream {
    /// Stream of a role and an index under a seed, independent of all others.
    pub fn new(seed: u64, role: Role, index: u64) -> Self {
        let mut state = [0; 32];
        for (lane, word) in (1_u64..).zip(state.chunks_exact_mut(8)) {
            // Each step is a bijection: streams that differ in one part differ in every word.
            let mixed = mix(seed.wrapping_add(lane.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            let mixed = mix(mix(mixed ^ role as u64) ^ index);
            word.copy_from_slice(&mixed.to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// A number drawn uniformly from the multiples of 2^-24 in `0.0..1.0`.
    pub fn unit(&mut self) -> f32 {
        (self.0.next_u64() >> 40) as f32 / (1 << 24) as f32
    }
}

/// SplitMix64's finaliser (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
/// generators").
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Draw for Stream {
    /// A 64-bit output, scaled by multiplication; the bias is at most n in 2^64.
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u32
    }

    /// As many base-n digits from each 64-bit output as 32 bits hold; the bias is at most one in
    /// 2^32.
    fn fill_below(&mut self, n: u32, out: &mut [u8]) {
        let digits = if n <= 1 { out.len() } else { u32::MAX.ilog(n) as usize };
        for chunk in out.chunks_mut(digits.max(1)) {
            let mut fraction = self.0.next_u64();
            for number in chunk {
                let scaled = u128::from(fraction) * u128::from(n);
                *number = (scaled >> 64) as u8;
                fraction = scaled as u64;
            }
        }
    }
}

impl SeededDraw for Stream {
    fn from_seed(seed: u128) -> Self {
        Self::new(seed as u64, Role::Game, (seed >> 64) as u64)
    }

    fn next_seed(&mut self) -> u128 {
        u128::from(self.0.next_u64()) << 64 | u128::from(self.0.next_u64())
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_that_differ_in_any_part_give_different_numbers() {
        let mut firsts: Vec<u64> = Vec::new();
        for seed in 0..4 {
            for role in [Role::Game, Role::Explore, Role::Tie] {
                firsts.extend((0..4).map(|index| Stream::new(seed, role, index).next_u64()));
            }
        }
        let drawn = firsts.len();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), drawn);
    }

    #[test]
    fn a_saved_stream_goes_on_where_it_was() {
        let mut stream = Stream::new(5, Role::Sample, 9);
        stream.next_u64();
        let saved = postcard::to_stdvec(&stream).unwrap();
        let mut restored: Stream = postcard::from_bytes(&saved).unwrap();
        assert_eq!(restored, stream);
        assert_eq!(restored.next_u64(), stream.next_u64());
    }

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        let mut stream = Stream::new(1, Role::Game, 0);
        let drawn: Vec<u32> = (0..8).map(|_| stream.below(1000)).collect();
        // Numbers of an independent implementation of the seeding and of xoshiro256++.
        assert_eq!(drawn, [233, 681, 309, 165, 429, 19, 259, 9]);
    }

    #[test]
    fn every_number_below_n_is_equally_frequent() {
        let mut stream = Stream::new(3, Role::Game, 0);
        let (mut single, mut filled) = ([0_i32; 6], [0_i32; 6]);
        let mut numbers = [0; 60_000];
        stream.fill_below(6, &mut numbers);
        for number in numbers {
            filled[usize::from(number)] += 1;
            single[stream.below(6) as usize] += 1;
        }
        // Six standard deviations of a count are 550.
        for count in single.into_iter().chain(filled) {
            assert!((count - 10_000).abs() < 550, "{single:?} {filled:?}");
        }
    }

    #[test]
    fn a_unit_draw_is_below_one_and_has_mean_one_half() {
        let mut stream = Stream::new(3, Role::Explore, 0);
        let draws: Vec<f32> = (0..10_000).map(|_| stream.unit()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        let mean = draws.iter().sum::<f32>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
