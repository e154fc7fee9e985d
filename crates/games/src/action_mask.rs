/// A set of actions, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ActionMask([u64; 4]);

impl ActionMask {
    /// Actions that a mask can hold.
    pub const CAPACITY: usize = 256;

    /// No action.
    pub const fn empty() -> Self {
        Self([0; 4])
    }

    /// First `n` actions, at most [`CAPACITY`](Self::CAPACITY).
    pub const fn all(n: usize) -> Self {
        let mut words = [0; 4];
        let mut word = 0;
        while word < 4 {
            words[word] = match n.saturating_sub(64 * word) {
                0 => 0,
                left @ 1..64 => (1 << left) - 1,
                _ => u64::MAX,
            };
            word += 1;
        }
        Self(words)
    }

    /// Actions of these bits, lowest first.
    #[inline]
    pub const fn from_words(words: [u64; 4]) -> Self {
        Self(words)
    }

    /// Adds an action, below [`CAPACITY`](Self::CAPACITY).
    #[inline]
    pub const fn insert(&mut self, action: usize) {
        self.0[action / 64] |= 1 << (action % 64);
    }

    /// Takes an action out, below [`CAPACITY`](Self::CAPACITY).
    #[inline]
    pub const fn remove(&mut self, action: usize) {
        self.0[action / 64] &= !(1 << (action % 64));
    }

    /// Actions that are not in the other set.
    #[inline]
    pub fn without(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Whether the action is in the set.
    #[inline]
    pub const fn contains(&self, action: usize) -> bool {
        action < Self::CAPACITY && self.0[action / 64] >> (action % 64) & 1 == 1
    }

    /// Number of actions.
    #[inline]
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is no action.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// Actions in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let mut words = self.0;
        let mut word = 0;
        std::iter::from_fn(move || {
            while word < 4 {
                let bits = words[word];
                if bits != 0 {
                    words[word] &= bits - 1;
                    return Some(64 * word + bits.trailing_zeros() as usize);
                }
                word += 1;
            }
            None
        })
    }

    /// Action at place `k`, in ascending order from 0.
    #[inline]
    pub fn nth(&self, mut k: usize) -> Option<usize> {
        for (word, mut bits) in self.0.into_iter().enumerate() {
            let count = bits.count_ones() as usize;
            if k < count {
                for _ in 0..k {
                    bits &= bits - 1;
                }
                return Some(64 * word + bits.trailing_zeros() as usize);
            }
            k -= count;
        }
        None
    }
}

impl FromIterator<usize> for ActionMask {
    fn from_iter<I: IntoIterator<Item = usize>>(actions: I) -> Self {
        let mut mask = Self::empty();
        for action in actions {
            mask.insert(action);
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_n_actions_are_those_below_n() {
        for n in [0, 1, 63, 64, 65, 142, 200, 255, 256] {
            let all: Vec<usize> = ActionMask::all(n).iter().collect();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_mask_is_the_set_of_what_was_put_in() {
        let actions = [0, 7, 63, 64, 141, 255];
        let mut mask: ActionMask = actions.into_iter().collect();
        assert_eq!(mask.iter().collect::<Vec<_>>(), actions);
        assert_eq!((mask.count(), mask.is_empty()), (6, false));
        assert!((0..300).all(|action| mask.contains(action) == actions.contains(&action)));
        for (k, action) in actions.into_iter().enumerate() {
            assert_eq!(mask.nth(k), Some(action));
        }
        assert_eq!(mask.nth(6), None);
        actions.into_iter().for_each(|action| mask.remove(action));
        assert_eq!(mask, ActionMask::empty());
        assert!(mask.is_empty());
    }
}
