//! The waves that were seen while playing, from which a dynamics model learns.

use serde::{Deserialize, Serialize};

use crate::games::SeenWave;
use crate::random::{Draw, Stream};

/// The last waves of the moves played, sampled uniformly.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeenWaves<S> {
    capacity: usize,
    waves: Vec<SeenWave<S>>,
    /// The place that is written next.
    head: usize,
    stream: Stream,
}

impl<S: Copy> SeenWaves<S> {
    /// An empty memory of so many waves; with 0 it stays empty.
    pub fn new(capacity: usize, stream: Stream) -> Self {
        Self { capacity, waves: Vec::new(), head: 0, stream }
    }

    /// Whether it is a memory of that capacity.
    pub fn fits(&self, capacity: usize) -> bool {
        let len = self.waves.len();
        let head = if len < capacity { self.head == len } else { self.head < len.max(1) };
        self.capacity == capacity && len <= capacity && head
    }

    /// Adds a wave, in place of the oldest one when the memory is full.
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

    /// Draws `count` waves with replacement; none of an empty memory.
    pub fn sample(&mut self, count: usize) -> Vec<SeenWave<S>> {
        let Self { waves, stream, .. } = self;
        let count = if waves.is_empty() { 0 } else { count };
        (0..count).map(|_| waves[stream.below(waves.len() as u32) as usize]).collect()
    }
}
