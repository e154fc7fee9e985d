//! Work on the threads of rayon's current pool, by one function that is compiled once.
//!
//! The helpers give each index or part to one task, so that results depend on neither the number of
//! threads nor their order.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(not(target_family = "wasm"))]
use rayon::join;

use crate::stop;

// A browser's module has one thread.
#[cfg(target_family = "wasm")]
fn join(one: impl FnOnce(), other: impl FnOnce()) {
    one();
    other();
}

/// Number of threads of the current pool.
pub fn threads() -> usize {
    #[cfg(not(target_family = "wasm"))]
    let threads = rayon::current_num_threads();
    #[cfg(target_family = "wasm")]
    let threads = 1;
    threads
}

/// Does work inside the pool: work of several parts that runs wholly there never waits for a thread
/// to wake.
pub fn inside<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let (mut work, mut result) = (Some(work), None);
    enter(&mut || result = work.take().map(|work| work()));
    result.expect("the work was done")
}

fn enter(work: &mut (dyn FnMut() + Send)) {
    #[cfg(not(target_family = "wasm"))]
    rayon::scope(|_| work());
    #[cfg(target_family = "wasm")]
    work();
}

/// Tasks for each thread, so that threads with quick tasks take over those of slow ones.
const TASKS: usize = 32;

/// Number of indices of a task: at least `least`.
fn length(count: usize, least: usize) -> usize {
    least.max(count.div_ceil(TASKS * threads())).max(1)
}

/// Calls `work` once for each index below `count`, on several threads; a thread takes at least
/// `least` neighbouring indices, and [looks](stop::look) before each whether to stop.
pub fn run(count: usize, least: usize, work: &(dyn Fn(usize) + Sync)) {
    let flag = stop::flag();
    let look_and_work = |index| {
        stop::look();
        work(index);
    };
    split(0, count, length(count, least), &|indices| {
        stop::under(flag.clone(), || indices.for_each(&look_and_work));
    });
}

fn split(start: usize, end: usize, length: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    if end - start <= length {
        return work(start..end);
    }
    let middle = start + (end - start).div_ceil(2 * length) * length;
    join(|| split(start, middle, length, work), || split(middle, end, length, work));
}

/// Calls `work` once for each part, such as disjoint chunks of slices, on several threads.
pub fn each<P: Send>(parts: impl IntoIterator<Item = P>, work: impl Fn(P) + Sync) {
    let parts: Vec<Mutex<Option<P>>> = parts.into_iter().map(|part| Mutex::new(Some(part))).collect();
    run(parts.len(), 1, &|index| {
        let part = lock(&parts[index]).take();
        part.into_iter().for_each(&work);
    });
}

/// Calls `work` once for each index of `items` and its item, on several threads; a thread takes at
/// least `least` neighbouring items.
pub fn each_mut<T: Send>(items: &mut [T], least: usize, work: impl Fn(usize, &mut T) + Sync) {
    let length = length(items.len(), least);
    each(items.chunks_mut(length).enumerate(), |(chunk, items)| {
        (chunk * length..).zip(items).for_each(|(index, item)| work(index, item));
    });
}

/// Results of `work` for each index below `count`, in ascending order, computed on several threads;
/// a thread takes at least `least` neighbouring indices.
pub fn map<T: Send>(count: usize, least: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if count <= length(count, least) {
        return (0..count).map(work).collect();
    }
    let mut results: Vec<Option<T>> = std::iter::repeat_with(|| None).take(count).collect();
    each_mut(&mut results, least, |index, result| *result = Some(work(index)));
    results.into_iter().flatten().collect()
}

/// Results of `work` for each item, in the order of the items, computed on several threads; a thread
/// takes at least `least` neighbouring items.
pub fn map_mut<T: Send, R: Send>(items: &mut [T], least: usize, work: impl Fn(&mut T) -> R + Sync) -> Vec<R> {
    let length = length(items.len(), least);
    if items.len() <= length {
        return items.iter_mut().map(work).collect();
    }
    let mut results: Vec<Option<R>> = std::iter::repeat_with(|| None).take(items.len()).collect();
    each(items.chunks_mut(length).zip(results.chunks_mut(length)), |(items, results)| {
        items.iter_mut().zip(results).for_each(|(item, result)| *result = Some(work(item)));
    });
    results.into_iter().flatten().collect()
}

/// Values such as buffers that tasks use one after another, made when all others are in use.
#[derive(Debug)]
pub struct Spares<T>(Mutex<Vec<T>>);

impl<T> Default for Spares<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Spares<T> {
    /// All values, none of which is in use.
    pub fn into_values(self) -> Vec<T> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives `work` an unused value, or a `new` one, and keeps the value afterwards.
    pub fn with<R>(&self, new: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let spare = lock(&self.0).pop();
        let mut value = spare.unwrap_or_else(new);
        let result = work(&mut value);
        lock(&self.0).push(value);
        result
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn each_index_is_worked_on_once_at_any_number_of_threads() {
        for threads in [1, 3] {
            for (count, least) in [(0, 1), (1, 1), (7, 3), (1000, 0), (1000, 64), (1000, 5000), (4097, 1)] {
                let times: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                with_threads(threads, || {
                    run(count, least, &|index| {
                        times[index].fetch_add(1, Ordering::Relaxed);
                    });
                });
                assert!(times.iter().all(|times| times.load(Ordering::Relaxed) == 1), "{count} by {least}");
            }
        }
    }

    #[test]
    fn results_and_items_stand_at_their_indices() {
        for (threads, least) in [(1, 1), (3, 1), (3, 100)] {
            with_threads(threads, || {
                let squares: Vec<usize> = map(1000, least, |index| index * index);
                assert!(squares.iter().enumerate().all(|(index, square)| *square == index * index));
                let mut sums = squares;
                each_mut(&mut sums, least, |index, sum| *sum += index);
                assert!(sums.iter().enumerate().all(|(index, sum)| *sum == index * (index + 1)));
                each(sums.chunks_mut(7), |chunk| chunk.reverse());
                assert_eq!((sums[0], sums[6], sums[999]), (42, 0, 994 * 995));
            });
        }
    }

    #[test]
    fn a_panic_of_a_task_reaches_the_caller() {
        let caught = std::panic::catch_unwind(|| run(100, 1, &|index| assert!(index < 50)));
        assert!(caught.is_err());
    }

    #[test]
    fn a_spare_value_is_used_again() {
        let spares = Spares::default();
        spares.with(|| vec![1], |value| value.push(2));
        assert_eq!(spares.with(Vec::new, |value| value.clone()), [1, 2]);
        assert_eq!(spares.into_values(), [[1, 2]]);
    }
}
