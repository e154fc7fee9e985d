//! Memory kept for reuse, since the system would take large tensors back after each update and
//! clear the pages that it gives out.

use std::sync::{Mutex, MutexGuard};

use super::line::Line;

/// Unused buffers, the oldest first, at most `kept`.
pub struct Buffers<T> {
    waiting: Mutex<Vec<Vec<T>>>,
    kept: usize,
}

pub static NUMBERS: Buffers<f32> = Buffers::new(32);
pub static MASKS: Buffers<u16> = Buffers::new(32);
/// Panels, one for each part of a batch and kind of layer.
pub static LINES: Buffers<Line> = Buffers::new(128);

impl<T: Copy + Default> Buffers<T> {
    const fn new(kept: usize) -> Self {
        Self { waiting: Mutex::new(Vec::new()), kept }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Vec<T>>> {
        self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A buffer of `length`, with any content.
    pub fn take(&self, length: usize) -> Vec<T> {
        let mut waiting = self.waiting();
        // Much larger buffers wait for larger requests.
        let fits = |buffer: &Vec<T>| (length..=2 * length).contains(&buffer.capacity());
        let found = waiting.iter().rposition(fits).map(|index| waiting.remove(index));
        drop(waiting);
        match found {
            Some(mut buffer) => {
                buffer.resize(length, T::default());
                buffer
            }
            None => vec![T::default(); length],
        }
    }

    pub fn take_zeroed(&self, length: usize) -> Vec<T> {
        let mut buffer = self.take(length);
        buffer.fill(T::default());
        buffer
    }

    /// Keeps a buffer for [`take`](Self::take), perhaps in place of the oldest.
    pub fn give(&self, buffer: Vec<T>) {
        if buffer.capacity() == 0 {
            return;
        }
        let mut waiting = self.waiting();
        if waiting.len() == self.kept {
            waiting.remove(0);
        }
        waiting.push(buffer);
    }
}
