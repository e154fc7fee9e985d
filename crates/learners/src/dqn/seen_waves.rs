//! Memory of waves, for a dynamics model.

use serde::{Deserialize, Serialize};

use crate::games::SeenWave;
use crate::random::{Draw, Stream};

/// Last waves in play, for a dynamics model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeenWaves<S> {
    capacity: usize,
    waves: Vec<SeenWave<S>>,
    head: usize,
    stream: Stream,
}

impl<S: Copy> SeenWaves<S> {
    /// An empty memory; `capacity` 0 keeps nothing.
    pub fn new(capacity: usize, stream: Stream) -> Self {
        Self { capacity, waves: Vec::new(), head: 0, stream }
    }

    /// Whether a saved memory fits `capacity`.
    pub fn fits(&self, capacity: usize) -> bool {
        let len = self.waves.len();
        let head = if len < capacity { self.head == len } else { self.head < len.max(1) };
        self.capacity == capacity && len <= capacity && head
    }

    /// Adds a wave, replacing the oldest if full.
    pub fn push(&mut self, wave: SeenWave<S>) {
        if self.capacity == 0 {
            return;
        }
        if self.waves.len() < self.capacity {
            self.waves.push(wave);
        } else {
            self.waves[self.head] = wave;
        }
        self.head = (self.head + 1) % self.capacity;
    }

    /// Draws with replacement; none if empty.
    pub fn sample(&mut self, count: usize) -> Vec<SeenWave<S>> {
        let Self { waves, stream, .. } = self;
        let count = if waves.is_empty() { 0 } else { count };
        (0..count).map(|_| waves[stream.below(waves.len() as u32) as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Role;

    fn wave(number: u16) -> SeenWave<u16> {
        SeenWave { before: number, after: number + 1, points: 0.0 }
    }

    fn filled(capacity: usize, numbers: std::ops::Range<u16>) -> SeenWaves<u16> {
        let mut waves = SeenWaves::new(capacity, Stream::new(1, Role::Wave, 0));
        numbers.for_each(|number| waves.push(wave(number)));
        waves
    }

    #[test]
    fn the_last_waves_are_drawn_equally_often() {
        let mut waves = filled(4, 0..7);
        let drawn = waves.sample(8_000);
        for number in 3..7 {
            let count = drawn.iter().filter(|drawn| **drawn == wave(number)).count() as i32;
            assert!((count - 2_000).abs() < 240, "wave {number}: {count}");
        }
    }

    #[test]
    fn nothing_is_kept_without_room_and_nothing_drawn_of_nothing() {
        assert!(filled(0, 0..5).sample(3).is_empty());
        assert!(filled(5, 0..0).sample(3).is_empty());
    }

    #[test]
    fn a_memory_fits_its_own_capacity_alone() {
        for numbers in [0..0, 0..3, 0..4, 0..9] {
            assert!(filled(4, numbers.clone()).fits(4) && !filled(4, numbers.clone()).fits(5));
            assert!(!SeenWaves { head: 4, ..filled(4, numbers) }.fits(4));
        }
    }
}
