use std::fmt;

use rand_mt::Mt;
use serde::{Deserialize, Serialize};

use super::{Draw, SeededDraw};

/// CPython's `random.Random(seed)`: MT19937 (Matsumoto and Nishimura 1998), seeded by
/// `init_by_array` with the 32-bit words of the seed as in `Modules/_randommodule.c`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Place", try_from = "Place")]
pub struct CPythonRandom {
    generator: Mt,
    place: Place,
}

/// Seed and words drawn so far, from which a saved generator is made again: its library hands out
/// no state.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    seed: u128,
    drawn: u64,
}

/// Most words of a saved generator, which take some seconds.
const MOST_DRAWN: u64 = 1 << 32;

impl From<CPythonRandom> for Place {
    fn from(random: CPythonRandom) -> Self {
        random.place
    }
}

impl TryFrom<Place> for CPythonRandom {
    type Error = String;

    fn try_from(Place { seed, drawn }: Place) -> Result<Self, String> {
        if drawn > MOST_DRAWN {
            return Err(format!("a saved generator has drawn {drawn} words, more than {MOST_DRAWN}"));
        }
        let mut random = Self::new(seed);
        for _ in 0..drawn {
            random.next_u32();
        }
        Ok(random)
    }
}

impl CPythonRandom {
    /// Generator of a seed.
    pub fn new(seed: u128) -> Self {
        // Words of the seed, the least significant first, without leading zeros but at least one.
        let words = ((128 - seed.leading_zeros()).div_ceil(32)).max(1);
        let generator = Mt::new_with_key((0..words).map(|word| (seed >> (32 * word)) as u32));
        Self { generator, place: Place { seed, drawn: 0 } }
    }

    fn next_u32(&mut self) -> u32 {
        self.place.drawn += 1;
        self.generator.next_u32()
    }

    /// `getrandbits(128)`: four outputs, the least significant word first.
    pub fn getrandbits128(&mut self) -> u128 {
        (0..4).fold(0, |bits, word| bits | u128::from(self.next_u32()) << (32 * word))
    }
}

impl fmt::Debug for CPythonRandom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CPythonRandom")
    }
}

impl Draw for CPythonRandom {
    /// `randint(0, n - 1)`: the top bits of an output, as many as `n` has, until they are below
    /// `n`.
    fn below(&mut self, n: u32) -> u32 {
        let unused_bits = n.leading_zeros();
        loop {
            let number = self.next_u32() >> unused_bits;
            if number < n {
                return number;
            }
        }
    }
}

impl SeededDraw for CPythonRandom {
    fn from_seed(seed: u128) -> Self {
        Self::new(seed)
    }

    fn next_seed(&mut self) -> u128 {
        self.getrandbits128()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_generator_goes_on_as_it_would_have() {
        let mut random = CPythonRandom::new(7);
        for _ in 0..1_000 {
            random.below(6);
        }
        let saved = serde_json::to_string(&random).unwrap();
        let mut again: CPythonRandom = serde_json::from_str(&saved).unwrap();
        assert_eq!(again.getrandbits128(), random.getrandbits128());
        assert!(serde_json::from_str::<CPythonRandom>("{\"seed\":7,\"drawn\":99999999999}").is_err());
    }

    #[test]
    fn draws_are_those_of_cpython() {
        let mut random = CPythonRandom::new(0);
        let drawn: Vec<u32> = (0..10).map(|_| random.below(6)).collect();
        // Ten times `randint(0, 5)` of `random.Random(0)`, in CPython 3.
        assert_eq!(drawn, [3, 3, 0, 2, 4, 3, 3, 2, 3, 2]);
    }

    #[test]
    fn bits_are_those_of_cpython_for_seeds_of_one_to_four_words() {
        // `random.Random(seed).getrandbits(128)`, in CPython 3.
        for (seed, bits) in [
            (0, 302934307671667531413257853548643485645),
            (7, 134351473349708985578604307872871789624),
            (u128::from(u32::MAX), 73277580613536407609392682343827163401),
            (1 << 32, 318069169723675509391169812023915393495),
            ((1 << 64) + 12345, 144517478844909395551541743900995103212),
            ((1 << 127) + 321, 291294051809539526424634563836782901853),
            (u128::MAX, 168412906253103572998269173196892520136),
        ] {
            assert_eq!(CPythonRandom::new(seed).getrandbits128(), bits, "seed {seed}");
        }
    }
}
