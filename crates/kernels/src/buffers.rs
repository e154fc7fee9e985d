//! Memory that is used again.
//!
//! Tensors of a batch are so large that the allocator would give them back to the system after each update, and the
//! system clears every page that it gives out again.

use std::sync::{Mutex, MutexGuard};

use super::line::Line;

/// Buffers that wait to be used again, the one kept longest first.
///
/// They are kept as long as the process lives, at most `kept` of each kind, whatever their size.
pub struct Buffers<T> {
    waiting: Mutex<Vec<Vec<T>>>,
    kept: usize,
}

/// Numbers of tensors.
pub static NUMBERS: Buffers<f32> = Buffers::new(32);
/// Masks of ReLUs.
pub static MASKS: Buffers<u16> = Buffers::new(32);
/// Panels: of each layer's kind one for each part of a batch.
pub static LINES: Buffers<Line> = Buffers::new(128);

impl<T: Copy + Default> Buffers<T> {
    const fn new(kept: usize) -> Self {
        Self { waiting: Mutex::new(Vec::new()), kept }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Vec<T>>> {
        self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A buffer of that length, with any content.
    pub fn take(&self, length: usize) -> Vec<T> {
        let mut waiting = self.waiting();
        // One that is much too large is left for what needs it.
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

    /// A buffer of that length, of zeros.
    pub fn take_zeroed(&self, length: usize) -> Vec<T> {
        let mut buffer = self.take(length);
        buffer.fill(T::default());
        buffer
    }

    /// Keeps a buffer for [`take`](Self::take); the oldest makes room.
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
