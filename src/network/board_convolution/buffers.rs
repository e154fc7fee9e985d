//! Memory that is used again.
//!
//! Tensors of a batch are so large that the allocator would give them back to the system after each update, and the
//! system clears every page that it gives out again.

use std::sync::Mutex;

use super::line::Line;

/// Buffers that wait to be used again, the one kept longest first.
///
/// They are kept as long as the process lives, at most [`KEPT`] of each kind, whatever their size.
pub struct Buffers<T>(Mutex<Vec<Vec<T>>>);

/// Numbers of tensors.
pub static NUMBERS: Buffers<f32> = Buffers(Mutex::new(Vec::new()));
/// Masks of ReLUs.
pub static MASKS: Buffers<u16> = Buffers(Mutex::new(Vec::new()));
/// Panels.
pub static LINES: Buffers<Line> = Buffers(Mutex::new(Vec::new()));

/// Buffers kept at the most.
const KEPT: usize = 32;

impl<T: Copy + Default> Buffers<T> {
    /// A buffer of that length, with any content.
    pub fn take(&self, length: usize) -> Vec<T> {
        let mut kept = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // One that is much too large is left for what needs it.
        let fits = |buffer: &Vec<T>| (length..=2 * length).contains(&buffer.capacity());
        let found = kept.iter().rposition(fits).map(|index| kept.remove(index));
        drop(kept);
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
        let mut kept = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(buffer);
    }
}
